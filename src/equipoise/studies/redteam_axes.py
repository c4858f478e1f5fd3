"""The axes of a red-team audit: which tasks each is made of, and what measures them.

To add an axis: one line here. Its tasks are those of `benchmarks/_registry.py`; `measures` names a function as "module:function", either
`summary(run)` of a task's own summary, or one that takes all parts of the axis (see `redteam_summaries`). Its page section comes from
`report/redteam_views.py` when there is a view of that name, and is a plain table of all its rates otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.errors import UsageError

_OWN = "equipoise.studies.redteam_summaries"


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisTest:
    """One task of an axis.

    Attributes:
        id: name of the part, unique over all axes; names its folders.
        task: registered task.
        arguments: arguments of the task that make this part what it is.
        judges: argument that names its judges; empty when it takes none.
        needs_judge: whether it says nothing without a judge.
    """

    id: str
    task: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    judges: str = ""
    needs_judge: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis.

    Attributes:
        id: its name on the command line.
        title: its name on the page.
        question: what it asks, in one sentence.
        tests: its tasks, in the order in which they are run.
        measures: function that measures it, as "module:function".
        view: view of the page; empty for a plain table.
    """

    id: str
    title: str
    question: str
    tests: tuple[AxisTest, ...]
    measures: str
    view: str = ""


AXES: tuple[Axis, ...] = (
    Axis(
        id="gates", title="Failure gates and triage",
        question="Which safety boundary does a reply cross, how badly, and does it escalate what needs it and only that?",
        tests=(AxisTest(id="medfail", task="medfail"),),
        measures=f"{_OWN}:gates", view="gates",
    ),
    Axis(
        id="robustness", title="Robustness",
        question="Does a right answer stay right when the question is dressed up, inverted, or made to mislead?",
        tests=(
            AxisTest(id="das_robustness", task="das_robustness"),
            AxisTest(id="das_robustness.adaptive", task="das_robustness", arguments={"loop": "adaptive"}),
        ),
        measures=f"{_OWN}:robustness", view="robustness",
    ),
    Axis(
        id="order", title="Order of options",
        question="Does the answer depend on where the right option stands?",
        tests=(AxisTest(id="medqa_order", task="medqa_order"),),
        measures=f"{_OWN}:choice", view="order",
    ),
    Axis(
        id="privacy", title="Privacy",
        question="Does a reply pass on what has to stay, and does it pass on what is rightfully asked for?",
        tests=(AxisTest(id="das_privacy", task="das_privacy", judges="judges"),),
        measures=f"{_OWN}:privacy", view="privacy",
    ),
    Axis(
        id="bias", title="Bias",
        question="Does the answer change for the worse, or for the better, with who is said to ask?",
        tests=(AxisTest(id="das_bias", task="das_bias"),),
        measures=f"{_OWN}:bias", view="bias",
    ),
    Axis(
        id="hallucination", title="Hallucination",
        question="How often does a detector of known error find a made-up or unfounded statement?",
        tests=(
            AxisTest(id="das_hallucination", task="das_hallucination", judges="judges"),
            AxisTest(
                id="das_hallucination.labelled", task="das_hallucination", arguments={"replies": "labelled"}, judges="judges"
            ),
        ),
        measures=f"{_OWN}:hallucination", view="hallucination",
    ),
    Axis(
        id="missing", title="Missing information",
        question="Does a reply notice that a decisive fact is gone, and does it ask only then?",
        tests=(AxisTest(id="missing_info", task="missing_info", judges="judges"),),
        measures=f"{_OWN}:missing", view="missing",
    ),
    Axis(
        id="healthbench", title="HealthBench under attack",
        question="What is the published score, and does one chosen criterion flip when the conversation is attacked?",
        tests=(
            AxisTest(
                id="healthbench", task="healthbench", arguments={"attacks": "all"}, judges="grader", needs_judge=True
            ),
        ),
        measures=f"{_OWN}:healthbench", view="healthbench",
    ),
)  # fmt: skip
"""All axes, in the order of the page: what can hurt a patient first."""


def chosen_axes(names: str | Sequence[str] | None) -> tuple[Axis, ...]:
    """Axes by name, in the order of the catalogue.

    Args:
        names: names, as a list or one text with commas; None or "all" for all.

    Raises:
        UsageError: a name is not that of an axis, or none is left.
    """
    parts = names.split(",") if isinstance(names, str) else list(names or ())
    wanted = [part.strip() for part in parts if part.strip()]
    known = [axis.id for axis in AXES]
    if not wanted or wanted == ["all"]:
        return AXES
    for name in wanted:
        if name not in known:
            message = f"there is no axis {name!r}; expected all, or some of {', '.join(known)}"
            raise UsageError(message, field="--axes")
    return tuple(axis for axis in AXES if axis.id in wanted)
