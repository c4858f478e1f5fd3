"""Does the time of an answer tell a rater what is hidden? Pairs of requests that must not be told apart, interleaved at random.

    python benchmarks/study_desk_timing.py [--pairs 300] [--seed 0]

Each line compares two kinds of request to desks in this process: an item of two equal studies, which shows how far chance goes; an
item of two studies that differ only in what is hidden (the
second has longer names of models, notes and another rater's labels and comments); somebody else's item against one that does not exist; a
wrong password for a code that exists against one that does not. Printed: both medians, their difference in milliseconds, the p-value
of a permutation test of the difference of medians (5,000 permutations within pairs), and the share of pairs in which the second was
slower. A small p-value on a busy machine is to be repeated with another seed; a leak stays and has the same sign.
"""

from __future__ import annotations

import argparse
import datetime as dt
import secrets
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

from equipoise.study.desk.app import desk_app
from equipoise.study.desk.settings import DeskLimits, DeskSettings
from equipoise.study.history import EventKind
from equipoise.study.planning import assign_all
from equipoise.study.raters import add_rater, set_password
from equipoise.study.shipped import template
from equipoise.study.store import Item, Store, create_store

AT = "2026-11-30T12:00:00+00:00"
NOW = dt.datetime(2026, 12, 1, 9, 0, tzinfo=dt.UTC)
ANSWERS = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}
PERMUTATIONS = 5_000
ITEMS = 200
Ask = Callable[[], int]


def study(place: Path, *, telling: bool) -> Store:
    """One of two studies that look the same to a rater."""
    store = create_store(place, template("four-label").text, at=AT)
    long = 200 if telling else 1
    shown = {"patient_summary": "An invented case. " * 40, "proposed_therapy": "invented"}
    hidden = {"model": "m" * long, "arm": "a" * long, "label": "Supported", "note": "n" * long}
    store.add_items((Item(name=f"i{one}", shown=shown, hidden=hidden) for one in range(ITEMS)), at=AT, origin="made up")
    for code in ("ann", "bob"):
        add_rater(store, code, at=AT)
        set_password(store, code, "correct horse battery", salt=bytes(16), at=AT)
    assign_all(store, draw=secrets.token_urlsafe, at=AT)
    for given in store.assignments("bob") if telling else ():
        store.record("bob", given.public, EventKind.ANSWER, press="1", at=AT, answers=ANSWERS, comment="c" * 2000)
    return store


def browser(store: Store, code: str | None) -> TestClient:
    limits = DeskLimits(failures_code=10**6, failures_address=10**6)
    app = desk_app(store, DeskSettings(limits=limits), clock=lambda: NOW, draw=secrets.token_urlsafe)
    client = TestClient(app, follow_redirects=False)
    if code is not None:
        client.cookies.set("desk", app.state.desk.sessions.open(code, NOW))
    return client


def compare(first: Ask, second: Ask, wanted: int, pairs: int, rng: np.random.Generator) -> str:
    """Times both in pairs, in an order drawn anew each time."""
    taken = np.zeros((pairs, 2))
    for number in range(-20, pairs):  # the first twenty warm both up
        for which in rng.permutation(2):
            start = time.perf_counter()
            status = (first, second)[which]()
            if number >= 0:
                taken[number, which] = time.perf_counter() - start
            if status != wanted:
                message = f"expected {wanted}, got {status}"
                raise SystemExit(message)
    medians = 1000 * np.median(taken, axis=0)
    seen = abs(medians[1] - medians[0])
    swap = rng.random((PERMUTATIONS, pairs)) < 0.5
    left = np.where(swap, taken[:, 1], taken[:, 0])
    right = np.where(swap, taken[:, 0], taken[:, 1])
    drawn = 1000 * np.abs(np.median(right, axis=1) - np.median(left, axis=1))
    p = (1 + np.sum(drawn >= seen)) / (1 + PERMUTATIONS)
    slower = float(np.mean(taken[:, 1] > taken[:, 0]))
    told = f"{medians[0]:8.2f} {medians[1]:8.2f} {medians[1] - medians[0]:+8.3f} ms"
    return f"{told}   p {p:.3f}   second slower in {100 * slower:.0f} % of {pairs}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as name:
        plain, same, telling = (study(Path(name) / f"{kind}.sqlite", telling=kind == "t") for kind in ("p", "s", "t"))
        with plain, same, telling:
            one, twin, other = (browser(store, "ann") for store in (plain, same, telling))
            nobody = browser(plain, None)
            items = [
                sorted(store.assignments("ann"), key=lambda row: row.position)[50].public
                for store in (plain, same, telling)
            ]
            theirs = plain.assignments("bob")[0].public
            nothing = theirs[:-1] + ("A" if theirs[-1] != "A" else "B")

            def wrong(code: str) -> int:
                return nobody.post("/enter", data={"code": code, "password": "a wrong password"}).status_code

            lines: tuple[tuple[str, Ask, Ask, int], ...] = (
                (
                    "item, nothing differs",
                    lambda: one.get(f"/desk/items/{items[0]}").status_code,
                    lambda: twin.get(f"/desk/items/{items[1]}").status_code,
                    200,
                ),
                (
                    "item, hidden things differ",
                    lambda: one.get(f"/desk/items/{items[0]}").status_code,
                    lambda: other.get(f"/desk/items/{items[2]}").status_code,
                    200,
                ),
                (
                    "no such item, somebody else's",
                    lambda: one.get(f"/desk/items/{nothing}").status_code,
                    lambda: one.get(f"/desk/items/{theirs}").status_code,
                    404,
                ),
                ("unknown code, known code", lambda: wrong("eve"), lambda: wrong("ann"), 401),
            )
            for text, first, second, wanted in lines:
                print(f"{text:<30} {compare(first, second, wanted, options.pairs, rng)}")


if __name__ == "__main__":
    main()
