"""The consensus meeting: disagreements in a list, under ids that name no item, decided together."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from equipoise._optional import require
from equipoise.errors import UsageError
from equipoise.study.adjudication import CONSENSUS, Decision, apart, decide, decisions, disagreement
from equipoise.study.database import EXTRA
from equipoise.study.store import Store
from equipoise.study.thirds import DecisionView, decision_view, require_code, require_open

_NO_SUCH_ITEM = "there is no such item in this list"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetingPlace:
    """One disagreement of the list.

    Attributes:
        public: id of the item in the meeting.
        place: place in the list, from 1.
        state: "open" or "decided".
    """

    public: str
    place: int
    state: Literal["open", "decided"]


def meeting_list(store: Store) -> tuple[MeetingPlace, ...]:
    """The disagreements, in the order of the import, decided ones with them.

    Raises:
        UsageError: the protocol does not decide in a meeting, or raters have not finished.
    """
    return tuple(MeetingPlace(public=public, place=number, state=state) for public, _, number, state in _listed(store))


def meeting_view(store: Store, public: str) -> DecisionView:
    """One disagreement as the meeting sees it: the case, sides A and B, earlier decisions.

    Raises:
        UsageError: as `meeting_list`, or no such item.
    """
    listed = _listed(store)
    for known, item, number, _ in listed:
        if known == public:
            return decision_view(store, item, public=public, place=number, total=len(listed))
    raise UsageError(_NO_SUCH_ITEM)


def present(store: Store, public: str) -> tuple[str, ...]:
    """Codes of the raters who labelled an item, by code, so that the order tells no side.

    Raises:
        UsageError: as `meeting_view`.
    """
    known = disagreement(store, _item(store, public))
    return () if known is None else tuple(sorted(known.labels))


def decide_together(
    store: Store, public: str, value: str, *, code: str, reason: str, agreed: Sequence[str], at: str,
    after: int | None = None,
) -> Decision:  # fmt: skip
    """Writes down what the meeting decided and who agreed.

    Args:
        store: the study.
        public: id of the item in the meeting.
        value: the label.
        code: one of `adjudication.REASON_CODES`.
        reason: why, in words.
        agreed: codes of the raters who agree, none or all of them included.
        at: ISO date and time.
        after: number of decisions on the item that the page knew; None does not compare.

    Raises:
        UsageError: as `meeting_view`, or `adjudication.decide` refuses it.
    """
    item = _item(store, public)
    require_code(code)
    return decide(store, item, value, reason=reason, by=CONSENSUS, agreed=agreed, at=at, code=code, after=after)


def _item(store: Store, public: str) -> str:
    for known, item, _, _ in _listed(store):
        if known == public:
            return item
    raise UsageError(_NO_SUCH_ITEM)


def _listed(store: Store) -> list[tuple[str, str, int, Literal["open", "decided"]]]:
    rule = store.protocol.adjudication
    if rule.rule == "none" or rule.by != "consensus":
        by = "nothing" if rule.rule == "none" else "by a third rater"
        message = f"the protocol decides {by}; there is no meeting"
        raise UsageError(message)
    require_open(store)
    differing = apart(store)
    done = {made.item for made in decisions(store)}
    ids: defaultdict[str, list[str]] = defaultdict(list)
    wanted = differing | done
    sa, items, given = require("sqlalchemy", extra=EXTRA), store.tables["items"], store.tables["assignments"]
    query = (
        sa.select(items.c.name, given.c.public)
        .join_from(items, given, given.c.item == items.c.id)
        .where(given.c.purpose.in_(("main", "import")), given.c.repeat == 1)
        .order_by(items.c.id)
    )
    with store.reading() as connection:
        for name, public in connection.execute(query):
            if name in wanted:
                ids[name].append(public)
    return [
        (_public(ids[name]), name, number, "decided" if name in done else "open") for number, name in enumerate(ids, 1)
    ]


def _public(ids: Sequence[str]) -> str:
    """From the raters' random ids, which nobody but the study has together: it names no item and stays the same."""
    return hashlib.sha256("\n".join(["meeting", *sorted(ids)]).encode()).hexdigest()[:20]
