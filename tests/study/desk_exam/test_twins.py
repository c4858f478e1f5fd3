"""Two studies that differ only in what a rater must not know: every answer of the desk is the same, byte for byte."""

import itertools
import json
import re
import secrets
from html import unescape

import pytest
import sqlalchemy as sa

from equipoise.study.history import EventKind
from equipoise.study.planning import assign_all
from equipoise.study.raters import add_rater
from equipoise.study.store import Item, create_store
from study.desk_exam.helpers import AT, LABELS, SURE, Inside, csrf, four_label

MARKERS = (
    "MARKER-MODEL",
    "MARKER-ARM",
    "MARKER-REFERENCE",
    "MARKER-STRATUM",
    "MARKER-COMMENT",
    "MARKER-PERSON",
    "MARKER-RUN",
)
PROTOCOL = four_label(items={"reference": "label"})
LINK = re.compile(r'(?:href|src|action)="(/[^"]*)"')


def hidden(which, place):
    """What a rater must not know of an item."""
    return {
        "model": f"MARKER-MODEL-{'one' if which else 'another, and a much longer name'}",
        "arm": f"MARKER-ARM-{which}",
        "label": LABELS[(place + which) % 4],
        "note": f"MARKER-REFERENCE {which}" * (1 + 40 * which),
        "stratum_of": f"MARKER-STRATUM-{place * which}",
    }


def study(place, which, *, others):
    """One of the twins; `others` says whether the other rater has labelled."""
    store = create_store(place, PROTOCOL, at=AT)
    rows = [
        Item(
            name=f"item-{number}",
            shown={"patient_summary": f"Invented patient {number}.", "proposed_therapy": f"inventinib {number}"},
            hidden=hidden(which, number),
        )
        for number in range(6)
    ]
    store.add_items(rows, at=AT, origin=f"MARKER-RUN-{which}")
    for code, role in (("ann", "rater"), ("bob", "rater"), ("third", "adjudicator"), ("chief", "coordinator")):
        more = {"name": f"MARKER-PERSON-{which}", "contact": f"{which}@marker.example"} if code != "ann" else {}
        add_rater(store, code, at=AT, role=role, **more)
    desk = Inside(store)
    assign_all(store, draw=desk.draw, at=AT)
    for number, given in enumerate(store.assignments("bob")):
        if others is None:
            break
        value = LABELS[(number + others) % 4]
        answers = SURE | {"label": value, "rationale": f"MARKER-COMMENT {value}"}
        if value == LABELS[3]:
            answers["missing"] = ["ecog"]
        more = {"answers": answers, "comment": "MARKER-COMMENT", "seconds": 1.0 + others}
        store.record("bob", given.public, EventKind.ANSWER, press="pressed1", at="2026-12-01T08:00:00+00:00", **more)
    return desk


class Counted:
    """Counts the statements that a desk sends to its database."""

    def __init__(self, desk):
        self.count = 0
        with desk.store.reading() as connection:
            engine = connection.engine
        sa.event.listen(engine, "before_cursor_execute", self._one)

    def _one(self, *_):
        self.count += 1


def said(answer):
    """The headers; a cookie that is taken back carries the time of day, which is the same for everybody."""
    return sorted(
        (name, re.sub(r"expires=[^;]*", "expires=now", value)) for name, value in answer.headers.multi_items()
    )


def walk(desk):
    """Everything one rater can get: each link of each page, each form, and what comes back, with the statements it took."""
    browser, counted, found, seen = desk.browser("ann"), Counted(desk), [], set()

    def ask(method, path, **more):
        counted.count = 0
        answer = browser.request(method, path, **more)
        found.append((method, path, answer.status_code, said(answer), answer.content, counted.count))
        return answer

    def follow(path):
        waiting = [path]
        while waiting:
            path = waiting.pop(0)
            if path in seen:
                continue
            seen.add(path)
            answer = ask("GET", path)
            if "location" in answer.headers:
                waiting.append(answer.headers["location"])
            if answer.headers.get("content-type", "").startswith("text/html"):
                waiting += [unescape(link) for link in LINK.findall(answer.text)]

    follow("/")
    follow("/enter")
    follow("/desk/history")
    for file in ("desk.css", "desk.js", "queue.js", "htmx.min.js", "desk.svg", "coordinator.css", "nothing.js"):
        ask("GET", f"/static/{file}")
    form = {"csrf": csrf(browser)}
    complete = {f"answer.{name}": value for name, value in (SURE | {"label": "Supported"}).items()}
    ids = [given.public for given in desk.store.assignments("ann")]
    theirs = desk.store.assignments("bob")[0].public
    for number, public in enumerate(ids):
        at = f"/desk/items/{public}"
        part = {"HX-Request": "true"} if number % 2 else {}
        ask("POST", f"{at}/answer", data=form | {"press": f"press-{number:04}", "after": "0"} | complete, headers=part)
        ask("POST", f"{at}/answer", data=form | {"press": f"stale-{number:04}", "after": "0"} | complete, headers=part)
        ask("POST", f"{at}/undo", data=form | {"press": f"undo-{number:05}", "after": "1"}, headers=part)
        ask(
            "POST",
            f"{at}/skip",
            data=form | {"press": f"skip-{number:05}", "after": "2", "reason": "why"},
            headers=part,
        )
        ask("GET", at)
    for path in (
        f"/desk/items/{theirs}",
        "/decide",
        "/coordinator",
        "/coordinator/report",
        "/coordinator/export/labels.csv",
    ):
        ask("GET", path)
    ask("POST", "/desk/settings", data=form | {"size": "large", "scheme": "dark", "onwards": "on", "keys": "on"})
    seen.clear()
    follow("/desk/history")
    ask("POST", "/desk/lock", data=form | {"press": "lock-0001"})
    ask("POST", "/desk/lock", data=form | {"press": "lock-0001", "sure": "yes"})
    seen.clear()
    follow("/desk/history")
    follow("/desk")
    ask("POST", f"/desk/items/{ids[0]}/reopen", data=form | {"press": "reopen-01", "after": "4", "reason": "why"})
    ask("POST", "/leave", data=form)
    return found


