"""What a rater does at the desk, by plain forms: answers, undo, skip, the end; and what two windows do to each other."""

import re

import pytest

from equipoise.study.history import EventKind, Standing
from equipoise.study.store import Item, open_store
from study.desk.conftest import COMPLETE, hidden, protocol, token


def first(browser):
    return browser.get("/desk")


def public(answer):
    return answer.url.path.rsplit("/", 1)[1]


def post(browser, page, what, follow=True, **fields):
    data = {name: hidden(page.text, name) for name in ("csrf", "press", "after")} | fields
    return browser.post(f"/desk/items/{public(page)}/{what}", data=data, follow_redirects=follow)


def standing(desk, rater="ann"):
    return [str(state.standing(desk.store.protocol)) for state in desk.store.states(rater).values()]


def checked(page):
    return re.findall(r'value="([^"]*)"[^>]* checked', page)


def test_the_first_item_is_shown_with_its_fields_and_questions(desk, ann):
    page = first(ann)
    assert page.status_code == 200
    assert "<h1" in page.text
    assert "Item 1 of 4" in page.text
    assert 'fieldset data-question="label"' in page.text
    assert "<kbd>1</kbd>" in page.text
    assert "Invented patient" in page.text


def test_nothing_on_a_page_tells_source_reference_or_name_of_an_item(desk, ann):
    page = first(ann)
    for secret in ("secret-name", "hidden-model-name", "bob"):
        assert secret not in page.text
        assert secret not in str(page.headers) + str(page.url)


def test_a_complete_answer_is_saved_and_the_next_item_comes(desk, ann):
    page = first(ann)
    then = post(ann, page, "answer", **COMPLETE, comment="Because.", seconds="12.34")
    assert public(then) != public(page)
    assert "Item 2 of 4" in then.text
    state = desk.store.states("ann")[public(page)]
    assert state.answers["label"] == "Supported"
    assert (state.comment, state.seconds) == ("Because.", 12.3)
    assert state.standing(desk.store.protocol) is Standing.COMPLETE
    assert standing(desk, "bob") == ["open"] * 4


def test_a_part_of_an_answer_is_saved_and_says_what_is_open(desk, ann):
    page = first(ann)
    then = post(ann, page, "answer", **{"answer.label": "Supported"})
    assert public(then) == public(page)
    assert (
        "Still open: What decided your answer? / Could following it hurt this patient? / How sure are you?" in then.text
    )
    assert checked(then.text) == ["Supported"]
    assert standing(desk) == ["partial", "open", "open", "open"]


def test_insufficient_information_is_complete_only_with_a_field_named(desk, ann):
    page = first(ann)
    given = {**COMPLETE, "answer.label": "Insufficient Information", "shown.missing": "yes"}
    then = post(ann, page, "answer", **given)
    assert "Still open: Which undocumented fields would decide?" in then.text
    then = post(ann, then, "answer", **given, **{"answer.missing": ["ecog", "stage"]})
    assert "Item 2 of 4" in then.text
    assert desk.store.states("ann")[public(page)].answers["missing"] == ["ecog", "stage"]


def test_an_answer_to_a_question_that_is_not_asked_is_left_out(desk, ann):
    page = first(ann)
    post(ann, page, "answer", **COMPLETE, **{"answer.missing": ["ecog"]})
    assert "missing" not in desk.store.states("ann")[public(page)].answers


def test_no_flag_is_an_answer(make):
    items = [Item(name="one", shown={"prompt": "Invented question", "reply": "Invented reply"})]
    desk = make(protocol("gates-severity"), items)
    ann = desk.signed_in("ann")
    page = first(ann)
    post(ann, page, "answer", **{"answer.severity": "1", "shown.gates": "yes"})
    assert desk.store.states("ann")[public(page)].answers == {"severity": "1", "gates": []}
    assert standing(desk) == ["complete"]


def test_a_press_that_is_sent_twice_counts_once(desk, ann):
    page = first(ann)
    for _ in range(2):
        assert post(ann, page, "answer", follow=False, **COMPLETE).status_code == 303
    assert len(desk.store.history("ann", public(page))) == 1


