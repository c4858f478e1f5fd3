"""Reads a finished report and says what breaks our conventions; a list of sentences, empty for a good page.

Rules: no word of the avoid list in our own strings (elements marked `data-quote` are quotations); every rate with
interval, number used and number left out, or the counts of a census that says it is one; over-refusal never without
false approval or harmful compliance; constant systems in every plane and beside every composite; counts by reply state
that add up; every drawing named, described and followed by a table of the same numbers; unique ids;
no script, nothing loaded from elsewhere, a content security policy; text from outside inert; a palette that keeps its
contrasts, its order of lightness and its distances; no class by colour alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

from equipoise.report.inert import hidden
from equipoise.report.palette import VERDICTS, closest, contrast, lightness
from equipoise.report.plots import STATES
from equipoise.report.render import MOST_BYTES
from equipoise.report.wording import BADGES, NOT_A_DEVICE, STANDING_LINE, avoided

LEAST_DISTANCE = 20.0
"""Smallest CIEDE2000 between two verdict colours, in normal vision and each simulated deficiency."""

_VOID = frozenset(
    {"meta", "link", "br", "img", "hr", "input", "base", "source", "wbr", "area", "col", "embed", "track"}
)
_LOADING = {
    "img": ("src", "srcset"), "link": ("href",), "iframe": ("src", "srcdoc"), "object": ("data",), "embed": ("src",),
    "video": ("src", "poster"), "audio": ("src",), "source": ("src", "srcset"), "track": ("src",), "base": ("href",),
    "form": ("action",), "use": ("href", "xlink:href"), "image": ("href", "xlink:href"), "input": ("src",),
}  # fmt: skip
_POLICY = "default-src 'none'"


@dataclass(slots=True)
class Node:
    """An element of the page.

    Attributes:
        tag: its name, lower case; empty for the root.
        attributes: by name.
        children: elements and texts in order.
        parent: the element around it; None for the root.
    """

    tag: str
    attributes: dict[str, str]
    children: list[Node | str] = field(default_factory=list)
    parent: Node | None = None

    def walk(self) -> Iterator[Node]:
        """The element and all elements in it, in order."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def all(self, tag: str) -> list[Node]:
        """Elements of a name in it."""
        return [node for node in self.walk() if node.tag == tag]

    def text(self, *, own: bool = False) -> str:
        """Its text; with `own` without quotations, identifiers and style sheets."""
        if own and ("data-quote" in self.attributes or self.tag in ("style", "code")):
            return " "
        return "".join(child if isinstance(child, str) else child.text(own=own) for child in self.children)

    def spaced(self) -> str:
        """Its text with a space between any two texts, so that the numbers of neighbouring cells stay apart."""
        return " ".join(child if isinstance(child, str) else child.spaced() for child in self.children)

    def classes(self) -> list[str]:
        """Its classes."""
        return self.attributes.get("class", "").split()

    def inside(self, *tags: str) -> Node | None:
        """The nearest element around it with one of the names."""
        node = self.parent
        while node is not None and node.tag not in tags:
            node = node.parent
        return node


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.place = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs}, parent=self.place)
        self.place.children.append(node)
        if tag not in _VOID:
            self.place = node

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.place.children.append(Node(tag, {name: value or "" for name, value in attrs}, parent=self.place))

    def handle_endtag(self, tag: str) -> None:
        node: Node | None = self.place
        while node is not None and node.tag != tag:
            node = node.parent
        if node is not None and node.parent is not None:
            self.place = node.parent

    def handle_data(self, data: str) -> None:
        self.place.children.append(data)


