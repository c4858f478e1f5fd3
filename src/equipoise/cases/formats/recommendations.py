"""Reads recommendations of the own format: text, an object, or a list of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.cases.formats.values import as_list, first, is_mapping, is_unknown, text_of, whole_of
from equipoise.cases.model import Recommendation, RecommendationKind, Source
from equipoise.cases.vocabulary.drugs import Regimen, read_regimen
from equipoise.cases.vocabulary.setting import read_setting
from equipoise.errors import CaseError

_NOT_STATED = frozenset(
    {
        "tbd",
        "to be determined",
        "to be decided",
        "to be discussed",
        "none",
        "none stated",
        "no recommendation",
        "-",
        "?",
    }
)


def read(value: Any) -> tuple[Recommendation, ...]:
    """Recommendations in their order; none when nothing or only "to be discussed" is stated.

    Args:
        value: the element.

    Raises:
        CaseError: a recommendation cannot be read, or two have one id.
    """
    if is_unknown(value):
        return ()
    if not (isinstance(value, str | list | tuple) or is_mapping(value)):
        msg = f"expected text, an object or a list of them, got {value!r}"
        raise CaseError(msg, field="recommendations")
    found: list[Recommendation] = []
    items = [value] if (isinstance(value, str) or is_mapping(value)) else value
    stated = {str(item["id"]) for item in items if is_mapping(item) and item.get("id") is not None}
    for place, item in enumerate(items, start=1):
        one = _recommendation(item, place, stated)
        if one is not None:
            found.append(one)
    seen: set[str] = set()
    for one in found:
        if one.id in seen:
            msg = f"two recommendations have the id {one.id!r}"
            raise CaseError(msg, field="recommendations")
        seen.add(one.id)
    return tuple(found)


_RECOMMENDATION_FIELDS = frozenset(
    {
        "id",
        "regimen",
        "drugs",
        "text",
        "kind",
        "line",
        "setting",
        "level",
        "citations",
        "certainty",
        "priority",
        "alternative_of",
    }
)


_PLAIN = frozenset({"id", "regimen", "drugs", "text", "setting"})
"""Elements of a recommendation that claims nothing beside its regimen."""


def _free(place: int, stated: set[str]) -> str:
    """The place of a recommendation as its id, or the next number that no other one states as its own."""
    while str(place) in stated:
        place += 1
    stated.add(str(place))
    return str(place)


def _recommendation(item: Any, place: int, stated: set[str]) -> Recommendation | None:
    path = f"recommendations[{place - 1}]"
    if item is None:
        return None
    fields: Mapping[str, Any] = item if is_mapping(item) else {"regimen": item}
    if not _RECOMMENDATION_FIELDS.issuperset(fields):
        extra = [key for key in fields if key not in _RECOMMENDATION_FIELDS]
        msg = f"unknown element {extra[0]!r}; expected one of {', '.join(sorted(_RECOMMENDATION_FIELDS))}"
        raise CaseError(msg, field=path)
    named = first(fields.get("regimen"), fields.get("drugs"), fields.get("text"))
    if type(named) is str:
        text = named
    elif isinstance(named, list | tuple) and all(isinstance(part, str) for part in named):
        text = " + ".join(named)
    elif isinstance(named, str):
        text = named
    elif named is None:
        text = ""
    else:
        msg = f"expected a regimen as text or a list of drugs, got {named!r}"
        raise CaseError(msg, field=f"{path}.regimen")
    stated_kind = fields.get("kind")
    if not text.strip() and stated_kind is None:
        return None
    if is_unknown(text) or text.strip().lower().rstrip(".") in _NOT_STATED:
        return None
    regimen = read_regimen(text)
    setting = regimen.settings
    if fields.get("setting") is not None and not is_unknown(fields["setting"]):
        setting = read_setting(str(fields["setting"]))
        if setting is None:
            msg = f"expected a setting such as adjuvant or metastatic, got {fields['setting']!r}"
            raise CaseError(msg, field=f"{path}.setting")
    if _PLAIN.issuperset(fields):
        return Recommendation(
            id=text_of(fields.get("id"), f"{path}.id") or _free(place, stated),
            text=text,
            kind=_kind(None, regimen, path),
            components=regimen.components,
            unspecific=regimen.unspecific,
            unread=regimen.unread,
            setting=setting,
            source=Source(path, text),
        )
    return Recommendation(
        id=text_of(fields.get("id"), f"{path}.id") or _free(place, stated),
        text=text,
        kind=_kind(stated_kind, regimen, path),
        components=regimen.components,
        unspecific=regimen.unspecific,
        unread=regimen.unread,
        setting=setting,
        line=whole_of(fields.get("line"), f"{path}.line"),
        level=text_of(fields.get("level"), f"{path}.level"),
        citations=tuple([text_of(one, f"{path}.citations") for one in as_list(fields.get("citations"))]),
        certainty=text_of(fields.get("certainty"), f"{path}.certainty"),
        priority=whole_of(fields.get("priority"), f"{path}.priority"),
        alternative_of=text_of(fields.get("alternative_of"), f"{path}.alternative_of"),
        source=Source(path, text),
    )


def _kind(stated: Any, regimen: Regimen, path: str) -> RecommendationKind:
    """What a recommendation is; a stated kind wins over the words, except that a therapy taken back is never a regimen."""
    if stated is None:
        if regimen.trial:
            return RecommendationKind.TRIAL
        other = regimen.withheld or (regimen.other and not regimen.components)
        return RecommendationKind.OTHER if other else RecommendationKind.REGIMEN
    names = {"trial": RecommendationKind.TRIAL, "regimen": RecommendationKind.REGIMEN, "drug": RecommendationKind.REGIMEN,
             "procedure": RecommendationKind.REGIMEN, "other": RecommendationKind.OTHER}  # fmt: skip
    kind = names.get(str(stated).strip().lower())
    if kind is None:
        msg = f"expected one of {', '.join(sorted(names))}, got {stated!r}"
        raise CaseError(msg, field=f"{path}.kind")
    return RecommendationKind.OTHER if kind is RecommendationKind.REGIMEN and regimen.withheld else kind
