"""Why a row is not kept: the codes, and how a reader of a row says one."""

from __future__ import annotations

from typing import NoReturn

REJECTIONS: dict[str, str] = {
    "malformed-row": "the row has more or fewer cells than the header",
    "no-id": "the row has no evidence id",
    "duplicate-id": "the evidence id stood in an earlier row",
    "not-accepted": "submitted or rejected, and not accepted by an editor",
    "flagged": "an open flag says that the item is disputed",
    "not-predictive": "the item is about prognosis, diagnosis, predisposition, function or oncogenicity",
    "other-disease": "the disease is neither non-small cell lung cancer, lung cancer, nor cancer of any organ",
    "no-direction": "the item does not say whether it supports its statement",
    "no-significance": "the item does not say what the marker predicts",
    "no-level": "the item has no level from A to E",
    "no-therapy": "the item names no therapy",
    "therapy-unknown": "the drug vocabulary knows none of the therapies, or not every part of a combination",
    "profile-unreadable": "the structure of the molecular profile cannot be read",
    "marker-unknown": "the biomarker vocabulary has no name for what the profile needs",
}
"""Why a row is not kept. The first reason that holds is given, in this order."""


class RejectedError(Exception):
    """A row is not kept, by code and deciding value."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


def reject(code: str, detail: str) -> NoReturn:
    """Say that the row at hand is not kept.

    Args:
        code: one of `REJECTIONS`.
        detail: the value that decided.

    Raises:
        RejectedError: always.
    """
    raise RejectedError(code, detail)
