"""Each reason as the middle of a sentence, without capital and full stop: one function a reason code."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from equipoise.audit.wording.terms import are, class_words, field_words, marker_words, readable, stands

Facts = Mapping[str, str]
"""What is known of a reason, by the names that `reason_sentence` lists; all optional."""


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
    text = (
        f"supported in the setting {required.removeprefix('setting ')}" if required else "supported in another setting"
    )
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
    return f"{_variant(facts)} has no drug listed" + (f" in {tumor}" if tumor else "") + " at the level that decides"


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
    return _sourced(f"{words} {are(words)} needed and not documented", facts)


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
            text = f"{stands(noun, value)}; the source requires {required}"
        elif value:
            text = f"{stands(noun, value)}, which the source does not list"
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
    if finding and "; the source requires " in finding:
        return _sourced(finding, facts)
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


FRAGMENTS: Mapping[str, Callable[[Facts], str]] = {
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
"""How each reason code is worded, in the order in which the codes are listed."""


def fragment_of(code: str, facts: Facts) -> str:
    """The words of a reason; an unknown code gives `finding`, or its own words."""
    make = FRAGMENTS.get(code)
    text = make(facts) if make is not None else _sourced(facts.get("finding") or code.replace("-", " "), facts)
    return readable(text)
