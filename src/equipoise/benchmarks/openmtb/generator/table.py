"""The rows of the table of supported situations (`plans.Plan`)."""

from __future__ import annotations

from equipoise.benchmarks.openmtb.generator.plans import (
    ADENO,
    AFTER_CHEMORADIATION,
    AFTER_RESECTION,
    ANY,
    CHEMO_IO,
    COMMON,
    DOUBLET,
    DOUBLET_THEN_IO,
    EARLY,
    FIRST,
    IO_THEN_DOUBLET,
    METASTATIC,
    NAIVE,
    NO_TARGET,
    SQUAMOUS,
    Plan,
    after,
)

ALK = (("ALK:fusion",),)
ROS1 = (("ROS1:fusion",),)
RET = (("RET:fusion",),)
EX20 = (("EGFR:exon20ins",),)
BRAF = (("BRAF:V600E",),)
MET = (("MET:exon14skip",),)
HER2 = (("ERBB2:exon20ins",),)
T790M = (("EGFR:L858R", "EGFR:T790M"), ("EGFR:exon19del", "EGFR:T790M"))
ANY_LINE = (NAIVE, DOUBLET, CHEMO_IO)

EGFR_PLANS: tuple[Plan, ...] = (
    Plan(
        assertion="nsclc.osimertinib.egfr-common.metastatic-1l", group="egfr-common", regimens=("osimertinib",),
        drivers=COMMON, histologies=ADENO, deciding=FIRST, resistance=("EGFR:C797S",), swap_variant=True,
    ),
    Plan(
        assertion="nsclc.osimertinib-pemetrexed-platinum.egfr-common.metastatic-1l", group="egfr-common",
        regimens=("osimertinib + pemetrexed + carboplatin", "osimertinib + pemetrexed + cisplatin"),
        drivers=COMMON, histologies=ADENO, brain=False, deciding=FIRST,
    ),
    Plan(
        assertion="nsclc.amivantamab-lazertinib.egfr-common.metastatic-1l", group="egfr-common",
        regimens=("amivantamab + lazertinib",), drivers=COMMON, histologies=ADENO, deciding=FIRST,
        wrong_histories=(DOUBLET, CHEMO_IO), wrong_settings=EARLY, swap_variant=True,
    ),
    Plan(
        assertion="nsclc.afatinib.egfr-common.metastatic-1l", group="egfr-common", regimens=("afatinib",),
        drivers=COMMON, histologies=ADENO, wrong_settings=EARLY, resistance=("EGFR:T790M",), swap_variant=True,
    ),
    Plan(
        assertion="nsclc.gefitinib.egfr-common.metastatic-1l", group="egfr-common", regimens=("gefitinib",),
        drivers=COMMON, histologies=ADENO, deciding=FIRST, wrong_settings=EARLY, resistance=("EGFR:T790M",),
        swap_variant=True,
    ),
    Plan(
        assertion="nsclc.erlotinib.egfr-common.metastatic-1l", group="egfr-common", regimens=("erlotinib",),
        drivers=COMMON, histologies=ADENO, deciding=("biomarkers",), resistance=("EGFR:T790M",),
    ),
    Plan(
        assertion="nsclc.afatinib.egfr-atypical.metastatic-1l", group="egfr-atypical", regimens=("afatinib",),
        drivers=(("EGFR:G719X",), ("EGFR:S768I",), ("EGFR:L861Q",)), histologies=ADENO, wrong_settings=EARLY,
        swap_variant=True,
    ),
    Plan(
        assertion="nsclc.osimertinib.egfr-t790m.metastatic-after-egfr-tki", group="egfr-t790m",
        regimens=("osimertinib",), drivers=T790M, histologies=ADENO,
        histories=(after("gefitinib"), after("erlotinib"), after("afatinib"), after("dacomitinib")), deciding=FIRST,
    ),
    Plan(
        assertion="nsclc.osimertinib.egfr-common.adjuvant", group="egfr-curative", regimens=("osimertinib",),
        drivers=COMMON, settings=("adjuvant",), stages=("IB", "IIA", "IIB", "IIIA"), histologies=ADENO,
        histories=(NAIVE, AFTER_RESECTION), brain=False, swap_variant=True,
    ),
    Plan(
        assertion="nsclc.osimertinib.egfr-common.consolidation", group="egfr-curative", regimens=("osimertinib",),
        drivers=COMMON, settings=("consolidation",), histologies=ADENO, histories=(AFTER_CHEMORADIATION,), brain=False,
        deciding=("biomarkers", "setting"), swap_variant=True,
    ),
    Plan(
        assertion="nsclc.amivantamab-carboplatin-pemetrexed.egfr-exon20ins.metastatic-1l", group="egfr-exon20",
        regimens=("amivantamab + carboplatin + pemetrexed",), drivers=EX20, histologies=ADENO, brain=False,
        deciding=FIRST,
    ),
    Plan(
        assertion="nsclc.amivantamab.egfr-exon20ins.metastatic-after-platinum", group="egfr-exon20",
        regimens=("amivantamab",), drivers=EX20, histologies=ADENO, histories=(DOUBLET, CHEMO_IO), deciding=FIRST,
        wrong_histories=(NAIVE,), swap_variant=True,
    ),
    Plan(
        assertion="nsclc.sunvozertinib.egfr-exon20ins.metastatic-after-platinum", group="egfr-exon20",
        regimens=("sunvozertinib",), drivers=EX20, histologies=ADENO, histories=(DOUBLET, CHEMO_IO), deciding=FIRST,
        swap_variant=True,
    ),
    Plan(
        assertion="nsclc.amivantamab-carboplatin-pemetrexed.egfr-common.metastatic-after-egfr-tki", group="egfr-later",
        regimens=("amivantamab + carboplatin + pemetrexed",), drivers=COMMON, histologies=ADENO,
        histories=(after("osimertinib"),), brain=False, deciding=FIRST,
    ),
    Plan(
        assertion="nsclc.datopotamab-deruxtecan.egfr-mutated.metastatic-after-egfr-therapy-and-platinum",
        group="egfr-later", regimens=("datopotamab deruxtecan",), drivers=COMMON, histologies=ADENO,
        histories=(after("osimertinib", "doublet"), after("osimertinib + pemetrexed + carboplatin")), deciding=FIRST,
    ),
)  # fmt: skip

