"""Runs a batch: part by part, the next one read while the last one is judged, each written whole, resumable at any point."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.audit.pipeline import Auditor
from equipoise.batch.desk import Desk
from equipoise.batch.manifest import SCHEMA_VERSION, Folder, differences, input_identity
from equipoise.batch.memo import Memo
from equipoise.batch.output import FORMATS, part_bytes, write_whole
from equipoise.batch.part import Built, Entry, asked, built
from equipoise.batch.pool import Answers
from equipoise.batch.settings import Settings, identity
from equipoise.batch.sources import Source, source_of
from equipoise.batch.summary import Tally, summary, summary_text
from equipoise.errors import UsageError
from equipoise.ids import bytes_hash

PART_CASES = 50_000
"""Cases of a part by default."""

MEMO_BYTES = 384 * 1024**2
"""Room for inputs that were seen before, roughly."""

ENGINES: tuple[str, ...] = ("local", "ray")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a batch came to.

    Attributes:
        summary: as in summary.json.
        text: as in summary.txt.
        parts: parts in the folder.
        resumed: parts that were there already.
        cases: cases judged by this run, those of earlier parts not counted.
        seconds: wall time of this run.
    """

    summary: dict[str, Any]
    text: str
    parts: int
    resumed: int
    cases: int
    seconds: float


def run_batch(
    path: str | Path,
    out: str | Path,
    settings: Settings,
    *,
    form: str = "auto",
    write: str = "parquet",
    workers: int = 1,
    part_cases: int = PART_CASES,
    engine: str = "local",
    restart: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Done:
    """Audit every recommendation of a cohort, or list the options of every case.

    Args:
        path: Parquet, CSV, JSON or JSON lines of cases; FHIR or DNPM records (a file, NDJSON or a folder); a folder of notes (.txt).
        out: folder for the parts, manifest.json, summary.json and summary.txt. A batch that was stopped goes on where it was.
        settings: policy, day, jurisdiction, overlays, options.
        form: auto (by content), case, fhir, dnpm, cbioportal or variants.
        write: parquet, csv or jsonl.
        workers: processes; with 1 everything is done in this one.
        part_cases: cases of a part; part of what makes two runs the same.
        engine: local, or ray (the extra `ray`).
        restart: remove what an earlier batch wrote there.
        progress: called with the number of cases done after each part.

    Returns:
        The summary. A case that cannot be read is a row in state `error` and counted; it stops nothing.

    Raises:
        UsageError: an argument names something that does not exist, or the folder holds another batch.
        ConfigurationError: a policy or overlay breaks its contract.
        UpstreamError: a process ended before its time; run it again to go on.
    """
    started = time.perf_counter()
    _check(write, engine, workers, part_cases)
    source = source_of(path, form)
    folder = Folder(Path(out))
    auditor = settings.auditor()
    if restart:
        folder.clear()
    answers: Answers | None = None
    if engine == "local":
        answers = Answers(Desk(auditor, options=settings.options), settings, identity(settings, auditor), workers)
        answers.fork()  # before this process has a second thread
    try:
        return _run_batch(
            source, folder, settings, auditor, answers, form, write, workers, part_cases, progress, started
        )
    finally:
        if answers is not None:
            answers.close()


def _run_batch(
    source: Source,
    folder: Folder,
    settings: Settings,
    auditor: Auditor,
    answers: Answers | None,
    form: str,
    write: str,
    workers: int,
    part_cases: int,
    progress: Callable[[int], None] | None,
    started: float,
) -> Done:
    with ThreadPoolExecutor(1) as hashing:
        hashed = hashing.submit(input_identity, source.path)
        manifest: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "settings": identity(settings, auditor),
            "format": form,
            "write": write,
            "part_cases": part_cases,
            "parts": [],
            "complete": False,
        }
        before = folder.read()
        if before is not None:
            _same_batch(before, {**manifest, "input": hashed.result()}, folder)
            manifest["parts"] = folder.whole_parts(before)
            if (
                before.get("complete")
                and len(manifest["parts"]) == len(before["parts"])
                and _summary_is_whole(folder, before)
            ):
                return _as_it_was(folder, manifest, started)
            if before.get("complete"):
                manifest[
                    "parts"
                ] = []  # a part was changed after the end: counts of single parts are gone, so all are made again
        run = _Run(folder, manifest, settings)
        resumed = len(manifest["parts"])
        found: Iterator[Built]
        skip = run.tally.total("cases")
        if answers is None:
            from equipoise.batch.ray_engine import built_by_ray

            found = built_by_ray(
                source, settings, manifest["settings"], part_cases=part_cases, workers=workers, skip=skip
            )
        else:
            found = _built_here(source, answers, part_cases, skip)
        try:
            with ThreadPoolExecutor(1) as writing:  # a part is written while the next one is looked up
                written: Future[None] | None = None
                for part in found:
                    manifest["input"] = hashed.result()
                    _settled(written, run, progress)
                    written = writing.submit(run.write_part, part, write)
                _settled(written, run, progress)
        finally:
            close = getattr(found, "close", None)
            if close is not None:
                close()
        manifest["input"] = hashed.result()
        result, text = run.finish()
    return Done(
        summary=result,
        text=text,
        parts=len(manifest["parts"]),
        resumed=resumed,
        cases=run.tally.total("cases") - skip,
        seconds=time.perf_counter() - started,
    )


def _settled(written: Future[None] | None, run: _Run, progress: Callable[[int], None] | None) -> None:
    if written is not None:
        written.result()
        if progress is not None:
            progress(run.tally.total("cases"))


def _check(write: str, engine: str, workers: int, part_cases: int) -> None:
    for value, known, name in ((write, FORMATS, "--write"), (engine, ENGINES, "--engine")):
        if value not in known:
            message = f"expected one of {', '.join(known)}, got {value!r}"
            raise UsageError(message, field=name)
    for number, name in ((workers, "--workers"), (part_cases, "--part-cases")):
        if number < 1:
            message = f"expected a number from 1 up, got {number}"
            raise UsageError(message, field=name)


def _same_batch(before: dict[str, Any], now: dict[str, Any], folder: Folder) -> None:
    found = differences(before, now)
    if found:
        message = f"the folder holds another batch ({'; '.join(found[:3])}); choose another folder, or start again with --restart"
        raise UsageError(message, file=str(folder.path))


def _built_here(source: Source, answers: Answers, part_cases: int, skip: int) -> Iterator[Built]:
    """Parts in order; while one is judged by other processes, the next one is read."""
    memo = Memo(MEMO_BYTES)
    items = source.items(skip)
    waiting: list[Entry] | None = None
    while True:
        entries = asked(itertools.islice(items, part_cases), memo, answers)
        if waiting is not None:
            answers.settle(entry[0] for entry in waiting)
            yield built(waiting, answers)
        if not entries:
            return
        waiting = entries


class _Run:
    """The folder while it is written."""

    def __init__(self, folder: Folder, manifest: dict[str, Any], settings: Settings) -> None:
        import numpy as np

        self.folder = folder
        self.manifest = manifest
        self.tally = Tally()
        self.keys = np.empty(0, dtype=np.uint64)
        for number in range(len(manifest["parts"])):
            self.tally.merge(Tally(json.loads(folder.state_file(number, "json").read_bytes())))
            self.keys = np.union1d(
                self.keys, np.frombuffer(folder.state_file(number, "keys").read_bytes(), dtype="<u8")
            )

    def write_part(self, part: Built, write: str) -> None:
        """Write a part, its counts, and then the manifest that names it."""
        import numpy as np

        number = len(self.manifest["parts"])
        name = self.folder.part_name(number, write)
        data = part_bytes(part.table, write)
        write_whole(self.folder.path / name, data)
        write_whole(self.folder.state_file(number, "json"), json.dumps(part.tally.to_dict()).encode())
        write_whole(self.folder.state_file(number, "keys"), part.keys.astype("<u8").tobytes())
        self.manifest["parts"].append(
            {
                "file": name,
                "cases": part.cases,
                "rows": part.table.num_rows,
                "bytes": len(data),
                "sha256": bytes_hash(data),
            }
        )
        self.folder.write(self.manifest)
        self.tally.merge(part.tally)
        self.keys = np.union1d(self.keys, part.keys)

    def finish(self) -> tuple[dict[str, Any], str]:
        """Write the summary, and the manifest that says that nothing is missing."""
        data = summary(self.tally, distinct_keys=len(self.keys), settings=self.manifest["settings"])
        text = summary_text(data)
        whole = (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()
        write_whole(self.folder.path / "summary.json", whole)
        write_whole(self.folder.path / "summary.txt", text.encode())
        self.manifest["complete"] = True
        self.manifest["summary_sha256"] = bytes_hash(whole)
        self.folder.write(self.manifest)
        self.folder.drop_state()
        return data, text


def _summary_is_whole(folder: Folder, before: dict[str, Any]) -> bool:
    file = folder.path / "summary.json"
    return file.is_file() and bytes_hash(file.read_bytes()) == before.get("summary_sha256")


def _as_it_was(folder: Folder, manifest: dict[str, Any], started: float) -> Done:
    """A batch that was complete already."""
    data = json.loads((folder.path / "summary.json").read_bytes())
    return Done(
        summary=data,
        text=summary_text(data),
        parts=len(manifest["parts"]),
        resumed=len(manifest["parts"]),
        cases=0,
        seconds=time.perf_counter() - started,
    )
