"""Runs the stages of the curation in order: what is done and whose inputs are the same is not done again.

A stage's folder holds its tables, its reject list, the prompts it sent, the raw replies, and `stage.json`: versions, hashes of inputs,
outputs and prompt, the model, counts. The record is written last. One stage can be run alone; those after it are then stale until they run.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.boards.curation.asker import Asker, Opened, Replays, Settings
from equipoise.boards.curation.project import STAGES as STAGES_FOLDER
from equipoise.boards.curation.project import Project, find_project
from equipoise.boards.curation.prompts import load_prompt
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.stages.base import Done, Stage, Work
from equipoise.boards.curation.stages.catalogue import STAGES, find_stage
from equipoise.boards.curation.store import (
    file_hash,
    held,
    lines_text,
    private_folder,
    read_lines,
    value_text,
    write_private,
)
from equipoise.errors import UsageError
from equipoise.ids import text_hash

if TYPE_CHECKING:
    from equipoise.evals.budget import Budget

RECORD, REJECTS, PROMPTS, SECRET = "stage.json", "rejects.jsonl", "prompts.jsonl", "secret.json"


class State(StrEnum):
    """Where a stage stands."""

    DONE = "done"
    OPEN = "open"
    STALE = "stale"
    MISSING = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageReport:
    """Where a stage stands, and what it did when it last ran.

    Attributes:
        stage: id of the stage.
        folder: name of its folder.
        state: done; open when something was not asked or a call failed; stale when what it rests on has changed, or a stage that it rests
            on is stale or was not run; or not run.
        ran: whether this start ran it.
        unit: what it counts, in the plural; empty when it never ran.
        entered: how many came in.
        kept: how many went on.
        open: recordings or cases that were not asked, or of which the call failed.
        rejected: entries of the reject list by reason.
        notes: what a person should look at.
        models: who wrote the replies.
        replies: replies by where they came from.
    """

    stage: str
    folder: str
    state: State
    ran: bool
    unit: str = ""
    entered: int = 0
    kept: int = 0
    open: int = 0
    rejected: Mapping[str, int]
    notes: Sequence[str] = ()
    models: Sequence[str] = ()
    replies: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "stage": self.stage,
            "folder": self.folder,
            "state": self.state.value,
            "ran": self.ran,
            "unit": self.unit,
            "in": self.entered,
            "kept": self.kept,
            "open": self.open,
            "rejected": dict(self.rejected),
            "notes": list(self.notes),
            "models": list(self.models),
            "replies": dict(self.replies),
        }


def curate(
    folder: str | Path,
    *,
    settings: Settings | None = None,
    replays: Replays | None = None,
    budget: Budget | None = None,
    only: str | None = None,
    start: str | None = None,
    seed: int = 42,
) -> tuple[StageReport, ...]:
    """Runs what is not done, one stage alone, or all from one stage on.

    Args:
        folder: the folder of the recordings.
        settings: how a model is asked; without one nothing is asked.
        replays: stored replies, which count before a model.
        budget: money for this start; None for no limit.
        only: a stage to run alone, done or not; those before it have to be done.
        start: a stage from which on all are run, done or not.
        seed: of the splits.

    Returns:
        A report on every stage, in order.

    Raises:
        UsageError: no such folder or stage, a stage before the one that was named is not done, or another run is at work in the folder.
        ConfigurationError: the model cannot be had.
    """
    run = _Run(
        project=find_project(folder),
        settings=settings or Settings(),
        replays=replays or Replays(),
        budget=budget,
        seed=seed,
    )
    named = only or start
    first = find_stage(named).number if named else None
    if first is not None:
        for stage in STAGES[: first - 1]:
            if run.state(stage) in (State.STALE, State.MISSING):
                message = f"stage {stage.id} comes first and is {run.state(stage)}; run it, or all, before {named}"
                raise UsageError(message, field="stage")
    with held(run.out):
        ran = asyncio.run(_stages(run, only=find_stage(only).id if only else None, first=first))
    return tuple(run.report(stage, ran=stage.id in ran) for stage in STAGES)


def states(folder: str | Path, *, seed: int = 42) -> tuple[StageReport, ...]:
    """Where every stage stands; nothing is run.

    Raises:
        UsageError: no such folder, or no transcript in it.
    """
    run = _Run(project=find_project(folder), settings=Settings(), replays=Replays(), budget=None, seed=seed)
    return tuple(run.report(stage, ran=False) for stage in STAGES)


def unused(folder: str | Path, replays: Replays) -> int:
    """Number of stored replies for a stage or unit that no prompt on record is about: most often a misspelt id.

    Args:
        folder: the folder of the recordings.
        replays: the stored replies.
    """
    out = Path(folder) / STAGES_FOLDER
    known = {(stage.id, row.get("unit")) for stage in STAGES for row in read_lines(out / stage.folder / PROMPTS)}
    return sum(len(rows) for (stage, unit, _), rows in replays.rows.items() if (stage, unit) not in known)


async def _stages(run: _Run, *, only: str | None, first: int | None) -> list[str]:
    opened = Opened()
    ran = []
    try:
        for stage in STAGES:
            forced = first is not None and stage.number >= first and (only is None or stage.id == only)
            left_out = (only is not None and stage.id != only) or (first is not None and stage.number < first)
            if left_out or (not forced and run.fits(stage)):
                continue
            await run.do(stage, opened)
            ran.append(stage.id)
    finally:
        await opened.close()
    return ran


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    project: Project
    settings: Settings
    replays: Replays
    budget: Budget | None
    seed: int

    @property
    def out(self) -> Path:
        return self.project.folder / STAGES_FOLDER

    def expected(self, stage: Stage) -> dict[str, Any]:
        """What a record has to name to stand for the stage as it would be run now."""
        prompt = load_prompt(stage.prompt) if stage.prompt else None
        expected: dict[str, Any] = {
            "version": stage.version,
            "prompt": {"id": prompt.id, "version": prompt.version, "hash": prompt.hash} if prompt else None,
            "inputs": {name: file_hash(self._table(name)) for name in stage.inputs},
            "files": {path.name: file_hash(path) for path in stage.files(self.project)},
        }
        if stage.seeded:
            expected["seed"] = self.seed
        if stage.secret:
            expected["secret"] = text_hash(self._secret())
        return expected

    def source(self, stage: Stage) -> dict[str, Any] | None:
        """Who would be asked now; None when nobody is."""
        if not stage.prompt or not (self.settings.model or self.replays.hash):
            return None
        return {
            "model": self.settings.model,
            "temperature": self.settings.temperature,
            "max_tokens": self.settings.max_tokens,
            "replays": self.replays.hash,
        }

    def record(self, stage: Stage) -> dict[str, Any] | None:
        try:
            value = json.loads((self.out / stage.folder / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return value if _whole(value) else None

    def current(self, stage: Stage, record: Mapping[str, Any] | None) -> bool:
        """Whether a record stands for the files as they are, whoever was asked."""
        if record is None or record["expected"] != self.expected(stage):
            return False
        folder = self.out / stage.folder
        return all(file_hash(folder / name) == found for name, found in record["outputs"].items())

    def fits(self, stage: Stage) -> bool:
        """Whether a stage need not run: current, and nobody is there whom it has not asked."""
        record = self.record(stage)
        if record is None or not self.current(stage, record):
            return False
        source = self.source(stage)
        if source is None:
            return True
        rejected = record["counts"]["rejected"]
        waiting = bool(self.settings.model) and any(
            reason in rejected for reason in (Reason.MODEL_ERROR, Reason.NOT_ASKED)
        )
        return record["source"] == source and not waiting and not self.settings.again

    def state(self, stage: Stage) -> State:
        record = self.record(stage)
        if record is None:
            return State.MISSING
        if not self.current(stage, record):
            return State.STALE
        before = {name.partition("/")[0] for name in stage.inputs}
        if any(self.state(find_stage(name)) in (State.STALE, State.MISSING) for name in before):
            return State.STALE
        return State.OPEN if record["counts"]["open"] else State.DONE

    def report(self, stage: Stage, *, ran: bool) -> StageReport:
        record = self.record(stage)
        notes = self.project.notes if stage.number == 1 else ()
        if record is None:
            return StageReport(
                stage=stage.id, folder=stage.folder, state=State.MISSING, ran=ran, rejected={}, notes=notes, replies={}
            )
        counts = record["counts"]
        return StageReport(
            stage=stage.id,
            folder=stage.folder,
            state=self.state(stage),
            ran=ran,
            unit=counts["unit"],
            entered=counts["in"],
            kept=counts["kept"],
            open=counts["open"],
            rejected=counts["rejected"],
            notes=(*notes, *record.get("notes", ())),
            models=record.get("models", ()),
            replies=record.get("replies", {}),
        )

    async def do(self, stage: Stage, opened: Opened) -> None:
        folder = self.out / stage.folder
        private_folder(self.out)
        private_folder(folder)
        asker = None
        if stage.prompt:
            asker = Asker(
                stage.id, folder, settings=self.settings, replays=self.replays, opened=opened, budget=self.budget
            )
        expected = self.expected(stage)
        before = self.record(stage)
        done = await stage.run(
            Work(
                project=self.project,
                tables={name: read_lines(self._table(name)) for name in stage.inputs},
                prompt=load_prompt(stage.prompt) if stage.prompt else None,
                asker=asker,
                seed=self.seed,
                folder=folder,
                seed_before=before["expected"].get("seed") if before else None,
                secret=self._secret() if stage.secret else "",
            )
        )
        self._write(stage, folder, done, expected, asker, before["outputs"] if before else {})

    def _write(
        self,
        stage: Stage,
        folder: Path,
        done: Done,
        expected: Mapping[str, Any],
        asker: Asker | None,
        before: Mapping[str, str],
    ) -> None:
        (folder / RECORD).unlink(missing_ok=True)
        texts = {f"{name}.jsonl": lines_text(rows) for name, rows in done.tables.items()}
        texts[REJECTS] = lines_text(reject.to_row(stage.id) for reject in done.rejects)
        if asker is not None:
            texts[PROMPTS] = lines_text(sorted(asker.prompts, key=lambda row: (row["unit"], row["attempt"])))
        texts |= done.texts
        by_hand = _set_aside(folder, before, texts)
        outputs = {name: write_private(folder / name, text) for name, text in texts.items()}
        reasons = Counter(reject.reason.value for reject in done.rejects)
        record = {
            "stage": stage.id,
            "number": stage.number,
            "expected": expected,
            "source": self.source(stage),
            "outputs": outputs,
            "counts": {
                "unit": done.unit,
                "in": done.entered,
                "kept": done.kept,
                "open": done.open,
                "rejected": dict(sorted(reasons.items())),
            },
            "notes": [*done.notes, *by_hand],
            "models": sorted(asker.models) if asker else [],
            "replies": dict(asker.counts) if asker else {},
        }
        write_private(folder / RECORD, value_text(record))

    def _table(self, name: str) -> Path:
        stage, _, table = name.partition("/")
        return self.out / find_stage(stage).folder / f"{table}.jsonl"

    def _secret(self) -> str:
        """What surrogates are drawn from: made once for a folder, so that a second run draws the same."""
        path = self.out / SECRET
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            return str(value["secret"])
        except (OSError, ValueError, KeyError, TypeError):
            made = secrets.token_hex(16)
            write_private(path, value_text({"secret": made}))
            return made


def _whole(value: Any) -> bool:
    """Whether a record has the parts that are read of it."""
    if not isinstance(value, dict) or not isinstance(value.get("expected"), dict) or "source" not in value:
        return False
    counts, outputs = value.get("counts"), value.get("outputs")
    return (
        isinstance(outputs, dict)
        and isinstance(counts, dict)
        and {"unit", "in", "kept", "open"} <= set(counts)
        and isinstance(counts.get("rejected"), dict)
    )


def _set_aside(folder: Path, outputs: Mapping[str, str], new: Collection[str]) -> list[str]:
    """Moves files that somebody changed by hand out of the way, and takes away those that are not made any more; says which were moved."""
    notes = []
    for name, known in outputs.items():
        path = folder / name
        if not path.is_file():
            continue
        if file_hash(path) == known:
            if name not in new:
                path.unlink()
            continue
        taken = (folder / f"{path.stem}.by-hand-{number}{path.suffix}" for number in itertools.count(1))
        kept = next(place for place in taken if not place.exists())
        path.rename(kept)
        notes.append(
            f"{name} was changed by hand; it was made again, and yours is kept as {kept.name}. What a stage writes is no file of yours: "
            "see docs/board.md for those that count"
        )
    return notes