FUSION_PLANS: tuple[Plan, ...] = (
    Plan(
        assertion="nsclc.alectinib.alk-fusion.metastatic-any-line", group="alk", regimens=("alectinib",), drivers=ALK,
        histories=(NAIVE, DOUBLET, after("crizotinib")), open_history=True, deciding=("biomarkers", "setting"),
        resistance=("ALK:G1202R",), wrong_settings=(("neoadjuvant", ("IIA", "IIB", "IIIA")),),
    ),
    Plan(
        assertion="nsclc.brigatinib.alk-fusion.metastatic-any-line", group="alk", regimens=("brigatinib",), drivers=ALK,
        histories=(NAIVE, after("crizotinib")), open_history=True, deciding=("biomarkers", "setting"),
        resistance=("ALK:G1202R",), wrong_settings=EARLY,
    ),
    Plan(
        assertion="nsclc.lorlatinib.alk-fusion.metastatic-any-line", group="alk", regimens=("lorlatinib",), drivers=ALK,
        histories=(NAIVE, after("crizotinib"), after("alectinib")), open_history=True,
        deciding=("biomarkers", "setting"), wrong_settings=EARLY,
    ),
    Plan(
        assertion="nsclc.ensartinib.alk-fusion.metastatic-alk-tki-naive", group="alk", regimens=("ensartinib",),
        drivers=ALK, histories=(NAIVE, DOUBLET), deciding=FIRST,
        wrong_histories=(after("alectinib"), after("crizotinib")), wrong_settings=EARLY, resistance=("ALK:G1202R",),
    ),
    Plan(
        assertion="nsclc.alectinib.alk-fusion.adjuvant", group="alk", regimens=("alectinib",), drivers=ALK,
        settings=("adjuvant",), histories=(NAIVE,), brain=False,
        wrong_settings=(("neoadjuvant", ("IIA", "IIB", "IIIA")), ("adjuvant", ("IA2", "IA3"))),
    ),
    Plan(
        assertion="nsclc.entrectinib.ros1-fusion.metastatic-any-line", group="ros1", regimens=("entrectinib",),
        drivers=ROS1, histories=(NAIVE, DOUBLET, after("crizotinib")), open_history=True,
        deciding=("biomarkers", "setting"), wrong_settings=EARLY, resistance=("ROS1:G2032R",), negative=("NTRK",),
    ),
    Plan(
        assertion="nsclc.repotrectinib.ros1-fusion.metastatic-any-line", group="ros1", regimens=("repotrectinib",),
        drivers=ROS1, histories=(NAIVE, after("crizotinib"), after("entrectinib")), open_history=True,
        wrong_settings=EARLY, negative=("NTRK",),
    ),
    Plan(
        assertion="nsclc.taletrectinib.ros1-fusion.metastatic-any-line", group="ros1", regimens=("taletrectinib",),
        drivers=ROS1, histories=(NAIVE, DOUBLET, after("crizotinib")), open_history=True,
        deciding=("biomarkers", "setting"), wrong_settings=EARLY,
    ),
    Plan(
        assertion="nsclc.selpercatinib.ret-fusion.metastatic-any-line", group="ret", regimens=("selpercatinib",),
        drivers=RET, histories=ANY_LINE, open_history=True, resistance=("RET:G810R",),
    ),
    Plan(
        assertion="nsclc.pralsetinib.ret-fusion.metastatic-any-line", group="ret", regimens=("pralsetinib",),
        drivers=RET, histories=ANY_LINE, open_history=True, deciding=("biomarkers", "setting"), wrong_settings=EARLY,
        resistance=("RET:G810R",),
    ),
    Plan(
        assertion="nsclc.larotrectinib.ntrk-fusion.metastatic-any-line", group="ntrk", regimens=("larotrectinib",),
        drivers=(("NTRK:fusion",),), histories=(DOUBLET, CHEMO_IO), resistance=("NTRK:G595R",),
    ),
    Plan(
        assertion="nsclc.zenocutuzumab.nrg1-fusion.metastatic-later", group="nrg1", regimens=("zenocutuzumab",),
        drivers=(("NRG1:fusion",),), histologies=ADENO, histories=(DOUBLET, CHEMO_IO), deciding=FIRST,
        wrong_histories=(NAIVE,),
    ),
)  # fmt: skip

