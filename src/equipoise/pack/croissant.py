"""The evaluated replies as a data set in Croissant 1.0 with the RAI vocabulary 1.0.

Specifications: https://docs.mlcommons.org/croissant/docs/croissant-spec.html and croissant-rai-spec.md of
https://github.com/mlcommons/croissant . Properties that a person writes are left out and stand as open items in the pack.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from equipoise.outcomes.schema import OUTCOME_COLUMNS
from equipoise.pack.sources import Source
from equipoise.pack.tree import Tree, told
from equipoise.report.inert import inert

CROISSANT = "croissant.json"

CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context that the specification asks for."""

_TYPES: tuple[tuple[Any, str], ...] = (
    (pa.types.is_boolean, "sc:Boolean"),
    (pa.types.is_integer, "sc:Integer"),
    (pa.types.is_floating, "sc:Float"),
)


def croissant_json(sources: Sequence[Source], tree: Tree, hashes: Mapping[str, str], *, created_at: str) -> str:
    """The description of the replies.

    Args:
        sources: the runs.
        tree: the stored fields.
        hashes: SHA-256 by the name of each file of the pack.
        created_at: date and time of the pack.
    """
    benchmarks = sorted({item.run.info.benchmark for item in sources})
    name = "-".join(["evaluation", *benchmarks])
    value: dict[str, Any] = {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "name": _plain(name),
        "description": _plain(
            f"Replies of {len(sources)} evaluation run{'s' if len(sources) > 1 else ''} on {', '.join(benchmarks)}, one row "
            f"a reply, with reference and state. Cases: {_stored(tree, 'data.name') or 'not stated'}."
        ),
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "version": "1.0.0",
        "isLiveDataset": False,
        "dateCreated": _plain(created_at),
        "rai:machineAnnotationTools": [_plain(text) for text in _tools(tree)],
    }
    missing = _stored(tree, "data.field_missingness")
    if missing:
        value["rai:dataCollectionMissingData"] = _plain(missing)
    value["distribution"] = [_file(item, path, hashes[path]) for item in sources for path in sorted(item.files)
                             if path == item.outcomes_file]  # fmt: skip
    value["recordSet"] = [_records(item) for item in sources]
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _tools(tree: Tree) -> list[str]:
    found = [_stored(tree, "reply.reader"), _stored(tree, "run.code_version")]
    return [text if number == 0 else f"equipoise {text}" for number, text in enumerate(found) if text]


def _file(source: Source, path: str, digest: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "description": f"Outcomes of run {_plain(source.run.info.run_id)}.",
        "contentUrl": path,
        "contentSize": f"{len(source.files[path])} B",
        "encodingFormat": "application/x-parquet",
        "sha256": digest,
    }


def _records(source: Source) -> dict[str, Any]:
    name = f"{source.name.rpartition('/')[2]}-outcomes"
    fields = []
    for column in OUTCOME_COLUMNS:
        field: dict[str, Any] = {
            "@type": "cr:Field",
            "@id": f"{name}/{column.name}",
            "name": f"{name}/{column.name}",
            "description": column.description,
            "dataType": _type(column.type),
            "source": {"fileObject": {"@id": source.outcomes_file}, "extract": {"column": column.name}},
        }
        if pa.types.is_list(column.type):
            field["repeated"] = True
        fields.append(field)
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}


def _type(kind: pa.DataType) -> str:
    return next((name for test, name in _TYPES if test(kind)), "sc:Text")


def _stored(tree: Tree, path: str) -> str:
    found = tree.get(path)
    return "" if found is None else found.text or told(found.value)


def _plain(text: str) -> str:
    return inert(text)
