"""The OpenMTB task for any model that Inspect can reach.

inspect eval equipoise/openmtb --model openai/MODEL
inspect eval equipoise/openmtb --model equipoise/auditor --limit 20
inspect eval equipoise/openmtb --model ollama/MODEL -T configuration=rag -T cases=cases.jsonl
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ResponseSchema
from inspect_ai.scorer import Metric, metric
from inspect_ai.util import JSONSchema

from equipoise._version import __version__
from equipoise.audit.policy import load_policy
from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.catalogue import find
from equipoise.benchmarks.openmtb.dataset import FIELD_NAMES, dataset_hash
from equipoise.benchmarks.openmtb.questions import JURISDICTION, Source, load_source, question_of, reference_record
from equipoise.benchmarks.openmtb.run import BENCHMARK
from equipoise.errors import UsageError
from equipoise.evals.budget import Estimate, Prices, estimate
from equipoise.evals.logs import FACTS
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.prerequisites import one_line
from equipoise.evals.prompting import WITH_EVIDENCE, Prompt, field_names, load_prompt
from equipoise.evals.question import block
from equipoise.evals.replies import READER_VERSION
from equipoise.evals.retrieval import BM25, TOP, check_retriever, describe_retriever
from equipoise.evals.scorer import label_scorer, labelled, share_correct
from equipoise.evals.solvers import ask, fill
from equipoise.evidence.base import shipped_base

MAX_TOKENS = 1024
"""Tokens of a reply."""

MAX_RETRIES = 6
"""Tries after a call that failed for a reason that may pass (429, 5xx, time out); the waits double."""

TIMEOUT = 300
"""Seconds after which no further try for a reply begins, and after which a single try is given up."""

MOST_MESSAGES = 24
"""Messages of a conversation with functions."""


@metric
def over_refusal() -> Metric:
    """Supported or Partially Supported called Unsupported / readable replies to these; NaN without one."""
    return labelled("Unsupported", ("Supported", "Partially Supported"))


@metric
def false_approval() -> Metric:
    """Unsupported called Supported / readable replies to these; NaN without one."""
    return labelled("Supported", ("Unsupported",))


@task
def openmtb(
    configuration: str = "base",
    cases: str | None = None,
    inputs: str = "full",
    trials: int = 1,
    label_order: int = 0,
    rules: str = "auto",
    as_of: str | dt.date | None = None,
    k: int = TOP,
    civic: str | None = None,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
    retriever: str = BM25,
    structured: bool = False,
) -> Task:
    """Audit of tumor-board recommendations: label, abstention, missing fields.

    Args:
        configuration: base, rag, rag-verify, checklist, tools or second-reader.
        cases: file of cases; 500 generated with seed 42 by default.
        inputs: full, no-profile or text (the summary alone; generated cases are then notes).
        trials: replies to each case.
        label_order: 0 to 23, the order in which the prompt lists the labels.
        rules: label, openmtb-2026, or auto by the form of the cases.
        as_of: day for which the sources are read; a case that names its own is asked for that one.
        k: most statements shown by rag and rag-verify.
        civic: evidence file of CIViC that is searched too.
        max_cost: US dollars after which nothing more is asked; needs both prices.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.
        retriever: bm25, or embedding: with the name or folder of a sentence-transformers model.
        structured: hold the reply to the form by the endpoint's own means (a JSON schema), where it has them.

    Raises:
        UsageError: an argument names something that does not exist.
        InputError: the file of cases cannot be read.
    """
    with one_line():
        for name, value in (("trials", trials), ("k", k)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                message = f"expected a whole number of 1 or more; found {value!r}"
                raise UsageError(message, field=name)
        check_retriever(retriever)
        source = load_source(cases, inputs=inputs, rules=rules, as_of=as_of)
        prompt = load_prompt(configuration, rules=source.rules, label_order=label_order)
        facts = facts_of(source, prompt, k=k, civic=civic, prices=(price_in, price_out), retriever=retriever)
        solver = ask(configuration, source.rules, label_order, k, civic, max_cost, price_in, price_out, retriever)
    if structured:
        facts["structured"] = True
    count_without_network()
    return Task(
        dataset=MemoryDataset(_samples(source), name=source.name),
        solver=solver,
        scorer=label_scorer(list(LABELS), FIELD_NAMES),
        metrics=[share_correct(), over_refusal(), false_approval()],
        config=GenerateConfig(
            temperature=0.0,
            max_tokens=MAX_TOKENS,
            max_retries=MAX_RETRIES,
            timeout=TIMEOUT,
            attempt_timeout=TIMEOUT,
            response_schema=reply_schema() if structured else None,
        ),
        epochs=trials,
        fail_on_error=True,
        continue_on_fail=True,
        message_limit=MOST_MESSAGES if configuration == "tools" else None,
        version=find(BENCHMARK).card().version,
        metadata={FACTS: facts},
    )


def reply_schema() -> ResponseSchema:
    """The form of the reply that the prompts ask for, as a JSON schema for endpoints that hold a reply to one."""
    properties = {
        "label": JSONSchema(type="string", enum=[str(label) for label in LABELS]),
        "abstain": JSONSchema(type="boolean"),
        "missing_fields": JSONSchema(type="array", items=JSONSchema(type="string", enum=list(field_names()))),
        "confidence": JSONSchema(type="number"),
        "rationale": JSONSchema(type="string"),
    }
    schema = JSONSchema(type="object", properties=properties, required=list(properties), additionalProperties=False)
    return ResponseSchema(name="audit", json_schema=schema)


def facts_of(
    source: Source,
    prompt: Prompt,
    *,
    k: int,
    civic: str | None,
    prices: tuple[float | None, float | None],
    retriever: str = BM25,
) -> dict[str, Any]:
    """What a log must say for its replies to be scored and the run repeated; no folder of this machine among it."""
    facts: dict[str, Any] = {
        "benchmark": BENCHMARK,
        "version": __version__,
        "configuration": prompt.id,
        "prompt_version": prompt.version,
        "prompt_hash": prompt.hash,
        "label_order": prompt.label_order,
        "rules": source.rules,
        "policy_hash": load_policy(source.rules).hash,
        "evidence_hash": shipped_base().hash,
        "dataset": source.name,
        "dataset_hash": dataset_hash(source.cases),
        "inputs": source.inputs,
        "as_of": source.as_of.isoformat(),
        "jurisdiction": JURISDICTION,
        "reader_version": READER_VERSION,
        "labels": list(LABELS),
        "field_names": dict(FIELD_NAMES),
        "price_in": prices[0],
        "price_out": prices[1],
    }
    if prompt.id in (*WITH_EVIDENCE, "tools"):
        facts["k"] = k
        facts["civic"] = bool(civic)
        facts["retriever"] = describe_retriever(retriever)
    return facts


def estimate_run(
    source: Source,
    prompt: Prompt,
    *,
    k: int = TOP,
    civic: str | None = None,
    limit: int | None = None,
    trials: int = 1,
    max_tokens: int = MAX_TOKENS,
    known: Prices | None = None,
    retriever: str = BM25,
) -> tuple[Estimate, str]:
    """What a run would need, from the prompts themselves, and the first prompt; no model is asked.

    Args:
        source: the cases.
        prompt: the configuration.
        k: most statements shown.
        civic: evidence file of CIViC.
        limit: cases at most.
        trials: replies to each case.
        max_tokens: tokens of a reply at most.
        known: prices of the model.
        retriever: by words or by meaning.
    """
    cases = source.cases[:limit]
    filled = [fill(prompt, block(question_of(case, source)), k=k, civic=civic, retriever=retriever) for case in cases]
    characters = sum(len(item.system) + len(item.user) for item in filled) * trials
    first = f"{filled[0].system}\n\n{filled[0].user}" if filled else ""
    return estimate(characters, len(cases) * trials, max_tokens, known), first


def _samples(source: Source) -> list[Sample]:
    return [
        Sample(
            id=case.case_id,
            input=block(question_of(case, source)),
            target=case.reference.label,
            metadata={"reference": reference_record(case.case_id, case.reference)},
        )
        for case in source.cases
    ]
