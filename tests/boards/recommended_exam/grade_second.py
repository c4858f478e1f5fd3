"""Grades the rules that hear recommendations on the second exam, `second.yaml` beside this file.

`python tests/boards/recommended_exam/grade_second.py tuned` prints the figures of that half, `held_out` those of the other, both names
or none those of all. `tuned misses` prints the misses of the tuned half as well; those of the held-out half are never printed. Drugs
in the vocabulary's spelling, groups and folinic acid are treated as in the first exam.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from equipoise.boards.recommended import Kind, hear
from equipoise.cases.vocabulary.drugs import lexicon
from equipoise.cases.vocabulary.tokens import fold, words

if __package__:
    from boards.recommended_exam.grade import Grade, grade, heard_of, regimen, wanted_of
else:
    from grade import Grade, grade, heard_of, regimen, wanted_of

HALVES = ("tuned", "held_out")
STYLES = ("verbose", "colloquial", "between")
SECOND: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "second.yaml").read_text(encoding="utf-8"))[
    "items"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What became of the drugs of a turn, each drug once.

    Attributes:
        heard: recommended, and heard as recommended.
        listed: recommended, not heard, but listed among the named.
        lost: recommended, and neither heard nor listed. The dangerous direction: nobody is told.
        taken: not recommended, but heard as recommended.
        passed: not recommended, and listed among the named.
        unseen: not recommended, and seen by neither.
        strange: not in the turn's gold at all, but heard as recommended.
    """

    heard: frozenset[str]
    listed: frozenset[str]
    lost: frozenset[str]
    taken: frozenset[str]
    passed: frozenset[str]
    unseen: frozenset[str]
    strange: frozenset[str]


def fate(item: dict[str, Any]) -> Fate:
    """What became of the drugs of this turn."""
    found = hear(item["text"], Kind.TURN)
    heard = regimen(name for one in found.recommended for name in one.components)
    listed = regimen(name for one in found.named for name in one.components)
    wanted: frozenset[str] = frozenset().union(*wanted_of(item))
    named = regimen(item["named"]) - wanted
    return Fate(
        heard=wanted & heard,
        listed=(wanted & listed) - heard,
        lost=wanted - heard - listed,
        taken=named & heard,
        passed=(named & listed) - heard,
        unseen=named - heard - listed,
        strange=heard - wanted - named,
    )


def unknown(items: Iterable[dict[str, Any]]) -> list[str]:
    """Names of the gold that the vocabulary does not know from first to last word, so that they can match only as they stand."""
    names = {name for item in items for row in (*item["recommended"], item["named"]) for name in row}
    return sorted(name for name in names if not known(words(fold(name))))


def known(tokens: Sequence[Any]) -> bool:
    """Whether the vocabulary knows these words as one name."""
    found = lexicon().table.match(tokens, 0)
    return found is not None and found[1] == len(tokens)


def line(found: Grade) -> str:
    """The figures of a grade in a line."""
    return (
        f"{found.items} turns: exact {found.exact}; regimens {found.right} of {found.wanted} heard, {found.right} of {found.heard} "
        f"heard are right; drugs recommended {found.drugs_heard} of {found.drugs} heard"
    )


def drugs_line(fates: Sequence[Fate]) -> str:
    """What became of all drugs, in a line."""
    count = {name: sum(len(getattr(one, name)) for one in fates) for name in Fate.__slots__}
    return (
        f"recommended: {count['heard']} heard, {count['listed']} only listed as named, {count['lost']} lost; not recommended: "
        f"{count['taken']} heard as recommended, {count['passed']} listed, {count['unseen']} unseen; not in the gold but heard: "
        f"{count['strange']}"
    )


def miss(item: dict[str, Any]) -> str:
    """A turn with what stands there, what is heard, and the drugs that are lost."""
    want, heard = (sorted("+".join(sorted(row)) for row in rows) for rows in (wanted_of(item), heard_of(item)))
    one = fate(item)
    return (
        f"{item['id']} {item['style']} {item['text']!r}\n    want {want}\n    hear {heard}\n    lost {sorted(one.lost)} "
        f"listed {sorted(one.listed)} taken {sorted(one.taken)} unseen {sorted(one.unseen)} strange {sorted(one.strange)}"
    )


def main(names: list[str]) -> None:
    """Print the figures of the halves named, all without names."""
    halves = [name for name in names if name in HALVES] or list(HALVES)
    chosen = [item for item in SECOND if item["half"] in halves]
    print(line(grade(chosen)))  # noqa: T201
    print(drugs_line([fate(item) for item in chosen]))  # noqa: T201
    empty = [item for item in chosen if not item["recommended"]]
    quiet = sum(not heard_of(item) for item in empty)
    lossy = sum(bool(fate(item).lost) for item in chosen)
    print(f"turns that recommend nothing: {quiet} of {len(empty)} heard so; turns with a lost drug: {lossy}")  # noqa: T201
    for style in STYLES:
        found = [item for item in chosen if item["style"] == style]
        print(f"{style}: {line(grade(found))}; lost {sum(len(fate(item).lost) for item in found)}")  # noqa: T201
    if "misses" in names and halves == ["tuned"]:
        wrong = grade(chosen).wrong
        for item in chosen:
            one = fate(item)
            if item["id"] in wrong or one.lost or one.unseen:
                print(miss(item))  # noqa: T201
        print(f"names of the gold of this half that the vocabulary does not know as they stand: {unknown(chosen)}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
