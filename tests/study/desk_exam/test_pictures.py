"""Pictures of the desk with an invented study; EQUIPOISE_PICTURES names a folder that keeps them."""

import os
from pathlib import Path

import pytest

from equipoise.study.history import EventKind
from equipoise.study.store import Item
from study.desk_exam.helpers import SURE, Server, enter, four_label, in_browser, link_of, make_folder, ready, saved

pytestmark = pytest.mark.browser

MOST_BYTES = 300_000
TUMOURS = (
    "lung adenocarcinoma",
    "colon adenocarcinoma",
    "melanoma",
    "breast carcinoma",
    "cholangiocarcinoma",
    "glioma",
)
LABELS = ("Supported", "Partially Supported", "Supported", "Unsupported", "Supported", "Insufficient Information")


def cases():
    """Twelve cases of nobody, with a drug that does not exist."""
    rows = []
    for number in range(12):
        age, tumour = 40 + 3 * number, TUMOURS[number % len(TUMOURS)]
        text = (
            f"Invented case {number + 1}. A {age}-year-old adult with {tumour}, stage IV. Performance status: ECOG {number % 3}. "
            f"Molecular profiling: marker Z{number} found, PD-L1 {'not tested' if number % 2 else '20 %'}. Earlier therapy: "
            f"{'none' if number % 3 else 'one line, with progression'}. Imaging: no known brain metastases."
        )
        shown = {"patient_summary": text, "proposed_therapy": f"inventinib {100 + number}"}
        rows.append(Item(name=f"invented-{number}", shown=shown, hidden={"label": LABELS[number % 6]}))
    return rows


def test_the_desk_can_be_shown(tmp_path):
    folder = Path(os.environ.get("EQUIPOISE_PICTURES") or tmp_path / "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    with make_folder(
        tmp_path / "study", four_label(items={"reference": "label"}, title="Invented study"), cases()
    ) as store:
        queue = [given.public for given in sorted(store.assignments("ann"), key=lambda one: one.position)]
        token = link_of(store, "ann")
        for code in ("ann", "bob"):
            for given in store.assignments(code):
                number = int(given.item.rpartition("-")[2])
                label = LABELS[(number + (code == "bob" and number in (1, 4, 5, 9))) % 6]
                answers = SURE | {
                    "label": label,
                    "rationale": f"Invented reason of side {'one' if code == 'ann' else 'two'}.",
                }
                if label == "Insufficient Information":
                    answers["missing"] = ["pdl1"]
                more = {"answers": answers, "seconds": 60.0 + number}
                store.record(code, given.public, EventKind.ANSWER, press="1", at="2026-11-29T08:00:00+00:00", **more)
    server_folder = tmp_path / "study"

    async def course(browser, server):
        made = []

        async def picture(page, name, *, whole=False):
            path = folder / f"{name}.png"
            await page.screenshot(path=path, full_page=whole)
            made.append(path)

        for name, width, height, scheme in (
            ("rater-light", 1280, 800, "light"),
            ("rater-dark", 1280, 800, "dark"),
            ("rater-320", 320, 900, "light"),
            ("rater-projector", 1920, 1080, "light"),
        ):
            context = await browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = await context.new_page()
            await enter(page, server.base, token=token, to=f"/desk/items/{queue[2]}")
            await ready(page)
            await page.keyboard.press("1")
            await saved(page)
            await picture(page, name)
        await page.goto(f"{server.base}/desk")
        await page.click("#finish")
        await page.click("#lock")
        context = await browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
        page = await context.new_page()
        await enter(page, server.base, code="chief", to="/coordinator")
        await picture(page, "coordinator")
        with_bob = await (await browser.new_context()).new_page()
        from equipoise.study.store import open_store

        with open_store(server_folder / "study.sqlite") as again:
            other = link_of(again, "bob")
        await enter(with_bob, server.base, token=other, to="/desk")
        await with_bob.click("#finish")
        await with_bob.click("#lock")
        await page.goto(f"{server.base}/decide")
        await page.click("#first")
        await picture(page, "consensus", whole=True)
        await page.goto(f"{server.base}/coordinator/report")
        await picture(page, "report")
        return made

    with Server(server_folder) as server:
        made = in_browser(course, server)
    assert len({path.name for path in made}) == 7
    for path in made:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert 5_000 < path.stat().st_size < MOST_BYTES
