"""A batch beside the plain loop, on generated cohorts: speed, memory, equal results.

    python benchmarks/batch_speed.py [--cases 1000000] [--lines 200000] [--notes 8000] [--sample 10000] [--rounds 1]
    python benchmarks/batch_speed.py --cases 60000 --lines 60000 --notes 600 --sample 1000     # a try, a minute or two

What is measured, each in a process of its own, start-up included, wall time:

1. the plain loop (one process: read a line, audit, write rows) and `equipoise batch` on the same file of JSON lines, at 10 % and at 100 %
   distinct decision keys, with as many processes as there are processors and with one;
2. `--lines` JSON lines with 500 distinct decision keys;
3. notes: `equipoise batch` with one and with two processes;
4. peak memory: of the process that reads, and of all its processes together (sampled four times a second from /proc: proportional set
   size, so that shared pages count once);
5. a sample of the rows against single audits of the same cases: label, reasons, missing fields, evidence, hash of the case.

How to read it: quote ratios of one run; other work on the machine moves every figure. In the cohort each distinct case stands for
several patients that differ in their id. `--spread` gives every patient a number of his own beside the id, so that no line is
recognised by its bytes and every case is read: the gain is then what the decision key saves alone. The generator draws without
replacement from 20 million combinations of fields, seeded, so that the distinct share is what was asked for; it is printed as the
batch counts it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

DAY = "2026-11-01"
SEED = 20261101
FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("stage", ('"IB"', '"IIA"', '"IIIA"', '"IIIB"', '"IIIC"', '"IVA"', '"IVB"')),
    ("ecog", ("0", "1", "2", "3", '"unknown"')),
    ("histology", ('"adenocarcinoma"', '"squamous cell carcinoma"', '"large cell carcinoma"', '"adenosquamous carcinoma"')),
    ("pdl1", ('{"tps": 0}', '{"tps": 25}', '{"tps": 80}', "null")),
    ("brain_mets", ("false", '"treated"', '"untreated"', "null")),
    ("comorbidities", ("null", '{"interstitial lung disease": true}', '{"autoimmune disease": true}')),
    (
        "biomarkers",
        tuple(
            f'[{{"name": "{name}", "status": "present", "assay": "NGS, tissue"}}, {{"name": "{other}", "status": "absent"}}, '
            '{"name": "RET fusion", "status": "absent"}, {"name": "NTRK fusion", "status": "absent"}, '
            '{"name": "HER2 mutation", "status": "absent"}, {"name": "MET exon 14 skipping", "status": "not_tested"}]'
            for name in (
                "EGFR L858R", "EGFR exon 19 deletion", "EGFR exon 20 insertion", "EGFR T790M", "EGFR G719X", "KRAS G12C", "KRAS G12D",
                "BRAF V600E", "STK11 loss", "EML4-ALK fusion", "ALK G1202R",
            )
            for other in ("ROS1 fusion", "NRG1 fusion")
        ),
    ),
    (
        "prior_therapies",
        (
            "null", "[]", '[{"drugs": "osimertinib", "outcome": "progressed", "setting": "metastatic"}]',
            '[{"drugs": "carboplatin + pemetrexed", "outcome": "progressed"}]', '[{"drugs": "pembrolizumab", "outcome": "toxicity"}]',
            '[{"drugs": "cisplatin + pemetrexed", "outcome": "completed", "setting": "adjuvant"}]',
            '[{"drugs": "alectinib", "outcome": "progressed"}, {"drugs": "lorlatinib", "outcome": "progressed"}]',
        ),
    ),
    (
        "recommendations",
        tuple(
            f'["{name}"]'
            for name in (
                "osimertinib", "afatinib", "amivantamab + lazertinib", "alectinib", "lorlatinib", "brigatinib", "sotorasib", "adagrasib",
                "dabrafenib + trametinib", "encorafenib + binimetinib", "pembrolizumab", "pembrolizumab + carboplatin + pemetrexed",
                "nivolumab + ipilimumab", "atezolizumab", "durvalumab", "docetaxel", "carboplatin + paclitaxel", "trastuzumab deruxtecan",
                "selpercatinib", "capmatinib", "larotrectinib", "vemurafenib",
            )
        ),
    ),
)  # fmt: skip
"""Fields of a case, each with values of which no two belong to one decision key."""

COMBINATIONS = math.prod(len(values) for _, values in FIELDS)
STEP = 7_368_787
"""A prime: steps of this size visit every combination once."""


def body(number: int) -> str:
    """The fields of one of the combinations, without the id."""
    place = number * STEP % COMBINATIONS
    parts = []
    for name, values in FIELDS:
        place, index = divmod(place, len(values))
        parts.append(f'"{name}": {values[index]}')
    return ", ".join(parts)


def write_cohort(path: Path, cases: int, distinct: int, *, spread: bool = False) -> None:
    """JSON lines of cases, of which this many are distinct apart from their id, in random order."""
    assert math.gcd(STEP, COMBINATIONS) == 1
    assert distinct <= min(cases, COMBINATIONS)
    rng = random.Random(SEED)
    order = [number % distinct for number in range(cases)]
    rng.shuffle(order)
    bodies = [body(number) for number in range(distinct)] if distinct < cases else None
    with path.open("w", encoding="utf-8") as file:
        for place, number in enumerate(order):
            own = f', "hospital_number": "{rng.randrange(10**9):09}"' if spread else ""
            text = bodies[number] if bodies is not None else body(number)
            file.write(f'{{"case_id": "P{place:07}", "tumor": "NSCLC", "sex": "female", "age": 63, {text}{own}}}\n')


def write_notes(path: Path, count: int) -> None:
    """JSON lines of notes, no two of them the same."""
    from equipoise.benchmarks.openmtb.generator.drafts import draw_draft
    from equipoise.benchmarks.openmtb.generator.draw import Draw
    from equipoise.benchmarks.openmtb.generator.notes import STYLES, write_note
    from equipoise.benchmarks.openmtb.generator.table import PLANS

    draw = Draw("batch notes")
    with path.open("w", encoding="utf-8") as file:
        for place in range(count):
            note = write_note(draw_draft(draw.pick(PLANS), draw), STYLES[place % len(STYLES)], place)
            file.write(json.dumps({"case_id": f"N{place:06}", "text": f"Visit {place}.\n{note}"}) + "\n")


# --- the plain loop ------------------------------------------------------------------------------------------------------------------


def plain_loop(source: Path, out: Path, limit: int) -> None:
    """What one would write without a batch: read a case, audit it, keep its row, write rows as Parquet."""
    import datetime as dt

    import pyarrow as pa
    import pyarrow.parquet as pq

    from equipoise.audit.pipeline import Auditor
    from equipoise.cases.formats import case_from_object

    auditor = Auditor(as_of=dt.date.fromisoformat(DAY))
    rows: list[dict[str, object]] = []
    writer = None
    with source.open(encoding="utf-8") as file:
        for place, line in enumerate(file):
            if place == limit:
                break
            for verdict in auditor.audit(case_from_object(json.loads(line))):
                rows.append(
                    {
                        "case_id": verdict.case_id, "recommendation_id": verdict.recommendation_id,
                        "recommendation": verdict.recommendation, "regimen": list(verdict.regimen), "label": str(verdict.label),
                        "abstain": verdict.abstain, "reasons": [reason.code for reason in verdict.reasons],
                        "missing_fields": list(verdict.missing_fields), "evidence": [use.id for use in verdict.evidence],
                        "evidence_against": [use.id for use in verdict.evidence_against],
                        "caveats": [item.name for item in verdict.caveats if item.state == "fires"],
                        "alternatives": [item.regimen for item in verdict.alternatives], "case_hash": verdict.case_hash,
                        "as_of": str(verdict.as_of),
                    }
                )  # fmt: skip
            if len(rows) >= 50_000:
                writer = _written(rows, writer, out)
                rows = []
    if rows:
        writer = _written(rows, writer, out)
    if writer is not None:
        assert isinstance(writer, pq.ParquetWriter)
        writer.close()
    assert pa.__version__


def _written(rows: list[dict[str, object]], writer: object, out: Path) -> object:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(rows, schema=writer.schema if isinstance(writer, pq.ParquetWriter) else None)
    if writer is None:
        fields = [
            pa.field(item.name, pa.list_(pa.string()) if pa.types.is_list(item.type) else item.type)
            for item in table.schema
        ]
        writer = pq.ParquetWriter(out, pa.schema(fields), compression="zstd")
        table = table.cast(writer.schema)
    assert isinstance(writer, pq.ParquetWriter)
    writer.write_table(table)
    return writer


# --- measuring -----------------------------------------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """Wall seconds, processor seconds of all its processes, and their peak memory in bytes."""

    seconds: float
    processor: float
    memory: int


def family(root: int) -> Iterator[int]:
    """A process and what it started."""
    yield root
    for task in Path(f"/proc/{root}/task").glob("*/children"):
        try:
            for child in task.read_text().split():
                yield from family(int(child))
        except OSError:
            continue


def memory_of(root: int) -> int:
    total = 0
    for process in family(root):
        try:
            rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            total += next(int(row.split()[1]) for row in rows if row.startswith("Pss:")) * 1024
        except (OSError, StopIteration):
            continue
    return total


def measured(command: Sequence[str], *, watch: bool = True) -> Measured:
    """Run a command to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    peak = 0
    ended = threading.Event()

    def look() -> None:
        nonlocal peak
        while not ended.wait(0.25):
            peak = max(peak, memory_of(process.pid))

    watcher = threading.Thread(target=look)
    if watch:
        watcher.start()
    _, said = process.communicate()
    seconds = time.perf_counter() - start
    ended.set()
    if watch:
        watcher.join()
    if process.returncode:
        sys.exit(f"{' '.join(command)}\n{said}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Measured(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak)


def batch(source: Path, out: Path, workers: int) -> list[str]:
    code = "from equipoise.cli.main import run\nif __name__ == '__main__':\n    run()"
    script = out.parent / "equipoise_command.py"
    script.write_text(code, encoding="utf-8")
    return [
        sys.executable, str(script), "batch", str(source), str(out), "--as-of", DAY, "--restart", "--workers", str(workers),
    ]  # fmt: skip


def said_of(out: Path) -> dict[str, object]:
    return json.loads((out / "summary.json").read_text(encoding="utf-8"))


def equal_to_single_audits(source: Path, out: Path, sample: int) -> tuple[int, int]:
    """How many rows of a random sample equal the single audit of the same case."""
    import datetime as dt

    import pyarrow.dataset as ds

    from equipoise.audit.pipeline import Auditor

    auditor = Auditor(as_of=dt.date.fromisoformat(DAY))
    rows = {}
    table = ds.dataset([str(path) for path in sorted(out.glob("part-*.parquet"))]).to_table()
    chosen = set(random.Random(SEED).sample(range(table.num_rows), min(sample, table.num_rows)))
    for row in table.take(sorted(chosen)).to_pylist():
        rows[row["place"]] = row
    same = 0
    with source.open(encoding="utf-8") as file:
        for place, line in enumerate(file, start=1):
            row = rows.get(place)
            if row is None:
                continue
            verdict = auditor.audit(json.loads(line))[0]
            same += (
                row["case_id"], row["recommendation"], row["label"], row["abstain"], row["reasons"], row["missing_fields"], row["evidence"],
                row["evidence_against"], row["caveats"], row["alternatives"], row["case_hash"], row["as_of"],
            ) == (
                verdict.case_id, verdict.recommendation, str(verdict.label), verdict.abstain, [item.code for item in verdict.reasons],
                list(verdict.missing_fields), [use.id for use in verdict.evidence], [use.id for use in verdict.evidence_against],
                [item.name for item in verdict.caveats if item.state == "fires"], [item.regimen for item in verdict.alternatives],
                verdict.case_hash, str(verdict.as_of),
            )  # fmt: skip
    return same, len(rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument(
        "--plain", type=int, default=0, help="cases of the plain loop when fewer will do; its rate is then scaled"
    )
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--notes", type=int, default=8_000)
    parser.add_argument("--sample", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=1, help="best of this many rounds for --lines and --notes")
    parser.add_argument("--spread", action="store_true", help="give every case a number of its own beside the id")
    parser.add_argument("--loop", nargs=3, metavar=("IN", "OUT", "LIMIT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.loop:
        plain_loop(Path(arguments.loop[0]), Path(arguments.loop[1]), int(arguments.loop[2]))
        return
    processors = len(os.sched_getaffinity(0))
    print(f"{processors} processors; {arguments.cases:,} cases, best of {arguments.rounds} for lines and notes")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        source, out = place / "cohort.jsonl", place / "out"
        if arguments.cases:
            cohorts(arguments, source, out, processors)
        if arguments.lines:
            write_cohort(source, arguments.lines, min(500, arguments.lines))
            found = min(
                (measured(batch(source, out, processors)) for _ in range(arguments.rounds)), key=lambda one: one.seconds
            )
            print(
                f"\n{arguments.lines:,} lines ({source.stat().st_size / 1e6:.0f} MB), {said_of(out)['distinct_decision_keys']} distinct"
                f" decision keys: {arguments.lines / found.seconds:,.0f} cases/s, start-up included ({found.seconds:.2f} s,"
                f" {found.memory / 1e9:.2f} GB)"
            )
        if arguments.notes:
            write_notes(source, arguments.notes)
            one, two = (
                min(measured(batch(source, out, workers), watch=False).seconds for _ in range(arguments.rounds))
                for workers in (1, 2)
            )
            print(
                f"\n{arguments.notes:,} notes: {arguments.notes / one:,.0f} notes/s on one core, {arguments.notes / two:,.0f} on two:"
                f" {one / two:.2f} x"
            )


def cohorts(arguments: argparse.Namespace, source: Path, out: Path, processors: int) -> None:
    for share in (0.1, 1.0):
        start = time.perf_counter()
        write_cohort(source, arguments.cases, max(1, int(arguments.cases * share)), spread=arguments.spread)
        size = source.stat().st_size
        print(f"\n{share:.0%} asked for ({size / 1e6:,.0f} MB, written in {time.perf_counter() - start:.0f} s)")
        limit = arguments.plain or arguments.cases
        plain = measured(
            [sys.executable, __file__, "--loop", str(source), str(out.parent / "plain.parquet"), str(limit)]
        )
        seconds, processor = plain.seconds, plain.processor
        if limit < arguments.cases:  # start-up is not scaled
            start_up = measured(
                [sys.executable, __file__, "--loop", str(source), str(out.parent / "plain.parquet"), "0"]
            )
            more = arguments.cases / limit
            seconds = start_up.seconds + (seconds - start_up.seconds) * more
            processor = start_up.processor + (processor - start_up.processor) * more
        print(
            f"  plain loop     {arguments.cases / seconds:>9,.0f} cases/s  {seconds:8.1f} s (processor {processor:.1f} s)"
            f"  {plain.memory / 1e9:.2f} GB"
        )
        for workers in dict.fromkeys((processors, 1)):
            found = measured(batch(source, out, workers))
            said = said_of(out)
            print(
                f"  batch, {workers} proc.  {arguments.cases / found.seconds:>9,.0f} cases/s  {found.seconds:8.1f} s"
                f" (processor {found.processor:.1f} s)  {found.memory / 1e9:.2f} GB  {seconds / found.seconds:5.2f} x"
                f" (processor {processor / found.processor:.2f} x)   distinct decision keys:"
                f" {said['distinct_decision_keys']:,} ({100 * float(str(said['distinct_share'])):.1f} %)"
            )
        same, looked_at = equal_to_single_audits(source, out, arguments.sample)
        print(f"  {same:,} of {looked_at:,} sampled rows equal the single audit")


if __name__ == "__main__":
    main()
