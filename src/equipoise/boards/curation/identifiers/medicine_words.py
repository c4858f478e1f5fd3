"""Words of oncology that no dictionary of English has, or that are names too, and names of trials and large places. Written for this project."""

from __future__ import annotations

MEDICINE = frozenset(
    """
    elisa nemo killin mrna aurka elk alu hilar debulking embolize faspro
    novo axl octreotide lanreotide hela irna mirna shrna sirna wnt akt hippo hedgehog notch livin annexin intron exon tki tkis
    abcsg abecma abemaciclib abraxane abvd acosog adagrasib adc adcetris adenocarcinoma adriamycin adstiladrin advil afinitor afp
    aha ajcc akeega akynzeo alecensa alectinib alimta alk alnd aloxi alpelisib alright alt alunbrig ambry amivantamab aml amtagvi
    anaplastic anastrozole anc anktiva aranesp aredia arimidex aromasin asco aspergillus aspirin ast atezo ativan atm atrx augtyro
    aureus avapritinib avastin avodart avutometinib axicabtagene aza balversa bap bavencio bcg bcl beacopp belzutifan benda besponsa
    bev bid bilat biosentry birads blincyto bmi bosulif braf braftovi brca brexucabtagene breyanzi brigatinib brukinsa bsc bso bun
    bx cabometyx cabozantinib caecum caelyx calgb calquence camptosar candida capivasertib capmatinib capox carbo carboplatin
    carcinomatosis caris carvykti casodex cdk cdkn cea cecum celect cemiplimab ceritinib chek chemo cialis ciltacabtagene cis
    clear-cell cll cmv colace coli cologuard columvi cometriq compazine cosela cosibelimab cotellic coumadin covid cps crc crestor
    crizotinib crp ctcae ctla cuz cyberknife cyclo cymbalta cyramza dacogen dako daromun darzalex datopotamab davinci dcf dcis
    ddmvac decadron decipher defactinib degarelix desmoplastic difficile dilantin dilaudid dipg divarasib dlbcl dlco dmmr dnmt
    dostarlimab dota dotatate dox doxil dr ductal duodenum durva dvm dwi dx ebus ebv ece ecf ecog effexor egd egfr ehr elacestrant
    elahere elekta eligard eliquis ema emend emr endopredict ene enfortumab enhertu ent entrectinib enzastaurin eortc epcam epkinly
    epogen erbitux ercp erdafitinib erleada esmo esr ethicon eus everolimus evi exemestane exkivity facs faslodex fda fdg femara fev
    fgfr fh figo firmagon fish flair flomax flot flt foley folfiri folfirinox folfox folfoxiri follicular fotivda foundationone frcs
    fruquintinib fruzaqla fulphila fulvestrant fvc fx gabapentin gad gadolinium galleri gallium gammaknife gavreto gazyva gbm gemcis
    gemox gemzar gepar gfr gi gilotrif gist gleason gleevec gliadel gog gomekli gonna google goserelin gotta grading gu guardant
    gunther gyn halaven hba hbv hcc hcg hcv hem heme hemovac heparin herceptin hey hgb hi hist hiv hmm hnscc hologic hpv hras hrd
    hsv humalog hx hycamtin ibrance iclusig icu idecabtagene idh idhifa ihc ileum im imbruvica imdelltra imfinzi imlygic imodium
    imrt inavolisib inlyta inqovi inr inrebic instiladrin invitae iodine ipi ir irecist iressa itovebi iv ixempra jak jakafi
    jardiance jaypirca jejunostomy jejunum jemperli jevtana jirovecii kadcyla kanjinti karnofsky keap kenalog keppra keytruda
    kimmtrak kinda kisqali koselugo kras krazati kymriah kyprolis lad lag lams lantus larotrectinib lasix lazcluze lazertinib lcis
    ldh lemme lenvatinib lenvima letrozole leuprolide lexapro libtayo lifileucel lipitor lirads lisocabtagene ln lns lobular lomotil
    lonsurf loqtorzi lorbrena lorlatinib lovenox lugano lumakras lunsumio lupron lurbinectedin lutathera lutetium lvi lymph lynparza
    lyrica lytgobi mammaprint margetuximab margins mba md mdm mds med mediport medtronic medullary mekinist mektovi metformin mets
    mhm miralax mirdametinib mirvetuximab mlh mm mmr mobocertinib motrin mph mpn mr mridian mrs ms msc msh msi mss mucinous mvac myc
    mycn mylotarg myriad nab nadofaragene natera navelbine nccn ncdb nci nec neulasta neupogen neuro neurontin nexavar nexium nf ngs
    nicu nih ninlaro nirogacestat nivo nodal nodes nogapendekin nolvadex nope norco norvasc novocure np npc npm npo nras nrg nsabp
    nsclc ntrk nubeqa ogivri ojemda ojjaara ok okay olympus omentum onc oncotype onivyde onureg opdivo optune orgovyx orserdu osi
    oxali oxycontin ozempic pa pacs padcev palb palbociclib palmaz papillary passy path pcp pcr pdgfra pdl pemazyre pembro
    pemetrexed penrose pepcid percocet perjeta pet pexidartinib phd philips picu pik pikca piqray pirads plavix pleurx plt pluvicto
    pmmr pms pnet pneumocystis pni po polaris pole polivy pomalyst portex powerpoint pralsetinib pratt pred prilosec prn procrit
    prolaris prolia proscar prosigna protonix provenge psa psma pten pylori qhs qid radium rano rb rcc rchop recist reglan
    regorafenib relatlimab relugolix repotrectinib ret retacrit retevmo retifanlimab revlimid rezlidhia rhabdoid ribociclib
    ripretinib ritux rituxan rn roche ros rozlytrek rplnd rt rtog rubraca rx rybrevant rydapt sacituzumab sarclisa sarcomatoid sars
    savolitinib sbrt scemblix sclc sdh sdhb seer selpercatinib senna serous shiley siemens sigmoid signatera signet slnb slnbx smad
    sorta sotorasib spindle sprycel sq squamous stat stivarga stk sunvozertinib surg sutent suv suvmax swog sx synthroid tabrecta
    tace tafinlar tagrisso tah talimogene talzenna tamoxifen tarceva tare tarlatamab tasigna taxol taxotere tebentafusp tecartus
    tecelra tecentriq technetium telisotuzumab temo temodar tempus tepmetko tepotinib tert tet tevimbra thalomid tibsovo tid tigit
    tils tirads tisagenlecleucel tislelizumab tivdak tivozanib tmb tnbc tnm toprol toripalimab torisel tovorafenib tpn tps trazimera
    tremelimumab trilaciclib triptorelin trodelvy truqap truseltiq tucatinib tumor tumors tumour tumours turbt turp tx tylenol
    udenyca ugh uh uicc um vanflyta varian vectibix velcade venclexta venet ventana verzenio vhl viagra vidaza vimseltinib vinc
    vinci vitrakvi vizimpro vmat vonjo voranigo vorasidenib votrient vyxeos vzv wallstent wanna wbc webex welireg whipple wifi
    xalkori xanax xarelto xeloda xelox xenon xgeva xofigo xospata xpovio xrt xtandi ya yeah yep yervoy yescarta youtube yttrium yup
    zaltrap zanidatamab zantac zarxio zejula zelboraf zepzelca zofran zoladex zolbetuximab zoloft zometa zongertinib zoom zykadia
    zynyz zytiga
    """.split()
)
"""Genes, drugs under their trade and short names, tests, devices, societies, abbreviations, and fillers of speech, in small letters."""

