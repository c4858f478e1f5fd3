"""Cards: which verdict sends one, with which urgency, in which words. The service sends cards only, never an action."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from equipoise._version import __version__
from equipoise.audit.verdict import CaveatState, EvidenceUse, Label, Verdict
from equipoise.audit.wording import NOT_A_DEVICE, field_words
from equipoise.errors import UsageError
from equipoise.evidence.base import EvidenceBase
from equipoise.report.inert import inert
from equipoise.report.verdicts import linked
from equipoise.report.wording import ABSTAINING, RESULTS, abstention_line, readable

CODES = "urn:equipoise:cds-hooks"
"""Start of the names of our two code systems: topics and reasons for overriding."""

OVERRIDE_REASONS: tuple[tuple[str, str], ...] = (
    ("evidence-not-in-sources", "Evidence that the sources do not hold"),
    ("patient-preference", "Patient preference"),
    ("documented-elsewhere", "Documented elsewhere"),
    ("trial-or-expanded-access", "Trial or expanded access"),
    ("will-be-rediscussed", "Will be discussed again"),
    ("tool-is-wrong", "The tool is wrong here"),
)
"""Code and words; at most six, since a longer list is not read."""

NOT_AUDITED = "Not audited: an order of this session could not be read as a whole, so nothing is said about it."
_MOST_LINKS = 4
_MOST_LINES = 3
_SUMMARY = 139


def indicator_of(verdict: Verdict, base: EvidenceBase, *, supported_too: bool = False) -> str:
    """Urgency of the card of a verdict; empty when it sends none.

    Supported: none, or info when asked for. Partially Supported: info; warning when a caveat applies that is hard (the source makes an
    unknown answer matter). Unsupported: warning. Insufficient Information: info. Never critical. A tumor that is not assessed sends
    none either, unless cards for supported orders are asked for: a service for one tumor is called for the orders of all.

    Args:
        verdict: a verdict.
        base: the evidence that it was made from.
        supported_too: whether a supported order sends a card.
    """
    if verdict.label is Label.SUPPORTED or any(reason.code == "out-of-scope" for reason in verdict.reasons):
        return "info" if supported_too else ""
    if verdict.label is Label.UNSUPPORTED:
        return "warning"
    if verdict.label is Label.PARTIALLY_SUPPORTED:
        applies = (item.id for item in verdict.caveats if item.state is CaveatState.FIRES)
        return "warning" if any(_is_hard(identifier, base) for identifier in applies) else "info"
    return "info"


def _is_hard(identifier: str, base: EvidenceBase) -> bool:
    try:
        return base.get(identifier).unknown != "note"
    except UsageError:
        return False


def card(verdict: Verdict, uuid: str, indicator: str, *, public_url: str = "") -> dict[str, Any]:
    """The card of a verdict.

    Args:
        verdict: a verdict.
        uuid: identifies the card in feedback.
        indicator: from `indicator_of`.
        public_url: address of this service, for a link to the assertion; empty for none.
    """
    return {
        "uuid": uuid,
        "summary": _line(verdict.headline)[:_SUMMARY],
        "detail": detail(verdict),
        "indicator": indicator,
        "source": _source(verdict.policy, verdict.as_of.isoformat(), str(verdict.label)),
        "overrideReasons": override_reasons(),
        **_links(verdict, public_url),
    }


def not_audited_card(uuid: str, policy: str, as_of: str) -> dict[str, Any]:
    """The card for a draft that points to something the session does not hold."""
    return {
        "uuid": uuid,
        "summary": NOT_AUDITED,
        "indicator": "info",
        "source": _source(policy, as_of, "Not audited"),
    }


def override_reasons() -> list[dict[str, str]]:
    """Reasons that a card offers."""
    return [{"code": code, "system": f"{CODES}:override-reason", "display": words} for code, words in OVERRIDE_REASONS]


def _source(policy: str, as_of: str, topic: str) -> dict[str, Any]:
    return {
        "label": f"Equipoise {__version__}, policy {_line(policy)}, evidence as of {as_of}",
        "topic": {"system": f"{CODES}:label", "code": topic.lower().replace(" ", "-"), "display": topic},
    }


def detail(verdict: Verdict) -> str:
    """What stands behind the headline, as Markdown in which nothing from outside has a meaning of its own."""
    lines: list[str] = []
    reasons = [(reason.code, reason.text) for reason in verdict.reasons if reason.text]
    abstains = _abstention(verdict, reasons)
    if reasons and not abstains.endswith(reasons[0][1][1:]):
        lines.append(f"**Because:** {plain(reasons[0][1])}")
    if abstains:
        lines.append(f"**{plain(abstains)}**")
    lines += [f"- {plain(words)}" for _, words in reasons[1 : 1 + _MOST_LINES]]
    if verdict.missing_fields:
        lines.append(f"**Not documented and decisive:** {plain('; '.join(map(field_words, verdict.missing_fields)))}.")
    lines += [
        f"- Point to weigh: {plain(item.text)} ({plain(item.source)})"
        for item in verdict.caveats
        if item.state is CaveatState.FIRES
    ][:_MOST_LINES]
    lines += _cells(verdict)
    lines += [_evidence("Speaks for", use) for use in verdict.evidence[:2]]
    lines += [_evidence("Speaks against", use) for use in verdict.evidence_against[:2]]
    if verdict.alternatives and verdict.label is not Label.SUPPORTED:
        names = "; ".join(item.regimen for item in verdict.alternatives[:_MOST_LINES])
        lines.append(f"The evidence on file supports instead, in no order of merit: {plain(names)}.")
    lines.append(f"_{plain(NOT_A_DEVICE)}_")
    return "\n\n".join(lines)


def _abstention(verdict: Verdict, reasons: Sequence[tuple[str, str]]) -> str:
    if not verdict.abstain or not reasons:
        return ""
    return abstention_line(next((words for code, words in reasons if code in ABSTAINING), reasons[0][1]))


def _cells(verdict: Verdict) -> list[str]:
    """What would change the verdict: an example for each label."""
    seen: dict[str, str] = {}
    for cell in verdict.what_if:
        seen.setdefault(str(cell.label), readable("; ".join(map(str, cell.value.values()))))
    return [f"- If {plain(value)}: {label}" for label, value in seen.items()]


def _evidence(side: str, use: EvidenceUse) -> str:
    checked = "verified" if use.verified else "not verified"
    met = RESULTS[use.result.value]
    return (
        f"**{side}:** {plain(use.statement)} (level {plain(use.level)}, criteria {met}, {checked}; {plain(use.source)})"
    )


def _links(verdict: Verdict, public_url: str) -> dict[str, Any]:
    found: dict[str, str] = {}
    for use in (*verdict.evidence_against, *verdict.evidence):
        for piece in linked(use.source):
            if piece.url:
                found.setdefault(piece.url, piece.text)
    rows = [{"label": label, "url": url, "type": "absolute"} for url, label in list(found.items())[:_MOST_LINKS]]
    deciding = next(iter((*verdict.evidence_against, *verdict.evidence)), None)
    if public_url and deciding is not None:
        url = f"{public_url.rstrip('/')}/evidence/{deciding.id}"
        rows.append({"label": "The assertion with its criteria", "url": url, "type": "absolute"})
    return {"links": rows} if rows else {}


_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~&@!]|(?<=:)//|(?<=www)\.|^[+-]|(?<=^\d)[.)])", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def plain(words: str) -> str:
    """Text as Markdown that shows it as it is: nothing in it is a link, a heading, a list, a tag or an entity.

    Args:
        words: any text.
    """
    return _MARKDOWN.sub(r"\\\1", _line(words))


def _line(words: str) -> str:
    return inert(_SPACE.sub(" ", words).strip())
