"""Two raters type the published labels of 50 cases, one key a case, at the same time; then meeting, export and report."""

import asyncio
import csv
import io
import json

import pytest

from equipoise.study.adjudication import decisions, disagreements
from equipoise.study.analysis import analyse
from equipoise.study.exporting import study_run
from equipoise.study.importing import import_items, import_labels
from equipoise.study.raters import add_rater
from equipoise.study.store import create_store, open_store
from study.desk_exam.helpers import AT, Server, enter, four_label, in_browser, make_folder, until

pytestmark = [pytest.mark.browser, pytest.mark.data]

WAIT = 30_000
HIDDEN = {"reference": "support_label"}


@pytest.fixture
def published(data_dir, tmp_path):
    """The 50 cases as a file, and the rows of the two oncologists."""
    with (data_dir / "openmtb" / "expert_annotations.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = {row["case_id"] for row in rows}
    lines = (data_dir / "openmtb" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [case for line in lines if (case := json.loads(line))["case_id"] in wanted]
    assert (len(rows), len(cases)) == (50, 50)
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path, rows, {case["patient_summary"]: case["case_id"] for case in cases}


def wording(label, *, five):
    """A published label as the protocol calls it."""
    changed = {"Insufficient Info": "Insufficient Information"} | ({} if five else {"Unsafe": "Unsupported"})
    return changed.get(label, label)


async def label_all(page, base, token, keys, wanted):
    """One rater: the case is read from the page, one key labels it, and the next case comes by itself."""
    await enter(page, base, token=token)
    pressed = 0
    for place in range(1, len(wanted) + 1):
        await until(
            page,
            "document.querySelector('#main')?.dataset.ready === 'yes'"
            f" && document.querySelector('h1').textContent.startsWith('Item {place} ')",
        )
        text = (await page.inner_text("[data-field=patient_summary]")).partition("\n")[2].strip()
        await page.keyboard.press(keys[wanted[text]])
        pressed += 1
    await page.wait_for_selector("body[data-page=done]", timeout=WAIT)
    await page.click("#finish")
    await page.click("#lock")
    await page.wait_for_selector("h1:text('Finished')")
    return pressed


async def meeting(page, base, rows, five):
    """Every disagreement is decided as the benchmark has it, with both raters there."""
    await page.goto(f"{base}/decide")
    count = await page.locator("#places tbody tr").count()
    for _ in range(count):
        await page.click("#first")
        text = (await page.inner_text("[data-field=patient_summary]")).partition("\n")[2].strip()
        assert await page.locator("section.side").count() == 2
        value = wording(rows[text]["benchmark_label"], five=five)
        await page.check(f"#decision input[name=value][value='{value}']")
        await page.check("#decision input[name=code] >> nth=0")
        await page.fill("#reason", "Decided as the benchmark has it.")
        await page.click("#decide")
        for box in await page.locator("input[name=agreed]").all():
            await box.check()
        await page.click("#record")
        await page.wait_for_selector("body[data-page=decide]")
    return count


async def course(browser, server, rows, keys, wanted, by_text, five):
    chief = await (await browser.new_context()).new_page()
    await enter(chief, server.base, code="chief", to="/coordinator/raters")
    await chief.click("#draw")
    tokens = {}
    for code in ("a", "b"):
        await chief.goto(f"{server.base}/coordinator/raters")
        await chief.click(f"button[aria-label='Make a link for {code}']")
        page = await chief.content()
        tokens[code] = page.split("/enter/")[1].split("<")[0].split('"')[0].strip()
    refused = await chief.goto(f"{server.base}/coordinator/report")
    pages = [await (await browser.new_context()).new_page() for _ in "ab"]
    pressed = await asyncio.gather(
        *(
            label_all(page, server.base, tokens[code], keys, wanted[code])
            for page, code in zip(pages, "ab", strict=True)
        )
    )
    decided = await meeting(chief, server.base, by_text, five)
    shown = await chief.goto(f"{server.base}/coordinator/report")
    report = await chief.inner_text("body")
    labels = await chief.context.request.get(f"{server.base}/coordinator/export/labels.csv")
    archive = await chief.context.request.get(f"{server.base}/coordinator/export/run.zip")
    return {
        "refused": refused.status, "pressed": pressed, "decided": decided, "shown": shown.status, "report": report,
        "labels": await labels.text(), "zip": await archive.body(),
    }  # fmt: skip


@pytest.mark.parametrize(("five", "kappa"), [(True, "0.600"), (False, "0.553")], ids=["five labels", "four labels"])
def test_two_raters_a_meeting_and_the_report(tmp_path, published, five, kappa):
    path, rows, named = published
    text = four_label(single=True, five=five, items=HIDDEN | {"stratum": "error_type"})
    with make_folder(tmp_path / "study", text, [], raters=("a", "b"), assign=False) as store:
        import_items(store, path, at=AT)
    keys = {option.value: option.key for option in store.protocol.primary.options}
    by_case = {row["case_id"]: row for row in rows}
    by_text = {text: by_case[name] for text, name in named.items()}
    wanted = {
        code: {text: wording(row[f"oncologist_{code}_label"], five=five) for text, row in by_text.items()}
        for code in "ab"
    }
    with Server(tmp_path / "study") as server:
        found = in_browser(course, server, rows, keys, wanted, by_text, five)

    assert found["pressed"] == [50, 50]  # one key a label
    assert (found["refused"], found["shown"]) == (409, 200)
    assert found["decided"] == 16
    assert (
        f"Raters differ on 16 of 50 items; kappa {float(kappa):.2f} (" in found["report"]
    )  # two places, as there are 50
    exported = {
        (row["item"], row["rater"]): row for row in csv.DictReader(io.StringIO(found["labels"].lstrip("\ufeff")))
    }
    typed = {
        (name, code): wording(row[f"oncologist_{code}_label"], five=five)
        for name, row in by_case.items()
        for code in "ab"
    }
    decided = {
        (name, "adjudicated"): wording(row["benchmark_label"], five=five)
        for name, row in by_case.items()
        if row["oncologist_a_label"] != row["oncologist_b_label"]
    }
    assert {key: row["label"] for key, row in exported.items()} == typed | decided
    assert found["zip"].startswith(b"PK")

    numbers = iter(range(1000))
    with create_store(tmp_path / "imported.sqlite", text, at=AT) as imported:
        for code in "ab":
            add_rater(imported, code, at=AT)
        import_items(imported, path, at=AT)
        file = tmp_path / "labels.csv"
        lines = [f"{name},{typed[name, 'a']},{typed[name, 'b']}" for name in by_case]
        file.write_text("\n".join(["case_id,one,two", *lines]) + "\n", encoding="utf-8")
        import_labels(
            imported, file, item="case_id", columns={"one": "a", "two": "b"}, at=AT, draw=lambda _: f"id{next(numbers)}"
        )
        wished = analyse(study_run(imported, at=AT), imported.protocol)
    with open_store(tmp_path / "study" / "study.sqlite") as store:
        got = analyse(study_run(store, at=AT), store.protocol)
        assert got.overall == wished.overall
        assert f"{got.overall.kappa.estimate:.3f}" == kappa
        assert len(decisions(store)) == 16
        assert not disagreements(store)
        assert len(disagreements(store, decided=True)) == 16