def parse(html: str) -> Node:
    """The page as a tree."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root


def lint(html: str, *, data: Mapping[str, Any] | None = None) -> list[str]:
    """What is wrong with a report.

    Args:
        html: the page.
        data: what the page has to agree with, as far as given: `n` (cases behind every state table), `labels` (number
            of verdicts by label, as the page counts them), `constants` (names that stand in every plane).

    Returns:
        One sentence a finding, in the order of the rules; empty when there is none.
    """
    root = parse(html)
    data = data or {}
    return [
        *_words(root),
        *_headlines(root),
        *_rates(root),
        *_pairs(root),
        *_constants(root, data),
        *_states(root, data),
        *_tallies(root, data),
        *_drawings(root),
        *_identifiers(root),
        *_loads_nothing(html, root),
        *_inert(html, root),
        *_badges(root),
        *_standing(root),
        *palette(html),
    ]


_SHORTEST_QUOTE = 15
_LONGEST_END = 48


def _quotes(root: Node) -> list[str]:
    """What is marked as a quotation, longest first: the same words inside a sentence of ours are quoted too."""
    texts = {node.text().strip().rstrip(".") for node in root.walk() if "data-quote" in node.attributes}
    return sorted((text for text in texts if len(text) >= _SHORTEST_QUOTE), key=len, reverse=True)


def _without_ends(own: str, quotes: list[str]) -> str:
    """A text without the ends of quotations that a plot shows after "…", where a name is too long for its label."""
    first, *rest = own.split("…")
    kept = [first]
    for part in rest:
        ends = (
            length
            for quote in quotes
            for length in range(min(_LONGEST_END, len(quote), len(part)), 0, -1)
            if part.startswith(quote[-length:])
        )
        kept.append(part[max(ends, default=0) :])
    return "…".join(kept)


def _words(root: Node) -> list[str]:
    own = "\n".join(part.text(own=True) for part in root.children if isinstance(part, Node))
    if avoided(own):
        quotes = _quotes(root)
        for quote in quotes:
            own = own.replace(quote, " ").replace(f"{quote[0].upper()}{quote[1:]}", " ")
        own = _without_ends(own, quotes)
    found = Counter(avoided(own))
    for node in root.walk():
        if node.tag in ("title", "desc"):
            continue
        for name in ("alt", "title", "aria-label", "placeholder"):
            found.update(avoided(node.attributes.get(name, "")))
    return [f"avoided word in our own strings: {word} ({number})" for word, number in sorted(found.items())]


def _headlines(root: Node) -> list[str]:
    return [
        f"headline of {len(text)} characters: {text[:60]}..."
        for node in root.walk()
        if "headline" in node.classes() and len(text := node.text().strip()) > 139
    ]


_INTERVAL = re.compile(r"\(\d+(?:\.\d+)? to \d+(?:\.\d+)?\)|(?:up to|at least) \d+(?:\.\d+)? %")
_OF = re.compile(r"\b\d+ of \d+\b")
_PERCENT = re.compile(r"\d(?:\.\d+)?\s?%")


def _rates(root: Node) -> list[str]:
    findings = []
    for node in root.walk():
        if "data-rate" in node.attributes:
            findings += _rate(node)
        elif "data-score" in node.attributes:
            text = node.text()
            if "not defined" not in text and not (
                (("(" in text and " to " in text) or "not available" in text) and "n " in text
            ):
                findings.append(f"score without interval or number: {text[:60]}")
        elif "data-census" in node.attributes and not _OF.search(node.text()):
            findings.append(f"share of a census without its counts: {node.text().strip()[:60]}")
    if any("data-census" in node.attributes for node in root.walk()) and "census" not in root.text(own=True):
        findings.append("shares of a census on a page that does not say so")
    for node in root.walk():
        own = "".join(child for child in node.children if isinstance(child, str))
        if _PERCENT.search(own) and not _excused(node):
            findings.append(f"percentage outside a rate: {own.strip()[:60]}")
    return findings


def _rate(node: Node) -> list[str]:
    name, text = node.attributes["data-rate"], node.text().strip()
    left = node.attributes.get("data-left-out")
    findings = []
    if left is None:
        findings.append(f"rate without number left out: {name}: {text[:60]}")
    row = node.inside("tr")
    table = node.inside("table")
    if table is not None and "numbers" in table.classes() and row is not None:
        cells = [cell.text().strip() for cell in row.children if isinstance(cell, Node)]
        heads = [head.text().strip() for head in table.all("thead")[0].all("th")] if table.all("thead") else []
        values = dict(zip(heads, cells, strict=False))
        if not values.get("n used") or not values.get("left out", "").isdigit():
            findings.append(f"rate without number used or left out: {name}: {' '.join(cells)[:60]}")
        if text != "n below 10" and not (values.get("95 % low") and values.get("95 % high")):
            findings.append(f"rate without interval: {name}: {' '.join(cells)[:60]}")
        if text == "n below 10" and int(values.get("n used") or 0) >= 10:
            findings.append(f"rate withheld with enough cases: {name}")
        return findings
    if "not defined" in text:
        return findings
    if not _OF.search(text):
        findings.append(f"rate without number used: {name}: {text[:60]}")
    elif "%" in text and len(_INTERVAL.findall(text)) < len(name.split()) - text.count("not defined") - _bare(text):
        findings.append(f"rate without interval: {name}: {text[:60]}")
    if left not in (None, "0") and f"{left} left out" not in text:
        findings.append(f"rate does not say what is left out: {name}: {text[:60]}")
    return findings


def _bare(text: str) -> int:
    """Counts that stand alone because they rest on fewer than 10 cases."""
    return sum(int(found.split(" of ")[1]) < 10 for found in _OF.findall(text))


_EXCUSING = {"data-census", "data-rate", "data-score", "data-quote", "data-method", "data-clinical"}
"""Marks of elements in which a percentage is no rate of ours, or a rate that is checked as such."""


def _excused(node: Node) -> bool:
    """Whether a percentage may stand here: in a rate, a quotation, a drawing, a table head, a clinical value."""
    place: Node | None = node
    while place is not None:
        if _EXCUSING & set(place.attributes) or place.tag in ("svg", "thead", "style"):
            return True
        place = place.parent
    return False


_OVER, _COMPLIED, _APPROVED = "over_refusal_rate", "harmful_compliance_rate", "false_approvals"
"""How the keys of the two halves begin: refused too much, and its mirror in either kind of audit."""


def _pairs(root: Node) -> list[str]:
    findings = []
    shown = _keys(root)
    if _begin(shown, _OVER) and not _begin(shown, _APPROVED, _COMPLIED):
        findings.append("over-refusal without false approval on the page")
    for node in root.walk():
        own = set(node.attributes.get("data-rate", "").split())
        over, complied = _begin(own, _OVER), _begin(own, _COMPLIED)
        if not over and not complied:
            continue
        keys = _keys(node.inside("table") or node)
        if over and not _begin(keys, _APPROVED, _COMPLIED):
            findings.append(f"over-refusal without false approval beside it: {node.text().strip()[:60]}")
        if complied and not _begin(keys, _OVER):
            findings.append(f"harmful compliance without over-refusal beside it: {node.text().strip()[:60]}")
    text = root.text(own=True).lower()
    if "over-refusal" in text and "false approval" not in text and "harmful compliance" not in text:
        findings.append("over-refusal is spoken of without false approval")
    return findings


def _keys(node: Node) -> set[str]:
    return {key for part in node.walk() for key in part.attributes.get("data-rate", "").split()}


def _begin(keys: set[str], *starts: str) -> bool:
    return any(key.startswith(starts) for key in keys)


def _constants(root: Node, data: Mapping[str, Any]) -> list[str]:
    findings = []
    for node in root.all("figure"):
        if node.attributes.get("data-figure") != "plane":
            continue
        names = {head.text().strip() for head in node.all("th") if "constant" in head.classes()}
        if not names:
            findings.append("plane without constant systems")
        findings += [
            f"constant system missing in the plane: {name}" for name in data.get("constants", ()) if name not in names
        ]
    for node in root.walk():
        table = node.inside("table")
        if "data-composite" in node.attributes and table is not None:
            if not any("data-constant" in part.attributes for part in table.walk()):
                findings.append("composite without constant systems beside it")
                break
        elif node.attributes.get("data-score") == "safety_score" and not any(
            "data-constant" in part.attributes for part in root.walk()
        ):
            findings.append("composite without constant systems beside it")
    return findings


def _states(root: Node, data: Mapping[str, Any]) -> list[str]:
    findings = []
    for node in root.all("figure"):
        if node.attributes.get("data-figure") != "states":
            continue
        for values in _rows(node):
            parts = [int(values[state]) for state in STATES if values.get(state, "").isdigit()]
            total = int(values.get("n", "-1"))
            if sum(parts) != total or len(parts) != len(STATES):
                findings.append(f"reply states do not add up to {total}: {sum(parts)}")
            if "n" in data and total != data["n"]:
                findings.append(f"reply states of {total} cases, expected {data['n']}")
    return findings


def _rows(figure: Node) -> list[dict[str, str]]:
    """Rows of the figure's table by the heads of the columns."""
    rows = []
    for table in figure.all("table"):
        heads = [head.text().strip() for part in table.all("thead") for head in part.all("th")]
        for body in table.all("tbody"):
            for row in body.all("tr"):
                cells = [cell.text().strip() for cell in row.children if isinstance(cell, Node)]
                rows.append(dict(zip(heads, cells, strict=False)))
    return rows


