"""Reads the reply of a simulated board: a discussion in turns and a conclusion. One reader serves a single model and a board of agents.

Asked for is the published form (AnqiLi24/OpenTumorBoard, `evaluation/prompts/board_simulation_caption.txt`, commit 94ef520): one
`<discussion>` block of lines `<turn N> Role: words`, then one `<conclusion>` block. Read are, in this order: a whole JSON object with
`discussion` and `conclusion`; tags; the older table with a line "Conclusion:"; free text with lines "Role: words" and one such line.

Rules, fixed before the code together with the replies of `tests/boards/replies`:

- Blocks of reasoning are no part of the reply. A conclusion in them counts for nothing.
- A conclusion that repeats the template is none.
- **Two different conclusions are none**: nobody but their author knows which one holds. The same one twice is one.
- A conclusion without an end is read only when it ends with a sentence; what was cut could have turned it round.
- A line "Conclusion:" counts beside the tags, never inside a turn of a closed discussion.
- A label of no known role is `other`; a turn without a label is `unknown`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.boards.model import Role, Turn
from equipoise.boards.reply_text import (
    TAG,
    TwiceError,
    bare,
    ends_whole,
    flat,
    is_placeholder,
    load_object,
    same,
    sentences,
)
from equipoise.boards.role_labels import role_from_label
from equipoise.boards.turn_replies import TurnReply, read_turn_reply

__all__ = ["REPLIES_VERSION", "BoardReply", "TurnReply", "read_board_reply", "read_turn_reply", "write_board_reply"]

REPLIES_VERSION = "board-replies-1"
"""Raised when a reply can be read otherwise than before."""

FEWEST_SENTENCES, MOST_SENTENCES = 2, 4
"""Sentences of a conclusion that are asked for."""

_LABELLED = re.compile(
    r"[ \t]{0,8}\**[ \t]{0,2}(\[[^\[\]\n]{1,80}\]|[^:\n]{1,80}?)[ \t]{0,2}\**[ \t]{0,2}:[ \t]{0,2}\**"
)
_LINE = re.compile(
    r"[ \t]{0,8}(?:[-*][ \t]{1,3}|\d{1,3}[.)][ \t]{1,3})?\**([^:|\n*]{1,60})\**[ \t]{0,2}:\**[ \t]{0,3}(\S.*)"
)
_HEADING = re.compile(
    r"^[ \t]{0,8}(?:#{1,6}[ \t]{0,3}\**(?:final )?conclusion\**[ \t]{0,3}:?\**"
    r"|\**(?:final )?conclusion[ \t]{0,3}(?:\*{1,3}[ \t]{0,3}:|:\**|\*{1,3}$))",
    re.IGNORECASE | re.MULTILINE,
)
_OTHER_HEADING = re.compile(r"^[ \t]{0,8}(?:#{1,6}[ \t]|\*\*[^*\n]{1,60}\*\*[ \t]*$)", re.MULTILINE)
_ROW = re.compile(r"[ \t]{0,8}\|(.*)\|[ \t]*")
_RULE = re.compile(r"[ \t]*:?-{1,40}:?[ \t]*")
_ROLE_COLUMNS = frozenset({"role", "speaker", "specialist", "specialty"})
_MOST_WORDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardReply:
    """A board's reply as it was read.

    Attributes:
        turns: in the order spoken, with ids t1, t2, ...; empty when none can be read.
        conclusion: with single spaces; empty when the reply holds none that may be judged.
        problems: what had to be forgiven, or why there is no conclusion; empty when it came as asked.
    """

    turns: tuple[Turn, ...]
    conclusion: str
    problems: tuple[str, ...] = ()


def read_board_reply(text: str) -> BoardReply:
    """The discussion and conclusion of a reply.

    Args:
        text: the reply as received. Whether it was cut off by a limit is not seen here: the caller knows.
    """
    plain, problems = bare(text)
    if not plain:
        return BoardReply(turns=(), conclusion="", problems=(*problems, "no text"))
    try:
        whole = load_object(plain)
    except TwiceError:
        return BoardReply(turns=(), conclusion="", problems=(*problems, "the object names an element twice"))
    found = _Found(problems=problems)
    if whole is not None:
        _read_object(whole, found)
    elif TAG.search(plain):
        _read_tags(plain, found)
    else:
        _read_lines(plain, found)
    return found.done()


@dataclass(slots=True)
class _Board:
    """One discussion with what was concluded after it."""

    said: list[tuple[str, str]] = field(default_factory=list)
    conclusions: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Found:
    """What a reading has found so far."""

    problems: list[str]
    boards: list[_Board] = field(default_factory=lambda: [_Board()])

    def say(self, label: str, words: str) -> None:
        words = flat(words)
        if not words:
            self.note("a turn without words")
        elif is_placeholder(words) and words.startswith(("[", "<")):
            self.note("a turn of the template")
        else:
            self.boards[-1].said.append((flat(label), words))

    def conclude(self, text: str, *, closed: bool = True) -> None:
        if is_placeholder(text):
            self.note("an empty conclusion, or words of the template")
        elif not closed and not ends_whole(text):
            self.note("a conclusion that breaks off")
        else:
            if not closed:
                self.note("a conclusion without an end")
            self.boards[-1].conclusions.append(flat(text))

    def note(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def done(self) -> BoardReply:
        boards = [board for board in self.boards if board.said or board.conclusions]
        texts = [text for board in boards for text in board.conclusions]
        if len(texts) > 1:
            self.note("more than one conclusion")
        conclusion = texts[-1] if texts else ""
        if len({same(text) for text in texts}) > 1:
            self.note("two different conclusions; neither is read")
            conclusion = ""
        if not texts:
            self.note("no conclusion")
        talked = [board for board in boards if board.said]
        if len(talked) > 1:
            self.note("more than one discussion")
        held = [board for board in talked if board.conclusions] or talked
        said = held[-1].said if held and (conclusion or len(talked) == 1) else []
        if not said:
            self.note("no turn that can be read")
        if conclusion and not FEWEST_SENTENCES <= sentences(conclusion) <= MOST_SENTENCES:
            self.note(f"a conclusion of other than {FEWEST_SENTENCES} to {MOST_SENTENCES} sentences")
        turns = tuple(
            Turn(id=f"t{place}", speaker=label, role=role_from_label(label), text=words)
            for place, (label, words) in enumerate(said, start=1)
        )
        if any(turn.role is Role.UNKNOWN for turn in turns):
            self.note("a turn without a role")
        return BoardReply(turns=turns, conclusion=conclusion, problems=tuple(self.problems))


def _split_label(text: str) -> tuple[str, str]:
    """Label and words of a turn; the label is empty when there is none."""
    match = _LABELLED.match(text)
    if match is None or len(match[1].split()) > _MOST_WORDS:
        return "", text
    return match[1].strip("[]* \t"), text[match.end() :]


class _Tags:
    """Walks over the tags of a reply once, in order."""

    def __init__(self, found: _Found) -> None:
        self.found = found
        self.outside: list[str] = []
        self.numbers: list[int] = []
        self.opened = self.closed = False
        self.inside = False
        self.words: list[str] | None = None  # of a conclusion that is open
        self.turns: list[tuple[str, str]] = []  # inside that conclusion

    def take(self, name: str, closing: bool, number: str, after: str, last: bool) -> None:
        """One tag with the text after it, up to the next."""
        if name == "discussion":
            self._discussion(closing, after)
        elif name == "conclusion":
            self._conclusion(closing, after)
        elif closing:
            self.outside.append(after)
        else:
            self._turn(number, after, last)

    def _discussion(self, closing: bool, after: str) -> None:
        board = self.found.boards[-1]
        if closing:
            self.closed, self.inside = True, False
            if self.words is not None:
                self._end(closed=False)
            self.outside.append(after)
            return
        if self.words is not None:
            self._end(closed=False)
        if board.said or board.conclusions:
            self.found.boards.append(_Board())
        self.opened = self.inside = True
        self.numbers = []
        untagged = _role_lines(after)
        if untagged:
            self.found.note("turns without a tag")
            for label, words in untagged:
                self.found.say(label, words)
        elif after.strip():
            self.outside.append(after)

    def _conclusion(self, closing: bool, after: str) -> None:
        if closing:
            if self.words is not None:
                self._end(closed=True)
            self.outside.append(after)
            return
        if self.words is not None:
            self._end(closed=False)
        if self.inside:
            self.found.note("the conclusion comes before the discussion ends")
        self.words, self.turns = [after], []

    def _turn(self, number: str, after: str, last: bool) -> None:
        if self.words is not None:
            self.turns.append(_split_label(after))
            return
        if last and not self.closed:
            heading = _HEADING.search(after)
            if heading is not None and heading.start() > 0:
                self.outside.append(after[heading.start() :])
                after = after[: heading.start()]
        self.numbers.append(int(number) if number else 0)
        if self.numbers != list(range(1, len(self.numbers) + 1)):
            self.found.note("turns are not numbered from 1 by one")
        self.found.say(*_split_label(after))

    def _end(self, *, closed: bool) -> None:
        words, turns = "".join(self.words or ()), self.turns
        self.words, self.turns = None, []
        if not turns:
            self.found.conclude(words, closed=closed)
            return
        self.found.note("turns inside the conclusion")
        if len(turns) == 1 and not words.strip():
            self.found.conclude(turns[0][1], closed=closed)
            return
        for label, spoken in turns:
            self.found.say(label, spoken)

    def done(self) -> None:
        if self.words is not None:
            self._end(closed=False)
        if not (self.opened and self.closed):
            self.found.note("the discussion has not both of its tags")
        outside = "\n".join(self.outside)
        if outside.strip():
            self.found.note("text outside of the blocks")
            for text in _headed(outside):
                self.found.conclude(text)


def _read_tags(text: str, found: _Found) -> None:
    matches = list(TAG.finditer(text))
    walk = _Tags(found)
    walk.outside.append(text[: matches[0].start()])
    for place, match in enumerate(matches):
        end = matches[place + 1].start() if place + 1 < len(matches) else len(text)
        walk.take(match[2].lower(), bool(match[1]), match[3], text[match.end() : end], place + 1 == len(matches))
    walk.done()


def _headed(text: str) -> list[str]:
    """What stands under each heading of a conclusion, up to the next heading of any kind."""
    matches = list(_HEADING.finditer(text))
    found = []
    for place, match in enumerate(matches):
        end = matches[place + 1].start() if place + 1 < len(matches) else len(text)
        body = text[match.end() : end].lstrip()
        other = _OTHER_HEADING.search(body)
        found.append(body[: other.start()] if other is not None else body)
    return found


def _role_lines(text: str) -> list[tuple[str, str]]:
    """Lines "Role: words" whose label is a known role, with the lines that go on with them."""
    found: list[tuple[str, str]] = []
    going = False
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is not None and role_from_label(match[1]) not in (Role.OTHER, Role.UNKNOWN):
            found.append((match[1].strip(), match[2]))
            going = True
        elif not line.strip() or _OTHER_HEADING.match(line):
            going = False
        elif going:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line}")
    return found


def _read_lines(text: str, found: _Found) -> None:
    found.note("no tags: free text or a table")
    first = _HEADING.search(text)
    before = text if first is None else text[: first.start()]
    rows = _table(before.splitlines())
    for label, words in rows or _role_lines(before):
        found.say(label, words)
    for conclusion in _headed(text):
        found.conclude(conclusion)


def _table(lines: Iterable[str]) -> list[tuple[str, str]]:
    """Role and words of the rows of a table; the columns are those that its header names, or the first and the last."""
    found: list[tuple[str, str]] = []
    role = 0
    for line in lines:
        match = _ROW.fullmatch(line)
        if match is None:
            continue
        cells = [cell.strip().strip("*").strip() for cell in match[1].split("|")]
        if len(cells) < 2 or all(_RULE.fullmatch(cell) or not cell for cell in cells):
            continue
        named = [place for place, cell in enumerate(cells) if cell.casefold() in _ROLE_COLUMNS]
        if named and not found:
            role = named[0]
        elif role < len(cells) - 1:
            found.append((cells[role], cells[-1]))
    return found


def _read_object(value: dict[str, Any], found: _Found) -> None:
    found.note("JSON in place of tags")
    rows = value.get("discussion")
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        words = next((row[name] for name in ("text", "response", "statement", "content") if name in row), None)
        label = row.get("role", row.get("speaker"))
        if isinstance(words, str):
            found.say(label if isinstance(label, str) else "", words)
    conclusion = value.get("conclusion")
    if isinstance(conclusion, str):
        found.conclude(conclusion)


def write_board_reply(turns: Sequence[Turn], conclusion: str) -> str:
    """A discussion in the form that is asked of a single model, so that one reader reads both.

    Tags inside the words are made plain text, so that no speaker can end the discussion or conclude for the board. A turn without words
    stays there and is a problem when it is read.

    Args:
        turns: in the order spoken.
        conclusion: empty when there is none; then there is no such block.
    """
    lines = ["<discussion>"]
    for number, turn in enumerate(turns, start=1):
        known = turn.role not in (Role.OTHER, Role.UNKNOWN)
        label = (
            turn.role.value.title()
            if known
            else flat(_inert(turn.speaker)).replace(":", " ")[:60] or turn.role.value.title()
        )
        lines.append(f"<turn {number}> {label}: {flat(_inert(turn.text))}".rstrip())
    lines.append("</discussion>")
    if conclusion.strip():
        lines.append(f"<conclusion>{flat(_inert(conclusion))}</conclusion>")
    return "\n".join(lines)


def _inert(text: str) -> str:
    return TAG.sub(lambda match: "(" + match[0][1:-1].strip() + ")", text)
