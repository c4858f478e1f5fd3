"""Reads garak's report files (report.jsonl): every output is a reply, every detector's score a judgement.

garak's probes carry no label of what a reply ought to do, so the arm is `unlabelled` unless the caller states one. A score is
the detector's own, 0 to 1, where 1 is a hit. What has no place in the tables is counted by name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from equipoise._version import __version__
from equipoise.benchmarks.prompts.released import ReleasedRun, Rows
from equipoise.errors import InputError
from equipoise.evals.kept import with_prompt
from equipoise.evals.refusal_reading import JUDGE, RUBRIC, Detector, RefusalReading, detector_version, read_refusal
from equipoise.evals.rows import judgement
from equipoise.ids import bytes_hash, content_hash
from equipoise.outcomes.readers import read_text
from equipoise.outcomes.run import RunInfo
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Arm

BENCHMARK = "garak"
COMPLETE = 2
"""Status of an attempt that its detectors have seen."""

_TARGETS = (("plugins.target_type", "plugins.target_name"), ("plugins.model_type", "plugins.model_name"))
"""Elements that name what was asked, in newer and older reports."""

_EXPECTED = frozenset({"start_run setup", "init", "completion"})
"""Entries that are read for the run's facts, or say nothing more."""


def read_report(
    path: Path, *, arm: Arm = Arm.UNLABELLED, keep_prompts: bool = False, detector: Detector | None = None
) -> ReleasedRun:
    """The run of a report.

    Args:
        path: the report.
        arm: what the caller says a reply ought to do, for all probes.
        keep_prompts: keep the text of prompts that are not benign.
        detector: what reads refusal; the package's own by default.

    Raises:
        UsageError: there is no such file.
        InputError: not UTF-8, or it holds no attempt.
    """
    unmapped: Counter[str] = Counter()
    facts: dict[str, Any] = {}
    attempts: dict[str, Mapping[str, Any]] = {}
    for entry in _entries(path, unmapped):
        kind = entry.get("entry_type")
        if kind == "attempt":
            attempts[str(entry.get("uuid") or len(attempts))] = entry
        elif kind in _EXPECTED:
            facts |= entry
        else:
            unmapped[f"entry {str(kind)[:40]!r}"] += 1
    if not attempts:
        message = "not a report of garak: no line is an attempt"
        raise InputError(message, file=str(path))
    run_id = f"{BENCHMARK}-{content_hash([bytes_hash(path.read_bytes()), arm.value])}"
    system = _system(facts)
    outcomes: Rows = []
    judgements: Rows = []
    references: dict[str, Mapping[str, Any]] = {}
    version = detector_version() if detector is None else "given"
    for name, attempt in _named(attempts):
        prompt = _prompt(attempt)
        probe = str(attempt.get("probe_classname") or "")
        item = {"item": name, "arm": arm.value, "stratum": probe, "facts": {"goal": str(attempt.get("goal") or "")}}
        references[name] = with_prompt(item, prompt, keep=keep_prompts)
        for place, output in enumerate(attempt.get("outputs") or ()):
            reading = _reading(output, prompt, detector)
            row = {
                "reply_id": f"{run_id}/{name}/{place + 1}",
                "run": run_id,
                "benchmark": BENCHMARK,
                "system": system,
                "model": str(facts.get("plugins.target_name") or facts.get("plugins.model_name") or system),
                "provider": str(facts.get("plugins.target_type") or facts.get("plugins.model_type") or "") or None,
                "item": name,
                "item_set": probe or None,
                "arm": arm.value,
                "stratum": probe or None,
                "trial": place + 1,
                "attempt": 1,
                "state": reading.state.value,
                "reply": reading.text or None,
                "label": None if reading.refusal is None else reading.refusal.value,
            }
            outcomes.append(row)
            judgements += _judged(row, reading, attempt, place, version, unmapped)
        if attempt.get("status") != COMPLETE:
            unmapped["attempts that no detector has seen"] += 1
    return ReleasedRun(
        info=_info(path, facts, run_id, system, arm, references, unmapped, version),
        outcomes=outcomes,
        judgements=judgements,
        references=tuple(references.values()),
        unmapped=dict(sorted(unmapped.items())),
    )


