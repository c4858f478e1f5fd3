"""Runs the stages in order, does only what is not done, and can be killed anywhere.

A stage is done when its record names the versions, settings, prompts and inputs that hold now and the files it wrote
are whole; the record is written last. Replies of models are in the journal, so doing a stage again asks nothing twice.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.calls import Asker, Tell, require_prices
from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
from equipoise.benchmarks.health_orsc.pipeline.files import file_hash, json_lines, json_text, read_rows, write_whole
from equipoise.benchmarks.health_orsc.pipeline.journal import JOURNAL_FILE, Journal
from equipoise.benchmarks.health_orsc.pipeline.refusals import Reader, detector
from equipoise.benchmarks.health_orsc.pipeline.seeds import read_seeds
from equipoise.benchmarks.health_orsc.pipeline.stages.base import REJECTS, Done, Stage, Work
from equipoise.benchmarks.health_orsc.pipeline.stages.catalogue import FOLDERS, STAGES, find_stage
from equipoise.errors import UsageError
from equipoise.evals.budget import CHARACTERS_PER_TOKEN, Prices
from equipoise.ids import content_hash
from equipoise.outcomes.schema import ReplyState

RECORD = "stage.json"
HUMAN_FOLDER = "human"
"""Where imported labels of raters stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a start did.

    Attributes:
        records: records of the stages that stand, in order.
        ran: stages that this start ran.
        asked: calls it made.
        spent: US dollars it spent, as far as prices are known.
        torn: bytes of a torn line of an earlier start that were cut off the journal.
        unreadable: lines of the journal that could not be read.
        models: calls, tokens and cost by model over all starts.
    """

    records: Mapping[str, Mapping[str, Any]]
    ran: tuple[str, ...]
    asked: int
    spent: float
    torn: int
    unreadable: int
    models: Mapping[str, Mapping[str, Any]]


def run_pipeline(
    loaded: Loaded,
    out: Path,
    *,
    only: str | None = None,
    max_cost: float | None = None,
    reader: Reader | None = None,
    tell: Tell = lambda line: None,
) -> Summary:
    """Run what is not done, or one stage alone.

    Args:
        loaded: the configuration.
        out: the output folder; one that holds an earlier start is gone on with.
        only: a stage that is run again whether it is done or not; the stages before it have to be done.
        max_cost: US dollars for this start.
        reader: reads refusals; by default the detector of this package.
        tell: takes lines on what goes on.

    Raises:
        UsageError: the folder holds other things, the stage does not exist or needs another first, or a limit lacks prices.
        ConfigurationError: a model, prompt or detector cannot be used.
        UpstreamError: calls failed; what was answered is kept.
        BudgetSpentError: the money is spent; what was answered is kept.
        InputError: a seed file cannot be read.
    """
    if only is not None:
        find_stage(only)
    require_prices(loaded.config.models, max_cost)
    _require_own(out)
    wanted = STAGES if only is None else (find_stage(only),)
    if loaded.config.difficulty is not None and reader is None and any(stage.id == "difficulty" for stage in wanted):
        reader = detector()
    with Journal(out) as journal:
        asker = Asker(
            models=loaded.config.models,
            journal=journal,
            seed=loaded.config.seed,
            settings=loaded.config.calls,
            max_cost=max_cost,
            tell=tell,
        )
        records, ran = asyncio.run(_stages(loaded, out, only, asker, reader, tell))
        return Summary(
            records=records,
            ran=ran,
            asked=asker.asked,
            spent=asker.spent,
            torn=journal.torn,
            unreadable=journal.unreadable,
            models=journal.spent(),
        )


async def _stages(
    loaded: Loaded, out: Path, only: str | None, asker: Asker, reader: Reader | None, tell: Tell
) -> tuple[dict[str, Mapping[str, Any]], tuple[str, ...]]:
    records: dict[str, Mapping[str, Any]] = {}
    ran: list[str] = []
    try:
        for stage in STAGES:
            if only is not None and stage.id != only:
                record = _read_record(out / stage.folder)
                if stage.number < find_stage(only).number:
                    _require_done(stage, record, out, loaded, only)
                if record is not None:
                    records[stage.id] = record
                continue
            expected = _expected(stage, loaded, out, reader)
            record = _read_record(out / stage.folder)
            if only is None and record is not None and _fits(record, expected, out / stage.folder):
                tell(f"{stage.number} {stage.id}: done before")
            else:
                record = await _do(stage, expected, loaded, out, asker, reader, records)
                ran.append(stage.id)
                counts = record["counts"]
                tell(
                    f"{stage.number} {stage.id}: {counts['in']} {counts['unit']} in, {counts['kept']} kept,"
                    f" {sum(counts['rejected'].values())} rejected"
                )
            records[stage.id] = record
    finally:
        await asker.close()
    return records, tuple(ran)


async def _do(
    stage: Stage,
    expected: Mapping[str, Any],
    loaded: Loaded,
    out: Path,
    asker: Asker,
    reader: Reader | None,
    records: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    folder = out / stage.folder
    done = await stage.run(
        Work(
            loaded=loaded,
            inputs={name: _rows(out, name) for name in stage.inputs},
            asker=asker,
            prompts=stage.prompts(loaded),
            reader=reader if stage.id == "difficulty" else None,
            records=dict(records) if stage.reads_records else {},
        )
    )
    (folder / RECORD).unlink(missing_ok=True)
    outputs = {name: write_whole(folder / name, text) for name, text in _texts(done).items()}
    reasons = Counter(str(row["reason"]) for row in done.rejects)
    record: dict[str, Any] = {
        "stage": stage.id,
        "number": stage.number,
        **expected,
        "outputs": outputs,
        "kept_file": f"{done.kept_as}.jsonl",
        "counts": {
            "unit": done.unit,
            "in": done.entered,
            "kept": len(done.kept),
            "rejected": dict(sorted(reasons.items())),
        },
        "facts": dict(done.facts),
    }
    write_whole(folder / RECORD, json_text(record))
    return record


def _texts(done: Done) -> dict[str, str]:
    rows = {done.kept_as: done.kept, REJECTS: done.rejects, **done.files}
    return {f"{name}.jsonl": json_lines(table) for name, table in rows.items()} | dict(done.texts)


def _expected(stage: Stage, loaded: Loaded, out: Path, reader: Reader | None) -> dict[str, Any]:
    """What a record has to name to stand for the stage as it would be run now."""
    settings = dict(stage.settings(loaded))
    if stage.id == "difficulty" and reader is not None:
        settings["reader"] = reader.id
    inputs = {name: file_hash(_path(out, name)) for name in stage.inputs}
    if stage.reads_records:
        earlier = [one for one in STAGES if one.number < stage.number]
        inputs |= {f"{one.id}/{RECORD}": file_hash(out / one.folder / RECORD) for one in earlier}
    return {
        "version": stage.version,
        "settings_hash": content_hash(settings),
        "settings": json.loads(json.dumps(settings, default=str)),
        "prompts": {name: f"{one.id} {one.version} {one.hash}" for name, one in stage.prompts(loaded).items()},
        "inputs": inputs,
    }


def _fits(record: Mapping[str, Any], expected: Mapping[str, Any], folder: Path) -> bool:
    same = all(record.get(name) == value for name, value in expected.items())
    outputs = record.get("outputs")
    return (
        same and isinstance(outputs, Mapping) and all(file_hash(folder / name) == one for name, one in outputs.items())
    )


def _require_done(stage: Stage, record: Mapping[str, Any] | None, out: Path, loaded: Loaded, only: str) -> None:
    reader = None
    if stage.id == "difficulty" and record is not None and "reader" in record.get("settings", {}):
        reader = Reader(id=record["settings"]["reader"], read=lambda question, reply: ReplyState.UNPARSED)
    if record is None or not _fits(record, _expected(stage, loaded, out, reader), out / stage.folder):
        message = (
            f"stage {only} needs stage {stage.id} first, which is {'stale' if record else 'not done'}; run it, or all"
        )
        raise UsageError(message, field="stage")


def _read_record(folder: Path) -> dict[str, Any] | None:
    try:
        value = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(value, dict) and {"counts", "facts", "number", "outputs"} <= set(value)
    return value if whole else None


def _path(out: Path, name: str) -> Path:
    stage, _, file = name.partition("/")
    return out / (HUMAN_FOLDER if stage == HUMAN_FOLDER else FOLDERS[stage]) / f"{file}.jsonl"


def _rows(out: Path, name: str) -> list[dict[str, Any]]:
    path = _path(out, name)
    if name.startswith(f"{HUMAN_FOLDER}/") and not path.is_file():
        return []
    return read_rows(path)


def _require_own(out: Path) -> None:
    """The folder is new, empty, or one of ours."""
    if out.exists() and not out.is_dir():
        message = "this is a file; a pipeline needs a folder"
        raise UsageError(message, file=str(out))
    if out.is_dir() and not (out / JOURNAL_FILE).exists() and any(out.iterdir()):
        message = "the folder holds other things than a pipeline; name a new or empty folder"
        raise UsageError(message, file=str(out))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a stage would need at most.

    Attributes:
        stage: the stage.
        model: name among the configuration's models.
        calls: calls, none taken off for what the journal holds.
        tokens_in: tokens of the prompts.
        tokens_out: tokens of the replies, each at its limit.
        cost: US dollars; None without prices.
        prompts: the prompts, with version and hash.
    """

    stage: str
    model: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    prompts: Sequence[str]


