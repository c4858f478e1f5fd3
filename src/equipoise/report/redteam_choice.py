"""The sections of questions with options: clean beside attacked with repeats as noise, every operator, the worst of k rounds."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.report.measured import p_text
from equipoise.report.redteam_cells import Values, bounds, difference_figures, p_value, points, quote, rate, text
from equipoise.report.redteam_contexts import Block, Table, TableCell


def robustness(key: str, result: Values) -> tuple[Block, ...]:
    """The gap first, then the static loop, then the adaptive one, each apart."""
    found: list[Block] = []
    static, adaptive, gap = result.get("static"), result.get("adaptive"), result.get("gap")
    if gap is not None:
        found.append(_gap(gap))
    if static is not None:
        found += choice(key, static)
    if adaptive is not None:
        found += _adaptive(adaptive)
    return tuple(found)


def choice(key: str, result: Values) -> tuple[Block, ...]:
    """One test: untouched and repeats, every operator, the order of options."""
    rows: list[tuple[TableCell, ...]] = [
        (text("untouched, first reply"), rate("right_untouched", result["clean"]), bounds(result["clean"]))
    ]
    if result["repeats"] is not None:
        rows.append((text("untouched, repeats"), rate("right_repeats", result["repeats"]), bounds(result["repeats"])))
    found = [
        Block(
            title="Untouched questions",
            note="Right replies / replies that were read. The repeats are the noise against which every attack is held.",
            table=Table(head=("asked", "right", "range over all replies"), rows=tuple(rows)),
        )
    ]
    if result["operators"]:
        found += _operators(key, result["operators"])
    if result["order"] is not None:
        found.append(_order(result["order"]))
    return tuple(found)


def _gap(gap: Values) -> Block:
    rows: list[tuple[TableCell, ...]] = [
        (text("clean: untouched questions, asked once"), rate("right_clean", gap["clean"]), bounds(gap["clean"])),
        (text("static: all single attacks"), rate("right_static", gap["static"]), bounds(gap["static"])),
    ]
    if gap["adaptive"] is not None:
        rows += [
            (
                text(f"adaptive: right untouched and in each of up to {gap['rounds']} rounds"),
                rate("right_adaptive", gap["adaptive"]),
                bounds(gap["adaptive"]),
            ),
            (
                text(f"the same with up to {gap['rounds']} untouched repeats in the place of attacks"),
                rate("right_adaptive_control", gap["adaptive_control"]),
                bounds(gap["adaptive_control"]),
            ),
        ]
    note = "What a benchmark of untouched questions hides. " + (
        "The adaptive figure is a worst case over several tries; compare it with as many untouched tries, not with what was asked once."
        if gap["adaptive"] is not None
        else "No adaptive loop was run, so there is no worst case here."
    )
    return Block(
        title="The benchmarking gap",
        note=note,
        table=Table(head=("asked", "right", "range over all replies"), rows=tuple(rows)),
    )


def _operators(key: str, results: Sequence[Values]) -> list[Block]:
    dots = [
        (_short(item["operator"]), item["flips"]["excess"], f"Holm p {p_text(item['flips']['adjusted_p'])}")
        for item in results
    ]
    figures = difference_figures(
        f"{key}-flips",
        "Excess flips by operator, in points",
        dots,
        what="Flips under each attack less flips among untouched repeats of the same questions, in points; right of the line "
        "is more than noise.",
        note="A flip is a change between right and wrong in either direction. Intervals by items drawn together; p values by "
        "exact McNemar tests, "
        "corrected by Holm over all operators of the run.",
    )
    if all("more_wrong" in item["flips"] for item in results):
        wrong = [
            (
                _short(item["operator"]),
                item["flips"]["more_wrong"],
                f"Holm p {p_text(item['flips']['more_wrong_adjusted_p'])}",
            )
            for item in results
        ]
        figures = (
            *difference_figures(
                f"{key}-wrong",
                "Wrong under attack less wrong among untouched repeats, in points",
                wrong,
                what="Share of wrong replies under each attack less that among untouched repeats of the same questions, in points.",
                note="The loss alone, whatever the first reply was: where first replies are often wrong, gains hide losses in the flips.",
            ),
            *figures,
        )
    rows = tuple(
        (
            quote(item["operator"]),
            rate("coverage", item["coverage"]),
            rate("conditional", item["conditional"]),
            rate("end_to_end", item["end_to_end"]),
            bounds(item["end_to_end"]),
            text(_directions(item["flips"])),
            text(", ".join(f"{count} {name}" for name, count in item["failed"].items()) or "none"),
        )
        for item in results
    )
    return [
        Block(title="Operator by operator: more than noise?", figures=figures),
        Block(
            title="Coverage, conditional and end-to-end success of the attacks",
            note="Coverage: questions with a checked mutant / questions of a form it works on. Conditional: wrong under "
            "attack / attacks read, where "
            "the untouched question was answered rightly. End to end: the same numerator / all questions of that form. "
            "Denominators were fixed before the run.",
            table=Table(
                head=(
                    "operator",
                    "coverage",
                    "conditional",
                    "end to end",
                    "range over all",
                    "flips: attack, repeats",
                    "not read",
                ),
                rows=rows,
            ),
        ),
    ]


def _directions(flips: Values) -> str:
    harm, good = flips["right_to_wrong"], flips["wrong_to_right"]
    return (
        f"right to wrong {harm['attacked']} of {harm['attacked_of']}, {harm['repeats']} of {harm['repeats_of']}; "
        f"wrong to right {good['attacked']} of {good['attacked_of']}, {good['repeats']} of {good['repeats_of']}"
    )


def _order(result: Values) -> Block:
    held = result["equivalence"]
    rows = [(text("shuffled less untouched"), points(held["difference"]), text(held["finding"]))]
    if result["repeats"] is not None:
        rows.append(
            (
                text("untouched repeats less untouched"),
                points(result["repeats"]["difference"]),
                text(result["repeats"]["finding"]),
            )
        )
    return Block(
        title="Another order of the options",
        note=f"90 % intervals against a margin of {100 * held['margin']:g} points that was fixed beforehand; exact McNemar p "
        f"{p_text(result['test']['p_value'])}.",
        table=Table(head=("difference", "points (90 % interval)", "finding"), rows=tuple(rows)),
    )


def _adaptive(result: Values) -> list[Block]:
    own = result["adaptive"]
    if own is None:
        return []
    chains = tuple(
        (quote(name), text(f"{hits} of {tries}")) for name, (tries, hits) in list(own["by_chain"].items())[:15]
    )
    rows = (
        (text(f"wrong in some of up to {own['rounds']} rounds"), rate("fooled", own["fooled"]), bounds(own["fooled"])),
        (text("wrong among as many untouched repeats"), rate("control", own["control"]), bounds(own["control"])),
        (
            text("the first, of all questions"),
            rate("fooled_of_all", own["fooled_of_all"]),
            bounds(own["fooled_of_all"]),
        ),
    )
    return [
        Block(
            title="The worst of several rounds",
            note="Of questions answered rightly when untouched. A strategist that sees earlier replies chose every attack, "
            "so this is a worst case; "
            "it is not comparable with what was asked once.",
            table=Table(head=("what", "share", "range over all"), rows=rows),
        ),
        Block(
            title="Excess over untouched repeats, and what fooled it",
            table=Table(
                head=("what", "result"),
                rows=(
                    (text("excess"), points(own["excess"])),
                    (text("exact McNemar p"), p_value(own["test"]["p_value"])),
                    *chains,
                ),
            ),
        ),
    ]


def _short(operator: str) -> str:
    return "+".join(part.split("@")[0] for part in operator.split("+"))
