"""Makes an argument that names nothing one line under `inspect eval`: Inspect prints errors of its own class so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai._util.error import PrerequisiteError

from equipoise.errors import InputError, UsageError


class UnknownArgumentError(UsageError, PrerequisiteError):
    """A usage error that Inspect prints as a line, without a traceback."""

    message: str


class UnreadableInputError(InputError, PrerequisiteError):
    """An input error that Inspect prints as a line, without a traceback."""

    message: str


def printed(error: InputError) -> InputError:
    """The same error in the class that Inspect prints as a line; its `message` is the whole sentence with its place.

    Args:
        error: the error.
    """
    kind = UnknownArgumentError if isinstance(error, UsageError) else UnreadableInputError
    made = kind(error.message, file=error.file, line=error.line, field=error.field)
    made.message = _plain(str(made))
    made.file = made.line = made.field = None
    return made


@contextmanager
def one_line() -> Iterator[None]:
    """Errors about an argument or a file leave the block in the class that Inspect prints as a line."""
    try:
        yield
    except InputError as error:
        raise printed(error) from error


def _plain(text: str) -> str:
    """Text in which nothing is markup of the terminal."""
    return text.replace("[", "(").replace("]", ")") if "[/" in text else text
