"""The sections of privacy, bias, hallucination, missing information and HealthBench: each failure beside its mirror."""

from __future__ import annotations

from equipoise.report.measured import p_text
from equipoise.report.numbers import Rate, count
from equipoise.report.plots import Point, plane
from equipoise.report.redteam_cells import Values, difference_figures, drawn, points, quote, rate, stage_words, text
from equipoise.report.redteam_contexts import Block, Table, TableCell


def privacy(key: str, result: Values) -> tuple[Block, ...]:
    """Leaks by stage with what a disguise adds, over-withholding beside them, kinds of disclosure."""
    stages = [
        (stage_words(item["operator"]), item["excess"], "")
        for item in result["leaks"]
        if item["operator"] and item["excess"]["estimate"] is not None
    ]
    figures = (
        difference_figures(
            f"{key}-excess",
            "Leaks that a stage adds, less those an untouched repeat adds, in points",
            stages,
            what="Leaks among scenarios that kept everything back in the stage before, less leaks of untouched repeats of "
            "that stage, in points.",
        )
        if stages
        else ()
    )
    leaks = tuple(
        (
            text(item["stage"]),
            quote(stage_words(item["operator"])),
            rate("leaked", item["conditional"]),
            rate("leaked_of_all", item["end_to_end"]),
            rate("leaked_after_resisting", item["after_resisting"]),
            rate("beyond_name", item["beyond_name"]),
            points(item["excess"]),
        )
        for item in result["leaks"]
    )
    over = tuple(
        (
            text(item["stage"]),
            rate("withheld", item["withheld"]),
            rate("withheld_all", item["nothing"]),
            rate("identifiers_missing", item["identifiers"]),
        )
        for item in result["over_withholding"]
    )
    effect = tuple((text(name), points(value)) for name, value in result["warning_effect"].items())
    kinds = tuple(
        (text(stage), quote(kind), rate("leaked", value))
        for stage, own in result["leaks_by_kind"].items()
        for kind, value in own.items()
    )
    return (
        Block(
            title="Identifiers disclosed, stage by stage",
            figures=figures,
            note="Leaked: replies with an identifier that has to stay / replies read. Of all: the same / scenarios of the "
            "plan. After resisting: only "
            "scenarios that kept everything back in the stage before.",
            table=Table(
                head=("stage", "disguise", "leaked", "of all", "after resisting", "more than a name", "added to noise"),
                rows=leaks,
            ),
        ),
        Block(
            title="Over-withholding: the other half",
            note="Rightful requests whose needed identifiers were not all handed on whole / such requests read. No leak at "
            "all is no result without this.",
            table=Table(head=("stage", "not all handed on", "none handed on", "identifiers missing"), rows=over),
        ),
        Block(
            title="What the warning changes, and noise",
            table=Table(
                head=("what", "change, warned less plain"),
                rows=(
                    *effect,
                    (
                        text("same untouched request, other outcome when repeated"),
                        rate("repeat_flips", result["repeat_flips"]),
                    ),
                ),
            ),
        ),
        Block(title="By kind of disclosure", table=Table(head=("stage", "kind", "leaked"), rows=kinds)),
    )


def bias(key: str, result: Values) -> tuple[Block, ...]:
    """Every label in both directions, against what asking again changes."""
    effects = result["effects"]

    def figure(name: str, title: str, what: str, p_name: str) -> tuple:  # type: ignore[type-arg]
        rows = [(_name(item["operator"]), item[name], f"Holm p {p_text(item[p_name])}") for item in effects]
        return difference_figures(f"{key}-{name.replace('_', '-')}", title, rows, what=what) if rows else ()

    rows = tuple(
        (
            quote(_name(item["operator"])),
            text(item["family"].replace("_", " ")),
            rate("changed", item["changed"]),
            rate("changed_by_repeat", item["changed_by_repeat"]),
            rate("worse", item["worse"]),
            rate("better", item["better"]),
            points(item["excess"]),
            text(f"{p_text(item['change_p'])}; {p_text(item['direction_p'])}"),
            text(
                f"{item['undecided']} without a majority; warranted {item['warranted'][1]} of {item['warranted'][0]} changed"
            ),
        )
        for item in effects
    )
    summary = (
        (text("right, untouched"), rate("right_untouched", result["untouched_right"])),
        (
            text("items that some label made worse (a worst case over all labels)"),
            rate("any_worse", result["any_worse"]),
        ),
        (text("votes that could not be read"), text(result["unread_votes"])),
    )
    return (
        Block(
            title="Untouched, and the worst case",
            note=f"Every text gets the majority of {count(result['votes'], 'vote')}; a tie or an unread block is no answer and is counted.",
            table=Table(head=("what", "share"), rows=summary),
        ),
        Block(
            title="Changed for the worse, and for the better, label by label",
            figures=(
                *figure(
                    "worse_excess",
                    "For the worse, less the same among repeats, in points",
                    "Right untouched and wrong under the label, less right and then wrong among untouched repeats, in points.",
                    "direction_p",
                ),
                *figure(
                    "better_excess",
                    "For the better, less the same among repeats, in points",
                    "Wrong untouched and right under the label, less the same among untouched repeats, in points.",
                    "direction_p",
                ),
            ),
            note="No label was chosen because it flips most, so these are estimates. Holm over all labels: does it change "
            "more answers than a repeat; do "
            "they get worse more often than better.",
            table=Table(
                head=(
                    "label",
                    "family",
                    "changed",
                    "by repeat",
                    "worse",
                    "better",
                    "changed less repeat",
                    "p: change; direction",
                    "left out",
                ),
                rows=rows,
            ),
        ),
    )


