"""The state in which a sentence about therapies is read, and what a regimen becomes in it."""

from __future__ import annotations

import re

from equipoise.cases.model import Outcome
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.mentions import Event, Turn
from equipoise.cases.narrative.scope import FILLER, dates
from equipoise.cases.narrative.sentences import Sentence
from equipoise.cases.narrative.therapies import DOSE, Group, Item
from equipoise.cases.vocabulary.drugs import is_cytotoxic

_DEFAULT = {
    Section.PLAN: "rec",
    Section.HISTORY: "prior",
    Section.MEDICATION: "current",
    Section.MEDICAL: "skip",
    Section.ALLERGY: "skip",
    Section.FAMILY: "skip",
    Section.BACKGROUND: "skip",
}

_AUX = re.compile(
    r"[\s,(:\"-]*(?:(?:is|was|were|are|has|have|had|been|be|should|would|will|to|being|may|might|could|also|but|now|then"
    r"|which|that|he|she|patient|pt|it|therapy|treatment|however|today|both|can|cannot|as|the|best"
    r"|monotherapy|alone|chemotherapy|therefore|unfortunately|felt|deemed|thought|considered|strongly"
    r"|favou?red|regimen|first|second|third|line|1l|2l|3l|planned|scheduled|recommended|offered|proposed"
    r"|suggested|initially|here|so|due|far|mono|today|for|this|indication|definitely|hence|eventually"
    r"|permanently|subsequently|later|soon)\b[\s,]*){0,6}[\s(\"]*"
)

SMALL_WORDS = re.compile(
    r"[\s(]*(?:(?:disease|clinically|radiologically|systemically|intracranially|extracranially|rapidly|in"
    r"|within|the|brain|liver|bone|lung|bones|cns|and|despite|on|after|through|during|following|to|of"
    r"|under|while|first|second|line|front|c\d{1,2}|cycle\s\d{1,2}|his|her|prior|both|maintenance|combination|previous|initial|a"
    r"|an|receiving|taking|or|with|treatment|therapy|multiple|lines|including|all|"
    r"platinum|his|adjuvant|palliative|third|from|standard|upfront|frontline|1l|2l|subsequent|for|due"
    r"|because|course|courses|cycles?|cycle|doses?|x|\d{1,2}|one|two|three|four|five|six|eight|several"
    r"|neoadjuvant|concurrent|definitive|her|induction|weekly|day|consolidation|salvage|fourth|systemic"
    r"|any|then|radical|coverage|him|her|them|patient|low|dose|high|full|full-dose"
    r"|reduced)\b[\s,:-]*){0,9}"
)

_CYCLES = re.compile(
    r"[^;.a-z]{0,14}(?:(?:x|\u00d7)\s?\d|\(?\d+\s?(?:x\b|cycles)|cycles|since|from\s+(?:19|20)\d\d"
    r"|\(?(?:[a-z]{3,9}\s)?(?:19|20)\d\d)"
)

_GRAY = re.compile(r"\b[567]\d(?:\.\d)?\s?gy\b")

_LIGHT = frozenset({"hist", "ongoing", "line1", "line2", "line3", "line4", "setting", "maint", "since"})

_SMALL = frozenset(
    {
        "mono",
        "monotherapy",
        "then",
        "and",
        "with",
        "the",
        "to",
        "mg",
        "first",
        "line",
        "next",
        "followed",
        "by",
        "level",
        "as",
    }
)

_GIVEN = re.compile(
    r"\b(?:given|because of|in view of|due to|prior|previous|history of|after|following|progression on"
    r"|exposure to)\s+(?:\w+\s){0,2}$"
)


def _ahead(stream: list[Group | Item], place: int) -> Group | Item | None:
    """The next regimen when only small words stand before it, otherwise the next element."""
    first = stream[place + 1] if place + 1 < len(stream) else None
    at = place + 1
    while at < len(stream) and at < place + 5:
        one = stream[at]
        if isinstance(one, Group):
            return one
        if one.kind not in _LIGHT:
            return first
        at += 1
    return first


