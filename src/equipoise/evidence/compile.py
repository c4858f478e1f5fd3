"""Writes the knowledge files as one JSON file, which loads ten times faster: python -m equipoise.evidence.compile."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from equipoise.evidence.base import COMPILED, build_base, read_knowledge


def compile_knowledge() -> Path:
    """Check the YAML files and write them beside themselves as JSON.

    Raises:
        EvidenceError: an entry breaks its contract; nothing is written.
    """
    raw, files_hash = read_knowledge()
    base = build_base(raw)
    target = Path(__file__).parent / "knowledge" / COMPILED
    stored = {"files_hash": files_hash, "hash": base.hash, "raw": raw}
    text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    target.write_text(text + "\n", encoding="utf-8")
    return target


if __name__ == "__main__":
    sys.stdout.write(f"{compile_knowledge().name} written\n")
