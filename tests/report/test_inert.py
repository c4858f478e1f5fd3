from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from equipoise.report.inert import hidden, inert
from equipoise.report.plots._svg import safe_text


def test_what_cannot_be_seen_becomes_a_code_point() -> None:
    assert inert("a\u202eb\x1b[31mc\u200bd\ud800e\x00f") == "a⟨U+202E⟩b⟨U+001B⟩[31mc⟨U+200B⟩d⟨U+D800⟩e⟨U+0000⟩f"


def test_line_feeds_tabs_and_letters_stay() -> None:
    text = "Größe\tµg\nβ-catenin ≥ 50 %"
    assert inert(text) == text


@given(st.text())
def test_no_text_stays_hidden_or_grows_markup(text: str) -> None:
    made = inert(text)
    assert not hidden(made)
    assert inert(made) == made
    made.encode()
    escaped = safe_text(text)
    assert "<" not in escaped
    assert '"' not in escaped
