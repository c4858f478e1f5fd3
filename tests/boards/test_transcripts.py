"""Transcripts as a user has them: sound, broken, without speakers, overlapping; then cases, quotes and turns cut from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.boards.curation.quotes import QuoteState, check_quote
from equipoise.boards.curation.roles import read_roles
from equipoise.boards.curation.segment import segment_cases
from equipoise.boards.curation.transcripts import UNKNOWN, merge_turns, read_transcript
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError, UsageError

FILES = Path(__file__).parent / "transcripts"


def read(name):
    return read_transcript(FILES / name)


def test_a_sound_vtt():
    found = read("sound.vtt")
    assert found.problems == ()
    assert [item.speaker for item in found.items] == [
        "Dr. Amber Lindqvist",
        "Radiology",
        "Radiology",
        "Surgery",
        "Dr. Amber Lindqvist",
        "Oncology",
    ]
    assert found.items[1].text == "The MRI shows a tumor eight centimetres from the verge."
    assert found.items[2].text == "The fascia is free & the nodes are large."
    assert (found.items[0].start, found.items[0].end) == (1.0, 6.5)
    assert found.items[5].start == 3624.0


def test_missing_speakers_are_unknown_and_said_so():
    found = read("no_speakers.vtt")
    assert [item.speaker for item in found.items] == [UNKNOWN, "MODERATOR", UNKNOWN]
    assert found.items[1].text == "Words after a name."
    assert found.items[2].text == "The margin: four millimetres."
    assert found.notes == ("2 of 3 cues name no speaker",)


def test_a_broken_vtt_keeps_what_is_sound_and_names_each_fault():
    found = read("broken.vtt")
    assert [item.text for item in found.items] == ["This cue is sound.", "This cue is sound too."]
    assert [problem.line for problem in found.problems] == [6, 9, 12, 15]
    told = [str(problem) for problem in found.problems]
    assert "-->" in told[0]
    assert "time" in told[1]
    assert "before" in told[2]
    assert "no text" in told[3]
    assert not [text for text in told if "This" in text], "no message repeats what was said"


def test_overlapping_times_are_kept_ordered_and_noted():
    found = read("overlap.vtt")
    assert [item.start for item in found.items] == [1.0, 2.0, 3.0, 6.0]
    assert found.notes == ("2 cues overlap the one before; cues were ordered by their start",)


def test_a_vtt_without_its_header_is_read_with_a_problem():
    found = read("no_header.vtt")
    assert [item.text for item in found.items] == ["Text."]
    assert "WEBVTT" in str(found.problems[0])


def test_a_sound_srt_with_one_cue_without_time():
    found = read("sound.srt")
    assert [(item.speaker, item.text) for item in found.items] == [
        ("SPEAKER_01", "First line and second."),
        ("Dr. B", "Second cue."),
    ]
    assert [problem.line for problem in found.problems] == [10]


def test_whisperx_splits_a_segment_where_the_speaker_changes():
    found = read("whisperx.json")
    assert [(item.speaker, item.text) for item in found.items] == [
        ("SPEAKER_00", "Welcome to the board."),
        ("SPEAKER_00", "Two speakers"),
        ("SPEAKER_01", "in one segment here."),
        (UNKNOWN, "Nobody was named."),
        ("SPEAKER_01", "The end."),
    ]
    assert (found.items[1].start, found.items[1].end) == (4.0, 4.9)
    assert (found.items[2].start, found.items[2].end) == (5.0, 6.8)
    assert [problem.field for problem in found.problems] == ["segments[3].start", "segments[4].text"]


@pytest.mark.parametrize(("name", "text"), [("x.json", "{}"), ("y.json", "[1]"), ("z.json", "{")])
def test_json_that_is_no_transcript_is_refused(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError):
        read_transcript(path)


def test_an_unknown_ending_and_a_missing_file_are_usage_errors(tmp_path):
    path = tmp_path / "x.docx"
    path.write_text("x")
    with pytest.raises(UsageError, match=r"\.vtt"):
        read_transcript(path)
    with pytest.raises(UsageError, match="no such file"):
        read_transcript(tmp_path / "x.vtt")


def test_an_empty_transcript_says_so(tmp_path):
    path = tmp_path / "x.vtt"
    path.write_text("WEBVTT\n")
    assert "no cue" in str(read_transcript(path).problems[0])


def test_runs_of_one_speaker_become_turns():
    turns = merge_turns(read("sound.vtt").items)
    assert [turn.speaker for turn in turns] == [
        "Dr. Amber Lindqvist",
        "Radiology",
        "Surgery",
        "Dr. Amber Lindqvist",
        "Oncology",
    ]
    assert turns[1].text.endswith("the verge. The fascia is free & the nodes are large.")
    assert {turn.role for turn in turns} == {Role.UNKNOWN}
    assert [turn.id for turn in turns] == ["u001", "u002", "u003", "u004", "u005"]


def test_roles_come_from_a_map_of_speakers():
    turns = merge_turns(read("sound.vtt").items, roles={"Radiology": Role.RADIOLOGIST, "Surgery": Role.SURGEON})
    assert [turn.role for turn in turns][1:3] == [Role.RADIOLOGIST, Role.SURGEON]


def test_turns_of_nobody_are_never_merged():
    turns = merge_turns(read("no_speakers.vtt").items[:1] * 2)
    assert len(turns) == 2


def test_cases_are_cut_where_somebody_opens_one():
    turns = merge_turns(read("two_cases.vtt").items, join=False)
    found = segment_cases(turns)
    assert [(part.first, part.last) for part in found.cases] == [("u002", "u005"), ("u006", "u008")]
    assert found.before == ("u001",)
    assert "first case" in found.cases[0].opening.casefold()


def test_a_transcript_without_an_opening_is_one_case_and_says_so():
    turns = (Turn(id="a", speaker="x", role=Role.UNKNOWN, text="The margins are clear."),)
    found = segment_cases(turns)
    assert [(part.first, part.last, part.opening) for part in found.cases] == [("a", "a", "")]
    assert "no words that open a case" in found.notes[0]
    assert segment_cases(()).cases == ()


@pytest.mark.parametrize(
    ("quote", "state"),
    [
        ("The margins are clear.", QuoteState.VERBATIM),
        ("the margins  are clear", QuoteState.SPACING_OR_CASE),
        ("The margins are not clear.", QuoteState.ABSENT),
        ("margins clear", QuoteState.ABSENT),
        ("margins are cl", QuoteState.ABSENT),
        ("I’d wait", QuoteState.SPACING_OR_CASE),
        ("", QuoteState.ABSENT),
    ],
)
def test_a_quote_is_verbatim_or_not(quote, state):
    turns = (
        Turn(id="a", speaker="x", role=Role.SURGEON, text="Yes. The margins are clear. I'd wait."),
        Turn(id="b", speaker="y", role=Role.SURGEON, text="Other words."),
    )
    found = check_quote(quote, turns)
    assert found.state is state
    assert found.turn == ("" if state is QuoteState.ABSENT else "a")


def test_a_quote_of_another_turn_is_told():
    turns = (
        Turn(id="a", speaker="x", role=Role.SURGEON, text="One."),
        Turn(id="b", speaker="y", role=Role.SURGEON, text="Two."),
    )
    found = check_quote("Two.", turns, turn="a")
    assert found.state is QuoteState.OTHER_TURN
    assert found.turn == "b"


def test_a_case_that_opens_in_the_middle_of_a_turn_is_noted():
    found = segment_cases(merge_turns(read("two_cases.vtt").items))
    assert [(part.first, part.last) for part in found.cases] == [("u001", "u003"), ("u004", "u006")]
    late = Turn(
        id="a",
        speaker="x",
        role=Role.UNKNOWN,
        text="We have spoken of this for long enough, and the board agrees. Next case: a man.",
    )
    assert "turn a opens a case after" in segment_cases((late,)).notes[0]


def test_a_part_of_a_word_is_no_quote():
    turns = (Turn(id="a", speaker="x", role=Role.SURGEON, text="It is unresectable."),)
    assert check_quote("resectable", turns).state is QuoteState.ABSENT


def test_two_voices_in_one_cue_are_two_and_do_not_overlap(tmp_path):
    path = tmp_path / "x.vtt"
    path.write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<v A>Yes.</v> <v B>No, <i>never</i>.</v>\n")
    found = read_transcript(path)
    assert [(item.speaker, item.text) for item in found.items] == [("A", "Yes."), ("B", "No, never.")]
    assert found.notes == ()


def test_utterances_of_the_published_pipeline(tmp_path):
    path = tmp_path / "transcript.with_speakers.json"
    rows = [
        {"utterance_id": "utt_1", "speaker_id": "spk_01", "start_sec": 0.0, "end_sec": 2.0, "text": "Hello."},
        {"utterance_id": "utt_2", "speaker_id": "UNKNOWN", "start_sec": 2.0, "end_sec": 3.0, "text": "Hm."},
        {"utterance_id": "utt_3", "speaker_id": "spk_01", "end_sec": 3.0, "text": "Lost."},
    ]
    path.write_text(json.dumps({"video_id": "v", "utterances": rows}))
    found = read_transcript(path)
    assert [item.speaker for item in found.items] == ["spk_01", UNKNOWN]
    assert [problem.field for problem in found.problems] == ["utterances[2].start_sec"]


def test_a_file_of_roles_corrects_speakers(tmp_path):
    path = tmp_path / "roles.yaml"
    path.write_text("Radiology: radiologist\nSurgery: Surgeon\n")
    assert read_roles(path, speakers={"Radiology", "Surgery", "x"}) == {
        "Radiology": Role.RADIOLOGIST,
        "Surgery": Role.SURGEON,
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Radiology: wizard\n", "wizard"),
        ("Nobody: surgeon\n", "Nobody"),
        ("- a\n", "speaker: role"),
        ("a: [\n", "YAML"),
        ("", "speaker: role"),
    ],
)
def test_a_wrong_file_of_roles_is_refused(tmp_path, text, told):
    path = tmp_path / "roles.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_roles(path, speakers={"Radiology", "a"})


def test_a_smaller_than_sign_is_no_mark_of_a_cue(tmp_path):
    said = "PSA <4 before and >10 now, a nodule <2 cm but >1 cm."
    (tmp_path / "a.vtt").write_text(
        f"WEBVTT\n\n00:01.000 --> 00:02.000\n<v A><i>{said}</i> <00:01.500>Yes.\n", encoding="utf-8"
    )
    (tmp_path / "a.srt").write_text(
        f'1\n00:00:01,000 --> 00:00:02,000\n<font color="#fff">{said}</font>\n', encoding="utf-8"
    )
    assert read_transcript(tmp_path / "a.vtt").items[0].text == f"{said} Yes."
    assert read_transcript(tmp_path / "a.srt").items[0].text == said


def test_names_before_a_colon_are_speakers_where_most_cues_have_one(tmp_path):
    cues = [
        "Anna Weber: Good morning.",
        "José Muñoz (Surgery): I would operate.",
        "Anna Weber: Impression: a mass.",
        "and two nodes.",
    ]
    blocks = "\n".join(f"00:0{place}.000 --> 00:0{place}.900\n{text}\n" for place, text in enumerate(cues))
    (tmp_path / "a.vtt").write_text(f"WEBVTT\n\n{blocks}", encoding="utf-8")
    found = read_transcript(tmp_path / "a.vtt").items
    assert [cue.speaker for cue in found] == ["Anna Weber", "José Muñoz (Surgery)", "Anna Weber", "unknown"]
    assert [cue.text for cue in found] == ["Good morning.", "I would operate.", "Impression: a mass.", "and two nodes."]


@pytest.mark.parametrize(
    "texts", [["Impression: a mass.", "Two nodes.", "No more."], ["Impression: a mass.", "Plan: surgery."]]
)
def test_a_word_before_a_colon_is_no_speaker_by_itself(tmp_path, texts):
    blocks = "\n".join(f"00:0{place}.000 --> 00:0{place}.900\n{text}\n" for place, text in enumerate(texts))
    (tmp_path / "a.vtt").write_text(f"WEBVTT\n\n{blocks}", encoding="utf-8")
    assert [cue.text for cue in read_transcript(tmp_path / "a.vtt").items] == texts


def test_an_abbreviation_before_a_colon_is_no_speaker(tmp_path):
    (tmp_path / "a.vtt").write_text(
        "WEBVTT\n\n00:01.000 --> 00:02.000\nPSA: eleven.\n\n00:02.000 --> 00:03.000\nCHAIR: Thank you.\n"
    )
    found = read_transcript(tmp_path / "a.vtt").items
    assert [(cue.speaker, cue.text) for cue in found] == [("unknown", "PSA: eleven."), ("CHAIR", "Thank you.")]
