"""The evidence base: loaded once, indexed by regimen, read as of a day, extended by a hospital's overlay."""

from __future__ import annotations

import datetime as dt
import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from equipoise.cases.vocabulary.tokens import words
from equipoise.errors import EvidenceError, UsageError
from equipoise.evidence.criteria import positive_markers
from equipoise.evidence.model import NEGATIVES, Assertion, Coverage, Direction
from equipoise.evidence.parse import JURISDICTIONS, parse_assertion, parse_coverage
from equipoise.evidence.regimens import Match, contains_class, contains_regimen, match_regimen
from equipoise.ids import bytes_hash, content_hash

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
COMPILED = "compiled.json"
"""The knowledge as JSON, made from the YAML files by `python -m equipoise.evidence.compile`; used only while it fits them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What the base holds for one regimen, jurisdiction and day.

    Attributes:
        supports: supporting assertions for exactly this regimen, each with how it fits.
        expired: supporting assertions for it that no longer hold.
        future: supporting assertions for it that do not hold yet.
        negatives: negatives about the regimen or a part of it.
        cautions: cautions about the regimen or a part of it.
        no_use: rows of components that are known from elsewhere and have no use here.
        uncovered: components without complete coverage, when no component has it; complete coverage of one drug covers its
            combinations, since each of them is a use of that drug.
        unlisted: components that neither an assertion nor the coverage table names.
    """

    supports: tuple[tuple[Assertion, Match], ...]
    expired: tuple[Assertion, ...]
    future: tuple[Assertion, ...]
    negatives: tuple[Assertion, ...]
    cautions: tuple[Assertion, ...]
    no_use: tuple[Coverage, ...]
    uncovered: tuple[str, ...]
    unlisted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceBase:
    """Assertions and coverage for one or more tumors.

    Attributes:
        tumors: entity codes it assesses.
        assertions: in the order of the files.
        coverage: by component.
        hash: content hash over everything that can change a verdict.
        overlays: names of overlays that were added, in order.
    """

    tumors: tuple[str, ...]
    assertions: tuple[Assertion, ...]
    coverage: Mapping[str, Coverage]
    hash: str
    overlays: tuple[str, ...] = ()
    _selections: dict[Any, Selection] = field(default_factory=dict, repr=False, compare=False)
    _active: dict[Any, tuple[Assertion, ...]] = field(default_factory=dict, repr=False, compare=False)
    _actionable: dict[Any, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)

    def get(self, identifier: str) -> Assertion:
        """The assertion of an id.

        Raises:
            UsageError: there is none.
        """
        for assertion in self.assertions:
            if assertion.id == identifier:
                return assertion
        message = f"no assertion has the id {identifier!r}; `equipoise evidence search` finds ids"
        raise UsageError(message)

    def active(self, jurisdiction: str, day: dt.date) -> tuple[Assertion, ...]:
        """Assertions of a jurisdiction that hold on a day."""
        key = (jurisdiction, day)
        found = self._active.get(key)
        if found is None:
            found = tuple(
                item for item in self.assertions if item.jurisdiction in (jurisdiction, "any") and item.valid_on(day)
            )
            self._active[key] = found
        return found

    def actionable(self, jurisdiction: str, day: dt.date, level: str) -> frozenset[str]:
        """Marker names that a supporting assertion of at least this level asks to be present."""
        key = (jurisdiction, day, level)
        found = self._actionable.get(key)
        if found is None:
            names: set[str] = set()
            for item in self.active(jurisdiction, day):
                if item.direction is Direction.SUPPORTS and item.level <= level:
                    for node in item.requires:
                        names |= positive_markers(node)
            found = self._actionable[key] = frozenset(names)
        return found

    def select(self, components: frozenset[str], jurisdiction: str, day: dt.date) -> Selection:
        """What the base holds for a regimen there and then; an index, remembered by regimen."""
        key = (components, jurisdiction, day)
        found = self._selections.get(key)
        if found is None:
            found = self._select(components, jurisdiction, day)
            if len(self._selections) < _MAX_SELECTIONS:
                self._selections[key] = found
        return found

    def _select(self, components: frozenset[str], jurisdiction: str, day: dt.date) -> Selection:
        supports: list[tuple[Assertion, Match]] = []
        expired: list[Assertion] = []
        future: list[Assertion] = []
        negatives: list[Assertion] = []
        cautions: list[Assertion] = []
        named: set[str] = set()
        foreign = frozenset(name for name in components if (row := self.coverage.get(name)) is not None and row.no_use)
        for item in self.assertions:
            if item.jurisdiction not in (jurisdiction, "any"):
                continue
            named.update(components.intersection(item.regimen))
            if item.direction is Direction.SUPPORTS:
                fit = match_regimen(item.regimen, components)
                if fit is None or not foreign <= set(item.regimen):
                    continue  # a group of the assertion never stands for a drug that has no use here
                if item.valid_on(day):
                    supports.append((item, fit))
                elif day < item.valid_from:
                    future.append(item)
                else:
                    expired.append(item)
                continue
            part = (
                contains_class(item.drug_class, components)
                if item.drug_class
                else contains_regimen(item.regimen, components)
            )
            if part is None or not item.valid_on(day) or (item.monotherapy and len(components) > 1):
                continue
            if item.not_with and contains_class(item.not_with, components) is not None:
                continue
            (negatives if item.direction in NEGATIVES else cautions).append(item)
        rows = {name: self.coverage.get(name) for name in components}
        open_rows = tuple(
            sorted(
                name for name, row in rows.items() if row is None or not (row.no_use or row.complete(jurisdiction, day))
            )
        )
        return Selection(
            supports=tuple(supports),
            expired=tuple(expired),
            future=tuple(future),
            negatives=tuple(negatives),
            cautions=tuple(cautions),
            no_use=tuple(row for _, row in sorted(rows.items()) if row is not None and row.no_use),
            uncovered=open_rows if len(open_rows) == len(rows) else (),
            unlisted=tuple(sorted(name for name, row in rows.items() if row is None and name not in named)),
        )

    def with_overlay(
        self, entries: Sequence[Mapping[str, Any]], *, name: str, coverage: Sequence[Mapping[str, Any]] = ()
    ) -> EvidenceBase:
        """A base with a hospital's own entries added; an entry with a known id replaces that one.

        Args:
            entries: assertions, in the form of docs/semantics.md section 5.
            name: how verdicts name the overlay.
            coverage: coverage rows; a row for a known drug replaces that row.

        Raises:
            EvidenceError: an entry breaks its contract.
        """
        added = [parse_assertion(entry, f"overlay {name}") for entry in entries]
        _unique(added)
        replaced = {item.id for item in added}
        rows = {
            **self.coverage,
            **{row.drug: row for row in (parse_coverage(entry, f"overlay {name}") for entry in coverage)},
        }
        return EvidenceBase(
            tumors=self.tumors,
            assertions=(*(item for item in self.assertions if item.id not in replaced), *added),
            coverage=rows,
            hash=content_hash([self.hash, name, _plain(list(entries)), _plain(list(coverage))]),
            overlays=(*self.overlays, name),
        )

    def fresh(self) -> EvidenceBase:
        """The same base without what it remembers of earlier look-ups, for a process that runs for long."""
        return replace(self, _selections={}, _active={}, _actionable={})

    def search(self, text: str) -> tuple[Assertion, ...]:
        """Assertions whose id, regimen, statement or sources hold every word of a text; in the order of the base."""
        wanted = words(text)
        if not wanted:
            return ()
        return tuple(
            item
            for item in self.assertions
            if all(any(token.startswith(word) for token in _tokens(item)) for word in wanted)
        )


