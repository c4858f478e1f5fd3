"""How records write alterations, and which alterations make a case wrong.

Nothing here depends on whether a case carries an error: spellings are drawn before a case is edited.
"""

from __future__ import annotations

MARKERS: dict[str, tuple[str, ...]] = {
    "EGFR:L858R": ("EGFR L858R", "EGFR p.L858R", "EGFR p.Leu858Arg"),
    "EGFR:exon19del": ("EGFR exon 19 deletion", "EGFR E746_A750del", "EGFR p.E746_A750del"),
    "EGFR:T790M": ("EGFR T790M", "EGFR p.T790M"),
    "EGFR:C797S": ("EGFR C797S", "EGFR p.C797S"),
    "EGFR:G719X": ("EGFR G719A", "EGFR G719S", "EGFR G719C"),
    "EGFR:S768I": ("EGFR S768I", "EGFR p.S768I"),
    "EGFR:L861Q": ("EGFR L861Q", "EGFR p.L861Q"),
    "EGFR:exon20ins": ("EGFR exon 20 insertion", "EGFR D770_N771insSVD", "EGFR V769_D770insASV"),
    "ALK:fusion": ("ALK fusion", "EML4-ALK fusion", "ALK rearrangement"),
    "ALK:G1202R": ("ALK G1202R", "ALK p.G1202R"),
    "ROS1:fusion": ("ROS1 fusion", "CD74-ROS1 fusion", "ROS1 rearrangement"),
    "ROS1:G2032R": ("ROS1 G2032R", "ROS1 p.G2032R"),
    "RET:fusion": ("RET fusion", "KIF5B-RET fusion", "CCDC6-RET fusion"),
    "RET:G810R": ("RET G810R", "RET p.G810R"),
    "NTRK:fusion": ("NTRK1 fusion", "TPM3-NTRK1 fusion"),
    "NTRK:G595R": ("NTRK1 G595R", "NTRK1 p.G595R"),
    "NRG1:fusion": ("NRG1 fusion", "CD74-NRG1 fusion"),
    "BRAF:V600E": ("BRAF V600E", "BRAF p.V600E", "BRAF p.Val600Glu"),
    "KRAS:G12C": ("KRAS G12C", "KRAS p.G12C", "KRAS p.Gly12Cys"),
    "MET:exon14skip": ("MET exon 14 skipping", "MET exon 14 skipping mutation"),
    "ERBB2:exon20ins": ("ERBB2 exon 20 insertion", "ERBB2 Y772_A775dup", "HER2 exon 20 insertion"),
}
"""Normalised name -> spellings."""

PANEL: tuple[str, ...] = ("EGFR", "ALK", "ROS1", "BRAF", "KRAS", "RET", "MET", "NTRK", "ERBB2")
"""Genes whose result a record states, when it states them."""

FUSION_GENES: frozenset[str] = frozenset({"ALK", "ROS1", "RET", "NTRK"})
"""Genes whose negative result may be written as "ALK fusion" as well as "ALK"."""

COMPANIONS: tuple[tuple[str, str], ...] = (
    ("TP53 R273H", "present"),
    ("TP53 R175H", "present"),
    ("PIK3CA E545K", "present"),
    ("CDKN2A loss", "present"),
    ("ATM L1420F", "uncertain"),
    ("BRCA2 T3033N", "uncertain"),
    ("NF1 R1276Q", "uncertain"),
    ("SETD2 P193L", "uncertain"),
)
"""Findings that stand beside the driver and decide nothing, with their status."""

UNCERTAIN: dict[str, tuple[str, ...]] = {
    "EGFR": ("EGFR R451C", "EGFR S442I", "EGFR P373S", "EGFR V441F"),
    "KRAS": ("KRAS E31K", "KRAS T87I", "KRAS R135T"),
    "MET": ("MET E168D", "MET P366S", "MET K508R"),
    "ERBB2": ("ERBB2 R1161Q", "ERBB2 T216S", "ERBB2 E992K"),
}
"""Variants that a record calls uncertain, by gene."""

NOT_ACTIONABLE: dict[str, tuple[str, ...]] = {
    "KRAS": ("KRAS G12D", "KRAS G12V", "KRAS G13D", "KRAS Q61H"),
    "BRAF": ("BRAF G469A", "BRAF D594G", "BRAF K601E", "BRAF G466V"),
}
"""Oncogenic variants that the drugs for the gene's actionable variant are not listed for, by gene."""

OTHER_TARGET: dict[str, tuple[str, ...]] = {
    "EGFR": ("osimertinib", "gefitinib", "dacomitinib", "sunvozertinib"),
    "ALK": ("alectinib", "brigatinib", "ensartinib"),
    "ROS1": ("taletrectinib",),
    "BRAF": ("dabrafenib + trametinib", "encorafenib + binimetinib"),
    "KRAS": ("sotorasib", "adagrasib"),
    "RET": ("selpercatinib", "pralsetinib"),
    "MET": ("tepotinib",),
    "NTRK": ("larotrectinib",),
    "ERBB2": ("zongertinib", "sevabertinib"),
}
"""Regimens every use of which in lung cancer asks for an alteration of that gene that its negative result excludes."""

OTHER_TUMORS: tuple[str, ...] = (
    "imatinib", "dasatinib", "nilotinib", "ibrutinib", "acalabrutinib", "trastuzumab", "lapatinib", "palbociclib",
    "abemaciclib", "letrozole", "fulvestrant", "olaparib", "niraparib", "enzalutamide", "abiraterone", "sunitinib",
    "pazopanib", "axitinib", "regorafenib", "panitumumab", "capecitabine", "oxaliplatin", "enfortumab vedotin",
    "vismodegib", "trabectedin",
)  # fmt: skip
"""Drugs of other tumors without any use in lung cancer."""

WITHDRAWN: dict[str, str] = {"EGFR:exon20ins": "mobocertinib"}
"""Driver -> the drug whose indication for it was withdrawn (2023-10-03)."""

UNDOCUMENTED: tuple[str | None, ...] = (None, "unknown", "not documented")
"""What an element holds when it is there and states nothing."""
