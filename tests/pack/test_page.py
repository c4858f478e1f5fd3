"""The page of a pack: conventions, a cover to sign, a form, every item with its status, nothing called compliant."""

from __future__ import annotations

import dataclasses
import inspect
import re

import pytest
from jinja2 import meta

from equipoise.pack.build import make_pack
from equipoise.pack.page import MOST_ANOMALIES, SIGNS, pack_page
from equipoise.report import pack_contexts
from equipoise.report.lint import lint, parse
from equipoise.report.pack_contexts import PackPage
from equipoise.report.render import TEMPLATES, environment, render_page

CONTEXTS = [
    item
    for _, item in inspect.getmembers(pack_contexts, dataclasses.is_dataclass)
    if item.__module__ == pack_contexts.__name__
]


@pytest.fixture
def pack(make_run):
    return make_pack([make_run("a"), make_run("b", wrong=2, system="openai/other")])


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.__name__)
def test_every_field_is_documented_and_read(context):
    documented = re.findall(r"^ {8}(\w+): ", context.__doc__ or "", re.MULTILINE)
    names = [field.name for field in dataclasses.fields(context)]
    assert documented == names
    text = (TEMPLATES / "pack.html.j2").read_text(encoding="utf-8")
    assert {name for name in names if not re.search(rf"\b{name}\b", text)} <= {"report_id", "title"}


def test_the_template_reads_its_context_and_nothing_else():
    engine, read, macros = environment(), set(), {"css"}
    for name in ("pack.html.j2", "base.html.j2", "macros.html.j2"):
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        macros |= set(re.findall(r"macro (\w+)\(", text))
        read |= meta.find_undeclared_variables(engine.parse(text))
    assert read - macros == {field.name for field in dataclasses.fields(PackPage)}


def test_the_page_keeps_the_conventions(pack, other_run):
    assert lint(render_page(pack_page(pack)), data={"n": 24}) == []
    assert lint(render_page(pack_page(make_pack([other_run()])))) == []


def test_every_item_stands_in_the_table_of_its_standard_with_its_status(pack):
    root = parse(render_page(pack_page(pack)))
    for standard in pack.standards:
        section = next(node for node in root.walk() if node.attributes.get("id") == f"standard-{standard.id}")
        words = section.spaced()
        counts = pack.counts(standard.id)
        rows = [node for node in section.all("tr") if node.inside("tbody")]
        if rows:
            statuses = [node.text() for row in rows for node in row.walk() if "check" in node.classes()]
            assert {status.value: statuses.count(status.value) for status in counts} == {
                status.value: number for status, number in counts.items()
            }
        else:
            assert all(item.id in words for item in pack.items if item.standard == standard.id)
            assert "n/a" in words


def test_the_cover_has_lines_to_sign_and_the_form_a_line_for_every_question(pack):
    root = parse(render_page(pack_page(pack)))
    cover = next(node for node in root.walk() if node.attributes.get("id") == "cover")
    assert all(role in cover.text() for role in SIGNS)
    assert pack.digest in root.text()
    numbers = [node.attributes["id"] for node in root.walk() if node.attributes.get("id", "").startswith("open-")]
    assert numbers == [f"open-{place}" for place in range(1, len(pack.form) + 1)]


def test_no_standard_is_called_kept(pack):
    text = parse(render_page(pack_page(pack))).text().lower()
    for word in ("compliant", "complies", "compliance", "certified", "conforms to"):
        assert word not in text
    assert "it does not say that a requirement is met" in text


def test_the_gravest_misses_come_first_and_the_rest_is_counted(make_run, cases):
    page = pack_page(make_pack([make_run("a", wrong=len(cases) - 1)]))
    kinds = [row.kind for row in page.anomalies]
    assert kinds[0] == "false approval"
    assert len(page.anomalies) <= MOST_ANOMALIES
    assert page.anomalies_text.startswith(f"{len(cases) - 1} of {len(cases)} replies")


def test_every_file_is_listed_with_its_hash_and_items_point_to_it(pack):
    root = parse(render_page(pack_page(pack)))
    section = next(node for node in root.walk() if node.attributes.get("id") == "files")
    assert all(name in section.text() for name in pack.files)
    linked = {node.attributes["href"] for node in root.all("a") if node.attributes.get("href", "").startswith("#file-")}
    assert linked
    assert linked <= {f"#file-{number}" for number in range(1, len(pack.files) + 1)}


def test_a_data_sheet_says_what_is_not_stored_and_where_it_is_asked(pack):
    page = pack_page(pack)
    by = {fact.name: fact.value for fact in page.data}
    number = next(place for place, question in enumerate(pack.form, start=1) if question.key == "data.license")
    assert by["licence"] == f"not stored; form {number}"
    assert by["cases asked"] == "24"
    assert all(value for value in by.values())
