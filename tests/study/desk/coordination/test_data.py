"""Files in and out of a study in the browser: whole or not at all, named as they were called, the same bytes each time."""

import io
import json
import tempfile
import zipfile

import pytest

from equipoise.outcomes.run import read_run
from equipoise.study.bundle import protocol_text
from equipoise.study.desk import uploads
from equipoise.study.desk.settings import DeskLimits, DeskSettings
from equipoise.study.history import EventKind

RECORD = {"case_id": "new-1", "patient_summary": "text", "proposed_therapy": "invented"}


def line(**more):
    return (json.dumps(RECORD | more) + "\n").encode()


def upload(send, browser, name, data, **fields):
    return send(browser, "/coordinator/import", files={"file": (name, data)}, **({"kind": "items"} | fields))


def test_items_come_in_from_the_browser(desk, send):
    chief = desk.browser("chief")
    assert "1 item added, 0 were there." in upload(send, chief, "items.jsonl", line()).text
    assert "0 items added, 1 were there." in upload(send, chief, "items.jsonl", line()).text
    assert (
        "1 item added" in upload(send, chief, "items.json", json.dumps([RECORD | {"case_id": "new-2"}]).encode()).text
    )
    table = b"case_id,patient_summary,proposed_therapy\nnew-3,text,invented\n"
    assert "1 item added" in upload(send, chief, "items.CSV", table).text
    assert len(desk.store.items()) == 9


@pytest.mark.parametrize(
    ("name", "data", "fault"),
    [
        ("items.exe", line(), "items.exe: expected a file of kind .jsonl, .json, .csv"),
        ("items", line(), "expected a file of kind"),
        ("items.jsonl", b"", "expected a file that is not empty"),
        ("", line(), "expected a file that is not empty"),
        ("items.jsonl", line() + b"{oops\n", "items.jsonl, line 2"),
        ("items.jsonl", line() + line(), "item &#39;new-1&#39; is given twice"),
        ("items.jsonl", b'{"case_id": "x"}\n', "has no field &#39;patient_summary&#39;"),
        ("items.jsonl", line() + line(case_id="SOURCE-0"), "is in the study with another content"),
        ("items.jsonl", b"\xff\xfe\x00", "items.jsonl"),
        ("items.json", b"[" * 100_000, "items.json"),
        ("../../etc/items.jsonl", b"{oops\n", "items.jsonl, line 1"),
        ("<script>.jsonl", b"{oops\n", "_script_.jsonl, line 1"),
    ],
)
def test_a_file_that_does_not_fit_changes_nothing_and_is_named_as_it_was_called(desk, send, name, data, fault):
    before = desk.store.items_hash()
    told = upload(send, desk.browser("chief"), name, data)
    assert told.status_code == 422
    assert fault in told.text
    assert "Nothing of the file was taken." in told.text
    assert "equipoise-upload-" not in told.text
    assert tempfile.gettempdir() not in told.text
    assert desk.store.items_hash() == before


def test_a_file_is_limited_in_bytes_and_in_lines(make, send, monkeypatch):
    desk = make(settings=DeskSettings(limits=DeskLimits(upload_bytes=20_000)))
    chief = desk.browser("chief")
    assert upload(send, chief, "items.jsonl", b"x" * 30_000).status_code == 413
    monkeypatch.setattr(uploads, "MOST_ROWS", 2)
    told = upload(send, chief, "items.jsonl", b"".join(line(case_id=f"n{n}") for n in range(3)))
    assert (told.status_code, "expected at most 2 lines, found 3" in told.text) == (422, True)
    assert len(desk.store.items()) == 6


def test_labels_come_in_from_the_browser_and_a_wrong_form_keeps_what_was_typed(desk, send):
    chief = desk.browser("chief")
    table = b"item,one,two\nSOURCE-0,yes,Unsupported\nSOURCE-1,yes,yes\n"
    fields = {"kind": "labels", "item": "item", "columns": "one=file-a\ntwo=file-b"}
    told = upload(send, chief, "labels.csv", table, **fields)
    assert (told.status_code, "&#39;yes&#39; is no answer" in told.text, "one=file-a" in told.text) == (422, True, True)
    assert "4 labels added" in upload(send, chief, "labels.csv", table, rename="yes=Supported", **fields).text
    assert len(desk.store.assignments("file-a")) == 2
    for columns in ("", "one", "=a", "one=a\none=b"):
        assert upload(send, chief, "labels.csv", table, **fields | {"columns": columns}).status_code == 422
    assert upload(send, chief, "labels.json", b"[]", **fields).status_code == 422


