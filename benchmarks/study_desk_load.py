"""Twenty raters at once on a served study, small and large in one run: how long a page and a label take.

    python benchmarks/study_desk_load.py [--raters 20] [--items 5000] [--seconds 30] [--think 3] [--json]

The desk is a process of its own (`equipoise study serve`) on this machine's disk, with SQLite synced at every label. Each rater opens
a page, thinks (exponential, --think seconds on average, at least a tenth), sends a label, opens the next page, and so on; a coordinator
looks at the overview every other second. Every rater labels every item, so that the large study has items x raters assignments. The
client runs on the same cores. A page counts until its last byte, a label until its acknowledgement. Printed for each study: how many
requests, the 50th, 95th and 99th percentile and the slowest in milliseconds, answers that were no success; then the ratio of the large
study to the small one. Percentiles count on a machine with nothing else to do; the ratio is less touchy.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import json
import os
import random
import re
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np
import yaml

from equipoise.study.planning import assign_all
from equipoise.study.raters import add_rater, make_link
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store

ANSWERS = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}
FORM = {f"answer.{name}": value for name, value in ANSWERS.items()}
LOOK_SECONDS = 2.0
Taken = dict[str, list[float]]


def make(folder: Path, items: int, raters: int) -> dict[str, str]:
    """A study in a folder; personal links by code."""
    value = yaml.safe_load(template("four-label").text)
    value["raters"] |= {"planned": raters, "per_item": raters}
    text = yaml.safe_dump(value)
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    at = dt.datetime.now(tz=dt.UTC).isoformat()
    with create_store(folder / "study.sqlite", text, at=at) as store:
        shown = {"patient_summary": "An invented case. " * 40, "proposed_therapy": "invented"}
        store.add_items((Item(name=f"i{number}", shown=shown) for number in range(items)), at=at, origin="made up")
        codes = [f"r{number}" for number in range(raters)]
        for code in codes:
            add_rater(store, code, at=at)
        add_rater(store, "chief", at=at, role="coordinator")
        assign_all(store, draw=secrets.token_urlsafe, at=at)
        return {code: make_link(store, code, draw=secrets.token_urlsafe, at=at) for code in (*codes, "chief")}


async def timed(taken: Taken, kind: str, ask: object) -> httpx.Response:
    start = time.perf_counter()
    answer: httpx.Response = await ask  # type: ignore[misc]
    taken.setdefault(kind, []).append(time.perf_counter() - start)
    if answer.status_code >= 400:
        taken.setdefault("no success", []).append(0.0)
    return answer


async def rater(base: str, token: str, end: float, think: float, taken: Taken, chance: random.Random) -> None:
    """One rater until the end."""
    async with httpx.AsyncClient(base_url=base, timeout=60) as client:
        await client.post(f"/enter/{token}")
        await asyncio.sleep(chance.uniform(0.0, think))
        while time.perf_counter() < end:
            where = (await client.get("/desk")).headers.get("location")
            if where is None:
                return
            page = await timed(taken, "page", client.get(where))
            found = dict(re.findall(r'name="(csrf|after)" value="([^"]*)"', page.text))
            await asyncio.sleep(max(0.1, chance.expovariate(1 / think)))
            form = FORM | found | {"press": secrets.token_hex(12), "comment": "", "seconds": "3.0"}
            await timed(taken, "label", client.post(f"{where}/answer", data=form, headers={"HX-Request": "true"}))


async def chief(base: str, token: str, end: float, taken: Taken) -> None:
    """The coordinator, who looks on."""
    async with httpx.AsyncClient(base_url=base, timeout=60) as client:
        await client.post(f"/enter/{token}")
        while time.perf_counter() < end:
            await timed(taken, "overview", client.get("/coordinator"))
            await asyncio.sleep(LOOK_SECONDS)


async def people(base: str, links: dict[str, str], seconds: float, think: float) -> Taken:
    taken: Taken = {}
    end = time.perf_counter() + seconds
    codes = [code for code in links if code != "chief"]
    everybody = [
        rater(base, links[code], end, think, taken, random.Random(number)) for number, code in enumerate(codes)
    ]
    await asyncio.gather(*everybody, chief(base, links["chief"], end, taken))
    return taken


def measure(items: int, raters: int, seconds: float, think: float) -> Taken:
    """Seconds of every request on a study of so many items."""
    with tempfile.TemporaryDirectory() as name:
        links = make(Path(name), items, raters)
        command = [
            sys.executable,
            "-c",
            "from equipoise.cli.main import run; run()",
            "study",
            "serve",
            name,
            "--port",
            "0",
        ]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ.copy()) as process:
            try:
                assert process.stderr is not None
                said = process.stderr.readline()
                found = re.search(r"is at (http://127\.0\.0\.1:\d+)\.", said)
                if found is None:
                    message = f"the desk did not start: {said}"
                    raise SystemExit(message)
                return asyncio.run(people(found[1], links, seconds, think))
            finally:
                process.terminate()


def row(taken: list[float]) -> dict[str, float]:
    values = 1000 * np.asarray(taken)
    quantiles = {f"p{part}": float(np.quantile(values, part / 100)) for part in (50, 95, 99)}
    return {"n": len(values), **quantiles, "slowest": float(values.max())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raters", type=int, default=20)
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--think", type=float, default=3.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {}
    for items in (50, options.items):
        taken = measure(items, options.raters, options.seconds, options.think)
        failed = len(taken.pop("no success", []))
        found[items] = {kind: row(taken[kind]) for kind in ("page", "label", "overview")} | {"no success": failed}
    if options.json:
        print(json.dumps({"raters": options.raters, "think": options.think, "studies": found}))
        return
    print(f"{options.raters} raters at once, {options.think:g} s of thought on average, {os.cpu_count()} cores")
    print(f"{'items':>6} {'what':<9} {'n':>5} {'p50':>7} {'p95':>7} {'p99':>7} {'slowest':>8}   ms")
    for items, rows in found.items():
        for kind in ("page", "label", "overview"):
            one = rows[kind]
            figures = f"{one['p50']:>7.1f} {one['p95']:>7.1f} {one['p99']:>7.1f} {one['slowest']:>8.1f}"
            print(f"{items:>6} {kind:<9} {one['n']:>5} {figures}")
        print(f"{items:>6} answers that were no success: {rows['no success']}")
    for kind in ("page", "label", "overview"):
        ratios = " ".join(
            f"{part} {found[options.items][kind][part] / found[50][kind][part]:.2f}" for part in ("p50", "p95")
        )
        print(f"ratio large to small, {kind}: {ratios}")


if __name__ == "__main__":
    main()
