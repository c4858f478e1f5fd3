"""The first exam, written without knowledge of the detector: the figures reached, and that its rows are read at all.

The layer was trained on these rows after the first contact, so the figures say that nothing was lost, not how well unseen
replies are read; that is in `rounds.md`.
"""

from __future__ import annotations

import json
from pathlib import Path

from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.detector import VERSION, read_reply
from equipoise.refusal.detector.layer import layer

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "fixtures" / "replies.jsonl").read_text(encoding="utf-8").splitlines()
]
ENGLISH = [row for row in ROWS if row["kind"] != "other-language"]
THREE_CLASSES, REFUSED = 0.96, 0.97
FITTED = ("2", "fc0ea64b8a66b6bb85353a98b46ae098219454639bc9f0f3ed26c05830337152")
"""Version and weights that the figures belong to: fitted to these rows. Another layer needs figures of its own."""


def test_the_figures_belong_to_the_layer_that_was_fitted_to_these_rows():
    assert (VERSION, layer().digest) == FITTED


def test_the_exam_is_read_in_three_classes_and_as_refused_or_not():
    found = [read_reply(row["reply"], row["prompt"]).refusal for row in ENGLISH]
    exact = sum(one == row["expected"] for one, row in zip(found, ENGLISH, strict=True))
    two = sum((one != "none") == (row["expected"] != "none") for one, row in zip(found, ENGLISH, strict=True))
    assert len(ENGLISH) == 372
    assert exact / len(ENGLISH) >= THREE_CLASSES
    assert two / len(ENGLISH) >= REFUSED


def test_every_english_row_is_read_and_no_row_in_another_language():
    for row in ROWS:
        state = read_reply(row["reply"], row["prompt"]).state
        assert state is (ReplyState.UNPARSED if row["kind"] == "other-language" else ReplyState.OK), row["id"]