def hallucination(key: str, result: Values) -> tuple[Block, ...]:
    """The rate as the detector says it and corrected by its errors, under each policy on "cannot say"."""
    del key
    rows = []
    for item in result["policies"]:
        corrected = rate("corrected", item["corrected"]) if item["corrected"] is not None else _refused(item["refused"])
        if corrected.kind == "rate" and item["corrected"]["estimate"] is not None:
            own = item["corrected"]
            corrected = TableCell(
                f"{100 * own['estimate']:.0f} % ({100 * own['low']:.0f} to {100 * own['high']:.0f}) of the replies",
                "method",
            )
        rows.append(
            (
                text(f"cannot say: {item['policy']}"),
                rate("judged", item["judged"]),
                corrected,
                rate("sensitivity", item["sensitivity"]),
                rate("specificity", item["specificity"]),
                rate("accuracy", item["accuracy"]),
            )
        )
    own = result["bounds"]
    ends = [own.get("low"), own.get("high")]
    span = f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f} %" if None not in ends else "not defined"
    counts = (
        (
            text("labelled replies; of these cannot say, no verdict"),
            text(f"{result['labelled']}; {result['labelled_unsure']}, {result['labelled_failed']}"),
        ),
        (
            text("replies of the model; of these cannot say, no verdict"),
            text(f"{result['replies']}; {result['unsure']}, {result['failed']}"),
        ),
        (text("range over all replies, unread and undecided ones either way"), TableCell(span, "method")),
    )
    return (
        Block(
            title="As the detector says, and corrected for its own errors",
            note="The detector was measured on labelled replies first. Corrected: after Rogan and Gladen, interval of Lang "
            "and Reiczigel; refused where "
            "sensitivity and specificity leave nothing to correct by.",
            table=Table(
                head=("policy", "found by the detector", "corrected", "sensitivity", "specificity", "called rightly"),
                rows=tuple(rows),
            ),
        ),
        Block(title="What entered", table=Table(head=("what", "number"), rows=counts)),
    )


def _refused(why: str) -> TableCell:
    return TableCell(f"not corrected: {why}", "quote")


def missing(key: str, result: Values) -> tuple[Block, ...]:
    """Not noticing a missing fact beside asking where nothing is missing, with what constant systems get."""
    pairs = [
        result["named"],
        *([result["cut"]] if result["cut"] else []),
        *[item for item in result["by_kind"] if not result["cut"] or item["kind"] != "truncation"],
    ]
    rows: list[tuple[TableCell, ...]] = [
        (
            quote(item["kind"].replace("_", " ")),
            rate("not_noticed", item["confidence"]),
            rate("over_asking", item["over_asking"]),
            points(item["excess"]),
            text(f"{item['n_mutants']} from {item['n_items']}"),
        )
        for item in pairs
    ]
    rows += [
        (quote(name), text(_share(pair[0])), text(_share(pair[1])), text("0 by construction"), text("constant"))
        for name, pair in result["constants"].items()
    ]
    marks = [
        Point(
            result["system"],
            drawn("over_asking", "over-asking", result["named"]["over_asking"]),
            drawn("not_noticed", "missing fact not noticed", result["named"]["confidence"]),
        ),
        *(
            Point(
                name,
                _constant("over_asking", "over-asking", pair[1], result["named"]["over_asking"]),
                _constant("not_noticed", "missing fact not noticed", pair[0], result["named"]["confidence"]),
                constant=True,
                at=(float(pair[1]), float(pair[0])),
            )
            for name, pair in result["constants"].items()
        ),
    ]
    figure = plane(
        f"{key}-plane",
        marks,
        upwards="missing fact not noticed",
        across="over-asking",
        note="Open diamonds are constant systems, which treat every item alike. Dashed lines: equal cost with always asking, "
        "when one missing fact "
        "that is not noticed weighs as much as 1, 5 or 20 needless questions.",
    )
    found = [
        Block(
            title="A fact is gone, or nothing is: both halves",
            figures=(figure,),
            note=f"Read by {result['judge']}. Not noticed: replies to items that lost something which do not say so / those "
            f"read. Over-asking: replies to the "
            "same items untouched which find something missing / those read. Neither is a result without the other.",
            table=Table(
                head=("lost", "not noticed", "over-asking", "noticed less over-asking", "items"),
                rows=tuple(rows),
                constants=tuple(result["constants"]),
            ),
        ),
        Block(
            title="Noise, and whether the fact is named",
            table=Table(
                head=("what", "share"),
                rows=(
                    (text("untouched repeats read otherwise than the first reply"), rate("noise", result["noise"])),
                    (
                        text("replies that notice and name the fact, by the rule"),
                        rate("names_fact", result["names_fact"]),
                    ),
                    (text("over-asking on all untouched items"), rate("over_asking_all", result["untouched"])),
                ),
            ),
        ),
    ]
    under = result.get("underdetermined")
    if under:
        own = [(quote(_name(name)), rate("underdetermined", value)) for name, value in under["by_fact"].items()]
        own += [
            (text("one fact drawn without a look at the audit"), rate("underdetermined", under["drawn"])),
            (text("half of the note cut away"), rate("underdetermined", under["half_turn"])),
        ]
        found.append(
            Block(
                title="Tumor-board cases that a removal really left underdetermined, as the audit says",
                table=Table(head=("removed", "underdetermined"), rows=tuple(own)),
            )
        )
    return tuple(found)


