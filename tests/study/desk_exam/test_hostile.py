"""Hostile texts in items, answers and comments are inert wherever they are shown; hostile uploads are refused whole."""

import io
import json
import re
import time
import zipfile

import pytest

from equipoise.cli.common import visible
from equipoise.study.adjudication import disagreements
from equipoise.study.history import EventKind
from equipoise.study.raters import add_rater, set_password
from equipoise.study.store import Item, create_store
from study.desk_exam.helpers import (
    AT,
    PASSWORD,
    SURE,
    Inside,
    Server,
    csrf,
    enter,
    four_label,
    in_browser,
    link_of,
    make_folder,
    ready,
)

ESCAPES = "\x1b[2J\x1b]0;title\x07\u202e\u2066\u200b\x00\x08"
HOSTILE = (
    "<script>window.hit = 1</script><img src=x onerror=\"window.hit = 2\"><svg onload='window.hit = 3'></svg>"
    '"><b id=broken>bold</b></textarea></script><style>body{display:none}</style><iframe src="//elsewhere.example"></iframe>'
    "<a href='javascript:window.hit=4'>a</a> [link](javascript:window.hit=5) ![p](https://elsewhere.example/p.png) {{7*7}} {% raw %} "
    + ESCAPES
)
FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "\r=1+1")
MARKUP = (
    "<script>", "<img src=x", "<svg onload", "<b id=broken", "<iframe", "<style>body", "href='javascript:",
    'href="javascript:', 'src="https://elsewhere', 'src="//elsewhere',
)  # fmt: skip
LONG = "A long text without an end. " * 37_450  # 1 MB


def hostile_items(number=3):
    return [
        Item(
            name=f"i{place}",
            shown={
                "patient_summary": f"{HOSTILE} {place}",
                "proposed_therapy": LONG if place == 0 else f"{HOSTILE} {FORMULAS[place]}",
            },
        )
        for place in range(number)
    ]


def fill(store):
    """Both raters answer everything, differently, with hostile words."""
    for code, label in (("ann", "Supported"), ("bob", "Unsupported")):
        for number, given in enumerate(store.assignments(code)):
            answers = SURE | {"label": label, "rationale": f"{HOSTILE} rationale"}
            more = {"answers": answers, "comment": f"{FORMULAS[number]} {HOSTILE}"}
            store.record(code, given.public, EventKind.ANSWER, press="1", at="2026-12-01T08:00:00+00:00", **more)
            store.record(code, given.public, EventKind.LOCK, press="2", at="2026-12-01T08:30:00+00:00")


@pytest.fixture
def desk(tmp_path):
    with create_store(tmp_path / "study.sqlite", four_label(), at=AT) as store:
        store.add_items(hostile_items(), at=AT, origin="made up")
        for code, role in (("ann", "rater"), ("bob", "rater"), ("chief", "coordinator")):
            add_rater(store, code, at=AT, role=role)
        desk = Inside(store)
        turns = [(code, f"i{place}", "main", 1) for code in ("ann", "bob") for place in range(3)]
        store.assign(turns, draw=desk.draw, at=AT)
        fill(store)
        yield desk


def pages_of(desk):
    """Every page that shows outside text, by address."""
    found = {}
    ann, chief = desk.browser("ann"), desk.browser("chief")
    for given in desk.store.assignments("ann"):
        found[f"item {given.public}"] = ann.get(f"/desk/items/{given.public}")
    for path in ("/coordinator", "/coordinator/items", "/coordinator/report", "/decide", "/coordinator/raters"):
        found[path] = chief.get(path)
    for link in re.findall(r'href="(/decide/[^"]+)"', found["/decide"].text):
        found[link] = chief.get(link)
    token = csrf(chief)
    form = {"csrf": token, "value": "Supported", "code": "evidence", "reason": HOSTILE}
    found["agreed"] = chief.post(link, data=form)
    return found


def test_no_page_carries_a_hostile_text_as_markup(desk):
    pages = pages_of(desk)
    assert len(pages) >= 11
    shown = 0
    for where, page in pages.items():
        assert page.status_code in (200, 422), where
        # A rater's own text goes back into its field unchanged, or it would change when it is saved again.
        shown_text = re.sub(r"(?s)<textarea[^>]*>.*?</textarea>|value=\"[^\"]*\"", "", page.text)
        low = page.text.lower()
        for markup in MARKUP:
            assert markup not in low, (where, markup)
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", shown_text), where
        assert ">49<" not in page.text
        shown += "&lt;script&gt;" in page.text
    assert shown >= 6  # and it is shown, as text


def test_a_csv_has_no_cell_that_is_a_formula(desk):
    import csv

    chief = desk.browser("chief")
    for name in ("labels.csv", "log.csv"):
        rows = list(csv.reader(io.StringIO(chief.get(f"/coordinator/export/{name}").text.lstrip("\ufeff"), newline="")))
        assert len(rows) > 3
        cells = [cell for row in rows for cell in row]
        assert not [cell for cell in cells if cell and cell[0] in "=+@\t\r"]
        assert not [cell for cell in cells if cell.startswith("-") and not re.fullmatch(r"-[\d.]+", cell)]


def test_a_terminal_gets_no_escapes(desk):
    found = disagreements(desk.store)
    said = [visible(text) for one in found for side in one.sides for text in (side.comment, str(side.answers))]
    assert len(said) == 12
    for text in said:
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text.replace("\n", ""))


