"""The tests of a pack against a protocol that was fixed beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import InputError
from equipoise.outcomes.gate import GateResult, gate
from equipoise.outcomes.protocol import Protocol, parse_protocol
from equipoise.outcomes.readers import read_text
from equipoise.pack.results import Part
from equipoise.pack.tree import Tree, cut
from equipoise.report.gatepage import sentence

PROTOCOL = "protocol.yaml"
"""Name of the protocol in a pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A system held against the protocol.

    Attributes:
        part: the system.
        result: the decisions.
        baseline: the system margin lines compare with; empty without one.
    """

    part: Part
    result: GateResult
    baseline: str


def load(path: str | Path) -> tuple[Protocol, bytes]:
    """A protocol and its bytes.

    Args:
        path: YAML file.

    Raises:
        UsageError: there is no such file.
        ConfigurationError: it is no protocol.
    """
    import yaml

    from equipoise.errors import ConfigurationError

    text = read_text(Path(path))
    try:
        return parse_protocol(yaml.safe_load(text), file=str(path)), Path(path).read_bytes()
    except yaml.YAMLError as error:
        message = f"{path}: not readable YAML ({error})"
        raise ConfigurationError(message) from error


def hold(every: Sequence[Part], before: Sequence[Part], protocol: Protocol, *, seed: int) -> tuple[Held, ...]:
    """Holds the runs of a system on the protocol's benchmark and cases against it.

    Args:
        every: the system in each of its runs.
        before: the systems of the last pack, which margin lines compare with.
        protocol: the protocol.
        seed: seed of the intervals.

    Raises:
        InputError: the protocol fits no run, or a margin line finds no earlier run of a system.
    """
    margins = any(line.margin is not None for line in protocol.lines)
    found = []
    for part in every:
        info = part.run.info
        if protocol.benchmark not in (None, info.benchmark) or protocol.dataset_hash not in (None, info.dataset_hash):
            continue
        old = next((item for item in before if _same(item, part)), None) if margins else None
        if margins and old is None:
            message = f"margin lines compare with a last pack that has a run of {part.system}; name it with --previous"
            raise InputError(message, field="previous")
        result = gate(
            part.run,
            protocol,
            baseline=old.run if old else None,
            system=part.system,
            baseline_system=old.system if old else None,
            seed=seed,
        )
        found.append(Held(part=part, result=result, baseline=f"{old.shown}, {old.run.info.run_id}" if old else ""))
    if not found:
        message = "the protocol is for another benchmark or other cases than the runs of the product"
        raise InputError(message, field="protocol")
    return tuple(found)


def add_gate(tree: Tree, held: Sequence[Held], protocol: Protocol) -> None:
    """Adds protocol and decisions to the fields.

    Args:
        tree: the fields.
        held: the decisions.
        protocol: the protocol.
    """
    files = [PROTOCOL]
    tree.put("protocol.path", PROTOCOL, files)
    tree.put("protocol.sha256", protocol.hash, files)
    tree.put("protocol.margins", {line.id: line.margin for line in protocol.lines if line.margin is not None}, files)
    tree.put("protocol.min_n", {line.id: line.minimum_n for line in protocol.lines}, files)
    value = [{"system": item.part.shown, "baseline": item.baseline, **item.result.to_dict()} for item in held]
    text = "; ".join(f"{item.part.shown}: {sentence(item.result)}" for item in held)
    tree.put("gate", value, [PROTOCOL, *(item.part.source.outcomes_file for item in held)], text=cut(text))


def _same(one: Part, two: Part) -> bool:
    return one.system == two.system and one.run.info.benchmark == two.run.info.benchmark
