"""The colours of a report and the arithmetic that checks them: contrast, lightness, colour-vision deficiency.

The style sheet holds the colours as variables; `LIGHT` and `DARK` here are the same numbers, and a test compares both.
Colour never carries meaning alone: each verdict also has a word, an icon and a border style, each reply state a
pattern.

Sources: contrast and relative luminance: WCAG 2.2; L*, a*, b*: CIE 1976 under D65; distance: CIEDE2000 (Sharma, Wu and
Dalal 2005); simulation of full protanopia, deuteranopia and tritanopia: Machado, Oliveira and Fernandes 2009.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

VERDICTS: tuple[str, ...] = ("unsupported", "supported", "insufficient", "partially")
"""Keys of the verdict colours in the order of their lightness (dark to light; the reverse in the dark scheme)."""

HEAT: tuple[str, ...] = ("#F2F6FA", "#D3E3F1", "#A3C6E3", "#5F9BCB", "#2A6DA6", "#0B3D6B")
"""Six steps of the heat map; the first four carry ink, the last two carry white."""

LIGHT: Mapping[str, str] = {
    "paper": "#FFFFFF",
    "panel": "#F6F7F8",
    "ink": "#1A1A1A",
    "muted": "#57606A",
    "grid": "#D0D7DE",
    "link": "#0B5CAD",
    "mark": "#FFF3BF",
    "unsupported": "#561A29",
    "supported": "#144F83",
    "insufficient": "#707070",
    "partially": "#BB7F25",
    "unsupported-tint": "#F8E6EA",
    "supported-tint": "#E3EEF8",
    "insufficient-tint": "#EEEEEE",
    "partially-tint": "#FBF1DC",
    "series-1": "#004488",
    "series-2": "#994455",
    "series-3": "#997700",
    "state-ok": "#AEBBC7",
    "state-error": "#2B2B2B",
    "heat-ink": "#1A1A1A",
    "heat-white": "#FFFFFF",
    **{f"heat-{step}": colour for step, colour in enumerate(HEAT)},
}
"""Variables of the light scheme, which is also the printed one."""

DARK: Mapping[str, str] = {
    **LIGHT,
    "paper": "#14171A",
    "panel": "#1E2226",
    "ink": "#ECEFF2",
    "muted": "#A3ADB8",
    "grid": "#3A424A",
    "link": "#8CC4FF",
    "mark": "#4A3F12",
    "unsupported": "#FFCCD0",
    "supported": "#69B4E9",
    "insufficient": "#8B8B8B",
    "partially": "#95651E",
    "unsupported-tint": "#3A2428",
    "supported-tint": "#1B2D3D",
    "insufficient-tint": "#2A2E32",
    "partially-tint": "#332815",
    "series-1": "#6699CC",
    "series-2": "#EE99AA",
    "series-3": "#EECC66",
    "state-ok": "#AEBBC7",
    "state-error": "#ECEFF2",
}
"""Variables of the dark scheme, used on screens only; the heat map keeps its light steps and their ink."""

_DEFICIENCIES: Mapping[str, tuple[tuple[float, float, float], ...]] = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour: str) -> tuple[float, float, float]:
    """A colour "#RRGGBB" as linear red, green and blue from 0 to 1.

    Raises:
        ValueError: the text is no such colour.
    """
    if len(colour) != 7 or colour[0] != "#":
        message = f"not a colour #RRGGBB: {colour!r}"
        raise ValueError(message)
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return _to_linear(red), _to_linear(green), _to_linear(blue)


def _to_linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2, from 0 (black) to 1 (white)."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2.2, from 1 to 21."""
    first, second = sorted((luminance(one), luminance(other)), reverse=True)
    return (first + 0.05) / (second + 0.05)


def simulate(colour: str, deficiency: str) -> tuple[float, float, float]:
    """Linear red, green and blue as seen with a full deficiency.

    Args:
        colour: "#RRGGBB".
        deficiency: "normal", "protan", "deutan" or "tritan".
    """
    rgb = linear(colour)
    if deficiency == "normal":
        return rgb
    rows = _DEFICIENCIES[deficiency]
    red, green, blue = (min(1.0, max(0.0, sum(a * b for a, b in zip(row, rgb, strict=True)))) for row in rows)
    return red, green, blue


def lab(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    """CIE L*, a*, b* under D65 of linear red, green and blue."""
    red, green, blue = rgb
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (_lab_curve(value) for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _lab_curve(value: float) -> float:
    return math.cbrt(value) if value > (6 / 29) ** 3 else value / (3 * (6 / 29) ** 2) + 4 / 29


def lightness(colour: str) -> float:
    """CIE L* from 0 to 100."""
    return lab(linear(colour))[0]


def distance(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """CIEDE2000 between two L*, a*, b* colours; about 1 is a just noticeable difference."""
    light_1, a_1, b_1 = one
    light_2, a_2, b_2 = other
    mean_chroma = (math.hypot(a_1, b_1) + math.hypot(a_2, b_2)) / 2
    bend = 0.5 * (1 - math.sqrt(mean_chroma**7 / (mean_chroma**7 + 25.0**7)))
    a_1, a_2 = a_1 * (1 + bend), a_2 * (1 + bend)
    chroma_1, chroma_2 = math.hypot(a_1, b_1), math.hypot(a_2, b_2)
    hue_1, hue_2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a_1, b_1), (a_2, b_2)))
    turn = 0.0
    if chroma_1 * chroma_2:
        turn = (hue_2 - hue_1 + 180) % 360 - 180
    hue = hue_1 + hue_2
    if chroma_1 * chroma_2:
        hue = (hue_1 + turn / 2) % 360
    light, chroma = (light_1 + light_2) / 2, (chroma_1 + chroma_2) / 2
    weight = (
        1
        - 0.17 * math.cos(math.radians(hue - 30))
        + 0.24 * math.cos(math.radians(2 * hue))
        + 0.32 * math.cos(math.radians(3 * hue + 6))
        - 0.20 * math.cos(math.radians(4 * hue - 63))
    )
    by_light = (light_2 - light_1) / (1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2))
    by_chroma = (chroma_2 - chroma_1) / (1 + 0.045 * chroma)
    by_hue = 2 * math.sqrt(chroma_1 * chroma_2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * weight)
    rotation = (
        -2
        * math.sqrt(chroma**7 / (chroma**7 + 25.0**7))
        * math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    )
    return math.sqrt(by_light**2 + by_chroma**2 + by_hue**2 + rotation * by_chroma * by_hue)


def closest(colours: list[str] | tuple[str, ...]) -> float:
    """The smallest CIEDE2000 between any two colours, in normal vision and in the three simulated deficiencies."""
    smallest = math.inf
    for seen in ("normal", *_DEFICIENCIES):
        points = [lab(simulate(colour, seen)) for colour in colours]
        for index, one in enumerate(points):
            for other in points[index + 1 :]:
                smallest = min(smallest, distance(one, other))
    return smallest
