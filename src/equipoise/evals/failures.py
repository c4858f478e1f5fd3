"""What became of a failed call, in one line with what to do; never more than a line, never a label."""

from __future__ import annotations

import re

_ADVICE: tuple[tuple[str, str], ...] = (
    (r"BudgetSpentError|budget of", "repeat the same command to ask what is left, for as much money again"),
    (r"AuthenticationError|PermissionDenied|\b401\b|\b403\b|invalid.{0,12}api.key",
     "the key was refused: check the environment variable of the provider"),
    (r"NotFoundError|\b404\b|model.{0,40}(?:not found|does not exist)",
     "the endpoint knows no such model: check its name and the base address"),
    (r"RateLimitError|\b429\b|quota", "too many calls: lower --max-connections, or repeat the same command later"),
    (r"Timeout|timed out", "no reply in time: repeat the same command, or raise --timeout"),
    (r"JSONDecodeError|APIResponseValidationError",
     "the endpoint sent no whole JSON: check its address and what stands before it, then repeat the same command"),
    (r"APIConnectionError|ConnectError|ConnectionError|Connection refused",
     "the endpoint cannot be reached: check that it runs and its base address"),
    (r"\b5\d\d\b|InternalServerError|ServiceUnavailable", "the service failed: repeat the same command later"),
    (r"BadRequestError|\b400\b|context.{0,10}length", "the service refused the request: see the message in the log"),
)  # fmt: skip
"""Pattern of a message, and what to do; the first that fits."""

LONGEST = 200
"""Characters of a message that are shown."""


def one_line(text: str) -> str:
    """The first line of a message that says something, without markup of the terminal, cut to `LONGEST`.

    Args:
        text: any message; for a call tried in vain the error of the last try is named.
    """
    raised = re.search(r"RetryError\(.*?raised (\w+)", text, re.DOTALL)
    if raised is not None:
        return f"{raised[1]} (after all tries)"
    plain = re.sub(r"\[/?[a-z][a-z ]*\]", "", text)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    if lines and lines[0] in ("Request:", "{"):
        lines = lines[-1:]
    return " ".join(lines[:2] if lines and lines[0].startswith("ERROR") else lines[:1])[:LONGEST] or "no message"


def advice(text: str, *, otherwise: str = "see the sample in the log, for instance with inspect view") -> str:
    """What to do about a message; says where to look when nothing is known about it.

    Args:
        text: any message.
        otherwise: where to look.
    """
    for pattern, words in _ADVICE:
        if re.search(pattern, text, re.IGNORECASE):
            return words
    return otherwise
