"""What the desk has acknowledged is there: after kill -9, in two windows, with the back button, without a session or a network."""

import asyncio
import itertools
import json
import random
import re
import threading
import time
from html import unescape

import httpx
import pytest

from equipoise.study.store import open_store
from study.desk_exam.helpers import (
    LABELS,
    SURE,
    Server,
    enter,
    four_label,
    in_browser,
    invented,
    link_of,
    make_folder,
    ready,
    saved,
    until,
)

RATERS = ("ann", "bob", "cat", "dan")
KILLS = 5


class Labeller(threading.Thread):
    """A rater without a browser: labels items over and over, sends again what was not answered, keeps what was acknowledged."""

    def __init__(self, base, token, publics, stop, seed):
        super().__init__()
        self.base, self.token, self.publics, self.stop = base, token, publics, stop
        self.random = random.Random(seed)
        self.acknowledged = []
        self.unanswered = 0
        self.wrong = []

    def sign_in(self, client):
        client.post(f"/enter/{self.token}")
        return unescape(re.search(r'name="csrf" value="([^"]*)"', client.get("/desk/settings").text)[1])

    def run(self):
        number = itertools.count()
        form, known, retry = None, dict.fromkeys(self.publics, 0), None
        with httpx.Client(base_url=self.base, timeout=20) as client:
            while not self.stop.is_set():
                try:
                    form = form or self.sign_in(client)
                    public, press, value = retry or (
                        self.random.choice(self.publics),
                        f"press-{next(number):06}",
                        self.random.choice(LABELS[:3]),
                    )
                    retry = (public, press, value)  # sent again with the same id until it is answered
                    fields = {f"answer.{name}": given for name, given in (SURE | {"label": value}).items()}
                    data = fields | {"csrf": form, "press": press, "after": str(known[public]), "comment": press}
                    answer = client.post(f"/desk/items/{public}/answer", data=data, headers={"HX-Request": "true"})
                except httpx.TransportError:
                    self.unanswered += 1
                    time.sleep(0.05)
                    continue
                if answer.status_code != 200:
                    self.wrong.append((answer.status_code, answer.text[:500]))
                    return
                known[public] = int(re.search(r'data-mine="(\d+)"', answer.text)[1])
                self.acknowledged.append((public, press, value, known[public]))
                retry = None


@pytest.mark.full
def test_five_kills_lose_no_acknowledged_label(tmp_path):
    chance = random.Random(11)
    with make_folder(
        tmp_path / "study", four_label(raters={"planned": 4, "per_item": 4}), invented(12), RATERS
    ) as store:
        tokens = {code: link_of(store, code) for code in RATERS}
        queues = {code: [given.public for given in store.assignments(code)] for code in RATERS}
    stop = threading.Event()
    with Server(tmp_path / "study") as server:
        people = {
            code: Labeller(server.base, tokens[code], queues[code], stop, seed) for seed, code in enumerate(RATERS)
        }
        for one in people.values():
            one.start()
        before = []
        for _ in range(KILLS):
            before.append(sum(len(one.acknowledged) for one in people.values()))
            while sum(len(one.acknowledged) for one in people.values()) < before[-1] + 20:
                assert all(one.is_alive() for one in people.values()), [one.wrong for one in people.values()]
                time.sleep(0.02)
            time.sleep(chance.uniform(0.0, 0.4))
            server.kill()
            server.start()
        time.sleep(1.0)
        stop.set()
        for one in people.values():
            one.join(60)
    assert [one.wrong for one in people.values()] == [[]] * 4
    assert sum(one.unanswered for one in people.values()) >= KILLS  # the kills hit somebody
    with open_store(tmp_path / "study" / "study.sqlite") as store:
        for code, one in people.items():
            assert len(one.acknowledged) > KILLS
            told = {(public, press): (value, number) for public, press, value, number in one.acknowledged}
            assert len(told) == len(one.acknowledged)
            kept = {}
            for public in queues[code]:
                rows = pressed(store, public)
                assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))  # no gap, nothing twice
                assert len({row["press"] for row in rows}) == len(rows)
                kept |= {(public, row["press"]): (json.loads(row["answers"])["label"], row["number"]) for row in rows}
            assert told.items() <= kept.items()
            assert (
                len(kept) - len(told) <= 1
            )  # only the press that was on its way at the end may be there unacknowledged


