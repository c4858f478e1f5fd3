"""Whether judges are more lenient to models of their own maker, over the votes of a run: the published model, from any run folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from equipoise.errors import InputError
from equipoise.judging.makers import made_by
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics import Leniency, same_provider_leniency


def own_judges(systems: Mapping[str, Mapping[str, Any]], judges: Iterable[str]) -> dict[str, str]:
    """The one judge of each system's maker.

    Args:
        systems: by system, a row of its outcomes.
        judges: names of the judges.

    Raises:
        InputError: a system has no judge of its maker, or several; the model needs one each.
    """
    makers = {judge: made_by(judge, provider=judge).makers for judge in judges}
    found = {}
    for system, row in systems.items():
        own = made_by(str(row.get("model") or system), provider=row.get("provider")).makers
        fitting = [judge for judge, house in makers.items() if house & own]
        if len(fitting) != 1:
            message = f"the leniency model needs one judge of the maker of {system!r}, found {len(fitting)}"
            raise InputError(message, field="judge")
        found[system] = fitting[0]
    return found


def leniency(
    outcomes: Iterable[Mapping[str, Any]],
    judgements: Iterable[Mapping[str, Any]],
    *,
    criterion: str,
    rng: np.random.Generator,
) -> Leniency:
    """The vote-level logistic model with its exact permutation test.

    Only model judges take part: rules, panels and people have no maker. Judges that share a maker with no system are left out, since
    the permutation maps systems to judges one to one.

    Args:
        outcomes: rows of several systems, each by another maker.
        judgements: rows of the judgements.
        criterion: the criterion whose "yes" is favourable.
        rng: random generator of the interval.

    Raises:
        InputError: a system has no judge of its maker, or several.
    """
    rows = [row for row in outcomes if row["state"] == ReplyState.OK]
    votes = {
        (row["reply_id"], row["judge"]): row
        for row in judgements
        if row["criterion"] == criterion and made_by(str(row["judge"]), provider=str(row["judge"])).known
    }
    judges = list(dict.fromkeys(judge for _, judge in votes))
    own = own_judges({row["system"]: row for row in rows}, judges)
    kept = [judge for judge in judges if judge in own.values()]
    asked = [(row, judge) for row in rows for judge in kept if (row["reply_id"], judge) in votes]
    values = [votes[row["reply_id"], judge]["value"] for row, judge in asked]
    return same_provider_leniency(
        [row["system"] for row, _ in asked],
        [judge for _, judge in asked],
        [None if value is None else value == "yes" for value in values],
        own,
        [str(row["item_family"]) for row, _ in asked],
        rng=rng,
    )
