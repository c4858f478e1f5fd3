"""Every loader on a hand-written copy in the data set's own form: arms, strata, clusters, and one clear error each."""

from __future__ import annotations

import importlib
import shutil
from collections import Counter

import pytest

from equipoise.benchmarks.bold.loader import load as load_bold
from equipoise.benchmarks.health_orsc.loader import CATEGORIES
from equipoise.benchmarks.health_orsc.loader import load as load_health
from equipoise.benchmarks.iatrobench.loader import load as load_iatrobench
from equipoise.benchmarks.med_safety_bench.loader import load as load_med_safety
from equipoise.benchmarks.medharm.loader import load as load_medharm
from equipoise.benchmarks.open_safe_intent.loader import load as load_intents
from equipoise.benchmarks.or_bench.loader import load as load_or_bench
from equipoise.benchmarks.patient_safety_bench.loader import load as load_patients
from equipoise.benchmarks.prompts.loading import Choice, chosen, dataset_hash
from equipoise.benchmarks.refusalbench.loader import load as load_refusalbench
from equipoise.benchmarks.toxigen.loader import load as load_toxigen
from equipoise.benchmarks.toxigen.loader import sensitivity
from equipoise.benchmarks.xstest.loader import load as load_xstest
from equipoise.errors import InputError, UsageError
from equipoise.refusal.terms import Arm
from prompts_data import DATA, loader


def arms(items):
    return {arm.value: number for arm, number in Counter(item.arm for item in items).items()}


def test_xstest_pairs_each_contrast_with_the_safe_prompt_of_its_place():
    items = {item.id: item for item in load_xstest(DATA / "xstest" / "xstest_prompts.csv", allow_changed=True)}
    assert arms(items.values()) == {"benign": 3, "harmful": 2}
    assert items["v2-1"].pair == items["v2-26"].pair != items["v2-2"].pair == items["v2-27"].pair
    assert items["v2-401"].pair == ""
    assert items["v2-26"].stratum == "contrast_homonyms"
    assert items["v2-1"].facts["focus"] == "kill"


def test_or_bench_takes_the_arm_from_the_file():
    items = load_or_bench(DATA / "or_bench", files="hard+toxic")
    assert arms(items) == {"benign": 3, "harmful": 2}
    assert [item.id for item in items][:2] == ["hard-1", "hard-2"]
    assert items[0].prompt.endswith("with feeling?")
    toxic = load_or_bench(DATA / "or_bench" / "or-bench-toxic.csv", files="hard+toxic")
    assert arms(toxic) == {"harmful": 2}
    with pytest.raises(UsageError, match="files"):
        load_or_bench(DATA / "or_bench", files="soft")


def test_health_orsc_rewrites_share_the_family_of_their_seed_and_seeds_come_once_when_asked():
    items = load_health(DATA / "health_orsc")
    assert arms(items) == {"benign": 3}
    assert items[0].item_family == items[1].item_family != items[2].item_family
    assert [item.stratum for item in items] == ["drug_abuse", "drug_abuse", "health_privacy"]
    assert items[0].facts["refuse_count"] == 12
    assert not any("seed" in str(item.facts) for item in items)
    both = load_health(DATA / "health_orsc", seeds=True)
    assert arms(both) == {"benign": 3, "harmful": 2}
    seeds = [item for item in both if item.arm is Arm.HARMFUL]
    assert {item.item_family for item in seeds} == {item.item_family for item in items}
    tiers = load_health(DATA / "health_orsc", files="easy+hard", by="category+tier")
    assert {item.stratum for item in tiers} == {"self_harm/easy", "drug_abuse/hard", "health_privacy/hard"}
    assert len(CATEGORIES) == 7


def test_health_orsc_reads_an_export_of_another_name_and_refuses_a_new_category(tmp_path):
    rows = (DATA / "health_orsc/data/difficulty/health-orsc-hard-1k.jsonl").read_text()
    own = tmp_path / "export.jsonl"
    own.write_text(rows)
    assert [item.id for item in load_health(own)] == ["1", "2", "3"]
    own.write_text(rows.replace("drug_abuse", "something_new"))
    with pytest.raises(InputError, match="found 'something_new'"):
        load_health(own)


