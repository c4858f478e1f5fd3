"""What each stage makes of a model's reply, on the exam that another author wrote before the stages.

First contact: 45 of 63 outcomes as the exam asks.
"""

from __future__ import annotations

import pytest

from boards.curation.stage_exam import STAGES, exam, met

ITEMS = [(stage, number, item) for stage in STAGES for number, item in enumerate(exam()[stage]["replies"])]


@pytest.mark.parametrize(("stage", "number", "item"), ITEMS, ids=[f"{stage}-{number}" for stage, number, _ in ITEMS])
def test_a_reply_is_taken_refused_or_repaired_as_the_exam_asks(stage, number, item):
    assert met(stage, item) == ""