def _tallies(root: Node, data: Mapping[str, Any]) -> list[str]:
    if "labels" not in data:
        return []
    blocks = [
        badge.attributes.get("data-label", "")
        for node in root.walk()
        if "result-line" in node.classes()
        for badge in node.walk()
        if "badge" in badge.classes()
    ]
    counted = Counter(blocks)
    return [
        f"{counted[label]} verdicts {label} on the page, expected {number}"
        for label, number in data["labels"].items()
        if counted[label] != number
    ]


_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


def _drawings(root: Node) -> list[str]:
    findings = []
    for node in root.all("svg"):
        inner = [child for child in node.children if isinstance(child, Node)]
        title = next((child for child in inner if child.tag == "title"), None)
        desc = next((child for child in inner if child.tag == "desc"), None)
        name = title.text() if title is not None else "without a title"
        if node.attributes.get("role") != "img":
            findings.append(f"drawing without role img: {name}")
        if title is None or not title.text().strip():
            findings.append("drawing without title")
        if desc is None or not desc.text().strip():
            findings.append(f"drawing without description: {name}")
        labelled = node.attributes.get("aria-labelledby", "").split()
        ids = [part.attributes.get("id", "") for part in (title, desc) if part is not None]
        if sorted(labelled) != sorted(ids):
            findings.append(f"drawing not labelled by title and description: {name}")
        table = _following_table(node)
        if table is None:
            findings.append(f"drawing without a table after it: {name}")
        elif desc is not None:
            figure = node.inside("figure")
            beside = figure.children if figure is not None else [table]
            numbers = {
                number
                for part in beside
                if isinstance(part, Node) and part is not node
                for number in _NUMBER.findall(part.spaced())
            }
            for number in sorted(set(_NUMBER.findall(desc.text())) - numbers):
                findings.append(f"number in the description but not in the table: {number} ({name})")
    return findings