def test_a_second_window_cannot_overwrite_the_first_and_loses_nothing(desk, ann):
    page = first(ann)
    other = ann.get(page.url)
    post(ann, page, "answer", **{"answer.label": "Unsupported"})
    late = post(ann, other, "answer", **{"answer.label": "Supported", "comment": "typed <b>for long</b>"})
    assert late.status_code == 409
    assert "this item was changed in another window" in late.text
    assert "not saved" in late.text
    assert checked(late.text) == ["Supported"]
    assert "typed &lt;b&gt;for long&lt;/b&gt;</textarea>" in late.text
    assert desk.store.states("ann")[public(page)].answers == {"label": "Unsupported"}
    more = {"answer.label": "Supported", "after": hidden(late.text, "after"), "press": hidden(late.text, "press")}
    assert post(ann, page, "answer", **more).status_code == 200
    assert desk.store.states("ann")[public(page)].answers == {"label": "Supported"}


def test_a_form_without_the_number_of_the_last_event_overwrites_nothing(desk, ann):
    page = first(ann)
    post(ann, page, "answer", **{"answer.label": "Unsupported"})
    late = post(ann, page, "answer", **{"answer.label": "Supported", "after": "", "press": "another-press"})
    assert late.status_code == 409


def test_an_answer_that_does_not_exist_is_refused_and_the_rest_is_kept_in_the_form(desk, ann):
    page = first(ann)
    then = post(ann, page, "answer", **{**COMPLETE, "answer.label": "<script>"})
    assert then.status_code == 422
    assert "<script>" not in then.text
    assert "evidence-supports" in checked(then.text)
    assert standing(desk) == ["open"] * 4


def test_undo_takes_the_last_answer_back_and_history_keeps_both(desk, ann):
    page = first(ann)
    then = post(ann, page, "answer", **{"answer.label": "Unsupported"})
    then = post(ann, then, "answer", **{"answer.label": "Supported"})
    then = post(ann, then, "undo")
    assert checked(then.text) == ["Unsupported"]
    then = post(ann, then, "undo")
    assert checked(then.text) == []
    kinds = [event.kind for event in desk.store.history("ann", public(page))]
    assert kinds == [EventKind.ANSWER, EventKind.ANSWER, EventKind.UNDO, EventKind.UNDO]
    assert post(ann, then, "undo").status_code == 422


def test_a_skip_needs_a_reason_and_goes_on(desk, ann):
    page = first(ann)
    assert post(ann, page, "skip", reason="  ").status_code == 422
    then = post(ann, page, "skip", reason="garbled text")
    assert "Item 2 of 4" in then.text
    assert standing(desk)[0] == "skipped"
    back = ann.get(page.url)
    assert "Skipped: garbled text" in back.text
    post(ann, back, "answer", **COMPLETE)
    assert standing(desk)[0] == "complete"


@pytest.mark.parametrize("what", ["answer", "skip", "undo", "reopen"])
def test_an_item_of_somebody_else_is_answered_like_one_that_does_not_exist(desk, ann, what):
    theirs = desk.store.assignments("bob")[0].public
    nobodys = "z" * len(theirs)
    data = {"csrf": token(ann), "press": "some-press", "after": "0", "reason": "why", **COMPLETE}
    pages = [ann.post(f"/desk/items/{name}/{what}", data=data) for name in (theirs, nobodys)]
    pages += [ann.get(f"/desk/items/{name}") for name in (theirs, nobodys)]
    assert {page.status_code for page in pages} == {404}
    assert len({page.content for page in pages}) == 1
    assert len({tuple(sorted(page.headers.items())) for page in pages}) == 1
    assert standing(desk, "bob") == ["open"] * 4


def finish_all(desk, ann):
    page = first(ann)
    while "/desk/items/" in page.url.path:
        page = post(ann, page, "answer", **COMPLETE)
    return page


def test_the_end_is_said_asked_once_and_makes_everything_final(desk, ann):
    page = finish_all(desk, ann)
    assert "All done" in page.text
    asked = ann.post("/desk/lock", data={"csrf": token(ann)})
    assert "Make 4 items final?" in asked.text
    assert not any(state.locked for state in desk.store.states("ann").values())
    sure = {name: hidden(asked.text, name) for name in ("csrf", "press", "sure")}
    assert "Your 4 items are final" in ann.post("/desk/lock", data=sure).text
    ann.post("/desk/lock", data=sure)
    states = desk.store.states("ann")
    assert all(state.locked for state in states.values())
    assert {state.number for state in states.values()} == {2}


def test_nothing_is_made_final_before_the_end(desk, ann):
    post(ann, first(ann), "answer", **COMPLETE)
    answer = ann.post("/desk/lock", data={"csrf": token(ann), "sure": "yes"})
    assert answer.status_code == 422
    assert not any(state.locked for state in desk.store.states("ann").values())


