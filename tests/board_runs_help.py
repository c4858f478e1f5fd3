"""Run folders of invented boards, as the tasks write them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.boards.judging.criteria import BOARD, TURN
from equipoise.outcomes.run import RunInfo, write_run
from equipoise.studies.board_runs import BoardPart, read_board_part

DISCUSSION = """<discussion>
<turn 1> moderator: A lung cancer with an EGFR L858R mutation, stage IV.
<turn 2> radiologist: The CT shows three metastases in the liver and none in the brain.
<turn 3> radiologist: I recommend starting osimertinib now.
<turn 4> medical oncologist: I would give osimertinib at once. I disagree with waiting for another biopsy.
<turn 5> surgeon: I would rather resect the primary tumor first.
</discussion>
<conclusion>The patient starts osimertinib. No surgery is planned. A scan follows in eight weeks.</conclusion>"""


def write_part(
    folder: Path,
    replies: Sequence[Mapping[str, Any]],
    *,
    benchmark: str = BOARD,
    system: str = "mock/one",
    setting: str = "single",
    arm: str = "captions",
    name: str = "",
) -> BoardPart:
    """A run folder with these replies; each names item and reply, and anything else of its row or reference."""
    run = f"{benchmark}-{system}-{setting}"
    rows, references = [], []
    for reply in replies:
        own = {"state": "ok", "recording": f"meeting-{reply['item']}", "trial": 1} | dict(reply)
        rows.append(
            {
                "reply_id": f"{run}/{own['item']}/{own['trial']}", "run": run, "system": system,
                "benchmark": benchmark, "arm": arm, "operator": setting, "item": own["item"], "recording": own["recording"],
                "trial": own["trial"], "state": own["state"], "reply": own.get("reply"), "stratum": own.get("stratum", "lung"),
                "group": own.get("role"), "tokens_in": own.get("tokens_in"), "tokens_out": own.get("tokens_out"),
            }
        )  # fmt: skip
        reference = {
            "item": own["item"], "recording": own["recording"], "site": own.get("site", "lung"), "arm": arm, "setting": setting,
            "stratum": own.get("stratum", "lung"), "prompt": own.get("prompt", f"Case text of {own['item']}."),
            "reference": own.get("reference", "The board started osimertinib."),
            "references": [own.get("reference", "The board started osimertinib.")],
            "expected_roles": own.get("expected_roles", ["radiologist", "medical oncologist", "surgeon", "pathologist"]),
        }  # fmt: skip
        if benchmark == TURN:
            reference["role"] = own.get("role", "surgeon")
        if "discussion" in own:
            reference["discussion"] = own["discussion"]
        references.append(reference)
    info = RunInfo(run_id=run, created_at="", benchmark=benchmark, systems=(system,))
    write_run(folder, info, rows, [])
    lines = [json.dumps(item, sort_keys=True) + "\n" for item in references]
    (folder / "references.jsonl").write_text("".join(lines))
    return read_board_part(name or benchmark, system, folder)
