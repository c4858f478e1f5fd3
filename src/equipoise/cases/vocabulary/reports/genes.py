"""Which letters are meant as a gene, and what the grammar asks of one."""

from __future__ import annotations

import re

from equipoise.cases.vocabulary.biomarkers import Catalogue, catalogue

FOREIGN = "?"
"""Stands for a gene that the vocabulary does not know; its findings are not reported."""

NO_GENES = {
    "CNV",
    "SNV",
    "LOH",
    "CNS",
    "GOF",
    "NSCLC",
    "MTB",
    "FFPE",
    "NOT",
    "THE",
    "AND",
    "FOR",
    "WITH",
    "VAF",
    "CEP7",
}
"""Words in capitals that may stand before an alteration and are no gene."""

FUSION_GENES = {"ALK", "ROS1", "RET", "NTRK", "NTRK1", "NTRK2", "NTRK3", "NRG1", "LTK"}
"""Genes whose target is the fusion; a gene-level result of them is one about the fusion."""

_UPPER_ONLY = {"KIT", "ATM", "APC", "AXL", "MYC", "RB1"}
"""Symbols that are also words or names when not in capitals."""


def is_gene(symbol: str, written: str, before: str, following: str) -> bool:
    """Whether letters that are also an English word are meant as the gene."""
    if written.lower() == "ros":
        return written == "ROS" and (before == "/" or following[:1] == "/")
    if symbol == "MET":
        if written.isupper() or "-" in written or written.lower() == "cmet":
            return True
        return re.match(r"[\s-]{0,2}(?:ex(?:on)?[\s.-]?14|amplif|overexpr|ihc|skipp)", following) is not None
    return symbol not in _UPPER_ONLY or written[:2].isupper() or written in {"p16", "Rb", "rb1", "Rb1"}


def fused_gene(data: Catalogue, value: str, kind: str) -> str:
    """The gene whose fusion a pair of partners names; empty when neither is a known gene."""
    plain = re.sub(r"\s?\([^()]*\)", "", value)
    if kind == "pair":
        left, _, right = plain.partition("::")
        sides = [right.strip(), left.strip()]
    else:
        sides = [plain[cut + 1 :].strip() for cut in range(len(plain)) if plain[cut] in "-/"]
        sides += [plain[:cut].strip() for cut in range(len(plain)) if plain[cut] in "-/"]
    symbols = [data.spellings[side] for side in sides if side in data.spellings]
    for symbol in symbols:
        if symbol in FUSION_GENES:
            return symbol
    return symbols[0] if symbols else ""


def known_residue(gene: str, residue: str) -> bool:
    """Whether the vocabulary has a change of this residue ("G12", "L858") in this gene."""
    data = catalogue()
    key = residue.upper()
    return (gene, key) in data.residues or any((gene, key + letter) in data.exact for letter in "CSIREDNAQVMFLX")
