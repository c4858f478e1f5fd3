"""The fixed sentences of a verdict: headline, reason, abstention, standing line, and the words that none of them uses.

Words describe evidence, not patients or orders. A fact that is missing gives a shorter sentence that is still correct;
a headline that would grow past `HEADLINE_LENGTH` leaves its second half to the reason under it and is never cut.
Plain string formatting only: these run once a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

HEADLINE_LENGTH = 139
"""Most characters of a headline: the summary of a CDS Hooks card stays under 140."""

STANDING_LINE = (
    "Compares a documented recommendation with dated sources. It does not examine the patient, choose treatment,"
    " or replace the board. Read the sources."
)
"""What every verdict page says once, in its footer."""

NOT_A_DEVICE = "Equipoise is research software and not a medical device."
"""Said once wherever a verdict is shown to a reader."""

AVOID: tuple[str, ...] = (
    "safe", "unsafe", "recommended by", "approved by", "endorsed", "endorses", "should", "must", "give", "stop",
    "no evidence", "confirmed", "proven", "guarantees", "guaranteed", "eligible", "ineligible", "contraindicated",
    "guideline-concordant", "ai thinks", "confident", "confidence", "failed", "clinician error", "physician error",
    "best model", "winner", "passed",
)  # fmt: skip
"""Lower-case words and phrases, matched whole, that our own strings do not use; quotes of an input or a source may."""

FIELD_NAMES: Mapping[str, str] = {
    "age": "the age",
    "sex": "the sex",
    "ecog": "the ECOG performance status",
    "tumor": "the tumor type",
    "histology": "the histology",
    "stage": "the stage",
    "stage_edition": "the edition of the staging system",
    "setting": "the treatment setting",
    "brain_mets": "the status of brain metastases",
    "biomarkers": "a biomarker result",
    "biomarkers_complete": "whether a comprehensive panel was done",
    "pdl1": "the PD-L1 expression",
    "pdl1.tps": "the PD-L1 tumor proportion score",
    "pdl1.tc": "the PD-L1 tumor cell score",
    "pdl1.ic": "the PD-L1 immune cell score",
    "tmb": "the tumor mutational burden",
    "msi": "the microsatellite status",
    "prior_therapies": "the treatment history",
    "line": "the line of therapy",
    "conditions.ild": "interstitial lung disease",
    "conditions.autoimmune": "autoimmune disease",
    "conditions.transplant": "solid organ transplantation",
    "conditions.hsct": "allogeneic stem cell transplantation",
    "conditions.hemoptysis": "hemoptysis",
    "conditions.vte": "venous thromboembolism",
    "conditions.cyp3a-inducer": "use of a strong CYP3A inducer",
    "conditions.cyp3a-inhibitor": "use of a strong CYP3A inhibitor",
    "conditions.ppi": "use of a proton pump inhibitor",
    "conditions.steroids": "use of corticosteroids",
    "qtc_ms": "the QTc interval",
    "recommendations": "a recommendation",
    "recommendation": "a recommendation",
}
"""Fields of the Case as they stand in a sentence, each with "is (not) documented" behind it."""

_ALTERATIONS: Mapping[str, str] = {
    "exon19del": "exon 19 deletion",
    "exon20ins": "exon 20 insertion",
    "exon14skip": "exon 14 skipping",
    "any_mutation": "mutation",
    "TKD_mutation": "kinase domain mutation",
    "non-G12C": "mutation other than G12C",
    "classII": "class II mutation",
    "classIII": "class III mutation",
}


def marker_words(name: str) -> str:
    """A normalised biomarker name as a person writes it: "EGFR:exon19del" is "EGFR exon 19 deletion".

    Args:
        name: `GENE:alteration`; anything else comes back as it is.
    """
    gene, colon, alteration = name.partition(":")
    return f"{gene} {_ALTERATIONS.get(alteration, alteration)}" if colon else name


def readable(text: str) -> str:
    """Text with each normalised biomarker name in it as a person writes it: "ALK:fusion present" is "ALK fusion
    present".

    Args:
        text: words, some of which may be `GENE:alteration`.
    """
    if ":" not in text:
        return text
    return " ".join(_readable(word) for word in text.split(" "))


def _readable(word: str) -> str:
    gene, colon, alteration = word.partition(":")
    if not (colon and alteration and gene.isupper()):
        return word
    bare = alteration.rstrip(",;.)")
    return f"{gene} {_ALTERATIONS.get(bare, bare)}{alteration[len(bare) :]}"


_CLASSES: Mapping[str, str] = {
    "1g": "first-generation", "2g": "second-generation", "3g": "third-generation", "egfr": "EGFR", "alk": "ALK",
    "ros1": "ROS1", "met": "MET", "trk": "TRK", "her2": "HER2", "ret": "RET", "mek": "MEK", "braf": "BRAF",
    "ras": "RAS",
    "kras": "KRAS", "g12c": "G12C", "exon20": "exon 20", "fgfr": "FGFR", "tki": "TKI",
}  # fmt: skip


def class_words(text: str) -> str:
    """A drug class as a person writes it: "any egfr-tki-3g" is "any third-generation EGFR TKI".

    Args:
        text: "any" and the name of a class; anything else comes back as it is.
    """
    if not text.startswith("any "):
        return text
    parts = text[4:].split("-")
    parts = parts[-1:] + parts[:-1] if parts[-1] in ("1g", "2g", "3g") else parts
    return f"any {' '.join(_CLASSES.get(part, part) for part in parts)}"


def field_words(field: str) -> str:
    """A field of the Case as it stands in a sentence.

    Args:
        field: a path such as "ecog", "pdl1.tps" or "biomarkers.ALK:fusion"; other words come back as they are.
    """
    words = FIELD_NAMES.get(field)
    if words is not None:
        return words
    head, dot, tail = field.partition(".")
    if dot and head in ("comorbidities", "comedications"):
        return FIELD_NAMES.get(f"conditions.{tail}", tail)
    if dot and head == "biomarkers":
        return f"a result for {marker_words(tail)}"
    if dot and head in FIELD_NAMES:
        return FIELD_NAMES[head]
    return f"a result for {marker_words(field)}" if ":" in field and " " not in field else field


def _are(words: str) -> str:
    return "are" if " and " in words else "is"


def _stands(criterion: str, value: str) -> str:
    """What the case documents for a criterion, with the verb that fits."""
    if criterion == FIELD_NAMES["prior_therapies"]:
        return f"{criterion} shows {value}"
    return f"{criterion} {_are(criterion)} {value}"


def headline(
    label: str,
    *,
    regimen: str,
    date: str,
    criterion: str = "",
    value: str = "",
    required: str = "",
    finding: str = "",
    source: str = "",
    caveats: Sequence[str] = (),
    field: str = "",
    cells: Sequence[tuple[str, str]] = (),
    contradicted: bool = False,
) -> str:
    """One sentence (two for Insufficient Information) of at most `HEADLINE_LENGTH` characters.

    Args:
        label: one of the four labels.
        regimen: components joined by " + ".
        date: day for which the evidence was read, ISO.
        criterion: what the nearest assertion failed on ("the line of therapy"), for Unsupported.
        value: what the case documents for it ("second line").
        required: what the source asks for ("first line").
        finding: what speaks against the regimen, or why there is no verdict when it is not a missing field.
        source: short name of the source of `finding`.
        caveats: short names of the points to weigh, most important first, for Partially Supported.
        field: the undocumented field, as a path of the Case or in words; several joined by " and ".
        cells: (value, label) of the what-if table in its order, for Insufficient Information.
        contradicted: whether a negative assertion decides.

    Raises:
        ValueError: the label is none of the four.
    """
    if label == "Supported":
        return _fit(
            regimen, lambda name: f"The evidence on file supports {name} for this case as documented{_as_of(date)}."
        )
    if label == "Partially Supported":
        return _partially(regimen, date, caveats)
    if label == "Unsupported":
        if contradicted:
            return _against(regimen, date, finding, source)
        return _unsupported(regimen, date, criterion, value, required, finding, source)
    if label == "Insufficient Information":
        return _insufficient(regimen, date, finding, source, field, cells)
    message = f"unknown label {label!r}"
    raise ValueError(message)


def _as_of(date: str) -> str:
    return f", as of {date}" if date else ""


def _fit(regimen: str, *forms: Callable[[str], str]) -> str:
    """The first sentence that fits: every form with the regimen's name, then every form without it.

    The forms go from long to short; the last one holds no free text but the name, so that it always fits without it.
    """
    for name in (regimen, "this recommendation") if regimen else ("this recommendation",):
        for form in forms:
            text = form(name)
            if len(text) <= HEADLINE_LENGTH:
                return text
    return forms[-1]("this recommendation")


def _partially(regimen: str, date: str, caveats: Sequence[str]) -> str:
    if not caveats:
        return _fit(regimen, lambda name: f"The evidence on file supports {name} in part{_as_of(date)}.")
    points = "1 point" if len(caveats) == 1 else f"{len(caveats)} points"
    return _fit(
        regimen,
        lambda name: f"The evidence on file supports {name} with {points} to weigh: {caveats[0]}.",
        lambda name: f"The evidence on file supports {name} with {points} to weigh.",
    )


def _against(regimen: str, date: str, finding: str, source: str) -> str:
    forms: list[Callable[[str], str]] = []
    if finding and source:
        forms.append(lambda name: f"The evidence on file speaks against {name} here: {finding}, {source}.")
    if finding:
        forms.append(lambda name: f"The evidence on file speaks against {name} here: {finding}.")
    forms.append(lambda name: f"The evidence on file speaks against {name} for this case as documented{_as_of(date)}.")
    return _fit(regimen, *forms)


def _unsupported(regimen: str, date: str, criterion: str, value: str, required: str, finding: str, source: str) -> str:
    halves: list[str] = []
    if criterion and value:
        fact = _stands(criterion, value)
        if required:
            halves.append(f"{fact}; the source requires {required}")
        halves.append(fact)
    elif required:
        halves.append(
            f"for {criterion} the source requires {required}" if criterion else f"the source requires {required}"
        )
    if finding:
        if source:
            halves.append(f"{finding} ({source})")
        halves.append(finding)
    forms = [_not_supporting(half) for half in halves]
    forms.append(
        lambda name: f"The evidence on file does not support {name} for this case as documented{_as_of(date)}."
    )
    return _fit(regimen, *forms)


def _not_supporting(half: str) -> Callable[[str], str]:
    return lambda name: f"The evidence on file does not support {name} here: {half}."


def _insufficient(
    regimen: str, date: str, finding: str, source: str, field: str, cells: Sequence[tuple[str, str]]
) -> str:
    if field:
        words = field_words(field)
        fact = f"No verdict: {words} {_are(words)} not documented."
        shown = _telling(cells)
        forms = (
            [fact + " With " + "; with ".join(f"{readable(value)}: {label}" for value, label in shown) + "."]
            if shown
            else []
        )
        forms += [fact, "No verdict: a field that decides is not documented."]
    else:
        forms = [f"No verdict: {finding} ({source})."] if finding and source else []
        forms += [f"No verdict: {finding}."] if finding else []
        forms += [f"No verdict on {regimen}{_as_of(date)}."] if regimen else []
        forms += [f"No verdict on this recommendation{_as_of(date)}."]
    return next((form for form in forms if len(form) <= HEADLINE_LENGTH), forms[-1])


def _telling(cells: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """At most two cells: the first, and the first whose label differs from it."""
    if len(cells) < 2:
        return cells
    first = cells[0]
    for cell in cells:
        if cell[1] != first[1]:
            return (first, cell)
    return cells[:1]


Facts = Mapping[str, str]


def _sourced(text: str, facts: Facts) -> str:
    source = facts.get("source")
    return f"{text} ({source})" if source else text


def _an(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _field(facts: Facts) -> str:
    field = facts.get("field")
    return field_words(field) if field else ""


def _marker(facts: Facts) -> str:
    marker = facts.get("marker") or facts.get("variant")
    return marker_words(marker) if marker else ""


def _variant(facts: Facts, otherwise: str = "the reported variant") -> str:
    variant = facts.get("variant") or facts.get("marker")
    return marker_words(variant) if variant else otherwise


def _what(facts: Facts, otherwise: str = "the recommendation") -> str:
    return facts.get("regimen") or facts.get("drug") or otherwise


def _supported(facts: Facts) -> str:
    statement, level = facts.get("statement"), facts.get("level")
    text = statement.rstrip(".") if statement else "the listed criteria are met as documented"
    return _sourced(f"{text}, level {level}" if level else text, facts)


def _lower_level(facts: Facts) -> str:
    level, claimed = facts.get("level"), facts.get("claimed")
    text = f"supported only at level {level}" if level else "supported only below the level that decides"
    return _sourced(f"{text}; the record claims {claimed}" if claimed else text, facts)


def _unverified(facts: Facts) -> str:
    return _sourced("the deciding entry has not been checked by a person", facts)


def _overstated(facts: Facts) -> str:
    level, claimed = facts.get("level"), facts.get("claimed")
    if level and claimed:
        return _sourced(f"the record claims {claimed}, the source gives {level}", facts)
    return _sourced("the record claims a higher level than the source gives", facts)


def _citation(facts: Facts) -> str:
    citation, aspect = facts.get("citation", "the cited source"), facts.get("aspect", "drug, tumor, setting or line")
    finding = facts.get("finding")
    return f"{citation}: {finding.rstrip('.')}" if finding else f"{citation} does not concern this {aspect}"


def _other_line(facts: Facts) -> str:
    required, value = facts.get("required"), facts.get("value")
    text = f"supported with {required}" if required else "supported in another line"
    return _sourced(f"{text}; the case documents {value}" if value else text, facts)


def _other_setting(facts: Facts) -> str:
    required, value = facts.get("required"), facts.get("value")
    text = f"supported in the setting {required}" if required else "supported in another setting"
    return _sourced(f"{text}; the setting of the case is {value}" if value else text, facts)


def _absent(facts: Facts) -> str:
    marker, finding = _marker(facts), facts.get("finding")
    test = ", ".join(part for part in (facts.get("assay"), facts.get("date")) if part)
    tail = f" ({test})" if test else ""
    if finding:
        text = finding
    elif facts.get("derived"):
        text = f"{marker or 'the marker that the source requires'} is absent by another result for the same gene{tail}"
    else:
        text = f"{marker or 'the marker that the source requires'} is documented as not present{tail}"
    return _sourced(text, facts)


def _not_tested(facts: Facts) -> str:
    marker = _marker(facts)
    return _sourced(
        f"no result for {marker} is documented" if marker else "no result for a deciding marker is documented", facts
    )


def _uncertain(facts: Facts) -> str:
    return f"{_variant(facts)} is of uncertain significance"


def _not_actionable(facts: Facts) -> str:
    tumor = facts.get("tumor")
    return f"{_variant(facts)} has no listed drug" + (f" in {tumor}" if tumor else "")


def _resistance(facts: Facts) -> str:
    drug = class_words(facts.get("drug") or _what(facts, "the drug"))
    return _sourced(f"{_variant(facts)} is listed as resistance to {drug}", facts)


def _contradicted(facts: Facts) -> str:
    finding = facts.get("finding") or facts.get("statement", "").rstrip(".")
    return _sourced(finding or f"a source on file speaks against {_what(facts)} in this situation", facts)


def _withdrawn(facts: Facts) -> str:
    what, date = facts.get("indication") or _what(facts, "the indication"), facts.get("date")
    what = what.rstrip(".").removesuffix(" withdrawn").rstrip(",; ")
    return _sourced(f"{what} was withdrawn {date}" if date else f"{what} was withdrawn", facts)


def _wrong_context(facts: Facts) -> str:
    known, tumor = facts.get("known_for"), facts.get("tumor")
    drug = facts.get("drug") or _what(facts, "the drug")
    text = f"{drug} is listed for {known}" if known else f"{drug} is listed for another tumor"
    return _sourced(f"{text}, not for {tumor}" if tumor else text, facts)


def _missing(facts: Facts) -> str:
    words = _field(facts)
    if not words:
        return "a field that decides is needed and not documented"
    return _sourced(f"{words} {_are(words)} needed and not documented", facts)


def _conflicting(facts: Facts) -> str:
    first, second, words = facts.get("a"), facts.get("b"), _field(facts)
    if first and second:
        return (
            f"for {words} the record states {first} and {second}"
            if words
            else f"the record states {first} and {second}"
        )
    if words:
        return f"the record states {words} in ways that disagree"
    return "the record makes statements that disagree"


def _silent(facts: Facts) -> str:
    drug = facts.get("drug") or facts.get("regimen") or "this drug"
    tumor = f" in {facts['tumor']}" if facts.get("tumor") else ""
    when = ", ".join(part for part in (facts.get("jurisdiction"), facts.get("date")) if part)
    return f"our sources do not cover {drug}{tumor}{f' ({when})' if when else ''}; that is not evidence against it"


def _out_of_scope(facts: Facts) -> str:
    covered, tumor = facts.get("covered"), facts.get("tumor")
    text = (
        f"tumors outside {covered} are not assessed"
        if covered
        else "this tumor is outside what the sources on file cover"
    )
    return f"{text}; the case is {tumor}" if tumor else text


def _combination(facts: Facts) -> str:
    regimen = facts.get("regimen")
    text = "the parts are known, this combination is not"
    return f"{text}: {regimen}" if regimen else text


def _drug_unknown(facts: Facts) -> str:
    text = facts.get("text") or facts.get("drug")
    return f'"{text}" was not recognised as a drug' if text else "the text was not recognised as a drug"


def _language(facts: Facts) -> str:
    language = facts.get("language")
    return f"the note is in {language}, not in English" if language else "the note is not in English"


def _trial(facts: Facts) -> str:
    return f"{_an(facts.get('kind') or 'trial')} is not judged against drug evidence"


def _non_drug(facts: Facts) -> str:
    return f"{_an(facts.get('kind') or 'recommendation that names no drug')} is not judged against drug evidence"


def _instruction(facts: Facts) -> str:
    return "the input contains text addressed to software; it changed nothing"


def _mismatch(noun: str) -> Callable[[Facts], str]:
    """Fact, then what the source asks for: "the histology is squamous; the source requires nonsquamous"."""

    def fragment(facts: Facts) -> str:
        value, required, finding = facts.get("value"), facts.get("required"), facts.get("finding")
        if finding:
            text = finding
        elif value and required:
            text = f"{_stands(noun, value)}; the source requires {required}"
        elif value:
            text = f"{_stands(noun, value)}, which the source does not list"
        elif required:
            text = f"for {noun} the source requires {required}"
        else:
            text = f"{noun} does not match what the source lists"
        return _sourced(text, facts)

    return fragment


def _progressed(facts: Facts) -> str:
    drug = facts.get("drug") or _what(facts, "a drug of this regimen")
    return _sourced(f"the history documents progression on {drug}", facts)


def _exclusion(facts: Facts) -> str:
    finding, required = facts.get("finding") or facts.get("value"), facts.get("required")
    if finding:
        return _sourced(f"the source excludes this: {finding}", facts)
    return _sourced(f"the source excludes {required}" if required else "an exclusion of the source is met", facts)


def _unspecific(facts: Facts) -> str:
    text = facts.get("text")
    return _sourced(
        f'"{text}" names a group and no drug' if text else "the recommendation names a group and no drug", facts
    )


def _no_use(facts: Facts) -> str:
    tumor, jurisdiction = facts.get("tumor"), facts.get("jurisdiction")
    place = " ".join(
        part for part in (f"in {tumor}" if tumor else "", f"({jurisdiction})" if jurisdiction else "") if part
    )
    return _sourced(f"our sources list no use of {_what(facts)}{f' {place}' if place else ''}", facts)


def _caveat(facts: Facts) -> str:
    return _sourced(facts.get("finding") or "a caution of the source applies", facts)


_FRAGMENTS: Mapping[str, Callable[[Facts], str]] = {
    "supported": _supported,
    "supported-lower-level": _lower_level,
    "entry-unverified": _unverified,
    "caveat-fires": _caveat,
    "regimen-unspecific": _unspecific,
    "level-overstated": _overstated,
    "citation-mismatch": _citation,
    "supported-other-line": _other_line,
    "supported-other-setting": _other_setting,
    "biomarker-absent": _absent,
    "biomarker-not-tested": _not_tested,
    "variant-uncertain": _uncertain,
    "variant-not-actionable": _not_actionable,
    "resistance": _resistance,
    "contradicted": _contradicted,
    "withdrawn": _withdrawn,
    "wrong-context": _wrong_context,
    "no-listed-use": _no_use,
    "histology-mismatch": _mismatch("the histology"),
    "pdl1-mismatch": _mismatch("the PD-L1 expression"),
    "stage-mismatch": _mismatch("the stage"),
    "prior-therapy-mismatch": _mismatch("the treatment history"),
    "performance-status-mismatch": _mismatch("the ECOG performance status"),
    "progressed-on-drug": _progressed,
    "exclusion-met": _exclusion,
    "input-missing": _missing,
    "input-conflicting": _conflicting,
    "out-of-scope": _out_of_scope,
    "knowledge-silent": _silent,
    "combination-unknown": _combination,
    "drug-unknown": _drug_unknown,
    "unsupported-language": _language,
    "trial-recommendation": _trial,
    "non-drug-recommendation": _non_drug,
    "instruction-in-input": _instruction,
}

REASON_CODES: tuple[str, ...] = tuple(_FRAGMENTS)
"""Every reason code that has a sentence."""

ABSTAINING: tuple[str, ...] = (
    "input-missing", "input-conflicting", "knowledge-silent", "out-of-scope", "combination-unknown", "drug-unknown",
    "unsupported-language", "biomarker-not-tested", "trial-recommendation", "non-drug-recommendation",
    "variant-uncertain",
)  # fmt: skip
"""Reason codes that abstain under the policy `label`; another policy may abstain on any code."""


def _fragment(code: str, facts: Facts) -> str:
    make = _FRAGMENTS.get(code)
    text = make(facts) if make is not None else _sourced(facts.get("finding") or code.replace("-", " "), facts)
    return readable(text)


def fragment(code: str, **facts: str) -> str:
    """A reason as the middle of a sentence, without capital and full stop.

    Args:
        code: reason code.
        **facts: as for `reason_sentence`.
    """
    return _fragment(code, facts)


def reason_sentence(code: str, **facts: str) -> str:
    """One sentence for a reason, the fact first, then the source in parentheses.

    Args:
        code: reason code; an unknown one gives its own words or `finding`.
        **facts: what is known, all optional: regimen, drug, tumor, jurisdiction, date, source, statement, level,
            claimed, marker or variant (normalised names), assay, derived (any text: absence was derived), field, value,
            required, finding, a and b (what disagrees), text (as written), kind, citation, aspect, indication,
            known_for, covered, language.
    """
    text = _fragment(code, facts)
    return f"{text[:1].upper()}{text[1:]}."


def abstention(code: str, **facts: str) -> str:
    """The second line of a verdict that leaves the decision to a human.

    Args:
        code: reason code.
        **facts: as for `reason_sentence`.
    """
    return f"Equipoise does not decide this: {_fragment(code, facts)}."


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
