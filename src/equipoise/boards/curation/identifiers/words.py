"""Words that are no names, or that make of what follows one. Ordinary English and medical vocabulary; none comes from a list of persons."""

from __future__ import annotations

EPONYMS = frozenset(
    """
    hodgkin hodgkins ewing whipple gleason breslow clark child pugh clavien dindo paget burkitt kaposi merkel wilms krukenberg barrett lynch
    li fraumeni cowden peutz jeghers hippel lindau gorlin bloom richardson nottingham fuhrman masaoka siewert lauren bismuth corlette ivor
    lewis mckeown hartmann miles milan karnofsky charlson lugano ann arbor durie salmon binet rai deauville kadish lansky spetzler simpson
    ommaya hickman mohs halsted pancoast virchow horner cushing addison graves hashimoto hurthle h\u00fcrthle reed sternberg sezary s\u00e9zary
    waldenstrom waldenstr\u00f6m castleman langerhans kupffer leydig sertoli brenner bartholin warthin gerota crohn foley fowler doppler gram
    giemsa trousseau courvoisier lambert eaton bence jones turcot gardner carney sipple wermer bowen queyrat spitz kasai billroth roux nissen
    heller puestow kocher pringle charcot sugarbaker wertheim fletcher kaplan meier cox fisher wilcoxon mann whitney kruskal bethesda vienna
    paris amsterdam ki ras philadelphia karydakis toker spigelian meckel klatskin zollinger ellison budd chiari sweet sj\u00f6gren sjogren
    raynaud parkinson alzheimer down turner klinefelter marfan ehlers danlos bannayan birt hogg dub\u00e9 dube nijmegen lisch bosniak meigs
    fitzpatrick wallace gail tyrer cuzick manchester lichtenstein broca wernicke sylvian rolandic monro kernohan simpson fazekas glasgow
    apgar braden norton schirmer romberg babinski kernig brudzinski homans murphy mcburney rovsing blumer tinel phalen lachman hoffmann
    papanicolaou pap wright romanowsky papillon ziehl nielsen grocott masson congo prussian sudan oil sanger southern northern western
    morgagni cooper poupart scarpa camper colles fallopian gartner nuck skene bartter conn schwann lugol dakin tisseel surgicel kraske
    hurst maffucci ollier rothmund werner sotos beckwith wiedemann denys drash perlman fanconi diamond blackfan shwachman kostmann nijmegen
    louis bar evans felty caplan hamman rich loeffler churg strauss wegener goodpasture alport berger buerger takayasu kawasaki behcet
    rosai dorfman erdheim chester letterer siwe hand sch\u00fcller christian lennert kiel rappaport reiter still
    """.split()
)  # fmt: skip
"""Names in medicine, in small letters. A person who shares one is only found with a title or beside the other half of the name."""

NOT_NAMES = frozenset(
    """
    radiology radiologist pathology pathologist oncology oncologist surgery surgeon surgical medical medicine molecular genetics genetic
    counselor nursing nurse navigator moderator cardiology pulmonology gastroenterology urology gynecology gynaecology neurology dermatology
    hematology haematology endocrinology psychiatry palliative anesthesia emergency clinic hospital ward unit icu department
    demographics history presentation summary information care education consent safety reported status diagnosis imaging labs current
    treatment prior plan other chief complaint histopathology staging review discussion conclusion recommendation assessment impression
    findings finding data reports report population advocacy advocate portal number id record records name age sex gender date birth stage
    grade type tumor tumour cancer carcinoma adenocarcinoma sarcoma lymphoma melanoma leukemia glioma metastatic metastasis metastases
    received presented underwent completed progressed developed started continued denies denied declined refused reports complains has had is
    was will would should can may might must does did needs wants lives works comes came said says thinks asked agreed agrees tolerated
    responded remains remained underwent consented signed described noted felt went died smoked drinks takes took
    positive negative wild mutant mutation amplified rearranged fusion exon deletion insertion loss high low intermediate
    january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday
    ct mri pet usa us uk eu fda ema nccn esmo asco ajcc uicc who ecog kps pd dna rna ihc fish ngs
    thank thanks yes no okay ok well so right sure hello hi good morning afternoon evening everyone everybody all team colleagues folks guys
    first second third next last new old case cases patient patients mister missus mr mrs ms dr doctor professor prof
    left right upper lower middle bilateral
    again back here there now today please very much maybe perhaps also however
    christmas easter thanksgiving english german french spanish american european asian african caucasian hispanic latino black white
    jewish muslim christian catholic
    """.split()
)  # fmt: skip
"""Words with a capital, or after a cue, that are no names of persons."""

VERBS = frozenset(
    """
    has had is was came comes received did does will would underwent presented progressed wants wanted says said lives lived needs
    tolerated developed completed started declined agreed asked and with who
    """.split()
)
"""What may follow a surname that is also an ordinary word."""

STATES = frozenset(
    """
    alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois indiana iowa kansas kentucky
    louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania
    tennessee texas utah vermont virginia washington wisconsin wyoming
    america england scotland wales ireland britain germany france spain italy portugal poland austria switzerland belgium netherlands sweden
    norway denmark finland iceland greece turkey russia ukraine romania hungary croatia serbia bulgaria israel egypt morocco nigeria kenya
    ghana ethiopia india pakistan bangladesh nepal china japan korea vietnam thailand philippines indonesia malaysia australia canada mexico
    brazil argentina chile colombia peru cuba haiti jamaica europe asia africa
    """.split()
)
"""States of the USA of one word, countries and continents: the list asks for what is smaller than a state."""

STATES_OF_TWO_WORDS = (
    "new hampshire", "new jersey", "new mexico", "new york state", "north carolina", "north dakota", "rhode island", "south carolina",
    "south dakota", "west virginia", "new zealand", "south africa", "south korea", "saudi arabia", "sri lanka", "united states",
    "united kingdom", "puerto rico",
)  # fmt: skip

GIVEN: tuple[str, ...] = (
    "Alexis", "Jamie", "Robin", "Kerry", "Morgan", "Quinn", "Rowan", "Sasha", "Tracy", "Lesley", "Noor", "Kim", "Chris", "Dana", "Eden",
    "Frankie", "Jules", "Kit", "Lou", "Marley", "Nicky", "Ollie", "Perry", "Reese", "Sidney", "Toni", "Val", "Wynn", "Yael", "Ariel",
)  # fmt: skip
"""Given names for surrogates, used for women and men alike."""

SURNAME_STARTS = "Ald Bren Corv Dunn Elm Fenn Garr Hald Ings Jorv Kel Lant Marr Norl Orm Pell Quen Ross Selb Torv Ulm Verr Wend Yarr Zel".split()
SURNAME_ENDS = {
    "patient": "averby embrook inwick olmere andale ivold".split(),
    "clinician": "ostrum ekhart unsen arvik ellund idorf".split(),
}
"""Halves of invented surnames: patients' end otherwise than clinicians'."""