def _share(value: float) -> str:
    return "none" if value == 0 else "all" if value == 1 else f"{value:.2f}"


def _constant(key: str, name: str, share: float, beside: Values) -> Rate:
    """The rate of a constant system on as many replies as the system beside it has."""
    n = int(beside["n_used"])
    return Rate(key, name, round(n * share), n, share, share, "by construction")


def healthbench(key: str, result: Values) -> tuple[Block, ...]:
    """The published score with its interval, then every attack on the criterion it was aimed at."""
    scores = []
    for item in result["scores"]:
        own, interval = item["score"], item["interval"]
        value = own["mean"]
        shown = "not defined" if value is None else f"{value:.3f}, n {own['n']}"
        if interval and interval["low"] is not None and value is not None:
            shown = f"{value:.3f} ({interval['low']:.3f} to {interval['high']:.3f}), n {own['n']}"
        if own["n_unscored"]:
            shown += f"; {own['low']:.3f} to {own['high']:.3f} over all, {own['n_unscored']} unscored"
        unread = ", ".join(f"{count} {state}" for state, count in item["failed"].items()) or "none"
        unjudged = ", ".join(f"{count} {state}" for state, count in item["unjudged"].items()) or "none"
        scores.append(
            (
                quote(item["grader"]),
                text(shown),
                text(item["replies"]),
                text(unread),
                text(f"{unjudged} of {item['criteria']}"),
            )
        )
    found = [
        Block(
            title="The published score",
            note="Points met / positive points, clipped mean over replies. A verdict that did not come leaves its reply "
            "unscored; it is never read as not met.",
            table=Table(
                head=("grader", "score (95 % interval)", "replies", "not read", "verdicts that did not come"),
                rows=tuple(scores),
            ),
        )
    ]
    for place, (grader, attacks) in enumerate(result["attacks"].items()):
        rows = tuple(
            (
                quote(_name(item["attack"])),
                rate("coverage", item["coverage"]),
                rate("conditional", item["conditional"]),
                rate("end_to_end", item["end_to_end"]),
                rate("repeat_flips", item["repeats"]),
                rate("grader_flips", item["grader"]),
                points(item["excess"]),
            )
            for item in attacks
        )
        dots = [(_name(item["attack"]), item["excess"], "") for item in attacks]
        figures = (
            difference_figures(
                f"{key}-attack-{place}",
                "Flips of the target that an attack adds to those of repeats, in points",
                dots,
                what="Flips for the worse of the criterion that was aimed at, less the same among untouched repeats, in points.",
            )
            if dots
            else ()
        )
        found.append(
            Block(
                title="Attacks aimed at one criterion",
                figures=figures,
                note=f"Graded by {grader}. By repeat: untouched replies whose target flips; by grader: the same reply graded again.",
                table=Table(
                    head=("attack", "coverage", "conditional", "end to end", "by repeat", "by grader", "excess"),
                    rows=rows,
                ),
            )
        )
    return tuple(found)


def _name(operator: str) -> str:
    return "+".join(part.split("@")[0] for part in str(operator).split("+"))
