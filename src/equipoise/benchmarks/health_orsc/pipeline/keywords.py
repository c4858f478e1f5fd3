"""Words that mark a text as one about health: typed data by topic, our own selection, one stem or phrase an entry.

A star at the end stands for any ending. Words that are as common outside health ("cell", "operation", "tablet
computer") are left out; what a list misses can be added by the user, and a classifier can be asked beside it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

KEYWORDS_VERSION = "1"
"""Raised with every change of the lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Words of one topic.

    Attributes:
        id: name of the topic, kept with each seed it selects.
        words: stems and phrases, lower case.
    """

    id: str
    words: tuple[str, ...]


TOPICS: tuple[Topic, ...] = (
    Topic(id="care", words=(
        "doctor*", "physician*", "nurse*", "surgeon*", "hospital*", "clinic", "clinics", "clinical*", "patient",
        "patients", "medical*", "medicine*", "medicinal", "pharmac*", "healthcare", "health", "healthy",
        "unhealthy", "ambulance*", "paramedic*", "dentist*", "midwi*", "therapist*", "psychiatr*", "psychotherap*",
        "caregiver*", "diagnos*", "prognos*", "surgery", "surgeries", "surgical*", "telehealth", "emergency room",
        "first aid", "home remed*", "health coach*",
    )),
    Topic(id="disease", words=(
        "disease*", "illness*", "symptom*", "syndrome*", "disorder*", "cancer*", "tumor*", "tumour*",
        "chemotherap*", "diabet*", "insulin", "asthma*", "stroke*", "heart attack*", "hypertens*", "blood pressure",
        "infect*", "influenza", "covid*", "pandemic*", "epidemic*", "hiv", "aids", "hepatitis", "malaria",
        "measles", "tubercul*", "alzheimer*", "dementia*", "epilep*", "seizure*", "allerg*", "anaphyla*", "fever*",
        "headache*", "migraine*", "wound*", "bleed*", "fracture*", "obes*", "pregnan*", "miscarr*", "abortion*",
        "contracepti*", "fetus*", "foetus*", "autis*", "adhd", "vitamin*", "supplement*", "cholesterol", "kidney*",
        "liver*", "lung*",
    )),
    Topic(id="medicines", words=(
        "medication*", "prescription*", "prescrib*", "dose", "doses", "dosage*", "overdos*", "pill", "pills",
        "painkiller*", "opioid*", "opiate*", "morphine", "fentanyl", "oxycodone", "codeine", "heroin", "cocaine",
        "methamphetamine*", "amphetamine*", "ecstasy", "mdma", "lsd", "cannabis", "marijuana", "ketamine",
        "benzodiazepine*", "xanax", "adderall", "ritalin", "antidepress*", "antibiotic*", "sedative*",
        "sleeping pill*", "steroid*", "anaesthe*", "anesthe*", "drug", "drugs", "addict*", "rehab*",
        "withdrawal symptom*", "vaccin*", "immuni*", "laxative*", "alcohol*",
    )),
    Topic(id="mind", words=(
        "mental*", "depress*", "anxi*", "suicid*", "self-harm*", "self harm*", "selfharm*", "anorexi*", "bulimi*",
        "eating disorder*", "purging", "panic attack*", "psycholog*", "psychosis", "psychotic", "schizophren*",
        "bipolar", "trauma*", "ptsd", "grief", "gaslight*", "emotional abuse", "bully*", "bullie*",
    )),
    Topic(id="poisons", words=(
        "poison*", "toxin*", "toxic substance*", "venom*", "ricin", "cyanide", "arsenic", "anthrax", "botulin*",
        "pathogen*", "virus", "viruses", "viral infection*", "bacteri*", "biological weapon*", "bioweapon*",
        "biological agent*", "nerve agent*", "chemical weapon*", "nerve gas", "sarin", "mercury", "contaminat*",
    )),
    Topic(id="records", words=(
        "medical record*", "health record*", "health data", "patient data", "patient record*", "test result*",
        "hipaa", "health insurance", "genetic test*", "dna test*", "medical histor*", "medical confidential*",
        "organ trade", "organ donat*", "transplant*", "fake cure*", "miracle cure*", "homeopath*",
    )),
)  # fmt: skip
"""In the order in which they are tried; a seed keeps every topic that fits."""


def health_topics(text: str, extra: Iterable[str] = (), without: Iterable[str] = ()) -> tuple[str, ...]:
    """Topics whose words stand in a text, "extra" for the user's own; none for a text that is not about health.

    Args:
        text: any text; case does not matter.
        extra: further stems or phrases.
        without: phrases that are taken out of the text first ("computer virus").
    """
    lowered = text.lower().replace("\u2019", "'")
    removed = tuple(without)
    if removed:
        lowered = _pattern(removed).sub(" ", lowered)
    found = [topic.id for topic in TOPICS if _pattern(topic.words).search(lowered)]
    own = tuple(extra)
    if own and _pattern(own).search(lowered):
        found.append("extra")
    return tuple(found)


NOT_HEALTH: tuple[str, ...] = (
    "computer virus*",
    "virus scanner*",
    "antivirus*",
    "malware*",
    "drug store owner*",
    "stroke order",
    "bleeding edge",
)
"""Phrases of other fields that hold a word of a list; taken out by default."""


@functools.cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    parts = [re.escape(word.lower().rstrip("*")) + (r"\w*" if word.endswith("*") else "") for word in words]
    return re.compile(r"(?<!\w)(?:" + "|".join(parts) + r")(?!\w)")
