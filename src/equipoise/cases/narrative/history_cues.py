"""Cues of history: given, ongoing, progressed, stopped, completed, lines, arrows and list marks."""

from __future__ import annotations

import re

from equipoise.cases.model import Outcome
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.mention_state import SMALL_WORDS, State
from equipoise.cases.narrative.mentions import Turn
from equipoise.cases.narrative.therapies import Group, Item

_PREPOSITION = re.compile(r"\b(?:on|after|through|during|following|to|of|under|despite)\b")

_HARM = re.compile(
    r"\b(?:toxicit|intoleran|side effect|adverse|pneumonitis|ild\b|colitis|hepatitis|neuropath|rash|diarrh|qtc|cardiomyopath"
    r"|myocarditis|nephr|transaminit|creatinine|pyrexia|fever|heart failure|psychosis|pancreatitis|cytopeni|neutropeni"
    r"|thrombocytopeni|anaphyla|hypersensitiv|edema|oedema|fatigue|nausea|hepatotox|ototox|stomatitis|bleeding)"
)


class HistoryCues(State):
    """What the cues of a history do to the state."""

    def _on_enum(self, item: Item, following: Group | Item | None, word: str) -> None:
        if item.start > 0:
            self._on_semi(item, following, word)
        if self.section is Section.HISTORY and self.mode == "prior":
            self.line = int(item.components[0])

    def _on_newmet(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold or self.section is Section.PLAN:
            return
        if (
            self.mode in {"prior", "none"}
            and self.run
            and not isinstance(following, Group)
            and self.run[-1].role == "prior"
        ):
            self._close(Outcome.PROGRESSED)
        else:
            self.turns.append(Turn(Outcome.PROGRESSED, self.base + item.start, self.number))

    def _on_hist(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        if word in {"then", "followed by", "next", "thereafter", "subsequently", "with", "initially"}:
            if self.until and self.mode == "rec":
                self._set("cond")
            elif (
                self.mode == "none"
                and word in {"then", "followed by", "thereafter", "subsequently"}
                and self.events
                and self.section not in {Section.PLAN}
                and not self.starts_bare
            ):
                for event in self.events:
                    if event.role == "none" and event.kind == "drug":
                        event.role = "prior"
                self._set("prior")
            elif (
                self.mode in {"none", "neg"}
                and word != "with"
                and word != "next"
                and (any(event.role == "prior" for event in self.events) or (not self.events and word != "initially"))
            ):
                self._set("prior")
            if word != "with":
                self.link = "then"
                self.run = []
            return
        if word in {
            "after",
            "following",
            "post",
            "during",
            "under",
            "through",
            "since",
            "with",
            "had",
            "despite",
            "given",
            "started",
            "added",
            "tried",
            "took",
        } and not self._near(item, following):
            return
        if (
            word
            in {
                "given",
                "started",
                "received",
                "begun",
                "commenced",
                "initiated",
                "was started",
                "was begun",
                "was commenced",
                "was initiated",
                "was given",
            }
            and self._post(item)
            and not self._near(item, following)
        ):
            for event in self.run:
                if event.role == "none":
                    event.role = "prior"
            return
        self._set("prior")

    def _on_ongoing(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        direct = (
            isinstance(following, Group)
            and SMALL_WORDS.fullmatch(self.low[item.end : following.start]) is not None
            and following.start - item.end <= 34
        )
        if word in {
            "on",
            "current",
            "currently",
            "continued",
            "continues",
            "remains",
            "taking",
            "takes",
            "maintained",
            "is on",
            "tolerating",
            "tolerates",
            "responding",
        }:
            if (direct and self.mode in {"none", "prior", "current", "neg"}) or (
                direct and word != "on" and self.mode == "rec" and word not in {"maintained"}
            ):
                if self.outcome is Outcome.PROGRESSED and word == "on":
                    return
                before = self.low[max(0, item.start - 14) : item.start]
                if re.search(
                    r"\b(?:started|commenced|placed|put|while|was|previously|formerly|initially|earlier|once|been|initiated|began|switched|agreed|based|data|begun"
                    r"|enrolled|impact|effect)\s*$",
                    before,
                ):
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
                if event.role in {"none", "bare"} or (event.role == "rec" and not event.sure):
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
        if re.search(
            r"\b(?:no|without|until|or|risk of|suspected|possible|question of|to exclude|for|any|time to|if|versus"
            r"|vs)\s+(?:\w+\s){0,2}$",
            before,
        ) and not re.search(r"(?:stopped|discontinued|ceased)\s+for\s+(?:\w+\s){0,2}$", before):
            if "until" in before and self.mode != "rec":
                self._close(Outcome.PROGRESSED)
            elif "until" in before:
                self.until = True
            return
        gap = self.low[item.end : following.start] if isinstance(following, Group) else ""
        near = self._near(item, following) and (
            _PREPOSITION.search(gap) is not None
            or word.endswith((" to", " of"))
            or (word in {"failed", "refractory"} and not self._post(item))
            or (word == "pd" and not self.run)
        )
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
        if word.startswith(
            ("intoler", "poorly", "could not", "did not", "unable to", "not tolerate", "tolerated poorly")
        ):
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
        if (
            self.last is not None
            and self.run
            and re.fullmatch(
                r"[\sx\d,-]*(?:\([^()]*)?\(\s*(?:g(?:rade)?\s?\d\s*)?", self.low[self.last.end : item.start]
            )
        ):
            self._close(Outcome.TOXICITY)

    def _on_stopped(self, item: Item, following: Group | Item | None, word: str) -> None:
        if self.mode == "skip" or self.hold:
            return
        self.stopped_at = item.start
        if self._near(item, following) and not self._post(item):
            self._set("prior")
            tail = self.low[item.end :]
            if _HARM.search(tail):
                self.outcome = Outcome.TOXICITY
            return
        for event in self.run:
            if event.role in {"none", "current", "bare"} or (event.role == "rec" and not event.sure):
                event.role = "prior"
        for event in self.run[-1:]:
            event.stopped = True
        if self.tox_at >= 0 and self.last is not None and self.tox_at > self.last.start:
            self._close(Outcome.TOXICITY)
        if not self.events:
            tail = self.low[item.end : item.end + 60]
            if _HARM.search(tail):
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
        if (
            isinstance(following, Group)
            and following.start - item.end <= 40
            and not (self.last is not None and item.start - self.last.end <= 3 and following.start - item.end > 3)
        ):
            self.line = number
            if self.mode == "none":
                self._set("prior", sure=False)
        elif self.run and self.run[-1].line is None:
            self.run[-1].line = number
            if (
                self.run[-1].role in {"none", "bare"}
                and self.section is not Section.PLAN
                and item.start - (self.last.end if self.last else 0) <= 3
            ):
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

    def _on_arrow(self, item: Item, following: Group | Item | None, word: str) -> None:
        if (
            isinstance(following, Group)
            and not any(event.kind == "drug" for event in self.events)
            and self.section is Section.NEUTRAL
            and self.mode != "skip"
        ):
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
