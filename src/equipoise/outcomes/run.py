"""A run folder: run.json, outcomes.parquet, judgements.parquet.

run.json is written last and holds the hashes of the two tables, so a folder whose writing was cut short is recognised
when read.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from equipoise.errors import InputError, UsageError
from equipoise.ids import bytes_hash
from equipoise.outcomes.parquet import read_parquet
from equipoise.outcomes.readers import parse_json, read_text
from equipoise.outcomes.schema import (
    JUDGEMENTS_SCHEMA,
    OUTCOMES_SCHEMA,
    SCHEMA_VERSION,
    judgements_table,
    outcomes_table,
    problems,
)

RUN_FILE = "run.json"
TABLES: tuple[str, ...] = ("outcomes", "judgements")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """What was run, on what, by which versions: enough to do it again.

    Attributes:
        run_id: identifier of the run; the same in every row of its tables.
        created_at: ISO date and time as given by the caller; nothing here reads a clock.
        benchmark: identifier of the benchmark.
        systems: the systems that answered.
        versions: version by name ("equipoise", "python", a model).
        dataset_hash: content hash of the items.
        prompts_hash: content hash of the prompts; empty without prompts.
        protocol_hash: content hash of the protocol fixed beforehand; empty without one.
        evidence_hash: content hash of the evidence base; empty when none was read.
        policy_hash: content hash of the policy; empty when none was applied.
        arguments: arguments of the command, by name.
        environment: what it ran on, see `outcomes.environment.environment`; empty for runs that did not record it.
        schema_version: version of the tables.
    """

    run_id: str
    created_at: str
    benchmark: str
    systems: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    dataset_hash: str = ""
    prompts_hash: str = ""
    protocol_hash: str = ""
    evidence_hash: str = ""
    policy_hash: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    schema_version: str = SCHEMA_VERSION

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, in the order of the attributes."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return values | {
            "systems": list(self.systems),
            "versions": dict(self.versions),
            "arguments": dict(self.arguments),
            "environment": dict(self.environment),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as read back.

    Attributes:
        info: what was run.
        outcomes: one row a reply.
        judgements: one row a judgement; without rows when nothing was judged.
    """

    info: RunInfo
    outcomes: pa.Table
    judgements: pa.Table


def write_run(
    folder: str | Path,
    info: RunInfo,
    outcomes: pa.Table | Iterable[Mapping[str, Any]],
    judgements: pa.Table | Iterable[Mapping[str, Any]] = (),
    *,
    overwrite: bool = False,
) -> Path:
    """Writes a run folder; what is there under the names is whole or recognisably not.

    Args:
        folder: the folder; its parent is made when missing.
        info: what was run.
        outcomes: a table, or rows as mappings.
        judgements: a table, or rows as mappings.
        overwrite: replace the files of a different run. The same run (equal run_id) may always be written again.

    Returns:
        The folder.

    Raises:
        UsageError: the folder holds a different run, or things that are not a run, or cannot be written.
        InputError: the tables are not sound; the text lists every problem with row and column.
    """
    folder = Path(folder)
    tables = {
        "outcomes": outcomes if isinstance(outcomes, pa.Table) else outcomes_table(outcomes),
        "judgements": judgements if isinstance(judgements, pa.Table) else judgements_table(judgements),
    }
    _require_sound(info, tables, file=None)
    _require_free(folder, info.run_id, overwrite=overwrite)
    try:
        _place(folder, info, tables)
    except OSError as error:
        message = f"the folder cannot be written ({error.strerror or 'unknown reason'}); name another one"
        raise UsageError(message, file=str(folder)) from error
    return folder