_MAX_SELECTIONS = 20_000


def _tokens(item: Assertion) -> frozenset[str]:
    parts = [item.id, item.regimen_text, item.statement, item.direction.value, item.note]
    parts.extend(f"{source} {source.id} {source.nct}" for source in item.sources)
    for node in item.requires:
        parts.extend(positive_markers(node))
    return frozenset(words(" ".join(parts)))


def _unique(items: Iterable[Assertion]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            message = f"{item.origin}: the id {item.id!r} stands twice"
            raise EvidenceError(message)
        seen.add(item.id)


def build_base(raw: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]], *, digest: str = "") -> EvidenceBase:
    """Build a base from parsed files.

    Args:
        raw: tumor -> {"assertions": entries, "coverage": rows}; an entry may carry `_file`, its origin.
        digest: `knowledge_hash` of them, when it is known already.

    Raises:
        EvidenceError: an entry breaks its contract, or an id stands twice, or an override names no assertion.
    """
    assertions: list[Assertion] = []
    coverage: dict[str, Coverage] = {}
    for tumor, content in raw.items():
        for entry in content["assertions"]:
            assertions.append(
                parse_assertion(
                    {key: value for key, value in entry.items() if key != "_file"}, str(entry.get("_file", tumor))
                )
            )
        for row in content["coverage"]:
            parsed = parse_coverage(row, f"{tumor}/coverage.yaml")
            if parsed.drug in coverage:
                message = f"{tumor}/coverage.yaml: {parsed.drug!r} stands twice"
                raise EvidenceError(message)
            coverage[parsed.drug] = parsed
    _unique(assertions)
    known = {item.id for item in assertions}
    for item in assertions:
        lost = sorted(item.overrides - known)
        if lost:
            message = f"{item.origin}: {item.id} overrides {lost[0]!r}, which is no assertion"
            raise EvidenceError(message)
    return EvidenceBase(
        tumors=tuple(raw), assertions=tuple(assertions), coverage=coverage, hash=digest or knowledge_hash(raw)
    )


