"""Rewriting a summary must not change what is read from it (public benchmark summaries, marker `data`)."""

from __future__ import annotations

import datetime as dt
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from equipoise.cases.facts import TRUE, Facts, Reading, facts_of
from equipoise.cases.formats import case_from_object, openmtb
from equipoise.cases.model import Case
from equipoise.cases.vocabulary.drugs import lexicon

pytestmark = pytest.mark.data

AS_OF = dt.date(2026, 10, 1)
BRACKET = re.compile(r"\s*\([^()]*\)")
HGVS = {
    "EGFR L858R": ("EGFR c.2573T>G p.(Leu858Arg)", "EGFR:L858R"),
    "EGFR T790M": ("EGFR p.Thr790Met", "EGFR:T790M"),
    "EGFR Exon 19 deletion": ("EGFR p.Glu746_Ala750del", "EGFR:exon19del"),
    "EGFR Exon 20 insertion": ("EGFR p.Asp770_Asn771insSerValAsp", "EGFR:exon20ins"),
    "KRAS G12C": ("KRAS c.34G>T (p.Gly12Cys)", "KRAS:G12C"),
    "BRAF V600E": ("BRAF c.1799T>A p.(Val600Glu)", "BRAF:V600E"),
    "MET Exon 14 skipping": ("MET c.3082+1G>T", "MET:exon14skip"),
}


@pytest.fixture(scope="module")
def rows(data_dir: Path) -> list[dict[str, Any]]:
    path = data_dir / "openmtb" / "cases.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def facts(case: Case) -> Facts:
    return facts_of(case, as_of=AS_OF, reading=Reading())


def key(case: Case) -> dict[str, Any]:
    """What a criterion can read of a case, and what is recommended; the setting is not in the summaries."""
    found = facts(case)
    names = (
        "present",
        "uncertain",
        "absent",
        "open",
        "may",
        "sequenced",
        "stage",
        "histology",
        "ecog",
        "brain",
        "tps",
        "age",
        "msi",
        "tmb",
    )
    values: dict[str, Any] = {name: getattr(found, name) for name in names}
    values["conflicts"] = found.conflicts
    values["priors"] = None if found.priors is None else [(one.drugs, one.outcome) for one in found.priors]
    values["recommendations"] = [(one.components, one.kind) for one in case.recommendations]
    values["tumor"], values["sex"] = case.tumor.value, case.sex.value
    return values


def structured(row: dict[str, Any], **changes: Any) -> Case:
    return openmtb.read({name: value for name, value in (row | changes).items() if name != "treatment_setting"})


def from_text(text: str) -> Case:
    return case_from_object({"case_id": "text", "patient_summary": text})


def differing(
    rows: list[dict[str, Any]], rewrite: Callable[[dict[str, Any]], tuple[str, Case]]
) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for row in rows:
        text, expected = rewrite(row)
        one, two = key(expected), key(from_text(text))
        if one != two:
            found.append((text, {name: (one[name], two[name]) for name in one if one[name] != two[name]}))
    return found


def _segment(text: str, label: str, change: Callable[[str], str]) -> str:
    """The summary with the value behind a label rewritten."""
    start = text.index(label) + len(label)
    ends = [place for place in (text.find(". ", start), len(text) - 1) if place >= 0]
    end = min(ends)
    return text[:start] + change(text[start:end]) + text[end:]


def test_as_published(rows: list[dict[str, Any]]) -> None:
    assert differing(rows, lambda row: (row["patient_summary"], structured(row))) == []


def test_bracketed_notes_stripped(rows: list[dict[str, Any]]) -> None:
    def rewrite(row: dict[str, Any]) -> tuple[str, Case]:
        text = row["patient_summary"]
        text = _segment(text, "Molecular profiling: ", lambda one: BRACKET.sub("", one))
        text = _segment(text, "recommendation: ", lambda one: BRACKET.sub("", one))
        plain = {name: BRACKET.sub("", row[name]) for name in ("genomic_alteration", "proposed_therapy")}
        return text, structured(row, **plain)

    assert differing(rows, rewrite) == []


@pytest.mark.parametrize("arrow", [", ", " then ", ", then ", "; ", " -> ", " followed by "])
def test_arrows(rows: list[dict[str, Any]], arrow: str) -> None:
    assert differing(rows, lambda row: (row["patient_summary"].replace(" \u2192 ", arrow), structured(row))) == []


@pytest.mark.parametrize(
    "form", ["ECOG PS {}", "PS {}", "Performance status of {}", "WHO PS {}", "ECOG performance status: {}"]
)
def test_performance_status(rows: list[dict[str, Any]], form: str) -> None:
    def rewrite(row: dict[str, Any]) -> tuple[str, Case]:
        return re.sub(
            r"Performance status: ECOG (\d)", lambda one: form.format(one[1]), row["patient_summary"]
        ), structured(row)

    assert differing(rows, rewrite) == []


@pytest.mark.parametrize("joiner", [" plus ", "/", ", ", "+", " and "])
def test_regimen_separators(rows: list[dict[str, Any]], joiner: str) -> None:
    def join(text: str) -> str:
        return re.sub(r"\s*\+\s*", joiner, text)

    def rewrite(row: dict[str, Any]) -> tuple[str, Case]:
        text = _segment(row["patient_summary"], "Prior systemic therapy: ", join)
        return _segment(text, "recommendation: ", join), structured(row)

    assert differing(rows, rewrite) == []


def test_brand_names(rows: list[dict[str, Any]]) -> None:
    brands = {name: one.brands[0] for name, one in lexicon().drugs.items() if one.brands}
    names = re.compile("|".join(sorted(map(re.escape, brands), key=len, reverse=True)), re.IGNORECASE)

    def brand(text: str) -> str:
        return names.sub(lambda one: brands[one[0].lower()], text)

    def rewrite(row: dict[str, Any]) -> tuple[str, Case]:
        text = _segment(row["patient_summary"], "Prior systemic therapy: ", brand)
        return _segment(text, "recommendation: ", brand), structured(row)

    assert differing(rows, rewrite) == []


def test_nothing_before(rows: list[dict[str, Any]]) -> None:
    def rewrite(row: dict[str, Any]) -> tuple[str, Case]:
        return re.sub(
            r"Prior systemic therapy: None(?: \([^)]*\))?", "No prior systemic therapy", row["patient_summary"]
        ), structured(row)

    assert differing(rows, rewrite) == []


def test_hgvs(rows: list[dict[str, Any]]) -> None:
    chosen = [row for row in rows if row["genomic_alteration"] in HGVS]
    assert len(chosen) > 150

    def rewrite(row: dict[str, Any]) -> tuple[str, Case]:
        written, _ = HGVS[row["genomic_alteration"]]
        return row["patient_summary"].replace(row["genomic_alteration"], written), structured(
            row, genomic_alteration=written
        )

    assert differing(chosen, rewrite) == []
    for row in chosen:
        written, name = HGVS[row["genomic_alteration"]]
        text = row["patient_summary"].replace(row["genomic_alteration"], written)
        assert facts(from_text(text)).marker(name) == TRUE, (name, text)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sentences_reordered(rows: list[dict[str, Any]], seed: int) -> None:
    def rewrite(row: dict[str, Any]) -> tuple[str, Case]:
        parts = [one.rstrip(".") for one in row["patient_summary"].split(". ")]
        random.Random(f"{seed} {row['case_id']}").shuffle(parts)
        return ". ".join(parts) + ".", structured(row)

    assert differing(rows, rewrite) == []
