"""What a case text may tell because it was said elsewhere or before: by another doctor, an earlier board, the patient, a guideline.

Also the question put to the board. Rules over English words, written for tense and agent, not for a disease.
"""

from __future__ import annotations

import re

_DOCTOR = (
    r"(?:\w+olog(?:ist|y)|\w*surgeons?|surgery|doctors?|physicians?|gp|practitioner|hospital|clinic|colleague|letter|dentist|"
    r"\w+iatrist)"
)
_OUTSIDE = (
    r"(?:own|referring|outside|local|home|family|treating|primary|regular|usual|another|other|previous|former|community|"
    r"elsewhere|colleague|letter|abroad)"
)
_AGENT = re.compile(rf"\b{_DOCTOR}\b")
_ELSEWHERE = re.compile(rf"\b(?:(?:his|her|their|whose) (?:\w+ )?{_DOCTOR}|{_OUTSIDE})\b")
_REPORTS = re.compile(
    r"\b(?:told|proposed|recommend(?:s|ed)|advis(?:es|ed)|suggest(?:s|ed)|thinks?|thought|considers?|considered|believes?|believed|"
    r"favou?r(?:s|ed)|offered|declared|called|calls|feels?|felt|plans|wants|wanted|wished|judged|deemed|refused|declined|said|says|"
    r"according to|had (?:\w+ )?(?:scheduled|booked|planned|arranged|ordered|requested|offered|proposed|started|sent|asked|referred)|"
    r"(?:scheduled|booked|ordered|requested|arranged|referred|sent|started|begun) by)\b"
)
_BOARD = re.compile(r"\b(?:board|mdt|panel|committee|conference|meeting)\b")
_AGO = re.compile(
    r"\b(?:ago|earlier|previous|prior|first|last (?:year|month|week|spring|summer|autumn|fall|winter)|"
    r"in (?:the )?(?:spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|(?:19|20)\d\d)|since|then|another|outside|local|referring)\b"
)
_WISH = re.compile(
    r"\b(?:s?he|they|patient|parents|family|daughter|son|wife|husband) (?:also |still |really |always |strongly |"
    r"clearly )?(?:wants?|wanted|wish(?:es|ed)?|"
    r"refus(?:es|ed?)|declin(?:es|ed)|asks? for|asked for|prefers?|preferred|hopes|hoped|would (?:not |never |rather )?(?:accept|"
    r"like|rather|have)|"
    r"(?:does|do|did) not want|is keen|fears|is afraid|insists)\b"
)
_GENERAL = re.compile(
    r"\b(?:guidelines?|standard of care|(?:usual|current|common|accepted) (?:standard|practice|treatment)|"
    r"(?:has|have) been (?:studied|shown|tested|compared|reported|investigated|approved)|"
    r"(?:was|were) (?:studied|compared|tested) in|trials? (?:shows?|showed|found|compared|tested)|studies|"
    r"meta-analys\w+|is known to|are known to|in general|generally|usually|typically|commonly)\b"
)
_PERSON = re.compile(
    r"\b(?:s?he|his|hers?|him|them|their|(?:the|this|our) (?:patient|case|man|woman|girl|boy)|board|meeting|we|us|our)\b"
)
_FOR_THE_PATIENT = re.compile(
    r"\b(?:will|shall|is (?:planned|scheduled|recommended|arranged)|are (?:planned|scheduled|recommended|arranged))\b"
)
_OPEN = re.compile(
    r"\b(?:(?:is|are|has|have|needs?|remains?) (?:still )?to be (?:settled|decided|discussed|determined|clarified|weighed|"
    r"answered|debated|resolved)|"
    r"(?:is|are|remains?|was|stays?) (?:still )?(?:open|unclear|undecided|unsettled|under discussion|in question|disputed|debated|"
    r"uncertain)|"
    r"(?:opinions?|advice|guidance) (?:is|are|was|were) (?:asked|sought|wanted|requested)|seeks? (?:an |the )?(?:opinion|advice)|"
    r"the (?:issue|dilemma|problem) (?:is|was)|is the question)\b"
)


def open_question(text: str) -> bool:
    """Whether a sentence says that something is still to be settled."""
    return _OPEN.search(text.casefold()) is not None


def general_fact(text: str) -> bool:
    """Whether a sentence tells what guidelines, trials or habits say, of no one patient."""
    lowered = text.casefold()
    return (
        _GENERAL.search(lowered) is not None
        and _PERSON.search(lowered) is None
        and _FOR_THE_PATIENT.search(lowered) is None
    )


def patient_wish(text: str) -> bool:
    """Whether a sentence tells what the patient or the family wants or refuses."""
    return _WISH.search(text.casefold()) is not None


def said_elsewhere(text: str, presentation: str) -> bool:
    """Whether a sentence tells what another doctor said, thought or booked.

    A doctor counts as another when the sentence says so ("her urologist", "the referring hospital") or when the presentation names
    the same one.
    """
    lowered, told = text.casefold(), presentation.casefold()
    if _REPORTS.search(lowered) is None:
        return False
    return _ELSEWHERE.search(lowered) is not None or any(
        re.search(rf"\b{re.escape(found.group())}\b", told) for found in _AGENT.finditer(lowered)
    )


def earlier_board(text: str, presentation: str) -> bool:
    """Whether a sentence tells of a board that met before, of which the presentation tells, too."""
    lowered = text.casefold()
    return (
        _BOARD.search(lowered) is not None
        and _AGO.search(lowered) is not None
        and _BOARD.search(presentation.casefold()) is not None
    )


def from_elsewhere(text: str, presentation: str) -> bool:
    """Whether a sentence may stand because of where it comes from, whatever it says.

    Args:
        text: the sentence.
        presentation: what was said before anybody decided anything.
    """
    return (
        open_question(text)
        or general_fact(text)
        or patient_wish(text)
        or said_elsewhere(text, presentation)
        or earlier_board(text, presentation)
    )