def pressed(store, public):
    """Rows of a history with the ids of their presses."""
    with store.reading() as connection:
        place = store.one(connection, "assignments", public=public)
        return sorted(store.rows(connection, "events", assignment=place["id"]), key=lambda row: row["number"])


def events(folder, code="ann"):
    """All events of a rater by item."""
    with open_store(folder / "study.sqlite") as store:
        return {given.public: store.history(code, given.public) for given in store.assignments(code)}


@pytest.fixture
def served(tmp_path):
    """A served study with one question, and with it what a browser test needs."""

    def made(**more):
        folder = tmp_path / "study"
        with make_folder(folder, four_label(**more), invented(5)) as store:
            token = link_of(store, "ann")
            queue = [given.public for given in sorted(store.assignments("ann"), key=lambda one: one.position)]
        return folder, token, queue

    return made


async def at_item(page, base, public):
    await page.goto(f"{base}/desk/items/{public}")
    await ready(page)


def chosen(page, question="label"):
    return page.evaluate(f"document.querySelector('input[name=\"answer.{question}\"]:checked')?.value ?? ''")


@pytest.mark.browser
def test_a_second_window_does_not_overwrite_and_keeps_what_it_entered(served):
    folder, token, queue = served()

    async def course(browser, server):
        context = await browser.new_context()
        first, second = await context.new_page(), await context.new_page()
        await enter(first, server.base, token=token)
        for page in (first, second):
            await at_item(page, server.base, queue[0])
        await first.keyboard.press("1")
        await saved(first)
        status = []
        second.on("response", lambda answer: status.append(answer.status))
        await second.keyboard.press("3")
        await until(second, "document.querySelector('#notices [data-from=refused]') !== null")
        assert 409 in status
        assert await chosen(second) == "Unsupported"  # still in the form
        assert "not saved" in await second.inner_text("#notices")
        await second.reload()
        await ready(second)
        assert await chosen(second) == "Supported"  # what holds
        await second.click("text=Use mine instead")
        await saved(second)

    with Server(folder) as server:
        in_browser(course, server)
    assert [event.answers["label"] for event in events(folder)[queue[0]]] == ["Supported", "Unsupported"]


@pytest.mark.browser
def test_back_and_forward_show_what_is_saved(served):
    folder, token, queue = served(single=True)

    async def course(browser, server):
        page = await (await browser.new_context()).new_page()
        await enter(page, server.base, token=token)
        await ready(page)
        await page.keyboard.press("2")
        await until(page, "document.querySelector('h1').textContent.startsWith('Item 2 ')")
        await page.go_back()
        await until(page, "document.querySelector('h1').textContent.startsWith('Item 1 ')")
        await ready(page)
        assert await chosen(page) == "Partially Supported"
        await page.keyboard.press("1")
        await until(page, "document.querySelector('h1').textContent.startsWith('Item 2 ')")

    with Server(folder) as server:
        in_browser(course, server)
    found = events(folder)
    assert [event.answers["label"] for event in found[queue[0]]] == ["Partially Supported", "Supported"]
    assert sum(map(len, found.values())) == 2


@pytest.mark.browser
def test_a_double_click_and_a_key_pressed_twice_count_once(served):
    folder, token, queue = served()

    async def course(browser, server):
        page = await (await browser.new_context()).new_page()
        await enter(page, server.base, token=token)
        await ready(page)
        await page.dblclick("label.option:has(input[value=Unsupported])")
        await page.keyboard.press("3")
        await page.keyboard.press("3")
        await saved(page)

    with Server(folder) as server:
        in_browser(course, server)
    assert [event.answers for event in events(folder)[queue[0]]] == [{"label": "Unsupported"}]


@pytest.mark.browser
def test_without_script_a_form_sent_twice_counts_once(served):
    folder, token, queue = served(single=True)

    async def course(browser, server):
        page = await (await browser.new_context(java_script_enabled=False)).new_page()
        await enter(page, server.base, token=token)
        form = {
            name: await page.get_attribute(f"#answers [name={name}]", "value") for name in ("csrf", "press", "after")
        }
        form["answer.label"] = "Supported"
        sent = [page.request.post(f"{server.base}/desk/items/{queue[0]}/answer", form=form) for _ in range(4)]
        assert [answer.status for answer in await asyncio.gather(*sent)] == [200] * 4  # each led on to the next item
        await page.reload()
        assert await page.is_checked("input[value=Supported]")

    with Server(folder) as server:
        in_browser(course, server)
    assert [event.answers for event in events(folder)[queue[0]]] == [{"label": "Supported"}]