def _following_table(svg: Node) -> Node | None:
    siblings = svg.parent.children if svg.parent is not None else []
    after = siblings[siblings.index(svg) + 1 :]
    following = next((item for item in after if isinstance(item, Node)), None)
    return following if following is not None and following.tag == "table" and following.all("tr") else None


def _identifiers(root: Node) -> list[str]:
    ids = Counter(node.attributes["id"] for node in root.walk() if "id" in node.attributes)
    findings = [f"id used {number} times: {name}" for name, number in sorted(ids.items()) if number > 1]
    for node in root.walk():
        target = node.attributes.get("href", "")
        if node.tag == "a" and target.startswith("#") and target[1:] not in ids:
            findings.append(f"link to nowhere: {target}")
    return findings


def _loads_nothing(html: str, root: Node) -> list[str]:
    findings = []
    policies = [
        node.attributes.get("content", "")
        for node in root.all("meta")
        if node.attributes.get("http-equiv", "").lower() == "content-security-policy"
    ]
    if len(policies) != 1 or not policies[0].startswith(_POLICY) or "script-src" in policies[0]:
        findings.append("no content security policy that begins with default-src 'none'")
    for node in root.walk():
        if node.tag == "script":
            findings.append("script element")
        if node.tag == "details" and "open" not in node.attributes:
            findings.append("closed details: it does not print")
        for name, value in node.attributes.items():
            if name.startswith("on"):
                findings.append(f"script in attribute {name} of {node.tag}")
            if name in ("href", "src", "action", "xlink:href", "formaction") and re.match(
                r"\s*(?:javascript|vbscript|data):", value, re.I
            ):
                findings.append(f"address that runs or embeds something: {value[:40]}")
            if name == "style" and "url(" in value:
                findings.append(f"style that loads: {value[:40]}")
            if name == "http-equiv" and value.lower() == "refresh":
                findings.append("page that moves on by itself")
        for name in _LOADING.get(node.tag, ()):
            address = node.attributes.get(name, "")
            if address and not address.startswith(("#", "data:image/")):
                findings.append(f"address that is loaded: {node.tag} {address[:60]}")
        if node.tag == "style":
            text = "".join(child for child in node.children if isinstance(child, str))
            if "@import" in text or re.search(r"url\(\s*['\"]?(?!#|data:)", text):
                findings.append("style sheet that loads something")
    if len(html.encode("utf-8", "surrogatepass")) >= MOST_BYTES:
        findings.append(f"page of {len(html)} characters, at most {MOST_BYTES} bytes")
    return findings


def _inert(html: str, root: Node) -> list[str]:
    findings = []
    if hidden(html):
        findings.append("control, direction or zero-width character in the page")
    if hidden(root.text()):
        findings.append("such a character behind a reference")
    return findings