MUTATION_PLANS: tuple[Plan, ...] = (
    Plan(
        assertion="nsclc.dabrafenib+trametinib.braf-v600e.metastatic-any-line", group="braf",
        regimens=("dabrafenib + trametinib",), drivers=BRAF, histories=ANY_LINE, open_history=True, negative=("KRAS",),
        deciding=("biomarkers", "setting"), wrong_settings=EARLY, swap_variant=True,
    ),
    Plan(
        assertion="nsclc.encorafenib+binimetinib.braf-v600e.metastatic-any-line", group="braf",
        regimens=("encorafenib + binimetinib",), drivers=BRAF, histories=ANY_LINE, open_history=True,
        negative=("KRAS",), deciding=("biomarkers", "setting"), wrong_settings=EARLY, swap_variant=True,
    ),
    Plan(
        assertion="nsclc.sotorasib.kras-g12c.metastatic-later", group="kras", regimens=("sotorasib",),
        drivers=(("KRAS:G12C",),), histories=(DOUBLET, IO_THEN_DOUBLET), deciding=FIRST, wrong_histories=(NAIVE,),
        swap_variant=True,
    ),
    Plan(
        assertion="nsclc.adagrasib.kras-g12c.metastatic-later", group="kras", regimens=("adagrasib",),
        drivers=(("KRAS:G12C",),), histories=(CHEMO_IO, DOUBLET_THEN_IO), deciding=FIRST, wrong_histories=(NAIVE,),
        swap_variant=True,
    ),
    Plan(
        assertion="nsclc.capmatinib.met-exon14.metastatic-any-line", group="met", regimens=("capmatinib",), drivers=MET,
        histories=ANY_LINE, open_history=True, deciding=("biomarkers", "setting"), wrong_settings=EARLY,
    ),
    Plan(
        assertion="nsclc.tepotinib.met-exon14.metastatic-any-line", group="met", regimens=("tepotinib",), drivers=MET,
        histories=ANY_LINE, open_history=True, deciding=("biomarkers", "setting"), wrong_settings=EARLY,
        swap_variant=True,
    ),
    Plan(
        assertion="nsclc.trastuzumab-deruxtecan.erbb2-mutation.metastatic-later", group="erbb2",
        regimens=("trastuzumab deruxtecan",), drivers=HER2, histories=(DOUBLET, CHEMO_IO), deciding=FIRST,
    ),
    Plan(
        assertion="nsclc.zongertinib.erbb2-tkd.metastatic-any-line", group="erbb2", regimens=("zongertinib",),
        drivers=HER2, histories=ANY_LINE, open_history=True, deciding=("biomarkers", "histology"),
        wrong_settings=EARLY, wrong_histology="squamous cell carcinoma", swap_variant=True,
    ),
    Plan(
        assertion="nsclc.sevabertinib.erbb2-tkd.metastatic-any-line", group="erbb2", regimens=("sevabertinib",),
        drivers=HER2, histories=ANY_LINE, open_history=True, deciding=("biomarkers", "histology"),
        wrong_settings=EARLY, wrong_histology="squamous cell carcinoma", swap_variant=True,
    ),
)  # fmt: skip

