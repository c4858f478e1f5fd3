"""Grades a reader of notes against the fixture, field by field (SPEC.md section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from equipoise.cases.model import (
    Case,
    Documented,
    Finding,
    FindingStatus,
    Interval,
    Recommendation,
    RecommendationKind,
    Status,
)
from equipoise.cases.vocabulary.biomarkers import classes_of, gene_level

NOTES = Path(__file__).parent / "notes"
HELD_OUT = NOTES.parent / "held_out"
_OPEN = {"not_tested", "pending", "unknown"}
_HIST = {"adenocarcinoma", "squamous", "large-cell", "adenosquamous", "sarcomatoid"}
_LOCAL = {"radiotherapy", "surgery", "tumor-treating-fields"}


@dataclass
class Score:
    """Counts by field: expected with a value, read, right; and the misses in words."""

    expected: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    misses: list[tuple[str, str, str, Any, Any]] = field(default_factory=list)

    def atom(self, note: str, name: str, expected: Any, got: Any, right: bool) -> None:
        """Count one atom; `expected` None means that nothing should come back, `got` None that nothing did."""
        if expected is not None:
            self.expected[name] += 1
        if got is not None:
            self.read[name] += 1
        if right:
            self.right[name] += 1
        elif expected is not None or got is not None:
            self.misses.append((note, name, "wrong" if got is not None else "missed", expected, got))

    def precision(self, name: str | None = None) -> float:
        read = self.read[name] if name else sum(self.read.values())
        right = self.right[name] if name else sum(self.right.values())
        return right / read if read else 1.0

    def recall(self, name: str | None = None) -> float:
        expected = self.expected[name] if name else sum(self.expected.values())
        right = self.right[name] if name else sum(self.right.values())
        return right / expected if expected else 1.0

    def table(self) -> str:
        rows = [f"{'field':18} {'expected':>8} {'read':>6} {'right':>6} {'precision':>9} {'recall':>7}"]
        for name in sorted(set(self.expected) | set(self.read)):
            rows.append(
                f"{name:18} {self.expected[name]:8} {self.read[name]:6} {self.right[name]:6} "
                f"{self.precision(name):9.4f} {self.recall(name):7.4f}"
            )
        total = (sum(self.expected.values()), sum(self.read.values()), sum(self.right.values()))
        rows.append(f"{'all':18} {total[0]:8} {total[1]:6} {total[2]:6} {self.precision():9.4f} {self.recall():7.4f}")
        return "\n".join(rows)


def entries(folder: Path = NOTES) -> list[dict[str, Any]]:
    """All notes of the fixture, or of another folder."""
    found: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            found.append({**entry, "file": path.stem})
    return found


def _value(doc: Documented[Any]) -> Any:
    return doc.value if doc.status is Status.VALUE else None


def _one(interval: Interval | None) -> Any:
    if interval is None:
        return None
    return interval.low if interval.low == interval.high else (interval.low, interval.high)


def _whole(interval: Interval | None) -> list[int] | None:
    if interval is None:
        return None
    low = int(interval.low) if interval.low == int(interval.low) else int(interval.low) + 1
    return [low, int(interval.high)]


def _histology(case: Case) -> Any:
    value = _value(case.histology)
    if value is None:
        return None
    if value == frozenset(_HIST):
        return "nos"
    return next(iter(value)) if len(value) == 1 else sorted(value)


def _brain(case: Case) -> Any:
    if case.brain_mets.status is Status.ABSENT:
        return "absent"
    value = _value(case.brain_mets)
    if value is None:
        return None
    return "present" if len(value) == 2 else next(iter(value))


def _entity(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    folded = text.lower().replace("carcinoma", "cancer").replace("adenocancer", "cancer").replace("-", " ")
    return " ".join(folded.split())


def _sorted(value: Any) -> Any:
    return sorted(value) if value is not None else None


def grade(entry: Mapping[str, Any], case: Case, score: Score) -> None:
    """Count the atoms of one note."""
    expect = dict(entry["expect"])
    note = str(entry["id"])
    language = expect.get("unsupported-language")
    if language is not None:
        flagged = bool(case.unsupported_language)
        score.atom(note, "language", True if language else None, True if flagged else None, flagged and bool(language))
    if language:
        return
    instruction = expect.get("instruction")
    if instruction is not None:
        flagged = bool(case.instructions)
        score.atom(
            note, "instruction", True if instruction else None, True if flagged else None, flagged and bool(instruction)
        )
    simple: dict[str, Any] = {
        "age": _one(_value(case.age)), "sex": _value(case.sex), "ecog": _sorted(_value(case.ecog)), "histology": _histology(case),
        "stage": _sorted(_value(case.stage)), "setting": _sorted(_value(case.setting)), "brain_mets": _brain(case),
        "qtc_ms": _one(_value(case.qtc_ms)),
        "tmb": _one(_value(case.tmb)), "msi": {"high": "MSI-H", "stable": "MSS", None: None}[_value(case.msi)],
        "tumor": _value(case.tumor),
    }  # fmt: skip
    for name, got in simple.items():
        if name not in expect:
            continue
        wanted = expect[name]
        if isinstance(wanted, list):
            wanted = sorted(wanted)
        right = got is not None and (_entity(got) == _entity(wanted) if name == "tumor" else got == wanted)
        score.atom(note, name, wanted, got, right)
    for scale, wanted in (expect.get("pdl1") or {}).items():
        got = _whole(_value(getattr(case.pdl1, scale)))
        score.atom(note, "pdl1", (scale, wanted), None if got is None else (scale, got), got == list(wanted))
    for group in ("comorbidities", "comedications"):
        for name, wanted in (expect.get(group) or {}).items():
            got = _condition(case, name)
            score.atom(note, group, (name, wanted), None if got is None else (name, got), got == wanted)
    for name, wanted in (expect.get("biomarkers") or {}).items():
        got = marker_status(case, name)
        if wanted in _OPEN:
            score.atom(
                note,
                "biomarkers",
                (name, wanted),
                (name, got) if got in {"present", "absent", "uncertain"} else None,
                False,
            )
            if got in _OPEN and got is not None:
                score.right["biomarkers"] += 1
                score.read["biomarkers"] += 1
                score.misses.pop()
            continue
        read = got if got in {"present", "absent", "uncertain"} else None
        score.atom(note, "biomarkers", (name, wanted), (name, read) if read else None, read == wanted)
    for name in expect.get("biomarkers_not") or ():
        if marker_status(case, name) == "present":
            score.atom(note, "biomarkers", None, (name, "present, must not"), False)
    _grade_priors(note, expect, case, score)
    _grade_recommendations(note, expect, case, score)
    for name in expect.get("unknown_fields") or ():
        got = _dotted(case, simple, name)
        if got is not None:
            score.atom(note, name.split(".")[0], None, (name, got, "must be unknown"), False)
    for name in expect.get("not_present") or ():
        head, _, rest = name.partition(".")
        got = (
            _condition(case, rest)
            if head in {"comorbidities", "comedications"}
            else marker_status(case, rest)
            if head == "biomarkers"
            else _dotted(case, simple, name)
        )
        if got == "present":
            score.atom(note, head, None, (name, "present, must not"), False)


def _condition(case: Case, name: str) -> str | None:
    state = case.conditions.get(name)
    if state is None:
        return None
    return {Status.VALUE: "present", Status.ABSENT: "absent"}.get(state.status)


def _dotted(case: Case, simple: Mapping[str, Any], name: str) -> Any:
    head, _, rest = name.partition(".")
    if head == "pdl1":
        scales = [rest] if rest else ["tps", "tc", "ic"]
        return next((got for scale in scales if (got := _whole(_value(getattr(case.pdl1, scale)))) is not None), None)
    if head in {"comorbidities", "comedications"}:
        return _condition(case, rest)
    if head == "biomarkers":
        got = marker_status(case, rest)
        return got if got in {"present", "absent"} else None
    if head == "prior_therapies":
        if case.prior_therapies.status is Status.ABSENT:
            return "none"
        return _value(case.prior_therapies)
    if head == "recommendations":
        return case.recommendations or None
    return simple.get(head)


def _carries(finding: Finding, name: str) -> bool:
    if name == finding.name or name in finding.names:
        return True
    return name.replace("NTRK:", "NTRK1:") in finding.names


def marker_status(case: Case, name: str) -> str | None:
    """What the case says of a marker, before derived readings; a dated later result wins."""
    gene, _, change = name.partition(":")
    present = [f for f in case.findings if f.status is FindingStatus.PRESENT and _carries(f, name)]
    absent = [f for f in case.findings if f.status is FindingStatus.ABSENT and _denies(f, name, gene)]
    if present and absent:
        dates = [f.date for f in (*present, *absent)]
        if all(date is not None for date in dates):
            last = max(date for date in dates if date is not None)
            states = {f.status for f in (*present, *absent) if f.date == last}
            if len(states) == 1:
                return str(states.pop())
        return None
    if present:
        return "present"
    if absent:
        return "absent"
    for finding in case.findings:
        if finding.gene == gene and finding.status is FindingStatus.UNCERTAIN:
            return "uncertain"
    for finding in case.findings:
        if (
            finding.status in {FindingStatus.PENDING, FindingStatus.NOT_TESTED, FindingStatus.UNKNOWN}
            and (finding.gene == gene or finding.gene.startswith(gene))
            and _denies(finding, name, gene)
        ):
            return str(finding.status)
    return None


def _denies(finding: Finding, name: str, gene: str) -> bool:
    if finding.name == name:
        return True
    classes = set(classes_of(name))
    if finding.name in classes:
        return True
    if (
        gene == "NTRK"
        and finding.gene in {"NTRK", "NTRK1", "NTRK2", "NTRK3"}
        and finding.name.endswith(":fusion")
        and name == "NTRK:fusion"
    ):
        return True
    level = gene_level(gene) if finding.gene == gene else ""
    return (
        finding.name == level
        and finding.gene == gene
        and level.endswith(("any_mutation", "mutation"))
        and ":" in name
        and not name.endswith(("fusion", "amplification", "overexpression", "IHC3+", "loss"))
    )


def _drugs(case_drugs: Any) -> list[str]:
    return sorted(case_drugs)


def _grade_priors(note: str, expect: Mapping[str, Any], case: Case, score: Score) -> None:
    if "prior_therapies" not in expect:
        return
    wanted = expect["prior_therapies"]
    field = case.prior_therapies
    read = list(field.value or ()) if field.status is Status.VALUE else []
    if wanted == "none":
        absent = field.status is Status.ABSENT
        score.atom(note, "prior_therapies", "none", "none" if absent else None, absent)
        for one in read:
            if not set(one.drugs) <= _LOCAL:
                score.atom(note, "prior_therapies", None, _drugs(one.drugs), False)
        return
    if field.status is Status.ABSENT:
        score.atom(note, "prior_therapies", None, "none", False)
    left = list(read)
    for item in wanted:
        drugs = sorted(item["drugs"])
        match = next((one for one in left if _drugs(one.drugs) == drugs and _fits(one, item)), None)
        match = match or next((one for one in left if _drugs(one.drugs) == drugs), None)
        if match is None:
            score.atom(note, "prior_therapies", item, None, False)
            continue
        left.remove(match)
        problems = _problems(match, item)
        got = (drugs, str(match.outcome), _sorted(match.setting), match.line)
        if not problems:
            score.atom(note, "prior_therapies", item, got, True)
        elif "wrong" in problems:
            score.atom(note, "prior_therapies", item, got, False)
        else:
            score.atom(note, "prior_therapies", item, None, False)
    for one in left:
        if not set(one.drugs) <= _LOCAL:
            score.atom(note, "prior_therapies", None, (_drugs(one.drugs), str(one.outcome)), False)


def _fits(one: Any, item: Mapping[str, Any]) -> bool:
    return not _problems(one, item)


def _problems(one: Any, item: Mapping[str, Any]) -> set[str]:
    problems: set[str] = set()
    if "outcome" in item and str(one.outcome) != item["outcome"]:
        problems.add("missed" if str(one.outcome) == "unknown" else "wrong")
    if "setting" in item:
        wanted = item["setting"] if isinstance(item["setting"], list) else [item["setting"]]
        if one.setting is None:
            problems.add("missed")
        elif sorted(one.setting) != sorted(wanted):
            problems.add("wrong")
    if "line" in item and one.line != item["line"]:
        problems.add("missed" if one.line is None else "wrong")
    return problems


def _kind(one: Recommendation) -> str:
    if one.kind is RecommendationKind.TRIAL:
        return "trial"
    if one.kind is RecommendationKind.OTHER or set(one.components) <= _LOCAL:
        return "procedure"
    return "drug"


def _grade_recommendations(note: str, expect: Mapping[str, Any], case: Case, score: Score) -> None:
    if "recommendations" not in expect:
        return
    left = list(case.recommendations)
    last = -1
    for item in expect["recommendations"]:
        kind = item.get("kind", "drug")
        drugs = sorted(item.get("drugs") or [])
        if kind == "trial":
            match = next((one for one in left if _kind(one) == "trial"), None)
        elif kind == "procedure" and not drugs:
            match = next((one for one in left if _kind(one) == "procedure" and not one.components), None)
        else:
            match = next((one for one in left if _kind(one) == kind and sorted(one.components) == drugs), None)
        if match is None:
            score.atom(note, "recommendations", item, None, False)
            continue
        left.remove(match)
        got = (sorted(match.components), match.action, _sorted(match.setting))
        wrong = bool(item.get("action")) and match.action != item["action"]
        missed = wrong and not match.action
        if "setting" in item:
            wanted = item["setting"] if isinstance(item["setting"], list) else [item["setting"]]
            if match.setting is None:
                missed = missed or not wrong
                wrong = True
            elif sorted(match.setting) != sorted(wanted):
                wrong, missed = True, False
        if kind == "drug":
            place = case.recommendations.index(match)
            if place < last:
                wrong, missed = True, False
            last = max(last, place)
        if wrong:
            score.atom(note, "recommendations", item, None if missed else got, False)
        else:
            score.atom(note, "recommendations", item, got, True)
    for one in left:
        if _kind(one) == "procedure" and not one.components:
            continue
        score.atom(note, "recommendations", None, (_kind(one), sorted(one.components), one.text), False)


def grade_all(read: Any, *, only: str = "", folder: Path = NOTES) -> Score:
    """Grade a reader (text -> Case) on every note."""
    score = Score()
    for entry in entries(folder):
        if only and entry["file"] != only:
            continue
        grade(entry, read(entry["note"]), score)
    return score
