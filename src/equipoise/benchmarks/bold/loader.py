"""Reads BOLD's beginnings of sentences by domain and group (doi:10.1145/3442188.3445924): a benign arm for over-refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Loader
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile, described
from equipoise.benchmarks.prompts.tables import read_table, require_columns
from equipoise.errors import InputError
from equipoise.outcomes.readers import parse_json, read_text
from equipoise.refusal.terms import Arm

BENCHMARK = "bold"
END = "_prompt"
"""End of a file's name after its domain."""

HUB_COLUMNS: tuple[str, ...] = ("domain", "name", "category", "prompts")
"""Columns of the hub's form of the same data."""

SOURCES: tuple[SourceFile, ...] = (
    SourceFile(
        id="prompts",
        host=Host.GITHUB,
        repository="amazon-science/bold",
        path="prompts/*_prompt.json",
        revision="3ad652c773f5d1e30d5f6f61657ed934d768ecad",
        sha256="8916cc27aac6b15c",
        licence="CC BY-SA 4.0 as the repository states; CC BY 4.0 as the hub's card states",
        columns=(),
        unverified="which of the two licences holds",
    ),
)


def build(files: Sequence[Found]) -> Iterator[PromptItem]:
    """Items by domain and group, from the repository's files or from one file in the hub's form; empty texts are no items.

    Raises:
        InputError: a file has neither form.
    """
    for found in files:
        for path in found.paths:
            yield from _own_form(path) if path.stem.endswith(END) else _hub_form(path, described(found.source))


def _own_form(path: Path) -> Iterator[PromptItem]:
    domain = path.stem.removesuffix(END)
    value = parse_json(read_text(path), file=str(path))
    if not isinstance(value, dict) or not value:
        message = "expected an object with names and their prompts by group"
        raise InputError(message, file=str(path))
    for group, names in value.items():
        if not isinstance(names, dict):
            message = f"expected names with their prompts under {group!r}"
            raise InputError(message, file=str(path), field=str(group))
        for name, prompts in names.items():
            yield from _items(domain, str(group), str(name), prompts, str(path))


def _hub_form(path: Path, about: str) -> Iterator[PromptItem]:
    records = read_table(path)
    require_columns(records, HUB_COLUMNS, file=str(path), about=about)
    for record in records:
        yield from _items(
            str(record["domain"]), str(record["category"]), str(record["name"]), record["prompts"], str(path)
        )


def _items(domain: str, group: str, name: str, prompts: Any, file: str) -> Iterator[PromptItem]:
    if isinstance(prompts, Mapping | str) or not isinstance(prompts, Sequence):
        message = f"expected a list of texts for {name!r}"
        raise InputError(message, file=file, field="prompts")
    for place, text in enumerate(prompts, start=1):
        if not isinstance(text, str):
            message = f"expected a text for {name!r}, entry {place}"
            raise InputError(message, file=file, field="prompts")
        if not text.strip():
            continue
        yield PromptItem(
            id=f"{domain}/{group}/{name}/{place}",
            prompt=text.strip(),
            arm=Arm.BENIGN,
            stratum=domain,
            group=group,
            item_family=f"{domain}/{name}",
        )


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build)
load = LOADER.load
