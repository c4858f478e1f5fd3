"""Blinding: fields that name a source, and texts in which a source names itself."""

import pytest

from equipoise.outcomes.schema import OUTCOME_COLUMNS
from equipoise.study.blinding import MASK, identifying, mask


@pytest.mark.parametrize("field", ["model", "Model", " support_label ", "error_type", "expected", "provider", "arm"])
def test_a_field_that_names_source_or_answer_is_hidden(field):
    assert identifying(field)


@pytest.mark.parametrize("field", ["reply", "patient_summary", "ecog", "proposed_therapy"])
def test_a_field_of_the_case_is_not(field):
    assert not identifying(field)


def test_every_column_of_the_outcomes_that_names_a_system_is_hidden():
    telling = {"run", "system", "model", "model_family", "provider", "expected", "label", "arm", "latency", "cost"}
    assert telling <= {column.name for column in OUTCOME_COLUMNS}
    assert all(identifying(name) for name in telling)


@pytest.mark.parametrize(
    ("text", "names", "shown", "count"),
    [
        ("I am Alpha, made by Vendor.", ["vendor/Alpha-3-large"], f"I am {MASK}, made by {MASK}.", 2),
        ("As ALPHA-3.5 I cannot", ["alpha-3.5"], f"As {MASK} I cannot", 1),
        ("As alpha 3 I cannot", ["alpha-3.5"], f"As {MASK} I cannot", 1),
        ("alphabet soup", ["alpha"], "alphabet soup", 0),
        ("A1 and B2", ["a1"], "A1 and B2", 0),
        ("nothing here", [], "nothing here", 0),
        ("a (b) alpha", ["alpha(b)"], "a (b) alpha", 0),
    ],
)
def test_a_source_that_names_itself_is_masked(text, names, shown, count):
    result = mask(text, names)
    assert (result.text, result.count) == (shown, count)
