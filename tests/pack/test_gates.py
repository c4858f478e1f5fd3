"""A protocol held against the product of a pack, and what changed since the last pack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from equipoise.errors import ConfigurationError, InputError
from equipoise.outcomes.gate import gate
from equipoise.outcomes.protocol import read_protocol
from equipoise.outcomes.run import read_run
from equipoise.pack.build import make_pack, write_pack
from equipoise.pack.items import Status
from equipoise.pack.page import pack_page
from equipoise.report.lint import lint
from equipoise.report.render import render_page


def protocol(folder: Path, *, margin: bool = False) -> Path:
    lines = [
        {"id": "few wrong approvals", "metric": {"event": "label", "values": ["Supported"],
         "where": {"expected": ["Unsupported"]}}, "at_most": 0.9, "minimum_n": 5},
    ]  # fmt: skip
    if margin:
        lines.append({"id": "not less accurate", "metric": {"event": "correct"}, "margin": 0.3,
                      "higher_is_better": True, "minimum_n": 10})  # fmt: skip
    path = folder / "protocol.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "name": "release", "benchmark": "openmtb", "lines": lines}))
    return path


def save(pack, out):
    return write_pack(pack, render_page(pack_page(pack)), out)


def item(pack, standard, name):
    return next(one for one in pack.items if (one.standard, one.id) == (standard, name))


def test_decisions_are_those_of_the_gate_and_of_the_product_alone(make_run, tmp_path):
    path, folder = protocol(tmp_path), make_run("a")
    pack = make_pack([folder, make_run("b", system="openai/other")], protocol=path)
    expected = gate(read_run(folder), read_protocol(path))
    assert [held.result for held in pack.held] == [expected]
    assert pack.tree.values["gate"].value[0]["decision"] == expected.decision
    assert pack.files["protocol.yaml"] == path.read_bytes()
    assert item(pack, "iso-14971-62304", "traceability").status is Status.FILLED
    html = render_page(pack_page(pack))
    assert lint(html) == []
    assert "few wrong approvals" in html
    assert "the run does not name this protocol" in html


def test_without_a_protocol_nothing_is_decided_and_the_item_is_a_persons(make_run):
    pack = make_pack([make_run("a")])
    assert item(pack, "iso-14971-62304", "traceability").status is Status.PERSON
    assert "No protocol was named" in render_page(pack_page(pack))


def test_margins_compare_with_the_last_pack_and_need_one(make_run, tmp_path):
    path, run = protocol(tmp_path, margin=True), make_run("a")
    with pytest.raises(InputError, match="--previous"):
        make_pack([run], protocol=path)
    last = save(make_pack([run]), tmp_path / "last")
    pack = make_pack([make_run("new", wrong=5)], protocol=path, previous=last)
    assert pack.held[0].result.baseline == "openmtb-a"
    assert len(pack.held[0].result.lines) == 2


def test_a_protocol_for_other_cases_or_none_at_all_is_refused(make_run, other_run, tmp_path):
    with pytest.raises(InputError, match="another benchmark"):
        make_pack([other_run()], protocol=protocol(tmp_path))
    (tmp_path / "no.yaml").write_text("lines: [")
    with pytest.raises(ConfigurationError, match="not readable YAML"):
        make_pack([make_run("a")], protocol=tmp_path / "no.yaml")


def test_what_changed_is_told_with_a_paired_comparison(make_run, tmp_path):
    last = save(make_pack([make_run("old", wrong=8)]), tmp_path / "last")
    new = make_run("new", wrong=1, versions={"equipoise": "0.2.0", "reply reader": "1"}, evidence_hash="f")
    pack = make_pack([new], previous=last)
    assert {path for path, _, _ in pack.changed.facts} == {"run.code_version", "evidence_hash"}
    assert ("evidence_hash", "e", "f") in pack.changed.facts
    rates = {row["name"]: row for row in pack.tree.values["change.paired"].value[0]["measures"]}
    assert rates["accuracy"]["difference"]["estimate"] == pytest.approx(7 / 23)
    assert (rates["accuracy"]["first_only"], rates["accuracy"]["second_only"]) == (7, 0)
    assert item(pack, "fda-pccp", "MP-old-new").status is Status.FILLED
    html = render_page(pack_page(pack))
    assert lint(html) == []
    assert "2 watched facts differ" in html


def test_that_nothing_changed_is_a_finding_and_another_benchmark_is_not_compared(make_run, other_run, tmp_path):
    run = make_run("a")
    last = save(make_pack([run]), tmp_path / "last")
    same = make_pack([run], previous=last)
    assert same.changed.facts == ()
    assert item(same, "eu-ai-act-annex-iv", "6").status is Status.FILLED
    apart = make_pack([other_run()], previous=last)
    assert apart.changed.comparisons == ()
    assert "no reply of it to these cases" in item(apart, "tripod-llm", "18").reason


def test_a_last_pack_that_was_changed_is_refused(make_run, tmp_path):
    run = make_run("a")
    last = save(make_pack([run]), tmp_path / "last")
    value = json.loads((last / "pack.json").read_text())
    (last / "pack.json").write_text(json.dumps(value))
    with pytest.raises(InputError, match=r"changed: pack\.json"):
        make_pack([run], previous=last)
