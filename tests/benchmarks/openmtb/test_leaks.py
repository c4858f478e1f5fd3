"""Nothing in the inputs may give the reference away to a reader without drug knowledge.

Such a reader sees fields, their order, how values are written (letters as "a", digits as "9") and the words, but
takes every drug for any other drug and every alteration for any other alteration. Two learners read like that: the best
single feature (a decision stump) and naive Bayes over all of them; both are trained on some families (a clean case with
what was made from it) and tested on others.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files

import numpy as np
import pytest
import yaml

from equipoise.benchmarks.openmtb.error_types import ALL_TYPES, NONE
from equipoise.benchmarks.openmtb.generate import generate
from equipoise.benchmarks.openmtb.generator.spelling import COMPANIONS, MARKERS, NOT_ACTIONABLE, UNCERTAIN

COVERAGE = yaml.safe_load(
    files("equipoise.evidence").joinpath("knowledge/nsclc/coverage.yaml").read_text(encoding="utf-8")
)
DRUGS = sorted((row["drug"] for row in COVERAGE), key=len, reverse=True)
VARIANTS = sorted(
    {
        *(text for texts in MARKERS.values() for text in texts),
        *(text for texts in UNCERTAIN.values() for text in texts),
        *(text for texts in NOT_ACTIONABLE.values() for text in texts),
        *(text for text, _ in COMPANIONS),
    },
    key=len,
    reverse=True,
)
MASKS = (
    (re.compile("|".join(map(re.escape, DRUGS)), re.IGNORECASE), "Q"),
    (re.compile("|".join(map(re.escape, VARIANTS))), "V"),
)
UNDOCUMENTED = {"-", "null", '"unknown"', '"not documented"'}

# What an edit cannot help changing, by error type: features that start with one of these are kept from the learner.
NECESSARY = {
    "missing_critical_information": ("biomarkers", "pdl1", "prior_therapies", "histology", "setting", "count", "word"),
    "wrong_drug": (),
    "wrong_context": (),
    "hallucinated_variant": ("count uncertain", "word uncertain", "word significance", "word present", "biomarkers"),
    "unsafe_overconfidence": ("ecog", "word"),
    "wrong_line": ("prior_therapies", "count", "word"),
    "wrong_setting": ("stage", "setting", "brain_mets", "word"),
    "resistance_variant": ("count", "biomarkers", "word"),
    "histology_conflict": ("histology", "word"),
    "withdrawn_drug": (),
}


def masked(value):
    text = json.dumps(value, ensure_ascii=False)
    for pattern, mark in MASKS:
        text = pattern.sub(mark, text)
    return text


def shape(text):
    return re.sub(r"9+", "9", re.sub(r"\d", "9", re.sub(r"[A-Za-z]+", "a", text)))[:60]


def features(record):
    """Everything that a reader without drug knowledge can see, as a set of names."""
    found = set()
    inputs = {key: value for key, value in record.items() if key not in ("case_id", "reference")}
    for place, (key, value) in enumerate(inputs.items()):
        text = masked(value)
        found.add(f"{key} present")
        found.add(f"{key} early {place < len(inputs) // 2}")
        if key == "biomarkers":
            found.add(f"biomarkers entry {shape(text)[:24]}")
            for mark in ("uncertain", "absent", "negative", "pending", "not", "V"):
                found.add(f"count {mark} {min(len(re.findall(rf'{mark}', text)), 9)}")
            found.add(f"count entries {len(value)}")
        elif key == "age":
            found.add(f"age {value // 10}")
        else:
            found.add(f"{key} is {shape(text)}")
            if key not in ("recommendation", "recommendations", "prior_therapies", "tmb", "pdl1", "qtc_ms"):
                found.add(f"{key} value {text[:60]}")
        found |= {f"word {word.lower()}" for word in re.findall(r"[A-Za-z]{2,}", text) if len(word) > 2}
    found.add(f"length {len(masked(inputs)) // 150}")
    return found


def table(records):
    sets = [features(record) for record in records]
    names = sorted({name for found in sets for name in found})
    index = {name: place for place, name in enumerate(names)}
    rows = np.zeros((len(sets), len(names)), dtype=bool)
    for row, found in zip(rows, sets, strict=True):
        row[[index[name] for name in found]] = True
    return names, rows


def balanced(answers, truth):
    return (answers[truth].mean() + (~answers[~truth]).mean()) / 2


def cross_validated(rows, truth, families, folds=5):
    """Balanced accuracy of naive Bayes and of the best single feature, on families that were not trained on."""
    fold_of = {family: place % folds for place, family in enumerate(sorted(set(families)))}
    fold = np.array([fold_of[family] for family in families])
    bayes, stump = np.zeros(len(truth), dtype=bool), np.zeros(len(truth), dtype=bool)
    for test in range(folds):
        learn, held = fold != test, fold == test
        yes, no = rows[learn & truth], rows[learn & ~truth]
        p, q = (yes.sum(0) + 1) / (len(yes) + 2), (no.sum(0) + 1) / (len(no) + 2)
        here = rows[held]
        scores = here @ (np.log(p) - np.log(q)) + ~here @ (np.log1p(-p) - np.log1p(-q))
        bayes[held] = scores > 0
        gain = p - q
        best = int(np.argmax(np.abs(gain)))
        stump[held] = here[:, best] if gain[best] > 0 else ~here[:, best]
    return balanced(bayes, truth), balanced(stump, truth)


@pytest.fixture(scope="module")
def drawn():
    records = generate(counts={NONE: 700, **dict.fromkeys(ALL_TYPES, 200)}, seed=11)
    names, rows = table(records)
    types = np.array([record["reference"]["error_type"] for record in records])
    families = np.array([record["reference"]["parent_id"] or record["case_id"] for record in records])
    return names, rows, types, families


def chance(truth):
    """Three standard errors above one half: what a guess reaches on that many errors and parents."""
    return 0.5 + 3 * 0.25 * (1 / truth.sum() + 1 / (~truth).sum()) ** 0.5


@pytest.mark.parametrize("error_type", ALL_TYPES)
def test_an_error_looks_like_its_parents(drawn, error_type):
    names, rows, types, families = drawn
    parents = set(families[types == error_type]) & set(families[types == NONE])
    chosen = ((types == error_type) | (types == NONE)) & np.isin(families, list(parents))
    kept = [place for place, name in enumerate(names) if not name.startswith((*NECESSARY[error_type], "length"))]
    truth = types[chosen] == error_type
    assert max(cross_validated(rows[chosen][:, kept], truth, families[chosen])) < chance(truth)


def test_what_is_not_documented_is_written_the_same_way():
    records = generate(counts={NONE: 1200, "missing_critical_information": 1200}, seed=12)
    share = {True: [], False: []}
    for record in records:
        wrong = record["reference"]["error_type"] != NONE
        for key in ("pdl1", "prior_therapies", "ecog", "brain_mets"):
            text = json.dumps(record[key]) if key in record else "-"
            if text in UNDOCUMENTED:
                share[wrong].append(text)
    for text in UNDOCUMENTED:
        rates = [share[wrong].count(text) / len(share[wrong]) for wrong in (True, False)]
        assert abs(rates[0] - rates[1]) < 0.06


def test_no_remark_stands_in_brackets_but_outcomes():
    for record in generate(1000, 13, types="all"):
        text = json.dumps({key: value for key, value in record.items() if key != "reference"})
        assert set(re.findall(r"\(([^)]*)\)", text)) <= {"progressed", "completed"}


def test_the_published_mix_as_a_whole():
    """Errors against clean cases, nothing kept from the learner.

    What the five edits show by themselves is ECOG 3 or 4, a fifth of the errors: a reader who knows only that gets
    0.5 + 0.2 / 2 = 0.60. In part they also show that something is missing or called uncertain, which clean cases
    have too; with both, 0.65 is what the edits allow. Four rules of that kind get 0.88 of the published cases right.
    """
    records = generate(1500, 14)
    _, rows = table(records)
    truth = np.array([record["reference"]["error_type"] != NONE for record in records])
    families = np.array([record["reference"]["parent_id"] or record["case_id"] for record in records])
    bayes, stump = cross_validated(rows, truth, families)
    assert stump <= 0.60
    assert bayes <= 0.68
