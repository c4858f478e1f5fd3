from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from equipoise.report.lint import parse
from equipoise.report.numbers import Rate, Score
from equipoise.report.plots import (
    Figure,
    Point,
    Selective,
    Shift,
    arrows,
    bars,
    forest,
    heatmap,
    plane,
    risk_coverage,
    states,
)

LABELS = ["Supported", "Partially Supported", "Unsupported", "Insufficient Information"]


def rate(events: int, n: int, *, key: str = "over_refusal_rate") -> Rate:
    return Rate(key, key, events, n, 0.01, 0.2, "Wilson, 95 %")


def point(name: str, over: tuple[int, int], approvals: tuple[int, int], *, constant: bool = False) -> Point:
    return Point(name, rate(*over), rate(*approvals, key="false_approvals"), constant)


def selective(name: str, *, line: bool = True, n: int = 100, **more: Any) -> Selective:
    given: dict[str, Any] = {
        "name": name,
        "coverages": (0.2, 0.5, 1.0) if line else (),
        "risks": (0.05, 0.1, 0.2) if line else (),
        "base": rate(20, 100, key="selective.base"),
        "half": rate(5, 50, key="selective.half") if line else None,
        "answered": rate(round(0.8 * n), n, key="selective.answered"),
        "wrong": rate(round(0.1 * n), round(0.8 * n), key="selective.wrong"),
        "area": Score("augrc", "area", 0.08, 0.05, 0.12, n) if line else None,
        "why_no_line": "" if line else "100 of 100 readable replies state no certainty",
    }
    return Selective(**(given | more))


def figures() -> list[Figure]:
    counts = [[9, 0, 1, 0, 0], [0, 5, 0, 0, 1], [2, 0, 30, 0, 0], [0, 0, 0, 12, 0]]
    abstained = [[0] * 5, [0] * 5, [0, 0, 4, 0, 0], [0, 0, 0, 12, 0]]
    return [
        heatmap("a", LABELS, [*LABELS, "empty"], counts, abstained=abstained),
        heatmap("b", LABELS, LABELS, [row[:4] for row in counts]),
        heatmap(
            "c", LABELS, [*LABELS, "empty", "blocked", "truncated", "error"], [[*row[:4], 1, 1, 1, 1] for row in counts]
        ),
        forest(
            "d",
            "One",
            [("x", [rate(3, 40)], False), ("y/with a long name of many characters", [rate(2, 7)], False)],
            ["m"],
        ),
        forest(
            "e", "Two", [("x", [rate(3, 40), rate(0, 50)], False), ("k", [rate(0, 40), rate(50, 50)], True)], ["m", "o"]
        ),
        plane("f", [point("s", (1, 100), (2, 100)), point("k", (100, 100), (0, 100), constant=True)]),
        plane("g", [point("s", (1, 20), (2, 20)), point("t", (80, 100), (2, 100)), point("few", (1, 5), (2, 100))]),
        plane("h", []),
        states(
            "i",
            [
                (
                    "s",
                    {
                        "ok": 90,
                        "empty": 3,
                        "blocked": 2,
                        "truncated": 1,
                        "unparsed": 2,
                        "error": 20,
                        "no prediction": 4,
                    },
                )
            ],
        ),
        bars("j", "Counts", [("a", 3), ("b", 0)], noun="reason", total=3),
        bars("k", "Many", [(f"row {index}", index) for index in range(20)], noun="reason", total=30),
        bars("l", "None", [], noun="reason", total=0),
        risk_coverage("m", [selective("one")]),
        risk_coverage(
            "n",
            [
                selective("a/name of so many characters that it needs two lines"),
                selective("b"),
                selective("point", line=False),
            ],
        ),
        risk_coverage("o", [selective("few", n=9)]),
    ]


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.key)
def test_drawings_are_named_described_and_followed_by_their_table(figure: Figure) -> None:
    svg = ET.fromstring(figure.svg)
    space = "{http://www.w3.org/2000/svg}"
    assert svg.get("role") == "img"
    assert svg.get("viewBox", "").startswith("0 0 680 ")
    title, desc = svg.find(f"{space}title"), svg.find(f"{space}desc")
    assert title is not None
    assert desc is not None
    assert svg.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert [group.get("aria-hidden") for group in svg.findall(f"{space}g")] == ["true"]
    assert all(identifier.startswith(f"{figure.key}-") for identifier in re.findall(r' id="([^"]+)"', figure.svg))
    assert re.search(r"</svg><table", figure.html())
    assert all(len(row) == len(figure.head) for row in figure.rows)


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.key)
def test_nothing_is_drawn_outside(figure: Figure) -> None:
    svg = ET.fromstring(figure.svg)
    width, height = map(float, svg.get("viewBox", "").split()[2:])
    for element in svg.iter():
        for name, limit in (
            ("x", width),
            ("x1", width),
            ("x2", width),
            ("cx", width),
            ("y", height),
            ("y1", height),
            ("y2", height),
            ("cy", height),
        ):
            if element.get(name) is not None:
                assert -5 <= float(element.get(name, "")) <= limit + 5, ET.tostring(element)
        if element.tag.endswith("rect") and element.get("x") is not None:
            assert float(element.get("x", "")) + float(element.get("width", "")) <= width + 1
        if element.tag.endswith("text"):
            words, size = "".join(element.itertext()), 6.0 if "tick" in element.get("class", "") else 6.6
            start = float(element.get("x", "")) - {"middle": 0.5, "end": 1.0}.get(
                element.get("text-anchor", ""), 0
            ) * size * len(words)
            assert start > -14, words
            assert start + size * len(words) < width + 14, words


