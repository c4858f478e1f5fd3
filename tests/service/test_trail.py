"""The audit trail: the chain, the triggers, deletion that keeps it verifiable, and replay."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3

import pytest

from equipoise.errors import ConfigurationError, UpstreamError
from equipoise.service.access.keys import Role
from equipoise.service.engine import Engine
from equipoise.service.trail.entries import Draft, Kind, Payload, Receipt, ranges
from equipoise.service.trail.replay import Outcome, replay
from equipoise.service.trail.retention import delete_subject, retain
from equipoise.service.trail.store import Trail
from equipoise.service.trail.verify import verify
from service_example import CASE

NOW = dt.datetime(2026, 11, 1, 8, 30, tzinfo=dt.UTC)


def draft(number=0, subject="s"):
    payload = Payload(case=b'{"n":%d}' % number, verdicts=b"[]", more=b"{}")
    return Draft(kind=Kind.AUDIT, at=NOW.isoformat(), caller="k", subject=subject, facts={"n": number}, payload=payload)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "trail.sqlite3"


@pytest.fixture
def trail(file):
    with Trail(f"sqlite:///{file}") as opened:
        yield opened


def test_entries_follow_each_other_and_verify(trail):
    receipts = [*trail.append([draft(1), draft(2)]), *trail.append([draft(3)])]
    assert [one.seq for one in receipts] == [1, 2, 3]
    found = verify(trail, known=tuple(receipts))
    assert (found.entries, found.payloads, found.deleted, found.problems) == (3, 3, 0, ())
    assert found.head == receipts[-1]


def test_two_writers_make_one_chain(trail, file):
    with Trail(f"sqlite:///{file}") as other:
        for number in range(10):
            (trail if number % 2 else other).append([draft(number)])
    assert verify(trail).problems == ()
    assert trail.head().seq == 10


def test_a_reader_keeps_no_writer_waiting(trail, file):
    trail.append([draft(number) for number in range(3)])
    with trail._reader.connect() as reading, Trail(f"sqlite:///{file}") as other:
        assert reading.exec_driver_sql("SELECT COUNT(*) FROM trail_entries").scalar() == 3
        other.append([draft(4)])
        assert reading.exec_driver_sql("SELECT COUNT(*) FROM trail_entries").scalar() == 3
    assert trail.head().seq == 4


def test_everything_is_synced_at_every_commit(trail):
    with trail._engine.connect() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "secure_delete")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}


def test_the_log_of_the_database_is_kept_short_beside_the_writing(file, monkeypatch):
    monkeypatch.setattr("equipoise.service.trail.store._LOG_PAGES", 20)
    log = file.with_name("trail.sqlite3-wal")
    with Trail(f"sqlite:///{file}", steady=True) as opened:
        for number in range(30):
            opened.append([draft(number)])
        grown = log.stat().st_size
        opened.checkpoint()
        for number in range(10):
            opened.append([draft(number)])
        assert log.stat().st_size == grown
        assert verify(opened).problems == ()
        assert opened.head().seq == 40


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE trail_entries SET caller_ = 1",
        "UPDATE trail_entries SET header = 'x' WHERE seq = 1",
        "DELETE FROM trail_entries WHERE seq = 2",
        "UPDATE trail_payloads SET content = x'00'",
        "DELETE FROM trail_payloads WHERE seq = 1",
        "INSERT OR REPLACE INTO trail_entries SELECT seq, kind, at, subject, request, 'x', hash FROM trail_entries WHERE seq = 1",
        "INSERT INTO trail_entries SELECT seq + 7, kind, at, subject, request, header, hash FROM trail_entries WHERE seq = 1",
        "INSERT OR REPLACE INTO trail_payloads SELECT seq, x'00', content, verdicts, more FROM trail_payloads WHERE seq = 1",
    ],
)
def test_the_database_refuses_to_change_what_is_there(trail, file, statement):
    trail.append([draft(1), draft(2)])
    with sqlite3.connect(file) as connection, pytest.raises((sqlite3.IntegrityError, sqlite3.OperationalError)):
        connection.execute(statement)
    assert verify(trail).problems == ()


def without_triggers(file, *statements):
    """What the owner of the file could do."""
    with sqlite3.connect(file) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE trail_entries SET header = replace(header, '\"n\":2', '\"n\":9') WHERE seq = 2",
            "entry 2: the chain breaks",
        ),
        ("UPDATE trail_payloads SET salt = x'00' WHERE seq = 2", "entry 2: its payload was changed"),
        ("UPDATE trail_payloads SET content = x'00' WHERE seq = 2", "entry 2: its payload was changed"),
        ("DELETE FROM trail_payloads WHERE seq = 2", "entry 2: its payload is gone without a tombstone"),
        ("DELETE FROM trail_entries WHERE seq = 2", "entry 2: it is missing"),
        ("INSERT INTO trail_tombstones VALUES (2, 3)", "entry 2: its tombstone names entry 3"),
    ],
)
def test_a_change_by_the_owner_of_the_file_shows(trail, file, statement, said):
    trail.append([draft(1), draft(2), draft(3)])
    trail.close()
    without_triggers(file, statement)
    assert any(problem.startswith(said) for problem in verify(trail).problems)


def test_a_trail_that_lost_its_end_shows_by_a_receipt(trail, file):
    last = trail.append([draft(1), draft(2), draft(3)])[-1]
    trail.close()
    without_triggers(file, "DELETE FROM trail_payloads WHERE seq = 3", "DELETE FROM trail_entries WHERE seq = 3")
    assert verify(trail).problems == ()
    assert verify(trail, known=(last,)).problems == ("entry 3: there is a receipt for it, and it is not there",)
    forged = Receipt(2, "0" * 64)
    assert verify(trail, known=(forged,)).problems == ("entry 2: its hash is not the one of the receipt",)


def test_a_deletion_takes_the_payload_and_keeps_the_chain(trail, file):
    trail.append([draft(1, "anna"), draft(2, "bert"), draft(3, "anna")])
    found = delete_subject(trail, "anna", now=NOW, caller="me", reason="asked for")
    assert (found.count, found.receipt.seq) == (2, 4)
    after = verify(trail)
    assert (after.entries, after.payloads, after.deleted, after.problems) == (4, 1, 2, ())
    assert trail.entry(1).payload is None
    assert trail.entry(4).fields["facts"] == {"reason": "asked for", "entries": [[1, 1], [3, 3]], "count": 2}
    assert delete_subject(trail, "anna", now=NOW, caller="me", reason="again").receipt is None
    trail.close()


def test_nothing_of_a_deleted_payload_stays_in_the_files(trail, file):
    import secrets
    import zlib

    noise = secrets.token_hex(400).encode()
    payload = Payload(case=noise, verdicts=b"[]", more=b"{}")
    trail.append([Draft(kind=Kind.AUDIT, at=NOW.isoformat(), caller="k", subject="anna", payload=payload)])
    packed = zlib.compress(noise, 1)[20:120]

    def found():
        return any(packed in one.read_bytes() for one in file.parent.iterdir())

    assert found()
    delete_subject(trail, "anna", now=NOW, caller="me", reason="asked for")
    assert not found()


def test_retention_takes_what_is_older_than_the_period(trail):
    old = dt.datetime(2026, 1, 1, tzinfo=dt.UTC).isoformat()
    trail.append([Draft(kind=Kind.AUDIT, at=old, caller="k", payload=Payload(case=b"1")), draft(2)])
    assert retain(trail, days=400, now=NOW, caller="me").count == 0
    assert retain(trail, days=30, now=NOW, caller="me").count == 1
    assert (trail.entry(1).payload, trail.entry(2).payload is None) == (None, False)
    assert verify(trail).problems == ()


def test_a_write_that_fails_leaves_nothing_behind(trail, file):
    trail.append([draft(1)])
    with sqlite3.connect(file) as connection:
        connection.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT ON trail_payloads WHEN NEW.seq = 3 BEGIN SELECT RAISE(ABORT, 'x'); END"
        )
    with pytest.raises(UpstreamError, match="cannot be written"):
        trail.append([draft(2), draft(3)])
    assert trail.head().seq == 1
    assert verify(trail).problems == ()


def test_ranges_of_numbers():
    assert ranges([5, 1, 2, 2, 3, 9]) == [[1, 3], [5, 5], [9, 9]]


@pytest.mark.parametrize("url", ["nonsense", "mysql://x/y", "oracle://x"])
def test_another_database_is_refused(url):
    with pytest.raises(ConfigurationError):
        Trail(url)


def test_a_trail_of_another_version_is_refused(trail, file):
    trail.close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE trail_meta SET value = '99'")
    with pytest.raises(ConfigurationError, match="version 99"):
        Trail(f"sqlite:///{file}")


# --- through the service -----------------------------------------------------------------------------------------------------


def test_a_verdict_on_the_trail_comes_out_again(running):
    running.audit()
    running.audit(
        {"case_id": "n", "text": "Stage IV lung adenocarcinoma, EGFR L858R, ECOG 1. Recommendation: osimertinib."},
        as_of="2026-05-01",
    )
    running.audit([{key: value for key, value in CASE.items() if key != "case_id"}] * 3)
    entries = list(running.state.trail.entries(kind="audit"))
    assert len(entries) == 5
    assert {replay(one, running.state.engine).outcome for one in entries} == {Outcome.SAME}


def test_under_other_evidence_the_replay_names_the_difference(running, tmp_path):
    running.audit()
    overlay = tmp_path / "ours.yaml"
    overlay.write_text(
        "- id: ours.example\n  regimen: osimertinib\n  direction: contraindicated\n  level: A\n  jurisdiction: US\n"
        "  valid_from: 2020-01-01\n  statement: An invented rule of this house.\n  requires: []\n"
        "  sources: [{title: House rule, date: 2026-01-01}]\n  verified: {state: verified, text: house rule of 2026, on: 2026-01-02}\n",
        encoding="utf-8",
    )
    entry = running.state.trail.entry(1)
    found = replay(entry, Engine(("label",), (overlay,)))
    assert found.outcome is Outcome.DIFFERS
    assert set(found.versions) == {"evidence"}
    assert "label" in {one.element for one in found.differences}


def test_other_bytes_under_the_same_versions_are_a_defect(running):
    running.audit()
    entry = running.state.trail.entry(1)
    verdicts = entry.payload.verdicts.replace(b'"Supported"', b'"Unsupported"', 1)
    changed = type(entry)(
        seq=1, header=entry.header, fields=entry.fields, hash=entry.hash,
        payload=Payload(entry.payload.case, verdicts, entry.payload.more), salt=entry.salt,
    )  # fmt: skip
    found = replay(changed, running.state.engine)
    assert found.outcome is Outcome.BROKEN
    assert [one.element for one in found.differences] == ["label"]


def test_what_was_deleted_is_not_replayed(running):
    running.audit()
    subject = running.state.secret.pseudonym(CASE["case_id"])
    assert delete_subject(running.state.trail, subject, now=NOW, caller="me", reason="x").count == 1
    assert replay(running.state.trail.entry(1), running.state.engine).outcome is Outcome.DELETED


def test_the_headers_that_stay_hold_nothing_of_the_patient(running):
    running.audit({**CASE, "case_id": "Anna Beispiel", "age": 62})
    header = running.state.trail.entry(1).header
    for word in ("Anna", "Beispiel", "osimertinib", "EGFR", "IVB", "adenocarcinoma"):
        assert word not in header
    assert json.loads(header)["subject"] == running.state.secret.pseudonym("Anna Beispiel")


def test_the_trail_is_read_with_its_role_and_each_reading_is_an_entry(running):
    seq = running.audit().json()["cases"][0]["trail"]["seq"]
    assert running.client.get(f"/trail/{seq}").status_code == 403
    reader = running.as_role(Role.TRAIL)
    found = running.client.post("/trail/search", json={"case_id": CASE["case_id"]}, headers=reader).json()["entries"]
    assert [one["seq"] for one in found] == [seq]
    entry = running.client.get(f"/trail/{seq}", headers=reader).json()
    assert entry["case"] == CASE
    assert entry["verdicts"][0]["label"] == "Supported"
    assert running.client.get(f"/trail/{seq}/replay", headers=reader).json()["outcome"] == "same"
    kinds = [one.fields["kind"] for one in running.state.trail.entries()]
    assert kinds == ["audit", "access", "access", "access"]
    assert running.client.get("/trail/head", headers=reader).json()["seq"] == 4
    assert running.client.get("/trail/99", headers=reader).status_code == 404
    assert running.client.get("/trail/2/replay", headers=reader).status_code == 409


def test_without_the_trail_there_is_no_verdict(running, monkeypatch):
    def fails(drafts):
        message = "disk full"
        raise UpstreamError(message)

    monkeypatch.setattr(running.state.trail, "append", fails)
    answer = running.audit()
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    assert "verdicts" not in answer.text
    assert running.client.get("/ready").status_code == 503
    monkeypatch.undo()
    assert running.audit().status_code == 200
    assert running.client.get("/ready").status_code == 200


def test_too_many_waiting_entries_are_refused(running):
    running.state.writer._waiting = running.settings.limits.trail_waiting
    answer = running.audit()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    running.state.writer._waiting = 0
    assert running.audit().status_code == 200


def test_many_cases_of_one_document_all_have_their_entry(running):
    cases = running.audit(
        [{"case_id": str(number), "recommendations": ["osimertinib"]} for number in range(600)]
    ).json()["cases"]
    assert [case["trail"]["seq"] for case in cases] == list(range(1, 601))
