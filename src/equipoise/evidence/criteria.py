"""Criteria of an assertion: parsed from YAML and held against the facts of a case.

A criterion is a leaf or `any` / `all` / `not` over criteria (Kleene's three-valued logic). docs/semantics.md section 5 lists the
leaves. Each leaf knows the field of the Case it reads, so that a verdict can say what is missing.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.cases.facts import FALSE, TRUE, UNKNOWN, Facts, drug_matcher
from equipoise.cases.model import CONDITIONS, SETTINGS, STAGES, Interval
from equipoise.cases.vocabulary.biomarkers import marker
from equipoise.cases.vocabulary.drugs import drug as drug_entry
from equipoise.cases.vocabulary.histology import NONSQUAMOUS
from equipoise.errors import EvidenceError

Test = Callable[[Facts], int]

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Leaf:
    """One criterion that reads one field.

    Attributes:
        kind: name of the leaf, by which a policy switches criteria off.
        field: field of the Case that decides it.
        required: what the source asks for, in words.
        payload: the parsed value, by kind.
        test: gives TRUE, UNKNOWN or FALSE for the facts of a case.
        reads: every field that the answer depends on, for biomarkers one a gene.
        fields: the only fields that can leave it undecided; empty when the case says which of several do.
        number: key under which facts remember the answer; equal criteria share it.
    """

    kind: str
    field: str
    required: str
    payload: Any
    test: Test = dataclasses.field(compare=False)
    reads: frozenset[str] = dataclasses.field(default=frozenset(), compare=False)
    fields: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    number: int = dataclasses.field(default_factory=_numbers.__next__, compare=False)

    def state(self, facts: Facts) -> int:
        """The answer for a case, remembered in its facts."""
        answer = facts.answers.get(self.number)
        if answer is None:
            answer = facts.answers[self.number] = self.test(facts)
        return answer


@dataclass(frozen=True, slots=True)
class Group:
    """`any`, `all` or `not` over other criteria.

    Attributes:
        kind: any, all or not.
        parts: the criteria.
        required: the whole in words.
        field: field of the first leaf.
        reads: every field that the answer depends on.
        leaves: its leaves, in order.
        number: key under which facts remember the answer; equal criteria share it.
    """

    kind: str
    parts: tuple[Node, ...]
    required: str = dataclasses.field(compare=False)
    field: str = dataclasses.field(compare=False)
    reads: frozenset[str] = dataclasses.field(default=frozenset(), compare=False)
    leaves: tuple[Leaf, ...] = dataclasses.field(default=(), compare=False)
    number: int = dataclasses.field(default_factory=_numbers.__next__, compare=False)

    def state(self, facts: Facts) -> int:
        """The answer for a case, remembered in its facts."""
        answer = facts.answers.get(self.number)
        if answer is None:
            answer = facts.answers[self.number] = self.test(facts)
        return answer

    def test(self, facts: Facts) -> int:
        """The answer for a case, computed from its parts."""
        if self.kind == "not":
            return -self.parts[0].state(facts)
        states = [part.state(facts) for part in self.parts]
        return max(states) if self.kind == "any" else min(states)


Node = Leaf | Group


def leaves(node: Node) -> tuple[Leaf, ...]:
    """The leaves of a criterion, in order."""
    return (node,) if isinstance(node, Leaf) else node.leaves


def positive_markers(node: Node) -> frozenset[str]:
    """Marker names that a criterion asks to be present (not those under `not`)."""
    if isinstance(node, Leaf):
        return node.payload if node.kind == "biomarker" else frozenset()
    if node.kind == "not":
        return frozenset()
    return frozenset().union(*(positive_markers(part) for part in node.parts))


def prune(node: Node, ignored: frozenset[str]) -> Node | None:
    """The criterion without the kinds that a policy ignores; None when nothing is left."""
    if isinstance(node, Leaf):
        return None if node.kind in ignored else node
    parts = tuple(kept for kept in (prune(part, ignored) for part in node.parts) if kept is not None)
    if not parts:
        return None
    return node if parts == node.parts else _group(node.kind, parts)


_SHARED: dict[Node, Node] = {}


def _shared(node: Node) -> Node:
    """The first criterion that equals this one, so that its answer is computed once a case."""
    first = _SHARED.setdefault(node, node)
    READS[first.number] = first.reads
    return first


READS: dict[int, frozenset[str]] = {}
"""By number of a criterion, every field that its answer depends on."""


def _group(kind: str, parts: tuple[Node, ...]) -> Node:
    texts = [part.required for part in parts]
    if kind == "not":
        required = f"not ({texts[0]})"
    else:
        joint = " or " if kind == "any" else " and "
        mixed = zip(texts, parts, strict=True)
        required = joint.join(
            f"({text})" if isinstance(part, Group) and len(parts) > 1 else text for text, part in mixed
        )
    reads = frozenset().union(*[part.reads for part in parts])
    below = tuple([leaf for part in parts for leaf in leaves(part)])
    return _shared(Group(kind, parts, required, parts[0].field, reads=reads, leaves=below))


def either(names: Sequence[str]) -> str:
    """Names joined by "or", as a sentence has them."""
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} or {names[-1]}"


# --- parsing -----------------------------------------------------------------------------------------------------------------


def parse(value: Any, where: str) -> Node:
    """Parse one criterion; the same words give the same criterion, and are parsed once.

    Args:
        value: a mapping with one key, or a list (all of them).
        where: for messages.

    Raises:
        EvidenceError: unknown leaf, name or value.
    """
    key = repr(value)
    node = _PARSED.get(key)
    if node is None:
        node = _PARSED[key] = _parse(value, where)
    return node


_PARSED: dict[str, Node] = {}


def _parse(value: Any, where: str) -> Node:
    if isinstance(value, list):
        parts = tuple(parse(item, where) for item in value)
        if not parts:
            msg = f"{where}: an empty list of criteria"
            raise EvidenceError(msg)
        return parts[0] if len(parts) == 1 else _group("all", parts)
    if not isinstance(value, Mapping) or len(value) != 1:
        msg = f"{where}: expected a criterion with one key, got {value!r}"
        raise EvidenceError(msg)
    kind, content = next(iter(value.items()))
    if kind in ("any", "all"):
        items = content if isinstance(content, list) else [content]
        if not items:
            msg = f"{where}: {kind} holds no criterion"
            raise EvidenceError(msg)
        return _group(kind, tuple(parse(item, where) for item in items))
    if kind == "not":
        return _group("not", (parse(content, where),))
    build = _LEAVES.get(kind)
    if build is None:
        msg = f"{where}: unknown criterion {kind!r}; expected one of {', '.join(sorted(_LEAVES))}, any, all, not"
        raise EvidenceError(msg)
    return _made(build(content, where))


def _made(node: Node) -> Node:
    """A built criterion with what it reads, shared with its equals."""
    if isinstance(node, Group):
        return _group(node.kind, tuple(_made(part) for part in node.parts))
    if node.kind in ("biomarker", "biomarker_absent"):
        genes = {f"biomarkers.{name.partition(':')[0]}" for name in node.payload}
        fields = tuple(genes) if len(genes) == 1 else ()
        reads = frozenset({"biomarkers", *genes})
    else:
        fields = (node.field,)
        reads = frozenset(fields)
    return _shared(
        Leaf(node.kind, node.field, node.required, node.payload, node.test, reads, fields, number=node.number)
    )


def _names(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else (str(value),)


def _markers(value: Any, where: str) -> tuple[tuple[str, ...], str]:
    names = _names(value)
    genes: list[str] = []
    for name in names:
        info = marker(name)
        if info is None:
            msg = f"{where}: unknown biomarker {name!r}"
            raise EvidenceError(msg)
        if info.gene not in genes:
            genes.append(info.gene)
    return names, f"biomarkers.{genes[0]}"


def _biomarker(value: Any, where: str) -> Leaf:
    names, field = _markers(value, where)
    return Leaf("biomarker", field, f"{either(names)} present", frozenset(names), _any_marker(names))


def _any_marker(names: tuple[str, ...]) -> Test:
    def test(facts: Facts) -> int:
        known = facts.markers
        best = FALSE
        for name in names:
            state = known.get(name)
            if state is None:
                state = known[name] = facts.look_up(name)
            if state == TRUE:
                return TRUE
            if state == UNKNOWN:
                best = UNKNOWN
        return best

    return test


def _biomarker_absent(value: Any, where: str) -> Leaf:
    names, field = _markers(value, where)
    present = _any_marker(names)
    return Leaf("biomarker_absent", field, f"no {either(names)}", frozenset(names), lambda facts: -present(facts))


def _subset(wanted: frozenset[Any], attribute: str) -> Test:
    def test(facts: Facts) -> int:
        possible = getattr(facts, attribute)
        if possible is None:
            return UNKNOWN
        if possible <= wanted:
            return TRUE
        return FALSE if possible.isdisjoint(wanted) else UNKNOWN

    return test


def _setting(value: Any, where: str) -> Leaf:
    names = _names(value)
    for name in names:
        if name not in SETTINGS:
            msg = f"{where}: unknown setting {name!r}; expected one of {', '.join(SETTINGS)}"
            raise EvidenceError(msg)
    wanted = frozenset(names)
    return Leaf("setting", "setting", f"setting {either(names)}", wanted, _subset(wanted, "setting"))


def _stage(value: Any, where: str) -> Leaf:
    wanted: set[str] = set()
    for name in _names(value):
        groups = _stage_groups(name)
        if not groups:
            msg = f"{where}: unknown stage {name!r}; expected groups such as II, IIIA"
            raise EvidenceError(msg)
        wanted |= groups
    frozen = frozenset(wanted)
    return Leaf("stage", "stage", f"stage {either(_names(value))}", frozen, _subset(frozen, "stage"))


@functools.cache
def _stage_groups(name: str) -> frozenset[str]:
    return frozenset(stage for stage in STAGES if stage == name or re.fullmatch(rf"{name}[ABC]?[123]?", stage))


def _histology(value: Any, where: str) -> Leaf:
    named = {"squamous": frozenset({"squamous"}), "nonsquamous": NONSQUAMOUS}
    wanted: frozenset[str] = frozenset()
    for name in _names(value):
        wanted |= named.get(name, frozenset({name.replace("_", "-")}))
    plain = _subset(wanted, "histology")
    mixed = not wanted.isdisjoint({"squamous", *NONSQUAMOUS}) and "adenosquamous" not in wanted

    def test(facts: Facts) -> int:
        possible = facts.histology
        if mixed and possible is not None and "adenosquamous" in possible:
            return UNKNOWN
        return plain(facts)

    return Leaf("histology", "histology", f"{either(_names(value))} histology", wanted, test)


def _line(value: Any, where: str) -> Leaf:
    if value == "first":
        return Leaf(
            "line",
            "prior_therapies",
            "first line (no systemic therapy for advanced disease)",
            "first",
            Facts.first_line,
        )
    if value == "later":
        return Leaf("line", "prior_therapies", "at least one prior line", "later", lambda facts: -facts.first_line())
    msg = f"{where}: expected line first or later, got {value!r}"
    raise EvidenceError(msg)


@dataclass(frozen=True, slots=True)
class Given:
    """Which prior therapy a leaf asks for.

    Attributes:
        drugs: generic names.
        classes: drug classes.
        setting: settings it was given in; None for any.
        months: it ended within this many months; None for any time.
    """

    drugs: tuple[str, ...]
    classes: tuple[str, ...]
    setting: frozenset[str] | None
    months: float | None


def _given(value: Any, where: str) -> Given:
    if isinstance(value, str):
        value = {"drug": value}
    if not isinstance(value, Mapping) or not value.keys() <= {"drug", "class", "setting", "within_months"}:
        msg = f"{where}: expected drug, class, setting, within_months, got {value!r}"
        raise EvidenceError(msg)
    drugs = _names(value["drug"]) if "drug" in value else ()
    classes = _names(value["class"]) if "class" in value else ()
    for name in drugs:
        if drug_entry(name) is None:
            msg = f"{where}: unknown drug {name!r}"
            raise EvidenceError(msg)
    if not drugs and not classes:
        msg = f"{where}: expected a drug or a class"
        raise EvidenceError(msg)
    setting = value.get("setting")
    months = value.get("within_months")
    return Given(
        drugs, classes, frozenset(_names(setting)) if setting else None, float(months) if months is not None else None
    )


def _history_words(given: Given) -> str:
    words = either((*given.drugs, *given.classes))
    if given.setting is not None:
        words += f" in the {either(sorted(given.setting))} setting"
    if given.months is not None:
        words += f" within {given.months:g} months"
    return words


def _received(value: Any, where: str) -> Leaf:
    given = _given(value, where)
    matches = drug_matcher(given.drugs, given.classes)

    def test(facts: Facts) -> int:
        if not facts.priors:
            return UNKNOWN if facts.priors is None else FALSE
        return facts.received(matches, given.setting, given.months)

    return Leaf("received", "prior_therapies", f"prior {_history_words(given)}", given, test)


def _progressed_on(value: Any, where: str) -> Leaf:
    given = _given(value, where)
    matches = drug_matcher(given.drugs, given.classes)

    def test(facts: Facts) -> int:
        if not facts.priors:
            return UNKNOWN if facts.priors is None else FALSE
        return facts.progressed_on(matches, given.setting, given.months)

    return Leaf("progressed_on", "prior_therapies", f"progression on or after {_history_words(given)}", given, test)


def rechallenge(drugs: Sequence[str]) -> Node:
    """The project's own exclusion: progressed on a drug of the regimen before (docs/semantics.md section 2)."""
    matches = drug_matcher(drugs, ())

    def test(facts: Facts) -> int:
        if not facts.priors:
            return UNKNOWN if facts.priors is None else FALSE
        return facts.progressed_on(matches, None, None)

    given = Given(tuple(drugs), (), None, None)
    return _made(Leaf("rechallenge", "prior_therapies", f"progression on or after {either(drugs)}", given, test))


