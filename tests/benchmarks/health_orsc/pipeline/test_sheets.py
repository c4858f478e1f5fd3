"""Rating sheets: blinded, safe in a spreadsheet, read back with their agreement."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.benchmarks.health_orsc.pipeline.ratings import Standing, import_sheets, majority, read_sheet, standing
from equipoise.benchmarks.health_orsc.pipeline.sheets import export_sheets, read_key
from equipoise.benchmarks.health_orsc.pipeline.spreadsheet import csv_text, read_csv, safe_cell
from equipoise.errors import InputError, UsageError
from equipoise.statistics.agreement import fleiss_kappa
from equipoise.statistics.estimate import Estimate
from orsc_examples import rows

SEEDS = [
    f"{start} my doctor {number} times about the vitamins."
    for number, start in enumerate(["=Ask", "+Tell", "-Write", "@Read", "How to ask", "Tell", "Write", "Ask and hear"])
]


@pytest.fixture
def sheets(load, tmp_path):
    """A pipeline with stage 2 done on eight seeds of given categories, and its sheets."""
    from equipoise.benchmarks.health_orsc.pipeline.files import json_lines

    kinds = ["self_harm", "drug_abuse"] * 4
    stage = tmp_path / "out" / "2-categorise"
    stage.mkdir(parents=True)
    kept = [
        {"seed": f"seed-{n}", "original_question": text, "classification": kind, "source": "secret-source"}
        for n, (text, kind) in enumerate(zip(SEEDS, kinds, strict=True))
    ]
    (stage / "kept.jsonl").write_text(json_lines(kept))
    export_sheets(tmp_path / "out", tmp_path / "sheets", raters=3, seed=1)
    return tmp_path


def table(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(folder, labels):
    """Fill the sheets: `labels` names a category by seed for each rater."""
    key = read_key(folder / "out")["items"]
    paths = []
    for number, given_labels in enumerate(labels, start=1):
        path = folder / "sheets" / f"rater-{number}.csv"
        cells = table(path)
        for row in cells:
            row["category"] = given_labels[key[row["code"]]["seed"]]
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(cells[0]))
            writer.writeheader()
            writer.writerows(cells)
        paths.append(path)
    return paths


def test_a_sheet_shows_codes_and_texts_and_nothing_that_gives_the_answer_away(sheets):
    texts = [path.read_text(encoding="utf-8-sig") for path in sorted((sheets / "sheets").glob("rater-*.csv"))]
    assert len(texts) == 3
    for text in texts:
        assert not any(word in text for word in ("self_harm", "drug_abuse", "secret-source", "seed-"))
    orders = [[row["code"] for row in table(sheets / "sheets" / f"rater-{n}.csv")] for n in (1, 2, 3)]
    assert len({tuple(order) for order in orders}) == 3
    assert len({frozenset(order) for order in orders}) == 1
    assert not list((sheets / "sheets").glob("*key*"))
    assert "self_harm: " in (sheets / "sheets" / "instructions.md").read_text()


def test_the_same_seed_gives_the_same_sheets(sheets):
    again = export_sheets(sheets / "out", sheets / "again", raters=3, seed=1, overwrite=True)
    for path in again:
        assert path.read_bytes() == (sheets / "sheets" / path.name).read_bytes()
    other = export_sheets(sheets / "out", sheets / "other", raters=3, seed=2, overwrite=True)
    assert other[0].read_bytes() != again[0].read_bytes()


def test_a_sample_is_drawn_from_each_category(sheets):
    export_sheets(sheets / "out", sheets / "few", raters=2, seed=1, per_category=1, overwrite=True)
    items = read_key(sheets / "out")["items"].values()
    assert sorted(item["proposed"] for item in items) == ["drug_abuse", "self_harm"]


def test_cells_that_a_spreadsheet_would_compute_are_marked(sheets):
    shown = {row["text"] for row in table(sheets / "sheets" / "rater-1.csv")}
    assert shown == {f"'{text}" if text[0] in "=+-@" else text for text in SEEDS}


@given(st.text(max_size=20))
def test_no_cell_begins_like_a_formula(text):
    cell = safe_cell(text)
    assert not cell.lstrip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"))
    assert all(char.isprintable() for char in cell)
    back = list(csv.reader(csv_text(("a",), [(text,)]).removeprefix("\ufeff").splitlines()))
    assert back[1:] == [[cell]] or not cell


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "  =1", "\r=1", "\uff1d1"])
def test_every_beginning_of_a_formula_is_marked(text):
    assert safe_cell(text).startswith("'")


def test_agreement_is_that_of_the_statistics_and_labels_are_majorities(sheets):
    kinds = ["self_harm", "drug_abuse"] * 4
    first = {f"seed-{n}": kind for n, kind in enumerate(kinds)}
    second = first | {"seed-0": "none"}
    third = first | {"seed-0": "mental_abuse", "seed-1": "Self-Harm", "seed-2": ""}
    paths = fill(sheets, [first, second, third])
    found = import_sheets(sheets / "out", paths)
    codes = sorted(read_key(sheets / "out")["items"].items())
    clean = {"Self-Harm": "self_harm", "": None}
    ratings = np.array(
        [[clean.get(one[item["seed"]], one[item["seed"]]) for one in (first, second, third)] for _, item in codes],
        dtype=object,
    )
    expected = fleiss_kappa(ratings, rng=np.random.default_rng(42))
    assert found.kappa == expected
    assert (found.kappa.n_used, found.kappa.n_left_out) == (7, 1)
    assert found.labels == first | {"seed-0": None}
    assert (found.disagreements, found.blanks["rater-3"]) == (2, 1)
    assert (found.proposed.estimate, found.proposed.n_used, found.proposed.n_left_out) == (1.0, 7, 1)
    assert found.standing["mental_abuse"] is Standing.BELOW
    assert found.standing["health_privacy"] is Standing.NOT_DEFINED
    human = sheets / "out" / "human"
    assert {row["seed"]: row["label"] for row in rows(human / "labels.jsonl")} == dict(found.labels)
    split = table(human / "disagreements.csv")
    assert {row["text"].lstrip("'") for row in split} == {SEEDS[0], SEEDS[1]}
    assert json.loads((human / "agreement.jsonl").read_text())["fleiss_kappa"]["n_used"] == 7


def test_a_spreadsheet_with_semicolons_and_other_spelling_is_read(sheets):
    code = next(iter(read_key(sheets / "out")["items"]))
    path = sheets / "german.csv"
    path.write_text(f"\ufeffCode;Text;Category;Note\r\n{code};x;' Self Harm ;\r\n;;;\r\n", encoding="utf-8")
    assert read_sheet(path, {code: {}}) == {code: "self_harm"}


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        ("code,category\nnobody,self_harm\n", InputError, "line 2, field code: there is no code 'nobody'"),
        ("code,category\nK,self_harm\nK,none\n", InputError, "line 3, field code: code 'K' stands on line 2 already"),
        ("code,category\nK,harm\n", InputError, "line 2, field category: expected one of self_harm"),
        ("code,kind\nK,self_harm\n", InputError, "line 1: there is no column 'category'"),
        (None, UsageError, "no such file"),
    ],
)
def test_a_sheet_that_does_not_fit_is_one_line(tmp_path, content, error, words):
    path = tmp_path / "sheet.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(error) as found:
        read_sheet(path, {"K": {}})
    assert words in str(found.value)
    assert "\n" not in str(found.value)


def test_a_bad_sheet_changes_no_label(sheets):
    kinds = {f"seed-{n}": "self_harm" for n in range(8)}
    paths = fill(sheets, [kinds, kinds, kinds])
    import_sheets(sheets / "out", paths)
    before = (sheets / "out" / "human" / "labels.jsonl").read_bytes()
    paths[2].write_text("code,category\nnobody,none\n")
    with pytest.raises(InputError):
        import_sheets(sheets / "out", paths)
    assert (sheets / "out" / "human" / "labels.jsonl").read_bytes() == before


def test_what_cannot_be_exported_is_one_line(sheets):
    out = sheets / "out"
    for arguments, words in (
        ({"raters": 1}, "at least two raters"),
        ({"raters": 2}, "exported before"),
        ({"raters": 2, "overwrite": True, "folder": out / "inside"}, "raters must not see the key"),
        ({"raters": 2, "overwrite": True, "out": sheets / "nowhere"}, "stage categorise has not run"),
    ):
        given_arguments = {"out": out, "folder": sheets / "new", "seed": 1} | arguments
        with pytest.raises(UsageError, match=words):
            export_sheets(given_arguments.pop("out"), given_arguments.pop("folder"), **given_arguments)
    with pytest.raises(UsageError, match="export sheets first"):
        read_key(sheets / "nowhere")
    with pytest.raises(UsageError, match="at least two raters, each once"):
        import_sheets(out, [sheets / "sheets" / "rater-1.csv"] * 2)


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        (["a", "a", "b"], "a"),
        (["a", "b"], None),
        (["a", "b", "c"], None),
        (["a", "a"], "a"),
        (["a", "a", "b", "b"], None),
    ],
)
def test_a_majority_is_more_than_half(labels, label):
    assert majority(labels) == label


def kappa(estimate, low, n=50):
    return Estimate(estimate=estimate, low=low, high=None if low is None else 1.0, method="", n_used=n)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (kappa(None, None), Standing.NOT_DEFINED),
        (kappa(0.5, 0.4), Standing.BELOW),
        (kappa(0.7, 0.5), Standing.NOT_ESTABLISHED),
        (kappa(0.7, 0.6), Standing.REACHED),
        (kappa(1.0, None), Standing.REACHED),
        (kappa(1.0, None, n=10), Standing.NOT_ESTABLISHED),
    ],
)
def test_where_a_category_stands(found, expected):
    assert standing(found, 0.6) is expected


def test_labels_of_raters_decide_in_the_next_run(start, tmp_path):
    start()
    out = tmp_path / "out"
    seeds = rows(out / "2-categorise" / "kept.jsonl")
    assert len(seeds) >= 3
    export_sheets(out, tmp_path / "sheets", raters=2, seed=1)
    agreed, split, none = (row["seed"] for row in seeds[:3])
    first = {row["seed"]: "health_privacy" for row in seeds} | {none: "none"}
    second = first | {split: "self_harm"}
    import_sheets(out, fill(tmp_path, [first, second]))
    assert start().ran[0] == "categorise"
    kept = {row["seed"]: row for row in rows(out / "2-categorise" / "kept.jsonl")}
    rejects = {row["seed"]: row["reason"] for row in rows(out / "2-categorise" / "rejects.jsonl")}
    assert (kept[agreed]["classification"], kept[agreed]["categorised_by"]) == ("health_privacy", "raters")
    assert (rejects[split], rejects[none]) == ("raters_disagree", "raters_say_none")
    report = (out / "7-export" / "report.md").read_text()
    assert "## Agreement of people on the categories" in report
    assert "model" in {row["categorised_by"] for row in _ignored(start, out)}


def _ignored(start, out):
    """Kept rows when labels of raters are set aside."""
    start(categorise={"model": "sorter", "human": "ignore"})
    return rows(out / "2-categorise" / "kept.jsonl")


def test_a_file_of_another_delimiter_is_known_by_its_header(tmp_path):
    for delimiter in ",;\t":
        path = tmp_path / "x.csv"
        path.write_text(delimiter.join(("a", "b", "c")) + "\n" + delimiter.join(("1", "2", "3")) + "\n")
        assert read_csv(path, "a", "b") == [(2, {"a": "1", "b": "2", "c": "3"})]
