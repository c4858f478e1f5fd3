"""The two messages a judge gets: rubric and rules in the first, the fenced material in the second.

The words on the fence and the check code come from hashes of all that is judged. A text would have to hold its own
hash to close its fence or to know the code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.ids import content_hash
from equipoise.judging.inert import inert
from equipoise.judging.material import Asked, JudgeMaterial, questions, require_parts
from equipoise.judging.rubric import Part, Rubric
from equipoise.judging.scales import Scale
from equipoise.judging.wording import AGAIN, ANSWER, CLOSING, DATA, OPENING


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A question to a judge, ready to be sent.

    Attributes:
        system: first message: rubric and rules.
        user: second message: the material.
        nonce: check code the reply has to hold.
        delimiter: word on the fences.
        asked: the questions.
        material_hash: hash of rubric and material; equal hashes mean that the same is judged by the same rubric.
        schema: JSON schema of the reply.
    """

    system: str
    user: str
    nonce: str
    delimiter: str
    asked: tuple[Asked, ...]
    material_hash: str
    schema: Mapping[str, Any]


def prepare(rubric: Rubric, material: JudgeMaterial, *, repeat: int = 1, attempt: int = 1, why: str = "") -> Prepared:
    """The messages for one item: the same bytes for the same arguments.

    Args:
        rubric: the rubric.
        material: the texts.
        repeat: repeat of the judgement, from 1; it changes the check code.
        attempt: try of this repeat, from 1; so does this.
        why: why the try before could not be read, in this package's words.

    Raises:
        InputError: the item lacks a part, or its entries have no identifiers of their own.
    """
    require_parts(rubric, material)
    asked = questions(rubric, material)
    shown = [(part, text) for part in rubric.sees if (text := _text_of(part, material))]
    material_hash = content_hash([rubric.hash, [[part.part, text] for part, text in shown], [q.key for q in asked]])
    whole = "\n".join(text for _, text in shown)
    delimiter = _absent("fence", whole, material_hash, repeat, attempt)
    nonce = _absent("code", whole, material_hash, repeat, attempt)
    schema = schema_of(asked)
    system = "\n\n".join(
        (
            OPENING.format(judged=rubric.judged),
            rubric.instruction,
            "\n\n".join(_question(criterion, asked) for criterion in _criteria(asked)),
            DATA.format(
                delimiter=delimiter, parts="\n".join(f"- {part.part}: {part.called}" for part, _ in shown)
            ),
            ANSWER.format(nonce=nonce, schema=json.dumps(schema, ensure_ascii=False)),
        )
    )  # fmt: skip
    fenced = [f"[[BEGIN {delimiter} {part.part}]]\n{text}\n[[END {delimiter} {part.part}]]" for part, text in shown]
    closing = [CLOSING.format(nonce=nonce)] if attempt == 1 else [AGAIN.format(why=why), CLOSING.format(nonce=nonce)]
    return Prepared(
        system=system,
        user="\n\n".join((*fenced, *closing)),
        nonce=nonce,
        delimiter=delimiter,
        asked=asked,
        material_hash=material_hash,
        schema=schema,
    )


def schema_of(asked: tuple[Asked, ...]) -> dict[str, Any]:
    """JSON schema of a reply: the code, and by criterion reason, scope where it is asked, and a value of the scale.

    The code itself is not part of the schema: a provider that forces replies into it would supply the code for a judge
    that lost it.
    """
    return _object(
        {
            "nonce": {"type": "string"},
            "verdicts": _object({item.key: _verdict(item) for item in asked}),
        }
    )


def _verdict(item: Asked) -> dict[str, Any]:
    scale = item.criterion.scale
    kind = "integer" if scale.integers else "string"
    values: list[Any] = [int(one.value) if scale.integers else one.value for one in scale.values]
    value: dict[str, Any] = {"type": kind, "enum": values}
    properties: dict[str, Any] = {"reason": {"type": "string"}}
    if item.criterion.in_scope:
        properties["in_scope"] = {"type": "boolean"}
        value = {"anyOf": [value, {"type": "null"}]}
    return _object(properties | {"value": value})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _absent(kind: str, text: str, *parts: Any) -> str:
    """A word made of a hash that does not stand in the text."""
    number = 0
    while (word := content_hash([kind, number, *parts])) in text:
        number += 1
    return word


def _text_of(part: Part, material: JudgeMaterial) -> str:
    """The text of a part, inert; entries and alternatives are numbered; empty when there is none."""
    if part.list:
        entries = material.lists.get(part.part, ())
        return "\n".join(f"{place}. {inert(entry.text)}" for place, entry in enumerate(entries, start=1))
    value = material.parts.get(part.part, "")
    texts = [inert(text) for text in ((value,) if isinstance(value, str) else value) if text.strip()]
    if len(texts) < 2:
        return "".join(texts)
    return "\n\n".join(f"Alternative {place}:\n{text}" for place, text in enumerate(texts, start=1))


def _criteria(asked: tuple[Asked, ...]) -> list[str]:
    return list(dict.fromkeys(item.criterion.id for item in asked))


def _question(criterion_id: str, asked: tuple[Asked, ...]) -> str:
    own = [item for item in asked if item.criterion.id == criterion_id]
    criterion = own[0].criterion
    if criterion.each:
        keys = ", ".join(f'"{item.key}" for entry {item.place}' for item in own)
        head = f"Criterion, asked of each entry of {criterion.each} ({keys}): {criterion.question}"
    else:
        head = f'Criterion "{own[0].key}": {criterion.question}'
    scope = [f"First decide whether it applies (in_scope): {criterion.in_scope}"] if criterion.in_scope else []
    return "\n".join((head, *scope, *_values(criterion.scale)))


def _values(scale: Scale) -> list[str]:
    told = [f"- {item.value}: {item.definition}" for item in scale.values if item.definition]
    between = any(not item.definition for item in scale.values)
    return [*told, "Whole numbers between these mean what lies between them."] if between else told
