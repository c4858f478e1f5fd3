"""The knowledge base as pages: what it holds for each drug, each label indication, each resistance variant.

Generated from the base alone, with the same bytes for the same base and day: python -m equipoise.evidence.page docs
"""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from equipoise.cases.facts import FALSE, TRUE, UNKNOWN
from equipoise.cases.vocabulary.biomarkers import catalogue, classes_of, marker
from equipoise.cases.vocabulary.drugs import drug, is_cytotoxic, lexicon
from equipoise.errors import EvidenceError
from equipoise.evidence.base import EvidenceBase, build_base, read_knowledge
from equipoise.evidence.criteria import Group, Leaf, Node, leaves
from equipoise.evidence.model import NEGATIVES, Assertion, Direction
from equipoise.evidence.regimens import contains_class, contains_regimen

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.45 "Helvetica Neue", Arial, sans-serif; color: #1a2230; background: #fff; margin: 0 auto;
  max-width: 76rem; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .2rem; }
p { margin: .3rem 0 .8rem; }
.muted { color: #5a6678; } .index { columns: 12rem; list-style: none; padding: 0; } .index a { color: #1b4f8f; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .86rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .55rem; border-bottom: 1px solid #dde3ea; }
table { table-layout: fixed; min-width: 68rem; overflow-wrap: break-word; }
th:nth-child(1) { width: 14%; } th:nth-child(2) { width: 11%; } th:nth-child(3) { width: 12%; }
th:nth-child(4) { width: 12%; } th:nth-child(5) { width: 17%; } th:nth-child(6) { width: 8%; }
th:nth-child(7) { width: 7%; } th:nth-child(8) { width: 11%; } th:nth-child(9) { width: 8%; }
th { border-bottom: 2px solid #9aa7b8; font-weight: 600; } code { font-size: .82em; }
.supports { color: #0b5d3b; } .negative { color: #97261f; } .caution { color: #7a5200; } .ended { color: #5a6678; }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; } tr { break-inside: avoid; } }
"""

_SAYS = {
    Direction.SUPPORTS: ("supports", "supports"),
    Direction.RESISTANCE: ("resistance", "negative"),
    Direction.NOT_INDICATED: ("not indicated", "negative"),
    Direction.CONTRAINDICATED: ("contraindicated", "negative"),
    Direction.CAUTION: ("caution", "caution"),
}


# --- the base by drug ------------------------------------------------------------------------------------------------


def knowledge_page(base: EvidenceBase, *, as_of: dt.date) -> str:
    """The whole base as one page: by drug, what it is for, by whom it is said, and when that was read.

    Args:
        base: the base.
        as_of: day for which validity is stated.

    Returns:
        A self-contained HTML page without script; every text of the base is escaped.
    """
    groups: dict[str, list[Assertion]] = {}
    for item in base.assertions:
        groups.setdefault(_heading(item), []).append(item)
    names = sorted(groups, key=str.lower)
    counts = Counter(item.direction for item in base.assertions)
    verified = sum(item.verification.verified for item in base.assertions)
    against = sum(counts[direction] for direction in NEGATIVES)
    last = max((item.verification.on for item in base.assertions if item.verification.on is not None), default=None)
    until = f", the last on {last.isoformat()}" if last is not None else ""
    out = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Evidence base: {escape(', '.join(base.tumors))}</title><style>{_STYLE}</style></head><body>",
        f"<h1>Evidence base: {escape(', '.join(base.tumors))}</h1>",
        f'<p class="muted">As of {as_of.isoformat()}. Content hash <code>{escape(base.hash)}</code>. '
        "Dated statements with their sources; not a medical device.</p>",
        f"<p>{len(base.assertions)} statements: {counts[Direction.SUPPORTS]} support a regimen, {against} speak "
        f"against one, {counts[Direction.CAUTION]} are cautions. {verified} were checked against a public text{until}; "
        "the others say why not.</p>",
        '<ul class="index">',
    ]
    out.extend(f'<li><a href="#{_anchor(name)}">{escape(name)}</a> ({len(groups[name])})</li>' for name in names)
    out.append("</ul>")
    for name in names:
        out.extend(_section(name, groups[name], base, as_of))
    out.append("</body></html>")
    return "\n".join(out) + "\n"


def _heading(item: Assertion) -> str:
    """The drug under which an assertion stands: its first drug that is no backbone; else its first component."""
    if item.drug_class:
        return f"class {item.drug_class}"
    parts = [part.strip() for element in item.regimen for part in element.split("/")]
    for part in parts:
        known = drug(part)
        if known is not None and known.kind == "drug" and not is_cytotoxic(part):
            return part
    return parts[0]


def _anchor(name: str) -> str:
    return "d-" + "".join(char if char.isascii() and char.isalnum() else "-" for char in name.lower())


def _section(name: str, items: list[Assertion], base: EvidenceBase, as_of: dt.date) -> Iterable[str]:
    yield f'<h2 id="{_anchor(name)}">{escape(name)}</h2>'
    yield f'<p class="muted">{escape(coverage_words(name, base))}</p>'
    yield '<div class="scroll"><table><thead><tr>'
    for title in (
        "Regimen", "Biomarker", "Setting and line", "Other criteria", "Says", "Level", "Valid", "Source", "Checked",
    ):  # fmt: skip
        yield f"<th>{title}</th>"
    yield "</tr></thead><tbody>"
    for item in sorted(items, key=lambda one: (_ended(one, as_of), _ORDER[one.direction], one.level, one.id)):
        yield _row(item, as_of)
    yield "</tbody></table></div>"


_ORDER = {direction: place for place, direction in enumerate(_SAYS)}


def _ended(item: Assertion, as_of: dt.date) -> bool:
    return item.valid_to is not None and item.valid_to <= as_of


def coverage_words(name: str, base: EvidenceBase) -> str:
    """What the base claims for a drug: complete since a day, open, or no use here."""
    row = base.coverage.get(name)
    if row is None:
        return (
            "No row in the coverage table." if not name.startswith("class ") else "Speaks of every drug of the class."
        )
    if row.no_use:
        known = f"; known for {', '.join(row.known_for)}" if row.known_for else ""
        return f"No use here{known} ({row.source})."
    if not row.complete_since:
        return "Coverage open: where nothing matches, the base is silent."
    since = ", ".join(f"{place} complete since {day.isoformat()}" for place, day in sorted(row.complete_since.items()))
    return f"Coverage: {since}; elsewhere open."


def _row(item: Assertion, as_of: dt.date) -> str:
    biomarker, place, other = _criteria(item)
    says, style = _SAYS[item.direction]
    if _ended(item, as_of):
        says, style = f"{says} (ended)", "ended"
    valid = item.valid_from.isoformat() + (f" to {item.valid_to.isoformat()}" if item.valid_to is not None else "")
    approval = "" if item.approval == "none" else f", {item.approval}"
    checked = item.verification
    read = checked.on.isoformat() if checked.verified and checked.on is not None else f"not checked: {checked.text}"
    sources = "<br>".join(_source(item, number) for number in range(len(item.sources)))
    return (
        f'<tr id="{escape(item.id, quote=True)}"><td>{escape(item.regimen_text)}<br><code>{escape(item.id)}</code></td>'
        f"<td>{escape(biomarker)}</td><td>{escape(place)}</td><td>{escape(other)}</td>"
        f'<td><span class="{style}">{escape(says)}</span><br>{escape(item.statement)}</td>'
        f"<td>{escape(item.level)}<br>{escape(item.jurisdiction + approval)}</td><td>{escape(valid)}</td>"
        f"<td>{sources}</td><td>{escape(read)}</td></tr>"
    )


def _source(item: Assertion, number: int) -> str:
    source = item.sources[number]
    parts = [str(source), source.id]
    if source.nct and source.pmid is not None:
        parts.append(source.nct)
    return escape("; ".join(part for part in parts if part))


def _criteria(item: Assertion) -> tuple[str, str, str]:
    """The criteria in three columns: biomarkers; setting, line and history; everything else with the exclusions."""
    columns: tuple[list[str], list[str], list[str]] = ([], [], [])
    for node in item.requires:
        kinds = {leaf.kind for leaf in leaves(node)}
        if kinds & {"biomarker", "biomarker_absent", "pdl1", "tmb", "msi"}:
            columns[0].append(node.required)
        elif kinds & {"setting", "line", "received", "progressed_on", "stage"}:
            columns[1].append(node.required)
        else:
            columns[2].append(node.required)
    columns[2].extend(f"not with {node.required}" for node in item.unless)
    if item.monotherapy:
        columns[2].append("single agent")
    return "; ".join(columns[0]), "; ".join(columns[1]), "; ".join(columns[2])


# --- label indications -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Indication:
    """One indication of a US label.

    Attributes:
        label: trade name.
        regimen: in words.
        indication: in own words.
        since: day of the first approval.
        until: day on which it ended; None while it stands.
        assertions: ids of the assertions that hold it.
        reason: why none does; empty when some do.
    """

    label: str
    regimen: str
    indication: str
    since: dt.date
    until: dt.date | None
    assertions: tuple[str, ...]
    reason: str


def read_indications(data: bytes | None = None) -> tuple[Indication, ...]:
    """The list of US label indications that ships with the package.

    Args:
        data: another list, as YAML.

    Raises:
        EvidenceError: a row lacks an element, or has neither assertions nor a reason.
    """
    if data is None:
        data = resources.files(__package__).joinpath("indications.yaml").read_bytes()
    found = []
    for number, row in enumerate(yaml.safe_load(data) or (), start=1):
        where = f"indications.yaml, row {number}"
        if not isinstance(row, Mapping):
            message = f"{where}: expected a mapping"
            raise EvidenceError(message)
        for name in ("label", "regimen", "indication", "since"):
            if not row.get(name):
                message = f"{where}: {name} is missing"
                raise EvidenceError(message)
        if bool(row.get("assertions")) == bool(row.get("reason")):
            message = f"{where}: expected either assertions or a reason"
            raise EvidenceError(message)
        found.append(
            Indication(
                label=str(row["label"]),
                regimen=str(row["regimen"]),
                indication=str(row["indication"]),
                since=row["since"],
                until=row.get("until"),
                assertions=tuple(str(one) for one in row.get("assertions") or ()),
                reason=str(row.get("reason") or ""),
            )
        )
    return tuple(found)


def coverage_page(base: EvidenceBase, indications: Iterable[Indication], *, as_of: dt.date) -> str:
    """Every label indication with the assertions that hold it, and the declared coverage of every drug, as Markdown.

    Args:
        base: the base.
        indications: the list.
        as_of: day for which validity is stated.

    Raises:
        EvidenceError: an indication names an assertion that the base does not have.
    """
    rows = tuple(indications)
    known = {item.id: item for item in base.assertions}
    held = sum(bool(row.assertions) for row in rows)
    out = [
        "# Coverage of US labels in non-small cell lung cancer",
        "",
        "Generated from the evidence base and `src/equipoise/evidence/indications.yaml` by "
        "`python -m equipoise.evidence.page docs`; do not edit.",
        "",
        f"{len(rows)} indications as far as they could be established: {held} are held by assertions, "
        f"{len(rows) - held} are not, each with the reason. As of {as_of.isoformat()}.",
        "",
        "| label | regimen | indication | first approved | level, checked | assertion, or why there is none |",
        "|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda one: (one.label.lower(), one.since, one.regimen)):
        items = []
        for identifier in row.assertions:
            if identifier not in known:
                message = f"indications.yaml: {row.label}: no assertion {identifier!r}"
                raise EvidenceError(message)
            items.append(known[identifier])
        ended = f" (ended {row.until.isoformat()})" if row.until is not None else ""
        level = ", ".join(dict.fromkeys(item.level for item in items))
        checked = f"{sum(item.verification.verified for item in items)} of {len(items)}" if items else ""
        named = "<br>".join(f"`{item.id}`" for item in items) or _cell(row.reason)
        out.append(
            f"| {_cell(row.label)} | {_cell(row.regimen)} | {_cell(row.indication)} | {row.since.isoformat()}{ended} "
            f"| {f'{level}; {checked}' if items else ''} | {named} |"
        )
    out += ["", "## Declared coverage", "", "| drug or procedure | claim |", "|---|---|"]
    used = [name for name, entry in base.coverage.items() if not entry.no_use]
    out.extend(f"| {_cell(name)} | {_cell(coverage_words(name, base))} |" for name in sorted(used, key=str.lower))
    none = sum(entry.no_use for entry in base.coverage.values())
    out += ["", f"{none} further drugs are known from other tumors and declared to have no use here.", ""]
    return "\n".join(out)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


# --- resistance variants ---------------------------------------------------------------------------------------------

TARGETS: dict[str, str] = {
    "EGFR": "egfr-tki",
    "ALK": "alk-tki",
    "ROS1": "ros1-tki",
    "RET": "ret-tki",
    "NTRK1": "trk-tki",
    "NTRK2": "trk-tki",
    "NTRK3": "trk-tki",
    "MET": "met-tki",
    "ERBB2": "her2-tki",
    "KRAS": "kras-g12c-inhibitor",
}
"""Genes with resistance variants in the drug target, and the class of drugs that bind it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One resistance variant and one drug of the class that binds its protein.

    Attributes:
        gene: gene.
        marker: the variant.
        drug: the drug.
        against: assertions that call it resistant, best level first.
        active: assertions that call the drug active against it, best level first.
    """

    gene: str
    marker: str
    drug: str
    against: tuple[Assertion, ...]
    active: tuple[Assertion, ...]

    @property
    def silent(self) -> bool:
        """Whether the base says nothing of this pair."""
        return not (self.against or self.active)


def resistance_markers(gene: str) -> tuple[str, ...]:
    """Variants of a gene that arise under treatment, as the vocabulary lists them.

    A residue of which every change counts is one name (`KRAS:Y96X`).
    """
    data = catalogue()
    names = {f"{gene}:{change}" for (one, change), (_, acquired) in data.exact.items() if one == gene and acquired}
    names |= {
        f"{gene}:{residue}X" for (one, residue), (_, acquired) in data.residues.items() if one == gene and acquired
    }
    return tuple(sorted((name for name in names if marker(name) is not None), key=_by_position))


def _by_position(name: str) -> tuple[int, str]:
    digits = "".join(char for char in name.partition(":")[2].split("_")[0] if char.isdigit())
    return (int(digits) if digits else 0, name)


def drugs_of(drug_class: str) -> tuple[str, ...]:
    """Drugs of a class in the vocabulary, sorted."""
    entries = lexicon().drugs.items()
    return tuple(sorted(name for name, entry in entries if entry.kind == "drug" and drug_class in entry.classes))


def resistance_pairs(base: EvidenceBase, *, as_of: dt.date, jurisdiction: str = "US") -> tuple[Pair, ...]:
    """Every resistance variant against every drug of its class.

    Args:
        base: the base.
        as_of: day on which assertions must hold.
        jurisdiction: of which the assertions speak.
    """
    active = base.active(jurisdiction, as_of)
    found = []
    for gene, drug_class in TARGETS.items():
        for name in resistance_markers(gene):
            present = frozenset({name, *classes_of(name)})
            for component in drugs_of(drug_class):
                one = frozenset({component})
                against = [item for item in active if item.on_target and _about(item, one) and _speaks(item, present)]
                helps = [item for item in active if item.regimen == (component,) and _names_variant(item, present)]
                found.append(Pair(gene, name, component, _best(against), _best(helps)))
    return tuple(found)


def _best(items: list[Assertion]) -> tuple[Assertion, ...]:
    return tuple(sorted(items, key=lambda item: (item.level, item.id)))


def _about(item: Assertion, components: frozenset[str]) -> bool:
    if item.drug_class:
        return contains_class(item.drug_class, components) is not None
    return contains_regimen(item.regimen, components) is not None


def _speaks(item: Assertion, present: frozenset[str]) -> bool:
    """Whether the variant alone meets what the assertion asks of biomarkers; other criteria are taken as met."""
    if any(_state(node, present) == TRUE for node in item.unless if _has_biomarker(node)):
        return False
    return all(_state(node, present) == TRUE for node in item.requires)


def _has_biomarker(node: Node) -> bool:
    return any(leaf.kind == "biomarker" for leaf in leaves(node))


def _state(node: Node, present: frozenset[str]) -> int:
    if isinstance(node, Leaf):
        if node.kind == "biomarker":
            return TRUE if not present.isdisjoint(node.payload) else UNKNOWN
        return FALSE if node.kind == "biomarker_absent" and not present.isdisjoint(node.payload) else TRUE
    return _group(node, [_state(part, present) for part in node.parts])


def _group(node: Group, states: list[int]) -> int:
    if node.kind == "not":
        return -states[0]
    return max(states) if node.kind == "any" else min(states)


def _names_variant(item: Assertion, present: frozenset[str]) -> bool:
    """Whether a supporting assertion asks for the resistance variant by name."""
    if item.direction is not Direction.SUPPORTS:
        return False
    for node in item.requires:
        if isinstance(node, Leaf) and node.kind == "biomarker":
            asked = {name for name in node.payload & present if (found := marker(name)) is not None and found.acquired}
            if asked:
                return True
    return False


def resistance_page(base: EvidenceBase, *, as_of: dt.date) -> str:
    """Every resistance variant against every drug of its class, as Markdown tables; an empty cell is silence.

    Args:
        base: the base.
        as_of: day on which assertions must hold.
    """
    pairs = resistance_pairs(base, as_of=as_of)
    silent = sum(pair.silent for pair in pairs)
    out = [
        "# Resistance variants by drug",
        "",
        "Generated from the evidence base by `python -m equipoise.evidence.page docs`; do not edit.",
        "",
        f"{len(pairs)} pairs of an acquired variant and a drug that binds its protein. R: resistant; A: active; each "
        f"with the level of the best source. The base says something of {len(pairs) - silent} pairs and nothing of "
        f"{silent}: an empty cell is neither support nor resistance, and the label of the driver then decides. Two "
        "variants on one protein (compound mutations) are not in this table. "
        f"As of {as_of.isoformat()}.",
    ]
    for gene in TARGETS:
        rows = [pair for pair in pairs if pair.gene == gene]
        if not rows:
            continue
        spoken = {pair.drug for pair in rows if not pair.silent}
        columns = [name for name in drugs_of(TARGETS[gene]) if name in spoken]
        rest = [name for name in drugs_of(TARGETS[gene]) if name not in spoken]
        by_key = {(pair.marker, pair.drug): pair for pair in rows}
        out += ["", f"## {gene}", "", "| variant | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
        for name in resistance_markers(gene):
            cells = " | ".join(_cell_of(by_key[name, column]) for column in columns)
            out.append(f"| {name.partition(':')[2]} | {cells} |")
        if rest:
            out += ["", f"Silent for every variant: {', '.join(rest)}."]
    return "\n".join(out) + "\n"


def _cell_of(pair: Pair) -> str:
    said = []
    if pair.against:
        said.append(f"R {pair.against[0].level}")
    if pair.active:
        said.append(f"A {pair.active[0].level}")
    return " / ".join(said)


# --- writing them ----------------------------------------------------------------------------------------------------


def write_pages(folder: Path, *, as_of: dt.date) -> tuple[Path, ...]:
    """Write knowledge.html, coverage.md and resistance.md of the shipped base.

    Args:
        folder: where to; made when missing.
        as_of: day for which validity is stated.
    """
    base = build_base(read_knowledge()[0])
    pages = {
        "knowledge.html": knowledge_page(base, as_of=as_of),
        "coverage.md": coverage_page(base, read_indications(), as_of=as_of),
        "resistance.md": resistance_page(base, as_of=as_of),
    }
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
        written.append(folder / name)
    return tuple(written)


def last_checked(base: EvidenceBase) -> dt.date:
    """The day of the last reading of a source; the day that generated pages state.

    Raises:
        EvidenceError: nothing was read.
    """
    days = [item.verification.on for item in base.assertions if item.verification.on is not None]
    if not days:
        message = "no assertion was checked against a source"
        raise EvidenceError(message)
    return max(days)


def _main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else Path("docs")
    day: Any = (
        dt.date.fromisoformat(arguments[1]) if len(arguments) > 1 else last_checked(build_base(read_knowledge()[0]))
    )
    for path in write_pages(folder, as_of=day):
        sys.stdout.write(f"{path.name} written\n")


if __name__ == "__main__":
    _main(sys.argv[1:])