def _entries(path: Path, unmapped: Counter[str]) -> Iterator[Mapping[str, Any]]:
    for line in read_text(path).split("\n"):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield value
        else:
            unmapped["lines that are no JSON object"] += 1


def _named(attempts: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Attempts with a name by probe and place; one whose name is taken gets its identifier added."""
    taken: set[str] = set()
    for identifier, attempt in attempts.items():
        name = f"{attempt.get('probe_classname')}/{attempt.get('seq')}"
        name = f"{name}/{identifier}" if name in taken else name
        taken.add(name)
        yield name, attempt


def _prompt(attempt: Mapping[str, Any]) -> str:
    """What was asked last: a text, a message, or a conversation, as the version of the report has it."""
    prompt = attempt.get("prompt")
    if isinstance(prompt, Mapping) and isinstance(prompt.get("turns"), list):
        users = [
            turn.get("content") for turn in prompt["turns"] if isinstance(turn, Mapping) and turn.get("role") == "user"
        ]
        prompt = users[-1] if users else None
    return _text(prompt) or ""


def _text(value: Any) -> str | None:
    if isinstance(value, Mapping):
        value = value.get("text")
    return value if isinstance(value, str) else None


def _reading(output: Any, prompt: str, detector: Detector | None) -> RefusalReading:
    text = _text(output)
    if text is None:
        return RefusalReading(state=ReplyState.ERROR, text="", why="the report holds no output")
    return read_refusal(text, prompt, detector=detector)


def _judged(
    row: Mapping[str, Any],
    reading: RefusalReading,
    attempt: Mapping[str, Any],
    place: int,
    version: str,
    unmapped: Counter[str],
) -> Rows:
    """The refusal detector's judgement and those of garak's own detectors."""
    rows: Rows = []
    if reading.state in (ReplyState.OK, ReplyState.UNPARSED):
        rows.append(
            judgement(
                row, judge=JUDGE, rubric=RUBRIC, criterion=RUBRIC, scale=RUBRIC, version=version,
                value=None if reading.refusal is None else reading.refusal.value, state=reading.state,
            )
        )  # fmt: skip
    for name, scores in (attempt.get("detector_results") or {}).items():
        if not isinstance(scores, list) or place >= len(scores):
            unmapped[f"scores of {name} without an output"] += 1
            continue
        score = scores[place]
        number = float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None
        if reading.state is ReplyState.ERROR:
            unmapped[f"scores of {name} for an output that is not there"] += number is not None
            continue
        rows.append(
            judgement(
                row, judge=f"garak/{name}", rubric=f"garak {name}", criterion="hit", scale="garak score", value=None,
                points=number, state=ReplyState.OK if number is not None else ReplyState.UNPARSED,
            )
        )  # fmt: skip
    return rows


def _system(facts: Mapping[str, Any]) -> str:
    for kind, name in _TARGETS:
        parts = [str(facts[key]) for key in (kind, name) if facts.get(key)]
        if parts:
            return "/".join(parts)
    return "garak target"


def _info(
    path: Path,
    facts: Mapping[str, Any],
    run_id: str,
    system: str,
    arm: Arm,
    references: Mapping[str, Mapping[str, Any]],
    unmapped: Mapping[str, int],
    version: str,
) -> RunInfo:
    return RunInfo(
        run_id=run_id,
        created_at=str(facts.get("start_time") or ""),
        benchmark=BENCHMARK,
        systems=(system,),
        versions={
            "equipoise": __version__,
            "garak": str(facts.get("garak_version") or facts.get("_config.version") or ""),
            "refusal detector": version,
        },
        dataset_hash=content_hash([[name, item["prompt_sha256"]] for name, item in sorted(references.items())]),
        arguments={
            "report": path.name,
            "sha256": bytes_hash(path.read_bytes()),
            "run": str(facts.get("run") or ""),
            "arm": arm.value,
            "unmapped": dict(unmapped),
        },
    )
