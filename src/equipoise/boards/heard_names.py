"""Names of anticancer drugs as boards say them, from the public list beside this module (`anticancer.yaml`)."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

import yaml

from equipoise.cases.vocabulary.drugs import lexicon
from equipoise.cases.vocabulary.tokens import PhraseTable, words


@lru_cache(maxsize=1)
def heard_names() -> PhraseTable[tuple[str, ...]]:
    """Every name of the list, and the drugs it stands for: in the vocabulary's spelling where that knows them.

    Raises:
        ValueError: a name is listed for two drugs.
    """
    text = resources.files(__package__).joinpath("anticancer.yaml").read_text(encoding="utf-8")
    table: PhraseTable[tuple[str, ...]] = PhraseTable()
    for row in yaml.safe_load(text)["drugs"]:
        drugs = tuple(part for name in row.get("of", [row["drug"]]) for part in _spelled(name))
        for name in (row["drug"], *row.get("names", ()), *row.get("said", ())):
            table.add(name, drugs)
    return table


def _spelled(name: str) -> tuple[str, ...]:
    tokens = words(name)
    found = lexicon().table.match(tokens, 0)
    return tuple(found[0].components) if found and found[1] == len(tokens) and found[0].components else (name,)