TRIALS = frozenset(
    """
    acosog adaura adriatic aegean affinity alascca alcyone alina alliance alpine alta altas amaros apact aphinity aramis arasens
    arches ariel arrow ascend ascent athena attraction beacon belinda best-of bilcap bolero boston-ii bostonii breakwater brigalpha
    calla cambia captivate caspian cassiopeia catnon celestial chaarted checkmate chisel chrysalis circulate cleopatra cobra cobrim
    codebreak codel columbus combi comet comparz compassher convert cosmic crest cristina dahanca danube desktop destiny destiny-crc
    destiny-gastric dreamseq duo duo-e dynagito echelon embark embolden embraca embrace embraceii emerald emilia enzamet eora esopec
    espac extenet flaura fowarc fresco gaia galaxy geometry glow gog griffin hercules himalaya hovon icon ilumenate imbrave impower
    imvoke indigo insema integrate intercept interlace javelin katherine keynote kristine krystal lacc laces latitude laura leap
    libretto lion lumina lung-map lungmap lungtech magic magnitude magnolia maia marianne mariposa matterhorn mindact mirasol
    monaleesa monarch monarche mountaineer mpact nadim nadina napoli natalee neo-aegis neoadaura neosentiturn neosphere neostar
    neotorch nova oligomez olympia olympiad opacin opra orator orient outback overture pacific pallas paloma panther paola papillon
    peacei penelope perseus polarix polo portec poseidon posnoc prado preopanc prima primetime prodige profile profound propel
    prosper rainbow rapido ratify rationale reestablish regard relativity resonate resorce rosel ruby rxponder sabr-comet sabrcomet
    savannah senomac senticol sentix sola solar solo soraya spaces spartan spotlight stampede stellar stupp sunlight sunray swog
    sympatico tailorx talapro titan tnt toga topaz triton tropicana tropics tropion tryphaena tulip vectors vega vorasidenib zuma
    """.split()
)
"""Names of trials; many are given names."""

