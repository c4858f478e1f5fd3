"""Scores from a file or a function become judgements; every fault is named, and a failed score is never 0."""

from __future__ import annotations

import sys

import pytest

from equipoise.errors import InputError, UpstreamError, UsageError
from equipoise.outcomes.run import read_run, write_run
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.toxicity.classifier import BATCH, Classifier, load_classifier, score
from equipoise.refusal.toxicity.files import read_scores
from equipoise.refusal.toxicity.rows import RUBRIC, Scored, judge_name, read_score, to_score, told, with_scores
from refusal_mocks import complies, items, judged, rows, save, unreadable


@pytest.fixture
def run(tmp_path):
    own = rows("a", complies, items(20)[:10])
    return save(tmp_path, "a", own, [judged(own[0]["reply_id"], "refusal", "none", judge="human-1")])


def file_of(tmp_path, text, name="scores.jsonl"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_line_names_its_reply_by_reply_or_by_item(run, tmp_path):
    path = file_of(
        tmp_path,
        '{"reply_id": "a/benign-0/1", "score": 0.25}\n{"item": "benign-1", "score": "0.5"}\n'
        '{"item": "benign-2", "system": "a", "trial": 1, "score": null}\n',
    )
    found = read_scores(path, run)
    assert found["a/benign-0/1"] == Scored(state=ReplyState.OK, score=0.25)
    assert found["a/benign-1/1"].score == 0.5
    assert (found["a/benign-2/1"].state, found["a/benign-2/1"].score) == (ReplyState.ERROR, None)
    table = file_of(tmp_path, "reply_id,score\na/benign-0/1,0.25\na/benign-1/1,\n", "scores.csv")
    assert {name: item.score for name, item in read_scores(table, run).items()} == {
        "a/benign-0/1": 0.25,
        "a/benign-1/1": None,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"reply_id": "nobody", "score": 0.1}', "holds no reply 'nobody'"),
        ('{"item": "benign-0", "score": 1.5}', "expected a number from 0 to 1, found 1.5"),
        ('{"item": "benign-0", "score": true}', "expected a number from 0 to 1, found True"),
        ('{"item": "benign-0", "score": "high"}', "expected a number from 0 to 1, found 'high'"),
        ('{"item": "benign-0"}', "field score: there is no such column"),
        ('{"score": 0.1}', "expected reply_id, or item with system"),
        ('{"item": "benign-0", "system": "b", "score": 0.1}', "no reply of 'b' to 'benign-0'"),
        ('{"item": "benign-0", "trial": "x", "score": 0.1}', "expected a whole number"),
        ('{"item": "benign-0", "score": 0.1}\n{"reply_id": "a/benign-0/1", "score": 0.2}', "scored on line 1 already"),
        ("not json", "line 1"),
        ("", "the file holds no score"),
    ],
)
def test_a_fault_of_a_file_is_named_with_its_line(run, tmp_path, text, words):
    with pytest.raises(InputError) as error:
        read_scores(file_of(tmp_path, text), run)
    assert words in str(error.value)
    assert "scores.jsonl" in str(error.value)


def test_other_endings_and_ragged_tables_are_refused(run, tmp_path):
    with pytest.raises(InputError, match="expected a .jsonl or .csv file"):
        read_scores(file_of(tmp_path, "x", "scores.txt"), run)
    with pytest.raises(InputError, match="line 2: expected 2 cells"):
        read_scores(file_of(tmp_path, "reply_id,score\na/benign-0/1\n", "s.csv"), run)


def test_several_systems_and_trials_must_be_named(tmp_path):
    two = save(tmp_path, "two", [*rows("a", complies, items(4)), *rows("b", complies, items(4))])
    with pytest.raises(InputError, match="2 systems, so a line must name one of a, b"):
        read_scores(file_of(tmp_path, '{"item": "benign-0", "score": 0.1}'), two)
    twice = save(tmp_path, "twice", rows("a", complies, items(4), trials=2))
    with pytest.raises(InputError, match="asked 2 times, so a line must say which"):
        read_scores(file_of(tmp_path, '{"item": "benign-0", "score": 0.1}'), twice)


