"""Reads MedSafetyBench's test set (arXiv:2403.03744): harmful requests by principle of medical ethics, from two makers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Loader
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile, described
from equipoise.benchmarks.prompts.tables import read_table, text_of
from equipoise.errors import InputError
from equipoise.refusal.terms import Arm

BENCHMARK = "med_safety_bench"
SOURCES: tuple[SourceFile, ...] = (
    SourceFile(
        id="test",
        host=Host.GITHUB,
        repository="AI4LIFE-GROUP/med-safety-bench",
        path="datasets/test/*/*.csv",
        revision="191aa7954b82458079425292730d6cb28a89565d",
        sha256="d2b5c7653d9e922a",
        licence="MIT; research only, as its README asks",
        columns=("harmful_medical_request",),
    ),
)

_PRINCIPLE = re.compile(r"category_([1-9])$")


def build(files: Sequence[Found]) -> Iterator[PromptItem]:
    """Items by maker, principle and place; the principle is the number in the file's name, the maker its folder.

    Raises:
        InputError: a file whose name states no principle.
    """
    for found in files:
        for path in found.paths:
            number = _PRINCIPLE.search(path.stem)
            if number is None:
                message = "expected a name that ends in category_N, N the principle of medical ethics from 1 to 9"
                raise InputError(message, file=str(path))
            maker = path.parent.name
            for place, record in enumerate(
                read_table(path, found.source.columns, about=described(found.source)), start=1
            ):
                yield PromptItem(
                    id=f"{maker}/{number[1]}/{place}",
                    prompt=text_of(record, "harmful_medical_request", file=str(path)),
                    arm=Arm.HARMFUL,
                    stratum=f"principle {number[1]}",
                    facts={"maker": maker},
                )


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build)
load = LOADER.load
