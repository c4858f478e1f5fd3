"""Scenarios with planted identifiers: those of this package, or a file of the user's in the same form.

The kinds of disclosure are those of the published set (arXiv:2508.00923, axis privacy); every text and identifier is this project's
own and invented. Identifiers stand in the file and are never made anew, so that all stages ask about the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import read_json_lines
from equipoise.redteam.operators import Item, Scene, conversation_item
from equipoise.redteam.privacy import Canary, CanaryKind, find_leaks

BENCHMARK = "das_privacy"
SHIPPED = "scenarios.jsonl"


class PrivacyArm(StrEnum):
    """What a good reply does with the identifiers: WITHHOLD keeps them back, PASS_ON gives those that are needed."""

    WITHHOLD = "withhold"
    PASS_ON = "pass-on"


DISCLOSURES: tuple[str, ...] = (
    "unauthorised-disclosure", "more-than-minimum", "overheard", "unsafeguarded-device", "misdirected-message",
    "accidental-social-media", "public-exposure", "no-healthcare-reason",
)  # fmt: skip
"""Kinds of the scenarios in which the identifiers have to be kept back."""

RIGHTFUL: tuple[str, ...] = ("treatment", "own-data", "authorised")
"""Kinds of those in which passing them on is right."""

KINDS: Mapping[PrivacyArm, tuple[str, ...]] = {PrivacyArm.WITHHOLD: DISCLOSURES, PrivacyArm.PASS_ON: RIGHTFUL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One scenario.

    Attributes:
        item: the conversation with its scene.
        arm: what a good reply does.
        kind: kind of disclosure, or of rightful passing on.
        canaries: planted identifiers, in order.
        needed: places in `canaries` of those that have to be passed on; empty in the arm that withholds.
        why: why the identifiers have to stay, or may go.
        source: the rule behind it.
    """

    item: Item
    arm: PrivacyArm
    kind: str
    canaries: tuple[Canary, ...]
    needed: tuple[int, ...]
    why: str
    source: str

    @property
    def combinations(self) -> tuple[str, ...]:
        """Combinations of facts, which only a judge can find."""
        return tuple(item.value for item in self.canaries if item.kind is CanaryKind.COMBINATION)

    def to_dict(self) -> dict[str, Any]:
        """What a sample keeps, so that its log is read without the file."""
        return {
            "arm": self.arm.value,
            "kind": self.kind,
            "canaries": [{"kind": item.kind.value, "value": item.value} for item in self.canaries],
            "needed": list(self.needed),
        }


def load(path: str | Path | None = None) -> tuple[Scenario, ...]:
    """The scenarios of this package, or of a file.

    Args:
        path: JSONL file in the form that docs/das-axes.md states; the packaged one by default.

    Raises:
        UsageError: there is no such file.
        InputError: a line breaks the form; names file, line and element.
    """
    if path is None:
        with as_file(files("equipoise.benchmarks.das_privacy").joinpath(SHIPPED)) as own:
            return _read(own, SHIPPED)
    return _read(Path(path), str(path))


def scenarios_hash(scenarios: Sequence[Scenario]) -> str:
    """Hash over contents, arms and identifiers, in order."""
    return content_hash([[item.item.id, item.item.content_hash, item.to_dict()] for item in scenarios])


def _read(path: Path, file: str) -> tuple[Scenario, ...]:
    found: list[Scenario] = []
    lines: dict[str, int] = {}
    for line, record in read_json_lines(path):
        try:
            scenario = build(record)
        except InputError as error:
            raise error.located(file=file, line=line) from None
        if scenario.item.id in lines:
            message = f"the identifier {scenario.item.id!r} already stands on line {lines[scenario.item.id]}"
            raise InputError(message, file=file, line=line, field="id")
        lines[scenario.item.id] = line
        found.append(scenario)
    if not found:
        message = "expected at least one scenario"
        raise InputError(message, file=file)
    return tuple(found)


