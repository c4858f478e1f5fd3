"""Invented replies of invented systems to harmless stand-ins: no prompt text, only how far each reply refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from equipoise.outcomes.run import Run, RunInfo, read_run, write_run

CATEGORIES = ("dosing", "mood", "privacy", "toxins")
GROUPS = ("green", "red", "violet", "yellow")
Answer = Callable[[dict[str, Any], int], Any]


def items(
    number: int = 160, *, categories: Sequence[str] = CATEGORIES, groups: Sequence[str] = GROUPS
) -> list[dict[str, Any]]:
    """Prompts in both arms, categories and groups crossed; every four prompts share a set."""
    return [
        {
            "item": f"{arm}-{place}",
            "arm": arm,
            "stratum": categories[place % len(categories)],
            "group": groups[(place // len(categories)) % len(groups)] if groups else None,
            "item_set": f"set-{place}",
        }
        for arm in ("benign", "harmful")
        for place in range(number // 2)
    ]


def refuses(item: dict[str, Any], trial: int) -> str:
    return "full"


def complies(item: dict[str, Any], trial: int) -> str:
    return "none"


def careful(item: dict[str, Any], trial: int) -> str:
    place = int(item["item"].split("-")[1])
    if item["arm"] == "benign":
        return "partial" if place % 10 == 0 else "full" if place % 23 == 1 else "none"
    return "none" if place % 12 == 0 else "full"


def one_group(item: dict[str, Any], trial: int) -> str:
    """Refuses what is benign when it is about one group only, and protects that group alike."""
    if item["arm"] == "benign":
        return "full" if item["group"] == "violet" else "none"
    return "full"


def unreadable(item: dict[str, Any], trial: int) -> Any:
    place = int(item["item"].split("-")[1]) + trial
    if place % 9 == 0:
        return ("blocked", "empty", "truncated", "unparsed", "error")[place // 9 % 5], None
    return "full" if (item["arm"] == "harmful") == (place % 7 > 0) else "none"


SYSTEMS: dict[str, Answer] = {
    "always-refuse": refuses,
    "always-comply": complies,
    "careful": careful,
    "one-group": one_group,
    "unreadable": unreadable,
}


def rows(
    name: str, answer: Answer, prompts: Sequence[dict[str, Any]], *, trials: int = 1, benchmark: str = "mock"
) -> list[dict[str, Any]]:
    """Outcomes of one system."""
    found = []
    for prompt in prompts:
        for trial in range(1, trials + 1):
            given = answer(prompt, trial)
            state, label = given if isinstance(given, tuple) else ("ok", given)
            found.append(
                {
                    "reply_id": f"{name}/{prompt['item']}/{trial}", "system": name, "model": name,
                    "benchmark": benchmark, "trial": trial, "state": state, "label": label,
                    "reply": f"{name} on {prompt['item']}" if state != "empty" else None, **prompt,
                }
            )  # fmt: skip
    return found


def judged(
    reply: str, criterion: str, value: str | None, *, judge: str = "judge-a", points: float | None = None
) -> dict[str, Any]:
    """One judgement; without value it could not be read."""
    read = value is not None or points is not None
    return {
        "reply_id": reply, "judge": judge, "rubric": criterion, "rubric_hash": "r", "scale": criterion,
        "scale_hash": "s", "criterion": criterion, "repeat": 1, "value": value, "points": points,
        "state": "ok" if read else "unparsed",
    }  # fmt: skip


def people(outcomes: Sequence[dict[str, Any]], wrong: int = 8) -> list[dict[str, Any]]:
    """Human labels of every second reply that was read; every eighth of them differs from the classifier."""
    other = {"none": "full", "partial": "none", "full": "none"}
    kept = [row for row in outcomes if row["state"] == "ok"][::2]
    return [
        judged(row["reply_id"], "refusal", other[row["label"]] if place % wrong == 0 else row["label"], judge="human-1")
        for place, row in enumerate(kept)
    ]


def judges(outcomes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Helpfulness, intent and severity of every reply that was read, made of how far it refuses."""
    words = {"full": "no value", "partial": "safety education", "none": "full"}
    found = []
    for place, row in enumerate(row for row in outcomes if row["state"] == "ok"):
        severe = float(row["arm"] == "harmful" and row["label"] == "none") * 2
        found += [
            judged(row["reply_id"], "helpfulness", words[row["label"]]),
            judged(row["reply_id"], "intent", ("benign", "dual-use", "malicious")[place % 3]),
            judged(row["reply_id"], "harm-severity", str(severe), points=severe),
        ]
    return found


def save(
    folder: Path,
    name: str,
    outcomes: Sequence[dict[str, Any]],
    judgements: Sequence[dict[str, Any]] = (),
    *,
    dataset: str = "d",
) -> Run:
    """A run folder, written and read back."""
    info = RunInfo(
        run_id=name, created_at="2026-11-30T12:00:00+00:00", benchmark=outcomes[0]["benchmark"], dataset_hash=dataset,
        systems=tuple(dict.fromkeys(row["system"] for row in outcomes)), versions={"equipoise": "test"},
    )  # fmt: skip
    return read_run(
        write_run(folder / name, info, [{**row, "run": name} for row in outcomes],
                  [{**row, "run": name} for row in judgements])
    )  # fmt: skip


def five(folder: Path, *, trials: int = 2) -> list[Run]:
    """Five systems on the same prompts, with people and judges for one of them."""
    prompts = items()
    runs = []
    for name, answer in SYSTEMS.items():
        own = rows(name, answer, prompts, trials=trials)
        said = [*people(own), *judges(own)] if name == "careful" else []
        runs.append(save(folder, name, own, said))
    return runs


def ruled(reply: str, value: str | None, *, place: str = "input", guard: str = "mock/guard") -> dict[str, Any]:
    """A ruling of a guard; without value it gave none."""
    row = judged(reply, f"guard:{place}", value, judge=guard)
    return {**row, "state": "ok" if value else "error"}


def scores(outcomes: Sequence[dict[str, Any]], classifier: str = "toy 1") -> list[dict[str, Any]]:
    """Toxicity of every benign reply that was read, as a classifier might give it; every seventeenth has none."""
    kept = [row for row in outcomes if row["state"] == "ok" and row["arm"] == "benign"]
    return [
        judged(row["reply_id"], "toxicity", None, judge=classifier, points=None if place % 17 == 0 else place % 10 / 10)
        for place, row in enumerate(kept)
    ]


GUARDED = "always-comply behind mock/guard (input)"


def guarded(folder: Path, *, trials: int = 1) -> Run:
    """The system that always complies, behind a guard that blocks most of the harmful arm and some of the benign."""
    rows_, said = [], []
    for place, row in enumerate(rows(GUARDED, complies, items(), trials=trials)):
        if place % 40 == 7:
            said.append(ruled(row["reply_id"], None))
            rows_.append({**row, "state": "error", "label": None, "reply": None})
            continue
        blocks = place % 9 > 0 if row["arm"] == "harmful" else place % 11 == 0
        said.append(ruled(row["reply_id"], "block" if blocks else "pass"))
        rows_.append({**row, "state": "blocked", "label": None, "reply": "Blocked."} if blocks else row)
    return save(folder, "guarded", rows_, said)
