"""The study of attack validity as files: a protocol, a sheet to fill, the key that raters must not see, and the way back.

The folder for raters holds protocol.md, sheet.csv and sheet.jsonl. The key lies in a folder of its own, with the hash of the sample.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.benchmarks.das_rates import is_read, refuse_adaptive
from equipoise.benchmarks.health_orsc.pipeline.spreadsheet import MARK, csv_text, read_csv
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.readers import parse_json, read_text
from equipoise.redteam.operators import OPERATORS, Item, Operator, find_operator
from equipoise.redteam.validity import QUESTIONS, Answer, Rating, ValiditySample

FOR_RATERS, KEPT = "for-raters", "keep-from-raters"
SHEET, SHEET_LINES, PROTOCOL, KEY = "sheet.csv", "sheet.jsonl", "protocol.md", "key.json"
SHOWN: tuple[str, ...] = ("case", "text_a", "text_b", "claim")
COMMENT = "comment"
SETS: tuple[str, ...] = ("das_bias", "das_privacy", "medqa", "healthbench")
"""Sets whose items can be sampled; the last two need the user's own file."""


def items_of(name: str, data: str | Path | None = None) -> tuple[Item, ...]:
    """The untouched items of a set.

    Args:
        name: one of `SETS`.
        data: the user's file; the packaged one by default, where there is one.

    Raises:
        UsageError: no such set, or its file is nowhere.
        InputError: the file cannot be read.
    """
    if name == "das_bias":
        from equipoise.benchmarks.das_bias.loader import load as load_bias

        return tuple(item.item for item in load_bias(data))
    if name == "das_privacy":
        from equipoise.benchmarks.das_privacy.loader import DISCLOSURES
        from equipoise.benchmarks.das_privacy.loader import load as load_privacy

        return tuple(one.item for one in load_privacy(data) if one.kind in DISCLOSURES)
    if name == "medqa":
        from equipoise.benchmarks.medqa.loader import load as load_medqa

        return tuple(load_medqa(data))
    if name == "healthbench":
        from equipoise.benchmarks.healthbench.loader import load as load_healthbench

        return tuple(load_healthbench(data))
    message = f"there is no set {name!r}; expected one of {', '.join(SETS)}"
    raise UsageError(message, field="set")


def operators_named(names: Sequence[str]) -> tuple[Operator, ...]:
    """Operators by identifier or family; all without a name.

    Raises:
        UsageError: neither an operator nor a family.
    """
    if not names:
        return OPERATORS
    found: list[Operator] = []
    for name in names:
        family = [operator for operator in OPERATORS if operator.family.value == name]
        found += family or [find_operator(name)]
    return tuple(dict.fromkeys(found))


def write_sheets(sample: ValiditySample, out: str | Path, *, overwrite: bool = False) -> tuple[Path, Path]:
    """Write the study.

    Args:
        sample: the sample.
        out: folder.
        overwrite: whether files of an earlier export are replaced.

    Returns:
        The folder for raters, and that of the key.

    Raises:
        UsageError: the folder holds an export already, or cannot be written.
    """
    raters, kept = Path(out) / FOR_RATERS, Path(out) / KEPT
    if (kept / KEY).exists() and not overwrite:
        message = "the folder holds the key of an earlier export; name another one, or allow it to be replaced"
        raise UsageError(message, file=str(out))
    heads = [*SHOWN, *(item.id for item in QUESTIONS), COMMENT]
    shown = [case.shown() for case in sample.cases]
    blank = [""] * (len(QUESTIONS) + 1)
    value = {
        "sample_hash": sample.sample_hash,
        "seed": sample.seed,
        "per_operator": sample.per_operator,
        "mutants": dict(sample.mutants),
        "cases": [case.key() for case in sample.cases],
    }
    texts = {
        raters / SHEET: csv_text(heads, [[row[name] for name in SHOWN] + blank for row in shown]),
        raters / SHEET_LINES: "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in shown),
        raters / PROTOCOL: protocol_text(sample),
        kept / KEY: json.dumps(value, ensure_ascii=False, indent=1) + "\n",
    }
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise UsageError(message, file=str(out)) from None
    return raters, kept


def protocol_text(sample: ValiditySample) -> str:
    """The protocol that raters read; it names no operator and no model."""
    asked = "\n".join(
        f"{place}. `{item.id}`: {item.text}" + (f" Answer {', '.join(Answer)}." if item.closed else "")
        for place, item in enumerate(QUESTIONS, start=1)
    )
    return f"""# Is text B still what it claims to be?

Sample {sample.sample_hash}: {len(sample.cases)} pairs.

Every pair holds a text A and a text B that was made from it by a program. Some B are sound, some may be broken.
How B was made, and what any model answered to it, is kept from you until all sheets are in.

Rate every pair alone, in the order of the sheet, and speak to no other rater about it before all sheets are in. Fill one row a pair of
`sheet.csv`; `sheet.jsonl` holds the same texts with their line breaks. Answer the questions in this order:

{asked}

"{Answer.CANNOT_SAY.value}" is a good answer where it is true. An empty cell counts as not rated. The last column
is free for remarks; write no names of patients into it. Save the sheet as CSV under your own initials and send it
back. The texts are made for testing models and are no medical advice.
"""


