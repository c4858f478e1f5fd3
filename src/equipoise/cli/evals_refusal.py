"""`equipoise eval` for the refusal benchmarks: data, choice of items, the run, and what it came to by arm."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from equipoise.cli.common import percent, print_json, say, visible
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.benchmarks.prompts.loading import Loader
    from equipoise.benchmarks.prompts.released import ReleasedRun
    from equipoise.evals.guard_reading import Guard
    from equipoise.evals.logs import Converted


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line said of a refusal benchmark.

    Attributes:
        name: benchmark.
        model: Inspect's name of the model.
        data: file or folder of the user's.
        arms: arms; empty for all.
        strata: categories; empty for all.
        per_stratum: most items of one arm and category.
        seed: seed of the draw.
        system: system message, or @FILE that holds it.
        options: the loader's own, each as NAME=VALUE.
        download: whether the hub may be asked.
        allow_changed: whether a file of another revision is taken.
        trials: replies to each item.
        limit: items at most.
        prices: of prompt and reply, and the most that may be spent.
        guard: the guard the model stands behind; None for the model alone.
    """

    name: str
    model: str
    data: Path | None = None
    arms: Sequence[str] = ()
    strata: Sequence[str] = ()
    per_stratum: int | None = None
    seed: int = 42
    system: str | None = None
    options: Sequence[str] = ()
    download: bool = False
    allow_changed: bool = False
    trials: int = 1
    limit: int | None = None
    prices: Mapping[str, float | None] = field(default_factory=dict)
    guard: Guard | None = None

    @property
    def order(self) -> tuple[str, dict[str, str]]:
        """Inspect's name of what is asked, and its arguments."""
        if self.guard is None:
            return self.model, {}
        return self.guard.model(self.model), self.guard.arguments

    def task_args(self) -> dict[str, Any]:
        """Arguments of the task that are not its defaults."""
        given = {
            "data": None if self.data is None else str(self.data.resolve()),
            "arms": list(self.arms) or None,
            "strata": list(self.strata) or None,
            "per_stratum": self.per_stratum,
            "seed": self.seed if self.seed != 42 else None,
            "system": _system(self.system),
            "trials": self.trials if self.trials != 1 else None,
            "download": self.download or None,
            "allow_changed": self.allow_changed or None,
            **self.prices,
            **own_options(self.options),
        }
        return {name: value for name, value in given.items() if value is not None}


def own_options(texts: Sequence[str]) -> dict[str, Any]:
    """Options of a loader from NAME=VALUE; numbers, true and false are read as such.

    Raises:
        UsageError: one has no such form.
    """
    import yaml

    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            message = f"expected NAME=VALUE, found {text!r}"
            raise UsageError(message, field="--option")
        try:
            read = yaml.safe_load(value)
        except yaml.YAMLError:
            read = value
        found[name.strip()] = read if isinstance(read, bool | int | float) else value
    return found


def loader_of(name: str) -> Loader:
    """The loader of a refusal benchmark."""
    found: Loader = importlib.import_module(f"equipoise.benchmarks.{name}.loader").LOADER
    return found


def estimate_refusal(asked: Asked, max_tokens: int) -> dict[str, Any]:
    """What a run would need, from the prompts themselves, and the first prompt; no model is asked."""
    from equipoise.benchmarks.prompts.loading import dataset_hash
    from equipoise.benchmarks.prompts.task import read_order
    from equipoise.evals.budget import estimate, prices
    from equipoise.evals.guard_reading import guard_needs

    order = _order(asked)
    dataset, items = read_order(loader_of(asked.name), order)
    kept = items[: asked.limit]
    system = order.system
    characters = sum(len(item.prompt) + len(item.system if system is None else system) for item in kept)
    calls, characters = len(kept) * asked.trials, characters * asked.trials
    more, guard_calls = (0, 0) if asked.guard is None else guard_needs(asked.guard, characters, calls, max_tokens)
    needed = estimate(characters + more, calls + guard_calls, max_tokens, prices(order.price_in, order.price_out))
    arms: dict[str, int] = {}
    for item in kept:
        arms[item.arm.value] = arms.get(item.arm.value, 0) + 1
    return {
        "dataset": asked.name,
        "dataset_hash": dataset_hash(items),
        "files": [found.to_dict() for found in dataset.files],
        "items": len(kept),
        "arms": arms,
        **({"guard": asked.guard.name, "guard_calls": guard_calls} if asked.guard is not None else {}),
        "calls": needed.calls,
        "tokens_in": needed.tokens_in,
        "tokens_out_at_most": needed.tokens_out,
        "cost_at_most": None if needed.cost is None else round(needed.cost, 4),
        "max_cost": order.max_cost,
        "first_item": kept[0].id,
    }


def check(asked: Asked) -> None:
    """Read the data once before Inspect does, so that what is wrong is told in one line."""
    from equipoise.benchmarks.prompts.task import read_order

    read_order(loader_of(asked.name), _order(asked))


def show_estimate(value: Mapping[str, Any], *, as_json: bool) -> None:
    """Print an estimate."""
    if as_json:
        print_json(value)
        return
    for key, item in value.items():
        if key != "files":
            text = ", ".join(f"{number} {arm}" for arm, number in item.items()) if isinstance(item, Mapping) else item
            typer.echo(visible(f"{key.replace('_', ' ')}: {'not known' if text is None else text}"))
    _changed(value["files"])


