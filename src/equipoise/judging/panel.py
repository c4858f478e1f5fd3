"""Several judges as one: who may sit for a reply, and what their votes come to; no mean, no vote made up for a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from equipoise.errors import UsageError
from equipoise.ids import content_hash
from equipoise.judging.makers import MadeBy
from equipoise.judging.scales import Scale, ScaleValue
from equipoise.outcomes.schema import ReplyState

Rule = Literal["unanimous", "majority", "median"]
RULES: tuple[Rule, ...] = ("unanimous", "majority", "median")

FEWEST = 2
"""Judges with a readable vote that a panel needs, unless it is told otherwise."""


class PanelOutcome(StrEnum):
    """What the votes came to."""

    AGREED = "agreed"
    TIE = "tie"
    DISAGREED = "disagreed"
    TOO_FEW = "too few judges"
    ALL_FAILED = "all failed"


OUTCOME_SCALE = Scale(
    id="panel-outcome",
    ordered=False,
    values=(
        ScaleValue(value="agreed", definition="The votes meet the rule."),
        ScaleValue(
            value="tie", definition="Two answers have equally many votes, or the median falls between two values."
        ),
        ScaleValue(value="disagreed", definition="No answer meets the rule, and none ties."),
        ScaleValue(value="too few judges", definition="Fewer judges than needed gave a readable vote."),
        ScaleValue(value="all failed", definition="No judge that was asked gave a readable vote."),
    ),
)
"""The scale of the row that states a panel's outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A panel.

    Attributes:
        id: name; its judge in the tables is "panel:" and the name.
        judges: identifiers of the judges.
        rule: how votes are put together.
        fewest: judges with a readable vote that are needed.
        leave_out_maker: whether a judge whose maker made the model under test sits out.
    """

    id: str
    judges: tuple[str, ...]
    rule: Rule
    fewest: int = FEWEST
    leave_out_maker: bool = True

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            message = f"expected one of {', '.join(RULES)}; found {self.rule!r}"
            raise UsageError(message, field="rule")
        if len(set(self.judges)) < len(self.judges) or not self.judges:
            message = "a panel needs judges, each once"
            raise UsageError(message, field="judge")
        if not 1 <= self.fewest <= len(self.judges):
            message = f"expected 1 to {len(self.judges)} judges that are needed, found {self.fewest}"
            raise UsageError(message, field="fewest")

    @property
    def judge(self) -> str:
        """Its name in the tables."""
        return f"panel:{self.id}"

    @property
    def hash(self) -> str:
        """Content hash of judges, rule and who sits out."""
        return content_hash([sorted(self.judges), self.rule, self.fewest, self.leave_out_maker])

    def sitting(self, subject: MadeBy, judges: Mapping[str, MadeBy]) -> tuple[str, ...]:
        """The judges that may judge replies of a model, in the order of the panel.

        Args:
            subject: maker of the model under test; nobody sits out when it is not known.
            judges: maker of each judge; one whose maker is not known does not sit out.
        """
        if not self.leave_out_maker:
            return self.judges
        return tuple(name for name in self.judges if not judges[name].makers & subject.makers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One judge's answer to one question, one repeat.

    Attributes:
        state: only ok is a vote.
        value: value on the scale; None when out of scope or not ok.
        in_scope: False when the judge says that the criterion does not apply.
        points: points of the value.
    """

    state: ReplyState
    value: str | None = None
    in_scope: bool | None = None
    points: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """What the votes on one question came to.

    Attributes:
        outcome: whether they meet the rule, and why not.
        value: the value; None unless agreed and in scope.
        points: its points; None without any.
        in_scope: False when agreed that the criterion does not apply; None when scope was not asked.
        n_judges: judges asked.
        n_read: judges with at least one readable vote.
        n_divided: of these, judges whose own repeats come to nothing.
    """

    outcome: PanelOutcome
    value: str | None = None
    points: float | None = None
    in_scope: bool | None = None
    n_judges: int = 0
    n_read: int = 0
    n_divided: int = 0


_OUT = ""
"""Stands for "does not apply" among the values; no scale has an empty value."""


def combine(votes: Mapping[str, Sequence[Vote]], *, rule: Rule, scale: Scale, fewest: int = FEWEST) -> Combined:
    """Put votes together: first the repeats of each judge, then the judges, by the same rule.

    A judge whose repeats do not meet the rule is divided: present, but without a vote. Unanimous: every present judge has
    the same vote. Majority: a value has the votes of more than half of the present judges. Median: the middle of the
    judges' votes on the order of the scale; when it falls between two values, that is a tie and not a value between them.
    "Does not apply" is a value like any other; for the median the judges first have to agree on scope by majority.

    Args:
        votes: by judge, its repeats.
        rule: how they are put together.
        scale: the scale of the question.
        fewest: judges with a readable vote that are needed.

    Raises:
        UsageError: a median on a scale without an order.
    """
    if rule == "median" and not scale.ordered:
        message = f"scale {scale.id} has no order, so there is no median; use majority"
        raise UsageError(message, field="rule")
    read = {name: [_plain(vote) for vote in own if vote.state is ReplyState.OK] for name, own in votes.items()}
    read = {name: own for name, own in read.items() if own}
    counted = Combined(outcome=PanelOutcome.TOO_FEW, n_judges=len(votes), n_read=len(read))
    if votes and not read:
        return replace(counted, outcome=PanelOutcome.ALL_FAILED)
    if len(read) < fewest:
        return counted
    own_votes = [_settle(own, rule, scale)[1] for own in read.values()]
    given = [vote for vote in own_votes if vote is not None]
    outcome, value = _settle(given, rule, scale, present=len(own_votes))
    counted = replace(counted, outcome=outcome, n_divided=len(own_votes) - len(given))
    if outcome is not PanelOutcome.AGREED:
        return counted
    if value == _OUT:
        return replace(counted, in_scope=False)
    same = next(vote for own in votes.values() for vote in own if vote.state is ReplyState.OK and vote.value == value)
    return replace(counted, value=value, points=same.points, in_scope=same.in_scope)


def _plain(vote: Vote) -> str:
    return _OUT if vote.in_scope is False or vote.value is None else vote.value


def _settle(
    votes: Sequence[str], rule: Rule, scale: Scale, *, present: int | None = None
) -> tuple[PanelOutcome, str | None]:
    """Outcome and value of some votes; `present` counts those without a vote too."""
    present = len(votes) if present is None else present
    if not votes:
        return PanelOutcome.TIE, None
    if rule == "unanimous":
        agreed = len(set(votes)) == 1 and len(votes) == present
        return (PanelOutcome.AGREED, votes[0]) if agreed else (PanelOutcome.DISAGREED, None)
    if rule == "majority":
        return _most(votes, present)
    outside = sum(vote == _OUT for vote in votes)
    if 2 * outside == len(votes):
        return PanelOutcome.TIE, None
    if 2 * outside > len(votes):
        return PanelOutcome.AGREED, _OUT
    ranks = sorted(scale.ranks[vote] for vote in votes if vote != _OUT)
    low, high = ranks[(len(ranks) - 1) // 2], ranks[len(ranks) // 2]
    return (PanelOutcome.AGREED, scale.values[low].value) if low == high else (PanelOutcome.TIE, None)


def _most(votes: Sequence[str], present: int) -> tuple[PanelOutcome, str | None]:
    ordered = Counter(votes).most_common()
    value, number = ordered[0]
    if 2 * number > present:
        return PanelOutcome.AGREED, value
    if len(ordered) > 1 and ordered[1][1] == number:
        return PanelOutcome.TIE, None
    return PanelOutcome.DISAGREED, None
