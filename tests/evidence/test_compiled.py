from __future__ import annotations

import json
from importlib import resources

from equipoise.evidence.base import COMPILED, build_base, knowledge_hash, read_knowledge, shipped_base


def test_the_compiled_knowledge_is_that_of_the_files():
    raw, files_hash = read_knowledge()
    stored = json.loads(resources.files("equipoise.evidence").joinpath("knowledge", COMPILED).read_bytes())
    assert stored["raw"] == raw
    assert stored["files_hash"] == files_hash
    assert stored["hash"] == knowledge_hash(raw), "run: python -m equipoise.evidence.compile"


def test_the_shipped_base_is_the_one_built_from_the_files():
    base, built = shipped_base(), build_base(read_knowledge()[0])
    assert base.hash == built.hash
    assert base.assertions == built.assertions
    assert base.coverage == built.coverage
