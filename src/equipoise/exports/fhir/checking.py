"""Holds a written bundle against the models of fhir.resources (R4B), entry by entry, beside our own rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise._optional import require
from equipoise.errors import InternalError
from equipoise.exports.fhir.rules import Problem, problems


def library_problems(bundle: Mapping[str, Any]) -> tuple[Problem, ...]:
    """What the models of fhir.resources refuse.

    The models are of R4B, since there are none of R4; the elements written here are the same in both. They check names, types and
    cardinalities of elements, and no required binding.

    Args:
        bundle: a Bundle as JSON.

    Raises:
        DependencyError: fhir.resources is not installed.
    """
    from pydantic import ValidationError

    found = []
    parts: list[tuple[str, Mapping[str, Any]]] = [
        ("Bundle", {key: item for key, item in bundle.items() if key != "entry"})
    ]
    for number, entry in enumerate(bundle.get("entry") or (), start=1):
        resource = entry.get("resource")
        if isinstance(resource, Mapping):
            parts.append((f"{resource.get('resourceType')}, entry {number}", resource))
    for place, resource in parts:
        kind = str(resource.get("resourceType"))
        model = _model(kind)
        if model is None:
            found.append(Problem(place, "library", "The library has no such resource."))
            continue
        try:
            model.model_validate(dict(resource))
        except ValidationError as error:
            found.extend(
                Problem(place, "library", f"{'.'.join(map(str, one['loc']))}: {one['msg']}") for one in error.errors()
            )
    return tuple(found)


def check(bundle: Mapping[str, Any]) -> None:
    """Refuse to hand out a bundle that breaks one of our own rules.

    Raises:
        InternalError: it does; the message names the first rule and place.
    """
    found = problems(bundle)
    if found:
        first = found[0]
        message = f"a FHIR bundle was written that breaks {first.rule} ({first.place}): {first.text}"
        raise InternalError(message)


def _model(kind: str) -> Any:
    resources = require("fhir.resources.R4B", extra="fhir")
    try:
        return resources.get_fhir_model_class(kind)
    except (LookupError, ImportError):
        return None
