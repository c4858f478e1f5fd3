"""Words that tell whether a name stands for the person: titles, eponyms, places, ordinary words, other people's given names.

Ordinary English vocabulary, written for this project; none of it comes from a list of patients.
"""

from __future__ import annotations

TITLES = frozenset(
    """
    mr mrs ms miss mx dr doctor prof professor herr frau hr fr fraulein sir dame lord lady madam madame monsieur mme mlle m
    senor senora sr sra signor signora patient master rev reverend sister brother dear hello hi hey
    """.split()
)
"""What stands before the name of a person, greetings among it."""

EPONYM_NOUNS = frozenset(
    """
    disease syndrome palsy sign test score scale criteria criterion procedure manoeuvre maneuver classification fracture
    phenomenon thyroiditis lymphoma sarcoma tumor tumour tumors anaemia anemia chorea ataxia dystrophy reflex contracture
    index formula equation law method stain cell cells body bodies disorder esophagus oesophagus ulcer hernia node nodes
    disease-related law's catheter tube incision operation repair position angle triad triangle rule rules grade grading stage
    staging system model trial trials study studies effect curve line lines lymphadenopathy arthropathy oedema edema encephalopathy
    cyst cysts pouch membrane ligament fascia canal foot elbow knee nail nails spot spots patch patches nodule nodules bundle crisis
    hydrocele point murmur pulse tremor neuropathy nephropathy rash gland glands ring rings inventory questionnaire
    """.split()
)
"""What makes of a name before it the name of a thing in medicine."""

EPONYM_ONLY = frozenset(
    """
    disease syndrome palsy sign phenomenon thyroiditis lymphoma sarcoma chorea ataxia dystrophy contracture cyst pouch criteria
    classification manoeuvre maneuver law hydrocele triad triangle fascia ligament membrane esophagus oesophagus encephalopathy
    nephropathy neuropathy arthropathy crisis
    """.split()
)
"""The same after a possessive, where a test or an ulcer may be the patient's own."""

PLACE_NOUNS = frozenset(
    """
    street road avenue lane drive court square place terrace close crescent boulevard way hill park gardens bridge hospital
    hospice infirmary clinic centre center ward wing house hall building university college school institute foundation
    library museum church cathedral county city town village island islands bay beach river lake creek falls mountain
    mountains valley station airport north south east west st rd ave blvd pharmacy pharmaceuticals labs laboratories
    ltd inc gmbh company bank store museum theatre stadium award prize medal state nebraska texas ohio
    """.split()
)
"""What makes of a name before it a place or a house."""

BEFORE_A_PLACE = frozenset(
    "in near outside around across throughout toward towards st saint santa san mount mt lake port fort".split()
)
"""What makes of the name after it a place or a saint."""

CITED = ("et al", "and colleagues", "& colleagues", "and co-workers", "and coworkers", "and others")
"""What follows the name of an author."""

FUNCTION_WORDS = frozenset(
    """
    a about above according after again against all also although am an and any are as ask at be because been before being
    below between both but by call can contact could did do does during each either every for from had has have having he
    her here hers him his how however i if in into is it its just let me meanwhile my no nor not of on once only or our out
    over per please re regarding said says see send she should since so some such tell than thank thanks that the their them
    then there therefore these they this those though through thus to today tomorrow tonight under until up was we were what
    when where whether which while who whom whose why will with without would yes yesterday yet you your
    name patient client surname first last given family forename middle born dob date age phone email address note notes
    subject from to cc bcc re fwd summary record records case mother father wife husband son daughter brother sister partner
    monday tuesday wednesday thursday friday saturday sunday january february april june july august september october
    november december best kind regards sincerely
    und oder der die das den dem ist war mit von fur zu im am bei le la les et est avec pour chez
    """.split()
)
"""Words with a capital at the start of a sentence or a field that are no given name."""

