"""TNM of lung cancer to AJCC stage groups, as sets of what it leaves open.

8th edition: Goldstraw 2016 (PMID 26762738). 9th edition: Rami-Porta 2024 (J Thorac Oncol 19:1007); it differs for N2
(N2a and N2b), for T1 N1 and in the two parts of M1c. Checked against a public text (PMID 39742577, abstract): T1 N1 to IIA, T1 N2a to
IIB, T3 N2a to IIIA. Not checked against one: T2 N2b to IIIB (that abstract prints T3 N2b) and the parts of M1c, which both stay IVB.
"""

from __future__ import annotations

import re

_TNM = re.compile(
    r"(?<![a-z0-9])(?P<prefix>[ycpra]{0,3})t\s?(?P<t>is|mi|[0-4](?:mi|[abc])?|x)"
    r"(?:\([^()\s]{1,8}\))?[\s,;/]{0,3}[ycpra]{0,2}n\s?(?P<n>[0-3][ab]?|x)(?:\s?\([^()]{1,12}\))?"
    r"(?:[\s,;/]{0,3}[ycpra]{0,2}m\s?(?P<m>0|1[abc]?[12]?|x))?(?![a-z0-9])"
)
_M = re.compile(
    r"(?<![a-z0-9])[cp]?m1([abc])?([12])?(?![a-z0-9%]|\s+(?:ward|segment|receptor|macrophage|muscarinic|branch))"
)

_N0: dict[str, tuple[str, ...]] = {
    "is": ("0",), "1mi": ("IA1",), "mi": ("IA1",), "1a": ("IA1",), "1b": ("IA2",), "1c": ("IA3",), "1": ("IA1", "IA2", "IA3"),
    "2a": ("IB",), "2b": ("IIA",),
    "2": ("IB", "IIA"), "3": ("IIB",), "4": ("IIIA",),
}  # fmt: skip
_GROUPS: dict[tuple[str, str], tuple[str, ...]] = {
    ("1", "1"): ("IIB",), ("2", "1"): ("IIB",), ("3", "1"): ("IIIA",), ("4", "1"): ("IIIA",),
    ("1", "2"): ("IIIA",), ("2", "2"): ("IIIA",), ("3", "2"): ("IIIB",), ("4", "2"): ("IIIB",),
    ("1", "3"): ("IIIB",), ("2", "3"): ("IIIB",), ("3", "3"): ("IIIC",), ("4", "3"): ("IIIC",),
}  # fmt: skip
_GROUPS_9: dict[tuple[str, str], tuple[str, ...]] = {
    ("1", "1"): ("IIA",), ("1", "2a"): ("IIB",), ("1", "2b"): ("IIIA",),
    ("2", "2a"): ("IIIA",), ("2", "2b"): ("IIIB",), ("3", "2a"): ("IIIA",),
    ("3", "2b"): ("IIIB",), ("4", "2a"): ("IIIB",), ("4", "2b"): ("IIIB",),
}  # fmt: skip
_METASTATIC: dict[str, tuple[str, ...]] = {
    "1": ("IVA", "IVB"),
    "1a": ("IVA",),
    "1b": ("IVA",),
    "1c": ("IVB",),
    "1c1": ("IVB",),
    "1c2": ("IVB",),
}


def groups_of_tnm(t: str, n: str, m: str, *, edition: int = 8) -> frozenset[str]:
    """Stage groups that a TNM combination can mean.

    Args:
        t: T without its letter, lower case ("1a", "2", "is").
        n: N without its letter ("0", "2", "2a").
        m: M without its letter ("0", "1c").
        edition: 8 or 9; N2a and N2b are read by the 9th in any case.

    Returns:
        A subset of the stage groups; empty when the combination names none (T0, TX, NX without distant disease).
    """
    if m in _METASTATIC:
        return frozenset(_METASTATIC[m])
    if m not in {"0", ""}:
        return frozenset()
    if n == "0":
        return frozenset(_N0.get(t, ()))
    size = t[:1]
    if n in {"2a", "2b"} or edition == 9:
        if n == "2":
            return frozenset(one for part in ("2a", "2b") for one in _GROUPS_9.get((size, part), ()))
        found = _GROUPS_9.get((size, n))
        if found is not None:
            return frozenset(found)
    return frozenset(_GROUPS.get((size, n[:1]), ()))


def find_tnm(low: str, *, edition: int = 8) -> list[tuple[int, int, frozenset[str], str]]:
    """TNM statements in a folded text.

    Returns:
        Start, end, groups (possibly none) and prefix ("c", "p", "yp") of each; a distant-disease category by itself counts.
    """
    found = []
    covered: list[tuple[int, int]] = []
    for match in _TNM.finditer(low):
        m = match["m"]
        pathological = "p" in match["prefix"]
        groups = groups_of_tnm(match["t"], match["n"], (m or ("0" if pathological else "0")), edition=edition)
        covered.append(match.span())
        found.append((match.start(), match.end(), groups, match["prefix"]))
    for match in _M.finditer(low):
        if not any(start <= match.start() < end for start, end in covered):
            found.append((match.start(), match.end(), frozenset(_METASTATIC["1" + (match[1] or "")]), ""))
    return found
