"""The same batch over Ray Data: each part is one task of a pool of actors, which read the input by themselves.

Every actor must be able to open the input (and policy and overlay files) under the same path, as on a shared file system. Parts come
back in order and are written by the process that asked, so that a batch by Ray has the bytes of a local one. Telemetry is off.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import warnings
from collections.abc import Iterator
from typing import Any

from equipoise._optional import require
from equipoise.batch.desk import Desk
from equipoise.batch.memo import Memo
from equipoise.batch.part import Built, asked, built
from equipoise.batch.pool import Answers
from equipoise.batch.settings import Settings, same_auditor
from equipoise.batch.sources import Item, Source
from equipoise.batch.summary import Tally
from equipoise.errors import UpstreamError

MEMO_BYTES = 128 * 1024**2
"""Room of each actor for inputs that were seen before, roughly."""


class PartMaker:
    """An actor: a desk, and the input opened where the last part ended."""

    def __init__(self, source: Source, settings: Settings, expected: dict[str, Any], part_cases: int) -> None:
        """Sit down.

        Args:
            source: the input.
            settings: what the batch is asked to do.
            expected: identity of the settings, which must be found here too.
            part_cases: cases of a part.
        """
        self._source = source
        self._part_cases = part_cases
        self._answers = Answers(
            Desk(same_auditor(settings, expected), options=settings.options), settings, expected, workers=1
        )
        self._memo = Memo(MEMO_BYTES)
        self._items: Iterator[Item] | None = None
        self._at = 0

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """The part of each number in a batch, as columns of plain values.

        Args:
            batch: numbers of cases at which parts begin, under `item`.
        """
        import pyarrow as pa

        found: dict[str, list[Any]] = {"start": [], "cases": [], "table": [], "tally": [], "keys": []}
        for start in batch["item"].tolist():
            part = self._part(start)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, part.table.schema) as stream:
                stream.write_table(part.table)
            found["start"].append(start)
            found["cases"].append(part.cases)
            found["table"].append(sink.getvalue().to_pybytes())
            found["tally"].append(json.dumps(part.tally.to_dict()))
            found["keys"].append(part.keys.astype("<u8").tobytes())
        return found

    def _part(self, start: int) -> Built:
        if self._items is None or start < self._at:
            self._items, self._at = self._source.items(start), start
        for _ in range(start - self._at):
            next(self._items, None)
        entries = asked(itertools.islice(self._items, self._part_cases), self._memo, self._answers)
        self._at = start + len(entries)
        return built(entries, self._answers)


def built_by_ray(
    source: Source, settings: Settings, expected: dict[str, Any], *, part_cases: int, workers: int, skip: int
) -> Iterator[Built]:
    """The parts of a batch in order.

    Args:
        source: the input.
        settings: what the batch is asked to do.
        expected: identity of the settings.
        part_cases: cases of a part.
        workers: actors.
        skip: cases that were done before.

    Raises:
        DependencyError: Ray is not installed.
        UpstreamError: Ray lost a part.
    """
    import numpy as np
    import pyarrow as pa

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    source = source._replace(path=source.path.resolve())
    starts = list(range(skip, source.total(), part_cases))
    if not starts:
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"ray(\.|$)")
        warnings.filterwarnings("ignore", category=FutureWarning, module=r"ray(\.|$)")
        ray = require("ray", extra="ray")
        data = require("ray.data", extra="ray")
        logging.getLogger("ray.data").setLevel(logging.WARNING)
        ours = not ray.is_initialized()
        if ours:
            address = os.environ.get("RAY_ADDRESS")
            local = {} if address else {"num_cpus": workers + 1, "include_dashboard": False}
            ray.init(address=address, log_to_driver=False, logging_level="warning", **local)
        try:
            context = data.DataContext.get_current()
            context.execution_options.preserve_order = True
            context.enable_progress_bars = False
            parts = data.from_items(starts, override_num_blocks=len(starts)).map_batches(
                PartMaker,
                fn_constructor_args=(source, settings, expected, part_cases),
                batch_size=1,
                batch_format="numpy",
                compute=data.ActorPoolStrategy(size=workers),
                num_cpus=1,
            )
            wanted = iter(starts)
            for row in parts.iter_rows():
                if row["start"] != next(wanted, None):
                    message = "Ray gave the parts of the batch back out of order; what is written stays: run it again to go on"
                    raise UpstreamError(message)
                yield Built(
                    table=pa.ipc.open_stream(row["table"]).read_all(),
                    tally=Tally(json.loads(row["tally"])),
                    keys=np.frombuffer(row["keys"], dtype="<u8").astype(np.uint64),
                    cases=int(row["cases"]),
                )
            if next(wanted, None) is not None:
                message = "Ray lost a part of the batch; what is written stays: run it again to go on"
                raise UpstreamError(message)
        finally:
            if ours:
                ray.shutdown()
