"""Answers that are the same for everybody, and the error that leads to one."""

from __future__ import annotations

from equipoise.errors import InputError


class RefusedError(InputError):
    """A request that is not answered as it was meant.

    Args:
        status: HTTP status of the answer.
        message: one sentence for the page; it names nothing that the asker did not send.
        retry: seconds after which it may be tried again; 0 for none.
    """

    def __init__(self, status: int, message: str, *, retry: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.retry = retry


def nothing_here() -> RefusedError:
    """What is told of an address that does not exist, and of an item of somebody else."""
    return RefusedError(404, "There is nothing at this address.")
