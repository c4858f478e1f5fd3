"""The desk in a real browser: one key a label, the queue without a network, two windows, settings, axe at several sizes."""

import datetime as dt
import secrets
import threading
import time

import pytest

from equipoise.study.desk.app import desk_app
from equipoise.study.desk.server import listen, make_server
from equipoise.study.desk.settings import DeskLimits, DeskSettings
from equipoise.study.raters import add_rater
from equipoise.study.store import Item, create_store
from study.desk.conftest import AT, PASSWORD, protocol

pytestmark = pytest.mark.browser

READY = "main[data-ready=yes] #answers"
"""The page of an item once its script has begun; keys do nothing before."""
CHROMIUM = "/usr/bin/chromium"
ONE = {
    "kind": "choice",
    "id": "label",
    "text": "Is it supported?",
    "options": [{"value": "Supported", "key": "1"}, {"value": "Unsupported", "key": "3"}],
}
NOTE = "Invented patient, 68 years. EGFR L858R, TP53 p.R213*, ECOG 1.\n" + "A line of the invented course.\n" * 60
AXE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def expect(what):
    """Playwright is only there where browser tests run, so that it is not imported with the module."""
    from playwright.sync_api import expect as wait_for

    return wait_for(what)


def axe(page):
    from axe_playwright_python.sync_playwright import Axe

    return Axe().run(page, options=AXE)


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


class Place:
    """A running desk and the windows that look at it."""

    def __init__(self, store, chromium, base):
        self.store = store
        self.chromium = chromium
        self.base = base
        self.contexts = []
        self.faults = []

    def window(self, code="ann", **more):
        context = self.chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **more})
        context.set_default_timeout(15_000)
        self.contexts.append(context)
        page = context.new_page()
        self.watch(page)
        page.goto(f"{self.base}/enter")
        page.fill("#code", code)
        page.fill("#password", PASSWORD)
        page.click("button.go")
        page.wait_for_selector("#answers" if more.get("java_script_enabled") is False else READY)
        return page

    def watch(self, page):
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if "Content Security" in said.text else None)

    def labels(self, code="ann"):
        states = self.store.states(code)
        return [states[place.public].answers.get("label") for place in self.store.assignments(code)]


@pytest.fixture
def place(tmp_path, chromium):
    opened = []

    def made(text=None):
        store = create_store(tmp_path / "study.sqlite", text or protocol(), at=AT)
        facts = {"age": 68, "biomarkers": [{"gene": "EGFR", "alteration": "L858R"}], "brain_metastases": False}
        shown = {"patient_summary": NOTE, "proposed_therapy": facts}
        items = [Item(name=f"n{number}", shown=shown, hidden={"label": "Supported"}) for number in range(4)]
        store.add_items(items, at=AT, origin="made up")
        for code in ("ann", "bob"):
            add_rater(store, code, at=AT, password=PASSWORD, salt=secrets.token_bytes(16))
        turns = [(code, item.name, "main", 1) for code in ("ann", "bob") for item in items]
        store.assign(turns, draw=secrets.token_urlsafe, at=AT)
        at = listen("127.0.0.1", 0)
        settings = DeskSettings(hosts=("127.0.0.1",))
        app = desk_app(store, settings, clock=lambda: dt.datetime.now(dt.UTC), draw=secrets.token_urlsafe)
        server = make_server(app, limits=DeskLimits())
        thread = threading.Thread(target=lambda: server.run(sockets=[at]))
        thread.start()
        found = Place(store, chromium, f"http://127.0.0.1:{at.getsockname()[1]}")
        opened.append((found, server, thread, at))
        while not server.started:
            time.sleep(0.01)
        return found

    yield made
    for found, server, thread, at in opened:
        for context in found.contexts:
            context.close()
        server.should_exit = True
        thread.join()
        at.close()
        found.store.close()
        assert found.faults == []


def saved(page):
    expect(page.locator("#saved")).to_contain_text("Saved")


def on_item(page, number, *, script=True):
    expect(page.locator("h1")).to_contain_text(f"Item {number} of 4")
    if script:
        page.wait_for_selector(READY)