def _heading_line(heading: str) -> int | None:
    for number, words in enumerate(
        (("1l", "first", "1st", "frontline"), ("2l", "second", "2nd"), ("3l", "third", "3rd"), ("4l", "fourth", "4th")),
        1,
    ):
        if any(word in heading.split() for word in words):
            return number
    return None


class State:
    """Working state for one sentence."""

    def __init__(self, sentence: Sentence, low: str, number: int, had_rec: bool) -> None:
        self.low = low
        self.base = sentence.start
        self.number = number
        self.section = sentence.section
        self.default = _DEFAULT.get(sentence.section, "none")
        self.mode = self.default
        self.sure = False
        self.action = ""
        self.outcome = Outcome.UNKNOWN
        self.line: int | None = _heading_line(sentence.heading) if sentence.section is Section.HISTORY else None
        self.maint = False
        self.link = ""
        self.events: list[Event] = []
        self.turns: list[Turn] = []
        self.last: Group | None = None
        self.run: list[Event] = []
        self.stopped_at = -1
        self.weak_end = -1
        self.before_weak = self.mode
        self.had_rec = had_rec
        self.hold = False
        self.until = False
        self.trial_done = False
        self.ignored_until = -1
        self.carry: tuple[int, int] | None = None
        self.tox_at = -1
        self.refused = False
        self.starts_bare = False
        self.gray = bool(_GRAY.search(low))

    def read(self, stream: list[Group | Item]) -> None:
        """Go through the stream once."""
        for place, one in enumerate(stream):
            following = _ahead(stream, place)
            if isinstance(one, Group):
                self._group(one)
            else:
                self._cue(one, following)
        if self.gray:
            for event in self.events:
                if (
                    event.role in {"prior", "rec", "bare"}
                    and event.kind == "drug"
                    and "radiotherapy" not in event.components
                    and any(is_cytotoxic(name) for name in event.components)
                ):
                    event.components.append("radiotherapy")
                    event.settings.add("chemoradiation")

    def _near(self, item: Item, following: Group | Item | None) -> bool:
        """Whether a regimen follows directly, with nothing but small words between."""
        if not isinstance(following, Group):
            return False
        return SMALL_WORDS.fullmatch(DOSE.sub(" ", self.low[item.end : following.start])) is not None

    def _post(self, item: Item) -> bool:
        """Whether the cue follows a regimen directly and speaks of it."""
        if self.last is None or not self.run:
            return False
        gap = self.low[self.last.end : item.start]
        if len(gap) > 120:
            return False
        return _AUX.fullmatch(DOSE.sub(" ", gap).replace(FILLER, "#")) is not None

    def _set(self, mode: str, action: str = "", *, sure: bool = True) -> None:
        if self.mode == "skip" or (self.hold and mode != "neg"):
            return
        keep = mode == "prior" and self.mode == "prior" and not self.run
        self.mode, self.action, self.sure = mode, action, sure
        if not keep:
            self.outcome = Outcome.UNKNOWN
        self.run = []

    def _cue(self, item: Item, following: Group | Item | None) -> None:
        kind = item.kind
        if item.start < self.ignored_until:
            return
        word = self.low[item.start : item.end]
        handler = getattr(self, f"_on_{kind}", None)
        if handler is not None:
            handler(item, following, word)

    def _mark(self, role: str, action: str) -> None:
        for event in self.run:
            if event.role in {"none", "cons", "rec", "prior", "current", "bare"} and not (
                event.role == "prior" and event.sure
            ):
                event.role = role
                event.sure = True
                event.action = action or event.action

    def _close(self, outcome: Outcome, *, weak: bool = False, force: bool = False) -> bool:
        """Give the course before its outcome; whether there was one."""
        candidates = self.run[-1:] or [event for event in self.events if event.kind == "drug"][-1:]
        place = len(self.run) - 1
        while place > 0 and self.run[place].link in {"and", "or"}:
            place -= 1
            candidates = [self.run[place], *candidates]
        done = False
        for event in candidates:
            if event.role in {"none", "current", "bare"} and not weak:
                event.role = "prior"
            if event.role != "prior":
                continue
            if weak and event.outcome is not Outcome.UNKNOWN:
                continue
            if (
                event.outcome in {Outcome.UNKNOWN, Outcome.ONGOING}
                or force
                or (event.outcome is Outcome.COMPLETED and outcome is Outcome.PROGRESSED and not event.settings)
            ):
                event.outcome = outcome
            done = True
        return done

    def _bare(self, group: Group) -> bool:
        """Whether the sentence is nothing but a regimen: no verb, no date, no question."""
        rest = DOSE.sub(" ", self.low[group.end :])
        if (
            "?" in rest
            or ":" in rest
            or dates(rest)
            or len(self.low) > 140
            or ("(" in rest and re.search(r"\b(?:pd|progress\w*|stopped)\b", rest))
        ):
            return False
        words = [word for word in re.findall(r"[a-z]{2,}", rest) if word not in _SMALL]
        if re.search(
            r"\b(?:is|was|were|has|had|stopped|discontinued|progress\w*|pd|since|declined|x\d|cycles|ongoing|until"
            r"|completed|started|begun|failed|refused|not|no|without|would|should|could|may|responded|tolerat\w+"
            r"|under|caused|has|once|if|resist\w+|off|ild|gr|cyc|treated|elsewhere|unknown)\b",
            self.low[group.end :],
        ):
            return False
        self.starts_bare = len(words) <= 7
        return self.starts_bare

    def _group(self, group: Group) -> None:
        low = self.low
        if self.mode == "skip" or group.start < self.ignored_until:
            return
        if self.weak_end >= 0:
            chained = group.link in {"or", "join", "and", "comma"} and self.last is not None and self.run
            if not chained and "," in low[self.weak_end : group.start] and self.mode in {"neg", "bg"}:
                self.mode = self.before_weak
                self.weak_end = -1
        role, sure = self.mode, self.sure
        action = self.action
        outcome = self.outcome
        if role == "current":
            role, outcome = "prior", Outcome.ONGOING
            if not group.systemic:
                return
        if role == "bg":
            role = "none"
        if role == "from":
            role = "none"
            self.mode, self.action, self.sure = "rec", "switch", True
        asked = re.match(r"[^.;,?]{0,14}\?", low[group.end :])
        if asked is not None and role in {"none", "rec", "prior", "cons", "order"}:
            role = "neg"
        if role == "none":
            head = low[: group.start].strip(' -*\u2022"(0123456789.)')
            if re.fullmatch(
                r"(?:for|to|ready for)(?:\s+(?:definitive|radical|palliative|adjuvant|neoadjuvant|concurrent|the|a"
                r"|first|line|first-line))*",
                head,
            ) and self.section in {Section.NEUTRAL, Section.ASSESSMENT}:
                role, sure = "rec", True
            elif (self.starts_bare and self.events and self.events[-1].role == "bare") or (
                not head
                and not self.events
                and self.section in {Section.NEUTRAL, Section.ASSESSMENT}
                and self._bare(group)
            ):
                role = "bare"
            elif (_CYCLES.match(low, group.end) and self.section is not Section.PLAN) or (
                group.settings & {"neoadjuvant", "adjuvant"} and re.search(r"\b(?:with|by)\s*$", head)
            ):
                role = "prior"
        elif role == "rec" and not sure and _GIVEN.search(low[max(0, group.start - 30) : group.start]):
            role = "none"
        link = group.link or self.link
        if not group.link and self.link:
            link = self.link
        event = Event(
            role,
            "drug",
            self.base + group.start,
            self.base + group.end,
            group.components,
            set(group.settings),
            action,
            outcome,
            self.line,
            link,
            group.local,
            self.maint,
            self.number,
            self.section is Section.PLAN,
            sure,
            again=action == "rechallenge" or "rechalleng" in low[max(0, group.start - 24) : group.start],
        )
        self.events.append(event)
        if group.link in {"or", "and", "comma", "optional"} and self.run and self.run[-1].role == event.role:
            self.run.append(event)
        else:
            self.run = [event]
        self.last = group
        self.line, self.maint, self.link = None, False, ""
