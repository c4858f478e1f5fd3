"""Seconds and memory for 10,000 replies: a run folder to metrics and page, and an Inspect log to a run folder.

python benchmarks/replies_speed.py
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path


def main() -> None:
    from inspect_ai import eval as inspect_eval

    from equipoise.benchmarks.openmtb import benchmark_result
    from equipoise.benchmarks.openmtb.scoring import predictions_of, read_references, write_references
    from equipoise.evals.logs import convert, read_logs
    from equipoise.outcomes.run import read_run, write_run
    from equipoise.report.evaluation import evaluation_page
    from equipoise.report.render import render_page

    with tempfile.TemporaryDirectory() as folder:
        logs = inspect_eval(
            "equipoise/openmtb",
            model="equipoise/auditor",
            task_args={"trials": 20},
            log_dir=f"{folder}/logs",
            display="none",
        )
        started = time.perf_counter()
        converted = convert(read_logs([logs[0].location]))
        print(f"log to rows: {len(converted.outcomes)} replies, {time.perf_counter() - started:.1f} s")
        run_folder = Path(folder) / "run"
        write_run(run_folder, converted.info, converted.outcomes, converted.judgements)
        write_references(run_folder, converted.references)
        started = time.perf_counter()
        run = read_run(run_folder)
        cases = read_references(run_folder, run)
        benchmark_result(cases, predictions_of(run.outcomes.to_pylist()))
        size = len(render_page(evaluation_page([run], cases)))
        print(f"run folder to metrics and page: {time.perf_counter() - started:.1f} s, page of {size} characters")
        print(f"memory at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