IMMUNOTHERAPY_PLANS: tuple[Plan, ...] = (
    Plan(
        assertion="nsclc.pembrolizumab.pdl1-50.metastatic-1l", group="pdl1-high", regimens=("pembrolizumab",),
        by_burden=True, settings=(METASTATIC,), histologies=ANY, negative=NO_TARGET, tps=(50, 95), brain=False,
        deciding=("pdl1", "prior_therapies", "biomarkers"), wrong_histories=(CHEMO_IO,),
        wrong_settings=(("neoadjuvant", ("IIA", "IIB", "IIIA")),),
    ),
    Plan(
        assertion="nsclc.cemiplimab.pdl1-50.advanced-1l", group="pdl1-high", regimens=("cemiplimab",), histologies=ANY,
        negative=("EGFR", "ALK", "ROS1"), tps=(50, 95), brain=False, deciding=("pdl1", "prior_therapies", "biomarkers"),
        wrong_settings=EARLY,
    ),
    Plan(
        assertion="nsclc.pembrolizumab.pdl1-1.advanced-1l", group="pdl1-low", regimens=("pembrolizumab",),
        by_burden=True, histologies=ANY, negative=NO_TARGET, tps=(1, 49), brain=False,
        deciding=("pdl1", "prior_therapies", "biomarkers"), wrong_histories=(CHEMO_IO,),
        wrong_settings=(("neoadjuvant", ("IIA", "IIB", "IIIA")),),
    ),
    Plan(
        assertion="nsclc.nivolumab-ipilimumab.pdl1-1.metastatic-1l", group="pdl1-low",
        regimens=("nivolumab + ipilimumab",), settings=(METASTATIC,), histologies=ANY, negative=NO_TARGET, tps=(1, 90),
        brain=False, deciding=("prior_therapies", "biomarkers"), wrong_histories=(DOUBLET,), wrong_settings=EARLY,
    ),
    Plan(
        assertion="nsclc.pembrolizumab-pemetrexed-platinum.nonsquamous.metastatic-1l", group="no-target",
        regimens=("pembrolizumab + pemetrexed + carboplatin", "pembrolizumab + pemetrexed + cisplatin"),
        settings=(METASTATIC,), negative=NO_TARGET, brain=False,
        deciding=("histology", "prior_therapies", "biomarkers"), wrong_histology="squamous cell carcinoma",
    ),
    Plan(
        assertion="nsclc.pembrolizumab-carboplatin-paclitaxel.squamous.metastatic-1l", group="no-target",
        regimens=("pembrolizumab + carboplatin + paclitaxel",), settings=(METASTATIC,), histologies=SQUAMOUS,
        brain=False, deciding=("prior_therapies",),
    ),
    Plan(
        assertion="nsclc.pembrolizumab.pdl1-1.metastatic-after-platinum", group="later-io", regimens=("pembrolizumab",),
        by_burden=True, histologies=ANY, histories=(DOUBLET,), negative=NO_TARGET, tps=(1, 95), brain=False,
        deciding=("pdl1", "prior_therapies"),
    ),
    Plan(
        assertion="nsclc.nivolumab.nonsquamous.metastatic-after-platinum", group="later-io", regimens=("nivolumab",),
        histories=(DOUBLET,), negative=NO_TARGET, brain=False, deciding=("prior_therapies",), wrong_histories=(NAIVE,),
    ),
    Plan(
        assertion="nsclc.nivolumab.squamous.metastatic-after-platinum", group="later-io", regimens=("nivolumab",),
        histologies=SQUAMOUS, histories=(DOUBLET,), negative=NO_TARGET, brain=False, deciding=("prior_therapies",),
        wrong_histories=(NAIVE,),
    ),
    Plan(
        assertion="nsclc.atezolizumab.any.metastatic-after-platinum", group="later-io", regimens=("atezolizumab",),
        histologies=ANY, histories=(DOUBLET,), negative=NO_TARGET, brain=False, deciding=("prior_therapies",),
    ),
    Plan(
        assertion="nsclc.durvalumab.unresectable-iii.consolidation", group="curative-io", regimens=("durvalumab",),
        settings=("consolidation",), histologies=ANY, histories=(AFTER_CHEMORADIATION,), negative=NO_TARGET,
        brain=False, deciding=("prior_therapies",), wrong_settings=((METASTATIC, ("IVA",)),),
    ),
    Plan(
        assertion="nsclc.pembrolizumab.resected.adjuvant", group="curative-io", regimens=("pembrolizumab",),
        by_burden=True, settings=("adjuvant",), stages=("IB", "IIA", "IIB", "IIIA"), histologies=ANY,
        histories=(AFTER_RESECTION,),
        negative=NO_TARGET, brain=False, deciding=("prior_therapies",),
    ),
    Plan(
        assertion="nsclc.atezolizumab.pdl1-1.adjuvant", group="curative-io", regimens=("atezolizumab",),
        settings=("adjuvant",), histologies=ANY, histories=(AFTER_RESECTION,), negative=NO_TARGET, tps=(1, 95),
        brain=False, deciding=("pdl1", "prior_therapies"),
    ),
    Plan(
        assertion="nsclc.nivolumab-carboplatin-paclitaxel.any-histology.neoadjuvant", group="curative-io",
        regimens=("nivolumab + carboplatin + paclitaxel",), settings=("neoadjuvant",), histologies=ANY,
        negative=NO_TARGET, brain=False, deciding=(),
    ),
)  # fmt: skip

