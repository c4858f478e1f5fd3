"""Guards from the options of `equipoise eval` and `equipoise suite refusal`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.evals.guard_reading import Guard


def read_guards(
    names: Sequence[str], on: str, form: str, rubric: str | None, base_url: str | None
) -> tuple[Guard, ...]:
    """The guards that are named, all asked alike.

    Args:
        names: guards as PROVIDER/MODEL.
        on: input, output or both.
        form: prompted or classifier.
        rubric: what a prompted guard calls unsafe, or @FILE that holds it; None for the package's own.
        base_url: address of their endpoint.

    Raises:
        UsageError: a word that does not exist, or an option without a guard.
    """
    from equipoise.evals.guard_reading import RUBRIC, Guard

    given = {"--guard-on": on != "both", "--guard-form": form != "prompted", "--guard-rubric": rubric is not None,
             "--guard-base-url": base_url is not None}  # fmt: skip
    alone = next((option for option, there in given.items() if there), None)
    if not names and alone is not None:
        message = "there is no guard; name one with --guard"
        raise UsageError(message, field=alone)
    text = RUBRIC if rubric is None else _text(rubric)
    return tuple(Guard(name=name, on=on, form=form, rubric=text, base_url=base_url) for name in names)


def _text(given: str) -> str:
    if not given.startswith("@"):
        return given
    from equipoise.outcomes.readers import read_text

    return read_text(Path(given[1:])).strip()
