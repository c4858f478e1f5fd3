"""Puts the question into a configuration's prompt and asks the model; where it may call functions, until it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, execute_tools
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from equipoise.errors import EquipoiseError
from equipoise.evals.budget import Budget, prices
from equipoise.evals.evidence_functions import QUESTION_KEY, audit_regimen, search_evidence, verdict_block
from equipoise.evals.models import audit_question, auditor_for
from equipoise.evals.prompting import WITH_EVIDENCE, Prompt, load_prompt
from equipoise.evals.question import Question, read_block
from equipoise.evals.retrieval import BM25, TOP, evidence_block, find

RETRIEVAL_KEY = "retrieval"
"""Where a sample's metadata keep what was found (`retrieval.Found.to_dict`)."""

VERDICT_KEY = "verdict"
"""Where they keep the label that a second reader was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A prompt with its case.

    Attributes:
        system: the instruction.
        user: what stands before the reply.
        kept: what is kept with the sample, by key.
    """

    system: str
    user: str
    kept: dict[str, Any]


def fill(prompt: Prompt, text: str, *, k: int = TOP, civic: str | None = None, retriever: str = BM25) -> Filled:
    """A prompt for one case: the same bytes for the same arguments.

    Args:
        prompt: the configuration.
        text: the block of the question.
        k: most statements shown.
        civic: evidence file of CIViC.
        retriever: by words or by meaning, see `retrieval`.
    """
    parts = {"case": text}
    kept: dict[str, Any] = {}
    if prompt.id in WITH_EVIDENCE:
        question = read_block(text)
        found = find(question, _auditor(question), k=k, civic=civic, retriever=retriever)
        parts["evidence"] = evidence_block(found.documents)
        kept[RETRIEVAL_KEY] = found.to_dict(k)
    if prompt.id == "second-reader":
        try:
            verdict = audit_question(read_block(text))
            parts["verdict"], kept[VERDICT_KEY] = verdict_block(verdict), str(verdict.label)
        except EquipoiseError as error:
            parts["verdict"] = f"<verdict>\nThe auditor could not read the record: {error}\n</verdict>"
    return Filled(system=prompt.system, user=prompt.filled(**parts), kept=kept)


@solver
def ask(
    configuration: str = "base",
    rules: str = "label",
    label_order: int = 0,
    k: int = TOP,
    civic: str | None = None,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
    retriever: str = BM25,
) -> Solver:
    """Ask for an audit of the case that is the sample's input.

    Args:
        configuration: one of `prompting.CONFIGURATIONS`.
        rules: one of `question.RULES`.
        label_order: order in which the labels are listed.
        k: most statements shown.
        civic: evidence file of CIViC.
        max_cost: US dollars after which nothing more is asked.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.
        retriever: by words or by meaning, see `retrieval`.

    Raises:
        UsageError: an argument names something that does not exist.
    """
    prompt = load_prompt(configuration, rules=rules, label_order=label_order)
    budget = Budget(most=max_cost, prices=prices(price_in, price_out))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        budget.require()
        text = state.input_text
        filled = fill(prompt, text, k=k, civic=civic, retriever=retriever)
        state.messages = [ChatMessageSystem(content=filled.system), ChatMessageUser(content=filled.user)]
        state.metadata.update(filled.kept)
        if prompt.id == "tools":
            store().set(QUESTION_KEY, text)
            state.tools = [search_evidence(civic, retriever), audit_regimen()]
        while True:
            state = await generate(state, tool_calls="none")
            if state.output.usage is not None:
                budget.pay(state.output.usage.input_tokens, state.output.usage.output_tokens)
            if not state.tools or not state.output.choices or not state.output.message.tool_calls:
                break
            budget.require()
            state.messages.extend((await execute_tools(state.messages, state.tools)).messages)
        return state

    return solve


def _auditor(question: Question) -> Any:
    return auditor_for(question.rules, question.jurisdiction, question.as_of)
