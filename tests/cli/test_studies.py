"""`reproduce`, `compare`, `gate`: what they print, JSON alone where asked for, messages, exit codes."""

from __future__ import annotations

import json
import sys

import pytest

from equipoise.report.lint import lint
from equipoise.studies import STUDIES
from study_examples import HOSTILE, MARGIN_LINE, PROTOCOL, STUDY, kinds, replies, save_run, save_study


def strict(text):
    """JSON of one line, in which NaN and infinity are errors."""
    assert text.count("\n") == 1

    def refuse(name):
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """The made-up study is the only one, and its data are there."""
    import equipoise.studies

    monkeypatch.setattr(equipoise.studies, "STUDIES", (STUDY,))
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)
    return save_study(tmp_path / "data")


@pytest.fixture
def runs(tmp_path):
    """Two like runs: A is right on 20 more of 120, B has 5 unreadable replies."""
    first = save_run(tmp_path / "a", "a", replies(kinds(70, 10)))
    second = save_run(tmp_path / "b", "b", replies(kinds(50, 25, 5)))
    return first, second


# --- reproduce -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), ("list",)])
def test_the_studies_are_listed(equipoise, arguments):
    done = equipoise("reproduce", *arguments)
    assert done.code == 0
    for study in STUDIES:
        assert study.id in done.out
        assert study.source.address in done.out
    assert [item["study"] for item in strict(equipoise("reproduce", *arguments, "--json").out)] == [
        study.id for study in STUDIES
    ]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.id)
def test_without_data_it_says_where_to_get_them(equipoise, monkeypatch, tmp_path, study):
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)
    for more in ((), ("--data", tmp_path / "nowhere")):
        done = equipoise("reproduce", study.id, *more)
        assert done.code == 2
        assert done.out == ""
        assert done.err.count("equipoise: ") == 1
        for text in (study.source.address, study.source.commit, study.source.licence, "EQUIPOISE_DATA"):
            assert text in done.err
        for file in study.files:
            assert file.path in done.err
            assert file.sha256 in done.err
        as_json = equipoise("reproduce", study.id, *more, "--json")
        assert as_json.code == 2
        assert as_json.err == ""
        value = strict(as_json.out)
        assert value["missing"] == [file.path for file in study.files]
        assert value["source"]["commit"] == study.source.commit
        assert value["files"][0]["sha256"] == study.files[0].sha256


def test_the_data_come_from_the_option_before_the_variable(equipoise, tiny, monkeypatch, tmp_path):
    monkeypatch.setenv("EQUIPOISE_DATA", str(tmp_path / "nowhere"))
    assert equipoise("reproduce", "tiny").code == 2
    assert equipoise("reproduce", "tiny", "--data", tiny).code == 0
    monkeypatch.setenv("EQUIPOISE_DATA", str(tiny))
    assert equipoise("reproduce", "tiny").code == 0


def test_a_study_in_words(equipoise, tiny):
    done = equipoise("reproduce", "tiny", "--data", tiny)
    assert done.code == 0
    assert "1 of 4 published figures follows from the released rows; 3 do not." in done.out
    assert "1 more published figure rests on rows of which only a part is public" in done.out
    for text in (
        "published",
        "ours",
        "difference",
        "0.2189 to 0.3958",
        "-0.4000",
        "2.8e-34",
        "not defined",
        "yes",
        "NO",
    ):
        assert text in done.out
    assert "- share of the second: a second look finds another" in done.out
    assert "- score of a system that always refuses: above 7 of 9 published ones" in done.out
    assert "- one warning for all" in done.out
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    assert "[red]" in done.out  # printed, not read as markup


def test_a_study_as_json_has_no_nan(equipoise, tiny):
    done = equipoise("reproduce", "tiny", "--data", tiny, "--json", "--seed", "7")
    assert (done.code, done.err) == (0, "")
    value = strict(done.out)
    assert value["seed"] == 7
    rows = {row["id"]: row for row in value["rows"]}
    assert rows["gap.none"]["details"] == {"x": None, "y": None}
    assert rows["gap.none"]["ours"] is None
    assert rows["rate.second"]["follows"] == "does not follow"
    assert rows["rate.first"]["published"] == 0.3
    assert value["files"][0]["checked"] is True


def test_a_study_as_a_page(equipoise, tiny, tmp_path):
    page = tmp_path / "out" / "page.html"
    done = equipoise("reproduce", "tiny", "--data", tiny, "--json", "--html", page)
    assert done.code == 0
    strict(done.out)
    html = page.read_text(encoding="utf-8")
    assert lint(html) == []
    assert HOSTILE not in html


def test_another_file_than_the_checked_one_is_said(equipoise, tiny):
    (tiny / "tiny" / "rows.csv").write_text("answer\nno\n", encoding="utf-8")
    assert (
        "tiny/rows.csv is not the file the figures were checked on"
        in equipoise("reproduce", "tiny", "--data", tiny).out
    )


