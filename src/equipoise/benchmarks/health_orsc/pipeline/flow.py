"""The flow of a pipeline in words and tables: what came in, what was kept, what was rejected and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.terms import SOURCE, Category, Vote
from equipoise.outcomes.schema import ReplyState

Record = Mapping[str, Any]

LIMITS: tuple[str, ...] = (
    "A kept question is one that moderators call not harmful. That is a vote of models, not a finding: how often people"
    " would agree has to be measured on a sample before a refusal of one is called needless.",
    "Rewrites of one seed are alike: intervals and tests have to draw whole families. The family of a question is the seed"
    " it was written from.",
)
"""What a reader must know before using the set."""


def flow_rows(records: Mapping[str, Record]) -> list[dict[str, Any]]:
    """One row a stage that has run: number, stage, unit, in, kept, rejected, reasons by count."""
    rows = []
    for stage, record in records.items():
        counts = record["counts"]
        rows.append(
            {
                "number": record["number"],
                "stage": stage,
                "unit": counts["unit"],
                "in": counts["in"],
                "kept": counts["kept"],
                "rejected": sum(counts["rejected"].values()),
                "reasons": dict(counts["rejected"]),
            }
        )
    return rows


def markdown(name: str, records: Mapping[str, Record], hashes: Mapping[str, str]) -> str:
    """The report of the flow as Markdown.

    Args:
        name: name of the set.
        records: records of the stages that have run, in order.
        hashes: SHA-256 of each exported file.
    """
    return "\n".join(_lines(name, records, hashes)) + "\n"


def _lines(name: str, records: Mapping[str, Record], hashes: Mapping[str, str]) -> Iterator[str]:
    yield f"# {cell(name)}: how the set was built"
    yield ""
    yield f"Built after the public description of {SOURCE}. Every reject is kept with its reason in the stage's folder."
    yield ""
    yield from _table(
        ("stage", "counted", "in", "kept", "rejected", "reasons"),
        [
            (f"{row['number']} {row['stage']}", row["unit"], row["in"], row["kept"], row["rejected"], _reasons(row))
            for row in flow_rows(records)
        ],
    )
    for title, lines in sections(records):
        yield ""
        yield f"## {title}"
        yield ""
        for line in lines:
            if isinstance(line, str):
                yield cell(line)
                yield ""
            else:
                yield from _table(line[0], line[1])
                yield ""
    yield "## What this does not show"
    yield ""
    yield from (f"- {text}" for text in LIMITS)
    yield ""
    yield "## Files"
    yield ""
    yield from _table(("file", "SHA-256"), list(hashes.items()))


Table = tuple[Sequence[str], Sequence[Sequence[Any]]]


def sections(records: Mapping[str, Record]) -> Iterator[tuple[str, list[str | Table]]]:
    """Sections of the report: a title, then sentences and tables (heads, rows).

    Args:
        records: records of the stages that have run.
    """
    if "categorise" in records:
        yield "Categories", [_categories(records)]
        raters = records["categorise"]["facts"].get("raters")
        if raters:
            yield "Agreement of people on the categories", _raters(raters)
    if "rewrite" in records:
        facts = records["rewrite"]["facts"]
        yield "Replies of the rewriting model", [_states({"rewrites": facts["states"]})]
    if "moderate" in records:
        yield "Votes of the moderators", _votes(records["moderate"]["facts"])
    if "difficulty" in records and records["difficulty"]["facts"].get("tiers"):
        facts = records["difficulty"]["facts"]
        yield "Tiers", _tiers(facts)
        yield "Replies of the models that make the tiers", [_models(facts)]
        yield "What selection does to a model's rate", _effects(facts)


def _categories(records: Mapping[str, Record]) -> Table:
    seeds = records["categorise"]["facts"]["categories"]
    items = records.get("export", {}).get("facts", {}).get("categories") or records.get("moderate", {}).get(
        "facts", {}
    ).get("categories", {})
    rows = [(category.value, seeds[category.value], items.get(category.value, 0)) for category in Category]
    return ("category", "seeds", "kept questions"), rows


def _raters(found: Record) -> list[str | Table]:
    facts: list[tuple[str, str]] = [
        ("people, seeds in their sheets", f"{len(found['raters'])}, {found['items']}"),
        ("Fleiss' kappa, all categories", estimate(found["fleiss_kappa"])),
        ("majority is the category proposed before", rate(found["majority_is_proposed"])),
        ("seeds on which not all agree", str(found["disagreements"])),
        ("seeds without a majority", str(found["without_majority"])),
    ]
    rows = [(name, found["standing"][name], estimate(one)) for name, one in found["by_category"].items()]
    return [
        (("", "people"), facts),
        (("category", f"agreement against {found['least_kappa']:g}", "Fleiss' kappa, this category or not"), rows),
    ]


def _states(by_name: Mapping[str, Mapping[str, int]]) -> Table:
    names = [state.value for state in ReplyState]
    return ("", "n", *names), [
        (name, sum(counts.values()), *(counts[state] for state in names)) for name, counts in by_name.items()
    ]


def _votes(facts: Record) -> list[str | Table]:
    votes = [vote.value for vote in Vote]
    lines: list[str | Table] = [
        f"A question is kept when at least {facts['keep_at_least']} of {facts['moderators']} moderators call it not"
        f" harmful. Votes that could not be read are no votes; with them read either way, {facts['kept_at_least']} to"
        f" {facts['kept_at_most']} questions would be kept.",
        (
            ("moderator", *(vote.replace("_", " ") for vote in votes)),
            [(name, *(row[vote] for vote in votes)) for name, row in facts["by_moderator"].items()],
        ),
        f"Agreement of the moderators, Krippendorff's alpha: {estimate(facts['agreement'])}.",
    ]
    lines.extend(
        f"{' and '.join(names)} are the same model: their votes are not independent."
        for names in facts["shared_models"]
    )
    return lines


def _tiers(facts: Record) -> list[str | Table]:
    bounds = facts["bounds"]
    rows = [
        (
            name,
            f"{bounds[name][0]} to {bounds[name][1]} of {facts['models']}" if name in bounds else "-",
            number,
            facts["tiers_at_most"].get(name, "-"),
        )
        for name, number in facts["tiers"].items()
    ]
    return [
        f"Refusals were read by: {facts['reader']}; counted as a refusal: {' and '.join(facts['refusal'])}. An item is"
        " undecided when replies that could not be read could move it to another tier, and outside when its count lies"
        " in no tier.",
        (("tier", "refusing models", "items", "at most, with unreadable replies"), rows),
    ]


def _models(facts: Record) -> Table:
    states = [state.value for state in ReplyState]
    rows = [
        (
            name,
            *(row["refusal"][key] for key in ("none", "partial", "full")),
            *(row["states"][state] for state in states),
        )
        for name, row in facts["by_model"].items()
    ]
    return ("model", "no refusal", "partial", "full", *states), rows


def _effects(facts: Record) -> list[str | Table]:
    rows = [
        (
            row["tier"],
            row["model"],
            rate(row["with_itself"]),
            rate(row["without_itself"]),
            difference(row["difference"], row["with_itself"], row["without_itself"]),
        )
        for row in facts["selection_effect"]
    ]
    heads = ("tier", "model", "refusal rate, tier made by all", "tier made by the others", "difference")
    return [facts["statement"], (heads, rows)]


def estimate(value: Record) -> str:
    """An estimate as text: "0.412 (0.320 to 0.511), n 85"; its reason when it is undefined.

    Args:
        value: an estimate in its JSON form.
    """
    if value["estimate"] is None:
        return f"not defined ({value['method'].removeprefix('undefined: ')})"
    ends = "interval not available" if value["low"] is None else f"{value['low']:.3f} to {value['high']:.3f}"
    left = f"; {value['n_left_out']} left out" if value["n_left_out"] else ""
    return f"{value['estimate']:.3f} ({ends}), n {value['n_used']}{left}"


def _reasons(row: Record) -> str:
    return ", ".join(f"{reason.replace('_', ' ')} {number}" for reason, number in row["reasons"].items()) or "-"


FEWEST = 10
"""Items from which a rate is printed; below, counts alone."""


class Rate(str):
    """A rate as text, with the number left out, so that a page can mark the cell.

    Attributes:
        left_out: items that could not enter.
    """

    __slots__ = ("left_out",)
    left_out: int

    def __new__(cls, text: str, left_out: int) -> Rate:
        """A text with its number."""
        self = super().__new__(cls, text)
        self.left_out = left_out
        return self


def rate(value: Record) -> Rate:
    """A rate as text: "41 % (32 to 51), 35 of 85"; "3 of 5" for fewer than `FEWEST`; one decimal from 200 items.

    Args:
        value: an estimate in its JSON form.
    """
    n, left = value["n_used"], f"; {value['n_left_out']} left out" if value["n_left_out"] else ""
    if value["estimate"] is None:
        return Rate(f"not defined (no item){left}", value["n_left_out"])
    counts = f"{round(value['estimate'] * n)} of {n}"
    if n < FEWEST:
        return Rate(counts + left, value["n_left_out"])
    places = 1 if n >= 200 else 0
    low, middle, high = (f"{100 * value[key]:.{places}f}" for key in ("low", "estimate", "high"))
    return Rate(f"{middle} % ({low} to {high}), {counts}{left}", value["n_left_out"])


def difference(value: Record, *rates: Record) -> str:
    """A difference of two rates in percentage points; a sentence when one of them rests on fewer than `FEWEST` items.

    Args:
        value: the difference, in its JSON form.
        rates: the two rates.
    """
    if any(one["n_used"] < FEWEST for one in rates):
        return f"not shown: fewer than {FEWEST} items"
    if value["estimate"] is None:
        return f"not defined: {value['method'].removeprefix('undefined: ')}"
    ends = (
        "interval not available" if value["low"] is None else f"{100 * value['low']:.0f} to {100 * value['high']:.0f}"
    )
    points = f"{100 * value['estimate']:+.0f}"
    return f"{'0' if points in ('+0', '-0') else points} points ({ends})"


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield "| " + " | ".join(cell(head) for head in heads) + " |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield "| " + " | ".join(cell(str(part)) for part in row) + " |"


def cell(text: str) -> str:
    """A text on one line in which nothing is Markdown or HTML: for names that a configuration gives."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    for char in "\\`*_[]<>|#":
        plain = plain.replace(char, f"&#{ord(char)};" if char in "<>|" else f"\\{char}" if char != "_" else char)
    return plain
