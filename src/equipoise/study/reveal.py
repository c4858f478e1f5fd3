"""When agreement may be seen: not while anybody still labels, unless it is unblinded, which is written down."""

from __future__ import annotations

from equipoise.errors import UsageError
from equipoise.study.history import Standing
from equipoise.study.store import Store

WORK = frozenset({"main", "repeat", "attention"})
"""Purposes that must be finished."""
FINISHED = frozenset({Standing.COMPLETE, Standing.SKIPPED})


def unfinished(store: Store) -> dict[str, int]:
    """Items that are neither complete nor skipped, by rater; a rater who is done is not in it.

    Under the stopping rule `labels` a rater is done with that many finished items.
    """
    states = store.states()
    left: dict[str, int] = {}
    done: dict[str, int] = {}
    for item in store.assignments():
        if item.purpose in WORK:
            finished = states[item.public].standing(store.protocol) in FINISHED
            done[item.rater] = done.get(item.rater, 0) + finished
            left[item.rater] = left.get(item.rater, 0) + (not finished)
    wanted = store.protocol.stopping.labels
    if wanted is not None:
        left = {rater: min(count, max(0, wanted - done[rater])) for rater, count in left.items()}
    return {rater: count for rater, count in left.items() if count}


def require_revealed(store: Store, *, at: str, unblind: str = "") -> None:
    """Lets agreement be seen if the protocol allows it now, or if it is unblinded with a reason, which is logged.

    Raises:
        UsageError: it may not be seen yet.
    """
    left = unfinished(store)
    never = store.protocol.reveal == "never"
    if not left and not never:
        return
    if unblind.strip():
        with store.transaction() as connection:
            detail = {"reason": unblind, "unfinished": left}
            store.log(connection, at=at, actor="coordinator", what="unblind", detail=detail)
        return
    told = ", ".join(f"{rater} {count}" for rater, count in left.items())
    why = "the protocol never shows agreement here" if never else f"raters still have items to label ({told})"
    message = f"{why}; export the labels, or see it now with --unblind REASON, which is written into the study's log"
    raise UsageError(message)
