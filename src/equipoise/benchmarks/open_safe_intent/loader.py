"""Reads OpenSafeIntent: one task in three intents, the dual-use one with paraphrases (arXiv:2607.02047)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Loader, records_of
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile
from equipoise.benchmarks.prompts.tables import text_of
from equipoise.refusal.terms import Arm

BENCHMARK = "open_safe_intent"
INTENTS: tuple[tuple[str, Arm], ...] = (
    ("benign", Arm.BENIGN),
    ("dual_use", Arm.BORDERLINE),
    ("malicious", Arm.HARMFUL),
)
"""Column (after "prompt_") and arm of each intent."""

PARAPHRASES: tuple[str, ...] = ("dual_use_2", "dual_use_3", "dual_use_4", "dual_use_5")
"""Columns (after "prompt_") of the paraphrases."""

SOURCES: tuple[SourceFile, ...] = (
    SourceFile(
        id="sets",
        host=Host.GITHUB,
        repository="Uppaal/OpenSafeIntent",
        path="dataset.json",
        revision="9706897bc9ffdb328446141b2a4568c98c70843e",
        sha256="ad9ed2e8f190638b03afd81b69a1350f866706db08bb837b84332c54d29fe7ff",
        licence="Apache-2.0",
        columns=("harm_domain", "task_type", "prompt_benign", "prompt_dual_use", "prompt_malicious"),
    ),
)


def build(files: Sequence[Found], paraphrases: bool = True) -> Iterator[PromptItem]:
    """Items set by set; sets have no identifier, so the place in the file is one. A paraphrase has its original's family."""
    for found in files:
        file = str(found.paths[0])
        for place, record in enumerate(records_of(found), start=1):
            name = f"set-{place}"
            forms = [(intent, arm) for intent, arm in INTENTS]
            if paraphrases:
                forms += [(form, Arm.BORDERLINE) for form in PARAPHRASES if record.get(f"prompt_{form}")]
            for form, arm in forms:
                yield PromptItem(
                    id=f"{name}/{form}",
                    prompt=text_of(record, f"prompt_{form}", file=file),
                    arm=arm,
                    stratum=text_of(record, "harm_domain", file=file),
                    item_set=name,
                    item_family=f"{name}/dual_use" if arm is Arm.BORDERLINE else "",
                    facts={"task_type": record["task_type"], "intent": form.split("_")[0] if arm is not Arm.BORDERLINE
                           else "dual_use", "paraphrase": form in PARAPHRASES},
                )  # fmt: skip


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build)
load = LOADER.load