def show_refusal(converted: Converted, log: str, *, as_json: bool) -> None:
    """Print what a run came to: both halves, with intervals, and what could not be read."""
    from rich.console import Console
    from rich.table import Table

    from equipoise.benchmarks.prompts.summary import summary

    info = converted.info
    log_facts = info.arguments["logs"][0]
    result = summary(converted.outcomes, converted.judgements)
    facts = {
        "benchmark": info.benchmark,
        "system": info.systems[0],
        "dataset_hash": info.dataset_hash,
        "files": log_facts.get("files", []),
        "detector_version": log_facts.get("detector_version", ""),
    }
    if as_json:
        print_json({**facts, **result, "errors": converted.errors, "not_asked": converted.not_asked, "log": log})
        return
    console = Console(highlight=False)
    console.print(
        visible(f"{facts['system']} on {facts['benchmark']}, n = {result['n']}"), markup=False, soft_wrap=True
    )
    table = Table(show_edge=False, pad_edge=False)
    for column in ("arm", "refused", "95 % interval", "full", "partial", "read", "not read", "if unread"):
        table.add_column(column, justify="left" if column == "arm" else "right")
    for arm, row in result["arms"].items():
        ends = "" if row["low"] is None else f"{100 * row['low']:.1f} to {100 * row['high']:.1f}"
        left = row["replies"] - row["readable"]
        bounds = f"{100 * row['lowest']:.1f} to {100 * row['highest']:.1f}" if left else ""
        table.add_row(
            arm,
            percent(row["share"]),
            ends,
            str(row["full"]),
            str(row["partial"]),
            str(row["readable"]),
            str(left),
            bounds,
        )
    console.print(table)
    told = ", ".join(f"{number} {state}" for state, number in result["states"].items() if number)
    console.print(f"replies: {told}. Refused is full or partial; intervals take replies as independent.", markup=False)
    held = [f"{row['blocked_by_guard']} {arm}" for arm, row in result["arms"].items() if row["blocked_by_guard"]]
    if held:
        console.print(f"Blocked by the guard and counted as full refusals: {', '.join(held)}.", markup=False)
    _changed(facts["files"])


def _changed(files: Sequence[Mapping[str, Any]]) -> None:
    for item in files:
        if item["changed"]:
            say(f"equipoise: {item['path']} is not the pinned revision; its hash {item['sha256']} is recorded")


def _system(text: str | None) -> str | None:
    if text is None or not text.startswith("@"):
        return text
    from equipoise.outcomes.readers import read_text

    return read_text(Path(text[1:])).strip()


def _order(asked: Asked) -> Any:
    from equipoise.benchmarks.prompts.task import Order

    own = own_options(asked.options)
    loader_options = _known_options(asked.name)
    unknown = [name for name in own if name not in loader_options]
    if unknown:
        there = ", ".join(sorted(loader_options)) or "none"
        message = f"{asked.name} has no option {unknown[0]!r}; there are {there}"
        raise UsageError(message, field="--option")
    common = {name: value for name, value in asked.task_args().items() if name not in own}
    return Order(**common, options=own)


def _known_options(name: str) -> set[str]:
    """The loader's own options."""
    import inspect

    build = loader_of(name).build
    return set(list(inspect.signature(build).parameters)[1:])


RELEASED: tuple[str, ...] = ("xstest", "iatrobench", "refusalbench", "missing_info")
"""Benchmarks of which replies or judgements are public."""


def released_of(name: str, place: Path, *, detect: bool) -> ReleasedRun:
    """Published replies as a run; its time is that of the newest file.

    Raises:
        UsageError: nothing is public of that benchmark, or the files are not here.
        InputError: a file is of another form.
    """
    import datetime as dt

    from equipoise.benchmarks.prompts.released import released_run

    if name not in RELEASED:
        message = f"expected one of {', '.join(RELEASED)}; found {name!r}"
        raise UsageError(message, field="name")
    if not place.exists():
        message = "there is no such file or folder"
        raise UsageError(message, file=str(place))
    module = importlib.import_module(f"equipoise.benchmarks.{name}.released")
    reader = module.read_released
    if name == "xstest" and detect:
        from equipoise.evals.refusal_reading import default_detector

        released = reader(place, default_detector())
    else:
        released = reader(place)
    newest = max(path.stat().st_mtime for path in released.files)
    source = getattr(module, "SOURCE", None) or loader_of(name).sources[0]
    return released_run(
        released,
        created_at=dt.datetime.fromtimestamp(newest, tz=dt.UTC).isoformat(timespec="seconds"),
        source={"repository": source.repository, "revision": source.revision, "licence": source.licence},
    )


def write_released(out: Path, run: ReleasedRun, *, overwrite: bool) -> None:
    """Write a run and tell what it holds and what has no place in it."""
    from equipoise.benchmarks.openmtb.scoring import write_references
    from equipoise.outcomes.run import write_run

    write_run(out, run.info, run.outcomes, run.judgements, overwrite=overwrite)
    write_references(out, run.references)
    states: dict[str, int] = {}
    for row in run.outcomes:
        states[row["state"]] = states.get(row["state"], 0) + 1
    told = ", ".join(f"{number} {state}" for state, number in sorted(states.items())) or "none"
    say(f"{len(run.outcomes)} replies of {len(run.info.systems)} systems: {told}; {len(run.judgements)} judgements")
    for text, number in run.unmapped.items():
        say(f"equipoise: not in the tables: {text} ({number} times)")
    say(f"Run folder: {out}")
