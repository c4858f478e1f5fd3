"""The one option that a reply names, read as in the other tasks with options; several options or an abstention are no vote."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.redteam.answers import ANSWERS_VERSION, read_answer
from equipoise.redteam.operators import Option

READER_VERSION = f"2.{ANSWERS_VERSION}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceReading:
    """What was read.

    Attributes:
        letter: the option; None when unread, when several are named, and when the reply abstains.
        how: the form in which the reply commits itself; empty when it does not.
    """

    letter: str | None
    how: str = ""


def read_choice(reply: str, options: tuple[Option, ...]) -> ChoiceReading:
    """The option that a reply names.

    Args:
        reply: the whole reply.
        options: the options.
    """
    answer = read_answer(reply, options)
    if len(answer.letters) != 1 or answer.form is None:
        return ChoiceReading(letter=None)
    return ChoiceReading(letter=next(iter(answer.letters)), how=answer.form.value)
