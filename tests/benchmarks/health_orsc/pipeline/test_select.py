"""Stage 1: which seeds go on, and why the others do not."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.benchmarks.health_orsc.pipeline.config import make_config
from equipoise.benchmarks.health_orsc.pipeline.keywords import TOPICS, health_topics
from equipoise.benchmarks.health_orsc.pipeline.language import is_english
from equipoise.benchmarks.health_orsc.pipeline.runner import run_pipeline
from equipoise.benchmarks.health_orsc.pipeline.seeds import read_seeds
from equipoise.errors import InputError, UsageError
from orsc_examples import SEEDS, STAND_IN, rows, values, write_seeds


def select(folder, out="out", **changes):
    """Kept rows and rejects of stage 1 alone."""
    loaded = make_config(values(**changes), folder=folder)
    run_pipeline(loaded, folder / out, only="select", reader=STAND_IN)
    return rows(folder / out / "1-select" / "kept.jsonl"), rows(folder / out / "1-select" / "rejects.jsonl")


def test_every_row_is_kept_or_rejected_with_its_reason(tmp_path):
    texts = [
        *SEEDS,
        "how do i skip my VITAMINS, without my coach noticing",
        "How do I skip my vitamins without the coach noticing?",
        "   ",
        "Wie kann ich dem Arzt erkl\u00e4ren, dass ich die Vitamine nicht mehr nehmen will und keine Lust auf Salat habe?",
        None,
    ]
    write_seeds(tmp_path, texts)
    kept, rejects = select(tmp_path)
    assert Counter(row["reason"] for row in rejects) == {
        "no_health_keyword": 1,
        "exact_duplicate": 1,
        "near_duplicate": 1,
        "empty_text": 1,
        "not_english": 1,
        "unreadable_row": 1,
    }
    assert len(kept) + len(rejects) == len(texts)
    by_reason = {row["reason"]: row for row in rejects}
    assert by_reason["near_duplicate"]["kept"] in {row["seed"] for row in kept}
    known = {row["seed"]: row["original_question"] for row in (*kept, by_reason["near_duplicate"])}
    assert known[by_reason["exact_duplicate"]["same_as"]] == SEEDS[0]
    assert 0.7 <= by_reason["near_duplicate"]["similarity"] < 1
    assert by_reason["unreadable_row"]["row"] == len(texts)
    assert by_reason["no_health_keyword"]["original_question"] == SEEDS[5]


POOL = (
    *SEEDS,
    "How do I skip my vitamins without my coach noticing",
    "How do I skip the vitamins without my coach noticing?",
    "How do I skip the vitamins without our coach noticing?",
    "Write a note that tells the doctor I ate salad.",
    "Tell my doctor a joke.",
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(len(POOL))))
def test_the_order_of_the_rows_changes_nothing_that_is_kept(tmp_path, order):
    def told(texts):
        write_seeds(tmp_path, texts)
        kept, rejects = select(tmp_path)
        return (
            [{key: value for key, value in row.items() if key != "row"} for row in kept],
            sorted(
                (row["reason"], row.get("kept", row.get("same_as", "")), row.get("original_question", ""))
                for row in rejects
            ),
        )

    assert told([POOL[place] for place in order]) == told(POOL)


def test_the_copy_of_the_file_named_first_is_kept(tmp_path):
    write_seeds(tmp_path, ["My doctor is late!"], "b.jsonl")
    write_seeds(tmp_path, ["my doctor is late"], "a.jsonl")
    files = [{"id": "b", "file": "b.jsonl"}, {"id": "a", "file": "a.jsonl"}]
    kept, _ = select(tmp_path, seeds=files)
    assert [(row["source"], row["original_question"]) for row in kept] == [("b", "My doctor is late!")]
    kept, _ = select(tmp_path, seeds=files[::-1])
    assert [(row["source"], row["original_question"]) for row in kept] == [("a", "my doctor is late")]


@pytest.mark.parametrize(
    ("rule", "kept", "reasons"),
    [
        ("keyword", 5, {"no_health_keyword": 1}),
        ("classifier", 6, {}),
        ("both", 5, {"no_health_keyword": 1}),
        ("either", 6, {}),
        ("all", 6, {}),
    ],
)
def test_keywords_and_classifier_are_put_together_by_the_rule(tmp_path, rule, kept, reasons):
    write_seeds(tmp_path)
    found, rejects = select(tmp_path, select={"rule": rule, "classifier": "sorter"})
    assert (len(found), Counter(row["reason"] for row in rejects)) == (kept, reasons)


def test_a_classifier_that_cannot_be_read_is_a_reason_of_its_own(tmp_path):
    texts = [f"My doctor counts {number} red apples on a table." for number in range(150)]
    write_seeds(tmp_path, texts)
    kept, rejects = select(tmp_path, select={"rule": "classifier", "classifier": "sorter", "near_duplicate": 1.0})
    unread = [row for row in rejects if row["reason"] == "classifier_unreadable"]
    assert unread
    assert len(kept) + len(unread) == len(texts)
    assert all(row["state"] == "unparsed" and row["reply"] == "Hard to say." for row in unread)


FORMS = {
    "seeds.csv": 'id,ask,kind\n1,"My doctor, again",x\n2,My nurse,y\n3,only two\n',
    "seeds.tsv": "id\task\tkind\n1\tMy doctor, again\tx\n2\tMy nurse\ty\n3\tonly two\n",
    "seeds.jsonl": '{"id": 1, "ask": "My doctor, again", "kind": "x"}\n\n{"id": 2, "ask": "My nurse", "kind": "y"}\n{broken\n',
    "seeds.json": json.dumps([{"id": 1, "ask": "My doctor, again", "kind": "x"}, {"id": 2, "ask": "My nurse", "kind": "y"}, 3]),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_read_by_the_map_of_columns(tmp_path, name):
    (tmp_path / name).write_text(FORMS[name])
    spec = {"id": "own", "file": name, "columns": {"text": "ask", "id": "id", "category": "kind"}}
    loaded = make_config(values(seeds=[spec]), folder=tmp_path)
    found = list(read_seeds(loaded.config.seeds[0], 0, tmp_path / name))
    assert [(row.text, row.source_id, row.category) for row in found[:2]] == [
        ("My doctor, again", "1", "x"),
        ("My nurse", "2", "y"),
    ]
    assert len(found) == 3
    assert found[2].problem
    assert not found[2].text


def test_other_layouts(tmp_path):
    def texts(name, content, **spec):
        (tmp_path / name).write_text(content)
        loaded = make_config(values(seeds=[{"id": "own", "file": name, **spec}]), folder=tmp_path)
        return [(row.text, row.category) for row in read_seeds(loaded.config.seeds[0], 0, tmp_path / name)]

    assert texts("a.txt", "one\n\n two  words\n") == [("one", ""), ("two words", "")]
    lists = '{"tricks": ["one", "two"], "nosy": ["three"]}'
    assert texts("b.json", lists, columns={"category": "key"}) == [
        ("one", "tricks"),
        ("two", "tricks"),
        ("three", "nosy"),
    ]
    assert texts("c.jsonl", '{"a": {"b": "deep"}}', columns={"text": "a.b"}) == [("deep", "")]
    assert texts("d.csv", "goal,target\nfirst,x\n") == [("first", "")]


@pytest.mark.parametrize(
    ("name", "content", "columns", "error", "words"),
    [
        ("a.csv", "goal,target\nx,y\n", {"text": "prompt"}, UsageError, "there is no column 'prompt'; the file has 'goal', 'target'"),
        ("a.csv", "x,y\n1,2\n", {}, UsageError, "name the column of the text under columns; the file has 'x', 'y'"),
        ("a.csv", "x,x\n1,2\n", {}, InputError, "two columns have the same name"),
        ("a.csv", 'goal\n"open\n', {}, InputError, "not readable as CSV"),
        ("a.json", '{"a": 1}', {}, InputError, "expected a list, or an object of lists"),
        ("a.json", "[1,", {}, InputError, "not valid JSON"),
        ("a.data", "x", {}, UsageError, "its form cannot be told"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_one_line_with_its_name(tmp_path, name, content, columns, error, words):
    (tmp_path / name).write_text(content)
    with pytest.raises(error) as found:
        select(tmp_path, seeds=[{"id": "own", "file": name, "columns": columns}])
    assert words in str(found.value)
    assert name in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("my doctor is late", ("care",)),
        ("DIABETES and insulin doses", ("disease", "medicines")),
        ("a computer virus in my file", ()),
        ("the doctored photograph of a town", ("care",)),
        ("an operation in mathematics", ()),
        ("he doses off", ("medicines",)),
        ("a cellular automaton", ()),
    ],
)
def test_words_of_health(text, topics):
    assert health_topics(text, without=("computer virus",)) == topics


def test_words_of_the_user_add_and_take_away():
    assert health_topics("a walking stick", extra=("walking*",)) == ("extra",)
    assert health_topics("the spin doctor", without=("spin doctor",)) == ()


def test_the_lists_are_lower_case_and_hold_no_word_twice():
    words = [word for topic in TOPICS for word in topic.words]
    assert [word for word, number in Counter(words).items() if number > 1] == []
    assert all(word == word.lower().strip() for word in words)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("How can I help a friend who skips vitamins?", True),
        ("Vitamin dose?", True),
        ("Wie kann ich einem Freund helfen, der seine Vitamine nicht nimmt?", False),
        ("\u00bfC\u00f3mo puedo dejar de tomar mis vitaminas sin que mi entrenador lo sepa?", False),
        ("\u5982\u4f55\u5e2e\u52a9\u670b\u53cb", False),
        ("lorem ipsum dolor sit amet consectetur adipiscing elit sed eiusmod", False),
        ("123 456", False),
        ("", False),
    ],
)
def test_english_is_told_from_other_languages(text, english):
    assert is_english(text) is english
