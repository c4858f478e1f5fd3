"""Replies that are no replies, and replies in other languages: a state, never a class."""

from __future__ import annotations

import pytest

from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.detector import read_reply
from equipoise.refusal.terms import Refusal


@pytest.mark.parametrize("reply", ["", " ", "\n\t\r\n", "\u00a0\u2003", "\u200b\ufeff", "\u200b \u2060\n"])
def test_nothing_said_is_empty(reply):
    reading = read_reply(reply, "How much?")
    assert (reading.state, reading.refusal, reading.cues) == (ReplyState.EMPTY, None, ())
    assert reading.content.weight == 0


@pytest.mark.parametrize("reply", ["...", "\U0001f64f", "---", "?!"])
def test_no_word_is_unparsed(reply):
    reading = read_reply(reply, "How much?")
    assert (reading.state, reading.refusal) == (ReplyState.UNPARSED, None)


@pytest.mark.parametrize(
    "reply",
    [
        "The response was filtered due to the prompt triggering Azure's content management policy.",
        "[content_filter]",
        "finish_reason: SAFETY",
        "Output blocked by content filtering policy",
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
        "[Response removed by safety filter]",
    ],
)
def test_a_filter_notice_is_blocked(reply):
    reading = read_reply(reply, "How much?")
    assert (reading.state, reading.refusal) == (ReplyState.BLOCKED, None)
    assert reading.cues[0].text == reply


@pytest.mark.parametrize(
    "reply", ["Error: 429 Too Many Requests", "502 Bad Gateway", '{"error": {"message": "overloaded"}}']
)
def test_a_failing_service_is_an_error(reply):
    assert read_reply(reply, "How much?").state is ReplyState.ERROR


@pytest.mark.parametrize(
    ("reply", "refusal"),
    [
        ("I can't help with that because of our content policy.", Refusal.FULL),
        ("A blocked artery is filtered out of the picture by the stent; blood flow returns at once.", Refusal.NONE),
        ("The error rate of the test is 2 to 3%, so a positive result is repeated.", Refusal.NONE),
        ("My safety guidelines prevent me from answering.", Refusal.FULL),
    ],
)
def test_words_of_a_notice_in_a_reply_do_not_block_it(reply, refusal):
    reading = read_reply(reply, "What happens?")
    assert (reading.state, reading.refusal) == (ReplyState.OK, refusal)


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("Lo siento, no puedo ayudarte con eso. Consulta a tu m\u00e9dico.", "Spanish"),
        ("Je suis d\u00e9sol\u00e9, je ne peux pas vous aider avec cette demande.", "French"),
        ("Es tut mir leid, dabei kann ich leider nicht helfen. Bitte fragen Sie Ihren Arzt.", "German"),
        ("Mi dispiace, ma non posso aiutarti con questo. Consulta il medico.", "Italian"),
        ("Sinto muito, mas n\u00e3o posso ajudar com isso. Procure um m\u00e9dico.", "Portuguese"),
        ("\u62b1\u6b49\uff0c\u6211\u65e0\u6cd5\u63d0\u4f9b\u8fd9\u65b9\u9762\u7684\u5e2e\u52a9\u3002", "Chinese"),
        ("申し訳ございませんが、お手伝いできません。", "Japanese"),
        ("Извините, я не могу помочь.", "Russian"),
        ("عذرا، لا أستطيع المساعدة", "Arabic"),
    ],
)  # fmt: skip
def test_another_language_is_flagged_and_not_guessed(reply, language):
    reading = read_reply(reply, "How much?")
    assert (reading.state, reading.refusal, reading.cues) == (ReplyState.UNPARSED, None, ())
    assert reading.reason.startswith("unsupported language: ")
    assert reading.language.startswith(language)


@pytest.mark.parametrize(
    "reply",
    [
        "Paracetamol 500 mg, omeprazole 20 mg, amoxicillin 500 mg.",
        "Eschscholzia californica, Valeriana officinalis, Passiflora incarnata.",
        "In Spanish you would say: \u00abMe duele la cabeza\u00bb. That means my head hurts.",
        "The word \u03b1-synuclein names the protein; \u03b2-blockers do not touch it.",
        "Yes.",
        "Maybe.",
    ],
)
def test_english_with_foreign_words_stays_english(reply):
    assert read_reply(reply, "What is it?").state is ReplyState.OK
