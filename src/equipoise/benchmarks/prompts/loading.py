"""From files to items: one loader a data set, and the choice of arms, categories and a seeded number of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.local import Found, Wanted, find_files
from equipoise.benchmarks.prompts.sources import SourceFile, described
from equipoise.benchmarks.prompts.tables import Record, read_table, require_unique
from equipoise.errors import UsageError
from equipoise.ids import content_hash, text_hash
from equipoise.refusal.terms import Arm

DATA = "data"
"""Name of the argument and option that names the user's copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Items with what they were read from.

    Attributes:
        benchmark: name of the data set.
        items: in the order of the files.
        files: the files read.
    """

    benchmark: str
    items: tuple[PromptItem, ...]
    files: tuple[Found, ...]


Build = Callable[..., Iterable[PromptItem]]
"""From the files found, and the loader's own options by name, to items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loader:
    """How a data set is read.

    Attributes:
        benchmark: name of the data set.
        sources: its files, the ones needed first.
        build: makes the items.
        choose: from the loader's own options to the identifiers of the files needed; None for all of them.
    """

    benchmark: str
    sources: tuple[SourceFile, ...]
    build: Build
    choose: Callable[..., Sequence[str]] | None = None

    def read(
        self,
        data: str | Path | None = None,
        *,
        download: bool = False,
        allow_changed: bool = False,
        token: str | None = None,
        **options: Any,
    ) -> Dataset:
        """Find the files and read the items.

        Args:
            data: file or folder of the user's; None for the folder of `EQUIPOISE_DATASETS`.
            download: whether the hub may be asked.
            allow_changed: whether a file of another revision is taken and recorded.
            token: the hub's token; None for that of the environment.
            options: the loader's own options.

        Raises:
            UsageError: a file is nowhere, or an option has no such value.
            InputError: a file is not the pinned one, or cannot be read.
            UpstreamError: the hub refuses or fails.
        """
        wanted = Wanted(
            benchmark=self.benchmark,
            data=None if data is None else Path(data),
            download=download,
            allow_changed=allow_changed,
            token=token,
        )
        names = [item.id for item in self.sources] if self.choose is None else list(self.choose(**options))
        needed = [item for item in self.sources if item.id in names]
        if wanted.data is not None and wanted.data.is_file():
            needed = [_named(needed, wanted.data)]
        files = []
        for source in needed:
            try:
                files.append(find_files(source, wanted))
            except UsageError:
                if not source.optional or not files:
                    raise
        items = tuple(self.build(files, **options))
        place = str(wanted.data) if wanted.data is not None else files[0].source.name
        require_unique([item.id for item in items], file=place)
        if not items:
            message = "no item is left: the options choose none"
            raise UsageError(message, file=place)
        return Dataset(benchmark=self.benchmark, items=items, files=tuple(files))

    def load(self, data: str | Path | None = None, **options: Any) -> tuple[PromptItem, ...]:
        """The items alone; arguments and errors as of `read`."""
        return self.read(data, **options).items


def _named(sources: Sequence[SourceFile], path: Path) -> SourceFile:
    """The source a single file is taken for: the one of its name, else the first."""
    return next((source for source in sources if source.name == path.name), sources[0])


def records_of(found: Found) -> list[Record]:
    """Records of the files of a source, with the columns it needs.

    Raises:
        InputError: a file cannot be read or lacks a column.
    """
    about = described(found.source)
    return [record for path in found.paths for record in read_table(path, found.source.columns, about=about)]


def dataset_hash(items: Iterable[PromptItem]) -> str:
    """Content hash over prompts, arms and clusters, in order."""
    return content_hash(
        [
            [item.id, text_hash(item.prompt), text_hash(item.system), item.arm.value, item.stratum, item.group, item.pair,
             item.item_set, item.item_family]
            for item in items
        ]
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which items are asked.

    Attributes:
        arms: arms; none for all.
        strata: categories; none for all.
        per_stratum: most items of one arm and category, drawn at random; None for all.
        seed: seed of the draw.
    """

    arms: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    per_stratum: int | None = None
    seed: int = 42


def chosen(items: Sequence[PromptItem], choice: Choice) -> tuple[PromptItem, ...]:
    """The items of a choice, in their order; the same seed draws the same items.

    Raises:
        UsageError: an arm or category that no item has, a limit below 1, or no item is left.
    """
    for field, asked, known in (
        ("arms", choice.arms, sorted({item.arm.value for item in items})),
        ("strata", choice.strata, sorted({item.stratum for item in items})),
    ):
        unknown = [name for name in asked if name not in known]
        if unknown:
            message = f"no item has {unknown[0]!r}; there are {', '.join(name or '(none)' for name in known)}"
            raise UsageError(message, field=field)
    if choice.per_stratum is not None and choice.per_stratum < 1:
        message = f"expected 1 or more, found {choice.per_stratum}"
        raise UsageError(message, field="per_stratum")
    kept = [
        item
        for item in items
        if (not choice.arms or item.arm.value in choice.arms) and (not choice.strata or item.stratum in choice.strata)
    ]
    if not kept:
        message = "no item is left: no category has that arm"
        raise UsageError(message, field="strata")
    return tuple(kept if choice.per_stratum is None else _drawn(kept, choice.per_stratum, choice.seed))


def _drawn(items: Sequence[PromptItem], most: int, seed: int) -> list[PromptItem]:
    cells: dict[tuple[str, str], list[int]] = {}
    for place, item in enumerate(items):
        cells.setdefault((item.arm.value, item.stratum), []).append(place)
    rng = np.random.default_rng(seed)
    places: set[int] = set()
    for key in sorted(cells):
        own = cells[key]
        places.update(own if len(own) <= most else (own[index] for index in rng.permutation(len(own))[:most]))
    return [items[place] for place in sorted(places)]


def arm_of(value: str, names: Mapping[str, Arm], *, file: str, field: str) -> Arm:
    """An arm by the data set's own word for it.

    Raises:
        UsageError: the word is unknown.
    """
    found = names.get(value.strip().lower())
    if found is None:
        message = f"expected one of {', '.join(names)}; found {value!r}"
        raise UsageError(message, file=file, field=field)
    return found