def test_few_cases_are_open_and_dashed_and_fewer_not_drawn() -> None:
    few = forest("a", "t", [("x", [rate(3, 20)], False)], ["m"]).svg
    many = forest("a", "t", [("x", [rate(3, 30)], False)], ["m"]).svg
    none = forest("a", "t", [("x", [rate(3, 9)], False)], ["m"]).svg
    assert "marker series-1 open" in few
    assert "interval series-1 few" in few
    assert 'class="marker series-1"' in many
    assert "marker" not in none
    assert "3 of 9" in none


def test_constant_systems_are_open_diamonds() -> None:
    figure = plane("a", [point("s", (1, 100), (2, 100)), point("k", (100, 100), (0, 100), constant=True)])
    assert "<polygon" in figure.svg
    assert "marker constant open" in figure.svg
    assert 'class="constant"' in figure.html()


def test_reply_states_differ_by_pattern() -> None:
    svg = states("a", [("s", {"ok": 5, "blocked": 1, "truncated": 1, "unparsed": 1, "error": 1, "empty": 1})]).svg
    assert {f"a-{name}" for name in ("blocked", "truncated", "unparsed")} == set(
        re.findall(r'<pattern id="([^"]+)"', svg)
    )


def test_risk_against_coverage_is_a_step_line_with_its_operating_point() -> None:
    figure = risk_coverage("a", [selective("one")])
    path = re.search(r'<path d="([^"]+)" class="curve dash-1 series-1"/>', figure.svg)
    assert path
    assert re.fullmatch(r"M[\d.]+,[\d.]+(H[\d.]+V[\d.]+){2}", path[1])
    assert figure.svg.count('class="marker series-1"') == 2
    assert 'class="base series-1"' in figure.svg
    assert "AUGRC 0.080" in figure.svg
    assert "one 0.080 (0.050 to 0.120), n 100" in figure.note
    assert [row[1].text for row in figure.rows] == [
        "selective.base", "selective.half", "selective.answered", "selective.wrong",
    ]  # fmt: skip


def test_a_system_that_only_abstains_is_one_point() -> None:
    figure = risk_coverage("a", [selective("s", line=False)])
    assert "<path" not in figure.svg
    assert 'class="marker series-1"' in figure.svg
    assert "AUGRC" not in figure.svg
    assert "AUGRC" not in figure.note
    assert "One point and no line: s, as 100 of 100 readable replies state no certainty." in figure.note


def test_an_operating_point_of_few_replies_is_not_drawn() -> None:
    figure = risk_coverage("a", [selective("s", n=9)])
    assert "interval" not in figure.svg
    assert "Without a marker, for too few answered replies: s." in figure.description


