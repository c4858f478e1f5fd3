"""Content of items: nothing a rater reads is lost, nothing in it acts, and replies come in one style."""

import pytest

from equipoise.study.desk.marks import neutral
from equipoise.study.desk.text import block


def words(html):
    return str(html)


@pytest.mark.parametrize(
    "text",
    [
        "HLA-B*57:01 and HLA-A*02:01",
        "TP53 p.R213* and p.Q61*",
        "gene_name_one and _other_",
        "5 * 3 * 2",
        "2 ** 3 ** 4",
        "[link](http://example.org)",
        "`code`",
        "~50 ng/mL",
    ],
)
@pytest.mark.parametrize("markdown", [True, False])
def test_characters_that_medicine_needs_are_never_marks(text, markdown):
    assert words(neutral(text, markdown=markdown)) == f'<div class="plain">{text}</div>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("## Plan ##", '<p class="said-head">Plan</p>'),
        ("**Plan:** rest", '<div class="plain"><strong>Plan:</strong> rest</div>'),
        (
            "- one\n* two",
            '<p class="said-entry depth-0"><span>\u2022</span> <span>one</span></p>'
            '<p class="said-entry depth-0"><span>\u2022</span> <span>two</span></p>',
        ),
        ("  3) three", '<p class="said-entry depth-1"><span>3.</span> <span>three</span></p>'),
        ("a\n---\nb", '<div class="plain">a\n\nb</div>'),
        ("```\nx < y\n```", '<div class="plain">x &lt; y</div>'),
        ("a\r\nb", '<div class="plain">a\nb</div>'),
        ("", ""),
    ],
)
def test_marks_of_a_reply_come_in_one_style(text, html):
    assert words(neutral(text, markdown=True)) == html


def test_a_case_is_shown_as_it_stands():
    assert words(neutral("# a\n- b **c**", markdown=False)) == '<div class="plain"># a\n- b **c**</div>'


@pytest.mark.parametrize("markdown", [True, False])
@pytest.mark.parametrize("text", ["<script>x</script>", "- <img onerror=x>", "# <b>", "**<i>**", '"><svg>'])
def test_markup_is_text(text, markdown):
    html = words(neutral(text, markdown=markdown))
    for tag in ("<script", "<img", "<b>", "<i>", "<svg"):
        assert tag not in html


@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\x1b", "\u2066", "\U000e0041", "\x00"])
def test_what_cannot_be_seen_is_shown(char):
    html = words(neutral(f"- a{char}b", markdown=True))
    assert char not in html
    assert f"\u27e8U+{ord(char):04X}\u27e9" in html


def test_objects_and_lists_become_tables():
    found = block({"age": 68, "known": None, "rows": [{"a": 1}, {"a": 2, "b": True}]}, markdown=False)
    assert (found.kind, found.names) == ("pairs", ("age", "known", "rows"))
    age, known, rows = found.rows[0]
    assert "68" in age.html
    assert "not given" in known.html
    assert (rows.kind, rows.names) == ("table", ("a", "b"))
    assert "yes" in rows.rows[1][1].html


def test_a_list_of_texts_stays_a_list_and_depth_has_an_end():
    assert block(["a", "b"], markdown=False).kind == "list"
    deep = "end"
    for _ in range(50):
        deep = [deep]
    found = block(deep, markdown=False)
    depth = 0
    while found.kind == "list":
        found, depth = found.rows[0][0], depth + 1
    assert depth == 5
    assert "end" in found.html


@pytest.mark.parametrize("value", [[], {}])
def test_an_empty_thing_says_that_it_is(value):
    assert "none" in block(value, markdown=False).html