_BOUND = re.compile(r"\s*(>=|<=|>|<)?\s*([0-9]+(?:\.[0-9]+)?)\s*(?:-\s*([0-9]+(?:\.[0-9]+)?))?\s*")


@dataclass(frozen=True, slots=True)
class Bounds:
    """A range of a number: `low` and `high` with whether the end itself belongs to it."""

    low: float
    low_closed: bool
    high: float
    high_closed: bool

    def holds(self, value: Interval) -> int:
        """TRUE when the whole interval lies in the range, FALSE when none of it does."""
        below = value.high < self.low or (value.high == self.low and not self.low_closed)
        above = value.low > self.high or (value.low == self.high and not self.high_closed)
        if below or above:
            return FALSE
        starts = value.low > self.low or (value.low == self.low and self.low_closed)
        ends = value.high < self.high or (value.high == self.high and self.high_closed)
        return TRUE if starts and ends else UNKNOWN


def bounds(text: Any, where: str) -> Bounds:
    """Parse ">=50", "<1", "1-49", "10".

    Raises:
        EvidenceError: the text is not a range.
    """
    match = _BOUND.fullmatch(str(text))
    if match is None:
        msg = f"{where}: expected a range such as '>=50', '<1' or '1-49', got {text!r}"
        raise EvidenceError(msg)
    sign, low, high = match[1], float(match[2]), match[3]
    infinity = float("inf")
    if high is not None:
        return Bounds(low, True, float(high), True)
    if sign in (">=", ">"):
        return Bounds(low, sign == ">=", infinity, False)
    if sign in ("<=", "<"):
        return Bounds(-infinity, False, low, sign == "<=")
    return Bounds(low, True, low, True)


