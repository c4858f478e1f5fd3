"""Sets of questions and conversations that operators work on: found as the refusal sets are, read into items of another kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from equipoise.benchmarks.prompts.local import Found, Wanted, find_files
from equipoise.benchmarks.prompts.sources import SourceFile
from equipoise.benchmarks.prompts.tables import Record, read_table, require_unique
from equipoise.errors import InputError, UsageError
from equipoise.ids import content_hash
from equipoise.redteam.operators.items import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSet:
    """Items with the file they were read from.

    Attributes:
        benchmark: name of the set.
        items: in the order of the file.
        file: the file.
    """

    benchmark: str
    items: tuple[Item, ...]
    file: Found

    @property
    def content_hash(self) -> str:
        """Hash over identifiers and contents, in order."""
        return content_hash([[item.id, item.content_hash] for item in self.items])


Build = Callable[[Record, int, str], Item]
"""From a record, its 1-based number and the file's name to an item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLoader:
    """How a set is read.

    Attributes:
        benchmark: name of the set.
        sources: its files; one of them is read at a time, the first by default.
        build: makes an item of a record.
    """

    benchmark: str
    sources: tuple[SourceFile, ...]
    build: Build

    def read(
        self,
        data: str | Path | None = None,
        *,
        part: str = "",
        download: bool = False,
        allow_changed: bool = False,
        token: str | None = None,
    ) -> ItemSet:
        """Find a file and read its items.

        Args:
            data: file or folder of the user's; None for the folder of `EQUIPOISE_DATASETS`.
            part: identifier of one of the files; empty for the first, or for the one whose name `data` has.
            download: whether the hub may be asked.
            allow_changed: whether a file of another revision is taken and recorded.
            token: the hub's token; None for that of the environment.

        Raises:
            UsageError: the file is nowhere, or there is no such part.
            InputError: the file is not the pinned one or cannot be read; names the record and the element.
            UpstreamError: the hub refuses or fails.
        """
        path = None if data is None else Path(data)
        source = self._source(path, part)
        found = find_files(
            source,
            Wanted(benchmark=self.benchmark, data=path, download=download, allow_changed=allow_changed, token=token),
        )
        place = str(found.paths[0])
        records = read_table(found.paths[0], source.columns)
        items = tuple(self.build(record, number, place) for number, record in enumerate(records, start=1))
        require_unique([item.id for item in items], file=place)
        return ItemSet(benchmark=self.benchmark, items=items, file=found)

    def load(self, data: str | Path | None = None, *, part: str = "", allow_changed: bool = False) -> tuple[Item, ...]:
        """The items alone; arguments and errors as of `read`."""
        return self.read(data, part=part, allow_changed=allow_changed).items

    def _source(self, path: Path | None, part: str) -> SourceFile:
        if part:
            for source in self.sources:
                if source.id == part:
                    return source
            message = f"there is no part {part!r}; expected one of {', '.join(item.id for item in self.sources)}"
            raise UsageError(message, field="part")
        named = [source for source in self.sources if path is not None and source.name == path.name]
        return (named or list(self.sources))[0]


def refuse(message: str, *, file: str, number: int, field: str) -> InputError:
    """The error of one record, to be raised: it names file, record and element."""
    return InputError(f"record {number}: {message}", file=file, field=field)


def texts_of(values: Iterable[object], *, file: str, number: int, field: str) -> list[str]:
    """Texts of a list, stripped.

    Raises:
        InputError: one is no text, or empty.
    """
    texts: list[str] = []
    for value in values:
        if not isinstance(value, str) or not value.strip():
            what = "an empty text" if isinstance(value, str) else type(value).__name__
            message = f"expected texts, found {what}"
            raise refuse(message, file=file, number=number, field=field)
        texts.append(value.strip())
    return texts