@pytest.mark.browser
def test_an_ended_session_keeps_the_press_and_sends_it_after_the_same_rater_signs_in(served):
    folder, token, queue = served()

    async def course(browser, server):
        context = await browser.new_context()
        page = await context.new_page()
        await enter(page, server.base, token=token)
        await ready(page)
        with open_store(folder / "study.sqlite") as store, store.transaction() as connection:
            for row in store.rows(connection, "sessions"):
                store.change(connection, "sessions", row["id"], until="2026-01-01T00:00:00+00:00")
        await page.keyboard.press("4")
        await until(page, "document.querySelector('#waiting').textContent === '1 waiting'")
        await until(page, "document.querySelector('#notices').textContent.includes('Sign in')")
        assert not events(folder)[queue[0]]
        # Somebody else at the same browser: nothing of it is sent in his name.
        with open_store(folder / "study.sqlite") as store:
            other = link_of(store, "bob")
        await enter(page, server.base, token=other)
        await ready(page)
        await page.wait_for_timeout(800)
        assert not [event for items in events(folder, "bob").values() for event in items]
        assert not events(folder)[queue[0]]
        await page.click("header .leave button")
        await enter(page, server.base, token=token)
        await ready(page)
        await saved(page)

    with Server(folder) as server:
        in_browser(course, server)
    assert [event.answers["label"] for event in events(folder)[queue[0]]] == ["Insufficient Information"]


@pytest.mark.browser
def test_a_lost_network_queues_and_sends_once(served):
    folder, token, queue = served()

    async def course(browser, server):
        context = await browser.new_context()
        page = await context.new_page()
        await enter(page, server.base, token=token)
        await ready(page)
        await context.set_offline(True)
        await page.keyboard.press("1")
        await until(page, "document.querySelector('#waiting').textContent === '1 waiting'")
        assert not (await page.inner_text("#saved")).startswith("Saved")
        await page.keyboard.press("3")
        await until(page, "document.querySelector('#waiting').textContent === '2 waiting'")
        await context.set_offline(False)
        await saved(page)

    with Server(folder) as server:
        in_browser(course, server)
    assert [event.answers["label"] for event in events(folder)[queue[0]]] == ["Supported", "Unsupported"]


@pytest.mark.browser
def test_a_server_that_is_killed_and_comes_back_gets_what_waits(served):
    folder, token, queue = served()

    async def course(browser, server):
        page = await (await browser.new_context()).new_page()
        await enter(page, server.base, token=token)
        await ready(page)
        await page.keyboard.press("1")
        await saved(page)
        server.kill()
        await page.keyboard.press("2")
        await until(page, "document.querySelector('#waiting').textContent === '1 waiting'")
        server.start()
        await saved(page)

    with Server(folder) as server:
        in_browser(course, server)
    assert [event.answers["label"] for event in events(folder)[queue[0]]] == ["Supported", "Partially Supported"]


@pytest.mark.browser
def test_a_closed_window_with_something_waiting_sends_it_next_time(served):
    folder, token, queue = served()

    async def course(browser, server):
        context = await browser.new_context()
        page = await context.new_page()
        await enter(page, server.base, token=token)
        await ready(page)
        await context.set_offline(True)
        await page.keyboard.press("3")
        await until(page, "document.querySelector('#waiting').textContent === '1 waiting'")
        kept = await page.evaluate("JSON.stringify(localStorage)")
        assert len(json.loads(kept)) == 1
        assert "ann" not in kept
        await page.close()
        await context.set_offline(False)
        page = await context.new_page()
        await page.goto(f"{server.base}/desk")
        await ready(page)
        await until(page, "document.querySelector('#waiting').hidden && localStorage.length === 0")

    with Server(folder) as server:
        in_browser(course, server)
    assert [event.answers["label"] for event in events(folder)[queue[0]]] == ["Unsupported"]