def test_a_final_item_changes_only_after_it_is_reopened_with_a_reason(desk, ann):
    finish_all(desk, ann)
    ann.post("/desk/lock", data={"csrf": token(ann), "sure": "yes"})
    name = desk.store.assignments("ann")[0].public
    page = ann.get(f"/desk/items/{name}")
    assert "This item is final" in page.text
    refused = post(ann, page, "answer", **{**COMPLETE, "answer.label": "Unsupported"})
    assert refused.status_code == 409
    assert desk.store.states("ann")[name].answers["label"] == "Supported"
    assert post(ann, page, "reopen", reason="").status_code == 422
    page = post(ann, page, "reopen", reason="read it again")
    post(ann, page, "answer", **{**COMPLETE, "answer.label": "Unsupported"})
    assert desk.store.states("ann")[name].answers["label"] == "Unsupported"


def test_with_a_number_of_labels_as_the_end_the_queue_ends_there(make):
    desk = make(protocol(stopping={"rule": "labels", "labels": 2}))
    ann = desk.signed_in("ann")
    page = finish_all(desk, ann)
    assert "2 of 4 items" in page.text
    assert "Make 2 items final?" in ann.post("/desk/lock", data={"csrf": token(ann)}).text


def test_without_items_the_page_says_so(make):
    desk = make(turns=[("bob", "secret-name-0", "main", 1)])
    assert "Nothing to label yet" in first(desk.signed_in("ann")).text


def test_the_own_history_lists_what_was_touched_and_nothing_else(desk, ann):
    page = first(ann)
    post(ann, page, "answer", **COMPLETE)
    listed = ann.get("/desk/history").text
    assert f"/desk/items/{public(page)}" in listed
    assert "complete" in listed
    untouched = [item.public for item in desk.store.assignments() if item.public != public(page)]
    assert not [name for name in untouched if name in listed]


def test_a_long_history_comes_in_pages(make):
    items = [Item(name=f"n{number}", shown={"patient_summary": "x", "proposed_therapy": "y"}) for number in range(60)]
    desk = make(items=items)
    ann = desk.signed_in("ann")
    for place in desk.store.assignments("ann"):
        desk.store.record(
            "ann", place.public, EventKind.SKIP, press="a-press", at="2026-12-01T08:00:00+00:00", reason="x"
        )
    one, two = (ann.get(f"/desk/history?page={number}").text for number in (1, 2))
    assert "item 50</a>" in one
    assert "item 51</a>" not in one.split("In the order of the queue")[1]
    assert "item 60</a>" in two
    assert ann.get("/desk/history?page=nonsense").text == one


TRAINING = [{"item": "practice", "expected": {"label": "Unsupported"}, "explanation": "The variant is not the one."}]


def test_a_training_item_is_explained_after_the_answer_and_not_before(make):
    items = [
        Item(name=name, shown={"patient_summary": "x", "proposed_therapy": "y"}, role=role)
        for name, role in (("practice", "training"), ("real", "main"))
    ]
    turns = [("ann", "practice", "training", 1), ("ann", "real", "main", 1)]
    desk = make(protocol(training=TRAINING), items, turns=turns)
    ann = desk.signed_in("ann")
    page = first(ann)
    assert "training" in page.text
    assert "The variant is not the one." not in page.text
    part = post(ann, page, "answer", **{"answer.label": "Supported"})
    assert "The variant is not the one." not in part.text
    then = post(ann, part, "answer", **COMPLETE)
    assert public(then) == public(page)
    assert "The variant is not the one." in then.text
    assert "you answered otherwise" in then.text
    assert "Item 2 of 2" in first(ann).text


def test_an_attention_item_and_a_repeat_look_like_any_other(make):
    items = [
        Item(name=name, shown={"patient_summary": "the same", "proposed_therapy": "y"}, role=role)
        for name, role in (("check", "attention"), ("real", "main"))
    ]
    turns = [("ann", "check", "attention", 1), ("ann", "real", "main", 1), ("ann", "real", "repeat", 2)]
    attention = {"items": [{"item": "check", "expected": {"label": "Supported"}}]}
    desk = make(protocol(attention=attention), items, turns=turns)
    ann = desk.signed_in("ann")
    pages = []
    for number, place in enumerate(desk.store.assignments("ann"), start=1):
        page = ann.get(f"/desk/items/{place.public}").text
        page = re.sub(r"drawn-\d+-x+", "ID", page)
        page = re.sub(rf"\b{number}\b( <span class=\"unseen\">)? ?of 3", "N of 3", page)
        page = re.sub(r'<(a|button)[^>]* id="(back|forward)".*?</\1>', "", page)
        pages.append(re.sub(r"\n+", "\n", page))
    assert pages[0] == pages[1] == pages[2]


