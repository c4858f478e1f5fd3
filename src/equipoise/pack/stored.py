"""From runs to fields: what run.json and the outcomes say, and nothing that they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.errors import UsageError
from equipoise.outcomes.readers import read_json_lines
from equipoise.outcomes.schema import ReplyState
from equipoise.pack.sources import Source
from equipoise.pack.tree import Tree, told

REFERENCES = "references.jsonl"
CARDS = "cards"
"""Folder of the cards of the benchmarks in a pack."""

_CLUSTERS = ("seed", "pair", "item_set", "recording", "item_family")
_SETTINGS = {
    "gen.temperature": "temperature", "gen.top_p": "top_p", "gen.max_tokens": "max_tokens", "gen.seed": "seed",
    "gen.reasoning": "reasoning_effort", "gen.stop": "stop_seqs", "gen.tools": "tools",
}  # fmt: skip
"""Settings of a log by the field they fill."""


def read_fields(sources: Sequence[Source], *, stage: str) -> Tree:
    """The fields that runs fill by themselves; results, gates and changes are added by others.

    Args:
        sources: the runs.
        stage: kind of evaluation.
    """
    tree = Tree()
    for read in (_run, _environment, _model, _generation, _prompt, _replies, _data, _judges, _sources_read, _cost):
        read(tree, sources)
    tree.put("run.stage", f"{stage} evaluation", [item.run_file for item in sources])
    return tree


def card_files(sources: Sequence[Source]) -> dict[str, bytes]:
    """Cards of the benchmarks that this version knows, by their name in the pack.

    Args:
        sources: the runs.
    """
    from importlib.resources import files

    from equipoise.benchmarks.catalogue import find

    found: dict[str, bytes] = {}
    for name in sorted({item.run.info.benchmark for item in sources}):
        try:
            package = find(name).package
        except UsageError:
            continue
        found[f"{CARDS}/{name}.yaml"] = files(package).joinpath("card.yaml").read_bytes()
    return found


def logs_of(source: Source) -> list[Mapping[str, Any]]:
    """What a run says of the logs it was made from; empty for other runs."""
    logs = source.run.info.arguments.get("logs", ())
    return [item for item in logs if isinstance(item, Mapping)] if isinstance(logs, list | tuple) else []


def _put(tree: Tree, path: str, sources: Sequence[Source], value: Callable[[Source], Any], file: str = "run") -> None:
    named = {item.name: item.run_file if file == "run" else item.outcomes_file for item in sources}
    tree.put_runs(path, {item.name: value(item) for item in sources}, named)


def _one(values: Iterable[Any]) -> Any:
    """The value all share, a list of the distinct ones, or None when one of them is not there."""
    distinct: list[Any] = []
    for value in values:
        if value is None or value == "":
            return None
        if value not in distinct:
            distinct.append(value)
    return distinct[0] if len(distinct) == 1 else distinct or None


def _log(name: str) -> Callable[[Source], Any]:
    return lambda source: _one(log.get(name) for log in logs_of(source))


def _argument(name: str) -> Callable[[Source], Any]:
    return lambda source: _log(name)(source) or source.run.info.arguments.get(name)


def _rows(source: Source, *names: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = source.run.outcomes.select(list(names)).to_pylist()
    return rows


def _systems(source: Source, value: Callable[[list[dict[str, Any]]], Any], *names: str) -> Any:
    """A value by system; the value alone where the run has one system, None when one of them has none."""
    by: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(source, "system", *names):
        by.setdefault(row["system"], []).append(row)
    found = {name: value(rows) for name, rows in by.items()}
    if any(item is None for item in found.values()):
        return None
    return next(iter(found.values())) if len(found) == 1 else found


def _run(tree: Tree, sources: Sequence[Source]) -> None:
    tree.put("run.id", [item.run.info.run_id for item in sources], [item.run_file for item in sources])
    _put(tree, "run.command", sources, lambda item: item.run.info.environment.get("command"))
    _put(tree, "run.started_at", sources, lambda item: _log("started_at")(item) or item.run.info.created_at)
    _put(tree, "run.finished_at", sources, _log("finished_at"))
    _put(tree, "run.seed", sources, lambda item: item.run.info.environment.get("seed", _log("seed")(item)))
    _put(tree, "run.code_version", sources, lambda item: item.run.info.versions.get("equipoise"))
    _put(tree, "run.code_hash", sources, lambda item: item.run.info.environment.get("code_hash"))


def _environment(tree: Tree, sources: Sequence[Source]) -> None:
    def place(item: Source) -> Any:
        environment = item.run.info.environment
        return f"{environment['os']}, {environment.get('machine', '')}".rstrip(", ") if "os" in environment else None

    _put(tree, "env.python", sources, lambda item: item.run.info.environment.get("python"))
    _put(tree, "env.os", sources, place)
    _put(tree, "env.packages", sources, lambda item: item.run.info.environment.get("packages"))
    packages = tree.get("env.packages")
    if packages is not None:
        alike = all(isinstance(version, str) for version in packages.value.values())
        number = len(packages.value) if alike else "several lists of"
        tree.put("env.packages", packages.value, packages.files, text=f"{number} packages, listed in sbom.json")


def _model(tree: Tree, sources: Sequence[Source]) -> None:
    for path, column in (("model.name", "model"), ("model.provider", "provider"), ("model.family", "model_family")):
        _put(
            tree, path, sources,
            lambda item, column=column: _systems(item, lambda rows: _one(row[column] for row in rows), column),  # type: ignore[misc]
            file="outcomes",
        )  # fmt: skip
    if tree.get("model.name") is None and "model.name" not in tree.reasons:
        tree.reasons["model.name"] = "the outcomes name systems, no models"
    _put(tree, "model.version", sources, _answered_as)
    _put(tree, "model.first_call_at", sources, _log("started_at"))
    _put(tree, "model.last_call_at", sources, _log("finished_at"))


def _answered_as(source: Source) -> Any:
    """What the provider called the model that answered; for systems of this package its version."""
    if all(system.startswith("equipoise/") for system in source.run.outcomes.column("system").to_pylist()):
        version = source.run.info.versions.get("equipoise")
        return f"equipoise {version}" if version else None
    named = {str(log.get("model")): list(log.get("answered_as") or ()) for log in logs_of(source)}
    if not named or not all(named.values()):
        return None
    return told(next(iter(named.values()))) if len(named) == 1 else {name: told(value) for name, value in named.items()}


def _generation(tree: Tree, sources: Sequence[Source]) -> None:
    for path, name in _SETTINGS.items():
        _put(
            tree, path, sources,
            lambda item, name=name: _one((log.get("settings") or {}).get(name) for log in logs_of(item)),  # type: ignore[misc]
        )  # fmt: skip


def _prompt(tree: Tree, sources: Sequence[Source]) -> None:
    _put(tree, "prompt.id", sources, _log("configuration"))
    _put(tree, "prompt.version", sources, _log("prompt_version"))
    _put(tree, "prompt.sha256", sources, lambda item: item.run.info.prompts_hash)


def _replies(tree: Tree, sources: Sequence[Source]) -> None:
    def kept(item: Source) -> Any:
        rows = _rows(item, "reply", "state")
        number = sum(row["reply"] is not None for row in rows)
        read = sum(row["state"] == ReplyState.OK for row in rows)
        return f"{number} of {len(rows)} replies kept as received, {read} read, in outcomes.parquet" if number else None

    def states(item: Source) -> dict[str, dict[str, int]]:
        found: dict[str, Counter[str]] = {}
        for row in _rows(item, "system", "state"):
            found.setdefault(row["system"], Counter())[row["state"]] += 1
        return {name: {state.value: counts[state.value] for state in ReplyState} for name, counts in found.items()}

    _put(tree, "reply.kept", sources, kept, file="outcomes")
    _put(tree, "reply.reader", sources, _reader)
    found = [{"run": item.name, "systems": states(item)} for item in sources]
    text = "; ".join(
        f"{name}: {', '.join(f'{number} {state}' for state, number in counts.items() if number)}"
        for entry in found for name, counts in entry["systems"].items()  # type: ignore[attr-defined]
    )  # fmt: skip
    tree.put("states", found, [item.outcomes_file for item in sources], text=text)


def _reader(source: Source) -> Any:
    version = source.run.info.versions.get("reply reader")
    return f"reply reader, version {version}" if version else None


def _data(tree: Tree, sources: Sequence[Source]) -> None:
    _put(tree, "data.id", sources, lambda item: item.run.info.benchmark)
    _put(tree, "data.name", sources, _argument("dataset"))
    _put(tree, "data.revision", sources, _argument("revision"))
    _put(tree, "data.license", sources, _argument("license"))
    _put(tree, "data.sha256", sources, lambda item: item.run.info.dataset_hash)
    _put(tree, "data.n_items", sources, lambda item: len({row["item"] for row in _rows(item, "item")}), file="outcomes")
    _put(tree, "data.n_clusters", sources, _clusters, file="outcomes")
    _put(tree, "data.trials", sources, _trials, file="outcomes")
    _put(tree, "data.composition", sources, _composition, file="outcomes")
    _put(tree, "ref.label_set", sources, _labels, file="outcomes")
    cards = card_files(sources)
    if {item.run.info.benchmark for item in sources} == {name[len(CARDS) + 1 : -len(".yaml")] for name in cards}:
        tree.put("data.card", sorted(cards), sorted(cards))
    with_references = [item for item in sources if item.file(REFERENCES)]
    if len(with_references) == len(sources):
        missing = {item.name: _missing(item) for item in sources}
        tree.put_runs("data.field_missingness", missing, {item.name: item.file(REFERENCES) for item in sources})
    else:
        tree.reasons["data.field_missingness"] = f"a run folder holds no {REFERENCES}"


def _clusters(source: Source) -> Any:
    rows = _rows(source, *_CLUSTERS)
    found = {name: len({row[name] for row in rows if row[name] is not None}) for name in _CLUSTERS}
    named = {name: number for name, number in found.items() if number}
    return named or "every case is a cluster of its own"


def _trials(source: Source) -> str:
    trials = max((row["trial"] or 1) for row in _rows(source, "trial"))
    return "each case once" if trials == 1 else f"each case up to {trials} times"


def _composition(source: Source) -> dict[str, dict[str, int]]:
    rows = {row["item"]: row for row in _rows(source, "item", "expected", "stratum", "arm", "group")}.values()
    found = {
        name: dict(sorted(Counter(str(row[name]) for row in rows if row[name] is not None).items()))
        for name in ("expected", "stratum", "group")
    }
    return {name: counts for name, counts in found.items() if counts}


def _labels(source: Source) -> list[str]:
    """Labels of the card, else those that references and replies of the run have."""
    from equipoise.benchmarks.catalogue import find

    try:
        return list(find(source.run.info.benchmark).card().labels)
    except UsageError:
        rows = _rows(source, "expected", "label")
        return sorted({str(value) for row in rows for value in row.values() if value is not None})


def _missing(source: Source) -> dict[str, Any]:
    records = [record for _, record in read_json_lines(source.folder / REFERENCES)]
    fields = Counter(str(name) for record in records for name in record.get("missing_fields") or ())
    lacking = sum(bool(record.get("missing_fields")) for record in records)
    return {"cases": len(records), "cases lacking a field": lacking, **dict(sorted(fields.items()))}


def _judges(tree: Tree, sources: Sequence[Source]) -> None:
    judged = [item for item in sources if item.run.judgements.num_rows]
    columns = (("judge.model", "judge"), ("judge.rubric_id", "rubric"), ("judge.rubric_sha256", "rubric_hash"),
               ("judge.scale_id", "scale"))  # fmt: skip
    for path, column in columns:
        if judged:
            values = sorted({str(value) for item in judged for value in item.run.judgements.column(column).to_pylist()})
            tree.put(path, values, [f"{item.name}/judgements.parquet" for item in judged])
        else:
            tree.reasons[path] = "no reply was judged"


def _sources_read(tree: Tree, sources: Sequence[Source]) -> None:
    _put(tree, "protocol.sha256", sources, lambda item: item.run.info.protocol_hash)
    _put(tree, "evidence_hash", sources, lambda item: item.run.info.evidence_hash)
    _put(tree, "policy_hash", sources, lambda item: item.run.info.policy_hash)
    _put(tree, "policy", sources, lambda item: _log("rules")(item) or item.run.info.arguments.get("policy"))
    _put(tree, "as_of", sources, _argument("as_of"))
    _put(tree, "jurisdiction", sources, _argument("jurisdiction"))


def _cost(tree: Tree, sources: Sequence[Source]) -> None:
    def total(column: str) -> Callable[[Source], Any]:
        def over(rows: list[dict[str, Any]]) -> Any:
            values = [row[column] for row in rows if row[column] is not None]
            return round(sum(values), 6) if values else None

        return lambda item: _systems(item, over, column)

    def median(rows: list[dict[str, Any]]) -> Any:
        values = [row["latency"] for row in rows if row["latency"] is not None]
        return round(float(np.quantile(values, 0.5)), 4) if values else None

    for path, column in (("cost.tokens_in", "tokens_in"), ("cost.tokens_out", "tokens_out"), ("cost.total", "cost")):
        _put(tree, path, sources, total(column), file="outcomes")
    _put(tree, "cost.latency_p50", sources, lambda item: _systems(item, median, "latency"), file="outcomes")
    _put(
        tree, "cost.price", sources,
        lambda item: _one(
            f"{log.get('price_in')} and {log.get('price_out')} US dollars per million tokens"
            if log.get("price_in") is not None and log.get("price_out") is not None else None
            for log in logs_of(item)
        ),
    )  # fmt: skip
