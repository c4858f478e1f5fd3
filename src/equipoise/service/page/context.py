"""What the page is made of: documented frozen dataclasses."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a list to choose from.

    Attributes:
        id: value that is sent.
        title: words that are shown.
    """

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class TrailLine:
    """Where a verdict of the page stands on the trail.

    Attributes:
        seq: number of the entry.
        hash: hash of the chain.
    """

    seq: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRow:
    """What was read of a record.

    Attributes:
        case_id: its id.
        found: number of facts.
        ignored: what was not read, one line a reason.
        missed: recommendations that could not be audited.
        nothing: why there is nothing to audit; empty when there is.
    """

    case_id: str
    found: int
    ignored: tuple[str, ...]
    missed: tuple[str, ...]
    nothing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPage:
    """The form, with what was sent before.

    Attributes:
        who: name of the key that signed in.
        open: nobody signs in.
        token: what the form carries against other sites.
        text_html: what was pasted, escaped for a text area and otherwise unchanged.
        policies: to choose from.
        policy: chosen.
        as_of: chosen day, ISO; empty for none.
        first_day: earliest day.
        last_day: latest day.
        jurisdictions: to choose from.
        jurisdiction: chosen.
        forms: ways to read the text.
        form: chosen.
        problem: why nothing was audited; empty otherwise.
        records: what was read of records.
        trail: where the verdicts stand on the trail.
        device: that this is no medical device.
        standing: what the comparison is and is not.
    """

    who: str
    open: bool
    token: str
    text_html: Markup
    policies: tuple[Choice, ...]
    policy: str
    as_of: str
    first_day: str
    last_day: str
    jurisdictions: tuple[str, ...]
    jurisdiction: str
    forms: tuple[Choice, ...]
    form: str
    problem: str
    records: tuple[RecordRow, ...]
    trail: tuple[TrailLine, ...]
    device: str
    standing: str
