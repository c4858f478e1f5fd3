"""Family, generation and scale of models from a small file, with one message a fault."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.outcomes.readers import read_text
from equipoise.refusal.measures.families import Lineage

MODEL, FAMILY, GENERATION, SCALE = "model", "family", "generation", "scale"
COLUMNS: tuple[str, ...] = (MODEL, FAMILY, GENERATION, SCALE)
"""Columns of a CSV file, and keys of an entry in YAML. Generation and scale are numbers that grow, and may be left out."""

FORM = "expected models, each with a family and, if known, generation and scale as numbers"


def read_lineages(path: Path) -> dict[str, Lineage]:
    """Lineage by model (or system) from a YAML or CSV file.

    YAML: `models:` with a mapping by model, each with `family`, `generation`, `scale`; or the mapping alone. CSV: the
    columns model, family, generation, scale.

    Args:
        path: .yaml, .yml or .csv file.

    Raises:
        UsageError: there is no such file.
        InputError: another ending, not readable, or entries with faults: each stands in a line of its own.
    """
    suffix = path.suffix.lower()
    if suffix not in (".yaml", ".yml", ".csv"):
        message = f"expected a .yaml or .csv file, found {path.suffix or 'no ending'}"
        raise InputError(message, file=str(path))
    entries = list(_csv(path) if suffix == ".csv" else _yaml(path))
    found: dict[str, Lineage] = {}
    faults: list[str] = []
    for place, name, values in entries:
        lineage, wrong = _lineage(values)
        own = [f"{place}: {text}" for text in wrong]
        if not name:
            own.append(f"{place}: the model has no name")
        elif name in found:
            own.append(f"{place}: the model {name!r} is named twice")
        faults += own
        if not own and lineage is not None:
            found[name] = lineage
    if not entries:
        faults.append(f"the file names no model; {FORM}")
    if faults:
        message = faults[0] if len(faults) == 1 else f"{len(faults)} faults:\n" + "\n".join(faults)
        raise InputError(message, file=str(path))
    return found


def _lineage(values: Mapping[str, Any]) -> tuple[Lineage | None, list[str]]:
    wrong = [f"there is no column {key!r}; expected {', '.join(COLUMNS)}" for key in values if key not in COLUMNS]
    family = values.get(FAMILY)
    if not isinstance(family, str) or not family.strip():
        wrong.append(f"{FAMILY}: expected a name, found {'nothing' if family in (None, '') else repr(family)}")
    numbers: dict[str, float | None] = {}
    for key in (GENERATION, SCALE):
        numbers[key], fault = _number(values.get(key))
        if fault:
            wrong.append(f"{key}: {fault}")
    if wrong:
        return None, wrong
    return Lineage(family=str(family).strip(), generation=numbers[GENERATION], scale=numbers[SCALE]), []


def _number(value: Any) -> tuple[float | None, str]:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None, ""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0:
        return None, f"expected a number of 0 or more, found {value!r}"
    return number, ""


Entry = tuple[str, str, Mapping[str, Any]]
"""Place for messages, model, values."""


def _csv(path: Path) -> Iterator[Entry]:
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        missing = [name for name in (MODEL, FAMILY) if name not in (reader.fieldnames or ())]
        if missing:
            message = f"the column {missing[0]!r} is missing; found {', '.join(reader.fieldnames or ()) or 'none'}"
            raise InputError(message, file=str(path))
        for record in reader:
            place = f"line {reader.line_num}"
            extra = record.pop(None, None)
            if extra:
                yield place, str(record[MODEL] or ""), {**record, f"{len(extra)} cells too many": None}
            else:
                yield place, str(record[MODEL] or "").strip(), record
    except csv.Error as error:
        message = f"not readable CSV ({error})"
        raise InputError(message, file=str(path), line=reader.line_num) from error


def _yaml(path: Path) -> Iterator[Entry]:
    import yaml

    try:
        value = yaml.load(read_text(path), Loader=_strict_loader())
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or "not readable"
        mark = getattr(error, "problem_mark", None)
        message = f"not readable YAML ({problem})"
        raise InputError(message, file=str(path), line=None if mark is None else mark.line + 1) from error
    if isinstance(value, Mapping) and set(value) == {"models"}:
        value = value["models"]
    if not isinstance(value, Mapping):
        message = FORM
        raise InputError(message, file=str(path))
    for name, values in value.items():
        place = f"model {name!r}"
        if isinstance(values, Mapping):
            yield place, str(name).strip(), {str(key): item for key, item in values.items()}
        else:
            yield place, str(name).strip(), {FAMILY: values}


def _strict_loader() -> Any:
    """A loader of plain YAML that refuses a key that stands twice."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key_node, _ in node.value:
                key = self.construct_object(key_node, deep=True)
                if key in seen:
                    problem = f"{key!r} stands twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
                seen.add(key)
            return super().construct_mapping(node, deep)

    return Loader
