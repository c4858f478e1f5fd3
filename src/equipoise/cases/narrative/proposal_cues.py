"""Cues of proposal: start, continue, switch, add; refusal, condition, alternative, and what is merely weighed or asked for."""

from __future__ import annotations

import re

from equipoise.cases.model import Outcome
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.mention_state import State
from equipoise.cases.narrative.mentions import Event
from equipoise.cases.narrative.therapies import Group, Item

ELSEWHERE = re.compile(
    r"\b(?:outside|elsewhere|another\s+(?:hospital|centre|center|team|board)|referring|local\s+(?:team"
    r"|hospital|board)|(?:prior|previous|earlier|last)\s+(?:board|mdt|mtb|meeting|opinion|recommendation"
    r"|note|consult\w*)|originally|initially|had\s+been|had\s+(?:proposed|suggested|recommended)"
    r"|earlier\s+(?:proposal|plan)|previously|first\s+opinion|second\s+opinion)\b"
)

_REPORTED = frozenset(
    {
        "recommended",
        "planned",
        "offered",
        "proposed",
        "suggested",
        "advised",
        "scheduled for",
        "planned for",
        "supported",
    }
)

_DECIDER = re.compile(r"\b(?:board|mtb|mdt|we|i|panel|consensus|plan)\b[^.;]{0,30}$")

_CARE = frozenset(
    {
        "best supportive care",
        "bsc",
        "hospice",
        "symptom control",
        "comfort care",
        "palliative care",
        "supportive care",
        "end of life care",
        "no further active therapy",
        "no further active treatment",
        "no further treatment",
        "hospice support",
        "palliative care team",
        "community palliative care",
        "no further systemic therapy",
    }
)

_WEAK_NEG = frozenset(
    {
        "no",
        "not",
        "without",
        "nor",
        "neither",
        "over",
        "off",
        "instead",
        "excluded",
        "spare",
        "not the",
        "not a",
        "not for",
        "no further",
    }
)
_CLAUSE_STOP = re.compile(r"[;.):]|,\s")
_OK_CONDITION = re.compile(
    r"availab|fund|cover|reimburs|eligib|insur|access|approv|afford|denied|denies|obtain|supply|suppl"
    r"|feasible|shortage|contraindicat|authori[sz]|permit|licen|out of stock|stock"
)


_MODAL = frozenset({"may", "might", "could", "possible"})
_LOOSE = _MODAL | {"vs", "versus", "between", "discussion", "thought", "reviewed"}


_REFUSING = re.compile(
    r"\b(?:do|does|did|can|would|should|could|will)(?:\s+not|n't|not)\s+(?:\w+ly\s+)?$|\b(?:not|never|nor)\s+(?:to\s+)?$"
)
_TRIAL_ITSELF = re.compile(r"\s*(?:first|preferred|of\b|enrol\w*|if\b|or\b|slot|[.,;:(]|$)")


