"""A policy: which criteria count, what is demanded, which caveats exist, which level decides, what abstains. A YAML file each."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from equipoise.audit.verdict import Label
from equipoise.audit.wording import REASON_CODES
from equipoise.cases.facts import Reading
from equipoise.errors import ConfigurationError, UsageError
from equipoise.evidence.criteria import KINDS
from equipoise.ids import content_hash

Level = Literal["A", "B", "C", "D"]
DEMANDABLE: tuple[str, ...] = (
    "age",
    "sex",
    "ecog",
    "histology",
    "stage",
    "setting",
    "brain_mets",
    "biomarkers",
    "pdl1",
    "prior_therapies",
)
"""Fields of the Case that a policy can demand."""

FALLBACK_CODES: tuple[str, ...] = (
    "knowledge-silent", "combination-unknown", "drug-unknown", "out-of-scope", "trial-recommendation", "non-drug-recommendation",
    "unsupported-language",
)  # fmt: skip
"""Abstentions whose label the policy chooses."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Criteria(_Part):
    """Which kinds of criteria count."""

    ignore: frozenset[str] = Field(frozenset(), description="kinds of criteria that do not count")


class Biomarkers(_Part):
    """How biomarker findings are read."""

    unreported: Literal["unknown", "absent"] = Field(
        "unknown", description="what a marker is that the record does not mention"
    )
    ambiguous: Literal["undetermined", "matches"] = Field(
        "undetermined", description="what a finding counts for that is one of several"
    )
    untargeted: Literal["concordant", "not-concordant"] = Field(
        "concordant", description="what a regimen without a target is when a reported alteration has a listed drug"
    )
    reported: Literal["same-gene", "any"] = Field(
        "same-gene", description="which reported variants a failing target is explained by"
    )


class RegimenRule(_Part):
    """How a recommendation counts that names a group where the source names a drug."""

    unspecific: Literal["caveat", "matches"] = Field("caveat", description="a caveat, or a full match")


class Levels(_Part):
    """Which level of evidence decides."""

    decide: Level = Field("A", description="Supported from this level up, Partially Supported below")
    negative: Level = Field("B", description="negatives decide from this level up")
    on_target_resistance: Level = Field("D", description="on-target resistance decides from this level up")
    open: Level = Field("B", description="an undetermined assertion leaves the verdict open from this level up")


class Caveats(_Part):
    """Which caveats exist."""

    include: Literal["all"] | tuple[str, ...] = Field("all", description="all, or the names of caveats")


class Abstain(_Part):
    """When a human must decide."""

    labels: frozenset[Label] = Field(frozenset(), description="labels that always abstain")
    reasons: frozenset[str] = Field(frozenset(), description="reason codes that abstain")
    unopposed: frozenset[str] = Field(
        frozenset(), description="reason codes that abstain unless an assertion speaks against the regimen"
    )


class Policy(_Part):
    """One policy. Its hash stands in every verdict."""

    id: str = Field(description="name by which it is chosen")
    version: int = Field(ge=1, description="raised when a rule changes")
    title: str = Field(description="short name for a reader")
    description: str = Field(description="what Supported means under it")
    sources: tuple[str, ...] = Field(description="where its rules come from")
    criteria: Criteria = Criteria()
    biomarkers: Biomarkers = Biomarkers()
    regimen: RegimenRule = RegimenRule()
    levels: Levels = Levels()
    unverified: Literal["partial", "decides"] = Field(
        "partial", description="what an entry counts for that nobody has read"
    )
    demands: tuple[str, ...] = Field((), description="fields that must be documented")
    caveats: Caveats = Caveats()
    abstain: Abstain = Abstain()
    labels: Mapping[str, Label] = Field(default_factory=dict, description="label of each abstention without a verdict")

    @functools.cached_property
    def hash(self) -> str:
        """Content hash of every rule."""
        data = self.model_dump(mode="json")
        data["criteria"]["ignore"] = sorted(data["criteria"]["ignore"])
        data["abstain"] = {key: sorted(value) for key, value in data["abstain"].items()}
        return content_hash(data)

    @functools.cached_property
    def reading(self) -> Reading:
        """How findings are read under it."""
        return Reading(self.biomarkers.unreported, self.biomarkers.ambiguous)

    def label_of(self, code: str) -> Label:
        """Label of an abstention; Insufficient Information unless the policy says otherwise."""
        return self.labels.get(code, Label.INSUFFICIENT_INFORMATION)


def _check(policy: Policy, where: str) -> Policy:
    problems = [
        f"criteria.ignore: unknown kind {name!r}; expected some of {', '.join(KINDS)}"
        for name in sorted(policy.criteria.ignore - set(KINDS))
    ]
    problems += [
        f"demands: unknown field {name!r}; expected some of {', '.join(DEMANDABLE)}"
        for name in policy.demands
        if name not in DEMANDABLE
    ]
    problems += [
        f"abstain: unknown code {name!r}"
        for name in sorted((policy.abstain.reasons | policy.abstain.unopposed) - set(REASON_CODES))
    ]
    problems += [
        f"labels: unknown code {name!r}; expected some of {', '.join(FALLBACK_CODES)}"
        for name in policy.labels
        if name not in FALLBACK_CODES
    ]
    if problems:
        message = f"{where}: {'; '.join(problems)}"
        raise ConfigurationError(message)
    return policy


def parse_policy(text: str | bytes, where: str) -> Policy:
    """Parse a policy file.

    Args:
        text: YAML.
        where: name for messages.

    Raises:
        ConfigurationError: the file breaks the contract; every problem is named.
    """
    try:
        data: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        message = f"{where}: expected YAML: {str(error).splitlines()[0]}"
        raise ConfigurationError(message) from None
    try:
        return _check(Policy.model_validate(data), where)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, item['loc'])) or 'file'}: {item['msg']}" for item in error.errors())
        message = f"{where}: {problems}"
        raise ConfigurationError(message) from None


def shipped_policies() -> tuple[str, ...]:
    """Ids of the policies that ship with the package, the default first."""
    folder = resources.files(__package__).joinpath("policies")
    names = sorted(item.name.removesuffix(".yaml") for item in folder.iterdir() if item.name.endswith(".yaml"))
    return tuple(sorted(names, key=lambda name: name != "label"))


@functools.cache
def _shipped(name: str) -> Policy:
    text = resources.files(__package__).joinpath("policies", f"{name}.yaml").read_bytes()
    return parse_policy(text, f"policy {name}")


def load_policy(name: str | Path) -> Policy:
    """A shipped policy by its id, or an institution's own by its file.

    Args:
        name: id, or path of a YAML file.

    Raises:
        UsageError: neither exists.
        ConfigurationError: the file breaks the contract.
    """
    text = str(name)
    if text in shipped_policies():
        return _shipped(text)
    file = Path(name)
    if file.suffix in (".yaml", ".yml"):
        try:
            return parse_policy(file.read_bytes(), text)
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
            raise UsageError(message, file=text) from None
    message = f"unknown policy {text!r}; expected one of {', '.join(shipped_policies())}, or a YAML file"
    raise UsageError(message)