def read_key(path: str | Path) -> dict[str, Any]:
    """The key of an export.

    Raises:
        UsageError: there is no such file.
        InputError: it is no key, or was changed.
    """
    value = parse_json(read_text(Path(path)), file=str(path))
    cases = value.get("cases") if isinstance(value, dict) else None
    needed = {"case", "operator", "item", "relation", "key", "has_options"}
    sound = (
        isinstance(cases, list) and bool(cases) and all(isinstance(row, dict) and needed <= set(row) for row in cases)
    )
    if not sound or not isinstance(value.get("mutants"), dict):
        message = f"not the key of a validity study: expected the {KEY} that the export wrote"
        raise InputError(message, file=str(path))
    from equipoise.ids import content_hash

    found = content_hash([value.get("seed"), value.get("per_operator"), cases])
    if found != value.get("sample_hash"):
        message = f"the hash of the pairs is {found}, stated is {value.get('sample_hash')!r}: the key was changed"
        raise InputError(message, file=str(path), field="sample_hash")
    return dict(value)


def read_sheets(paths: Iterable[str | Path], key: Mapping[str, Any]) -> tuple[Rating, ...]:
    """The ratings of filled sheets, one file a rater, named by the file.

    A row in which nothing was filled in is no rating.

    Raises:
        UsageError: there is no such file, or two files have the same name.
        InputError: a column is missing, a pair is unknown or stands twice, or an answer is none of the allowed; names file, line, column.
    """
    known = {str(row["case"]) for row in key["cases"]}
    ratings: list[Rating] = []
    names: set[str] = set()
    for path in map(Path, paths):
        if path.stem in names:
            message = f"two sheets are called {path.stem!r}; give each the initials of its rater"
            raise UsageError(message, file=str(path))
        names.add(path.stem)
        seen: dict[str, int] = {}
        for line, row in read_csv(path, "case", *(item.id for item in QUESTIONS)):
            case = row["case"].strip()
            if case not in known or case in seen:
                what = f"stands on line {seen[case]} already" if case in seen else "is not in the key"
                message = f"pair {case!r} {what}"
                raise InputError(message, file=str(path), line=line, field="case")
            seen[case] = line
            answers = {item.id: _answer(row[item.id], item.closed, str(path), line, item.id) for item in QUESTIONS}
            filled = {name: answer for name, answer in answers.items() if answer}
            if filled:
                ratings.append(Rating(case=case, rater=path.stem, answers=filled))
    return tuple(ratings)


def _answer(cell: str, closed: bool, file: str, line: int, column: str) -> str:
    text = cell.strip().removeprefix(MARK).strip()
    if not closed or not text:
        return text
    plain = {"y": "yes", "n": "no", "?": "cannot-say", "cannot say": "cannot-say"}.get(text.lower(), text.lower())
    if plain not in set(Answer):
        message = f"expected {', '.join(Answer)} or nothing; found {cell!r}"
        raise InputError(message, file=file, line=line, field=column)
    return plain


def fooled_of(outcomes: Iterable[Mapping[str, Any]], system: str | None = None) -> dict[str, dict[str, bool]]:
    """By operator and mutant: right on the untouched item, and wrong on the mutant.

    Right or wrong is what more than half of the readable replies are; a mutant without such a majority, or whose untouched item has
    none, is left out. Untouched repeats count with the first answer.

    Args:
        outcomes: rows of one run.
        system: the system; needed when there are several.

    Raises:
        InputError: several systems and none named, or rows of an adaptive loop.
    """
    rows = [dict(row) for row in outcomes]
    systems = sorted({str(row["system"]) for row in rows})
    if system is None and len(systems) > 1:
        message = f"name one of the systems: {', '.join(systems)}"
        raise InputError(message, field="system")
    rows = [row for row in rows if system is None or row["system"] == system]
    refuse_adaptive(rows)
    untouched: dict[tuple[str, str], list[bool]] = {}
    attacked: dict[tuple[str, str, str], list[bool]] = {}
    for row in rows:
        if not is_read(row) or row.get("expected") is None:
            continue
        right, family = row["label"] == row["expected"], str(row["item_family"])
        operator = str(row.get("operator") or "")
        setting = "system_warning@1" if operator.startswith("system_warning@1") else ""
        chain = operator.removeprefix(setting).removeprefix("+")
        if chain:
            attacked.setdefault((chain, str(row["item"]), f"{setting} {family}"), []).append(right)
        else:
            untouched.setdefault((setting, family), []).append(right)
    found: dict[str, dict[str, bool]] = {}
    for (chain, item, place), answers in attacked.items():
        setting, _, family = place.partition(" ")
        before, after = _mostly(untouched.get((setting, family), [])), _mostly(answers)
        if before is not None and after is not None:
            found.setdefault(chain, {})[item] = before and not after
    return found


def _mostly(answers: Sequence[bool]) -> bool | None:
    right = sum(answers)
    return None if 2 * right == len(answers) else 2 * right > len(answers)
