"""Ids of requests and cards. A card has the id of its request with its number at the end, so that feedback finds its way back."""

from __future__ import annotations

import uuid

_DIGITS = 4
MOST_CARDS = 16**_DIGITS - 1
"""Cards that one request can have."""


def new_request() -> str:
    """Id of a request: a random UUID whose last four digits are 0."""
    return str(uuid.uuid4())[:-_DIGITS] + "0" * _DIGITS


def card_of(request: str, number: int) -> str:
    """Id of a card.

    Args:
        request: id of its request.
        number: from 1 to `MOST_CARDS`.
    """
    return f"{request[:-_DIGITS]}{number:0{_DIGITS}x}"


def request_of(card: str) -> str:
    """Id of the request that a card belongs to, whether or not there is one."""
    return card.lower()[:-_DIGITS] + "0" * _DIGITS
