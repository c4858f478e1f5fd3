"""The evidence pack of a red-team audit: whole, hashed, and the same for the same audit."""

from __future__ import annotations

import json

from equipoise.pack.manifest import read_manifest, verify
from equipoise.pack.redteam import write_pack
from equipoise.studies.redteam_audit import redteam_audit
from equipoise.studies.redteam_axes import chosen_axes
from equipoise.studies.redteam_protocol import Ordered, frozen_protocol, ready_tests
from equipoise.studies.redteam_summaries import PartRun
from gate_runs import CALM, run_of


def audit_of():
    axes, ordered = chosen_axes("gates,order"), Ordered(models=("mock/one",))
    ready, left = ready_tests(axes, ordered)
    run = run_of(lambda case, trial: CALM)
    return redteam_audit(
        frozen_protocol(axes, ready, left, ordered), {("medfail", "mock/one"): PartRun(test="medfail", run=run)}
    )


def test_the_pack_holds_protocol_plans_operators_versions_and_deviations(tmp_path):
    audit = audit_of()
    page = tmp_path / "report.html"
    page.write_text("<p>page</p>")
    folder = write_pack(audit, tmp_path, page=page, created_at="2026-11-30T12:00:00+00:00")
    assert verify(folder) == ()
    assert {"protocol.json", "plans/medfail.json", "plans/medqa_order.json", "operators.json", "versions.json", "deviations.json",
            "audit.json", "signoff.json", "report.html"} == set(read_manifest(folder))  # fmt: skip
    read = {
        name: json.loads((folder / name).read_text())
        for name in ("protocol.json", "operators.json", "versions.json", "deviations.json")
    }
    assert (
        read["protocol.json"]["protocol_hash"]
        == read["versions.json"]["protocol_hash"]
        == audit.protocol["protocol_hash"]
    )
    assert {item["operator"].split("@")[0] for item in read["operators.json"]} >= {"option_order"}
    assert all("@" in item["operator"] for item in read["operators.json"])
    assert read["versions.json"]["margins"]["medqa_order"] == 0.05
    assert ("medqa_order", "not run") in {(item["part"], item["what"]) for item in read["deviations.json"]}
    (folder / "deviations.json").write_text("[]")
    assert verify(folder) == ("changed: deviations.json",)


def test_two_packs_of_one_audit_differ_in_the_sign_lines_alone(tmp_path):
    found = []
    for day in ("2026-11-30", "2026-12-01"):
        folder = write_pack(audit_of(), tmp_path / day, page=None, created_at=f"{day}T12:00:00+00:00")
        found.append(
            {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        )
    assert {name for name in found[0] if found[0][name] != found[1][name]} == {"signoff.json", "MANIFEST.sha256"}


def test_a_pack_is_written_anew_and_leaves_nothing_old(tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "old.json").write_text("{}")
    folder = write_pack(audit_of(), tmp_path, page=None, created_at="2026-11-30T12:00:00+00:00")
    assert not (folder / "old.json").exists()
    assert verify(folder) == ()
