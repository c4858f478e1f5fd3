"""Grades the rules that hear recommendations on the invented turns beside this file.

`python tests/boards/recommended_exam/grade.py tuned` prints the figures and the misses of a part; `held_out` and `sealed` print
figures alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from equipoise.boards.recommended import Kind, hear, recommended_in
from equipoise.cases.vocabulary.drugs import lexicon
from equipoise.cases.vocabulary.tokens import fold, words

ITEMS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "unseen.yaml").read_text(encoding="utf-8"))[
    "items"
]
PARTS = ("tuned", "held_out", "sealed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """Figures of a part.

    Attributes:
        items: turns graded.
        exact: turns whose regimens are exactly those that stand there.
        wanted: regimens that stand there.
        heard: regimens heard.
        right: regimens heard that stand there.
        drugs: drugs recommended, each once a turn.
        drugs_heard: those of them that were heard in any regimen of that turn.
        wrong: ids of the turns that are not exact.
    """

    items: int
    exact: int
    wanted: int
    heard: int
    right: int
    drugs: int
    drugs_heard: int
    wrong: tuple[str, ...]

    @property
    def recall(self) -> float:
        """Share of the regimens that were heard."""
        return self.right / self.wanted

    @property
    def precision(self) -> float:
        """Share of what was heard that stands there."""
        return self.right / self.heard


def spelled(name: str) -> tuple[str, ...]:
    """The drugs of a name in the vocabulary's spelling; an unknown one as it stands."""
    found = lexicon().table.match(words(fold(name)), 0)
    return (name,) if found is None or not found[0].components else tuple(found[0].components)


def regimen(names: Iterable[str]) -> frozenset[str]:
    """A regimen as a set of drugs, groups such as "chemotherapy" left out; folinic acid beside fluorouracil goes without saying."""
    parts = {part for name in names for part in spelled(name)} - {"leucovorin", "folinic acid"}
    known = lexicon().drugs
    return frozenset(part for part in parts if part not in known or known[part].kind == "drug")


def wanted_of(item: dict[str, Any]) -> set[frozenset[str]]:
    """What an item recommends."""
    return {regimen(row) for row in item["recommended"]}


def heard_of(item: dict[str, Any]) -> set[frozenset[str]]:
    """What the rules hear in it."""
    return {drugs for one in recommended_in(item["text"], Kind.TURN) if (drugs := regimen(one.components))}


def unseen_drugs(item: dict[str, Any]) -> frozenset[str]:
    """Drugs of an item that are neither recommended nor named by what the rules hear."""
    heard = hear(item["text"], Kind.TURN)
    seen = {name for one in (*heard.recommended, *heard.named) for name in one.components}
    return frozenset().union(*wanted_of(item), regimen(item["named"])) - regimen(seen)


def grade(items: Iterable[dict[str, Any]]) -> Grade:
    """Figures of these items."""
    rows = [(item["id"], wanted_of(item), heard_of(item)) for item in items]
    named = [(frozenset().union(*want), frozenset().union(*heard)) for _, want, heard in rows]
    return Grade(
        items=len(rows),
        exact=sum(want == heard for _, want, heard in rows),
        wanted=sum(len(want) for _, want, _ in rows),
        heard=sum(len(heard) for _, _, heard in rows),
        right=sum(len(want & heard) for _, want, heard in rows),
        drugs=sum(len(want) for want, _ in named),
        drugs_heard=sum(len(want & heard) for want, heard in named),
        wrong=tuple(name for name, want, heard in rows if want != heard),
    )


def main(names: list[str]) -> None:
    """Print the figures of the parts named, all without names."""
    chosen = [item for item in ITEMS if item["part"] in (names or PARTS)]
    found = grade(chosen)
    print(  # noqa: T201
        f"{found.items} turns: exact {found.exact}; regimens {found.right} of {found.wanted} heard, {found.right} of {found.heard} "
        f"heard are right; drugs recommended {found.drugs_heard} of {found.drugs} heard"
    )
    drugs = sum(len(frozenset().union(*wanted_of(item), regimen(item["named"]))) for item in chosen)
    unseen = sum(len(unseen_drugs(item)) for item in chosen)
    print(f"drugs of any kind: {drugs - unseen} of {drugs} stand among the recommended or the named")  # noqa: T201
    if names == ["tuned"]:
        for item in chosen:
            if item["id"] in found.wrong:
                want, heard = (
                    sorted("+".join(sorted(row)) for row in rows) for rows in (wanted_of(item), heard_of(item))
                )
                print(f"{item['id']} {item['text']!r}\n    want {want}\n    hear {heard}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
