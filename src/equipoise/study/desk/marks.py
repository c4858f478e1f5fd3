"""Text of an item as HTML: as it stands, or, for replies, with the Markdown that models differ by brought into one style.

Single asterisks and underscores are never read as marks: "HLA-B*57:01", "p.R213*" and names of genes hold them, and a
lost character would change what a rater reads. So are links, images, tables and HTML: they stay text.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from equipoise._inert import inert

_HEADING = re.compile(r" {0,3}#{1,6}\s+(.+?)\s*#*\s*")
_BULLET = re.compile(r"(\s*)[-*+\u2022]\s+(.+)")
_NUMBER = re.compile(r"(\s*)(\d{1,3})[.)]\s+(.+)")
_RULE = re.compile(r" {0,3}(?:-{3,}|\*{3,}|_{3,})\s*")
_FENCE = re.compile(r" {0,3}(?:```|~~~).*")
_BOLD = re.compile(r"(?<![*\w])\*\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*\*(?![*\w])")


def neutral(text: str, *, markdown: bool) -> Markup:
    """A text, safe to show; invisible characters become code points, line breaks stay.

    Args:
        text: from outside.
        markdown: whether headings, lists, rules, fences and double asterisks are marks.
    """
    told = inert(text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
    if not markdown:
        return Markup('<div class="plain">{}</div>').format(told)
    parts: list[Markup] = []
    plain: list[str] = []

    def flush() -> None:
        if any(line.strip() for line in plain):
            parts.append(
                Markup('<div class="plain">{}</div>').format(Markup("\n").join(_inline(line) for line in _trim(plain)))
            )
        plain.clear()

    for line in told.split("\n"):
        if _FENCE.fullmatch(line) or _RULE.fullmatch(line):
            plain.append("")
        elif found := _HEADING.fullmatch(line):
            flush()
            parts.append(Markup('<p class="said-head">{}</p>').format(_inline(found[1].replace("**", ""))))
        elif found := _NUMBER.fullmatch(line):
            flush()
            parts.append(_entry(found[1], f"{found[2]}.", found[3]))
        elif found := _BULLET.fullmatch(line):
            flush()
            parts.append(_entry(found[1], "\u2022", found[2]))
        else:
            plain.append(line)
    flush()
    return Markup("").join(parts)


def _entry(indent: str, sign: str, text: str) -> Markup:
    depth = min(3, len(indent.expandtabs(4)) // 2)
    return Markup('<p class="said-entry depth-{}"><span>{}</span> <span>{}</span></p>').format(
        depth, sign, _inline(text)
    )


def _inline(line: str) -> Markup:
    parts, end = [], 0
    for found in _BOLD.finditer(line):
        parts += [escape(line[end : found.start()]), Markup("<strong>{}</strong>").format(found[1])]
        end = found.end()
    return Markup("").join([*parts, escape(line[end:])])


def _trim(lines: list[str]) -> list[str]:
    kept = list(lines)
    while kept and not kept[0].strip():
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept
