"""The grammar of report strings: which gene, which alteration, which status."""

from __future__ import annotations

from equipoise.cases.vocabulary.biomarkers import Read


def read(text: str) -> tuple[Read, ...]:
    """Read a string of any form; see `biomarkers.read_biomarkers`."""
    return ()