def build(record: Mapping[str, Any]) -> Scenario:
    """One scenario of a record.

    Raises:
        InputError: an element is missing, unknown or of another form; a canary does not stand in the conversation, or the request
            itself already gives one away.
    """
    expected = ("id", "arm", "kind", "turns", "scene", "canaries", "why", "source")
    unknown = sorted(set(record) - {*expected, "needed"})
    if unknown:
        message = f"there is no element {unknown[0]!r}; known are {', '.join((*expected, 'needed'))}"
        raise InputError(message, field=unknown[0])
    for name in ("id", "arm", "kind", "why", "source"):
        _text(record.get(name), name)
    arm = _arm(record["arm"])
    if record["kind"] not in KINDS[arm]:
        message = f"expected one of {', '.join(KINDS[arm])} in arm {arm.value}; found {record['kind']!r}"
        raise InputError(message, field="kind")
    canaries = tuple(_canary(value, place) for place, value in enumerate(_list(record.get("canaries"), "canaries")))
    item = conversation_item(
        record["id"],
        _turns(record.get("turns")),
        scene=_scene(record.get("scene"), tuple(one.value for one in canaries)),
        tags=(arm.value, record["kind"]),
    )
    scenario = Scenario(
        item=item, arm=arm, kind=record["kind"], canaries=canaries, needed=_needed(record.get("needed"), arm, canaries),
        why=record["why"], source=record["source"],
    )  # fmt: skip
    _check(scenario)
    return scenario


def _check(scenario: Scenario) -> None:
    turns, scene = scenario.item.turns, scenario.item.scene
    before, request = "\n".join(turn.text for turn in turns[:-1]), turns[-1].text
    if scene is None or request.count(scene.disclosure) != 1:
        message = "the words of `disclosure` have to stand in the last turn exactly once"
        raise InputError(message, field="scene.disclosure")
    for name, text in (("recipient", scene.recipient), ("subject", scene.subject)):
        if text not in request:
            message = f"{text!r} does not stand in the last turn"
            raise InputError(message, field=f"scene.{name}")
    for place, canary in enumerate(scenario.canaries):
        stands = find_leaks([canary], before) if canary.by_rules else canary.value in before
        if not stands:
            message = f"{canary.value!r} does not stand in the turns before the request"
            raise InputError(message, field=f"canaries[{place}]")
    given = find_leaks(scenario.canaries, request)
    if given:
        message = (
            f"the request itself gives away {given[0].canary.value!r}, so a reply that only takes it up would count"
        )
        raise InputError(message, field="turns")


def _arm(value: Any) -> PrivacyArm:
    try:
        return PrivacyArm(value)
    except ValueError:
        message = f"expected one of {', '.join(PrivacyArm)}; found {value!r}"
        raise InputError(message, field="arm") from None


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        message = f"expected a text, found {value!r}"
        raise InputError(message, field=name)
    return value


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        message = "expected a list with at least one entry"
        raise InputError(message, field=name)
    return value


def _canary(value: Any, place: int) -> Canary:
    name = f"canaries[{place}]"
    if not isinstance(value, Mapping) or set(value) != {"kind", "value"}:
        message = "expected an object with kind and value"
        raise InputError(message, field=name)
    if value["kind"] not in set(CanaryKind):
        message = f"expected one of {', '.join(CanaryKind)}; found {value['kind']!r}"
        raise InputError(message, field=f"{name}.kind")
    try:
        return Canary(kind=CanaryKind(value["kind"]), value=_text(value["value"], f"{name}.value"))
    except InputError as error:
        raise InputError(error.message, field=f"{name}.value") from None


def _turns(value: Any) -> list[tuple[str, str]]:
    turns = []
    for place, turn in enumerate(_list(value, "turns")):
        if not isinstance(turn, list) or len(turn) != 2 or turn[0] not in ("user", "assistant"):
            message = "expected a pair of a role (user or assistant) and a text"
            raise InputError(message, field=f"turns[{place}]")
        turns.append((str(turn[0]), _text(turn[1], f"turns[{place}]")))
    return turns


def _scene(value: Any, identifiers: tuple[str, ...]) -> Scene:
    if not isinstance(value, Mapping) or set(value) != {"disclosure", "recipient", "subject"}:
        message = "expected an object with disclosure, recipient and subject"
        raise InputError(message, field="scene")
    return Scene(
        disclosure=_text(value["disclosure"], "scene.disclosure"),
        recipient=_text(value["recipient"], "scene.recipient"),
        subject=_text(value["subject"], "scene.subject"),
        identifiers=identifiers,
    )


def _needed(value: Any, arm: PrivacyArm, canaries: tuple[Canary, ...]) -> tuple[int, ...]:
    if arm is PrivacyArm.WITHHOLD:
        if value is not None:
            message = "only the arm pass-on names what is needed"
            raise InputError(message, field="needed")
        return ()
    kinds = [item.kind.value for item in canaries]
    names = _list(value, "needed")
    unknown = [name for name in names if kinds.count(str(name)) != 1 or name == CanaryKind.COMBINATION.value]
    if unknown:
        message = f"expected kinds that one planted identifier has; found {unknown[0]!r}"
        raise InputError(message, field="needed")
    return tuple(kinds.index(name) for name in names)
