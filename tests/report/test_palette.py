from __future__ import annotations

import pytest

from equipoise.report import palette
from equipoise.report.palette import DARK, LIGHT, VERDICTS

# Sharma, Wu and Dalal 2005, supplementary test data: pairs 1, 4, 17, 25, 34.
PAIRS = [
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, -1.3802, -84.2814), (50.0, 0.0, -82.7485), 1.0000),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("one", "other", "expected"), PAIRS)
def test_distance_against_published_pairs(one, other, expected) -> None:
    assert palette.distance(one, other) == pytest.approx(expected, abs=1e-4)
    assert palette.distance(other, one) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("#000000", "#FFFFFF", 21.0), ("#767676", "#FFFFFF", 4.54), ("#FFFFFF", "#FFFFFF", 1.0)],
)
def test_contrast(one: str, other: str, expected: float) -> None:
    assert palette.contrast(one, other) == pytest.approx(expected, abs=0.005)


def test_lightness_of_black_and_white() -> None:
    assert palette.lightness("#000000") == pytest.approx(0)
    assert palette.lightness("#FFFFFF") == pytest.approx(100, abs=0.01)


def test_not_a_colour() -> None:
    with pytest.raises(ValueError, match="#RRGGBB"):
        palette.linear("red")


@pytest.mark.parametrize(("scheme", "least"), [(LIGHT, 21.5), (DARK, 20.4)])
def test_verdict_colours_stay_apart(scheme, least: float) -> None:
    assert palette.closest([scheme[name] for name in VERDICTS]) >= least


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_unsupported_has_the_strongest_contrast(scheme) -> None:
    values = [palette.contrast(scheme[name], scheme["paper"]) for name in VERDICTS]
    assert max(values) == values[0]
    assert min(values) >= 3.17


def test_the_style_sheet_holds_the_same_colours() -> None:
    from equipoise.report.lint import schemes
    from equipoise.report.render import TEMPLATES

    found = schemes(f"<style>{(TEMPLATES / 'report.css').read_text(encoding='utf-8')}</style>")
    assert found == {"light": dict(LIGHT), "dark": dict(DARK)}


def test_every_colour_in_the_style_sheet_is_a_variable() -> None:
    import re

    from equipoise.report.render import TEMPLATES

    rules = re.sub(r"--[\w-]+:[^;]+;", "", (TEMPLATES / "report.css").read_text(encoding="utf-8"))
    assert re.findall(r"#[0-9A-Fa-f]{3,8}\b|rgb\(|hsl\(", rules) == []