def estimate_pipeline(loaded: Loaded) -> tuple[int, list[Estimate]]:
    """Rows of the seed files, and what each stage would need if every row went through; asks nobody.

    Args:
        loaded: the configuration.

    Raises:
        UsageError: a seed file is missing or lacks a column.
        InputError: a seed file cannot be read.
        ConfigurationError: a prompt file breaks its form.
    """
    config = loaded.config
    rows = [
        row
        for place, spec in enumerate(config.seeds)
        for row in read_seeds(spec, place, loaded.path(spec.file))
        if row.text
    ]
    characters = sum(len(row.text) for row in rows)
    result = []
    for stage in STAGES:
        prompts = [f"{one.id} {one.version} {one.hash}" for one in stage.prompts(loaded).values()]
        for planned in stage.plan(loaded, len(rows), characters):
            spec = config.models[planned.model]
            tokens_in = round(planned.characters / CHARACTERS_PER_TOKEN)
            tokens_out = planned.calls * spec.max_tokens
            cost = None
            if spec.price_in is not None and spec.price_out is not None:
                cost = Prices(input=spec.price_in, output=spec.price_out).cost(tokens_in, tokens_out)
            result.append(
                Estimate(
                    stage=stage.id,
                    model=planned.model,
                    calls=planned.calls,
                    tokens_in=tokens_in,
                    tokens_out=tokens_out,
                    cost=cost,
                    prompts=tuple(dict.fromkeys(prompts)),
                )
            )
    return len(rows), result