def test_health_orsc_reads_the_items_that_the_pipeline_exports(tmp_path):
    own = tmp_path / "items.jsonl"
    own.write_text(
        '{"id": "b1", "prompt": "Who may see my file?", "arm": "benign", "stratum": "health_privacy", "item_family": "f", '
        '"facts": {"tier": "hard"}}\n'
        '{"id": "s1", "prompt": "Stand-in seed.", "arm": "harmful", "stratum": "health_privacy", "item_family": "f", '
        '"facts": {}}\n'
    )
    assert [(item.id, item.facts) for item in load_health(own)] == [("b1", {"tier": "hard"})]
    assert arms(load_health(own, seeds=True)) == {"benign": 1, "harmful": 1}


def test_medharm_reads_the_columns_it_is_told_and_assumes_no_category():
    items = load_medharm(DATA / "medharm" / "own.csv", columns="prompt=query,category=topic,arm=side")
    assert [(item.id, item.arm, item.stratum) for item in items] == [
        ("query-1", Arm.HARMFUL, "topic one"),
        ("query-2", Arm.BENIGN, "topic two"),
    ]
    assert {item.stratum for item in load_medharm(DATA / "medharm" / "own.csv", columns={"prompt": "query"})} == {""}
    with pytest.raises(InputError, match="'prompt' is missing"):
        load_medharm(DATA / "medharm" / "own.csv")
    with pytest.raises(UsageError, match="columns"):
        load_medharm(DATA / "medharm" / "own.csv", columns="text=query")
    with pytest.raises(UsageError, match="on request"):
        load_medharm(DATA / "medharm" / "none.csv")


def test_toxigen_moves_items_with_the_threshold_as_its_table_says(toxigen_folder):
    items = load_toxigen(toxigen_folder)
    assert [item.arm for item in items] == [Arm.BENIGN, Arm.BENIGN, Arm.HARMFUL, Arm.HARMFUL]
    assert {item.group for item in items} == {"group a", "group b"}
    table = {row.threshold: row for row in sensitivity(items)}
    for threshold, row in table.items():
        again = arms(load_toxigen(toxigen_folder, threshold=threshold))
        assert (again.get("benign", 0), again.get("harmful", 0)) == (row.benign, row.toxic)
    assert (table[2.5].moved, table[3.0].moved, table[4.0].moved) == (1, 0, 1)
    with pytest.raises(UsageError, match="threshold"):
        load_toxigen(toxigen_folder, threshold=5)


def test_bold_is_a_benign_arm_in_both_published_forms():
    items = load_bold(DATA / "bold", allow_changed=True)
    assert arms(items) == {"benign": 5}
    assert {(item.stratum, item.group) for item in items} == {
        ("race", "Group_A"), ("race", "Group_B"), ("profession", "bakers")
    }  # fmt: skip
    assert len({item.item_family for item in items}) == 4
    hub = load_bold(DATA / "bold" / "hub.jsonl", allow_changed=True)
    assert (hub[0].id, hub[0].prompt) == ("race/Group_A/Person_One/1", "Person One is a painter who")


def test_iatrobench_gives_framing_pair_and_the_actions_that_collide():
    items = {item.id: item for item in load_iatrobench(DATA / "iatrobench", allow_changed=True)}
    assert arms(items.values()) == {"benign": 3}
    lay, physician = items["Q1a"], items["Q1b"]
    assert (lay.group, physician.group) == ("layperson", "physician")
    assert lay.pair == physician.pair == "nosebleed"
    assert [action.collides for action in lay.critical_actions] == [False, True]
    assert lay.system == "You are a helpful assistant."
    assert (items["Q1c"].pair, items["Q1c"].facts["colliding_known"]) == ("", False)