GIVEN_NAMES = frozenset(
    """
    aaron adam ahmed aisha alan albert alex alexander alexandra ali alice alison amanda amelia amy ana andrea andreas andrew
    angela anita ann anna anne annette anthony antonio arthur barbara beatrice ben benjamin bernard beth brian bruce carl
    carla carlos carol caroline catherine charles charlotte chris christian christina christine claire clara claudia colin
    craig daniel daniela david deborah dennis diana diane dominic donald donna dorothy douglas edith edward elena eleanor
    elizabeth ella ellen emily emma eric erika ernest eva evelyn fatima felix fiona florence frances francis frank fred
    frederick gareth gary george georgia gerald gordon graham greg gregory hannah hans harold harriet harry heather heinz
    helen helga henry howard hugh ian ibrahim ingrid irene isabel isabella ivan jack jacob james jan jane janet jason javier
    jean jeffrey jennifer jessica jim joan joanna joe john jonas jonathan jose joseph joshua juan judith julia julian julie
    jurgen karen karl kate katherine kathleen keith kenneth kevin klaus kyle larry laura lauren leo leon leonard leslie lewis
    linda lisa louis louise lucas lucy luis lukas maggie malcolm marcus margaret maria marie marion mark markus martha martin
    mary matthew maximilian megan melanie melissa michael michelle mohamed mohammed monica monika nadia nancy natalie neil
    nicholas nicole nina noah nora norman oliver olivia omar oscar otto pamela patricia patrick paul paula pauline peter petra
    philip phillip pierre rachel ralph raymond rebecca renate richard robert roger roland ronald rosa rosemary roy russell
    ruth ryan sabine sally sam samantha samuel sandra sara sarah sean sebastian sharon sheila simon sofia sonia sophia sophie
    stefan stella stephanie stephen steven stuart susan susanne suzanne sylvia tamara tanya teresa thomas tim timothy tina
    tobias tom tony tracy ursula valerie vanessa vera veronica victoria vincent walter wendy werner william wolfgang yusuf zoe
    """.split()
)
"""Common given names; only asked at the start of a sentence, where a capital says nothing."""

ORDINARY = frozenset(
    """
    brown white black green gray grey blue young old long short little small strong sharp swift savage wild noble wise good
    best rich poor sweet fair bright moody hardy early king queen prince duke earl knight page baker cook hunter fisher mason
    carpenter smith barber bell rose wood woods hill field fields rivers river stone stones day may march april june august
    summer autumn winter spring frost snow rain storm love hope faith grace joy price rice bean berry lamb fox wolf bird crane
    swan drake finch peacock partridge marsh moor lake pool wells waters banks bridges bridge church temple hall house gates
    parks park street lane ward nurse doctor bishop pope abbot dean pain blood hand hands foot head cross chambers case cash
    power powers bush flowers flower root roots branch leaf glass bowl potter weaver walker cooper miller turner butler
    steward porter carter driver singer painter shepherd farmer gardener major sergeant constable law judge justice marshal
    sterling penny mark marks will bill frank art lily daisy iris ivy violet olive ruby pearl amber dawn eve sky patience
    prudence angel christian grant chase pat rob sue victor ray archer bond burns cross gore holder hurt ill lungs moon noon
    sun star starr reed read reader self service sick sleeper stout tanner teller trip waite weeks week weir wells winner
    worth yard land lands mills mill moss nail noble north south east west peel pitt plant pond post potts quick ramsey
    rock sands salt shields shields sloan spears stamp start steel steele stern still story tower towers trees tree vale wall
    walls warden way west wheat wheeler wing winter work works cotton castle camp bull buck brook brooks boot blunt block bliss
    bland berg battle bass ball coward crisp crow cutter dash drain drew drum dyer english french welsh irish scott field
    flood forest foster game garland golden graves hare hart hawk hay hazel heath heather holiday holly horn jewel joiner judge
    kidney lock low loud lucky mayor merry mild mean monk nature neat ness orange oak palmer pike piper pound proctor purse
    rash render rest rider ringer roach root rust sage salmon sample seal seller shore silver skinner slack smart spark speed
    spring stark stiles stock strange swallow tall tiller true tucker underwood usher valentine vine wade wake warm wash
    watchman waterman weather webb whale wilder wren chance destiny earnest ernest gene jack jean
    robin sandy sunny terry tiffany max miles norm pierce rusty skip stormy summer trinity woody hunter tanner cherry ginger
    sandy honey melody harmony charity constance felicity verity blossom poppy jasmine rosemary basil clay cliff dale glen
    ridge rocky brook rowan ash reed heath forrest
    dolores consuelo esperanza luz sol paz pilar remedios soledad angustias rosario cruz concepcion blanca rosa gracia victoria
    alba aurora clara flor flores iglesias calle campo monte rey leon luna mar nieves reyes rios rojas salvador santos serena
    belle blanc blanche claire clement constant fleur leger marine noir petit pierre rouge roux vert aimee desire
    allegra bella bianca bianco felice gioia grazia rossi sereno serena gross klein lang kurz jung alt schwarz weiss braun ernst
    """.split()
)
"""Ordinary English words that are names too."""

ARTICLES = frozenset(
    "der die das dem den des ein eine einem einen einer im am zum zur beim vom el los las un una unos unas il lo gli".split()
)
"""What makes a thing of the word after it, in languages whose nouns have capitals and in Romance ones."""

ABBREVIATIONS = frozenset(
    "am pm us uk eu iv im po er ed gp md do rn phd ie eg ad bc sc pr id bp hr rr mi ecg ct mri icu dc la ny".split()
)
"""Letters with stops that are no initials, unless they are called so. Multiple sclerosis is seldom written M.S."""