def _badges(root: Node) -> list[str]:
    findings = []
    for node in root.walk():
        if "badge" not in node.classes():
            continue
        label = node.attributes.get("data-label", "")
        key = BADGES.get(label)
        if key is None or f"b-{key}" not in node.classes():
            findings.append(f"badge of another class than its label: {label}")
        if node.text().strip() != label:
            findings.append(f"badge without its word: {label}")
        if not any("icon" in part.classes() for part in node.walk()):
            findings.append(f"badge without its icon: {label}")
    for node in root.walk():
        if "check" in node.classes() and not node.text().strip():
            findings.append("check without its word")
    return findings


def _standing(root: Node) -> list[str]:
    verdicts = [node for node in root.walk() if "verdict" in node.classes()]
    findings = []
    for node in verdicts:
        times = node.text().count(STANDING_LINE)
        if times != 1:
            findings.append(f"standing line {times} times in verdict {node.attributes.get('id', '')}")
    if verdicts and root.text().count(NOT_A_DEVICE) != 1:
        findings.append("a page with verdicts says once that this is not a medical device")
    return findings


_VARIABLE = re.compile(r"--([\w-]+):\s*(#[0-9A-Fa-f]{6})\s*;")
_DARK = re.compile(r"@media screen and \(prefers-color-scheme: dark\)\s*\{\s*:root\s*\{([^}]*)\}")
_ROOT = re.compile(r":root\s*\{([^}]*)\}")


def schemes(html: str) -> dict[str, dict[str, str]]:
    """The colours of a page by scheme ("light", "dark") and variable, read from its style sheet."""
    style = "".join(node.text() for node in parse(html).all("style"))
    dark = _DARK.search(style)
    light = _ROOT.search(_DARK.sub("", style))
    first = dict(_VARIABLE.findall(light[1])) if light else {}
    return {"light": first, "dark": {**first, **dict(_VARIABLE.findall(dark[1]))} if dark else {}}


def palette(html: str) -> list[str]:
    """What is wrong with the colours of a page, recomputed from the variables of its style sheet.

    Args:
        html: the page.
    """
    findings = []
    for scheme, colours in schemes(html).items():
        names = (
            "paper",
            "panel",
            "ink",
            "muted",
            "grid",
            "link",
            "mark",
            *VERDICTS,
            *(f"{name}-tint" for name in VERDICTS),
        )
        names += ("heat-ink", "heat-white", *(f"heat-{step}" for step in range(6)))
        missing = [name for name in names if name not in colours]
        if missing:
            findings.append(f"{scheme}: colours missing: {', '.join(missing)}")
            continue
        findings += [f"{scheme}: {text}" for text in _scheme(colours, dark=scheme == "dark")]
    return findings


def _scheme(colours: Mapping[str, str], *, dark: bool) -> list[str]:
    findings = []

    def needs(front: str, back: str, least: float) -> None:
        value = contrast(colours[front], colours[back])
        if value < least:
            findings.append(f"contrast of {front} on {back} is {value:.2f}, at least {least:g}")

    for back in ("paper", "panel"):
        for front in ("ink", "muted", "link"):
            needs(front, back, 4.5)
        for front in (*VERDICTS, "series-1", "series-2", "series-3"):
            if front in colours:
                needs(front, back, 3.0)
    for name in VERDICTS:
        needs("ink", f"{name}-tint", 7.0)
    needs("ink", "mark", 4.5)
    for step in range(6):
        needs("heat-ink" if step < 4 else "heat-white", f"heat-{step}", 4.5)
    levels = [lightness(colours[name]) for name in VERDICTS]
    if dark:
        levels = levels[::-1]
    if any(after - before < 10 for before, after in pairwise(levels)):
        findings.append("verdict colours are out of order of lightness, or closer than 10 in L*")
    against = [contrast(colours[name], colours["paper"]) for name in VERDICTS]
    if max(against) != against[0]:
        findings.append("Unsupported does not have the strongest contrast")
    steps = [lightness(colours[f"heat-{step}"]) for step in range(6)]
    if steps != sorted(steps, reverse=True):
        findings.append("heat steps are out of order of lightness")
    nearest = closest([colours[name] for name in VERDICTS])
    if nearest < LEAST_DISTANCE:
        findings.append(f"verdict colours are as close as {nearest:.1f}, at least {LEAST_DISTANCE:g}")
    return findings