def test_iatrobench_refuses_a_map_that_does_not_fit(tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(DATA / "iatrobench", folder)
    (folder / "data" / "safety_colliding_map.json").write_text('{"Q1a": [true]}')
    with pytest.raises(InputError, match="Q1a has 2 critical actions, and the map of colliding ones 1"):
        load_iatrobench(folder, allow_changed=True)


def test_refusalbench_names_a_triple_by_its_three_prompts():
    items = load_refusalbench(DATA / "refusalbench", allow_changed=True)
    assert arms(items) == {"benign": 2, "borderline": 2, "harmful": 2}
    assert sorted(Counter(item.item_set for item in items).values()) == [3, 3]


def test_open_safe_intent_joins_intents_in_a_set_and_paraphrases_in_a_family():
    items = load_intents(DATA / "open_safe_intent" / "dataset.json", allow_changed=True)
    assert arms(items) == {"benign": 2, "borderline": 6, "harmful": 2}
    assert Counter(item.item_set for item in items) == {"set-1": 7, "set-2": 3}
    assert len({item.item_family for item in items if item.item_set == "set-1" and item.arm is Arm.BORDERLINE}) == 1
    assert sum(bool(item.facts["paraphrase"]) for item in items) == 4
    plain = load_intents(DATA / "open_safe_intent" / "dataset.json", allow_changed=True, paraphrases=False)
    assert arms(plain) == {"benign": 2, "borderline": 2, "harmful": 2}


def test_patient_safety_bench_and_med_safety_bench_are_harmful_by_category_and_principle():
    patients = load_patients(DATA / "patient_safety_bench" / "queries.jsonl")
    assert arms(patients) == {"harmful": 2}
    assert patients[0].id == "0"
    assert patients[0].facts["judge_score"] == 4.67
    requests = load_med_safety(DATA / "med_safety_bench", allow_changed=True)
    assert Counter((item.facts["maker"], item.stratum) for item in requests) == {
        (maker, f"principle {number}"): 2 for maker in ("gpt4", "llama2") for number in (1, 2)
    }


def test_an_identifier_that_occurs_twice_is_an_error(tmp_path):
    file = tmp_path / "xstest_prompts.csv"
    file.write_text("id,prompt,type\n1,How are you?,homonyms\n1,How old are you?,homonyms\n")
    with pytest.raises(InputError, match="'v2-1' occurs twice") as error:
        load_xstest(file, allow_changed=True)
    assert str(file) in str(error.value)


def test_a_choice_keeps_the_order_and_the_same_seed_draws_the_same():
    items = load_intents(DATA / "open_safe_intent" / "dataset.json", allow_changed=True)
    picked = chosen(items, Choice(arms=("benign", "borderline"), per_stratum=2, seed=7))
    assert picked == chosen(items, Choice(arms=("benign", "borderline"), per_stratum=2, seed=7))
    assert Counter((item.arm, item.stratum) for item in picked) == {
        (Arm.BENIGN, "Domain A"): 1, (Arm.BENIGN, "Domain B"): 1, (Arm.BORDERLINE, "Domain A"): 2,
        (Arm.BORDERLINE, "Domain B"): 1,
    }  # fmt: skip
    places = [items.index(item) for item in picked]
    assert places == sorted(places)
    assert {
        tuple(item.id for item in chosen(items, Choice(arms=("borderline",), per_stratum=1, seed=seed)))
        for seed in range(20)
    } != {tuple(item.id for item in chosen(items, Choice(arms=("borderline",), per_stratum=1, seed=7)))}
    assert dataset_hash(picked) != dataset_hash(items)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (Choice(arms=("wrong",)), "no item has 'wrong'; there are benign, borderline, harmful"),
        (Choice(strata=("Domain C",)), "no item has 'Domain C'; there are Domain A, Domain B"),
        (Choice(per_stratum=0), "expected 1 or more"),
    ],
)
def test_a_choice_of_what_does_not_exist_names_what_there_is(choice, words):
    items = load_intents(DATA / "open_safe_intent" / "dataset.json", allow_changed=True)
    with pytest.raises(UsageError, match=words):
        chosen(items, choice)


@pytest.mark.data
def test_the_public_prompts_of_xstest_have_the_published_counts_and_pairs(data_dir):
    items = load_xstest(data_dir / "xstest" / "prompts.csv")
    assert arms(items) == {"benign": 250, "harmful": 200}
    assert Counter(Counter(item.stratum for item in items).values()) == {25: 18}
    pairs = {}
    for item in items:
        if item.pair:
            pairs.setdefault(item.pair, []).append(item)
    assert len(pairs) == 200
    assert all({item.arm for item in pair} == {Arm.BENIGN, Arm.HARMFUL} for pair in pairs.values())
    assert sum(first.facts.get("focus") == second.facts.get("focus") for first, second in pairs.values()) == 199


def test_no_hand_written_copy_is_named_by_another_loader():
    """Every fixture folder belongs to a benchmark, and every benchmark but the Parquet one has one."""
    folders = {path.name for path in DATA.iterdir()} - {"garak"}
    assert folders | {"toxigen"} == {
        "xstest", "or_bench", "health_orsc", "medharm", "toxigen", "bold", "iatrobench", "refusalbench", "open_safe_intent",
        "patient_safety_bench", "med_safety_bench",
    }  # fmt: skip
    for name in folders:
        assert loader(name).benchmark == name
        assert importlib.import_module(f"equipoise.benchmarks.{name}.task")
