"""White space and letter case of every word of the vocabularies change nothing that is read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest

from equipoise.cases.facts import Facts, Reading, facts_of
from equipoise.cases.formats import case_from_object, markers, own, recommendations, values
from equipoise.cases.model import SETTINGS, STAGES
from equipoise.cases.vocabulary import clinical, histology, setting
from equipoise.cases.vocabulary.drugs import lexicon
from strategies import ALTERATIONS

FIELDS = tuple(
    name for name in Facts.__slots__ if name not in ("answers", "markers", "words", "reading", "as_of", "priors")
)


def essence(case: dict[str, Any]) -> Any:
    read = case_from_object(case)
    facts = facts_of(read, as_of=dt.date(2026, 11, 1), reading=Reading())
    priors = (
        None
        if facts.priors is None
        else [(prior.drugs, prior.unread, prior.outcome, prior.setting, prior.line) for prior in facts.priors]
    )
    recommended = [
        (item.kind, item.components, item.unspecific, item.unread, item.setting, item.line)
        for item in read.recommendations
    ]
    return (
        {name: getattr(facts, name) for name in FIELDS},
        priors,
        read.tumor.value,
        read.sex.value,
        recommended,
        len(read.ignored_fields),
    )


def spellings(text: str) -> Iterator[str]:
    for letters in (text, text.lower(), text.upper()):
        for space in (" ", "  ", "\t", "\u00a0"):
            yield space.join(letters.split(" "))
        yield f"\n{letters}\t "


DRUGS = [name for drug in lexicon().drugs.values() for name in (drug.name, *drug.brands, *drug.codes)]
WORDS: dict[str, tuple[Any, list[str]]] = {
    "ecog": (lambda text: {"ecog": text}, ["ECOG 1", "0-1", ">=2", "ECOG PS 0 - 1", "WHO performance status 2", "< 2"]),
    "kps": (lambda text: {"kps": text}, ["KPS 80", "80 %"]),
    "stage": (
        lambda text: {"stage": text},
        [
            *STAGES,
            "III",
            "Stage IIIB",
            "IIIA-IIIB",
            "I to II",
            "locally advanced",
            "clinical stage IIIA",
            "IIIA or IIIB",
        ],
    ),
    "setting": (
        lambda text: {"setting": text},
        [*setting._WORDS, "metastatic setting", "locally_advanced", "advanced disease"],
    ),
    "histology": (
        lambda text: {"histology": text},
        [*histology._HISTOLOGY, *histology._ONCOTREE, "NSCLC NOS", "adenocarcinoma of the lung"],
    ),
    "tumor": (
        lambda text: {"tumor": text},
        [
            "NSCLC",
            "lung adenocarcinoma",
            "melanoma",
            "lung cancer",
            *histology._ONCOTREE,
            *histology._SMALL,
            *histology._LUNG_WORDS,
        ],
    ),
    "brain": (lambda text: {"brain_mets": text}, [*own._BRAIN, *own._ABSENT_WORDS]),
    "pdl1": (
        lambda text: {"pdl1": text},
        [
            "TPS 1-49%",
            "< 1%",
            ">= 50%",
            "negative",
            "TC 50 %",
            "60 %",
            "IC 10%",
            "PD-L1 TPS 60%",
            "not expressed",
            "TC3",
        ],
    ),
    "tmb": (lambda text: {"tmb": text}, [">= 10", "8.5 mut/Mb", "10 mutations per megabase"]),
    "msi": (
        lambda text: {"msi": text},
        ["MSI-H", "MSS", "dMMR", "pMMR", "microsatellite stable", "microsatellite instability high", "MSI high"],
    ),
    "marker": (lambda text: {"biomarkers": [text]}, list(ALTERATIONS)),
    "status": (lambda text: {"biomarkers": [{"name": "ALK fusion", "status": text}]}, list(markers._STATUSES)),
    "history": (
        lambda text: {"prior_therapies": text},
        [
            "none",
            "treatment-naive",
            "no prior systemic therapy",
            "carboplatin + pemetrexed (progressed); docetaxel",
            "osimertinib -> amivantamab + carboplatin",
            "adjuvant cisplatin + vinorelbine",
            "untreated",
            "osimertinib, no evidence of progression",
            "osimertinib followed by chemo",
        ],
    ),
    "outcome": (
        lambda text: {"prior_therapies": [{"drugs": "osimertinib", "outcome": text}]},
        [
            "progressed",
            "progressive disease",
            "completed",
            "toxicity",
            "ongoing",
            "still on",
            "on treatment",
            "stable disease",
            "unknown",
        ],
    ),
    "setting of a course": (
        lambda text: {"prior_therapies": [{"drugs": "osimertinib", "setting": text}]},
        [*SETTINGS, "locally advanced"],
    ),
    "condition": (lambda text: {"comorbidities": {text: True}}, list(clinical._CONDITIONS)),
    "conditions": (
        lambda text: {"comorbidities": text},
        ["none", "none known", "ILD, vte", "interstitial lung disease; autoimmune disease"],
    ),
    "state": (
        lambda text: {"comorbidities": {"ild": text}},
        ["yes", "no", "present", "absent", "true", "unknown", "not documented"],
    ),
    "kind": (
        lambda text: {"recommendations": [{"regimen": "osimertinib", "kind": text}]},
        ["trial", "regimen", "drug", "procedure", "other"],
    ),
    "intended setting": (
        lambda text: {"recommendations": [{"regimen": "osimertinib", "setting": text}]},
        [*SETTINGS, "locally advanced"],
    ),
    "recommendation": (
        lambda text: {"recommendations": [text]},
        [
            *DRUGS,
            *recommendations._NOT_STATED,
            "stop osimertinib",
            "carboplatin/pemetrexed/pembro",
            "adjuvant cisplatin + vinorelbine",
            "carboplatin (AUC 5) + pemetrexed",
            "clinical trial",
            "platinum doublet",
            "best supportive care",
        ],
    ),
    **{
        f"unknown {field}": (lambda text, field=field: {field: text}, sorted(values._UNKNOWN_WORDS))
        for field in (
            "ecog",
            "stage",
            "setting",
            "age",
            "tumor",
            "histology",
            "brain_mets",
            "pdl1",
            "tmb",
            "msi",
            "prior_therapies",
            "biomarkers",
            "qtc_ms",
            "comorbidities",
            "recommendations",
        )
    },
}


@pytest.mark.parametrize("name", list(WORDS))
def test_every_word_is_read_alike_however_it_is_spaced_and_cased(name):
    make, texts = WORDS[name]
    for text in texts:
        expected = essence(make(text))
        for spelling in spellings(text):
            assert essence(make(spelling)) == expected, (text, spelling)