def test_nobody_elses_file_is_read(desk):
    for code, status in (("ann", 403), ("judge-x", 403)):
        answer = desk.browser(code).post("/coordinator/import", files={"file": ("items.jsonl", line())})
        assert answer.status_code == status
    assert len(desk.store.items()) == 6


def test_the_run_travels_as_one_file_with_the_same_bytes(done, tmp_path):
    chief = done.browser("chief")
    first = chief.get("/coordinator/export/run.zip")
    done.now = done.now.replace(hour=18)
    assert done.browser("chief").get("/coordinator/export/run.zip").content == first.content
    with zipfile.ZipFile(io.BytesIO(first.content)) as archive:
        assert archive.namelist() == ["run/judgements.parquet", "run/outcomes.parquet", "run/run.json"]
        archive.extractall(tmp_path / "out")
    run = read_run(tmp_path / "out" / "run")
    assert (run.info.systems, run.outcomes.num_rows) == (("ann", "bob"), 12)


def test_a_table_begins_no_formula(desk):
    public = desk.store.assignments("ann")[0].public
    answers = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}
    desk.store.record(
        "ann", public, EventKind.ANSWER, press="1", at="2026-12-01T08:00:00+00:00", answers=answers, comment="=1+1"
    )
    with desk.store.transaction() as connection:
        desk.store.log(connection, at="x", actor="=cmd", what="+1", detail={})
    for name in ("labels.csv", "log.csv"):
        text = desk.browser("chief").get(f"/coordinator/export/{name}").text
        cells = [cell for row in text.splitlines() for cell in row.split(",")]
        assert [cell for cell in cells if cell.lstrip('"').startswith(("=", "+", "@"))] == []
        assert any(cell.lstrip('"').startswith("'=") for cell in cells)


def test_taking_labels_out_is_logged_with_who_still_labels(desk):
    chief = desk.browser("chief")
    for name in ("labels.csv", "run.zip", "protocol.yaml", "log.csv"):
        answer = chief.get(f"/coordinator/export/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    told = [json.loads(entry["detail"]) for entry in desk.log("export")]
    assert [(one["file"], one["unfinished"]) for one in told] == [
        ("labels.csv", {"ann": 6, "bob": 6}), ("run.zip", {"ann": 6, "bob": 6}),
    ]  # fmt: skip
    assert chief.get("/coordinator/export/study.sqlite").status_code == 404


def test_the_protocol_is_amended_with_a_reason_and_the_file_of_the_folder_follows(make, send, tmp_path):
    file = tmp_path / "protocol.yaml"
    desk = make(settings=DeskSettings(protocol_file=file))
    chief = desk.browser("chief")
    desk.label_all("ann", ["Supported"])
    text = protocol_text(desk.store)
    changed = text.replace("seed: 1", "seed: 9")
    assert changed != text
    for fields, fault in (
        ({"protocol": changed}, "expected a reason for the change"),
        ({"protocol": text, "reason": "x"}, "the protocol says the same as before"),
        ({"protocol": "a: [", "reason": "x"}, "not readable YAML"),
        ({"protocol": changed.replace("choice", "chance"), "reason": "x"}, "questions.1.kind"),
    ):
        told = send(chief, "/coordinator/protocol", **fields)
        assert (told.status_code, fault in told.text) == (422, True), told.text[-3000:]
    assert (len(desk.store.versions()), file.exists()) == (1, False)
    assert send(chief, "/coordinator/protocol", protocol=changed, reason="the seed was wrong").status_code == 303
    assert desk.store.versions()[-1]["reason"] == "the seed was wrong"
    assert file.read_text(encoding="utf-8") == changed
    assert "the seed was wrong" in chief.get("/coordinator/protocol").text
    assert desk.log("amend")[0]["actor"] == "chief"
