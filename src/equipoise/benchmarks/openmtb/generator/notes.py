"""A draft as a clinical note, in six styles; the same draft, style and seed give the same note.

What a note says is what the draft holds, neither more nor less: an element that the draft does not document is left out or
said not to be known. Wording, order and report strings are drawn, and nothing about them depends on whether the draft holds
an error.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from equipoise.benchmarks.openmtb.generator.drafts import AS_OF, NOS, Draft, Found, Given
from equipoise.benchmarks.openmtb.generator.draw import Draw
from equipoise.errors import UsageError

STYLES: tuple[str, ...] = ("letter", "board", "list", "shorthand", "report", "narrative")
"""Styles of notes: letter to a colleague, board note under headings, labelled list, chart shorthand, pasted report with a
request, running text."""

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_SETTING: dict[str, tuple[str, ...]] = {
    "metastatic": ("metastatic", "with distant metastases"),
    "advanced": (
        "locally advanced, not amenable to curative surgery or radiation",
        "not suitable for curative resection or radiotherapy",
    ),
    "adjuvant": ("completely resected, no evidence of disease", "resected (R0), no residual disease"),
    "neoadjuvant": ("resectable, surgery planned", "resectable, before planned surgery"),
    "chemoradiation": (
        "unresectable, planned for definitive chemoradiation",
        "unresectable, candidate for definitive chemoradiation",
    ),
    "consolidation": (
        "unresectable, after chemoradiation without progression",
        "unresectable, completed chemoradiation without progression",
    ),
}
_SHORT_HISTOLOGY = {
    "adenocarcinoma": "adeno",
    "squamous cell carcinoma": "squamous",
    "large cell carcinoma": "large cell ca",
}
_SHORT_DRUGS = {
    "osimertinib": "osi", "carboplatin": "carbo", "pemetrexed": "pem", "pembrolizumab": "pembro", "nivolumab": "nivo",
    "ipilimumab": "ipi", "docetaxel": "doce", "atezolizumab": "atezo", "durvalumab": "durva", "cisplatin": "cis",
    "gemcitabine": "gem", "alectinib": "alec", "lorlatinib": "lorla", "sotorasib": "soto", "dabrafenib": "dab",
    "trametinib": "tram", "paclitaxel": "pac",
}  # fmt: skip
_OUTCOMES = {
    "progressed": ("progressed on {d}", "{d}, with progression", "{d} until progression"),
    "completed": ("completed {d}", "{d}, completed"),
    "toxicity": ("{d}, stopped for toxicity", "{d}, discontinued due to toxicity"),
    "ongoing": ("{d}, ongoing", "currently on {d}"),
}
_NAMES = ("Ashby", "Brandt", "Castellan", "Dunmore", "Ewart", "Fairfax", "Greaves", "Holloway", "Imrie", "Jessop")


def write_note(draft: Draft, style: str, seed: int | str = 0) -> str:
    """The draft as a note.

    Args:
        draft: the case.
        style: one of `STYLES`.
        seed: seed of the wording.

    Raises:
        UsageError: an unknown style.
    """
    writers: dict[str, Callable[[Draft, Draw], str]] = {
        "letter": _letter, "board": _board, "list": _list, "shorthand": _shorthand, "report": _report, "narrative": _narrative,
    }  # fmt: skip
    if style not in writers:
        message = f"expected one of {', '.join(STYLES)}, found {style!r}"
        raise UsageError(message, field="style")
    return writers[style](draft, Draw(f"note {style} {seed} {draft.style.order}"))


def _day(day: dt.date, draw: Draw) -> str:
    return day.isoformat() if draw.chance(0.5) else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _regimen(regimen: str, draw: Draw, *, short: bool = False) -> str:
    parts = draw.shuffled(regimen.split(" + "))
    if short:
        parts = [_SHORT_DRUGS.get(part, part) for part in parts]
        return draw.pick(("/", "+", " + ")).join(parts)
    if len(parts) > 1 and draw.chance(0.3):
        return ", ".join(parts[:-1]) + " and " + parts[-1]
    return draw.pick((" plus ", " + ", "/", " and ") if len(parts) < 3 else (" plus ", " + ", "/")).join(parts)


def _ecog(draft: Draft, form: str) -> str | None:
    if draft.ecog is None:
        return None
    grade = str(draft.ecog[0]) if len(draft.ecog) == 1 else f"{draft.ecog[0]}-{draft.ecog[-1]}"
    return form.format(grade)


def _histology(draft: Draft) -> str:
    if draft.histology == NOS:
        return "non-small cell lung cancer" if draft.style.undocumented == "" else "NSCLC NOS"
    return f"non-small cell lung cancer, {draft.histology}"


def _brain(draft: Draft, draw: Draw) -> str | None:
    choices = {
        "none": ("MRI of the brain shows no metastases", "no brain metastases", "brain MRI clear"),
        "treated": (
            "brain metastases treated with SRS",
            "brain metastases, irradiated",
            "brain metastases treated with gamma knife",
        ),
        "present": ("brain metastases are present", "known brain metastases"),
    }
    return draw.pick(choices[draft.brain]) if draft.brain else None


def _sorted(draft: Draft) -> list[Found]:
    return sorted(draft.found, key=lambda item: item.place)


_RESULTS = {
    "present": ("{t}", "{t} detected"),
    "absent": ("{t} negative", "{t} not detected", "{t} wild type"),
    "uncertain": ("{t} (variant of uncertain significance)", "{t}, VUS"),
    "not_tested": ("{t} not tested", "{t} not done"),
    "pending": ("{t} pending", "{t} result awaited"),
}


def _result(item: Found, draw: Draw) -> str:
    forms = _RESULTS[item.status]
    if item.status == "absent" and item.text in {"ALK", "ROS1", "RET", "NTRK"}:
        forms = forms[:2]
    if item.status == "absent" and " " in item.text:
        forms = forms[:2]
    return draw.pick(forms).format(t=item.text)


def _scores(draft: Draft) -> list[str]:
    found = []
    if draft.tps is not None:
        found.append(f"PD-L1 TPS {draft.tps}%")
    if draft.tmb is not None:
        found.append(f"TMB {draft.tmb:g} mut/Mb")
    if draft.stable:
        found.append("MSS")
    return found


def _course(course: Given, draw: Draw, *, short: bool = False, line: int | None = None, full: bool = True) -> str:
    """One course; without line, setting and date when the record (`full`) holds only drugs and outcome."""
    drugs = _regimen(course.drugs, draw, short=short)
    if not full:
        if short:
            return f"{drugs} ({course.outcome})"
        return draw.pick(_OUTCOMES[course.outcome]).format(d=drugs)
    if course.setting in {"adjuvant", "neoadjuvant", "consolidation"}:
        drugs = f"{course.setting} {drugs}"
    elif course.setting == "chemoradiation":
        drugs = f"{drugs} (definitive chemoradiation)" if "radiotherapy" not in course.drugs else drugs
    elif line is not None:
        drugs = f"{('first', 'second', 'third', 'fourth')[line - 1]}-line {drugs}"
    if short:
        mark = {"progressed": "PD", "completed": "completed", "toxicity": "stopped, toxicity", "ongoing": "ongoing"}[
            course.outcome
        ]
        return f"{drugs}, {mark}, last dose {course.ended.isoformat()}"
    text = draw.pick(_OUTCOMES[course.outcome]).format(d=drugs)
    return f"{text}, last dose {_day(course.ended, draw)}"


def _lines(draft: Draft) -> list[int | None]:
    """Line numbers of the courses for advanced disease."""
    numbers: list[int | None] = []
    count = 0
    for course in draft.history or ():
        if course.setting in {"advanced", "metastatic"}:
            count += 1
            numbers.append(count)
        else:
            numbers.append(None)
    return numbers


def _history(draft: Draft, draw: Draw, *, short: bool = False) -> list[str] | None:
    if draft.history is None:
        return None
    numbers = _lines(draft)
    full = draft.style.history == "objects"
    return [
        _course(course, draw, short=short, line=number, full=full)
        for course, number in zip(draft.history, numbers, strict=True)
    ]


def _setting(draft: Draft, draw: Draw) -> str | None:
    return draw.pick(_SETTING[draft.setting]) if draft.setting else None


def _denials(draft: Draft) -> list[str]:
    found = [f"no {name}" for name in draft.comorbidities]
    if draft.no_ppi:
        found.append("no proton pump inhibitor")
    return found


def _sentence(parts: Sequence[str | None], joiner: str = ", ") -> str:
    text = joiner.join(part for part in parts if part)
    return text[:1].upper() + text[1:] + "." if text else ""


def _letter(draft: Draft, draw: Draw) -> str:
    woman = draft.sex == "female"
    he, his, title = ("She", "Her", "Mrs") if woman else ("He", "His", "Mr")
    name = draw.pick(_NAMES)
    history = _history(draft, draw)
    body = [
        draw.pick(("Thank you for referring", "I reviewed", "It was a pleasure to see"))
        + f" {title} {name}, a {draft.age}-year-old {'woman' if woman else 'man'} with stage {draft.stage} "
        f"{_histology(draft)}."
    ]
    setting = _setting(draft, draw)
    if setting:
        body.append(f"The disease is {setting}.")
    results = [_result(item, draw) for item in _sorted(draft)] + _scores(draft)
    body.append(f"Molecular results ({AS_OF.year}): {'; '.join(results)}." if results else "")
    if history is not None:
        body.append(
            f"{he} has had no previous systemic therapy."
            if not history
            else f"{his} treatment so far: {'; '.join(history)}."
        )
    status = _ecog(
        draft,
        draw.pick(("ECOG performance status of {}", "performance status of {} (ECOG)", "WHO performance status of {}")),
    )
    if status:
        body.append(f"{he} has an {status}." if status.startswith("ECOG") else f"{he} has a {status}.")
    brain = _brain(draft, draw)
    body.append(_sentence([brain]))
    body.extend(
        f"There is {one}." for one in draft.comorbidities and [f"no history of {item}" for item in draft.comorbidities]
    )
    if draft.no_ppi:
        body.append(f"{he} takes no proton pump inhibitor.")
    if draft.qtc is not None:
        body.append(f"QTc is {draft.qtc} ms.")
    drugs = _regimen(draft.regimen, draw)
    plan = draw.pick(
        ("I would recommend {}.", "I recommend {}.", "My recommendation is to start {}.", "I suggest {}.")
    ).format(drugs)
    text = " ".join(part for part in body if part)
    return f"Dear Dr {draw.pick(_NAMES)},\n\n{text}\n\n{plan}\n\nYours sincerely\n"


def _board(draft: Draft, draw: Draw) -> str:
    history = _history(draft, draw)
    rows = [
        draw.pick(("THORACIC TUMOR BOARD", "MOLECULAR TUMOR BOARD", "Lung MDT")),
        f"Patient: {draft.age} y/o {draft.sex}",
        _labelled("Performance status", _ecog(draft, "ECOG {}")),
        f"Diagnosis: {_histology(draft)}, stage {draft.stage}" + _tail(_setting(draft, draw)),
        _labelled("Molecular", ", ".join(_result(item, draw) for item in _sorted(draft)) or None),
        _labelled("Expression", ", ".join(_scores(draft)) or None),
        _labelled("Brain", _brain(draft, draw)),
        _labelled(
            "Prior therapy",
            None
            if history is None
            else "; ".join(history)
            if history
            else draw.pick(("none", "no prior systemic therapy")),
        ),
        _labelled("Comorbidities", ", ".join(_denials(draft)) or None),
        _labelled("ECG", None if draft.qtc is None else f"QTc {draft.qtc} ms"),
        draw.pick(("Recommendation", "Plan", "Consensus")) + f": {_regimen(draft.regimen, draw)}",
    ]
    return "\n".join(row for row in rows if row) + "\n"


def _labelled(label: str, value: str | None) -> str:
    return f"{label}: {value}" if value else ""


def _tail(value: str | None) -> str:
    return f", {value}" if value else ""


def _list(draft: Draft, draw: Draw) -> str:
    history = _history(draft, draw)
    rows = [
        f"{draft.age}{'F' if draft.sex == 'female' else 'M'}",
        _histology(draft),
        f"Stage: {draft.stage}",
        _setting(draft, draw) or "",
        _labelled("ECOG", _ecog(draft, "{}")),
        *[_result(item, draw) for item in _sorted(draft)],
        *_scores(draft),
        _brain(draft, draw) or "",
        *(
            []
            if history is None
            else [f"Prior therapy: {'; '.join(history)}"]
            if history
            else [draw.pick(("Prior therapy: none", "Treatment-naive", "No prior systemic therapy"))]
        ),
        *_denials(draft),
        f"QTc {draft.qtc} ms" if draft.qtc is not None else "",
        draw.pick(("Proposed", "Recommendation", "Plan")) + f": {_regimen(draft.regimen, draw)}",
    ]
    bullet = draw.pick(("- ", "* ", "\u2022 "))
    return "".join(f"{bullet}{row}\n" for row in rows if row)


def _shorthand(draft: Draft, draw: Draw) -> str:
    history = _history(draft, draw, short=True)
    histology = (
        (" NOS" if draft.style.undocumented != "" else "")
        if draft.histology == NOS
        else " " + _SHORT_HISTOLOGY.get(draft.histology, draft.histology)
    )
    parts = [
        f"{draft.age}{'F' if draft.sex == 'female' else 'M'}, NSCLC{histology}, {draft.stage}"
        + _tail(_setting(draft, draw)),
        _ecog(draft, draw.pick(("PS {}", "ECOG {}", "PS{}"))),
        ", ".join([*(_result(item, draw) for item in _sorted(draft)), *_scores(draft)]) or None,
        {"none": "MRI brain neg", "treated": "brain mets s/p SRS", "present": "brain mets", None: None}[draft.brain],
        None if history is None else "Tx: " + "; ".join(history) if history else "tx naive",
        ", ".join(_denials(draft)) or None,
        f"QTc {draft.qtc}" if draft.qtc is not None else None,
        f"Rec: {_regimen(draft.regimen, draw, short=True)}",
    ]
    return ". ".join(part for part in parts if part) + "\n"


def _report(draft: Draft, draw: Draw) -> str:
    history = _history(draft, draw)
    rows = ["MOLECULAR PATHOLOGY REPORT", f"Specimen: lung biopsy, {_histology(draft)}"]
    for item in _sorted(draft):
        rows.append(_result(item, draw))
    rows.extend(_scores(draft))
    rows.append("")
    rows.append(
        f"Clinical information: {draft.age}-year-old {draft.sex}, stage {draft.stage}" + _tail(_setting(draft, draw))
    )
    rows.append(_labelled("ECOG PS", _ecog(draft, "{}")))
    rows.append(_sentence([_brain(draft, draw)]))
    if history is not None:
        rows.append("Previous treatment: " + ("; ".join(history) if history else "none"))
    rows.append(_sentence(_denials(draft)))
    if draft.qtc is not None:
        rows.append(f"QTc: {draft.qtc} ms")
    rows.append(f"Requested opinion on the proposed therapy.\nProposed therapy: {_regimen(draft.regimen, draw)}")
    return "\n".join(row for row in rows if row is not None) + "\n"


def _narrative(draft: Draft, draw: Draw) -> str:
    woman = draft.sex == "female"
    he = "She" if woman else "He"
    history = _history(draft, draw)
    first = (
        f"A {draft.age}-year-old {'woman' if woman else 'man'} presents with {_histology(draft)}, stage "
        f"{draft.stage}" + _tail(_setting(draft, draw))
    )
    status = _ecog(draft, "ECOG is {}")
    middle = [
        status,
        f"Testing showed {', '.join(_result(item, draw) for item in _sorted(draft))}" if draft.found else None,
        ", ".join(_scores(draft)) or None,
        _brain(draft, draw),
        None
        if history is None
        else (f"Prior treatment: {'; '.join(history)}" if history else f"{he} is treatment-naive"),
        ", ".join(_denials(draft)) or None,
        f"the QTc is {draft.qtc} ms" if draft.qtc is not None else None,
    ]
    middle_text = " ".join(_sentence([part]) for part in draw.shuffled([part for part in middle if part]))
    plan = draw.pick(("The board recommends {}.", "Recommendation: {}.", "The consensus was to proceed with {}."))
    return f"{first}. {middle_text} {plan.format(_regimen(draft.regimen, draw))}\n"
