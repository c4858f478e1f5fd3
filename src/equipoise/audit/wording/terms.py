"""Names of fields, biomarkers and drug classes as a person writes them in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

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
    "prior_therapies.course": "the setting or outcome of an earlier therapy",
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


def are(words: str) -> str:
    """The verb for a phrase: "are" when it joins two things by "and", "is" otherwise."""
    return "are" if " and " in words else "is"


def stands(criterion: str, value: str) -> str:
    """What the case documents for a criterion, with the verb that fits."""
    if criterion == FIELD_NAMES["prior_therapies"]:
        return f"{criterion} shows {value}"
    return f"{criterion} {are(criterion)} {value}"
