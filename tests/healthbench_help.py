"""Graders of HealthBench's criteria whose verdict a test writes."""

from __future__ import annotations

import json
import re

from evals_help import written


def criterion_of(prompt):
    """The criterion that a grader is shown, from its fence."""
    return re.search(r"\[\[BEGIN \w+ criterion\]\]\n(.*?)\n\[\[END", prompt, re.DOTALL)[1]


def reply_of(prompt):
    return re.search(r"\[\[BEGIN \w+ reply\]\]\n(.*?)\n\[\[END", prompt, re.DOTALL)[1]


def grading(decide):
    """A grader whose verdict a function makes of criterion and reply: True, False, or a text that is the whole answer."""

    def answer(prompt):
        value = decide(criterion_of(prompt), reply_of(prompt))
        if not isinstance(value, bool):
            return value
        nonce = re.findall(r"check code ([0-9a-f]{16})", prompt)[-1]
        verdict = {"reason": "r", "value": "met" if value else "not_met"}
        return json.dumps({"nonce": nonce, "verdicts": {"met": verdict}})

    return written(answer)