@pytest.fixture
def twins(tmp_path):
    """Two studies whose hidden fields, persons and origins differ, and in which another rater labelled otherwise."""
    made = [study(tmp_path / f"{which}.sqlite", which, others=which) for which in (0, 1)]
    yield made
    for desk in made:
        desk.store.close()


def test_every_answer_to_a_rater_is_the_same_whatever_is_hidden(twins):
    first, second = (walk(desk) for desk in twins)
    assert len(first) > 80
    assert {status for _, _, status, *_ in first} >= {200, 303, 403, 404, 409}
    for one, other in zip(first, second, strict=True):
        assert one[:5] == other[:5]


def test_every_answer_costs_the_database_the_same_whatever_is_hidden(twins):
    first, second = (walk(desk) for desk in twins)
    assert sum(count for *_, count in first) > 200
    assert [(row[1], row[5]) for row in first] == [(row[1], row[5]) for row in second]


def test_whether_the_other_rater_has_labelled_cannot_be_seen(tmp_path):
    with (
        study(tmp_path / "a.sqlite", 0, others=None).store as before,
        study(tmp_path / "b.sqlite", 0, others=1).store as after,
    ):
        first, second = (walk(Inside(store)) for store in (before, after))
    for one, other in zip(first, second, strict=True):
        assert one == other


def test_no_planted_word_reaches_a_rater(twins):
    for _, path, _, headers, content, _ in walk(twins[1]):
        whole = (path + json.dumps(headers)).encode() + content
        assert not [
            word for word in (*MARKERS, "marker.example", "item-", "bob", "third", "chief") if word.encode() in whole
        ], path


def test_the_planted_words_are_there_for_the_coordinator(twins):
    """Or the test above could not fail."""
    chief = twins[1].browser("chief")
    whole = b"".join(
        chief.get(path).content
        for path in (
            "/coordinator/raters",
            "/coordinator/raters/bob/personal",
            "/coordinator/items",
            "/coordinator/export/labels.csv",
        )
    )
    for word in ("bob", "item-", "MARKER-PERSON", "MARKER-COMMENT"):
        assert word.encode() in whole


def test_ids_are_random_for_each_rater_and_say_nothing_of_the_order(tmp_path):
    found = []
    for number in range(2):
        with create_store(tmp_path / f"{number}.sqlite", PROTOCOL, at=AT) as store:
            shown = {"patient_summary": "Invented.", "proposed_therapy": "invented"}
            store.add_items([Item(name=f"i{place:03}", shown=shown) for place in range(200)], at=AT, origin="made up")
            for code in ("ann", "bob"):
                add_rater(store, code, at=AT)
            assign_all(store, draw=secrets.token_urlsafe, at=AT)
            for code in ("ann", "bob"):
                given = [one for one in store.assignments(code) if one.purpose == "main"]
                found.append({one.item: one.public for one in given})
                order = [one.item for one in sorted(given, key=lambda one: one.public)]
                queue = [one.item for one in sorted(given, key=lambda one: one.position)]
                for sequence in (
                    order,
                    queue,
                ):  # neighbours of the file are neighbours here about as often as by chance
                    near = sum(abs(int(a[1:]) - int(b[1:])) == 1 for a, b in itertools.pairwise(sequence))
                    assert near < 15
                assert order != queue
    everything = [public for ids in found for public in ids.values()]
    assert len(set(everything)) == len(everything) == 800
    assert min(map(len, everything)) >= 12
