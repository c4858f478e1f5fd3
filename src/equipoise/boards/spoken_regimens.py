"""How regimens are called when a board speaks: names of regimens and abbreviations that the drug vocabulary does not take apart.

They serve hearing alone; what the auditor knows stands in `equipoise.cases.vocabulary`. Source of the components: NCI Dictionary of
Cancer Terms, entries of these names (not opened again when this was written: not verified).
"""

from __future__ import annotations

import re

ENDINGS = (
    "mab|nib|rasib|platin|taxel|trexed|trexate|citabine|relbine|rubicin|poside|tecan|vedotin|govitecan|emtansine|limus|ciclib|parib|"
    "sertib|leucel|lutamide|degib|stat|zomib|lisib|fusp|trozole|oxifen|estrant|zolomide|nectedin|blastine|cristine|phosphamide|"
    "reotide|uridine|racil|terone|limod|domide|metostat|clax|prednisone|prednisolone"
)
"""Ends of names that are drugs against cancer, known or not; stems of the WHO's list of nonproprietary names, and whole names."""

_CHOP = ("cyclophosphamide", "doxorubicin", "prednisone", "rituximab")

SPOKEN: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"(?<![A-Za-z0-9-])(?:{words})(?![A-Za-z0-9])"), names)
    for words, names in (
        ("(?i:m?folfirinox|folfoxiri)", ("fluorouracil", "irinotecan", "leucovorin", "oxaliplatin")),
        ("(?i:m?folfox-?[67]?)", ("fluorouracil", "leucovorin", "oxaliplatin")),
        ("(?i:folfiri)", ("fluorouracil", "irinotecan", "leucovorin")),
        ("(?i:capox|xelox|capeox)", ("capecitabine", "oxaliplatin")),
        ("(?i:flot)", ("docetaxel", "fluorouracil", "leucovorin", "oxaliplatin")),
        ("(?i:5-fu)(?:/(?i:lv))?", ("fluorouracil",)),
        ("(?i:pola-r-chp)", (*_CHOP, "polatuzumab vedotin")),
        ("(?i:r-chp)", _CHOP),
        ("(?i:r-chop)", (*_CHOP, "vincristine")),
        ("(?i:tchp)", ("carboplatin", "docetaxel", "pertuzumab", "trastuzumab")),
        ("AC|ddAC", ("cyclophosphamide", "doxorubicin")),
        ("(?i:dd-?mvac|mvac)", ("cisplatin", "doxorubicin", "methotrexate", "vinblastine")),
        ("(?i:abvd)", ("bleomycin", "dacarbazine", "doxorubicin", "vinblastine")),
        ("BEP", ("bleomycin", "cisplatin", "etoposide")),
        ("TMZ", ("temozolomide",)),
        ("BCG", ("bcg",)),
        ("(?i:nalirifox)", ("fluorouracil", "leucovorin", "liposomal irinotecan", "oxaliplatin")),
        (
            "(?i:(?:esc(?:alated)?[ -]?|e)?beacopp)",
            ("bleomycin", "cyclophosphamide", "doxorubicin", "etoposide", "prednisone", "procarbazine", "vincristine"),
        ),
        (
            "(?i:brecadd)",
            ("brentuximab vedotin", "cyclophosphamide", "dacarbazine", "dexamethasone", "doxorubicin", "etoposide"),
        ),
        ("AVD", ("dacarbazine", "doxorubicin", "vinblastine")),
        ("PCV", ("lomustine", "procarbazine", "vincristine")),
        ("EDP", ("cisplatin", "doxorubicin", "etoposide")),
        ("VAC", ("cyclophosphamide", "dactinomycin", "vincristine")),
        ("VDC", ("cyclophosphamide", "doxorubicin", "vincristine")),
        ("(?i:vdc/ie)", ("cyclophosphamide", "doxorubicin", "etoposide", "ifosfamide", "vincristine")),
        ("(?i:ema[-/]?co)", ("cyclophosphamide", "dactinomycin", "etoposide", "methotrexate", "vincristine")),
        ("AC-T|ddAC-T", ("cyclophosphamide", "doxorubicin", "paclitaxel")),
        ("TIP", ("cisplatin", "ifosfamide", "paclitaxel")),
        ("(?i:r-?gdp)", ("cisplatin", "dexamethasone", "gemcitabine", "rituximab")),
        ("(?i:r-?dhap)", ("cisplatin", "cytarabine", "dexamethasone", "rituximab")),
        ("R-ICE|RICE", ("carboplatin", "etoposide", "ifosfamide", "rituximab")),
        (
            "(?i:(?:da-?)?(?:r-?epoch|epoch-?r))",
            ("cyclophosphamide", "doxorubicin", "etoposide", "prednisone", "rituximab", "vincristine"),
        ),
        ("(?i:gemox)", ("gemcitabine", "oxaliplatin")),
        ("(?i:r-gemox)", ("gemcitabine", "oxaliplatin", "rituximab")),
        ("CMF", ("cyclophosphamide", "fluorouracil", "methotrexate")),
        ("DD4A", ("dactinomycin", "doxorubicin", "vincristine")),
        ("EE4A", ("dactinomycin", "vincristine")),
        ("VRd|VRD|RVd|RVD", ("bortezomib", "dexamethasone", "lenalidomide")),
        ("KRd|KRD", ("carfilzomib", "dexamethasone", "lenalidomide")),
        ("DRd", ("daratumumab", "dexamethasone", "lenalidomide")),
        ("(?:D|[Dd]ara)-?(?:VRd|VRD|RVd|RVD)", ("bortezomib", "daratumumab", "dexamethasone", "lenalidomide")),
        ("CROSS(?! ?-)", ("carboplatin", "paclitaxel")),
    )
)
"""Patterns over the words as written, and the drugs each stands for."""