def test_a_label_takes_one_key_and_the_next_item_comes_with_the_focus_on_its_heading(place):
    found = place(protocol(questions=[ONE], adjudication={"rule": "none"}))
    page = found.window()
    for number, key in enumerate("1331", start=1):
        on_item(page, number)
        expect(page.locator("h1")).to_be_focused()
        page.keyboard.press(key)
    expect(page.locator("h1")).to_have_text("All done")
    expect(page.locator("body")).to_have_attribute("data-page", "done")
    assert found.labels() == ["Supported", "Unsupported", "Unsupported", "Supported"]


def test_keys_answer_all_questions_and_enter_goes_on_only_when_complete(place):
    found = place()
    page = found.window()
    page.keyboard.press("Enter")
    on_item(page, 1)
    page.keyboard.press("1")
    saved(page)
    page.keyboard.press("Enter")
    on_item(page, 1)
    for key in "en9":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    on_item(page, 2)
    page.keyboard.press("k")
    on_item(page, 1)
    assert page.locator("#answers input:checked").count() == 4
    page.keyboard.press("j")
    on_item(page, 2)


def test_keys_are_dead_in_text_fields_and_escape_leaves_them(place):
    found = place()
    page = found.window()
    page.keyboard.press("c")
    page.keyboard.type("1 3 s u k j ?")
    assert page.locator("#answers input:checked").count() == 0
    page.keyboard.press("Escape")
    saved(page)
    page.keyboard.press("3")
    expect(page.locator("#answers input:checked")).to_have_value("Unsupported")
    expect(page.locator("#comment")).to_have_value("1 3 s u k j ?")


def test_missing_fields_skip_undo_and_help_have_their_keys(place):
    found = place()
    page = found.window()
    page.keyboard.press("4")
    page.keyboard.press("m")
    page.keyboard.press("Space")
    expect(page.locator("input[value=ecog]")).to_be_checked()
    saved(page)
    page.keyboard.press("u")
    expect(page.locator("input[value=ecog]")).not_to_be_checked()
    expect(page.locator("input[value='Insufficient Information']")).to_be_checked()
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("3")
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    expect(page.locator("input[value='Unsupported']")).not_to_be_checked()
    page.keyboard.press("s")
    page.keyboard.type("garbled")
    page.keyboard.press("Enter")
    on_item(page, 2)
    state = found.store.states("ann")[found.store.assignments("ann")[0].public]
    assert state.skipped == "garbled"


def test_keys_can_be_turned_off_and_the_buttons_still_work(place):
    found = place()
    page = found.window()
    page.goto(f"{found.base}/desk/settings")
    page.uncheck("input[name=keys]")
    page.click("#keep")
    page.goto(f"{found.base}/desk")
    page.wait_for_selector(READY)
    page.keyboard.press("1")
    page.wait_for_timeout(300)
    assert page.locator("#answers input:checked").count() == 0
    page.click("text=The sources support it")
    saved(page)
    assert found.labels()[0] == "Supported"


def test_without_a_network_presses_wait_and_arrive_in_order_even_after_a_reload(place):
    found = place()
    page = found.window()
    page.context.set_offline(True)
    for key in "1en":
        page.keyboard.press(key)
    expect(page.locator("#waiting")).to_have_text("3 waiting")
    page.keyboard.press("9")
    page.keyboard.press("Enter")
    expect(page.locator("#saved")).to_contain_text("Kept in this browser")
    on_item(page, 1)
    page.context.set_offline(False)
    page.reload()
    saved(page)
    expect(page.locator("#waiting")).to_be_hidden()
    assert page.locator("#answers input:checked").count() == 4
    place_ = found.store.assignments("ann")[0].public
    answers = [len(event.answers) for event in found.store.history("ann", place_)]
    assert answers == [1, 2, 3, 4]
    assert page.evaluate("Object.keys(localStorage)") == []


def test_an_answer_that_was_lost_on_the_way_back_counts_once(place):
    found = place()
    page = found.window()
    lost = []

    def lose(route):
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch())
            route.abort()

    page.route("**/answer", lose)
    page.keyboard.press("1")
    expect(page.locator("#waiting")).to_have_text("1 waiting")
    page.keyboard.press("e")
    expect(page.locator("#waiting")).to_be_hidden()
    public = found.store.assignments("ann")[0].public
    assert [dict(event.answers) for event in found.store.history("ann", public)] == [
        {"label": "Supported"},
        {"label": "Supported", "reason": "evidence-supports"},
    ]


