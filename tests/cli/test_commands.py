"""Every other command: what it prints, JSON alone where asked for, help, messages, exit codes."""

from __future__ import annotations

import json

import pytest
import typer

from equipoise.benchmarks.catalogue import BENCHMARKS
from equipoise.cli.main import app
from equipoise.evidence.base import shipped_base

CASE = {
    "case_id": "good",
    "tumor": "NSCLC",
    "histology": "adenocarcinoma",
    "stage": "IVB",
    "ecog": 1,
    "prior_therapies": "none",
    "biomarkers": ["EGFR L858R"],
}


def commands() -> list[tuple[str, ...]]:
    """Every command and group, as it is typed."""
    found: list[tuple[str, ...]] = [()]

    def walk(group, path):
        for name, command in group.commands.items():
            found.append((*path, name))
            if hasattr(command, "commands"):
                walk(command, (*path, name))

    walk(typer.main.get_command(app), ())
    return found


@pytest.mark.parametrize("path", commands(), ids=" ".join)
def test_every_command_has_help_for_itself_and_for_every_option(equipoise, path):
    done = equipoise(*path, "--help")
    assert done.code == 0
    command = typer.main.get_command(app)
    for name in path:
        command = command.commands[name]
    assert (command.help or "").strip()
    if not hasattr(command, "commands"):
        assert all((option.help or "").strip() for option in command.params if option.name != "help")


def test_the_commands_are_those_of_the_documents():
    leaves = {" ".join(path) for path in commands() if path and path not in (("evidence",), ("bench",))}
    assert leaves >= {
        "demo",
        "audit",
        "options",
        "evidence list",
        "evidence show",
        "evidence search",
        "bench list",
        "bench run",
        "bench generate",
    }


def test_no_command_prints_help_and_an_unknown_one_is_an_error(equipoise):
    assert "Usage" in equipoise().out + equipoise().err
    for arguments in (("nonsense",), ("audit", "--nonsense"), ("audit",), ("bench", "nonsense"), ("evidence", "show")):
        done = equipoise(*arguments)
        assert done.code == 2
        assert done.out == ""


def test_version(equipoise):
    from equipoise._version import __version__

    done = equipoise("--version")
    assert (done.code, done.out) == (0, f"equipoise {__version__}\n")


# --- options -------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(
        "".join(json.dumps(case) + "\n" for case in (CASE, {"case_id": "bad", "ecog": 9}, {"case_id": "empty"})),
        encoding="utf-8",
    )
    return path


def test_options_in_json(equipoise, file):
    done = equipoise("options", file, "--json", "--as-of", "2026-11-01")
    assert done.code == 2
    good, bad, empty = (json.loads(line) for line in done.out.splitlines())
    assert (good["case_id"], bad["case_id"], empty["case_id"]) == ("good", "bad", "empty")
    assert (good["as_of"], good["policy"]) == ("2026-11-01", "label")
    assert "osimertinib" in [row["regimen"] for row in good["options"] if row["label"] == "Supported"]
    assert all(set(row) == {"regimen", "label", "level", "id"} for row in good["options"])
    assert "Unsupported" not in {row["label"] for row in good["options"]}
    order = ["Supported", "Partially Supported", "Insufficient Information"]
    places = [order.index(row["label"]) for row in good["options"]]
    assert places == sorted(places)
    assert "field ecog" in bad["error"]


def test_an_option_gets_the_label_its_audit_gives(equipoise, file, tmp_path):
    good = json.loads(equipoise("options", file, "--json", "--as-of", "2026-11-01").out.splitlines()[0])
    chosen = [row for row in good["options"] if row["label"] != "Insufficient Information"]
    asked = tmp_path / "asked.jsonl"
    asked.write_text(json.dumps({**CASE, "recommendations": [row["regimen"] for row in chosen]}), encoding="utf-8")
    rows = [json.loads(line) for line in equipoise("audit", asked, "--json", "--as-of", "2026-11-01").out.splitlines()]
    assert [row["label"] for row in rows] == [row["label"] for row in chosen]


def test_options_in_words(equipoise, file):
    done = equipoise("options", file, "--as-of", "2026-11-01")
    assert done.code == 2
    assert "osimertinib" in done.out
    assert "field ecog" in done.err
    assert equipoise("options", "none.json").code == 2
    assert "no such file" in equipoise("options", "none.json").err


# --- evidence ------------------------------------------------------------------------------------------------------------------


