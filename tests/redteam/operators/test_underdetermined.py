"""The script on underdetermined cases: its counts add up to denominators fixed beforehand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from equipoise.redteam.operators.dependence import Standing

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "underdetermined.py"


def test_the_counts_add_up():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--n", "40", "--json"], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)
    named, cut = found["by_name"], found["half_turn"]
    assert 0 < named["decided"] < 40
    for count in named["each"].values():
        assert sum(count.values()) == named["decided"]
        assert Standing.OPEN_BEFORE.value not in count
    assert sum(named["drawn"].values()) == named["decided"]
    assert sum(cut["standing"].values()) == cut["decided"]
    assert named["each"]["variant"]["underdetermined"] <= named["decided"]
    assert 0 < named["checked"] <= named["decided"]
    assert named["each"]["ecog"].get("underdetermined", 0) == 0
