"""Every rule of the linter finds what it is there for, in a page that is otherwise good."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from equipoise.report.benchmark import benchmark_page
from equipoise.report.lint import lint, parse
from equipoise.report.render import render_benchmark, render_verdicts


@pytest.fixture
def verdicts(all_verdicts: list[dict[str, Any]], note: str) -> str:
    return render_verdicts(all_verdicts, notes={"demo-1": note})


@pytest.fixture
def benchmark(metrics: dict[str, Any], facts: dict[str, Any]) -> str:
    return render_benchmark(benchmark_page(metrics, facts))


def once(pattern: str, replacement: str) -> Callable[[str], str]:
    def change(html: str) -> str:
        changed, number = re.subn(pattern, replacement, html, count=1, flags=re.DOTALL)
        assert number == 1, pattern
        return changed

    return change


def everywhere(old: str, new: str) -> Callable[[str], str]:
    def change(html: str) -> str:
        assert old in html
        return html.replace(old, new)

    return change


VERDICT_FAULTS = [
    (
        "avoided word",
        once("<h3>Speaks for</h3>", "<h3>Recommended by us</h3>"),
        "avoided word in our own strings: recommended by",
    ),
    (
        "avoided attribute",
        once('<main id="main">', '<main id="main" aria-label="safe">'),
        "avoided word in our own strings: safe",
    ),
    ("long headline", once('(class="headline"[^>]*>)', r"\1" + "long " * 30), "headline of"),
    ("script", once("</main>", "<script>1</script></main>"), "script element"),
    ("handler", once("<main ", '<main onclick="x()" '), "script in attribute onclick"),
    ("image", once("</main>", '<img src="https://x.example/a.png"></main>'), "address that is loaded: img"),
    ("frame", once("</main>", '<iframe srcdoc="x"></iframe></main>'), "address that is loaded: iframe"),
    (
        "sheet",
        once("</head>", '<link rel="stylesheet" href="https://x.example/a.css"></head>'),
        "address that is loaded: link",
    ),
    ("import", once("<style>", "<style>@import 'x.css';"), "style sheet that loads something"),
    (
        "url",
        once("<style>", "<style>p { background: url(https://x.example/a.png) }"),
        "style sheet that loads something",
    ),
    ("style url", once("<main ", '<main style="background: url(//x)" '), "style that loads"),
    ("running link", once("</main>", '<a href="javascript:alert(1)">x</a></main>'), "address that runs"),
    ("refresh", once("</head>", '<meta http-equiv="refresh" content="0"></head>'), "moves on by itself"),
    ("no policy", once('<meta http-equiv="Content-Security-Policy"[^>]*>', ""), "content security policy"),
    ("weak policy", once("default-src 'none'", "default-src *"), "content security policy"),
    ("two ids", once("</main>", '<p id="v1"></p></main>'), "id used 2 times: v1"),
    ("dead link", once("</main>", '<a href="#nowhere">x</a></main>'), "link to nowhere: #nowhere"),
    ("bidi", once("</main>", "\u202ex</main>"), "control, direction or zero-width character in the page"),
    ("bidi reference", once("</main>", "&#x202e;x</main>"), "such a character behind a reference"),
    ("escape", once("</main>", "\x1b[31m</main>"), "control, direction or zero-width character in the page"),
    ("closed details", once("</main>", "<details>x</details></main>"), "closed details"),
    ("open details are fine", once("</main>", "<details open>x</details></main>"), ""),
    (
        "badge without word",
        once('(data-label="Supported"><span class="icon" aria-hidden="true"></span>)Supported', r"\1"),
        "badge without its word: Supported",
    ),
    ("badge without icon", once('<span class="icon" aria-hidden="true"></span>', ""), "badge without its icon"),
    (
        "badge of another colour",
        once("badge b-supported", "badge b-unsupported"),
        "badge of another class than its label",
    ),
    (
        "no standing line",
        everywhere("Compares a documented recommendation", "Compares it"),
        "standing line 0 times in verdict v1",
    ),
    (
        "no word on devices",
        once("Equipoise is research software and not a medical device.", ""),
        "not a medical device",
    ),
    ("bare percentage", once("</main>", "<p>It is right in 97 % of cases.</p></main>"), "percentage outside a rate"),
    ("too large", once("</main>", "x" * 3_000_000 + "</main>"), "at most 3000000 bytes"),
    ("weak colour", once("--supported: #144F83", "--supported: #B9CFE2"), "light: contrast of supported on paper"),
    ("weak ink", once("--ink: #1A1A1A", "--ink: #8A8A8A"), "light: contrast of ink on paper"),
    ("alike", once("--partially: #BB7F25", "--partially: #6F7470"), "light: verdict colours are as close as"),
    ("order of lightness", once("--unsupported: #561A29", "--unsupported: #8A6A70"), "out of order of lightness"),
    (
        "not the strongest",
        once("--unsupported: #561A29", "--unsupported: #8A2A40"),
        "light: Unsupported does not have the strongest contrast",
    ),
    ("dark colour", once("--partially: #95651E", "--partially: #33230A"), "dark: contrast of partially on paper"),
    (
        "no dark scheme",
        everywhere("prefers-color-scheme: dark", "prefers-color-scheme: light"),
        "dark: colours missing",
    ),
    ("heat out of order", once("--heat-2: #A3C6E3", "--heat-2: #E3F0FA"), "light: heat steps are out of order"),
    (
        "dark ink on dark heat",
        once("--heat-white: #FFFFFF", "--heat-white: #1A1A1A"),
        "light: contrast of heat-white on heat-4",
    ),
]


@pytest.mark.parametrize(("name", "change", "finding"), VERDICT_FAULTS, ids=[name for name, _, _ in VERDICT_FAULTS])
def test_faults_in_a_verdict_page(verdicts: str, name: str, change: Callable[[str], str], finding: str) -> None:
    assert lint(verdicts) == []
    findings = lint(change(verdicts))
    assert any(finding in text for text in findings) if finding else findings == [], findings


BENCHMARK_FAULTS = [
    (
        "no interval",
        once(r"1\.5 % \(0\.6 to 3\.9\), 4 of 260(</td>)", r"1.5 %, 4 of 260\1"),
        "rate without interval: over_refusal_rate",
    ),
    (
        "no counts",
        once(r"(1\.5 % \(0\.6 to 3\.9\)), 4 of 260(</td>)", r"\1\2"),
        "rate without number used: over_refusal_rate",
    ),
    (
        "one interval of two",
        once(r"false approval 2 % \(1 to 6\)", "false approval 2 %"),
        "rate without interval: over_refusal_rate false_approvals",
    ),
    ("left out not said", once(r"; 2 left out(</td>)", r"\1"), "rate does not say what is left out: false_approvals"),
    ("left out unknown", once(r' data-left-out="0"', ""), "rate without number left out"),
    (
        "table without interval",
        once(r"<td>0\.6</td><td>3\.9</td>", "<td></td><td></td>"),
        "rate without interval: over_refusal_rate",
    ),
    ("table without n", once(r"<td>260</td>(<td data-rate)", r"<td></td>\1"), "rate without number used or left out"),
    (
        "withheld",
        once(r"(<td data-rate=\"over_refusal_rate\"[^>]*>)1\.5<", r"\1n below 10<"),
        "rate withheld with enough cases",
    ),
    (
        "score without interval",
        once(r'(data-score="macro_f1">)0\.951 [^<]*', r"\g<1>0.951"),
        "score without interval or number",
    ),
    (
        "no twin on the page",
        everywhere("false_approvals", "another"),
        "over-refusal without false approval on the page",
    ),
    (
        "no twin beside",
        once(r'data-rate="over_refusal_rate false_approvals"', 'data-rate="over_refusal_rate"'),
        "over-refusal without false approval beside it",
    ),
    ("twin unspoken", everywhere("alse approval", "nother"), "over-refusal is spoken of without false approval"),
    (
        "plane without constants",
        once(r'(data-figure="plane".*?</figure>)', lambda found: found[1].replace('class="constant"', "")),
        "plane without constant systems",
    ),
    ("composite alone", everywhere(" data-constant", ""), "composite without constant systems beside it"),
    (
        "states do not add up",
        once(r"<td>500</td><td>497</td>", "<td>500</td><td>496</td>"),
        "reply states do not add up to 500: 499",
    ),
    ("no role", once(' role="img"', ""), "drawing without role img"),
    ("no title", once("<title id=[^>]*>[^<]*</title>", ""), "drawing without title"),
    ("no description", once("<desc id=[^>]*>[^<]*</desc>", ""), "drawing without description"),
    ("not labelled", once(' aria-labelledby="[^"]*"', ""), "drawing not labelled"),
    ("no table", once("</svg><table", "</svg><p>x</p><table"), "drawing without a table after it"),
    (
        "another number",
        once("480 lie on the diagonal", "481 lie on the diagonal"),
        "number in the description but not in the table: 481",
    ),
    ("check without word", once(r'(<span class="check c-clear">)clear', r"\1"), "check without its word"),
]


@pytest.mark.parametrize(("name", "change", "finding"), BENCHMARK_FAULTS, ids=[name for name, _, _ in BENCHMARK_FAULTS])
def test_faults_in_a_benchmark_page(benchmark: str, name: str, change: Callable[[str], str], finding: str) -> None:
    assert lint(benchmark) == []
    assert any(finding in text for text in lint(change(benchmark))), lint(change(benchmark))


def test_data_that_the_page_has_to_agree_with(verdicts: str, benchmark: str) -> None:
    assert lint(verdicts, data={"labels": {"Supported": 2}}) == ["1 verdicts Supported on the page, expected 2"]
    assert lint(benchmark, data={"n": 499}) == ["reply states of 500 cases, expected 499"]
    assert lint(benchmark, data={"constants": ["always right"]}) == [
        "constant system missing in the plane: always right"
    ]


def test_quotes_may_say_what_we_do_not(verdicts: str) -> None:
    said = once(
        "</main>",
        "<p data-quote>It must be given: safe and proven.</p>"
        "<p>The source: It must be given: safe and proven.</p></main>",
    )
    assert lint(said(verdicts)) == []
    unsaid = once("</main>", "<p>It must be given: safe and proven.</p></main>")
    assert len(lint(unsaid(verdicts))) == 3


def test_the_tree_of_a_page() -> None:
    root = parse("<main><p class='a b'>x<br>y<b>z</b></p><p/></main></div>")
    paragraph = root.all("p")[0]
    assert paragraph.text() == "xyz"
    assert paragraph.spaced().split() == ["x", "y", "z"]
    assert paragraph.classes() == ["a", "b"]
    assert paragraph.inside("main") is root.all("main")[0]
    assert paragraph.inside("table") is None


@pytest.mark.parametrize(
    ("cells", "finding"),
    [
        ("over_refusal_rate_full", "over-refusal without false approval on the page"),
        ("harmful_compliance_rate", "harmful compliance without over-refusal beside it"),
        ("over_refusal_rate harmful_compliance_rate", ""),
    ],
)
def test_either_half_of_a_refusal_audit_needs_the_other(benchmark: str, cells: str, finding: str) -> None:
    row = "".join(f'<td data-rate="{key}" data-left-out="0">2 of 7</td>' for key in cells.split())
    bare = re.sub(r"<main.*</main>", f"<main><table><tr>{row}</tr></table></main>", benchmark, flags=re.DOTALL)
    found = [text for text in lint(bare) if "without" in text]
    assert bool(found) == bool(finding)
    assert not finding or any(text.startswith(finding) for text in found)


def test_the_end_of_a_quotation_in_a_label_is_quoted_and_nothing_else_after_the_dots():
    from equipoise.report.lint import _without_ends

    quotes = ["provider/model that must answer", "another name of a system"]
    assert "must" not in _without_ends("label …that must answer and more", quotes)
    assert "more" in _without_ends("label …that must answer and more", quotes)
    assert "must" in _without_ends("label …you must answer", quotes)
    assert _without_ends("no dots, must stay", quotes) == "no dots, must stay"