CHEMOTHERAPY_PLANS: tuple[Plan, ...] = (
    Plan(
        assertion="nsclc.docetaxel.any.metastatic-after-platinum", group="chemotherapy", regimens=("docetaxel",),
        histologies=ANY, histories=(DOUBLET, CHEMO_IO), negative=NO_TARGET, brain=False, deciding=(),
    ),
    Plan(
        assertion="nsclc.docetaxel-ramucirumab.any.metastatic-after-platinum", group="chemotherapy",
        regimens=("docetaxel + ramucirumab",), histologies=ANY, histories=(DOUBLET, CHEMO_IO), negative=NO_TARGET,
        brain=False, deciding=("prior_therapies",),
    ),
    Plan(
        assertion="nsclc.pemetrexed-platinum.nonsquamous.advanced-1l", group="chemotherapy",
        regimens=("carboplatin + pemetrexed", "cisplatin + pemetrexed"), negative=NO_TARGET, brain=False,
        deciding=("histology", "prior_therapies"), wrong_histology="squamous cell carcinoma",
    ),
    Plan(
        assertion="nsclc.necitumumab-gemcitabine-cisplatin.squamous.metastatic-1l", group="chemotherapy",
        regimens=("necitumumab + gemcitabine + cisplatin",), settings=(METASTATIC,), histologies=SQUAMOUS,
        brain=False, deciding=("histology", "prior_therapies"), wrong_histology="adenocarcinoma",
    ),
    Plan(
        assertion="nsclc.carboplatin-paclitaxel-radiotherapy.unresectable-iii.chemoradiation", group="chemotherapy",
        regimens=("carboplatin + paclitaxel + radiotherapy",), settings=("chemoradiation",), histologies=ANY,
        brain=False, deciding=("setting",),
    ),
)  # fmt: skip

PLANS: tuple[Plan, ...] = (*EGFR_PLANS, *FUSION_PLANS, *MUTATION_PLANS, *IMMUNOTHERAPY_PLANS, *CHEMOTHERAPY_PLANS)
"""All of them, in a fixed order."""