def test_a_score_of_a_reply_without_text_is_refused(tmp_path):
    run = save(tmp_path, "u", rows("u", unreadable, items(200)))
    states = {row["reply_id"]: row["state"] for row in run.outcomes.to_pylist()}
    blocked = next(reply for reply, state in states.items() if state == "blocked")
    with pytest.raises(InputError, match="in state blocked: it holds no text"):
        read_scores(file_of(tmp_path, f'{{"reply_id": "{blocked}", "score": 0}}'), run)
    wanted = {reply for reply, state in states.items() if state in ("ok", "unparsed")}
    cut = {reply for reply, state in states.items() if state == "truncated"}
    assert set(to_score(run)) == wanted
    assert cut
    assert set(to_score(run, truncated=True)) == wanted | cut


def test_rows_are_sound_change_no_label_and_replace_only_their_own(run, tmp_path):
    first, replaced = with_scores(run, "toy 1", {"a/benign-0/1": read_score(0.2), "a/benign-1/1": read_score(None)}, {})
    assert replaced == 0
    second, _ = with_scores(first, "toy 2", {"a/benign-0/1": read_score(0.9)}, {})
    third, replaced = with_scores(second, "toy 1", {"a/benign-0/1": read_score(0.3)}, {"scores": 1})
    assert replaced == 2
    write_run(tmp_path / "a", third.info, third.outcomes, third.judgements)
    back = read_run(tmp_path / "a")
    kept = [(row["judge"], row["criterion"], row["points"], row["state"]) for row in back.judgements.to_pylist()]
    assert kept == [
        ("human-1", "refusal", None, "ok"),
        ("toy 2", RUBRIC, 0.9, "ok"),
        ("toy 1", RUBRIC, 0.3, "ok"),
    ]
    assert back.outcomes.equals(run.outcomes)
    assert back.info.arguments[RUBRIC] == {"toy 1": {"scores": 1}, "toy 2": {}}


def test_a_classifier_is_no_person():
    assert judge_name("detox", "1.2") == "detox 1.2"
    with pytest.raises(InputError, match="name of a person"):
        judge_name("human-like", "1")


def classifier(function):
    return Classifier(entry="toy:function", version="1", function=function)


def test_a_text_at_which_the_classifier_fails_costs_no_other_its_score():
    def function(texts):
        if "bad" in texts:
            message = "out of words"
            raise ValueError(message)
        return [0.1 for _ in texts]

    found = score(classifier(function), {"1": "good", "2": "bad", "3": "good"})
    assert [found[name].score for name in "123"] == [0.1, None, 0.1]
    assert found["2"].state is ReplyState.ERROR
    assert dict(told(found)) == {"the classifier failed: ValueError: out of words": 1}


def test_answers_that_are_no_scores_are_unparsed():
    values = [0.5, None, float("nan"), "x", -0.1, True]
    found = score(classifier(lambda texts: values), {str(place): str(place) for place in range(6)})
    assert [item.state.value for item in found.values()] == ["ok", *["unparsed"] * 5]


def test_another_number_of_scores_than_texts_is_refused_whole():
    with pytest.raises(UpstreamError, match="gave 1 scores for 2 texts"):
        score(classifier(lambda texts: [0.1]), {"1": "a", "2": "b"})


def test_texts_go_in_batches_and_equal_ones_once():
    asked: list[int] = []

    def function(texts):
        asked.append(len(texts))
        return [float(text) / 1000 for text in texts]

    texts = {str(place): str(place % 100) for place in range(200)}
    found = score(classifier(function), texts)
    assert asked == [BATCH, 100 - BATCH]
    assert found["150"].score == 0.05


def test_a_function_is_imported_from_the_working_folder_when_it_is_named(tmp_path, monkeypatch):
    (tmp_path / "my_own_scores.py").write_text("__version__ = '3'\n\ndef rate(texts):\n    return [0.0] * len(texts)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "my_own_scores", raising=False)
    before = list(sys.path)
    loaded = load_classifier("my_own_scores:rate")
    assert (loaded.version, score(loaded, {"1": "a"})["1"].score) == ("3", 0.0)
    assert sys.path == before


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("my_scores", "expected MODULE:FUNCTION"),
        ("no_such_module_here:rate", "cannot be imported (ModuleNotFoundError"),
        ("json:nothing", "has no function 'nothing'"),
    ],
)
def test_an_entry_that_cannot_be_had_is_one_line(entry, words):
    with pytest.raises(UsageError) as error:
        load_classifier(entry)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
