"""`equipoise serve`, `serve keys` and `serve trail`: what they print, refuse and exit with."""

from __future__ import annotations

import datetime as dt
import json
import socket

import pytest

from equipoise.cli.serve import is_loopback
from equipoise.service.access.keys import KeyFile
from equipoise.service.access.secret import Secret
from equipoise.service.engine import Engine
from equipoise.service.trail.entries import Draft, Kind, Payload
from equipoise.service.trail.store import Trail
from service_example import CASE

DAY = dt.date(2026, 11, 1)


@pytest.fixture
def folder(tmp_path):
    """A folder with two verdicts on its trail."""
    place = tmp_path / "service"
    place.mkdir()
    engine = Engine(("label",))
    asked = engine.asked(today=DAY)
    secret = Secret.load(place / "secret.key")
    with Trail(f"sqlite:///{place / 'trail.sqlite3'}") as trail:
        for name in ("anna", "bert"):
            (found,) = engine.answer(json.dumps({**CASE, "case_id": name}).encode(), asked)
            facts = {
                "policy_hash": found.policy_hash,
                "evidence_hash": found.evidence_hash,
                "engine_version": found.engine_version,
            }
            more = json.dumps({"case_id": name, "asked": asked.to_dict()}).encode()
            trail.append(
                [
                    Draft(
                        kind=Kind.AUDIT,
                        at="2026-01-01T00:00:00+00:00",
                        caller="k",
                        subject=secret.pseudonym(name),
                        facts=facts,
                        payload=Payload(found.case, found.verdicts, more),
                    )
                ]
            )
    return place


def test_a_key_is_made_shown_once_listed_and_revoked(equipoise, tmp_path):
    made = equipoise("serve", "keys", "add", "ward 7", "--role", "audit", "--role", "trail", "--data", tmp_path)
    text = made.out.strip()
    assert KeyFile(tmp_path / "keys.json").find(text) is not None
    identifier = text.split("_")[1]
    listed = json.loads(equipoise("serve", "keys", "list", "--json", "--data", tmp_path).out)
    assert [(row["id"], row["roles"], row["revoked"]) for row in listed] == [(identifier, ["audit", "trail"], None)]
    assert text not in equipoise("serve", "keys", "list", "--data", tmp_path).out
    assert equipoise("serve", "keys", "revoke", identifier, "--data", tmp_path).code == 0
    assert "revoked" in equipoise("serve", "keys", "list", "--data", tmp_path).out
    assert KeyFile(tmp_path / "keys.json").find(text) is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("serve", "keys", "add", "x", "--role", "king"), "expected audit, trail, admin"),
        (("serve", "keys", "revoke", "00000000"), "no key has the id"),
        (("serve",), "no key exists"),
        (("serve", "--open", "--host", "0.0.0.0"), "only on the loopback"),
        (("serve", "--open", "--port", "0", "--policy", "nobody"), "unknown policy"),
        (("serve", "--open", "--port", "0", "--jurisdiction", "XX"), "unknown jurisdiction"),
        (("serve", "--open", "--port", "0", "--trail", "mysql://x"), "the address of the trail"),
        (("serve", "trail", "verify"), "there is no trail in this folder"),
        (("serve", "trail", "delete", "--reason", "x"), "expected --case-id or --seq"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_2(equipoise, tmp_path, arguments, said):
    done = equipoise(*arguments, "--data", tmp_path)
    assert done.code == 2
    assert said in done.err


def test_a_port_that_is_taken_is_one_line_and_exit_2(equipoise, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = equipoise("serve", "--open", "--port", other.getsockname()[1], "--data", tmp_path / "new")
    assert (done.code, "cannot listen at 127.0.0.1" in done.err) == (2, True)
    assert not (tmp_path / "new").exists()


def test_the_trail_verifies_and_a_receipt_is_held_against_it(equipoise, folder):
    done = equipoise("serve", "trail", "verify", "--data", folder)
    assert done.code == 0
    assert "2 entries, 2 with what was audited, 0 of which it was deleted; the chain holds" in done.out
    last = done.out.splitlines()[-1].removeprefix("last entry ")
    assert equipoise("serve", "trail", "verify", "--data", folder, "--receipt", last).code == 0
    forged = last[:-1] + ("0" if last[-1] != "0" else "1")
    broken = equipoise("serve", "trail", "verify", "--data", folder, "--receipt", forged)
    assert broken.code == 1
    assert "NOT WHOLE" in broken.out
    assert equipoise("serve", "trail", "verify", "--data", folder, "--receipt", "x").code == 2


def test_a_replay_gives_the_same_bytes(equipoise, folder):
    done = equipoise("serve", "trail", "replay", "--data", folder)
    assert done.code == 0
    assert "replayed: 2 same" in done.err
    (one,) = [
        json.loads(line)
        for line in equipoise("serve", "trail", "replay", "--seq", "2", "--json", "--data", folder).out.splitlines()
    ]
    assert (one["seq"], one["outcome"]) == (2, "same")


def test_a_replay_of_other_bytes_under_the_same_versions_fails(equipoise, folder):
    with Trail(f"sqlite:///{folder / 'trail.sqlite3'}") as trail:
        entry = trail.entry(1)
        changed = Payload(
            entry.payload.case, entry.payload.verdicts.replace(b"Supported", b"Unsupported"), entry.payload.more
        )
        facts = entry.fields["facts"]
        trail.append([Draft(kind=Kind.AUDIT, at="2026-01-02", caller="k", facts=facts, payload=changed)])
    done = equipoise("serve", "trail", "replay", "--data", folder)
    assert done.code == 1
    assert "entry 3: broken" in done.out
    assert "1 broken, 2 same" in done.err


def test_an_export_holds_every_entry_and_is_itself_one(equipoise, folder, tmp_path):
    out = tmp_path / "out.jsonl"
    assert equipoise("serve", "trail", "export", out, "--data", folder).code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["case"]["case_id"] for row in rows] == ["anna", "bert"]
    assert equipoise("serve", "trail", "export", out, "--headers-only", "--data", folder).code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["kind"] for row in rows] == ["audit", "audit", "access"]
    assert "anna" not in out.read_text(encoding="utf-8")


def test_a_case_is_deleted_and_the_chain_still_holds(equipoise, folder):
    done = equipoise("serve", "trail", "delete", "--case-id", "anna", "--reason", "asked for", "--data", folder)
    assert (done.code, "1 entries lost what was audited; recorded as entry 3" in done.err) == (0, True)
    assert "1 deleted, 1 same" in equipoise("serve", "trail", "replay", "--data", folder).err
    assert equipoise("serve", "trail", "verify", "--data", folder).code == 0
    again = equipoise("serve", "trail", "delete", "--case-id", "anna", "--reason", "asked for", "--data", folder)
    assert "Nothing to delete." in again.err
    assert equipoise("serve", "trail", "delete", "--reason", "x", "--data", folder).code == 2


def test_retention(equipoise, folder):
    assert "Nothing to delete" in equipoise("serve", "trail", "retain", "--days", "36500", "--data", folder).err
    assert "2 entries lost" in equipoise("serve", "trail", "retain", "--days", "1", "--data", folder).err
    assert equipoise("serve", "trail", "verify", "--data", folder).code == 0


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
    ],
)
def test_what_the_loopback_is(host, local):
    assert is_loopback(host) is local
