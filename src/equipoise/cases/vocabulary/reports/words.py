"""The words and phrases of report strings by kind, and what the kinds are for."""

from __future__ import annotations

WORDS: tuple[tuple[str, str], ...] = (
    (
        "aside",
        r"not\s+(?:an?|the)\s+[a-z0-9 -]{0,40}?(?:fusion|rearrangement|mutation|variant|amplification"
        r"|alteration|driver|polymorphism)s?",
    ),
    (
        "aside",
        r"not\s+(?:sensiti[sz]ing|activating|actionable|targetable|indicated|recommended|eligible|approved"
        r"|sensitive|responsive|candidates?|applicable|labell?ed)"
        r"(?:\s+(?:fusions?|mutations?|variants?|for\s+\w+))?",
    ),
    ("aside", r"no\s+doubt(?:\s+(?:about|that|of))?|not\s+only"),
    (
        "hyp",
        r"if|unless|whether|in\s+case|rules?\s+out|r/o|look(?:s|ing)?\s+for|to\s+exclude|(?<=\()detects|screen(?:s|ing)?\s+for",
    ),
    ("aside", r"not\s+(?:further\s+)?(?:specified|stated|given)|subtype\s+unknown|partner\s+unknown|unknown\s+partner"),
    (
        "aside",
        r"(?:vaf|maf|af|allel(?:e|ic)\s+(?:frequency|fraction))\s*(?:of|="
        r"|:)?\s*[<>~≤≥]?\s?\d{1,3}(?:[.,]\d{1,3})?\s?%?|\d{1,3}(?:[.,]\d{1,3})?\s?%\s*(?:vaf|maf|allel\w+)",
    ),
    (
        "nott",
        r"not\s+(?:yet\s+|been\s+)?(?:tested|done|performed|assessed|evaluated|requested|examined|ordered"
        r"|available|analy[sz]ed|sent|evaluable|assessable|covered|informative|possible)",
    ),
    (
        "nott",
        r"untested|qns|quantity\s+not\s+sufficient|insufficient(?!\s+(?:evidence|data|support|information))|inadequate|failed|uninterpretable"
        r"|non-?\s?(?:evaluable|informative)|unavailable|never\s+tested",
    ),
    (
        "unk",
        r"unknown(?!\s+(?:clinical\s+)?significance)|not\s+(?:documented|known|recorded|reported)|undocumented|n/a",
    ),
    (
        "vus",
        r"vus|v\.u\.s\.|variants?\s+of\s+(?:uncertain|unknown|undetermined"
        r"|unclear)(?:\s+(?:clinical\s+)?(?:significance|calling|relevance))?",
    ),
    ("vus", r"(?:uncertain|unknown|unclear|undetermined)(?:\s+clinical)?\s+significance"),
    (
        "unc",
        r"uncertain|equivocal|indeterminate|inconclusive|borderline|(?:below|under|near"
        r"|at)\s+(?:the\s+)?(?:assay(?:'s)?\s+)?(?:lod|limit\s+of\s+detection|detection\s+limit)"
        r"|suspicious(?:\s+for)?|possibl[ey]|suspect(?:ed)?|questionable|germline|constitutional|artefact"
        r"|artifact|cannot\s+be\s+(?:excluded|ruled\s+out)|not\s+confirmed"
        r"|unconfirmed|dna\s+only|intergenic|out[- ]of[- ]frame"
        r"|egf(?:-like)?[- ]domain\s+(?:is\s+)?(?:not\s+retained|lost|absent|missing|deleted)",
    ),
    ("unc", r"insufficient\s+(?:evidence|data|support|information)"),
    ("ben", r"likely\s+benign|benign|polymorphisms?|snps?|synonymous|silent"),
    (
        "negb",
        r"not\s+(?:been\s+)?(?:detect(?:ed|able)|identified|found|seen|present|observed|demonstrated|evident"
        r"|shown)|no\s+longer\s+(?:detect(?:ed|able)|present|seen|found)"
        r"|undetect(?:ed|able)|negative(?!\s+for)|neg|absent|wild[- ]?type(?!\s+for)|wt|lost|cleared|excluded"
        r"|ruled\s+out|unmutated"
        r"|non[- ]?(?:mutated|amplified|rearranged)|none|nil|no(?=\s{0,2}(?:[-:,.;)]|$))|normal"
        r"|below\s+(?:the\s+)?(?:\d{1,2}\s?%\s+)?(?:cut-?\s?off|threshold)",
    ),
    (
        "negf",
        r"no\s+evidence\s+(?:of|for)|negative\s+for|absence\s+of|lack(?:s|ed|ing)?(?:\s+of)?"
        r"|without(?:\s+evidence\s+of)?|neither|no(?![.\w-])|free\s+of|wild[- ]?type\s+for"
        r"|not(?=\s+(?:amplified|rearranged|mutated|mutant|overexpress|fused|(?:p\.)?[a-z]\d))"
        r"|(?:(?:does|do|did)\s+not\s+meet|not\s+meeting)\s+(?:the\s+)?criteria(?:\s+(?:for|of))?"
        r"|loss\s+of(?=\s+(?:the\s+)?[a-z]\d)",
    ),
    (
        "pend",
        r"pending|await(?:ed|ing)|in\s+(?:progress|process)|to\s+follow|tbc|tbd|outstanding|results?\s+due"
        r"|(?:sent|ordered|submitted|requested)(?:\s+out)?",
    ),
    (
        "trans",
        r"(?:(?<!non-)(?<!non )small[- ]cell|sclc)(?:\s+(?:lung\s+)?(?:carcinoma|cancer"
        r"|histolog\w{1,4}))?\s+transform(?:ation|ed)",
    ),
    (
        "trans",
        r"transform(?:ation|ed)\s+(?:in)?to\s+(?:an?\s+)?(?:(?:high[- ]grade|neuroendocrine"
        r"|combined)\s+){0,3}(?:small[- ]cell|sclc)",
    ),
    ("squam", r"squamous(?:\s+cell)?\s+transform(?:ation|ed)|transform(?:ation|ed)\s+(?:in)?to\s+(?:an?\s+)?squamous"),
    ("pos", r"detected|positive|pos|identified|found|present|confirmed|retained|persist(?:s|ent|ing|ed)?|detectable"),
    ("skip14", r"met-met\s+fusion|met::met|δ(?:ex(?:on)?)?\s?14"),
    ("nong12c", r"non[- ]?g12c|other\s+than\s+g12c"),
    ("nonvar", r"(?:non[- ]?|other\s+than\s+)(?:p\.)?[a-z]\d{2,4}[a-z]?"),
    ("nodata", r"results?|testing|tests?|data|reports?|information|material"),
    ("kdd", r"kinase[- ]domain\s+duplication|kdd"),
    ("viii", r"v\s?iii|variant\s+iii"),
    (
        "del19",
        r"del(?:etion)?[- ]?19|19[- ]?del(?:etion)?s?|e19[- ]?del(?:etion)?|e?lrea(?:\s+deletion)?|(?:ex"
        r"|exon)[- ]?19[- ]?del(?:etion)?s?",
    ),
    (
        "ins20",
        r"ins(?:ertion)?[- ]?20|20[- ]?ins(?:ertion)?s?|e20[- ]?ins(?:ertion)?|(?:ex|exon)[- ]?20[- ]?ins(?:ertion)?s?",
    ),
    ("yvma", r"yvma"),
    ("codon", r"codons?\s?\d{1,4}(?:\s?[/,&-]\s?\d{1,4}){0,4}"),
    ("exon", r"exons\s?\d{1,2}(?:\s?(?:-|to|/|and|&|,)\s?\d{1,2}(?![\d%])){1,7}"),
    ("exon", r"(?:exons?|ex)\.?\s?-?\s?\d{1,2}(?!\d)(?:\s?(?:-|to|/)\s?(?:exons?\s?)?\d{1,2}(?![\d%]))?"),
    ("cut", r"cut-?\s?off[^\d;()]{0,12}\d{1,3}\s?%|threshold[^\d;()]{0,12}\d{1,3}\s?%"),
    ("fus", r"fusions?|fus|re-?arrange(?:ments?|d)|translocat(?:ions?|ed)|inversion|inv(?=\s?\()|fused"),
    ("split", r"split(?:\s+signals?)?|isolated\s+(?:3'?|5'?)|break-?\s?apart"),
    ("amp", r"(?:high[- ]level\s+)?amplif(?:ications?|ied)|amp"),
    ("gain", r"(?:gene\s+)?(?:copy[- ]number\s+)?gains?(?!-of)|polysomy|polyploidy"),
    ("over", r"over-?\s?express(?:ion|ed|ing)|high\s+(?:protein\s+)?expression"),
    ("tkd", r"tkd|tyrosine[- ]kinase[- ]domain"),
    ("resist", r"(?:acquired\s+)?resistance|secondary|on-target|kinase[- ]domain"),
    ("miss", r"missense"),
    (
        "nons",
        r"nonsense|truncat(?:ing|ion|ed)|frame-?\s?shift|inactivat(?:ing|ion|ed)|loss[- ]of[- ]function|lof|biallelic",
    ),
    ("loss", r"loss(?:\s+of)?|deficien(?:t|cy)|homozygous\s+deletion"),
    ("skip", r"skip(?:ping|ped)?"),
    ("splice", r"splic(?:e|ing)(?:[- ](?:site|donor|acceptor))?"),
    ("indel", r"in-?dels?|delins"),
    ("del", r"(?:micro)?deletions?|deleted|del"),
    ("vnum", r"v\s?[1-3](?:[ab](?:/b)?)?|variant\s?[1-9](?:[ab](?:/b)?)?"),
    ("ins", r"insertions?|ins"),
    ("dup", r"duplications?|dup"),
    ("class", r"class\s?-?(?:iii|ii|i|1|2|3)"),
    ("altn", r"alterations?|aberrations?|abnormalit(?:y|ies)|genomic\s+events?"),
    ("mut", r"mutations?|mutant|mutated|mut|(?:activating|pathogenic|driver)\s+variants?|activating|sensiti[sz]ing"),
    ("other", r"others?|additional|further"),
    ("fish", r"fish|in\s+situ\s+hybridi[sz]ation|cish"),
    ("ihc", r"ihc|immunohistochem\w{0,8}|immunostain\w{0,5}|5a4|d5f3|d4d6|sp384|ve1|sp44|epr17341|4b5|stain(?:ing|ed)"),
    ("mrna", r"mrna"),
    ("low", r"low|ultra-?low"),
    ("score", r"(?:score\s*(?:of\s*|=\s*|:\s*)?)?[0-3]\s?\+|score\s*(?:of\s*|=\s*|:\s*)?0"),
    ("pct", r"(?:[<>≥≤]=?\s?)?\d{1,3}(?:[.,]\d{1,2})?\s?%"),
    ("drug", r"tkis?|inhibitors?|antibod(?:y|ies)|-?directed|-?targeted|blockade|agents?|antagonists?"),
    ("assay", r"ngs|pcr|rna|dna|plasma|ctdna|cfdna|tissue|liquid\s+biopsy|sanger|panel"),
    ("but", r"but|however|whereas|although|while|though"),
    ("and", r"and|plus|with|along\s+with|as\s+well\s+as"),
    ("or", r"or|nor|versus|vs"),
)

"""Kind and pattern, in lower case; the first kind that matches wins, and a longer phrase stands before its parts."""

CONNECT = {"comma", "and", "or", "slash"}
"""Kinds that join parts."""

CUES = {"nott", "unk", "vus", "unc", "ben", "negb", "negf", "pend", "pos"}
"""Kinds that say a status."""

PIECES = {
    "fus", "amp", "gain", "over", "miss", "nons", "loss", "skip", "splice", "indel", "del", "ins", "dup", "class",
    "altn", "mut", "kdd", "viii", "del19", "ins20", "yvma", "skip14", "nong12c", "nonvar", "codon", "resid", "vnum", "tkd",
}  # fmt: skip
"""Kinds that name an alteration; "resid" (a residue without its change) has no pattern of words."""

FEATURES = {"fish", "ihc", "mrna", "low", "score", "pct", "cut", "split", "resist", "other", "assay", "nodata"}
"""Kinds that describe the test or its value."""

SCALES = {"pdl1": "PD-L1", "tmb": "TMB", "msi": "MSI"}
"""Kinds that begin a statement of expression, burden or microsatellites, and the gene-like name of each."""