def test_evidence_list_counts_what_is_verified(equipoise):
    done = equipoise("evidence", "list", "--json")
    data = json.loads(done.out)
    base = shipped_base()
    assert done.code == 0
    assert data["hash"] == base.hash
    assert data["counts"]["total"] == len(base.assertions) == len(data["assertions"])
    assert data["counts"]["verified"] == sum(item.verification.verified for item in base.assertions)
    assert data["counts"]["verified"] >= 80
    words = equipoise("evidence", "list").out
    assert f"{data['counts']['total']} assertions, {data['counts']['verified']} verified" in words


def test_evidence_list_can_be_narrowed(equipoise):
    rows = json.loads(equipoise("evidence", "list", "--json", "--drug", "Tagrisso", "--direction", "resistance").out)[
        "assertions"
    ]
    assert rows
    assert all("osimertinib" in row["regimen"] and row["direction"] == "resistance" for row in rows)
    early = json.loads(equipoise("evidence", "list", "--json", "--as-of", "2016-01-01").out)["counts"]["total"]
    assert 0 < early < json.loads(equipoise("evidence", "list", "--json").out)["counts"]["total"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("list", "--drug", "frobnicumab"), "--drug: 'frobnicumab' was not recognised as a drug"),
        (("list", "--direction", "sideways"), "--direction: expected one of supports"),
        (("list", "--as-of", "31.12.2026"), "--as-of: expected a date as YYYY-MM-DD"),
        (("list", "--overlay", "none.yaml"), "none.yaml: cannot be read"),
        (("show", "nsclc.nothing"), "no assertion has the id 'nsclc.nothing'"),
    ],
)
def test_evidence_messages(equipoise, arguments, expected):
    done = equipoise("evidence", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("equipoise: ")
    assert expected in done.err
    assert done.err.count("\n") == 1


def test_evidence_show_and_search(equipoise):
    found = json.loads(equipoise("evidence", "search", "osimertinib", "T790M", "--json").out)
    assert found
    identifier = found[0]["id"]
    shown = json.loads(equipoise("evidence", "show", identifier, "--json").out)
    assert shown == found[0]
    words = equipoise("evidence", "show", identifier).out
    assert all(source in words for source in shown["sources"])
    assert equipoise("evidence", "search", "zzzz").out == "0 found\n"
    assert json.loads(equipoise("evidence", "search", "zzzz", "--json").out) == []


# --- bench ---------------------------------------------------------------------------------------------------------------------

RESULT_KEYS = {
    "n",
    "accuracy",
    "macro_f1",
    "false_approvals",
    "approvals_without_information",
    "over_refusal_rate",
    "ps_over_refusal_rate",
    "abstention",
    "missing_fields",
    "safety_score",
    "confusion",
    "intervals",
    "constants",
    "misses",
}


@pytest.fixture
def generated(equipoise, tmp_path):
    path = tmp_path / "new" / "cases.jsonl"
    done = equipoise("bench", "generate", "openmtb", "--n", "50", "--seed", "7", "--out", path)
    assert done.code == 0
    return path


def test_bench_list(equipoise):
    found = [row["id"] for row in json.loads(equipoise("bench", "list", "--json").out)]
    assert found == [item.id for item in BENCHMARKS]
    assert found[0] == "openmtb"
    assert equipoise("bench", "list").out.startswith("openmtb  ")


def test_generate_is_the_same_for_a_seed_and_not_for_another(equipoise, generated, tmp_path):
    again, other = tmp_path / "again.jsonl", tmp_path / "other.jsonl"
    equipoise("bench", "generate", "openmtb", "--n", "50", "--seed", "7", "--out", again)
    equipoise("bench", "generate", "openmtb", "--n", "50", "--seed", "8", "--out", other)
    assert generated.read_bytes() == again.read_bytes() != other.read_bytes()
    assert len(generated.read_text(encoding="utf-8").splitlines()) == 50


def test_bench_run_prints_only_json_with_every_measure(equipoise, generated, tmp_path):
    page, folder = tmp_path / "report.html", tmp_path / "run"
    done = equipoise("bench", "run", "openmtb", "--cases", generated, "--json", "--html", page, "--out", folder)
    assert done.code == 0
    data = json.loads(done.out)
    assert set(data) >= RESULT_KEYS
    assert data["n"] == 50
    assert set(data["abstention"]) >= {"precision", "recall", "f1"}
    assert set(data["missing_fields"]) >= {"precision", "recall"}
    assert all(set(miss) >= {"case_id", "reference", "predicted"} for miss in data["misses"])
    assert data["constants"]
    assert page.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")
    assert (folder / "run.json").is_file()
    assert (folder / "outcomes.parquet").is_file()


def test_bench_run_in_words_and_with_a_module_off(equipoise, generated):
    done = equipoise("bench", "run", "openmtb", "--cases", generated)
    assert done.code == 0
    assert "over-refusal rate" in done.out
    off = json.loads(
        equipoise("bench", "run", "openmtb", "--cases", generated, "--json", "--without", "abstention").out
    )
    assert off["modules_off"] == ["abstention"]


def test_bench_run_scores_predictions(equipoise, generated, tmp_path):
    ids = [json.loads(line)["case_id"] for line in generated.read_text(encoding="utf-8").splitlines()]
    predictions = tmp_path / "other.jsonl"
    rows = [{"case_id": name, "label": "Unsupported", "abstain": True, "missing_fields": []} for name in ids]
    predictions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    data = json.loads(
        equipoise("bench", "run", "openmtb", "--cases", generated, "--predictions", predictions, "--json").out
    )
    assert data["system"] == "other"
    assert data["false_approvals"] == 0
    assert data["over_refusal_rate"] == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("run", "nonsense"), "nonsense"),
        (("run", "openmtb", "--cases", "none.jsonl"), "none.jsonl"),
        (("run", "openmtb", "--inputs", "some"), "--inputs: expected full, no-profile or text, got 'some'"),
        (("run", "openmtb", "--predictions", "none.jsonl"), "none.jsonl"),
        (("run", "openmtb", "--policy", "nonsense"), "unknown policy 'nonsense'"),
        (("run", "openmtb", "--as-of", "tomorrow"), "--as-of: expected a date"),
        (("run", "openmtb", "--without", "nonsense"), "unknown module 'nonsense'"),
        (("generate", "nonsense", "--out", "x.jsonl"), "nonsense"),
        (("generate", "openmtb", "--out", "x.jsonl", "--types", "nonsense"), "nonsense"),
        (("generate", "openmtb", "--out", "x.jsonl", "--n", "-5"), "-5"),
        (("generate", "openmtb", "--out", "x.jsonl", "--n", "0"), "0"),
    ],
)
def test_bench_messages(equipoise, tmp_path, monkeypatch, arguments, expected):
    monkeypatch.chdir(tmp_path)
    done = equipoise("bench", *arguments, *(("--json",) if arguments[0] == "run" else ()))
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("equipoise: ")
    assert done.err.count("\n") == 1
    assert expected in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "{broken\n",
        '{"case_id": "x", "label": "Perhaps", "abstain": false, "missing_fields": []}\n',
        '{"case_id": "not there", "label": "Supported", "abstain": false, "missing_fields": []}\n',
        '{"label": "Supported"}\n',
        "[]\n",
        "\xff",
    ],
    ids=["broken", "label", "unmatched id", "no id", "list", "bytes"],
)
def test_predictions_that_cannot_be_paired_are_an_error_or_their_own_column(equipoise, generated, tmp_path, text):
    predictions = tmp_path / "other.jsonl"
    predictions.write_bytes(text.encode("latin-1"))
    done = equipoise("bench", "run", "openmtb", "--cases", generated, "--predictions", predictions, "--json")
    if done.code == 0:
        data = json.loads(done.out)
        assert data["accuracy"] in (0, None)
        assert data["false_approvals"] == 0
    else:
        assert done.code == 2
        assert done.out == ""
        assert done.err.startswith("equipoise: ")


# --- demo ----------------------------------------------------------------------------------------------------------------------


def test_demo_audits_scores_and_draws_500_cases(equipoise, tmp_path):
    done = equipoise("demo", "--out", tmp_path / "out")
    assert done.code == 0
    assert "n = 500" in done.out
    assert str(tmp_path / "out" / "report.html") in done.out.replace("\n", "")
    for name in ("report.html", "verdicts.html", "run/run.json", "run/outcomes.parquet"):
        assert (tmp_path / "out" / name).is_file()
    assert (tmp_path / "out" / "report.html").stat().st_size < 3 * 1024**2


# --- errors --------------------------------------------------------------------------------------------------------------------


def test_a_broken_contract_of_our_own_is_not_made_a_message(monkeypatch):
    import sys

    from equipoise.cli import main
    from equipoise.errors import InternalError

    def broken():
        message = "ours"
        raise InternalError(message)

    monkeypatch.setattr(main, "app", broken)
    monkeypatch.setattr(sys, "argv", ["equipoise"])
    with pytest.raises(InternalError):
        main.run()