def _within(attribute: str, limits: Bounds) -> Test:
    def test(facts: Facts) -> int:
        value = getattr(facts, attribute)
        return UNKNOWN if value is None else limits.holds(value)

    return test


def _pdl1(value: Any, where: str) -> Node:
    if not isinstance(value, Mapping) or not value or not value.keys() <= {"tps", "tc", "ic"}:
        msg = f"{where}: expected pdl1 with tps, tc or ic, got {value!r}"
        raise EvidenceError(msg)
    parts: list[Leaf] = []
    for scale, text in value.items():
        limits = bounds(text, where)
        parts.append(
            Leaf("pdl1", "pdl1", f"PD-L1 {str(scale).upper()} {text} %", (scale, limits), _within(str(scale), limits))
        )
    return parts[0] if len(parts) == 1 else _group("all", tuple(parts))


def _number(kind: str, field: str, label: str, unit: str) -> Callable[[Any, str], Leaf]:
    attribute = {"qtc": "qtc"}.get(kind, kind)

    def build(value: Any, where: str) -> Leaf:
        limits = bounds(value, where)
        return Leaf(kind, field, f"{label} {value}{unit}", limits, _within(attribute, limits))

    return build


def _msi(value: Any, where: str) -> Leaf:
    if value not in ("high", "stable"):
        msg = f"{where}: expected msi high or stable, got {value!r}"
        raise EvidenceError(msg)

    def test(facts: Facts) -> int:
        return UNKNOWN if facts.msi is None else (TRUE if facts.msi == value else FALSE)

    return Leaf("msi", "msi", f"microsatellite status {value}", value, test)


