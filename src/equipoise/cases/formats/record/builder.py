"""Collects what a record says, in the own format of a case, and builds one case a board session from it.

Every statement is read on its own first: one that cannot be read is listed as ignored and costs nothing else. Two statements of one
field are handed on as two, so that the case itself says whether they conflict. Values that change with time (ECOG, KPS) are the
exception: the latest dated ones are read, and the earlier ones are listed as superseded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.cases.formats.own import read_case
from equipoise.cases.formats.record.medicines import Medicine
from equipoise.cases.formats.record.model import Found, Ignored, Nothing, Reason, Record
from equipoise.cases.vocabulary.biomarkers import read_biomarkers
from equipoise.cases.vocabulary.histology import NSCLC, read_entity
from equipoise.cases.vocabulary.tnm import groups_of_tnm
from equipoise.errors import CaseError

_LUNG = frozenset({"lung cancer", NSCLC})
_MAX_TMB = 1000.0
"""Mutations per megabase above which a value is taken for a mistake: hypermutated tumors have some hundreds (PMID 28420421)."""


@dataclass(slots=True, kw_only=True)
class _Prior:
    entry: dict[str, Any]
    place: str
    started: str
    based_on: str


@dataclass(slots=True, kw_only=True)
class _Advice:
    entry: dict[str, Any]
    place: str
    issued: str


class CaseBuilder:
    """The statements of one record.

    Args:
        form: name of the format.
        case_id: the patient's id.
    """

    def __init__(self, form: str, case_id: str) -> None:
        self.form = form
        self.case_id = case_id
        self.found: list[Found] = []
        self.ignored: list[Ignored] = []
        self.missed: list[str] = []
        self.age_place = ""
        self.born = ""
        self._fields: dict[str, list[Any]] = {}
        self._dated: list[tuple[str, str, str, str]] = []
        self._markers: list[dict[str, Any]] = []
        self._priors: list[_Prior] = []
        self._advice: list[_Advice] = []
        self._tumors: list[tuple[str, str]] = []
        self._tnm: dict[str, tuple[str, str]] = {}
        self._no_priors = False

    def ignore(self, place: str, reason: Reason, detail: str = "") -> None:
        """List an entry as not read."""
        self.ignored.append(Ignored(place=place, reason=reason, detail=detail))

    def miss(self, place: str, *, instead_of: Sequence[str] = ()) -> None:
        """A recommendation that the record points to and that cannot be audited; named in place of its parts."""
        self.missed = [one for one in self.missed if one not in instead_of]
        self.missed.append(place)

    def say(self, field: str, value: Any, place: str) -> bool:
        """A statement of a field in the own format; False when it cannot be read, and then it is listed as ignored."""
        if field == "tmb" and isinstance(value, int | float) and not 0 <= value <= _MAX_TMB:
            self.ignore(place, Reason.OUT_OF_RANGE, "tmb")
            return False
        try:
            read_case({field: value})
        except CaseError:
            self.ignore(place, Reason.NOT_READABLE, field)
            return False
        if value not in self._fields.setdefault(field, []):
            self._fields[field].append(value)
        self.found.append(Found(field=field, value=_words(value), place=place))
        return True

    def tumor(self, name: str, place: str) -> None:
        """A diagnosis by name: the tumor, and its histology where the name holds it."""
        clean = name.removesuffix(" (disorder)").strip()
        if clean:
            self._tumors.append((clean, place))
            self.found.append(Found(field="tumor", value=clean, place=place))

    def performance(self, field: str, value: Any, place: str, date: str) -> None:
        """ECOG or KPS, which change with time."""
        try:
            read_case({field: str(value)})
        except CaseError:
            self.ignore(place, Reason.NOT_READABLE, field)
            return
        self._dated.append((date[:10], field, str(value), place))

    def tnm(self, letter: str, value: str, place: str) -> None:
        """One category of TNM, as "2a" under the letter T."""
        self._tnm[letter] = (value, place)

    def marker(self, name: str, status: str, place: str, *, assay: str = "", date: str = "") -> bool:
        """A biomarker by name; False and listed as ignored when the vocabulary has no such marker."""
        entry: dict[str, Any] = {"name": name, "status": status}
        if assay:
            entry["assay"] = assay
        if len(date) >= 10:
            entry["date"] = date[:10]
        try:
            known = read_biomarkers(name) and read_case({"biomarkers": [entry]}).findings
        except CaseError:
            known = ()
        if not known:
            self.ignore(place, Reason.MARKER, name)
            return False
        if entry not in self._markers:
            self._markers.append(entry)
            self.found.append(Found(field="biomarkers", value=f"{name} {status}", place=place))
        return True

    def no_priors(self, place: str) -> None:
        """The record says that no systemic therapy was given."""
        self._no_priors = True
        self.found.append(Found(field="prior_therapies", value="none", place=place))

    def prior(
        self, drugs: str, place: str, *, started: str = "", ended: str = "", based_on: str = "", **more: Any
    ) -> None:
        """A therapy that was given.

        Args:
            drugs: as in the own format.
            place: where it stands.
            started: first day, as far as stated.
            ended: last day, as far as stated.
            based_on: id of the recommendation that it carries out.
            more: `line`, `setting`, `outcome` of the own format; None leaves one out.
        """
        entry: dict[str, Any] = {"drugs": drugs, **{key: value for key, value in more.items() if value is not None}}
        if len(ended) >= 10:
            entry["ended"] = ended[:10]
        try:
            read_case({"prior_therapies": [entry]})
        except CaseError as error:
            self.ignore(place, Reason.NOT_READABLE, error.field or "prior_therapies")
            return
        for known in self._priors:
            if known.based_on == based_on and _same_course(known.entry, entry):
                if entry.get("ended", "") > known.entry.get("ended", ""):
                    known.entry["ended"] = entry["ended"]
                known.started = min(known.started, started[:10])
                return
        self._priors.append(_Prior(entry=entry, place=place, started=started[:10], based_on=based_on))

    def recommend(self, entry: Mapping[str, Any], place: str, *, issued: str = "") -> None:
        """A recommendation of the own format; what it claims beside the regimen is dropped alone when it cannot be read."""
        kept: dict[str, Any] = {}
        for key, value in entry.items():
            if value is None or value in ("", [], ()):
                continue
            try:
                read_case({"recommendations": [{"regimen": "x", **kept, key: value}]})
            except CaseError:
                self.ignore(place, Reason.NOT_READABLE, key)
            else:
                kept[key] = value
        if not (kept.get("regimen") or kept.get("text")):
            self.miss(place)
            self.ignore(place, Reason.NOT_READABLE, "regimen")
            return
        ids = {item.entry.get("id") for item in self._advice}
        if kept.get("id") in ids:
            self.ignore(place, Reason.DUPLICATE_ID, str(kept["id"]))
            kept["id"] = next(f"{kept['id']}#{place}" for place in range(2, 1000) if f"{kept['id']}#{place}" not in ids)
        self._advice.append(_Advice(entry=kept, place=place, issued=issued[:10]))

    def arrange(self, places: Sequence[str]) -> None:
        """Put the recommendations in the order of the entries that hold them."""
        order = {place: number for number, place in enumerate(places)}
        self._advice.sort(key=lambda item: order.get(item.place, len(order)))

    def records(self) -> list[Record]:
        """The record as cases: one, or one for each set of therapies that lies before its recommendations."""
        self._close()
        groups: dict[tuple[int, ...], list[_Advice]] = {}
        for advice in self._advice:
            groups.setdefault(self._before(advice), []).append(advice)
        if not groups:
            groups[tuple(range(len(self._priors)))] = []
        taken = set().union(*map(set, groups))
        for place, prior in enumerate(self._priors):
            if place not in taken:
                self.ignore(prior.place, Reason.FOLLOWS)
        return [self._record(number, before, advice) for number, (before, advice) in enumerate(groups.items(), start=1)]

    def _before(self, advice: _Advice) -> tuple[int, ...]:
        issued = {str(item.entry.get("id", "")): item.issued for item in self._advice}
        found = []
        for place, prior in enumerate(self._priors):
            if prior.based_on and prior.based_on in issued:
                first = issued[prior.based_on]
                if not (first and advice.issued and first < advice.issued):
                    continue
            elif prior.started and advice.issued and prior.started > advice.issued:
                continue
            found.append(place)
        return tuple(found)

    def _record(self, number: int, before: tuple[int, ...], advice: list[_Advice]) -> Record:
        case_id = self.case_id if number == 1 else f"{self.case_id}/{number}"
        data: dict[str, Any] = {"case_id": case_id}
        for field, values in self._fields.items():
            data[field] = values[0] if len(values) == 1 else list(values)
        if self._markers:
            data["biomarkers"] = list(self._markers)
        found = list(self.found)
        if before:
            data["prior_therapies"] = [self._priors[place].entry for place in before]
            found.extend(
                Found(
                    field="prior_therapies", value=_course(self._priors[place].entry), place=self._priors[place].place
                )
                for place in before
            )
        elif self._no_priors:
            data["prior_therapies"] = []
        nothing = None
        if advice:
            data["recommendations"] = [item.entry for item in advice]
        else:
            nothing = Nothing.UNRESOLVED if self.missed else Nothing.NO_RECOMMENDATION
        return Record(
            format=self.form,
            case_id=case_id,
            data=data,
            found=tuple(found),
            ignored=tuple(self.ignored) if number == 1 else (),
            missed=tuple(self.missed) if number == 1 else (),
            nothing=nothing,
        )

    def _close(self) -> None:
        self._close_tumor()
        self._close_performance()
        self._close_tnm()
        self._close_age()

    def _close_tumor(self) -> None:
        """The tumor by its most exact name: a lung cancer with a histology of NSCLC is one."""
        names = [name for name, _ in self._tumors]
        entities = [read_entity(name) for name in names]
        tumors = {item.tumor for item in entities if item is not None and item.tumor is not None}
        kinds = [read_entity(str(value)) for value in self._fields.get("histology", [])]
        if "lung cancer" in tumors:
            if any(kind is not None and kind.tumor == "SCLC" for kind in kinds):
                names = [
                    name for name, item in zip(names, entities, strict=True) if item is None or item.tumor not in _LUNG
                ]
                names.append("small cell lung cancer")
                self._fields.pop("histology", None)
            elif NSCLC in tumors or any(kind is not None and kind.histology for kind in kinds):
                self._by_histology()
                names = ["NSCLC" if item is not None and item.tumor == "lung cancer" else name
                         for name, item in zip(names, entities, strict=True)]  # fmt: skip
        for name in dict.fromkeys(names):
            self._fields.setdefault("tumor", []).append(name)

    def _by_histology(self) -> None:
        """Say that the tumor was read from its site and its histology together."""
        self.found = [
            Found(field="tumor", value=f"NSCLC ({item.value} with its histology)", place=item.place)
            if item.field == "tumor"
            and (entity := read_entity(item.value)) is not None
            and entity.tumor == "lung cancer"
            else item
            for item in self.found
        ]

    def _close_performance(self) -> None:
        last = max((date for date, *_ in self._dated), default="")
        for date, field, value, place in self._dated:
            if date and date != last:
                self.ignore(place, Reason.SUPERSEDED, field)
                continue
            values = self._fields.setdefault(field, [])
            if value not in values:
                values.append(value)
            self.found.append(Found(field=field, value=value, place=place))

    def _close_tnm(self) -> None:
        """A stage group from TNM, for lung cancer and where no group is stated."""
        if not self._tnm:
            return
        place = next(iter(self._tnm.values()))[1]
        lung = any(
            (entity := read_entity(str(name))) is not None and entity.tumor in _LUNG
            for name in self._fields.get("tumor", [])
        )
        if not lung:
            self.ignore(place, Reason.OTHER_TUMOR, "tnm")
            return
        if "stage" in self._fields:
            return
        part = {letter: value for letter, (value, _) in self._tnm.items()}
        edition = next((value for value in self._fields.get("stage_edition", []) if value in (8, 9)), 8)
        groups = groups_of_tnm(part.get("T", ""), part.get("N", ""), part.get("M", ""), edition=edition)
        if groups:
            self.say("stage", " or ".join(sorted(groups)), place)

    def _close_age(self) -> None:
        """Whole years on the day of the last recommendation, or of the last dated value; none without such a day."""
        if not self.born or "age" in self._fields:
            return
        days = [item.issued for item in self._advice if item.issued] or [date for date, *_ in self._dated if date]
        day = max(days, default="")
        if len(day) < 4:
            self.ignore(self.age_place, Reason.NO_DATE, "age")
            return
        years = int(day[:4]) - int(self.born[:4])
        if day[4:10] < self.born[4:10]:
            years -= 1
        self.say("age", years, self.age_place)


def regimen_of(medicines: list[Medicine]) -> str:
    """The words of a regimen from its medicines."""
    return " + ".join(item.name for item in medicines if item.name)


def history_of(medicine: Medicine) -> str:
    """The words of a prior therapy from its medicine; one whose code and name disagree stays unnamed."""
    return "unclear medicine" if medicine.disagree else medicine.name


def _same_course(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    """Whether two entries are doses of one course: the same in everything but the last day, and not lines of their own."""
    if "line" in one or "line" in two:
        return False
    return {key: value for key, value in one.items() if key != "ended"} == {
        key: value for key, value in two.items() if key != "ended"
    }


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_words(item)}" for key, item in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _course(entry: Mapping[str, Any]) -> str:
    more = [f"{key} {entry[key]}" for key in ("line", "setting", "outcome") if key in entry]
    return ", ".join([str(entry["drugs"]), *more])