PLACES = frozenset(
    """
    han far near middle east eastern northern united states world
    african african-american algerian american amsterdam anderson angeles antonio ashkenazi asian athens atlanta auckland australian
    baltimore bangladeshi barcelona beijing berlin bethesda boston brazilian british brussels budapest buddhist cambridge canadian
    catholic caucasian charite chicago chinese christian cleveland colombian consensus copenhagen cuban curie dallas dana danish
    delhi denver diego dublin duke dutch edinburgh egyptian english ethiopian european farber filipino finnish francisco french
    gallen german ghanaian glasgow greek gustave haitian harvard heidelberg helsinki hindu hispanic hong hopkins houston indian
    iranian iraqi irish italian jamaican japanese jewish karolinska kenyan kettering kong korean kyoto latina latino lebanese lisbon
    london lugano madrid manchester marsden mayo mediterranean melbourne mexican milan montreal moroccan moscow mumbai muslim
    nigerian nordic norwegian nottingham orleans osaka oslo oxford pakistani paris peruvian philadelphia pittsburgh polish
    portuguese prague protestant rochester rome roussy royal russian scandinavian scottish seattle seoul sephardic shanghai sikh
    singapore sloan somali spanish stanford stockholm sudanese swedish sydney syrian tokyo toronto tunisian turkish ukrainian
    vancouver vegas vienna vietnamese warsaw welsh yale york
    """.split()
)
"""Large cities, houses of medicine everybody knows, and words for peoples: no names of persons without a cue."""

