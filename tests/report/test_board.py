"""The page of a board audit: conventions whole and empty, the answer from its numbers, and text from outside that stays text."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any

import pytest
from jinja2 import meta

from board_pages import ONE, TWO, protocol_of, scores_of, whole_audit
from board_runs_help import write_part
from board_scores_help import DEFER, SILENT, many
from equipoise.boards.judging.criteria import BOARD, TEXT
from equipoise.report import board_contexts
from equipoise.report.board import MOST_CHARACTERS, MOST_OF_A_KIND, board_page, headline
from equipoise.report.board_contexts import BoardPage
from equipoise.report.lint import lint, parse
from equipoise.report.render import TEMPLATES, environment, render_page
from equipoise.studies.board_audit import BoardAudit, board_audit
from equipoise.studies.board_protocol import BoardDeviation
from study_examples import HOSTILE


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> BoardAudit:
    return whole_audit(tmp_path_factory.mktemp("board"))


@pytest.fixture(scope="module")
def html(whole) -> str:
    return render_page(board_page(whole))


def audit_of(rows: Any, parts: Any = None, **more: Any) -> BoardAudit:
    return board_audit(protocol_of(**more), parts or {}, rows)


def figures(html: str, start: str) -> list[Any]:
    return [node for node in parse(html).all("figure") if node.attributes.get("id", "").startswith(start)]


@pytest.mark.parametrize(
    "context",
    [item for _, item in inspect.getmembers(board_contexts, dataclasses.is_dataclass)
     if item.__module__ == board_contexts.__name__],
    ids=lambda context: context.__name__,
)  # fmt: skip
def test_every_field_of_a_context_is_documented(context):
    documented = re.findall(r"^ {8}(\w+): ", context.__doc__ or "", re.MULTILINE)
    assert documented == [field.name for field in dataclasses.fields(context)]


def test_the_template_reads_its_context_and_uses_all_of_it():
    engine = environment()
    read, macros = set(), {"css"}
    for name in ("board.html.j2", "base.html.j2", "macros.html.j2"):
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        macros |= set(re.findall(r"macro (\w+)\(", text))
        read |= meta.find_undeclared_variables(engine.parse(text))
    fields = {field.name for field in dataclasses.fields(BoardPage)}
    assert read - macros <= fields
    assert fields <= read


def test_a_whole_page_passes_the_linter(html):
    assert lint(html) == []
    assert "not measured" not in html


@pytest.mark.parametrize("recordings", [3, 9])
def test_a_page_of_few_recordings_passes_too_and_prints_no_interval(tmp_path, recordings):
    page = board_page(whole_audit(tmp_path, recordings=recordings))
    html = render_page(page)
    assert lint(html) == []
    assert "(interval not available)" in html
    assert f"no test tells them apart ({recordings} recordings, at least 10 are needed)" in page.headline
    for figure in figures(html, "mean-"):
        values = [cell.text() for cell in figure.all("td")]
        assert "-" in values


def test_a_page_with_nothing_passes_the_linter_and_says_so():
    page = board_page(audit_of([]))
    html = render_page(page)
    assert lint(html) == []
    assert page.headline == "No reply of a system could be judged."
    assert html.count("not measured: ") == len(page.sections)


def test_without_a_judge_only_words_lead_and_the_page_says_so(tmp_path):
    parts = {(BOARD, ONE): write_part(tmp_path / "run", [{"item": "c000", "reply": "x"}], system=ONE)}
    rows = many({ONE: [0.2] * 36, TWO: [0.1] * 36}, rubric=TEXT, criterion="rouge-l")
    audit = board_audit(protocol_of(judges=[], rule=""), parts, rows, notes=("No judge was named.",))
    page = board_page(audit)
    html = render_page(page)
    assert lint(html) == []
    assert "rouge-l on a scale from 0 to 1" in page.headline
    assert "No judge was named." in html
    assert "not measured: nobody judged: only what needs no model was measured" in html
    assert page.excerpts_note == "Nobody judged the replies, so none can be called the worst."


def test_the_page_says_once_that_this_is_no_medical_device(html):
    assert html.count("not a medical device") == 1


def test_the_headline_is_computed(whole, tmp_path):
    assert headline(whole) == (
        "Board Simulation, captions, single: 2 systems from 2.31 to 3.36 for alignment on a scale from 1 to 5; "
        f"{ONE} alone can have the first place."
    )
    one = audit_of(many({ONE: [1.0, 2.0, 3.0] * 12, DEFER: [1.0] * 36}), models=[ONE])
    assert headline(one).endswith(f"higher than {DEFER}, which answers without reading.")
    equal = audit_of(many({ONE: [1.0] * 36, DEFER: [1.0] * 36, SILENT: [None] * 36}), models=[ONE])
    assert headline(equal).endswith(f"not separable from {DEFER} and {SILENT}, which answer without reading.")
    lower = audit_of(many({ONE: [1.0, 2.0, 1.0] * 12, DEFER: [5.0] * 36}), models=[ONE])
    assert f"lower than {DEFER}" in headline(lower)
    alone = audit_of(many({ONE: [1.0] * 36}), models=[ONE])
    assert headline(alone).endswith("nothing that answers without reading stands beside it.")


def test_three_systems_of_which_two_share_the_first_place():
    base = [2.0, 3.0, 4.0] * 12
    rows = many({"a": base, "b": base, "c": [1.0] * 36})
    assert headline(audit_of(rows, models=["a", "b", "c"])).endswith("the first place can be that of a and b.")


def test_constants_stand_beside_every_leading_mean(html):
    for figure in figures(html, "mean-"):
        names = [head.text() for head in figure.all("th") if head.attributes.get("scope") == "row"]
        assert names[-2:] == [DEFER, SILENT]


def test_settings_and_benchmarks_have_a_drawing_of_their_own(whole, html):
    titles = [figure.all("figcaption")[0].text() for figure in figures(html, "mean-")]
    assert titles == [
        "Mean equivalence, captions, single", "Mean alignment, captions, single", "Mean alignment, captions, agents+auditor",
    ]  # fmt: skip


def test_failures_have_columns_of_their_own(whole):
    section = next(item for item in board_page(whole).sections if item.id == "means")
    table = section.blocks[1].table
    row = next(row for row in table.rows if row[0].text == TWO)
    values = dict(zip(table.head, [cell.text for cell in row], strict=True))
    assert (values["replies"], values["scored"], values["no reply"], values["no verdict"]) == ("36", "35", "1", "0")
    assert values["floored"].endswith("n 36")
    assert values["scored only"].endswith("n 35; 1 left out")
    low, high = (float(part) for part in values["worst to highest possible"].split(" to "))
    assert high - low == pytest.approx(4 / 36, abs=0.011)


def test_every_row_of_every_table_has_a_cell_for_each_head(html):
    for table in parse(html).all("table"):
        heads = len(table.all("thead")[0].all("th"))
        for row in table.all("tbody")[0].all("tr"):
            assert len([cell for cell in row.children if not isinstance(cell, str)]) == heads, row.text()


def test_decisions_state_scope_and_scale(whole):
    section = next(item for item in board_page(whole).sections if item.id == "decisions")
    table = section.blocks[0].table
    values = dict(zip(table.head, [cell.text for cell in table.rows[0]], strict=True))
    assert [block.title for block in section.blocks] == ["Therapy", "Surgery"]
    assert (values["in scope"], values["out of scope"]) == ("35", "1")
    assert values["scale"] == "board-decisions-1-5"
    assert values["floored"].endswith("n 34; 1 left out")


def test_faults_are_shares_of_judged_replies(whole, html):
    section = next(item for item in board_page(whole).sections if item.id == "faults")
    cell = section.blocks[0].table.rows[0][2]
    assert (cell.kind, cell.key, cell.n) == ("rate", "critical_error", 36)
    assert cell.text.startswith("22 % (")
    assert "8 of 36" in cell.text


def test_the_auditor_and_what_became_of_it_is_told(whole, html):
    assert (
        "Of 48 regimens recommended at a board it spoke against 24 and left 0 to a person; 24 of the 24 stayed in the conclusion."
        in html
    )
    section = next(item for item in board_page(whole).sections if item.id == "conduct")
    assert [block.title for block in section.blocks] == [
        "What was said", "How boards of agents ended", "The auditor and the boards", "Every audit",
    ]  # fmt: skip
    auditor = section.blocks[2].table
    values = dict(zip(auditor.head, [cell.text for cell in auditor.rows[0]], strict=True))
    assert [values[name] for name in ("audits", "left to a person", "spoke against", "of these told to the board", "kept", "left")] == [
        "24", "0", "12", "12", "12", "0",
    ]  # fmt: skip
    ended = section.blocks[1].table
    values = dict(zip(ended.head, [cell.text for cell in ended.rows[0]], strict=True))
    assert values["ended by"] == "12 turn-limit"
    assert values["silent roles"] == "12 pathologist"
    assert values["tokens"] == str(12 * 4321)


def test_judges_are_held_against_each_other_and_against_clinicians(whole, html):
    section = next(item for item in board_page(whole).sections if item.id == "judges")
    titles = [block.title for block in section.blocks]
    assert titles[:4] == [
        "Verdicts and those that are missing", "Against clinicians", "Judges with each other", "Judges and systems of one maker",
    ]  # fmt: skip
    assert "both of openai" in html
    bare = board_page(dataclasses.replace(whole, agreements=dataclasses.replace(whole.agreements, pairs=())))
    section = next(item for item in bare.sections if item.id == "judges")
    assert "nothing says how right the judges are" in section.blocks[1].note


def test_the_worst_stand_in_their_order_and_the_limit_is_stated(whole):
    page = board_page(whole)
    kinds = [item.kind for item in page.excerpts]
    assert kinds == sorted(kinds, key=("critical error", "kept against the auditor", "lowest score").index)
    assert set(kinds) == {"critical error", "kept against the auditor", "lowest score"}
    for kind in set(kinds):
        assert kinds.count(kind) <= 2 * MOST_OF_A_KIND
    assert f"{len(page.excerpts)} of {whole.worst_total} are shown" in page.excerpts_note


def test_a_long_reply_keeps_its_beginning_and_its_end(whole):
    long = dataclasses.replace(whole.worst[0], reply="a" * MOST_CHARACTERS + "the conclusion")
    row = board_page(dataclasses.replace(whole, worst=(long,))).excerpts[0]
    assert row.reply.startswith("aaa")
    assert row.reply.endswith("the conclusion")
    assert len(row.reply) < MOST_CHARACTERS + 20
    assert re.search(r"reply cut to \d+ of \d+ characters, hash [0-9a-f]{12}", row.cut)


def test_text_from_outside_stays_text(whole):
    worst = dataclasses.replace(
        whole.worst[0], reply=HOSTILE, asked=HOSTILE, reference=HOSTILE, detail=HOSTILE, item=HOSTILE
    )
    told = dataclasses.replace(
        whole.conduct[-1].told[0], regimen=HOSTILE, role=HOSTILE, item=HOSTILE, reasons=(HOSTILE,)
    )
    conduct = dataclasses.replace(
        whole.conduct[-1], told=(told,), system=HOSTILE, stops={HOSTILE: 1}, silent={HOSTILE: 1}
    )
    deviation = BoardDeviation(part=BOARD, system=HOSTILE, what="not run", why=HOSTILE)
    changed = dataclasses.replace(whole, worst=(worst,), conduct=(conduct,), deviations=(deviation,), notes=(HOSTILE,))
    html = render_page(board_page(changed))
    assert [item for item in lint(html) if "avoided word" not in item] == []
    assert "<script" not in html


def test_what_came_otherwise_is_in_a_table_and_nothing_is_said_plainly(whole):
    deviation = BoardDeviation(part=BOARD, system=ONE, what="never asked", number=3, planned=20, why="cut short")
    html = render_page(board_page(dataclasses.replace(whole, deviations=(deviation,))))
    assert "3 of 20" in html
    plain = render_page(board_page(dataclasses.replace(whole, deviations=())))
    assert "nothing: every planned item was asked" in plain
    assert "nothing: every planned item was asked" not in html


def test_the_page_does_not_depend_on_the_order_of_its_scores(tmp_path):
    rows = scores_of()
    one, two = (render_page(board_page(audit_of(own))) for own in (rows, rows[::-1]))
    assert one == two


def test_own_data_are_said_to_be_patient_data_where_they_are_quoted(tmp_path):
    for own, excerpts, told in ((True, True, True), (False, True, False), (True, False, False)):
        protocol = protocol_of(excerpts=excerpts)
        tests = [test | {"own_data": own} for test in protocol["tests"]]
        page = board_page(whole_audit(tmp_path / f"{own}{excerpts}", tests=tests, excerpts=excerpts))
        assert ("this page holds patient data" in page.excerpts_note) is told