def _place(folder: Path, info: RunInfo, tables: Mapping[str, pa.Table]) -> None:
    """Write the files beside the folder first, then put them in their place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        inner = Path(scratch) / "run"
        inner.mkdir()
        _write_files(inner, info, tables)
        if folder.exists():
            for name in (*(f"{table}.parquet" for table in TABLES), RUN_FILE):
                os.replace(inner / name, folder / name)  # noqa: PTH105
        else:
            shutil.move(inner, folder)


def read_run(folder: str | Path) -> Run:
    """Reads a run folder and checks it.

    Raises:
        UsageError: there is no run in the folder.
        InputError: a file is damaged, of another version, or not sound; the text lists every problem with row and
            column.
    """
    folder = Path(folder)
    if not (folder / RUN_FILE).is_file():
        message = f"there is no run here: {RUN_FILE} is missing"
        raise UsageError(message, file=str(folder))
    info, hashes = _read_info(folder / RUN_FILE)
    tables = {name: _read_table(folder / f"{name}.parquet", hashes.get(name)) for name in TABLES}
    _require_sound(info, tables, file=str(folder))
    return Run(info=info, outcomes=tables["outcomes"], judgements=tables["judgements"])


def _write_files(folder: Path, info: RunInfo, tables: Mapping[str, pa.Table]) -> None:
    schemas = {"outcomes": OUTCOMES_SCHEMA, "judgements": JUDGEMENTS_SCHEMA}
    hashes = {}
    for name in TABLES:
        path = folder / f"{name}.parquet"
        pq.write_table(tables[name].select(schemas[name].names).cast(schemas[name]), path, compression="zstd")
        hashes[name] = bytes_hash(path.read_bytes())
    text = json.dumps(info.to_dict() | {"tables": hashes}, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / RUN_FILE).write_text(text + "\n", encoding="utf-8")


def _require_free(folder: Path, run_id: str, *, overwrite: bool) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        message = "this is a file; a run needs a folder"
        raise UsageError(message, file=str(folder))
    if not (folder / RUN_FILE).is_file():
        if any(folder.iterdir()):
            message = "the folder holds other things than a run; name a new or empty folder"
            raise UsageError(message, file=str(folder))
        return
    if overwrite:
        return
    present, _ = _read_info(folder / RUN_FILE)
    if present.run_id != run_id:
        message = (
            f"the folder holds another run ({present.run_id}); name another folder or ask for it to be overwritten"
        )
        raise UsageError(message, file=str(folder))


def _read_info(path: Path) -> tuple[RunInfo, dict[str, str]]:
    value = parse_json(read_text(path), file=str(path))
    if not isinstance(value, dict):
        message = "expected a JSON object"
        raise InputError(message, file=str(path))
    version = value.get("schema_version")
    if version != SCHEMA_VERSION:
        message = f"expected version {SCHEMA_VERSION!r} of the tables, found {version!r}"
        raise InputError(message, file=str(path), field="schema_version")
    known = {item.name for item in fields(RunInfo)}
    for name in ("run_id", "created_at", "benchmark"):
        if not isinstance(value.get(name), str):
            message = "expected a text"
            raise InputError(message, file=str(path), field=name)
    kept = {name: item for name, item in value.items() if name in known}
    kept["systems"] = tuple(kept.get("systems", ()))
    hashes = value.get("tables")
    return RunInfo(**kept), hashes if isinstance(hashes, dict) else {}


def _read_table(path: Path, expected_hash: str | None) -> pa.Table:
    if not path.is_file():
        message = "the file is missing; the run is incomplete"
        raise InputError(message, file=str(path))
    data = path.read_bytes()
    if bytes_hash(data) != expected_hash:
        message = f"the file is not the one that {RUN_FILE} was written with; the run is damaged or was cut short"
        raise InputError(message, file=str(path))
    try:
        return read_parquet(data)
    except pa.ArrowException as error:
        message = f"not a Parquet file ({error})"
        raise InputError(message, file=str(path)) from error


def _require_sound(info: RunInfo, tables: Mapping[str, pa.Table], *, file: str | None) -> None:
    found = [text for name in TABLES for text in problems(name, tables[name])]
    if not found:
        for name in TABLES:
            runs = tables[name].column("run").to_pylist()
            found += [
                f"{name}, row {row}, column run: {run!r} is not this run ({info.run_id})"
                for row, run in enumerate(runs)
                if run != info.run_id
            ]
        replies = set(tables["outcomes"].column("reply_id").to_pylist())
        found += [
            f"judgements, row {row}, column reply_id: no outcome has {reply!r}"
            for row, reply in enumerate(tables["judgements"].column("reply_id").to_pylist())
            if reply not in replies
        ]
    if found:
        message = f"{len(found)} problem{'s' if len(found) > 1 else ''}:\n" + "\n".join(found)
        raise InputError(message, file=file)