MORE_EPONYMS = frozenset(
    """
    aalen adamkiewicz adie adson akiyama alcian aldrich altman amico amsler ann appleby arbor argyll askin astler auchincloss auer
    babinski balducci barcelona barthel batson baveno bayes bazex becquerel beger belghiti bellini belsey bensaude bethesda
    bielschowsky binet birbeck birt blackfan blakemore blumer boari bokhman bonferroni bookwalter borg bormann borrmann bosniak
    bouin bowen bragg brenner breslow bricker brier briganti brisbane broviac brudzinski buschke butchart camey carnoy castleman
    charcot chassaignac chediak cheson chevallier chiba chicago child churukian chvostek clagett cloquet codman coller cormack
    cotswold cotswolds coude couinaud councilman courvoisier cowden cowdry cowper cronkhite cushing dargent daroff deauville deaver
    debakey delafield delphian demets denonvilliers deyo diamond dieterle disse dix dobhoff dor dorello dube duclos duke dukes durie
    dutcher duval eaton ebstein eisenmenger elixhauser ellik eloesser elston epley erb erdheim ewing exner fabry fallot feulgen
    finkelstein finochietto fisher fite fleischner flexner fogarty folstein fothergill franseen fraumeni fuhrman galen ganz gartner
    gasser gastaut gaucher giemsa gilly gleason glisson goldie goldmann goltz gomori gompertz gorlin gower gowers grawitz grimelius
    groshong guedel guillain gutmann haenszel haggitt hallpike harrell hasford hasson hautmann heineke hermelink hesselbach higashi
    hirano hochberg hodgkin hofmeister hogg hosmer hounsfield huet hurthle ipset ipss ishihara jaboulay jamshidi jass jeghers
    jendrassik jewett jolly kaplan kaposi kattan kausch kernig kiel kienbock kikuchi klatskin klumpke koga kolmogorov kossa kostmann
    krukenberg kudo kupffer kurman kyoto labbe lachman lambert lansky lasegue lauren leadbetter lefort lehane leishman leksell
    lemeshow lennox leser letterer leveen lewy leydig lhermitte lich likert longmire lortat lowenstein lugano lugol luschka luxol
    magendie makuuchi malecot mallampati mallory mantel marinelli markov masaoka matutes mayo mcmurray mehran menghini merkel
    metzenbaum mikulicz milan mitrofanoff mmse moca movat muir mullerian murphy naboth nagoya neelsen niemann nijmegen nissl
    nottingham nuys oddi okabayashi okuda ommaya orringer osler paget pancoast papanicolaou pappenheimer parinaud paris partin patey
    pautrier pearson pelger perls peutz pfannenstiel piver pocock poisson politano polya pompe pugh querleu queyrat rai rappaport
    rathke recklinghausen reinke rendu retzius ringer rinne riolan rives roentgen rolando romagnoli romanowsky romberg rome rosai
    rosenmuller rosenthal rouviere rutledge santorini sappey sataloff scarff schauta schiotz schoenfeld schwann scully seldinger
    semont sengstaken sequard sertoli sezary shapiro shimada shirodkar shouldice shwachman sievert siewert silverberg smirnov
    snellen sokal sorgius spearman spitz spurling starry stauffer stensen stoppa strasberg strassman studer sturge sugarbaker swan
    sydney syed sylvius symmans tenckhoff tesio tinetti toker tokyo toldt torre toupet traverso treitz trelat trendelenburg troisier
    trolard trousseau turcot ucsf valsalva vater veress verhoeff verocay vienna virchow von waldenstrom waldeyer walthard warshaw
    weibull weigert westcott wharton wilk wintersteiner wirsung wiskott wolff wolffian wunderlich yankauer youden zenker zubrod
    zuckerkandl zung
    """.split()
)
"""Further names in medicine: stains, operations, scores, parts of the body, instruments, tests of statistics. Common surnames among them are left out."""

THINGS = frozenset(
    """
    survival response therapy treatment chemotherapy dose dosing expression sign signature
    anastomosis angle anomaly antigen applicator approach artefact artifact assay bag bodies body canal cancer capsule carcinoma
    catheter cell cells chromosome clamp classification clip consensus correction criteria criterion curve cyst data depth device
    disease drain duct esophagectomy esophagus estimate factor fascia flap foramen forceps formula fusion gastrectomy gland grade
    grades grading guideline guidelines hepatectomy hernia hysterectomy incision index kit knife laser level levels ligament line
    loop lymphoma machine maneuver manoeuvre marker mastectomy meeting membrane method model mould mutation needle negative node
    nodes nodule nodules nomogram oesophagus operation palsy pancreatectomy panel paper phenomenon platform plexus plot port
    position positive pouch probe procedure prostatectomy protocol pump reconstruction reflex regimen regression repair resection
    reservoir retractor robot robotic sarcoma scale scanner score sign sinus space speculum stage staging stain staining stent study
    syndrome system technique test thickness trial triangle tube tumor tumour ulcer unit units valve virus
    """.split()
)
"""What makes of a name right before it the name of a thing."""

CITIES = frozenset(
    """
    paris london berlin madrid rome vienna milan amsterdam brussels lisbon dublin edinburgh oslo stockholm copenhagen helsinki warsaw prague
    budapest athens moscow tokyo kyoto osaka seoul beijing shanghai singapore mumbai delhi sydney melbourne auckland toronto montreal vancouver
    boston chicago houston dallas seattle denver atlanta cleveland rochester baltimore philadelphia pittsburgh nottingham manchester glasgow
    oxford cambridge bethesda lugano heidelberg barcelona leeds bristol birmingham phoenix detroit miami tampa memphis nashville austin portland
    sacramento oakland cincinnati milwaukee minneapolis omaha tulsa wichita buffalo albany newark
    """.split()
)
"""Cities that are also names in medicine or of houses: towns after words such as "lives in" alone."""