def _ecog(value: Any, where: str) -> Leaf:
    limits = bounds(value, where)
    wanted = frozenset(grade for grade in range(5) if limits.holds(Interval(grade, grade)) == TRUE)
    return Leaf("ecog", "ecog", f"ECOG {value}", wanted, _subset(wanted, "ecog"))


def _condition(value: Any, where: str) -> Node:
    names = _names(value)
    parts = []
    for name in names:
        if name not in CONDITIONS:
            msg = f"{where}: unknown condition {name!r}; expected one of {', '.join(CONDITIONS)}"
            raise EvidenceError(msg)
        parts.append(_one_condition(name))
    return parts[0] if len(parts) == 1 else _group("any", tuple(parts))


COMEDICATIONS: frozenset[str] = frozenset({"cyp3a-inducer", "cyp3a-inhibitor", "ppi", "steroids"})
"""Conditions that stand under `comedications` in a case; the others stand under `comorbidities`."""


def _one_condition(name: str) -> Leaf:
    field = f"{'comedications' if name in COMEDICATIONS else 'comorbidities'}.{name}"

    def test(facts: Facts) -> int:
        return facts.conditions.get(name, UNKNOWN)

    return Leaf("condition", field, name, name, test)


def _brain(value: Any, where: str) -> Leaf:
    if value == "present":
        return Leaf(
            "brain_mets",
            "brain_mets",
            "brain metastases",
            value,
            lambda f: UNKNOWN if f.brain is None else (TRUE if f.brain else FALSE),
        )
    if value == "absent":
        return Leaf(
            "brain_mets",
            "brain_mets",
            "no brain metastases",
            value,
            lambda f: UNKNOWN if f.brain is None else (FALSE if f.brain else TRUE),
        )
    if value == "untreated":

        def test(facts: Facts) -> int:
            if facts.brain is None:
                return UNKNOWN
            if "untreated" not in facts.brain:
                return FALSE
            return TRUE if facts.brain == {"untreated"} else UNKNOWN

        return Leaf("brain_mets", "brain_mets", "untreated brain metastases", value, test)
    msg = f"{where}: expected brain_mets present, absent or untreated, got {value!r}"
    raise EvidenceError(msg)


_LEAVES: dict[str, Callable[[Any, str], Node]] = {
    "biomarker": _biomarker,
    "biomarker_absent": _biomarker_absent,
    "setting": _setting,
    "stage": _stage,
    "histology": _histology,
    "line": _line,
    "received": _received,
    "progressed_on": _progressed_on,
    "pdl1": _pdl1,
    "tmb": _number("tmb", "tmb", "TMB", " mut/Mb"),
    "age": _number("age", "age", "age", " years"),
    "qtc": _number("qtc", "qtc_ms", "QTc", " ms"),
    "msi": _msi,
    "ecog": _ecog,
    "condition": _condition,
    "brain_mets": _brain,
}
KINDS: tuple[str, ...] = (*_LEAVES, "rechallenge")
"""Kinds of leaves, by which a policy switches criteria off."""
