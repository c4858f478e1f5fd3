"""Reads the scenario banks, prompt sets, taxonomy and Turkish set of the Medical AI Failure Atlas from the user's own copy.

After Göktuğ Özkan, github.com/goktugozkanmd/medical-ai-failure-atlas, commit 4661144, arXiv:2607.15166; data CC BY 4.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.benchmarks.prompts.tables import require_unique
from equipoise.errors import InputError, UsageError
from equipoise.ids import bytes_hash, content_hash
from equipoise.outcomes.readers import read_json_lines, read_text
from equipoise.redteam.gates import Gate, Scenario

BENCHMARK = "medfail"
REVISION = "4661144"
FILES: dict[str, str] = {
    "scenario_bank_v1.tsv": "9b2f4018997b5123",
    "scenario_bank_v2_hard_addendum.tsv": "b17698b8af696b75",
    "scenario_bank_v3_scale_seed.tsv": "7e769583b2d61882",
    "prompt_set_v1.tsv": "072f7c076a83d4f9",
    "prompt_set_v2_hard_30.tsv": "7579e66bf18bb614",
    "prompt_set_v3_scale_30.tsv": "56e9dd0ea31b721c",
    "scenario_taxonomy_v0_2.tsv": "170337a15a2e086b",
    "tr_medllm_synthetic_eval_set_v0_3.jsonl": "23f69c913b6ff38c",
}
"""Files and the first 16 hexadecimal digits of the SHA-256 of their bytes at the revision."""

BANKS: tuple[str, ...] = tuple(name for name in FILES if name.startswith("scenario_bank"))
PROMPTS: tuple[str, ...] = tuple(name for name in FILES if name.startswith("prompt_set"))
TAXONOMY = "scenario_taxonomy_v0_2.tsv"
TURKISH = "tr_medllm_synthetic_eval_set_v0_3.jsonl"
_BANK_COLUMNS = (
    "scenario_id", "theme", "domain", "setting", "patient_summary", "task_for_model", "expected_safety_focus",
    "development_feedback_signal", "suggested_prompt_style",
)  # fmt: skip
_PROMPT_COLUMNS = ("scenario_id", "prompt_text", "output_capture_instruction")
_TAXONOMY_COLUMNS = ("axis_id", "axis_type", "name", "description", "target_count")
_DANGER = ("urgent", "escalation", "reassurance", "triage", "rare", "lethal", "red flag", "emergency")
"""Words of a theme whose cases hold danger signs; the banks state none as such."""
_FORBIDS = ("do not", "avoid", "never", "don't", "no ")


@dataclass(frozen=True, slots=True, kw_only=True)
class BankRow:
    """A scenario of a bank.

    Attributes:
        id: identifier.
        bank: file it stands in.
        theme: kind of failure it tests.
        domain: clinical domain.
        setting: where; empty in the rows that lack the column.
        summary: the case.
        task: what is asked of the model.
        focus: what a safe reply does or leaves.
        style: style of the prompt.
        shifted: the row has one column too few and was read without `setting`.
    """

    id: str
    bank: str
    theme: str
    domain: str
    setting: str
    summary: str
    task: str
    focus: str
    style: str
    shifted: bool = False

    def scenario(self, prompt: str = "") -> Scenario:
        """The scenario for the gate scorer. Danger signs are read from the theme, demands from the focus: a reading, not a label."""
        forbids = self.focus.lower().startswith(_FORBIDS)
        danger = any(word in self.theme.lower() for word in _DANGER)
        return Scenario(
            summary=self.summary,
            prompt=prompt or self.task,
            setting=self.setting,
            red_flags=(self.summary,) if danger else (),
            required=() if forbids else (self.focus,),
            forbidden=(self.focus,) if forbids else (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRow:
    """A prompt of a prompt set.

    Attributes:
        id: identifier of its scenario.
        prompt_set: file it stands in.
        prompt: the text.
        scenario: its scenario.
    """

    id: str
    prompt_set: str
    prompt: str
    scenario: BankRow


@dataclass(frozen=True, slots=True, kw_only=True)
class TurkishRow:
    """A case of the Turkish set.

    Attributes:
        id: identifier.
        prompt: the message, in Turkish.
        summary: the case, in English.
        domain: clinical domain.
        gate: the gate it tests; None for a gate that the rubrics do not name.
        severity: 3 to 5, as labelled by one clinician.
        safe: what a safe reply does.
    """

    id: str
    prompt: str
    summary: str
    domain: str
    gate: Gate | None
    severity: int
    safe: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MedFail:
    """The data set.

    Attributes:
        bank: the scenarios.
        prompts: the prompts, each with its scenario.
        taxonomy: records of axes with identifier, type, name and target count.
        turkish: the Turkish cases.
        files: first 16 digits of the hash of each file read.
        changed: files that are not those of the revision.
    """

    bank: tuple[BankRow, ...]
    prompts: tuple[PromptRow, ...]
    taxonomy: tuple[dict[str, str], ...]
    turkish: tuple[TurkishRow, ...]
    files: dict[str, str]
    changed: tuple[str, ...]

    @property
    def hash(self) -> str:
        """Content hash over prompts and scenarios, in order."""
        rows = [[row.id, row.prompt, row.scenario.summary, row.scenario.focus] for row in self.prompts]
        return content_hash([rows, [[row.id, row.prompt] for row in self.turkish]])


def load(folder: str | Path, *, allow_changed: bool = False) -> MedFail:
    """The data set from a folder with the published files.

    Args:
        folder: the user's own copy: the folder `data` of the repository, or one with the same files.
        allow_changed: whether files of another revision are taken; they are named in `changed`.

    Raises:
        UsageError: the folder or a file is not there.
        InputError: a file is of another revision and that was not allowed, or it cannot be read; names file and line.
    """
    root = Path(folder)
    missing = next((name for name in FILES if not (root / name).is_file()), None)
    if missing:
        message = (
            f"the folder does not hold {missing}; get the folder data of "
            f"https://github.com/goktugozkanmd/medical-ai-failure-atlas at {REVISION} (CC BY 4.0) and name it"
        )
        raise UsageError(message, file=str(root))
    hashes = {name: bytes_hash((root / name).read_bytes())[:16] for name in FILES}
    changed = tuple(name for name, expected in FILES.items() if hashes[name] != expected)
    if changed and not allow_changed:
        message = f"this is not the file of revision {REVISION}; allow the change and it will be recorded"
        raise InputError(message, file=str(root / changed[0]))
    bank = tuple(row for name in BANKS for row in read_bank(root / name))
    require_unique([row.id for row in bank], file=str(root))
    scenarios = {row.id: row for row in bank}
    prompts = tuple(row for name in PROMPTS for row in read_prompts(root / name, scenarios))
    require_unique([row.id for row in prompts], file=str(root))
    turkish = tuple(_turkish(record, str(root / TURKISH), line) for line, record in read_json_lines(root / TURKISH))
    require_unique([row.id for row in turkish], file=str(root / TURKISH))
    taxonomy = tuple(
        dict(zip(_TAXONOMY_COLUMNS, row, strict=True)) for _, row in _table(root / TAXONOMY, _TAXONOMY_COLUMNS)
    )
    return MedFail(bank=bank, prompts=prompts, taxonomy=taxonomy, turkish=turkish, files=hashes, changed=changed)


def _table(path: Path, columns: tuple[str, ...], *, shorter: int = 0) -> Iterator[tuple[int, list[str]]]:
    lines = read_text(path).splitlines()
    if not lines or tuple(lines[0].split("\t")) != columns:
        message = f"expected a first line with the columns {', '.join(columns)}"
        raise InputError(message, file=str(path), line=1)
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) not in (len(columns), len(columns) - shorter):
            message = f"expected {len(columns)} columns, found {len(cells)}"
            raise InputError(message, file=str(path), line=number)
        yield number, cells


def read_bank(path: Path) -> Iterator[BankRow]:
    """The scenarios of a bank.

    Raises:
        InputError: it has other columns, or a line has too few or too many.
    """
    for _, cells in _table(path, _BANK_COLUMNS, shorter=1):
        shifted = len(cells) < len(_BANK_COLUMNS)
        full = [*cells[:3], "", *cells[3:]] if shifted else cells
        yield BankRow(
            id=full[0], bank=path.name, theme=full[1], domain=full[2], setting=full[3], summary=full[4], task=full[5],
            focus=full[6], style=full[8], shifted=shifted,
        )  # fmt: skip


def read_prompts(path: Path, scenarios: dict[str, BankRow]) -> Iterator[PromptRow]:
    """The prompts of a prompt set, each with its scenario.

    Raises:
        InputError: it has other columns, or names a scenario that no bank has.
    """
    for number, cells in _table(path, _PROMPT_COLUMNS):
        if cells[0] not in scenarios:
            message = f"there is no scenario {cells[0]!r} in the banks"
            raise InputError(message, file=str(path), line=number, field="scenario_id")
        yield PromptRow(id=cells[0], prompt_set=path.name, prompt=cells[1], scenario=scenarios[cells[0]])


def _turkish(record: Any, file: str, line: int) -> TurkishRow:
    gate, severity = record.get("safety_gate"), record.get("severity_1_to_5")
    for name in ("case_id", "turkish_prompt_seed", "synthetic_case_summary"):
        if not isinstance(record.get(name), str) or not record[name].strip():
            message = "expected a text"
            raise InputError(message, file=file, line=line, field=name)
    if severity not in range(1, 6):
        message = f"expected a whole number from 1 to 5; found {severity!r}"
        raise InputError(message, file=file, line=line, field="severity_1_to_5")
    return TurkishRow(
        id=record["case_id"],
        prompt=record["turkish_prompt_seed"],
        summary=record["synthetic_case_summary"],
        domain=str(record.get("clinical_domain") or ""),
        gate=Gate(gate) if gate in set(Gate) else None,
        severity=severity,
        safe=str(record.get("safe_answer_expectation") or ""),
    )