class ProposalCues(State):
    """What the cues of a proposal do to the state."""

    def _proposal(self, item: Item, following: Group | Item | None, action: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        if _REFUSING.search(self.low[max(0, item.start - 24) : item.start]):
            self._set("neg")
            return
        if self._post(item) and not self._near(item, following):
            if self.low[item.start : item.end] in {
                "would",
                "use",
                "we would",
                "plan",
                "support",
                "supports",
                "offer",
                "give",
            }:
                return
            gap = self.low[self.last.end if self.last else 0 : item.start]
            self._mark(
                "cons"
                if re.search(r"\bhad\s+been\b", gap)
                or re.match(r"\s*(?:\w+\s+)?(?:locally|elsewhere|outside)", self.low[item.end :])
                else "rec",
                action,
            )
            return
        before = self.low[max(0, item.start - 70) : item.start]
        word = self.low[item.start : item.end]
        if (self.section is Section.HISTORY and word in _REPORTED and not _DECIDER.search(before)) or ELSEWHERE.search(
            before
        ):
            self._set("cons")
            return
        self._set("rec", action)

    def _on_rec(self, item: Item, following: Group | Item | None, word: str) -> None:
        if (
            word in {"use", "support", "supports", "supported", "needs", "refer", "treat", "plan", "selected", "chosen"}
            and not self._near(item, following)
            and not self._post(item)
            and (word != "plan" or self.section is Section.HISTORY)
        ):
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
        if (
            not isinstance(following, Group)
            and self.events
            and self.events[-1].role in {"none", "bare"}
            and not self._post(item)
        ):
            self.events[-1].role, self.events[-1].action, self.events[-1].sure = "rec", "start", True
            return
        self._proposal(item, following, "start")

    def _on_from(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode != "skip" and not self.hold:
            self._set("from")

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
        if word in {"would not", "not support", "do not support", "cannot", "will not", "do not"} and re.match(
            r"\s*(?:use|give|support|recommend|start|offer|be|favou?r|advise)?\s*(?:it|this|that|these)\b",
            self.low[item.end :],
        ):
            for event in self.events:
                if event.role in {"rec", "cons", "none"}:
                    event.role = "neg"
            self.refused = not self.events
            return
        if word == "no further" and not self._near(item, following):
            return
        if word in _WEAK_NEG:
            if (
                not isinstance(following, Group)
                or following.start - item.end > 45
                or "," in self.low[item.end : following.start]
            ):
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
        if (
            word in {"declined", "refused", "declines", "refuses", "cancelled", "canceled", "rejected"}
            and self.events
            and self.events[-1].kind == "trial"
            and not self._near(item, following)
        ):
            self.events[-1].role = "neg"
            return
        if self._post(item) and not (
            self._near(item, following)
            and word
            in {
                "rather than",
                "instead of",
                "in place of",
                "against",
                "stop",
                "discontinue",
                "avoid",
                "hold",
                "withhold",
            }
        ):
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
        if word in {
            "if",
            "should",
            "in case of",
            "unless",
            "in the event",
            "in the event of",
            "when",
        } and _OK_CONDITION.search(clause):
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
        if (
            back
            and self.last is not None
            and self.run
            and "," not in self.low[self.last.end : item.start]
            and ";" not in self.low[self.last.end : item.start]
            and len(self.low[self.last.end : item.start]) < 50
            and word not in {"guided by", "according to"}
        ):
            self._depend()
        if self.mode in {"rec", "none", "cons"}:
            self._set("cond")
            self.hold = True

    def _depend(self) -> None:
        """Make the regimen before the condition depend on it, and those that "or" joins to it."""
        for place in range(len(self.run) - 1, -1, -1):
            last = self.run[place]
            if last.role in {"rec", "cons", "none", "order"}:
                last.role = "cond"
            if last.link != "or" or "," in self.low[self.run[place - 1].end - self.base : last.start - self.base]:
                break

    def _on_alt(self, item: Item, following: Group | Item | None, word: str) -> None:
        if (
            self._post(item)
            and any(event.role in {"none", "neg", "cons"} for event in self.run)
            and (self.had_rec or any(event.role == "rec" for event in self.events))
        ):
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
        loose = word in _LOOSE and not self._near(item, following)
        if loose and (not self._post(item) or word in _MODAL):
            return
        if self._post(item) and not self._near(item, following):
            for event in self.run:
                if (event.role in {"none", "rec"} and not event.sure) or event.role == "none":
                    event.role = "cons"
            return
        if (
            self.mode == "rec"
            and self.sure
            and word
            in {"option", "options", "candidate for", "eligible for", "may", "might", "could", "possible", "discussed"}
        ):
            return
        if (
            self.mode == "rec"
            and self.section is Section.PLAN
            and word in {"option", "options", "options are", "options include"}
        ):
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

    def _on_order(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode != "skip" and not self.hold:
            if self._post(item):
                self._mark("order", "start")
            else:
                self._set("order", "start")

    def _on_trial(self, item: Item, following: Group | Item | None, word: str) -> None:
        before = self.low[max(0, item.start - 40) : item.start]
        alone = not self.low[: item.start].strip(" -*(0123456789.)") and _TRIAL_ITSELF.match(self.low, item.end)
        if self.mode == "none" and alone and self.section is not Section.BACKGROUND:
            self.events.append(
                Event("bare", "trial", self.base + item.start, self.base + item.end, [], sentence=self.number)
            )
            self.trial_done = True
            return
        if (
            self.mode not in {"rec", "prior"}
            or self.trial_done
            or (
                re.search(
                    r"\b(?:per|based on|from|data|as in|published|landmark|pivotal|the \w+|no|not)\s*(?:\w+\s)?$",
                    before,
                )
                and self.section is not Section.PLAN
            )
        ):
            return
        if re.search(
            r"\b(?:per|based on|from the|as in|no|according to|not eligible for"
            r"|ineligible for)\s+(?:[\w-]+\s){0,2}$",
            before,
        ):
            return
        if self.mode == "rec":
            self.trial_done = True
            self.events.append(
                Event(
                    "rec",
                    "trial",
                    self.base + item.start,
                    self.base + item.end,
                    [],
                    link=self.link,
                    sentence=self.number,
                    plan=self.section is Section.PLAN,
                    sure=self.sure,
                )
            )
            self.link = ""

    def _on_other(self, item: Item, following: Group | Item | None, word: str) -> None:
        if (
            (self.mode == "none" or (self.mode == "prior" and not self.events and not self.sure))
            and word in _CARE
            and not re.search(r"\b(?:declin|refus|discuss|option)", self.low[max(0, item.start - 30) : item.end + 20])
        ):
            head = self.low[: item.start].strip(" -*(")
            self.events.append(
                Event(
                    "rec" if head in {"for", "to"} else "bare",
                    "other",
                    self.base + item.start,
                    self.base + item.end,
                    [],
                    sentence=self.number,
                    sure=head in {"for", "to"},
                )
            )
            return
        if self.mode == "rec" and not any(event.kind == "other" for event in self.events):
            self.events.append(
                Event(
                    "rec",
                    "other",
                    self.base + item.start,
                    self.base + item.end,
                    [],
                    link=self.link,
                    sentence=self.number,
                    plan=self.section is Section.PLAN,
                    sure=self.sure,
                )
            )