def knowledge_hash(raw: Mapping[str, Any]) -> str:
    """Content hash over parsed files."""
    return content_hash(_plain(dict(raw)))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dt.date):
        return value.isoformat()
    return value


def read_knowledge() -> tuple[dict[str, dict[str, list[Any]]], str]:
    """The shipped YAML files, parsed, and one hash over their bytes (slow: some hundred milliseconds)."""
    raw: dict[str, dict[str, list[Any]]] = {}
    for tumor, files in _knowledge_files().items():
        content = raw[tumor] = {"assertions": [], "coverage": []}
        for name, data in files.items():
            entries = yaml.load(data, Loader=_Loader) or []
            if name == "coverage.yaml":
                content["coverage"].extend(entries)
            else:
                content["assertions"].extend({**entry, "_file": f"{tumor.lower()}/{name}"} for entry in entries)
    return _plain(raw), _files_hash(_knowledge_files())


def _knowledge_files() -> dict[str, dict[str, bytes]]:
    root = resources.files(__package__).joinpath("knowledge")
    found: dict[str, dict[str, bytes]] = {}
    for folder in sorted((item for item in root.iterdir() if item.is_dir()), key=lambda item: item.name):
        files = sorted((item for item in folder.iterdir() if item.name.endswith(".yaml")), key=lambda item: item.name)
        if files:
            found[folder.name.upper()] = {item.name: item.read_bytes() for item in files}
    return found


def _files_hash(files: Mapping[str, Mapping[str, bytes]]) -> str:
    return content_hash(
        [[tumor, name, bytes_hash(data)] for tumor, content in files.items() for name, data in content.items()]
    )


@functools.cache
def shipped_base() -> EvidenceBase:
    """The base that ships with the package, read on first use.

    Raises:
        EvidenceError: a file breaks its contract.
    """
    compiled = resources.files(__package__).joinpath("knowledge", COMPILED)
    if compiled.is_file():
        stored = json.loads(compiled.read_bytes())
        if stored["files_hash"] == _files_hash(_knowledge_files()):
            return build_base(stored["raw"], digest=stored.get("hash", ""))
    return build_base(read_knowledge()[0])


def load_overlay(path: str | Path, base: EvidenceBase) -> EvidenceBase:
    """Add a hospital's overlay file to a base.

    Args:
        path: a YAML file that holds a list of assertions, or a mapping with `assertions` and `coverage`.
        base: the base to extend.

    Raises:
        UsageError: the file cannot be read.
        EvidenceError: an entry breaks its contract.
    """
    file = Path(path)
    try:
        content = yaml.load(file.read_bytes(), Loader=_Loader)
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise UsageError(message, file=str(path)) from None
    except yaml.YAMLError as error:
        message = f"expected YAML: {str(error).splitlines()[0]}"
        raise UsageError(message, file=str(path)) from None
    if isinstance(content, Mapping):
        return base.with_overlay(
            content.get("assertions") or [], name=file.stem, coverage=content.get("coverage") or []
        )
    if isinstance(content, list):
        return base.with_overlay(content, name=file.stem)
    message = "expected a list of assertions"
    raise UsageError(message, file=str(path))


def check_jurisdiction(text: str) -> str:
    """The jurisdiction in its canonical form.

    Raises:
        UsageError: the base does not speak of it.
    """
    name = text.strip().upper()
    if name not in JURISDICTIONS:
        message = f"unknown jurisdiction {text!r}; expected one of {', '.join(JURISDICTIONS)}"
        raise UsageError(message)
    return name
