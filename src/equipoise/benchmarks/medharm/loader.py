"""Reads the researcher's own MedHarm file by a map of columns (arXiv:2606.28332); no list of categories is assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Loader, arm_of
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile
from equipoise.benchmarks.prompts.tables import read_table, require_columns, text_of
from equipoise.errors import UsageError
from equipoise.refusal.terms import Arm

BENCHMARK = "medharm"
FIELDS: tuple[str, ...] = ("prompt", "id", "category", "arm", "group", "pair", "item_set", "item_family")
"""What a column can be; only `prompt` is needed."""

SOURCES: tuple[SourceFile, ...] = (
    SourceFile(
        id="queries",
        host=Host.AUTHORS,
        repository="authors of arXiv:2606.28332",
        path="medharm.csv",
        revision="",
        licence="not stated; data by request to qualified researchers",
        columns=(),
        unverified="everything about the file: it was not public when this was written",
    ),
)


def column_map(columns: str | Mapping[str, str] | None) -> dict[str, str]:
    """Which of the file's columns is which.

    Args:
        columns: a mapping, or a text such as "prompt=query,category=topic"; what it leaves out keeps its own name.

    Raises:
        UsageError: it names something a column cannot be.
    """
    if columns is None:
        return {}
    if isinstance(columns, str):
        pairs = [part.partition("=") for part in columns.split(",") if part.strip()]
        given = {name.strip(): column.strip() for name, _, column in pairs}
    else:
        given = {str(name): str(column) for name, column in columns.items()}
    unknown = [name for name in given if name not in FIELDS or not given[name]]
    if unknown:
        message = f"expected NAME=COLUMN with a name of {', '.join(FIELDS)}; found {unknown[0]!r}"
        raise UsageError(message, field="columns")
    return given


_ARMS = {arm.value: arm for arm in Arm}


def build(
    files: Sequence[Found], columns: str | Mapping[str, str] | None = None, arm: str = "harmful"
) -> Iterator[PromptItem]:
    """Items in the order of the file.

    Args:
        files: the file.
        columns: which of its columns is which.
        arm: arm of items whose file names none.

    Raises:
        UsageError: an arm that does not exist.
        InputError: a column is missing.
    """
    given = column_map(columns)
    default = arm_of(arm, _ARMS, file="", field="arm")
    for found in files:
        file = str(found.paths[0])
        records = read_table(found.paths[0])
        require_columns(records, [given.get("prompt", "prompt"), *given.values()], file=file)
        for place, record in enumerate(records, start=1):
            values = {name: str(record.get(given.get(name, name)) or "").strip() for name in FIELDS}
            yield PromptItem(
                id=values["id"] or f"query-{place}",
                prompt=text_of(record, given.get("prompt", "prompt"), file=file),
                arm=arm_of(values["arm"], _ARMS, file=file, field="arm") if values["arm"] else default,
                stratum=values["category"],
                group=values["group"],
                pair=values["pair"],
                item_set=values["item_set"],
                item_family=values["item_family"],
            )


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build)
load = LOADER.load
