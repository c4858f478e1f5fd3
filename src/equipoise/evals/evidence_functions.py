"""What a model may call in the configuration `tools`: a search in the evidence base, and the deterministic auditor."""

from __future__ import annotations

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import store

from equipoise.audit.verdict import Verdict
from equipoise.errors import EquipoiseError
from equipoise.evals.models import auditor_for
from equipoise.evals.question import data_text, read_block
from equipoise.evals.retrieval import BM25, TOP, evidence_block, searcher

QUESTION_KEY = "equipoise:question"
"""Where the question of a sample is kept; the model cannot write there."""


@tool
def search_evidence(civic: str | None = None, retriever: str = BM25) -> Tool:
    """The search, over the day and jurisdiction of the question.

    Args:
        civic: evidence file of CIViC that is searched too.
        retriever: by words or by meaning, see `retrieval`.
    """

    async def execute(query: str) -> str:
        """Find published statements about therapies by words, such as a drug and an alteration.

        Args:
            query: words to look for, for instance "osimertinib EGFR T790M".
        """
        question = read_block(store().get(QUESTION_KEY, ""))
        return evidence_block(searcher(question.jurisdiction, question.as_of, civic, retriever).search(query, TOP))

    return execute


@tool
def audit_regimen() -> Tool:
    """The auditor, for the patient of the question; the record cannot be changed by the caller."""

    async def execute(regimen: str) -> str:
        """Ask the rule-based auditor for its verdict on a regimen for the patient in question.

        Args:
            regimen: names of the drugs, joined by "+".
        """
        question = read_block(store().get(QUESTION_KEY, ""))
        record = {name: value for name, value in question.record.items() if name not in _PROPOSALS}
        try:
            auditor = auditor_for(question.rules, question.jurisdiction, question.as_of)
            verdict = auditor.audit({**record, "recommendations": [regimen]})[0]
        except EquipoiseError as error:
            raise ToolError(str(error)) from error
        return verdict_block(verdict)

    return execute


_PROPOSALS = frozenset({"recommendation", "recommendations"})


def verdict_block(verdict: Verdict) -> str:
    """A verdict between the lines `<verdict>` and `</verdict>`: label, reasons, evidence for and against, what is missing."""
    lines = [
        f"label: {verdict.label}",
        f"a person has to decide: {'yes' if verdict.abstain else 'no'}",
        *(f"reason: {reason.text}" for reason in verdict.reasons),
        *(
            f"evidence for: {use.statement} (level {use.level}, {use.result}; {use.source})"
            for use in verdict.evidence[:3]
        ),
        *(
            f"evidence against: {use.statement} (level {use.level}, {use.result}; {use.source})"
            for use in verdict.evidence_against[:3]
        ),
        *(f"caution: {item.text}" for item in verdict.caveats if str(item.state) == "fires"),
        f"missing: {', '.join(verdict.missing_fields) or 'nothing'}",
    ]
    return "\n".join(["<verdict>", *(data_text(line) for line in lines), "</verdict>"])
