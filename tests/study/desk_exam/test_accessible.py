"""Every page for everybody: axe in both schemes, 320 px, text at 200 %, forced colours, keyboard alone, keys that stay out of the way."""

import pytest

from equipoise.study.desk.preferences import SCHEMES
from equipoise.study.history import EventKind
from equipoise.study.store import open_store
from study.desk_exam.helpers import (
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

pytestmark = pytest.mark.browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
TARGET = 24  # px, WCAG 2.2 criterion 2.5.8


def study(folder, *, done=True, **more):
    """A study with some answers; with `done` both raters have finished and differ."""
    with make_folder(folder, four_label(**more), invented(4)) as store:
        for code, label in (("ann", "Supported"), ("bob", "Unsupported")) if done else ():
            for given in store.assignments(code):
                answers = SURE | {"label": label, "rationale": "An invented reason."}
                told = {"answers": answers, "comment": "An invented remark."}
                store.record(code, given.public, EventKind.ANSWER, press="1", at="2026-12-01T08:00:00+00:00", **told)
                store.record(code, given.public, EventKind.LOCK, press="2", at="2026-12-01T08:30:00+00:00")
        tokens = {code: link_of(store, code) for code in ("ann", "bob")}
        queue = [given.public for given in sorted(store.assignments("ann"), key=lambda one: one.position)]
    return tokens, queue


async def everywhere(context, base, tokens, queue, visit):
    """Calls `visit(page, name)` on every page there is."""
    page = await context.new_page()
    for path in ("/enter", "/enter/a-link-that-is-looked-at", "/nothing-here"):
        await page.goto(base + path)
        await visit(page, path)
    await page.fill("#code", "nobody") if await page.locator("#code").count() else None
    await enter(page, base, token=tokens["ann"])
    for path in (
        "/desk",
        "/desk/guide",
        "/desk/history",
        "/desk/settings",
        *(f"/desk/items/{one}" for one in queue[:1]),
    ):
        await page.goto(base + path)
        await visit(page, path)
    await page.context.clear_cookies()
    await enter(page, base, token=tokens["bob"])
    if await page.locator("#page").count():
        await ready(page)
        await page.keyboard.press("?")
        await visit(page, "help")
        await page.keyboard.press("Escape")
        await page.keyboard.press("s")
        await visit(page, "skipping")
    await page.context.clear_cookies()
    await enter(page, base, code="chief")
    for path in (
        "/coordinator",
        "/coordinator/items",
        "/coordinator/raters",
        "/coordinator/import",
        "/coordinator/protocol",
        "/coordinator/raters/ann/forget",
        "/coordinator/report",
        "/decide",
    ):
        await page.goto(base + path)
        await visit(page, path)
    first = page.locator("#first")
    if await first.count():
        await first.click()
        await visit(page, "/decide/item")
        await page.check("#decision input[name=value] >> nth=0")
        await page.check("#decision input[name=code] >> nth=0")
        await page.fill("#reason", "An invented reason.")
        await page.click("#decide")
        await visit(page, "/decide/agreed")
    await page.goto(base + "/coordinator/raters")
    await page.click("button[aria-label='Make a link for ann']")
    await visit(page, "link")
    await page.context.clear_cookies()
    await enter(page, base, code="third")
    await page.goto(base + "/decide")
    await visit(page, "/decide as third rater")


@pytest.mark.parametrize("done", [False, True], ids=["running", "finished"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(tmp_path, scheme, done):
    from axe_playwright_python.base import AXE_FILE_PATH

    tokens, queue = study(tmp_path / "study", done=done)
    script = AXE_FILE_PATH.read_text(encoding="utf-8")

    async def course(browser, server):
        found, seen = {}, []

        async def visit(page, name):
            await page.evaluate(script)
            told = await page.evaluate("tags => axe.run({runOnly: {type: 'tag', values: tags}})", TAGS)
            seen.append(name)
            assert told["passes"]
            for fault in told["violations"]:
                found.setdefault(name, []).append((fault["id"], [node["html"][:200] for node in fault["nodes"]][:3]))

        context = await browser.new_context(color_scheme=scheme)
        await everywhere(context, server.base, tokens, queue, visit)
        assert len(seen) >= 17
        return found

    with Server(tmp_path / "study") as server:
        assert in_browser(course, server) == {}


NARROW = """() => ({
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  out: [...document.querySelectorAll('main *')].filter(node => {
    const box = node.getBoundingClientRect();
    return box.width && box.right > innerWidth + 1 && !node.closest('.wide, svg, pre, figure, .unseen');
  }).slice(0, 3).map(node => node.outerHTML.slice(0, 160)),
})"""
SMALL = """least => [...document.querySelectorAll('button, input, select, summary, .button, .places a')].filter(node => {
  const box = (node.closest('label.option') ?? node).getBoundingClientRect();
  return box.width && node.type !== 'hidden' && (box.width < least || box.height < least);
}).slice(0, 4).map(node => node.outerHTML.slice(0, 160))"""


@pytest.mark.parametrize(
    ("width", "zoom"), [(320, "normal"), (640, "larger"), (1920, "normal")], ids=["320 px", "large text", "projector"]
)
@pytest.mark.parametrize("done", [False, True], ids=["running", "finished"])
def test_no_page_scrolls_sideways_and_targets_are_large_enough(tmp_path, width, zoom, done):
    tokens, queue = study(tmp_path / "study", done=done)

    async def course(browser, server):
        found = {}

        async def visit(page, name):
            if zoom != "normal":  # text at 200 %, as a browser's own setting does it
                await page.evaluate("document.documentElement.style.setProperty('font-size', '200%')")
            told = await page.evaluate(NARROW)
            small = await page.evaluate(SMALL, TARGET)
            if told["wide"] > 0 or (told["out"] and name != "/coordinator/report") or small:
                found[name] = (told, small)

        context = await browser.new_context(viewport={"width": width, "height": 900})
        await everywhere(context, server.base, tokens, queue, visit)
        return found

    with Server(tmp_path / "study") as server:
        assert in_browser(course, server) == {}


def test_a_whole_study_by_keyboard_alone(tmp_path):
    """Sign in, label each item with one key a question, finish; no mouse."""
    folder = tmp_path / "study"
    with make_folder(folder, four_label(), invented(3)) as store:
        token = link_of(store, "ann")

    async def course(browser, server):
        page = await (await browser.new_context()).new_page()
        await page.goto(f"{server.base}/enter/{token}")
        await tab_to(page, "main button")
        await page.keyboard.press("Enter")
        for place in (1, 2, 3):
            await until(
                page,
                "document.querySelector('#main')?.dataset.ready === 'yes'"
                f" && document.querySelector('h1').textContent.startsWith('Item {place} ')",
            )
            assert await page.evaluate("document.activeElement === document.querySelector('h1')")
            for key in ("2", "e", "n", "9"):
                await page.keyboard.press(key)
            await saved(page)
            await page.keyboard.press("Enter")
        await until(page, "document.body.dataset.page === 'done'")
        await tab_to(page, "#finish")
        await page.keyboard.press("Enter")
        await until(page, "document.querySelector('#lock') !== null")
        await tab_to(page, "#lock")
        await page.keyboard.press("Enter")
        await until(page, "document.querySelector('h1').textContent === 'Finished'")

    with Server(folder) as server:
        in_browser(course, server)
    with open_store(folder / "study.sqlite") as store:
        states = store.states("ann").values()
    assert [(state.locked, dict(state.answers)) for state in states] == [
        (True, SURE | {"label": "Partially Supported"})
    ] * 3


async def tab_to(page, selector):
    """Goes on with the tabulator, and sees at each stop that the focus shows."""
    for _ in range(60):
        await page.keyboard.press("Tab")
        shows = await page.evaluate(
            "(() => { const s = getComputedStyle(document.activeElement);"
            " return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2; })()"
        )
        here = await page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
        assert shows, here
        if await page.evaluate(f"document.activeElement.matches('{selector}')"):
            return
    message = f"the tabulator never came to {selector}"
    raise AssertionError(message)


def test_the_focus_goes_through_the_page_in_order_and_is_never_under_a_bar(tmp_path):
    tokens, queue = study(tmp_path / "study", done=False)

    async def course(browser, server):
        page = await (await browser.new_context(viewport={"width": 900, "height": 600})).new_page()
        await enter(page, server.base, token=tokens["ann"], to=f"/desk/items/{queue[0]}")
        await ready(page)
        order = []
        for _ in range(40):
            await page.keyboard.press("Tab")
            told = await page.evaluate(
                """() => { const node = document.activeElement, box = node.getBoundingClientRect();
                const at = document.elementFromPoint(box.left + box.width / 2, Math.min(box.top + box.height / 2, innerHeight - 1));
                const all = [...document.querySelectorAll('*')];
                const seen = !!at && (at === node || node.contains(at) || at.contains(node));
                return [all.indexOf(node), node === document.body || seen, node.outerHTML.slice(0, 120)]; }"""
            )
            assert told[1], f"covered: {told[2]}"
            order.append(told[0])
        return order

    with Server(tmp_path / "study") as server:
        order = in_browser(course, server)
    turn = next((place for place in range(1, len(order)) if order[place] < order[place - 1]), len(order))
    assert turn > 12
    assert order[:turn] == sorted(order[:turn])


def test_keys_are_dead_in_text_fields_and_when_switched_off(tmp_path):
    folder = tmp_path / "study"
    tokens, queue = study(folder, done=False)

    async def course(browser, server):
        page = await (await browser.new_context()).new_page()
        await enter(page, server.base, token=tokens["ann"])
        await ready(page)
        await page.keyboard.press("c")
        await page.keyboard.type("3 sun 1 u s j k ?")
        assert await page.input_value("#comment") == "3 sun 1 u s j k ?"
        assert await page.evaluate("document.querySelector('input[name=\"answer.label\"]:checked') === null")
        await page.keyboard.press("Escape")
        assert await page.evaluate("document.activeElement.tagName === 'H1'")
        await page.keyboard.press("Control+1")
        assert await page.evaluate("document.querySelector('input[name=\"answer.label\"]:checked') === null")
        await page.keyboard.press("1")
        await saved(page)
        await page.goto(f"{server.base}/desk/settings")
        await page.uncheck("input[name=keys]")
        await page.click("#keep")
        await page.goto(f"{server.base}/desk/items/{queue[0]}")
        await ready(page)
        assert await page.locator("kbd:visible").count() == 0
        await page.keyboard.press("3")
        await page.wait_for_timeout(500)
        assert (
            await page.evaluate("document.querySelector('input[name=\"answer.label\"]:checked').value") == "Supported"
        )

    with Server(folder) as server:
        in_browser(course, server)


def test_saving_is_spoken_once_by_a_polite_live_region(tmp_path):
    tokens, _ = study(tmp_path / "study", done=False)

    async def course(browser, server):
        page = await (await browser.new_context()).new_page()
        await enter(page, server.base, token=tokens["ann"])
        await ready(page)
        await page.evaluate(
            "() => { const node = document.querySelector('#saved'); window.said = [];"
            " const watch = new MutationObserver(() => window.said.push(node.textContent));"
            " watch.observe(node, {childList: true, characterData: true, subtree: true}); }"
        )
        await page.keyboard.press("1")
        await saved(page)
        said = await page.evaluate("window.said")
        role = await page.evaluate(
            "[document.querySelector('#saved').getAttribute('role'), document.querySelector('#saved').getAttribute('aria-live')]"
        )
        return said, role

    with Server(tmp_path / "study") as server:
        said, role = in_browser(course, server)
    assert role == ["status", "polite"]
    assert len(said) == 1
    assert said[0].startswith("Saved ")
    assert len(said[0]) == len("Saved 14:03:22")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_chosen_scheme_and_size_hold_on_every_page(tmp_path, scheme):
    tokens, queue = study(tmp_path / "study", done=False)

    async def course(browser, server):
        page = await (await browser.new_context()).new_page()
        await enter(page, server.base, token=tokens["ann"], to="/desk/settings")
        await page.check(f"input[name=scheme][value={scheme}]")
        await page.check("input[name=size][value=larger]")
        await page.click("#keep")
        found = []
        for path in ("/desk/settings", "/desk/guide", f"/desk/items/{queue[0]}"):
            await page.goto(server.base + path)
            found.append(
                await page.evaluate(
                    "[document.documentElement.dataset.scheme, document.documentElement.dataset.textSize]"
                )
            )
        return found

    with Server(tmp_path / "study") as server:
        assert in_browser(course, server) == [[scheme, "larger"]] * 3


def test_with_forced_colours_nothing_that_is_chosen_disappears(tmp_path):
    """A chosen answer, a focus and a disabled button are told apart without the desk's own colours."""
    tokens, queue = study(tmp_path / "study", done=False)

    async def course(browser, server):
        page = await (await browser.new_context(forced_colors="active")).new_page()
        await enter(page, server.base, token=tokens["ann"], to=f"/desk/items/{queue[0]}")
        await ready(page)
        await page.keyboard.press("2")
        await saved(page)
        told = await page.evaluate(
            """() => { const input = document.querySelector('input[name="answer.label"]:checked');
            const box = input.getBoundingClientRect(), s = getComputedStyle(input);
            return {width: box.width, height: box.height, shown: s.visibility === 'visible' && s.opacity === '1', look: s.appearance,
              forced: matchMedia('(forced-colors: active)').matches, outline: getComputedStyle(document.activeElement).outlineStyle}; }"""
        )
        assert told["forced"]
        assert told["shown"]
        assert min(told["width"], told["height"]) >= 12
        assert told["look"] != "none"
        assert told["outline"] != "none"

    with Server(tmp_path / "study") as server:
        in_browser(course, server)
