"""The question as every system reads it: a record, a day, a jurisdiction and the rules, between two lines of their own.

The block is the one place where a case enters a prompt. Language models read it as text; the deterministic systems
read the same block back, so that nobody is told more than anybody else.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.errors import InputError

RULES: tuple[str, ...] = ("label", "openmtb-2026")
"""What may count; each has a text beside the prompts and a policy of the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked.

    Attributes:
        record: the case as the system may see it; no identifier and no reference element.
        as_of: day for which the sources are read.
        jurisdiction: of which they speak.
        rules: one of `RULES`.
    """

    record: Mapping[str, Any]
    as_of: dt.date
    jurisdiction: str
    rules: str


def block(question: Question) -> str:
    r"""The question as text: JSON between the lines `<case>` and `</case>`.

    A line feed inside a text is escaped by JSON, and `</` is written `<\/`, so that no record can close the block.
    """
    value = {
        "as_of": question.as_of.isoformat(),
        "jurisdiction": question.jurisdiction,
        "rules": question.rules,
        "record": dict(question.record),
    }
    return f"<case>\n{data_text(json.dumps(value, ensure_ascii=False, indent=1, default=str))}\n</case>"


def data_text(text: str) -> str:
    """Text for a delimited block: no closing mark can stand in it."""
    return text.replace("</", "<\\/")


_BLOCK = re.compile(r"^<case>\n(.*?)\n</case>$", re.MULTILINE | re.DOTALL)


def read_block(text: str) -> Question:
    """The question of a text; the last block counts.

    Raises:
        InputError: there is no block, or it is not one that `block` wrote.
    """
    found = _BLOCK.findall(text)
    if not found:
        message = "the prompt holds no case: expected JSON between the lines <case> and </case>"
        raise InputError(message, field="case")
    try:
        value = json.loads(found[-1])
        return Question(
            record=dict(value["record"]),
            as_of=dt.date.fromisoformat(value["as_of"]),
            jurisdiction=str(value["jurisdiction"]),
            rules=str(value["rules"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        message = f"the case of the prompt cannot be read ({error!r})"
        raise InputError(message, field="case") from error
