"""Training rows: chat messages with the recorded answer (SFT), and prompts with the four decisions to be rewarded.

What is trained on is checked first: every case in a split, a recording in one split only, no near-duplicate and no held-back answer on the
training side, no curated case whose identifiers were not scrubbed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from equipoise.boards.curation.marks import is_curated, is_scrubbed, is_unread
from equipoise.boards.exports import framing
from equipoise.boards.exports.framing import discussion_text
from equipoise.boards.exports.separation import enforce_separation
from equipoise.boards.formats.splits import split_recordings
from equipoise.boards.measures.decisions import SCALE_1_5, DecisionScale, freeze_scope
from equipoise.boards.model import BoardCase
from equipoise.boards.reading import short, to_line
from equipoise.boards.vocabulary import Split
from equipoise.errors import InputError
from equipoise.ids import bytes_hash, content_hash, text_hash

FORMAT = "equipoise-board-export-1"
Kind = Literal["sft", "reward"]
BY_AUTHOR, BY_CURATION = "author", "model of the curation"
"""Who said which decisions a reference takes, where nobody is named."""
SETTINGS = ("board", "turn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Rows for training.

    Attributes:
        kind: sft or reward.
        rows: in the order of the cases.
        left_out: id and reason of what gave no row.
        manifest: what a reader needs to know of the rows: hashes, versions, recordings, licence.
    """

    kind: Kind
    rows: tuple[Mapping[str, Any], ...]
    left_out: tuple[tuple[str, str], ...]
    manifest: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The rows as JSON lines."""
        return "".join(to_line(row) for row in self.rows)


def with_splits(cases: Sequence[BoardCase], *, seed: int) -> tuple[BoardCase, ...]:
    """The cases, each recording put into one split; a split that a case already has is refused, not overwritten.

    Raises:
        InputError: a case has a split or no recording.
    """
    placed = [case.id for case in cases if case.split is not None]
    if placed:
        message = (
            f"cases have a split already ({short(placed[0])} and {len(placed) - 1} more); export without splitting anew"
        )
        raise InputError(message, field="split")
    found = split_recordings((case.recording for case in cases), seed=seed)
    return tuple(replace(case, split=found[case.recording]) for case in cases)


def export_training(
    cases: Sequence[BoardCase],
    kind: Kind,
    *,
    split: Split,
    source_sha256: str,
    settings: Sequence[str] = SETTINGS,
    scale: DecisionScale = SCALE_1_5,
    scope_by: str = "",
    licence: str = "",
    consent: str = "",
    allow_unscrubbed: bool = False,
    accept_unread: bool = False,
    file: str | None = None,
) -> Export:
    """Rows of one split.

    Args:
        cases: all cases of the set, of every split: separation is checked over all.
        kind: "sft" (messages with the recorded answer) or "reward" (prompt with the four decisions).
        split: train or validation.
        source_sha256: hash of the file the cases were read from.
        settings: "board", "turn" or both; reward rows are only made of boards.
        scale: of the reward.
        scope_by: who says which decisions the reference takes; empty for the author, or for a curated case the model that wrote it.
        licence: of the set, in the user's words.
        consent: basis on which the recordings may be used, in the user's words.
        allow_unscrubbed: export curated cases whose identifiers were not scrubbed.
        accept_unread: export curated cases of which no person has read the scrubbed texts.
        file: what to name in messages.

    Raises:
        InputError: training and held-back cases are not apart, curated cases were not scrubbed or come without licence and consent, or a
            setting that does not exist.
    """
    if not settings or set(settings) - set(SETTINGS):
        message = f"expected board, turn or both; found {', '.join(settings) or 'nothing'}"
        raise InputError(message, field="setting")
    if split is Split.TEST:
        message = "test cases are for evaluation and are not exported for training"
        raise InputError(message, file=file, field="split")
    own = [case for case in cases if case.split is split]
    _check_curated(own, licence, consent, file, allow_unscrubbed=allow_unscrubbed, accept_unread=accept_unread)
    rows: list[Mapping[str, Any]] = []
    left_out: list[tuple[str, str]] = []
    texts = []
    for case in own:
        made, left = _sft(case, settings) if kind == "sft" else _reward(case, scale, scope_by)
        rows.extend(made)
        left_out.extend(left)
        texts.append((case, "\n".join(json.dumps(row, ensure_ascii=False) for row in made)))
    enforce_separation(texts if texts else [], cases, file=file)
    body = "".join(to_line(row) for row in rows)
    manifest = {
        "format": FORMAT,
        "kind": kind,
        "split": split.value,
        "rows": len(rows),
        "rows_sha256": bytes_hash(body.encode()),
        "cases": len(own),
        "recordings": sorted({case.recording for case in own}),
        "held_back_recordings": len({case.recording for case in cases if case.split is not split}),
        "source_sha256": source_sha256,
        "framing": framing.ID,
        "framing_hash": framing.HASH,
        "scale": scale.id if kind == "reward" else None,
        "scope_by": sorted({str(row["scope_by"]) for row in rows}) if kind == "reward" else None,
        "licence": licence or "not given",
        "consent": consent or "not given",
        "curated_cases": sum(is_curated(case) for case in own),
        "not_scrubbed": [case.id for case in own if is_curated(case) and not is_scrubbed(case)],
        "not_read_by_a_person": [case.id for case in own if is_curated(case) and is_unread(case)],
        "left_out": [{"id": name, "reason": reason} for name, reason in left_out],
        "version": _version(),
    }
    return Export(kind=kind, rows=tuple(rows), left_out=tuple(left_out), manifest=manifest)


def _version() -> str:
    from equipoise._version import __version__

    return __version__


def _check_curated(
    cases: Sequence[BoardCase],
    licence: str,
    consent: str,
    file: str | None,
    *,
    allow_unscrubbed: bool,
    accept_unread: bool,
) -> None:
    curated = [case for case in cases if is_curated(case)]
    bare = [case.id for case in curated if not is_scrubbed(case)]
    if bare and not allow_unscrubbed:
        told = ", ".join(short(name) for name in bare[:10]) + (f" and {len(bare) - 10} more" if len(bare) > 10 else "")
        message = (
            f"curated from a recording and not scrubbed: {told}; scrub the set, or say that it may be exported as it is"
        )
        raise InputError(message, file=file, field="notes")
    if curated and not (licence.strip() and consent.strip()):
        message = "a set curated from recordings needs a licence and a basis of consent; say both"
        raise InputError(message, file=file, field="licence")
    unread = [case.id for case in curated if is_unread(case)]
    if unread and not accept_unread:
        message = (
            f"{len(unread)} curated cases say that no person has read their scrubbed texts; have them read "
            "(NAME.read.yaml, docs/board.md), or say that they may be exported unread"
        )
        raise InputError(message, file=file, field="notes")


def _messages(system: str, user: str, answer: str | None = None) -> list[dict[str, str]]:
    found = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return found if answer is None else [*found, {"role": "assistant", "content": answer}]


def _common(case: BoardCase, name: str, task: str) -> dict[str, Any]:
    return {
        "id": name,
        "task": task,
        "recording": case.recording,
        "split": case.split.value if case.split else None,
        "arm": "captions",
        "case_hash": case.hash,
        "framing": framing.ID,
        "framing_hash": framing.HASH,
    }


def _sft(case: BoardCase, settings: Sequence[str]) -> tuple[list[Mapping[str, Any]], list[tuple[str, str]]]:
    rows: list[Mapping[str, Any]] = []
    left: list[tuple[str, str]] = []
    if "board" in settings:
        if not case.turns or case.conclusion is None:
            left.append((case.id, "no recorded discussion" if not case.turns else "no conclusion"))
        else:
            answer = discussion_text(case)
            row = _common(case, case.id, "board_simulation")
            rows.append(
                row
                | {
                    "target_hash": text_hash(answer),
                    "messages": _messages(framing.BOARD, framing.board_text(case), answer),
                }
            )
    if "turn" in settings:
        for question in case.questions:
            if not question.answer.strip():
                left.append((question.id, "no answer"))
                continue
            answer = json.dumps({"answer": " ".join(question.answer.split())}, ensure_ascii=False)
            row = _common(case, question.id, "specialist_turn") | {
                "role": question.role.value,
                "question_type": question.type.value,
                "target_hash": text_hash(answer),
            }
            rows.append(row | {"messages": _messages(framing.TURN, framing.question_text(case, question), answer)})
    return rows, left


def _reward(
    case: BoardCase, scale: DecisionScale, scope_by: str
) -> tuple[list[Mapping[str, Any]], list[tuple[str, str]]]:
    if case.conclusion is None or not case.conclusion.decisions:
        return [], [(case.id, "no conclusion taken apart into decisions")]
    if any(decision.scope is None for decision in case.conclusion.decisions):
        return [], [(case.id, "a decision whose scope nobody has given")]
    frozen = freeze_scope(case, by=scope_by or (BY_CURATION if is_curated(case) else BY_AUTHOR))
    decisions = {
        decision.kind.value: {
            "scope": frozen.scopes[decision.kind].value,
            "reference": decision.text,
            "acceptable": list(decision.acceptable),
            "sources": list(decision.sources),
        }
        for decision in case.conclusion.decisions
    }
    row = _common(case, case.id, "board_simulation") | {
        "prompt": _messages(framing.BOARD, framing.board_text(case)),
        "reference": case.conclusion.text,
        "references": [case.conclusion.text, *case.references],
        "decisions": decisions,
        "scope_hash": frozen.hash,
        "scope_by": frozen.by,
        "scale": scale.id,
        "low": scale.low,
        "high": scale.high,
    }
    return [row | {"target_hash": content_hash([row["references"], decisions])}], []
