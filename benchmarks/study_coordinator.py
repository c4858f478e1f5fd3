"""How the coordinator's pages grow: each page of a small study and of a large one, in one run on one machine.

Run: python benchmarks/study_coordinator.py [items of the large study] [raters] [raters an item]. Every item has its labels,
four presses each, and is final; about one in five is a disagreement. Prints the median time of each page and its ratio.
"""

from __future__ import annotations

import datetime as dt
import json
import secrets
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml
from starlette.testclient import TestClient

from equipoise.study.desk.app import desk_app
from equipoise.study.desk.settings import DeskSettings
from equipoise.study.planning import assign_all
from equipoise.study.raters import add_rater
from equipoise.study.shipped import template
from equipoise.study.store import Item, Store, create_store

AT = "2026-11-30T12:00:00+00:00"
NOW = dt.datetime(2026, 11, 30, 13, 0, tzinfo=dt.UTC)
ANSWERS = {"reason": "evidence-supports", "harm": "no", "confidence": "sure"}
PAGES = ("/coordinator", "/coordinator/raters", "/coordinator/items", "/coordinator/items?q=i1", "/decide", "DECISION")
LOOKS = 5


def filled(folder: Path, items: int, raters: int, each: int) -> Store:
    """A study in which everybody has finished, written by the row, because the presses are not what is measured."""
    value = yaml.safe_load(template("four-label").text)
    value["raters"] |= {"planned": raters, "per_item": each}
    store = create_store(folder / "study.sqlite", yaml.safe_dump(value), at=AT)
    shown = {"patient_summary": "An invented case. " * 40, "proposed_therapy": "invented"}
    store.add_items((Item(name=f"i{number}", shown=shown) for number in range(items)), at=AT, origin="made up")
    for number in range(raters):
        add_rater(store, f"r{number}", at=AT)
    add_rater(store, "chief", at=AT, role="coordinator")
    assign_all(store, draw=secrets.token_urlsafe, at=AT)
    with store.transaction() as connection:
        events = []
        for row in store.rows(connection, "assignments"):
            label = "Supported" if (row["item"] * 7 + row["rater"]) % 9 else "Unsupported"
            base = {"assignment": row["id"], "comment": "", "reason": "", "at": AT, "protocol": store.protocol.hash}
            answers = json.dumps(ANSWERS | {"label": label})
            for number in range(1, 5):
                more = {"number": number, "kind": "answer", "answers": answers, "seconds": 20.0, "press": str(number)}
                events.append(base | more)
            events.append(base | {"number": 5, "kind": "lock", "answers": "{}", "seconds": None, "press": "5"})
        store.add(connection, "events", events)
        given = store.tables["assignments"]
        connection.execute(given.update().values(standing="complete"))
    return store


def times(items: int, raters: int, each: int) -> dict[str, float]:
    """Median seconds of each page."""
    with tempfile.TemporaryDirectory() as folder, filled(Path(folder), items, raters, each) as store:
        app = desk_app(store, DeskSettings(), clock=lambda: NOW, draw=secrets.token_urlsafe)
        with TestClient(app) as browser:
            browser.cookies.set("desk", app.state.desk.sessions.open("chief", NOW))
            decision = browser.get("/decide").text.partition('href="/decide/')[2].partition('"')[0]
            found = {}
            for page in PAGES:
                path = f"/decide/{decision}" if page == "DECISION" else page
                taken = []
                for _ in range(LOOKS):
                    start = time.perf_counter()
                    if browser.get(path).status_code != 200:
                        message = f"{path} was not answered"
                        raise SystemExit(message)
                    taken.append(time.perf_counter() - start)
                found[page] = float(np.median(taken))
            return found


def main() -> None:
    large, raters, each = (
        int(sys.argv[place]) if len(sys.argv) > place else known for place, known in ((1, 5000), (2, 20), (3, 2))
    )
    small, big = times(50, raters, each), times(large, raters, each)
    for page in PAGES:
        ratio = big[page] / small[page]
        print(
            f"{page:<24} 50 items {1000 * small[page]:6.0f} ms, {large} items {1000 * big[page]:6.0f} ms, ratio {ratio:.1f}"
        )


if __name__ == "__main__":
    main()
