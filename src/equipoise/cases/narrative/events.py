"""What each mention of a therapy means: proposed, given before, refused, conditional or merely named."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from equipoise.cases.model import Outcome
from equipoise.cases.narrative.scope import FILLER, When, blank, dates, dates_of, other_tumors, own_text
from equipoise.cases.narrative.sentences import DRUG, SETTING, THERAPY, Section, Sentence
from equipoise.cases.narrative.therapies import _DOSE, Group, Item, groups, items
from equipoise.cases.vocabulary.drugs import is_cytotoxic


@dataclass(slots=True)
class Event:
    """One mention of a regimen, or of a trial or procedure, with its role.

    Attributes:
        role: "rec", "prior", "neg", "cond", "cons" (weighed), "order" (prescribed) or "none".
        kind: "drug", "trial", "other".
        start: place in the note.
        end: one past the last character.
        components: canonical names.
        settings: settings named with it.
        action: start, continue, switch, add, rechallenge or empty.
        outcome: how a course ended, as far as the sentence says.
        line: line of therapy, None when not stated.
        link: how it follows the mention before it.
        local: a local treatment of a site.
        maintenance: named as maintenance.
        sentence: number of the sentence.
        plan: whether it stands in a part headed as plan.
        sure: whether words, not only place, give it its role.
        when: first date that follows it.
        ended: day of the last dose; None when it is not stated to the day.
        again: whether it is named as one more course ("rechallenge").
    """

    role: str
    kind: str
    start: int
    end: int
    components: list[str]
    settings: set[str] = field(default_factory=set)
    action: str = ""
    outcome: Outcome = Outcome.UNKNOWN
    line: int | None = None
    link: str = ""
    local: bool = False
    maintenance: bool = False
    sentence: int = 0
    plan: bool = False
    sure: bool = False
    when: When | None = None
    ended: When | None = None
    again: bool = False


@dataclass(slots=True)
class Turn:
    """Progression, end or change that a sentence states without naming the drug.

    Attributes:
        outcome: what happened.
        start: place in the note.
        sentence: number of the sentence.
    """

    outcome: Outcome
    start: int
    sentence: int


_DEFAULT = {
    Section.PLAN: "rec", Section.HISTORY: "prior", Section.MEDICATION: "current", Section.MEDICAL: "skip", Section.ALLERGY: "skip", Section.FAMILY: "skip", Section.BACKGROUND: "skip",
}  # fmt: skip
_AUX = re.compile(
    r"[\s,(:\"-]*(?:(?:is|was|were|are|has|have|had|been|be|should|would|will|to|being|also|but|now|then|which|that|he|she|patient|pt|it|therapy|treatment|however|today|both|can|cannot|as|the|best|monotherapy|alone|chemotherapy|therefore|unfortunately|felt|deemed|thought|considered|strongly|favou?red|regimen|first|second|third|line|1l|2l|3l|planned|scheduled|recommended|offered|proposed|suggested|initially|here|so|due|far|mono|today|for|this|indication|definitely|hence|eventually|permanently|subsequently|later|soon)\b[\s,]*){0,6}[\s(\"]*"
)
_PRE = re.compile(
    r"[\s(]*(?:(?:disease|clinically|radiologically|systemically|intracranially|extracranially|rapidly|in|within|the|brain|liver|bone|lung|bones|cns|and|despite|on|after|through|during|following|to|of|under|while|first|second|line|front|his|her|prior|both|maintenance|combination|previous|initial|a|an|receiving|taking|or|with|treatment|therapy|multiple|lines|including|all|"
    r"platinum|his|adjuvant|palliative|third|from|standard|upfront|frontline|1l|2l|subsequent|for|due|because|course|courses|cycles?|cycle|doses?|x|\d{1,2}|one|two|three|four|five|six|eight|several|neoadjuvant|concurrent|definitive|her|induction|weekly|day|consolidation|salvage|fourth|systemic|any|then|radical|coverage|him|her|them|patient|low|dose|high|full|full-dose|reduced)\b[\s,:-]*){0,9}"
)
_PREPOSITION = re.compile(r"\b(?:on|after|through|during|following|to|of|under|despite)\b")
_WEAK_NEG = frozenset({"no", "not", "without", "nor", "neither", "over", "off", "instead", "excluded", "spare", "not the", "not a", "not for", "no further", "not the"})
_OK_CONDITION = re.compile(r"availab|fund|cover|reimburs|eligib|insur|access|approv|afford|denied|denies|obtain|supply|suppl|feasible|shortage|contraindicat|authori[sz]|permit|licen|out of stock|stock")
_CYCLES = re.compile(r"[^;.a-z]{0,14}(?:(?:x|\u00d7)\s?\d|\(?\d+\s?(?:x\b|cycles)|cycles|since|from\s+(?:19|20)\d\d|\(?(?:[a-z]{3,9}\s)?(?:19|20)\d\d)")
_ELSEWHERE = re.compile(r"\b(?:outside|elsewhere|another\s+(?:hospital|centre|center|team|board)|referring|local\s+(?:team|hospital|board)|(?:prior|previous|earlier|last)\s+(?:board|mdt|mtb|meeting|opinion|recommendation|note|consult\w*)|originally|initially|had\s+been|had\s+(?:proposed|suggested|recommended)|earlier\s+(?:proposal|plan)|previously|first\s+opinion|second\s+opinion)\b")
_REJECTED = re.compile(r"\b(?:the\s+)?(?:(?:board|mtb|mdt|panel|group|we)\s+(?:does|did|do)\s+not\s+(?:support|endorse|agree|recommend|favou?r|concur)|(?:was|were|is)\s+(?:rejected|not\s+(?:supported|endorsed|favou?red|accepted))|rejected)\b")


_REPORTED = frozenset({"recommended", "planned", "offered", "proposed", "suggested", "advised", "scheduled for", "planned for", "supported"})
_DECIDER = re.compile(r"\b(?:board|mtb|mdt|we|i|panel|consensus|plan)\b[^.;]{0,30}$")
_CLAUSE_STOP = re.compile(r"[;.):]|,\s")


_GRAY = re.compile(r"\b[567]\d(?:\.\d)?\s?gy\b")


class _Reader:
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
                if event.role in {"prior", "rec", "bare"} and event.kind == "drug" and "radiotherapy" not in event.components and any(is_cytotoxic(name) for name in event.components):
                    event.components.append("radiotherapy")
                    event.settings.add("chemoradiation")

    def _near(self, item: Item, following: Group | Item | None) -> bool:
        """Whether a regimen follows directly, with nothing but small words between."""
        if not isinstance(following, Group):
            return False
        return _PRE.fullmatch(_DOSE.sub(" ", self.low[item.end : following.start])) is not None

    def _post(self, item: Item) -> bool:
        """Whether the cue follows a regimen directly and speaks of it."""
        if self.last is None or not self.run:
            return False
        gap = self.low[self.last.end : item.start]
        if len(gap) > 120:
            return False
        return _AUX.fullmatch(_DOSE.sub(" ", gap).replace(FILLER, "#")) is not None

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

    def _proposal(self, item: Item, following: Group | Item | None, action: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        if self._post(item) and not self._near(item, following):
            if self.low[item.start : item.end] in {"would", "use", "we would", "plan", "support", "supports", "offer", "give"}:
                return
            gap = self.low[self.last.end if self.last else 0 : item.start]
            self._mark("cons" if re.search(r"\bhad\s+been\b", gap) or re.match(r"\s*(?:\w+\s+)?(?:locally|elsewhere|outside)", self.low[item.end :]) else "rec", action)
            return
        before = self.low[max(0, item.start - 70) : item.start]
        word = self.low[item.start : item.end]
        if (self.section is Section.HISTORY and word in _REPORTED and not _DECIDER.search(before)) or _ELSEWHERE.search(before):
            self._set("cons")
            return
        self._set("rec", action)

    def _on_rec(self, item: Item, following: Group | Item | None, word: str) -> None:
        if word in {"use", "support", "supports", "supported", "needs", "refer", "treat", "plan", "selected", "chosen"} and not self._near(item, following) and not self._post(item):
            if word != "plan" or self.section is Section.HISTORY:
                return
        if word in {"consider", "considering"} and self.section is not Section.PLAN and self.mode == "rec":
            return
        if word in {"indicated", "reasonable", "selected", "is indicated"} and not self._post(item):
            return
        self._proposal(item, following, self.action if self.mode == "rec" and self.action else "")

    def _on_start(self, item: Item, following: Group | Item | None, word: str) -> None:
        if word in {"starting", "commencing", "beginning", "initiating"} and self.section is not Section.PLAN:
            before = self.low[max(0, item.start - 16) : item.start]
            if re.search(r"\b(?:since|after|upon|before|of|prior to|while|on)\s*$", before):
                self._set("prior")
                return
        if not isinstance(following, Group) and self.events and self.events[-1].role in {"none", "bare"} and not self._post(item):
            self.events[-1].role, self.events[-1].action, self.events[-1].sure = "rec", "start", True
            return
        self._proposal(item, following, "start")

    def _on_from(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode != "skip" and not self.hold:
            self._set("from")

    def _on_enum(self, item: Item, following: Group | Item | None, word: str) -> None:
        if item.start > 0:
            self._on_semi(item, following, word)
        if self.section is Section.HISTORY and self.mode == "prior":
            self.line = int(item.components[0])

    def _on_newmet(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold or self.section is Section.PLAN:
            return
        if self.mode in {"prior", "none"} and self.run and not isinstance(following, Group) and self.run[-1].role == "prior":
            self._close(Outcome.PROGRESSED)
        else:
            self.turns.append(Turn(Outcome.PROGRESSED, self.base + item.start, self.number))

    def _on_cont(self, item: Item, following: Group | Item | None, word: str) -> None:
        if word == "maintained on":
            self._set("prior")
            self.outcome = Outcome.ONGOING
            return
        if not isinstance(following, Group) and not self.run and self.mode != "skip":
            self.carry = (self.base + item.start, self.base + item.end)
        self._proposal(item, following, "continue")

    def _on_switch(self, item: Item, following: Group | Item | None, word: str) -> None:
        self._proposal(item, following, "switch")

    def _on_add(self, item: Item, following: Group | Item | None, word: str) -> None:
        if word == "in addition to":
            return
        self._proposal(item, following, "add")

    def _on_re(self, item: Item, following: Group | Item | None, word: str) -> None:
        self._proposal(item, following, "rechallenge")

    def _on_neg(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip":
            return
        if word == "off":
            if self.run and self.tox_at >= 0 and self.run[-1].role in {"prior", "none"}:
                self._close(Outcome.TOXICITY)
            elif self._post(item):
                for event in self.run:
                    event.role = "neg"
            return
        if word == "instead":
            if self.run and self.run[-1].role == "rec":
                for event in self.events:
                    if event.role == "rec" and event not in self.run:
                        event.role = "cons"
            return
        if word in {"would not", "not support", "do not support", "cannot", "will not", "do not"} and re.match(r"\s*(?:use|give|support|recommend|start|offer|be|favou?r|advise)?\s*(?:it|this|that|these)\b", self.low[item.end :]):
            for event in self.events:
                if event.role in {"rec", "cons", "none"}:
                    event.role = "neg"
            self.refused = not self.events
            return
        if word == "no further":
            return
        if word in _WEAK_NEG:
            if not isinstance(following, Group) or following.start - item.end > 45 or "," in self.low[item.end : following.start]:
                return
            if re.search(r"\b(?:if|whether)\b", self.low[max(0, item.start - 6) : item.start]):
                return
            self.before_weak, self.weak_end = self.mode, item.end
            self._set("neg")
            return
        if word.startswith(("before", "prior to")):
            if self._near(item, following):
                self._set("neg")
            return
        if word in {"declined", "refused", "declines", "refuses", "cancelled", "canceled", "rejected"} and self.events and self.events[-1].kind == "trial" and not self._near(item, following):
            self.events[-1].role = "neg"
            return
        if self._post(item) and not (self._near(item, following) and word in {"rather than", "instead of", "in place of", "against", "stop", "discontinue", "avoid", "hold", "withhold"}):
            for event in self.run:
                event.role = "neg"
            return
        self._set("neg")

    def _on_cond(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip":
            return
        head = self.low[: item.start].rstrip()
        if word == "should" and head and head[-1] not in ",;:(":
            if self.mode == "none":
                self._set("rec", sure=False)
            return
        stop = _CLAUSE_STOP.search(self.low, item.end)
        clause = self.low[item.end : stop.start() if stop else len(self.low)]
        if word in {"if", "should", "in case of", "unless", "in the event", "in the event of", "when"} and _OK_CONDITION.search(clause):
            self.link = "or"
            self.ignored_until = item.end + len(clause)
            if self.mode == "neg":
                self.mode = "rec"
            elif self.mode == "none" and (self.had_rec or self.events):
                self._set("rec")
            return
        if word in {"await", "awaiting", "tbd", "to be discussed", "to be decided", "to be determined"}:
            if self._near(item, following) or word.startswith(("tbd", "to be")):
                self._set("cond")
            return
        if word == "when" and self.mode == "none":
            return
        back = self.last is not None and not (head.endswith((",", ";", ":")) or not head)
        if back and self.last is not None and self.run and "," not in self.low[self.last.end : item.start] and ";" not in self.low[self.last.end : item.start] and len(self.low[self.last.end : item.start]) < 50:
            if word not in {"guided by", "according to"}:
                for place in range(len(self.run) - 1, -1, -1):
                    last = self.run[place]
                    if last.role in {"rec", "cons", "none", "order"}:
                        last.role = "cond"
                    if last.link != "or" or "," in self.low[self.run[place - 1].end - self.base : last.start - self.base]:
                        break
        if self.mode in {"rec", "none", "cons"}:
            self._set("cond")
            self.hold = True

    def _on_alt(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self._post(item) and any(event.role in {"none", "neg", "cons"} for event in self.run) and (self.had_rec or any(event.role == "rec" for event in self.events)):
            self._mark("rec", "")
            return
        self.link = "or"
        if word == "otherwise" and self.mode == "cond":
            return
        if self.mode in {"neg", "cons"} and self.default != "skip":
            self.mode = "rec" if any(event.role == "rec" for event in self.events) or self.had_rec else self.mode
        if self.mode == "none" and self.had_rec:
            self._set("rec")

    def _on_cons(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip":
            return
        if word in {"vs", "versus", "between", "discussion", "thought", "possible", "may", "might", "could", "reviewed"} and not self._near(item, following):
            if not (self._post(item) and word not in {"may", "might", "could", "possible"}):
                return
        if self._post(item) and not self._near(item, following):
            for event in self.run:
                if event.role in {"none", "rec"} and not event.sure:
                    event.role = "cons"
                elif event.role == "none":
                    event.role = "cons"
            return
        if self.mode == "rec" and self.sure and word in {"option", "options", "candidate for", "eligible for", "may", "might", "could", "possible", "discussed"}:
            return
        if self.mode == "rec" and self.section is Section.PLAN and word in {"option", "options", "options are", "options include"}:
            self._set("cons", sure=False)
            return
        self._set("cons")

    def _on_ask(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self._near(item, following):
            self._set("neg")

    def _on_bg(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip":
            return
        if isinstance(following, Group) and following.start - item.end <= 40 and word != "in the":
            self.before_weak, self.weak_end = self.mode, item.end
            self._set("bg")
        elif word in {"approved", "superior to"} and self._post(item):
            self._mark("bg", "")

    def _on_allergy(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self._post(item):
            for event in self.run:
                event.role = "neg"
        elif isinstance(following, Group):
            self._set("neg")

    def _on_hist(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        if word in {"then", "followed by", "next", "thereafter", "subsequently", "with", "initially"}:
            if self.until and self.mode == "rec":
                self._set("cond")
            elif self.mode == "none" and word in {"then", "followed by", "thereafter", "subsequently"} and self.events and self.section not in {Section.PLAN} and not self.starts_bare:
                for event in self.events:
                    if event.role == "none" and event.kind == "drug":
                        event.role = "prior"
                self._set("prior")
            elif self.mode in {"none", "neg"} and word != "with" and word != "next" and (any(event.role == "prior" for event in self.events) or not self.events and word != "initially"):
                self._set("prior")
            if word != "with":
                self.link = "then"
                self.run = []
            return
        if word in {"after", "following", "post", "during", "under", "through", "since", "with", "had", "despite", "given", "started", "added", "tried", "took"} and not self._near(item, following):
            return
        if word in {"given", "started", "received", "begun", "commenced", "initiated", "was started", "was begun", "was commenced", "was initiated", "was given"} and self._post(item) and not self._near(item, following):
            for event in self.run:
                if event.role == "none":
                    event.role = "prior"
            return
        self._set("prior")

    def _on_order(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode != "skip" and not self.hold:
            if self._post(item):
                self._mark("order", "start")
            else:
                self._set("order", "start")

    def _on_ongoing(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        direct = isinstance(following, Group) and _PRE.fullmatch(self.low[item.end : following.start]) is not None and following.start - item.end <= 34
        if word in {"on", "current", "currently", "continued", "continues", "remains", "taking", "takes", "maintained", "is on", "tolerating", "tolerates", "responding"}:
            if direct and self.mode in {"none", "prior", "current", "neg"} or (direct and word != "on" and self.mode == "rec" and word not in {"maintained"}):
                if self.outcome is Outcome.PROGRESSED and word == "on":
                    return
                before = self.low[max(0, item.start - 14) : item.start]
                if re.search(r"\b(?:started|commenced|placed|put|while|was|been|initiated|began|switched|agreed|based|data|begun|enrolled|impact|effect)\s*$", before):
                    if self.mode != "prior":
                        self._set("prior")
                    return
                self._set("prior")
                self.outcome = Outcome.ONGOING
            elif word in {"continues", "continued", "remains", "responding", "tolerating"} and self._post(item):
                self._close(Outcome.ONGOING, weak=True)
            return
        if direct:
            self._set("prior")
            self.outcome = Outcome.ONGOING
        elif self._post(item) or self.run:
            self._close(Outcome.ONGOING, weak=True)

    def _on_since(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        if isinstance(following, Group) and self._near(item, following):
            self._set("prior")
            return
        if self.last is not None and self._post(item):
            for event in self.run:
                if event.role == "none":
                    event.role = "prior"
            self._close(Outcome.ONGOING, weak=True)

    def _on_pd(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        if word in {"until progression", "until pd", "until disease progression"}:
            if self.mode == "rec":
                self.until = True
                return
            self._close(Outcome.PROGRESSED)
            return
        before = self.low[max(0, item.start - 26) : item.start]
        if re.search(r"\b(?:no|without|until|or|risk of|suspected|possible|question of|to exclude|for|any|time to|if|versus|vs)\s+(?:\w+\s){0,2}$", before) and not re.search(r"(?:stopped|discontinued|ceased)\s+for\s+(?:\w+\s){0,2}$", before):
            if "until" in before and self.mode != "rec":
                self._close(Outcome.PROGRESSED)
            elif "until" in before:
                self.until = True
            return
        gap = self.low[item.end : following.start] if isinstance(following, Group) else ""
        near = self._near(item, following) and (_PREPOSITION.search(gap) is not None or word.endswith((" to", " of")) or (word in {"failed", "refractory"} and not self._post(item)) or (word == "pd" and not self.run))
        if near and not (self._post(item) and re.search(r"\bthen\b|,", gap)):
            if self.section is Section.PLAN and self.mode == "rec" and re.search(r"\b(?:on|at|upon)\s*$", before):
                self._set("cond")
                return
            self._set("prior")
            self.outcome = Outcome.PROGRESSED
            return
        if self.events and self._close(Outcome.PROGRESSED):
            return
        if self.section is not Section.PLAN or self.mode != "rec":
            self.turns.append(Turn(Outcome.PROGRESSED, self.base + item.start, self.number))

    def _on_relapse(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        gap = self.low[item.end : following.start] if isinstance(following, Group) else ""
        if self._near(item, following) and re.match(r"\s*(?:while\s+)?(?:on|during|under|to|through)\b", gap):
            self._set("prior")
            self.outcome = Outcome.PROGRESSED
        elif self._near(item, following) and re.match(r"\s*(?:\w+\s){0,3}after\b", gap):
            self._set("prior")

    def _on_tox(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip":
            return
        self.tox_at = item.start
        if word.startswith(("intoler", "poorly", "could not", "did not", "unable to", "not tolerate", "tolerated poorly")):
            if self._near(item, following) and not self._post(item):
                self._set("prior")
                self.outcome = Outcome.TOXICITY
            else:
                self._close(Outcome.TOXICITY)
            return
        if self.stopped_at >= 0:
            self._close(Outcome.TOXICITY, force=True)
            if not self.events:
                self.turns.append(Turn(Outcome.TOXICITY, self.base + item.start, self.number))
            return
        if word in {"toxicity", "toxicities"} and self.section is Section.HISTORY and self.run:
            self._close(Outcome.TOXICITY)
            return
        if self.last is not None and self.run and re.fullmatch(r"[\sx\d,-]*(?:\([^()]*)?\(\s*(?:g(?:rade)?\s?\d\s*)?", self.low[self.last.end : item.start]):
            self._close(Outcome.TOXICITY)

    def _on_stopped(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        self.stopped_at = item.start
        if self._near(item, following) and not self._post(item):
            self._set("prior")
            tail = self.low[item.end :]
            if re.search(r"\b(?:toxicit|intoleran|side effect|adverse|pneumonitis|ild\b|colitis|hepatitis|neuropath|rash|diarrh|qtc|cardiomyopath|myocarditis|nephr|transaminit|creatinine)", tail):
                self.outcome = Outcome.TOXICITY
            return
        for event in self.run:
            if event.role in {"none", "current"}:
                event.role = "prior"
        if self.tox_at >= 0 and self.last is not None and self.tox_at > self.last.start:
            self._close(Outcome.TOXICITY)
        if not self.events:
            tail = self.low[item.end : item.end + 60]
            if re.search(r"\b(?:toxicit|intoleran|side effect|adverse|pneumonitis|ild\b|colitis|hepatitis|neuropath|rash|diarrh)", tail):
                self.turns.append(Turn(Outcome.TOXICITY, self.base + item.start, self.number))

    def _on_done(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        if self._near(item, following) and not (self._post(item) and self.run):
            self._set("prior")
            self.outcome = Outcome.COMPLETED
        elif self.run or self.events:
            self._close(Outcome.COMPLETED)
        else:
            self.turns.append(Turn(Outcome.COMPLETED, self.base + item.start, self.number))

    def _on_maint(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.last is not None and self.run and item.start - self.last.end <= 2:
            self.run[-1].maintenance = True
        elif isinstance(following, Group):
            self.maint = True

    def _lines(self, item: Item, following: Group | Item | None, number: int) -> None:
        if isinstance(following, Group) and following.start - item.end <= 40 and not (self.last is not None and item.start - self.last.end <= 3 and following.start - item.end > 3):
            self.line = number
            if self.mode == "none":
                self._set("prior", sure=False)
        elif self.run and self.run[-1].line is None:
            self.run[-1].line = number
            if self.run[-1].role in {"none", "bare"} and self.section is not Section.PLAN and item.start - (self.last.end if self.last else 0) <= 3:
                self.run[-1].role = "prior"
        elif self.mode != "rec":
            self.line = number

    def _on_line1(self, item: Item, following: Group | Item | None, word: str) -> None:
        self._lines(item, following, 1)

    def _on_line2(self, item: Item, following: Group | Item | None, word: str) -> None:
        self._lines(item, following, 2)

    def _on_line3(self, item: Item, following: Group | Item | None, word: str) -> None:
        self._lines(item, following, 3)

    def _on_line4(self, item: Item, following: Group | Item | None, word: str) -> None:
        self._lines(item, following, 4)

    def _on_trial(self, item: Item, following: Group | Item | None, word: str) -> None:
        before = self.low[max(0, item.start - 40) : item.start]
        if self.mode == "none" and not self.low[: item.start].strip(" -*(") and self.section is not Section.BACKGROUND:
            self.events.append(Event("bare", "trial", self.base + item.start, self.base + item.end, [], sentence=self.number))
            self.trial_done = True
            return
        if self.mode not in {"rec", "prior"} or self.trial_done or re.search(r"\b(?:per|based on|from|data|as in|published|landmark|pivotal|the \w+|no|not)\s*(?:\w+\s)?$", before) and self.section is not Section.PLAN:
            return
        if re.search(r"\b(?:per|based on|from the|as in|no|according to|not eligible for|ineligible for)\s+(?:[\w-]+\s){0,2}$", before):
            return
        if self.mode == "rec":
            self.trial_done = True
            self.events.append(Event("rec", "trial", self.base + item.start, self.base + item.end, [], link=self.link, sentence=self.number, plan=self.section is Section.PLAN, sure=self.sure))
            self.link = ""

    def _on_other(self, item: Item, following: Group | Item | None, word: str) -> None:
        if (self.mode == "none" or (self.mode == "prior" and not self.events and not self.sure)) and word in _CARE and not re.search(r"\b(?:declin|refus|discuss|option)", self.low[max(0, item.start - 30) : item.end + 20]):
            head = self.low[: item.start].strip(" -*(")
            self.events.append(Event("rec" if head in {"for", "to"} else "bare", "other", self.base + item.start, self.base + item.end, [], sentence=self.number, sure=head in {"for", "to"}))
            return
        if self.mode == "rec" and not any(event.kind == "other" for event in self.events):
            self.events.append(Event("rec", "other", self.base + item.start, self.base + item.end, [], link=self.link, sentence=self.number, plan=self.section is Section.PLAN, sure=self.sure))

    def _on_arrow(self, item: Item, following: Group | Item | None, word: str) -> None:
        if isinstance(following, Group) and not any(event.kind == "drug" for event in self.events) and self.section is Section.NEUTRAL and self.mode != "skip":
            self._set("rec")
            self.link = ""
            return
        for event in self.run:
            if event.role == "none":
                event.role = "prior"
        if self.mode == "none" and self.events:
            self._set("prior")
        self.run = self.run if not isinstance(following, Group) else []
        self.outcome = Outcome.UNKNOWN
        self.stopped_at = -1

    def _on_semi(self, item: Item, following: Group | Item | None, word: str) -> None:
        self.hold = False
        if self.mode not in {"rec", "prior"} or (self.mode == "prior" and self.default == "rec"):
            self.mode = self.default
            self.sure = False
        self.outcome = Outcome.UNKNOWN
        self.run = []
        self.line = None
        self.stopped_at = -1

    def _bare(self, group: Group) -> bool:
        """Whether the sentence is nothing but a regimen: no verb, no date, no question."""
        rest = _DOSE.sub(" ", self.low[group.end :])
        if "?" in rest or ":" in rest or dates(rest) or len(self.low) > 140 or "(" in rest and re.search(r"\b(?:pd|progress\w*|stopped)\b", rest):
            return False
        words = [word for word in re.findall(r"[a-z]{2,}", rest) if word not in _SMALL]
        if re.search(r"\b(?:is|was|were|has|had|stopped|discontinued|progress\w*|pd|since|declined|x\d|cycles|ongoing|until|completed|started|begun|failed|refused|not|no|without|would|should|could|may|responded|tolerat\w+|under|caused|has|once|if|resist\w+|off|ild|gr|cyc)\b", rest):
            return False
        self.starts_bare = len(words) <= 7
        return self.starts_bare

    def _mark(self, role: str, action: str) -> None:
        for event in self.run:
            if event.role in {"none", "cons", "rec", "prior", "current", "bare"} and not (event.role == "prior" and event.sure):
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
            if event.role in {"none", "current"} and not weak:
                event.role = "prior"
            if event.role != "prior":
                continue
            if weak and event.outcome is not Outcome.UNKNOWN:
                continue
            if event.outcome in {Outcome.UNKNOWN, Outcome.ONGOING} or force or (event.outcome is Outcome.COMPLETED and outcome is Outcome.PROGRESSED and not event.settings):
                event.outcome = outcome
            done = True
        return done

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
            head = low[: group.start].strip(" -*\u2022\"(")
            if re.fullmatch(r"(?:for|to|ready for)(?:\s+(?:definitive|radical|palliative|adjuvant|neoadjuvant|concurrent|the|a|first|line|first-line))*", head) and self.section in {Section.NEUTRAL, Section.ASSESSMENT}:
                role, sure = "rec", True
            elif self.starts_bare and self.events and self.events[-1].role == "bare":
                role = "bare"
            elif not head and not self.events and self.section in {Section.NEUTRAL, Section.ASSESSMENT} and self._bare(group):
                role = "bare"
            elif _CYCLES.match(low, group.end) and self.section is not Section.PLAN:
                role = "prior"
            elif group.settings & {"neoadjuvant", "adjuvant"} and re.search(r"\b(?:with|by)\s*$", head):
                role = "prior"
        elif role == "rec" and not sure and _GIVEN.search(low[max(0, group.start - 30) : group.start]):
            role = "none"
        link = group.link or self.link
        if not group.link and self.link:
            link = self.link
        event = Event(
            role, "drug", self.base + group.start, self.base + group.end, group.components, set(group.settings), action, outcome, self.line, link, group.local,
            self.maint, self.number, self.section is Section.PLAN, sure, again=action == "rechallenge" or "rechalleng" in low[max(0, group.start - 24) : group.start],
        )  # fmt: skip
        self.events.append(event)
        if group.link in {"or", "and", "comma", "optional"} and self.run and self.run[-1].role == event.role:
            self.run.append(event)
        else:
            self.run = [event]
        self.last = group
        self.line, self.maint, self.link = None, False, ""


_LIGHT = frozenset({"hist", "ongoing", "line1", "line2", "line3", "line4", "setting", "maint", "since"})


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


_SMALL = frozenset({"mono", "monotherapy", "then", "and", "with", "the", "to", "mg", "first", "line", "next", "followed", "by", "level", "as"})
_CARE = frozenset({"best supportive care", "bsc", "hospice", "symptom control", "comfort care", "palliative care", "supportive care", "end of life care", "no further active therapy", "no further active treatment", "no further treatment", "hospice support", "palliative care team", "community palliative care", "no further systemic therapy"})
_GIVEN = re.compile(r"\b(?:given|because of|in view of|due to|prior|previous|history of|after|following|progression on|exposure to)\s+(?:\w+\s){0,2}$")


def _heading_line(heading: str) -> int | None:
    for number, words in enumerate((("1l", "first", "1st", "frontline"), ("2l", "second", "2nd"), ("3l", "third", "3rd"), ("4l", "fourth", "4th")), 1):
        if any(word in heading.split() for word in words):
            return number
    return None


_APPEARED = re.compile(r"\b(?:new|developed|appeared)\b")


def read_events(found: list[Sentence]) -> tuple[list[Event], list[Turn]]:
    """Mentions of therapies in a note, with their roles, and what happened between them."""
    events: list[Event] = []
    turns: list[Turn] = []
    had_rec = False
    for number, sentence in enumerate(found):
        if not sentence.marks & (DRUG | THERAPY) and not (sentence.marks & SETTING and _APPEARED.search(sentence.low)):
            continue
        low = own_text(sentence)
        spans = other_tumors(sentence)
        if spans and not (sentence.section is Section.PLAN):
            low = blank(low, spans)
        stream = groups(low, items(low))
        if not any(isinstance(one, Group) or one.kind in {"pd", "trial", "other", "stopped", "done", "cont", "newmet", "neg"} for one in stream):
            continue
        reader = _Reader(sentence, low, number, had_rec)
        reader.read(stream)
        if reader.events:
            _dated(reader.events, low, sentence.start, dates_of(sentence))
            if _REJECTED.search(low) and _ELSEWHERE.search(low):
                for event in reader.events[:1]:
                    if event.role in {"rec", "cons", "prior"}:
                        event.role = "neg"
        if reader.refused and events and events[-1].sentence >= number - 1:
            for event in reversed(events):
                if event.sentence != events[-1].sentence:
                    break
                if event.role in {"rec", "cons", "none", "bare"}:
                    event.role = "neg"
        if sentence.heading in {"adj", "adjuvant", "neoadj", "neoadjuvant"}:
            for event in reader.events:
                event.settings.add("adjuvant" if sentence.heading.startswith("adj") else "neoadjuvant")
        if reader.carry is not None and not any(event.kind == "drug" and event.role == "rec" and event.action == "continue" for event in reader.events):
            current = next((event for event in reversed(events) if event.role == "prior" and event.kind == "drug" and event.outcome in {Outcome.ONGOING, Outcome.UNKNOWN}), None)
            if current is not None and current.outcome is Outcome.ONGOING:
                start, end = reader.carry
                reader.events.append(Event("rec", "drug", start, end, list(current.components), action="continue", sentence=number, plan=sentence.section is Section.PLAN, sure=True))
        had_rec = had_rec or any(event.role in {"rec", "bare"} for event in reader.events)
        events.extend(reader.events)
        turns.extend(reader.turns)
    return events, turns


def _dated(events: list[Event], low: str, base: int, stated: list[tuple[int, int, When]]) -> None:
    if not stated:
        return
    for place, event in enumerate(events):
        stop = events[place + 1].start if place + 1 < len(events) else base + len(low)
        inside = [(start, when) for start, _, when in stated if event.end - base <= start < stop - base]
        event.when = inside[0][1] if inside else None
        event.ended = next((when for start, when in inside if when.day and _END_WORD.search(low[max(0, start - 22) : start])), None)


_END_WORD = re.compile(r"\b(?:until|till|last\s+dose(?:\s+on)?|ended(?:\s+on)?|stopped(?:\s+on)?|discontinued(?:\s+on)?|finished(?:\s+on)?|completed(?:\s+on)?|through|to)\s*:?\s*$")