@pytest.mark.parametrize("size", [10_001, 200_000])
def test_a_comment_that_is_too_long_is_refused_and_nothing_is_lost(desk, size):
    ann = desk.browser("ann")
    token = csrf(ann)
    public = desk.store.assignments("ann")[0].public
    before = desk.store.history("ann", public)
    form = {"csrf": token, "press": "pressed-9", "after": "2", "reason": "why"}
    assert ann.post(f"/desk/items/{public}/reopen", data=form).status_code == 303
    form |= {"after": "3", "press": "pressed-8", "answer.label": "Supported", "comment": "x" * size}
    assert ann.post(f"/desk/items/{public}/answer", data=form).status_code in (413, 422)
    assert len(desk.store.history("ann", public)) == len(before) + 1


def upload(desk, name, data, kind="items", media="application/octet-stream", **more):
    chief = desk.browser("chief")
    form = {"csrf": csrf(chief), "kind": kind, **more}
    return chief.post("/coordinator/import", data=form, files={"file": (name, data, media)})


def bomb():
    """A small archive of much."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("items.jsonl", b"0" * 50_000_000)
    return file.getvalue()


GOOD = json.dumps({"id": "new", "patient_summary": "Invented.", "proposed_therapy": "inventinib"}).encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("items.zip", bomb()),
        ("items.exe", GOOD),
        ("items", GOOD),
        ("items.jsonl", b""),
        ("items.jsonl", b"\xff\xfe\x00not text"),
        ("items.jsonl", bomb()),
        ("items.json", b"[" * 100_000),
        ("items.jsonl", GOOD + b"\n{"),
        ("items.jsonl", b"\n" * 50_001),
        ("items.csv", b"id,id\n1,2\n"),
        ("..", GOOD),
    ],
    ids=[
        "zip bomb",
        "other kind",
        "no kind",
        "empty",
        "no text",
        "archive as text",
        "nesting",
        "broken",
        "lines",
        "columns",
        "dots",
    ],
)
def test_a_bad_file_is_refused_whole(desk, name, data):
    before = desk.store.items_hash()
    start = time.process_time()
    answer = upload(desk, name, data)
    assert answer.status_code == 422
    assert "Nothing of the file was taken" in answer.text
    assert desk.store.items_hash() == before
    assert time.process_time() - start < 20  # a bomb that is unpacked takes far longer


def test_a_name_with_a_path_writes_nowhere(desk, tmp_path):
    around = sorted(tmp_path.parent.rglob("*"))
    answer = upload(desk, f"../../{tmp_path.name}/written.jsonl", GOOD)
    assert answer.status_code == 200
    assert not [path for path in sorted(tmp_path.parent.rglob("*")) if path not in around and "written" in path.name]
    assert desk.store.item("new") is not None


def test_a_file_over_the_limit_is_refused(tmp_path, desk):
    from equipoise.study.desk.settings import DeskLimits

    small = Inside(desk.store, limits=DeskLimits(upload_bytes=10_000))
    assert upload(small, "items.jsonl", GOOD).status_code == 200
    assert upload(small, "items.jsonl", GOOD + b" " * 10_000).status_code == 413


def test_a_rater_cannot_make_the_desk_read_a_file(desk):
    ann = desk.browser("ann")
    form = {"csrf": csrf(ann), "kind": "items"}
    assert ann.post("/coordinator/import", data=form, files={"file": ("a.jsonl", GOOD)}).status_code == 403


@pytest.mark.browser
def test_nothing_hostile_runs_in_a_browser(tmp_path):
    folder = tmp_path / "study"
    with make_folder(folder, four_label(), hostile_items()) as store:
        fill(store)
        token = link_of(store, "ann")
        queue = [given.public for given in store.assignments("ann")]

    async def course(browser, server):
        asked, errors = [], []

        async def look(page, path):
            await page.goto(server.base + path)
            assert await page.evaluate("window.hit === undefined && document.querySelector('#broken') === null"), path
            assert await page.evaluate("getComputedStyle(document.body).display !== 'none'"), path
            for link in await page.locator("main a").all():
                target = await link.get_attribute("href")
                assert not target or target.startswith(("/", "#", "https://", "http://")), target

        for code, paths in (
            ("ann", [f"/desk/items/{public}" for public in queue] + ["/desk/history"]),
            ("chief", ["/coordinator", "/coordinator/items", "/coordinator/report", "/decide"]),
        ):
            page = await (await browser.new_context()).new_page()
            page.on("request", lambda request: asked.append(request.url))
            page.on("pageerror", lambda error: errors.append(str(error)))
            await enter(page, server.base, token=token if code == "ann" else "", code=code)
            for path in paths:
                await look(page, path)
            if code == "chief":
                await look(page, await page.get_attribute("#first", "href"))
            else:
                await ready(page) if await page.locator("#page").count() else None
        assert not [url for url in asked if not url.startswith(server.base)]
        assert not errors

    with Server(folder) as server:
        in_browser(course, server)


def test_sign_in_tells_nobody_which_codes_exist(desk, monkeypatch):
    """A code with a password, one without, two that do not exist: the same bytes, and one hash to compute for each."""
    from argon2 import low_level

    set_password(desk.store, "ann", PASSWORD, salt=bytes(16), at=AT)
    browser = desk.browser()
    browser.post("/enter", data={"code": "warms-up", "password": "wrong"})
    work = []
    for name in ("hash_secret", "verify_secret"):
        real = getattr(low_level, name)
        counted = lambda *given, real=real, **more: work.append(1) or real(*given, **more)  # noqa: E731
        monkeypatch.setattr(low_level, name, counted)
    answers, costs = [], []
    for code in ("ann", "bob", "nobody", "x" * 60):
        work.clear()
        answers.append(browser.post("/enter", data={"code": code, "password": "wrong"}))
        costs.append(len(work))
    assert costs == [1, 1, 1, 1]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.content for answer in answers}) == 1
    assert len({str(sorted(answer.headers.items())) for answer in answers}) == 1