def test_messages_of_reproduce(equipoise, tmp_path):
    done = equipoise("reproduce", "nonsense", "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"equipoise: there is no study 'nonsense'; there are {', '.join(item.id for item in STUDIES)}\n"
    for file in STUDIES[2].files:
        path = tmp_path / file.path
        path.parent.mkdir(exist_ok=True)
        path.write_text("a,b\n1,2\n", encoding="utf-8")
    done = equipoise("reproduce", "xstest", "--data", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("equipoise: ")
    assert "columns are missing" in done.err


@pytest.mark.data
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.id)
def test_every_study_is_reproduced(equipoise, data_dir, tmp_path, study):
    page = tmp_path / "page.html"
    done = equipoise("reproduce", study.id, "--data", data_dir, "--json", "--html", page)
    assert (done.code, done.err) == (0, "")
    value = strict(done.out)
    assert all(item["checked"] for item in value["files"])
    assert {"id", "published", "ours", "difference", "follows", "low", "high"} <= set(value["rows"][0])
    assert lint(page.read_text(encoding="utf-8")) == []
    assert equipoise("reproduce", study.id, "--data", data_dir).out.startswith(study.title)


# --- compare -------------------------------------------------------------------------------------------------------------------


def test_two_runs_in_words(equipoise, runs):
    done = equipoise("compare", *runs)
    assert (done.code, done.err) == (0, "")
    for text in ("A: s, run a", "B: s, run b", "A has higher accuracy than B", "A only", "p (Holm)", "McNemar, exact"):
        assert text in done.out
    assert "5 of 120 not read" in done.out
    assert "by stratum, a screen" in done.out


def test_two_runs_as_json(equipoise, runs, tmp_path):
    page = tmp_path / "page.html"
    done = equipoise("compare", *runs, "--json", "--html", page)
    assert (done.code, done.err) == (0, "")
    value = strict(done.out)
    rates = {rate["measure"]: rate for rate in value["rates"]}
    accuracy = rates["accuracy"]
    assert (accuracy["first_only"], accuracy["second_only"]) == (20, 0)
    assert accuracy["test"]["p_value"] == pytest.approx(2 * 0.5**20)
    assert accuracy["difference"]["n_left_out"] == 5
    assert accuracy["second_bounds"]["low"] == pytest.approx(90 / 120)
    assert accuracy["second_bounds"]["high"] == pytest.approx(95 / 120)
    assert "over_refusal_rate" not in rates
    assert lint(page.read_text(encoding="utf-8")) == []


def test_equal_runs_cannot_be_separated_and_are_equivalent_within_a_margin(equipoise, tmp_path):
    first = save_run(tmp_path / "a", "a", replies(kinds(70, 10)))
    second = save_run(tmp_path / "b", "b", replies(kinds(70, 10)))
    alone = strict(equipoise("compare", first, second, "--json").out)
    assert alone["sentence"].startswith("A and B cannot be separated in accuracy")
    within = strict(equipoise("compare", first, second, "--json", "--margin", "5").out)
    assert within["margin"] == 0.05
    assert within["sentence"].startswith("A and B are equivalent within 5 points in accuracy")
    assert within["rates"][0]["test"]["p_value"] == 1


def test_a_cluster_column_widens_and_changes_the_test(equipoise, runs):
    alone = strict(equipoise("compare", *runs, "--json").out)["rates"][0]
    clustered = strict(equipoise("compare", *runs, "--json", "--cluster", "item_family").out)["rates"][0]
    assert clustered["test"]["method"].startswith("permutation")
    assert clustered["difference"]["high"] - clustered["difference"]["low"] > (
        alone["difference"]["high"] - alone["difference"]["low"]
    )


def test_both_failure_modes_are_compared_on_openmtb(equipoise, tmp_path):
    labels = [("Supported", "Supported")] * 30 + [("Unsupported", "Unsupported")] * 30
    worse = [("Supported", "Unsupported")] * 10 + labels[10:45] + [("Unsupported", "Supported")] * 15
    first = save_run(tmp_path / "a", "a", replies(labels), benchmark="openmtb")
    second = save_run(tmp_path / "b", "b", replies(worse), benchmark="openmtb")
    page = tmp_path / "page.html"
    value = strict(equipoise("compare", first, second, "--json", "--html", page).out)
    rates = {rate["measure"]: rate for rate in value["rates"]}
    assert list(rates)[:2] == ["over_refusal_rate", "false_approval_rate"]
    assert rates["over_refusal_rate"]["second"]["estimate"] == pytest.approx(10 / 30)
    assert rates["false_approval_rate"]["second"]["estimate"] == pytest.approx(15 / 30)
    assert lint(page.read_text(encoding="utf-8")) == []


def test_unlike_runs_are_refused_with_every_difference(equipoise, runs, tmp_path):
    other = save_run(tmp_path / "c", "c", replies(kinds(70, 10)), dataset_hash="other", prompts_hash="others")
    done = equipoise("compare", runs[0], other, "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("equipoise: ") == 1
    assert "the dataset differs (a: d, c: other)" in done.err
    assert "prompt" not in done.err
    allowed = equipoise("compare", runs[0], other, "--allow-unlike", "--json")
    assert allowed.code == 0
    assert len(strict(allowed.out)["unlike"]) == 1
    assert strict(allowed.out)["differs"] == ["the prompt differs: p against others"]
    assert "allowed although unlike: the dataset differs" in equipoise("compare", runs[0], other, "--allow-unlike").out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--cluster", "colour"), "field cluster: there is no column 'colour'"),
        (("--margin", "0"), "--margin: expected points between 0 and 100"),
        (("--margin", "nan"), "--margin: expected points between 0 and 100"),
        (("--system", "t"), "run a has no system 't'; it has s"),
        (("--second-system", "t"), "run b has no system 't'; it has s"),
    ],
)
def test_messages_of_compare(equipoise, runs, arguments, expected):
    done = equipoise("compare", *runs, *arguments, "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("equipoise: ")
    assert expected in done.err
    assert done.err.count("\n") == 1


def test_a_folder_without_a_run_is_said(equipoise, runs, tmp_path):
    done = equipoise("compare", runs[0], tmp_path / "none", "--json")
    assert (done.code, done.out) == (2, "")
    assert "there is no run here: run.json is missing" in done.err


def test_the_missing_extra_is_one_message(equipoise, runs, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    done = equipoise("compare", *runs, "--cluster", "item_family", "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "pip install 'equipoise[stats]'" in done.err
    assert "Traceback" not in done.err


# --- gate ----------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def protocol(tmp_path):
    path = tmp_path / "protocol.yaml"
    path.write_text(PROTOCOL, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("answers", "code", "word"),
    [
        (kinds(75, 5), 0, "PASS: 2 of 2 requirements pass."),
        (kinds(10, 70), 1, "FAIL: 1 of 2 requirements passes; fail: accuracy."),
        (kinds(35, 45), 3, "UNDECIDED: 1 of 2 requirements passes; undecided: accuracy."),
        (kinds(75, 5, 60), 3, "undecided: accuracy."),
    ],
)
def test_a_gate_line_by_line(equipoise, tmp_path, protocol, answers, code, word):
    run = save_run(tmp_path / "a", "a", replies(answers))
    done = equipoise("gate", run, "--protocol", protocol)
    assert done.code == code
    assert word in done.out
    lines = done.out.splitlines()
    assert len(lines) == 3
    assert lines[1].split()[:3] == ["pass", "wrongly", "yes:"]
    assert "0 of 40" in lines[1]
    assert (
        done.err == "equipoise: the run does not name this protocol, so nothing shows that it was written beforehand\n"
    )
    page = tmp_path / "page.html"
    as_json = equipoise("gate", run, "--protocol", protocol, "--json", "--html", page)
    assert (as_json.code, as_json.err) == (code, "")
    value = strict(as_json.out)
    assert value["exit_code"] == code
    assert len(value["lines"]) == 2
    assert lint(page.read_text(encoding="utf-8")) == []


def test_a_gate_with_a_baseline(equipoise, tmp_path, protocol):
    protocol.write_text(PROTOCOL + MARGIN_LINE, encoding="utf-8")
    run = save_run(tmp_path / "a", "a", replies(kinds(75, 5)))
    base = save_run(tmp_path / "b", "b", replies(kinds(74, 6)))
    alone = equipoise("gate", run, "--protocol", protocol, "--json")
    assert (alone.code, alone.out) == (2, "")
    assert "a baseline run is needed for not worse" in alone.err
    page = tmp_path / "page.html"
    done = equipoise("gate", run, "--protocol", protocol, "--baseline", base, "--html", page)
    assert done.code == 0
    assert "not worse: +0.8 points" in done.out
    assert "not below the baseline by 10 points or more" in done.out
    html = page.read_text(encoding="utf-8")
    assert lint(html) == []
    assert "margin-band" in html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("version: 1\nname: x\nlines: []\n", "lines"),
        ("lines: [", "not readable YAML"),
        (PROTOCOL.replace("benchmark: b", "benchmark: c"), "the protocol is for benchmark 'c'"),
        (PROTOCOL.replace("at_least: 0.6", "tolerance: 0.6"), "lines.0.tolerance"),
        (None, "no such file"),
    ],
)
def test_messages_of_gate(equipoise, tmp_path, protocol, text, expected):
    run = save_run(tmp_path / "a", "a", replies(kinds(75, 5)))
    if text is None:
        protocol.unlink()
    else:
        protocol.write_text(text, encoding="utf-8")
    done = equipoise("gate", run, "--protocol", protocol, "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("equipoise: ") == 1
    assert expected in done.err


def test_a_gate_needs_a_protocol_and_a_run(equipoise, tmp_path, protocol):
    assert equipoise("gate", tmp_path / "none", "--protocol", protocol).code == 2
    assert equipoise("gate", tmp_path / "none").code == 2
