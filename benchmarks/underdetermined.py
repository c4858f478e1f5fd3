"""Taking a fact away by name versus cutting the text in half: how many tumor-board cases really became underdetermined.

    python benchmarks/underdetermined.py [--n 500] [--seed 42] [--json]

Cases are generated, as records and, with the same identifiers, as notes. A case counts as underdetermined when the audit decided it
before (any label but Insufficient Information), does not decide it after, and its what-if table names fields that would decide it. The
denominator is fixed before anything is taken away: the cases that the audit decided, from the record or from the note.

- by name, each fact: the fact is taken out of the record and the reader must find it nowhere any more;
- by name, one fact drawn: one of the facts that the record states and that can be cut, drawn by the seed, with no look at the audit;
- by name, checked: the case has at least one fact whose removal the audit confirms, which is what the operator hands out;
- half turn: the note is one turn of a user, cut as in arXiv:2607.18828 (first half of its sentences, of a single one the first
  half of its characters). The audit is asked for the case's own recommendation apart, so that losing the question does not count; how
  often the note lost it is counted beside.

Intervals are Wilson's at 95 %. The audit judges its own evidence and logic: another reader may find a cut case decidable.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from typing import Any

from equipoise.benchmarks.openmtb.generate import generate
from equipoise.cases.formats import case_from_object
from equipoise.redteam.operators import Draw, Mutant, case_item, conversation_item, draw_for, find_operator
from equipoise.redteam.operators.dependence import Standing, audited, compared
from equipoise.redteam.operators.mutant import Written
from equipoise.redteam.operators.named_facts import CASE_FIELDS, Fact
from equipoise.statistics import wilson


def by_name(records: list[dict[str, Any]], seed: int) -> dict[str, Any]:
    """Counts of what became of every decided case, a fact at a time, for one drawn fact, and for any checked one."""
    each: dict[str, Counter[str]] = {fact.value: Counter() for fact in CASE_FIELDS}
    drawn: Counter[str] = Counter()
    decided = checked = 0
    for record in records:
        item = case_item(record["case_id"], record)
        before = audited(item.record())
        assert before is not None
        if before.label.value == "Insufficient Information":
            continue
        decided += 1
        standings: dict[Fact, str] = {}
        confirmed = False
        for fact in CASE_FIELDS:
            operator = find_operator(f"remove.{fact.value}")
            draw = draw_for(seed, item, operator.id)
            made = operator.write(item, draw)
            if not isinstance(made, Written):
                each[fact.value][made.reason.value] += 1
                continue
            after = audited(made.item.record())
            assert after is not None
            found = compared(before, after, fact)
            standings[fact] = found.standing.value
            each[fact.value][found.standing.value] += 1
            confirmed |= isinstance(operator.attempt(item, draw), Mutant)
        checked += confirmed
        if standings:
            drawn[standings[draw_for(seed, item, "one fact").pick(list(standings))]] += 1
        else:
            drawn["nothing_to_remove"] += 1
    return {
        "decided": decided,
        "each": {name: dict(count) for name, count in each.items()},
        "drawn": dict(drawn),
        "checked": checked,
    }


def half_turn(records: list[dict[str, Any]], notes: list[dict[str, Any]], seed: int) -> dict[str, Any]:
    """Counts of what became of every decided case when its note was cut in half."""
    operator = find_operator("half_turn")
    count: Counter[str] = Counter()
    decided = lost = 0
    for record, note in zip(records, notes, strict=True):
        assert record["case_id"] == note["case_id"]
        regimen = case_from_object(record).recommendations[0].text
        whole = {"text": note["text"], "as_of": note["as_of"]}
        before = audited(whole, regimen)
        assert before is not None
        if before.label.value == "Insufficient Information":
            continue
        decided += 1
        item = conversation_item(note["case_id"], [("user", note["text"])])
        cut = whole | {"text": operator.apply(item, Draw(seed)).item.turns[-1].text}
        after = audited(cut, regimen)
        assert after is not None
        count[compared(before, after).standing.value] += 1
        lost += not case_from_object(cut).recommendations
    return {"decided": decided, "standing": dict(count), "recommendation_lost": lost}


def share(count: int, of: int) -> str:
    found = wilson(count, of)
    return f"{count} of {of} = {100 * count / of:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=500)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    records = generate(asked.n, asked.seed)
    named = by_name(records, asked.seed)
    cut = half_turn(records, generate(asked.n, asked.seed, form="note"), asked.seed)
    if asked.json:
        print(json.dumps({"n": asked.n, "seed": asked.seed, "by_name": named, "half_turn": cut}, sort_keys=True))
        return
    under = Standing.UNDERDETERMINED.value
    print(
        f"{asked.n} generated cases, seed {asked.seed}; decided before: {named['decided']} records, {cut['decided']} notes"
    )
    print("Really underdetermined after:")
    for name, count in named["each"].items():
        removed = sum(number for key, number in count.items() if key in set(Standing))
        print(
            f"  by name, {name:14} {share(count.get(under, 0), removed)} from which it could be taken; {_rest(count)}"
        )
    print(
        f"  by name, one fact drawn   {share(named['drawn'].get(under, 0), named['decided'])}; {_rest(named['drawn'])}"
    )
    print(
        f"  by name, checked          {share(named['checked'], named['decided'])} have a fact whose removal the audit confirms"
    )
    print(
        f"  half turn                 {share(cut['standing'].get(under, 0), cut['decided'])}; {_rest(cut['standing'])}"
    )
    print(f"  half turn: the note lost its recommendation in {share(cut['recommendation_lost'], cut['decided'])}")


def _rest(count: dict[str, int]) -> str:
    under = Standing.UNDERDETERMINED.value
    return ", ".join(f"{key.replace('_', ' ')} {number}" for key, number in sorted(count.items()) if key != under)


if __name__ == "__main__":
    main()