def part(browser, page, what, **fields):
    data = {name: hidden(page.text, name) for name in ("csrf", "press", "after")} | fields
    return browser.post(f"/desk/items/{public(page)}/{what}", data=data, headers={"HX-Request": "true"})


def test_a_script_gets_the_number_of_its_own_press_even_when_it_asks_again(desk, ann):
    page = first(ann)
    saved = part(ann, page, "answer", **{"answer.label": "Supported"})
    assert 'data-number="1" data-mine="1" data-standing="partial"' in saved.text
    part(ann, page, "answer", **{"answer.label": "Unsupported", "press": "second-press", "after": "1"})
    again = part(ann, page, "answer", **{"answer.label": "Supported"})
    assert 'data-number="2" data-mine="1"' in again.text
    assert desk.store.states("ann")[public(page)].answers == {"label": "Unsupported"}


def test_a_script_is_told_of_a_conflict_and_of_an_ended_session_in_parts_of_a_page(desk, ann):
    page = first(ann)
    part(ann, page, "answer", **{"answer.label": "Supported"})
    late = part(ann, page, "answer", **{"answer.label": "Unsupported", "press": "second-press"})
    assert late.status_code == 409
    assert "<html" not in late.text
    desk.clock.pass_(hours=13)
    ended = part(ann, page, "answer", **{"answer.label": "Unsupported", "press": "third-press"})
    assert ended.status_code == 401
    assert f'href="/enter?to=/desk/items/{public(page)}"' in ended.text
    assert "<html" not in ended.text


def test_what_an_item_holds_is_inert(make):
    text = "<script>alert(1)</script> & <img src=x onerror=alert(1)> \u202etxt \x1b[31mred [a](javascript:alert(1))"
    items = [Item(name="one", shown={"patient_summary": text, "proposed_therapy": {"<b>k</b>": [{"<i>c</i>": text}]}})]
    page = first(make(items=items).signed_in("ann")).text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "\u27e8U+202E\u27e9txt" in page
    assert 'href="javascript' not in page


def test_a_comment_comes_back_as_it_was_typed(desk, ann):
    page = first(ann)
    typed = "\n</textarea><script>x</script> \u200d joined \u202e turned"
    then = post(ann, page, "answer", **{"answer.label": "Supported", "comment": typed})
    assert desk.store.states("ann")[public(page)].comment == typed
    assert "<script>x" not in then.text
    assert "\n\n&lt;/textarea&gt;&lt;script&gt;x&lt;/script&gt; \u200d joined \u202e turned</textarea>" in then.text


@pytest.mark.parametrize("seconds", ["", "-1", "nan", "inf", "90000", "words"])
def test_a_time_that_cannot_be_is_not_known(desk, ann, seconds):
    page = first(ann)
    post(ann, page, "answer", **COMPLETE, seconds=seconds)
    assert desk.store.states("ann")[public(page)].seconds is None


def test_facts_read_by_rule_are_shown_only_where_the_protocol_declares_it(make):
    note = "68-year-old woman, stage IVB adenocarcinoma of the lung. ECOG 1. EGFR L858R positive."
    items = [Item(name="one", shown={"patient_summary": note, "proposed_therapy": "osimertinib"})]
    plain = first(make(items=items).signed_in("ann")).text
    assert "Read by rule" not in plain
    shown = {"kind": "case", "show": ["patient_summary", "proposed_therapy"], "aid": "facts-by-rule"}
    page = first(make(protocol(items=shown), items).signed_in("ann")).text
    assert "Nobody has checked this" in page
    assert "<td>ECOG</td><td>1</td><td>ECOG 1</td>" in page
    assert "<td>EGFR L858R</td><td>present</td>" in page


def test_a_protocol_amended_beside_the_running_desk_holds_for_the_next_page(desk, ann, tmp_path):
    with open_store(tmp_path / "study-0.sqlite") as other:
        other.amend(protocol(instructions="Read the second handout."), reason="clearer", at="2026-12-01T10:00:00+00:00")
    assert "Read the second handout." not in ann.get("/desk/guide").text
    desk.clock.pass_(seconds=4)
    assert "Read the second handout." in ann.get("/desk/guide").text
