"""Any value in any place of a file gives a row, a problem or one clear error; nothing else is raised."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from equipoise.boards.curation.transcripts import read_transcript
from equipoise.boards.demo import DEMO_FILE
from equipoise.boards.formats.manifests import read_manifest
from equipoise.boards.formats.opentumorboard import read_slide_index, read_task1, read_task2
from equipoise.boards.formats.orchestrator import read_facts, read_tbfact_summary
from equipoise.boards.formats.own import read_cases
from equipoise.boards.formats.splits import read_splits
from equipoise.errors import EquipoiseError

FILES = Path(__file__).parent / "files"
ODD = (None, 7, -1.5, True, "", [], {}, [None], {"a": 1}, "x" * 50, 10**400)
MOST_PLACES = 120


def row(path, place):
    return json.loads(path.read_text(encoding="utf-8").splitlines()[place])


def whole(path):
    return json.loads(path.read_text(encoding="utf-8"))


JOBS = {
    "own form": (read_cases, row(DEMO_FILE, 4)),
    "task1": (read_task1, row(FILES / "task1_test.jsonl", 2)),
    "task2": (read_task2, row(FILES / "task2_test.jsonl", 1)),
    "manifest": (read_manifest, row(FILES / "board_simulation.image.jsonl", 0)),
    "slides index": (read_slide_index, row(FILES / "slides_index.jsonl", 0)),
    "facts": (read_facts, whole(FILES / "tbfact_facts.json")),
    "summary": (read_tbfact_summary, whole(FILES / "tbfact_summary.json")),
    "splits": (read_splits, whole(FILES / "split.json")),
    "list of splits": (read_splits, whole(FILES / "split_list.json")),
    "transcript": (read_transcript, whole(FILES.parent / "transcripts" / "whisperx.json")),
}


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def changed(value, path, odd):
    if not path:
        return odd
    value = copy.deepcopy(value)
    part = value
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = odd
    return value


@pytest.mark.parametrize("name", JOBS)
def test_odd_values_raise_nothing_but_clear_errors(name, tmp_path):
    reader, value = JOBS[name]
    found = list(places(value))
    file = tmp_path / "x.json"
    raised = []
    for path in found[:: max(1, len(found) // MOST_PLACES)]:
        for odd in ODD:
            file.write_text(json.dumps(changed(value, path, odd)) + "\n", encoding="utf-8")
            try:
                reader(file)
            except EquipoiseError:
                continue
            except Exception as error:
                raised.append((path, odd if odd != ODD[-1] else "huge", repr(error)[:60]))
    assert raised == []