def test_wrong_input_is_refused() -> None:
    for number in (0, 4):
        with pytest.raises(ValueError, match="one to 3 systems"):
            risk_coverage("a", [selective("s")] * number)
    with pytest.raises(ValueError, match="columns begin with the labels"):
        heatmap("a", LABELS, LABELS[::-1], [[0] * 4] * 4)
    with pytest.raises(ValueError, match="one or two panels"):
        forest("a", "t", [("x", [rate(1, 2)] * 3, False)], ["a", "b", "c"])
    with pytest.raises(ValueError, match="unknown reply states: lost"):
        states("a", [("s", {"lost": 1})])


def test_rare_rows_are_summed() -> None:
    figure = bars("a", "t", [(f"row {index}", index) for index in range(20)], noun="reason", total=30)
    assert len(figure.rows) == 13
    assert figure.rows[-1][0].text == "other (8)"
    assert sum(int(row[1].text) for row in figure.rows) == sum(range(20))


def test_names_from_outside_are_inert(hostile: str) -> None:
    made = [
        bars("a", hostile, [(hostile, 3)], noun=hostile, total=3, note=hostile),
        forest("b", hostile, [(hostile, [rate(3, 40)], False)], [hostile], note=hostile),
        plane("c", [point(hostile, (1, 100), (2, 100))]),
        states("d", [(hostile, {"ok": 3})]),
        heatmap("e", [hostile, "b"], [hostile, "b"], [[1, 2], [3, 4]]),
        risk_coverage("f", [selective(hostile), selective(hostile, line=False, why_no_line=hostile)]),
    ]
    for figure in made:
        root = parse(figure.html())
        assert not [node for node in root.walk() if node.tag in ("script", "img")]
        assert all(not name.startswith("on") for node in root.walk() for name in node.attributes)
        assert "\u202e" not in figure.html()
        ET.fromstring(figure.svg)


def test_a_constant_system_lies_at_its_place_whatever_the_number_of_cases():
    few = Point("k", rate(2, 2), rate(0, 2, key="false_approvals"), constant=True, at=(1.0, 0.0))
    figure = plane("f", [few], upwards="harmful compliance", note="n")
    assert 'class="marker constant open"' in figure.svg
    assert "486,460.5" in figure.svg
    assert [row[1].text for row in figure.rows] == ["over-refusal", "harmful compliance"]
    assert figure.title == "Over-refusal against harmful compliance"


def test_arrows_lead_from_raw_to_corrected_and_hatch_what_is_not():
    shifts = [
        Shift(name="a", raw=(0.2, 0.1, 0.3), n=50, left_out=2, corrected=(0.4, 0.25, 0.6)),
        Shift(name="b", raw=(0.5, 0.4, 0.6), n=50, left_out=0, corrected=None, refused="too few labels"),
        Shift(name="c", raw=(0.02, 0.0, 0.1), n=50, left_out=0, corrected=(-0.03, -0.1, 0.2)),
    ]
    figure = arrows("x", "Raw to corrected", shifts)
    assert figure.svg.count('fill="url(#x-hatch)"') == 1
    assert "20.0 to 40.0" in figure.svg
    assert [row[-1].text for row in figure.rows] == ["corrected", "too few labels", "corrected"]
    assert [cell.text for cell in figure.rows[0]][1:9] == ["50", "2", "20.0", "10.0", "30.0", "40.0", "25.0", "60.0"]
    assert figure.rows[2][6].text == "-3.0"
    assert 'cx="200"' in figure.svg
    assert "b: raw 50.0, not corrected." in figure.description
    ET.fromstring(figure.svg)


def test_a_long_name_keeps_its_beginning_and_its_end():
    """The configuration stands at the end of a system's name: cut off, two systems would look alike."""
    from equipoise.report.plots._svg import wrapped

    names = [f"provider/service/model-with-a-name ({part})" for part in ("rag", "rag-verify", "second-reader")]
    drawn = [wrapped(name, 24) for name in names]
    assert len({tuple(lines) for lines in drawn}) == 3
    for name, lines in zip(names, drawn, strict=True):
        assert name.startswith(lines[0])
        assert name.endswith(lines[-1].removeprefix("…"))
        assert all(len(line) <= 24 for line in lines)
    assert wrapped("x" * 60, 24) == ["x" * 24, "…" + "x" * 23]
    assert wrapped("short", 24) == ["short"]
