"""The sentences of a verdict under its headline: a reason, an abstention, a caveat."""

from __future__ import annotations

from equipoise.audit.wording.fragments import FRAGMENTS, fragment_of

REASON_CODES: tuple[str, ...] = tuple(FRAGMENTS)
"""Every reason code that has a sentence."""

ABSTAINING: tuple[str, ...] = (
    "input-missing", "input-conflicting", "knowledge-silent", "out-of-scope", "combination-unknown", "drug-unknown",
    "unsupported-language", "biomarker-not-tested", "trial-recommendation", "non-drug-recommendation",
    "variant-uncertain",
)  # fmt: skip
"""Reason codes that abstain under the policy `label`; another policy may abstain on any code."""


def fragment(code: str, **facts: str) -> str:
    """A reason as the middle of a sentence, without capital and full stop.

    Args:
        code: reason code.
        **facts: as for `reason_sentence`.
    """
    return fragment_of(code, facts)


def reason_sentence(code: str, **facts: str) -> str:
    """One sentence for a reason, the fact first, then the source in parentheses.

    Args:
        code: reason code; an unknown one gives its own words or `finding`.
        **facts: what is known, all optional: regimen, drug, tumor, jurisdiction, date, source, statement, level,
            claimed, marker or variant (normalised names), assay, derived (any text: absence was derived), field, value,
            required, finding, a and b (what disagrees), text (as written), kind, citation, aspect, indication,
            known_for, covered, language.
    """
    text = fragment_of(code, facts)
    return f"{text[:1].upper()}{text[1:]}."


def abstention(code: str, **facts: str) -> str:
    """The second line of a verdict that leaves the decision to a human.

    Args:
        code: reason code.
        **facts: as for `reason_sentence`.
    """
    return f"Equipoise does not decide this: {fragment_of(code, facts)}."


def caveat_line(finding: str, *, says: str = "", source: str = "", date: str = "") -> str:
    """A caveat as it is printed: what was found, what the source says, which source.

    Args:
        finding: what the case documents, or which field is not documented.
        says: what the source says about it.
        source: title and identifier.
        date: of the source, ISO.
    """
    origin = ", ".join(part for part in (source, date) if part)
    return " - ".join(part for part in (finding, says, origin) if part)