def test_two_windows_do_not_overwrite_each_other_and_the_own_answer_is_offered_again(place):
    found = place()
    page = found.window()
    other = page.context.new_page()
    found.watch(other)
    other.goto(page.url)
    other.wait_for_selector(READY)
    other.keyboard.press("3")
    saved(other)
    page.keyboard.press("1")
    expect(page.locator("#notices")).to_contain_text("changed in another window")
    assert found.labels()[0] == "Unsupported"
    expect(page.locator("input[value=Supported]")).to_be_checked()
    page.reload()
    expect(page.locator("input[value=Unsupported]")).to_be_checked()
    page.click("text=Use mine instead")
    saved(page)
    expect(page.locator("#notices button")).to_have_count(0)
    page.wait_for_timeout(300)
    assert found.labels()[0] == "Supported"


def test_an_ended_session_loses_nothing_and_nobody_else_sends_it(place):
    found = place()
    page = found.window()
    with found.store.transaction() as connection:
        found.store.remove(connection, "sessions")
    page.keyboard.press("3")
    expect(page.locator("#notices")).to_contain_text("Your session has ended")
    expect(page.locator("#waiting")).to_have_text("1 waiting")
    page.goto(f"{found.base}/enter")
    page.fill("#code", "bob")
    page.fill("#password", PASSWORD)
    page.click("button.go")
    page.wait_for_selector("#answers")
    page.wait_for_timeout(500)
    assert found.labels("ann") == found.labels("bob") == [None] * 4
    page.goto(f"{found.base}/enter")
    page.fill("#code", "ann")
    page.fill("#password", PASSWORD)
    page.click("button.go")
    saved(page)
    expect(page.locator("input[value=Unsupported]")).to_be_checked()
    assert found.labels("ann")[0] == "Unsupported"


def test_the_page_works_without_its_script(place):
    found = place()
    page = found.window(java_script_enabled=False)
    for value in ("Supported", "evidence-supports", "no", "sure"):
        page.check(f"input[value={value}]")
    page.click("#next")
    on_item(page, 2, script=False)
    assert found.labels()[0] == "Supported"


def test_the_time_counts_only_while_the_page_is_seen(place):
    found = place()
    page = found.window()
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    page.wait_for_timeout(1500)
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: false, configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    page.keyboard.press("1")
    saved(page)
    seconds = found.store.states("ann")[found.store.assignments("ann")[0].public].seconds
    whole = page.evaluate("performance.now()") / 1000
    assert 0 <= seconds < whole - 1.4


def test_words_can_be_found_in_the_text(place):
    page = place().window()
    page.fill("#find", "invented")
    expect(page.locator("#found")).to_have_text("1 of 61")
    page.keyboard.press("Enter")
    expect(page.locator("#found")).to_have_text("2 of 61")
    page.fill("#find", "nothing like it")
    expect(page.locator("#found")).to_have_text("not found")


PATHS = ["/desk", "/desk/guide", "/desk/history", "/desk/settings", "/desk/items/nothing"]


@pytest.mark.parametrize("scheme", ["light", "dark", "contrast"])
def test_axe_finds_nothing_in_any_scheme(place, scheme):
    found = place()
    page = found.window()
    page.goto(f"{found.base}/desk/settings")
    page.check(f"input[value={scheme}]")
    page.click("#keep")
    page.goto(f"{found.base}/desk")
    page.wait_for_selector(READY)
    page.keyboard.press("4")
    saved(page)
    for path in PATHS:
        page.goto(found.base + path)
        told = axe(page)
        assert told.violations_count == 0, told.generate_report()
    page.context.clear_cookies()
    page.goto(f"{found.base}/enter")
    assert axe(page).violations_count == 0


@pytest.mark.parametrize("width", [320, 640, 1280])
@pytest.mark.parametrize("size", ["normal", "larger"])
def test_no_page_is_wider_than_its_window_and_targets_are_large_enough(place, width, size):
    found = place()
    page = found.window(viewport={"width": width, "height": 720})
    page.goto(f"{found.base}/desk/settings")
    page.check(f"input[value={size}]")
    page.click("#keep")
    for path in PATHS:
        page.goto(found.base + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        small = page.evaluate(
            "[...document.querySelectorAll('button, a.button, label.option, summary, .places a')]"
            ".filter(n => n.checkVisibility()).map(n => [n.textContent, n.getBoundingClientRect().height])"
            ".filter(([, height]) => height < 24)"
        )
        assert small == [], path
