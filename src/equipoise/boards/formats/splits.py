"""Splits by recording: a recording is in one split, and a case is in the split of its recording.

The columns of the published `split.json` stand in no public file. Read are the forms it can plausibly have: lists or objects of recordings
by split, an object of splits by recording, or a list of objects with a split; each also under `splits` or `recordings`. A recording is a
text, or an object with `video_uid` (or `video_dir`, `recording`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.boards.reading import read_json_file, short
from equipoise.boards.vocabulary import Split
from equipoise.errors import InputError
from equipoise.ids import text_hash

_NAMES = {"val": Split.VALIDATION, "valid": Split.VALIDATION, "dev": Split.VALIDATION} | {
    item.value: item for item in Split
}
_KEYS = ("video_uid", "recording", "video_dir")
_INSIDE = ("recordings", "splits")
"""Elements under which the whole can stand."""


def read_splits(path: str | Path) -> Mapping[str, Split]:
    """Split by recording.

    Raises:
        UsageError: the file cannot be opened.
        InputError: another form, an unknown split, or a recording in two splits; names the recording.
    """
    value, _ = read_json_file(path)
    file = str(path)
    pairs = [(_recording(entry, file), split) for entry, split in _entries(value, file)]
    enforce_splits(pairs, file=file)
    return dict(pairs)


def enforce_splits(members: Iterable[tuple[str, Split | None]], *, file: str | None = None) -> None:
    """Refuses a recording that is in more than one split.

    Args:
        members: recording and split of every case; those without a split or a recording say nothing.
        file: what to name in the message.

    Raises:
        InputError: the message names every such recording and its splits.
    """
    found: dict[str, set[Split]] = {}
    for recording, split in members:
        if recording and split is not None:
            found.setdefault(recording, set()).add(split)
    wrong = {name: sorted(splits) for name, splits in found.items() if len(splits) > 1}
    if wrong:
        told = "; ".join(f"{short(name)} in {' and '.join(splits)}" for name, splits in sorted(wrong.items())[:10])
        more = f"; and {len(wrong) - 10} more" if len(wrong) > 10 else ""
        message = f"a recording must be in one split only: {told}{more}"
        raise InputError(message, file=file)


def shared_texts(members: Iterable[tuple[str, Split | None, str]]) -> tuple[str, ...]:
    """Says which case texts stand in more than one split, spacing and case aside.

    A recording in two splits is an error (`enforce_splits`). Two recordings can still tell of one patient, which only a reader can judge:
    so this is a note.

    Args:
        members: id, split and text of every case.
    """
    found: dict[str, dict[Split, str]] = {}
    for name, split, text in members:
        if split is not None:
            found.setdefault(text_hash(" ".join(text.split()).casefold()), {}).setdefault(split, name)
    return tuple(
        "the same case text is in two splits: "
        + " and ".join(f"{short(name)} ({split})" for split, name in sorted(places.items()))
        for places in found.values()
        if len(places) > 1
    )


def split_recordings(
    recordings: Iterable[str], *, shares: Sequence[float] = (0.6, 0.1, 0.3), seed: int = 42
) -> Mapping[str, Split]:
    """Puts recordings into train, validation and test.

    The same recordings, shares and seed give the same splits, in whatever order they come. A share above 0 gets at least one recording, as
    long as there are enough.

    Args:
        recordings: names; each counts once.
        shares: of train, validation and test; they sum to 1.
        seed: of the shuffle.

    Raises:
        InputError: an empty name, or shares that are negative or do not sum to 1.
    """
    if len(shares) != 3 or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
        message = f"expected three shares from 0 that sum to 1, found {tuple(shares)}"
        raise InputError(message, field="shares")
    names = sorted(set(recordings))
    if "" in names:
        message = "a case without a recording cannot be put into a split; give it one"
        raise InputError(message, field="recording")
    random.Random(seed).shuffle(names)
    counts = [int(share * len(names)) for share in shares]
    for place, share in enumerate(shares):
        if share > 0 and counts[place] == 0 and sum(counts) < len(names):
            counts[place] = 1
    counts[max(range(3), key=lambda place: shares[place])] += len(names) - sum(counts)
    order = [split for split, count in zip(Split.__members__.values(), counts, strict=True) for _ in range(count)]
    return dict(sorted(zip(names, order, strict=True)))


def extend_splits(
    given: Mapping[str, Split], recordings: Iterable[str], *, shares: Sequence[float] = (0.6, 0.1, 0.3), seed: int = 42
) -> Mapping[str, Split]:
    """Splits of recordings of which some are in one already and stay there, so that nothing moves from train to test.

    A new recording goes where most is lacking.

    Args:
        given: splits of before.
        recordings: names; each counts once.
        shares: of train, validation and test; they sum to 1.
        seed: of the shuffle.

    Raises:
        InputError: as `split_recordings`.
    """
    if not given:
        return split_recordings(recordings, shares=shares, seed=seed)
    found = dict(given)
    names = sorted(set(recordings) - set(given))
    random.Random(seed).shuffle(names)
    order = list(Split.__members__.values())
    for name in names:
        counts = [sum(split is one for split in found.values()) for one in order]
        total = sum(counts) + 1
        place = max(range(3), key=lambda item: shares[item] * total - counts[item])
        found[name] = order[place]
    return dict(sorted(found.items()))


def _entries(value: Any, file: str) -> Iterable[tuple[Any, Split]]:
    if isinstance(value, dict):
        value = next((value[name] for name in _INSIDE if isinstance(value.get(name), list | dict)), value)
    if isinstance(value, list):
        for entry in value:
            name = entry.get("split") if isinstance(entry, dict) else None
            yield entry, _split(name, file)
    elif isinstance(value, dict) and any(name in _NAMES for name in value):
        yield from _by_split(value, file)
    elif isinstance(value, dict) and value:
        for name, entry in value.items():
            told = entry.get("split") if isinstance(entry, dict) else entry
            own = isinstance(entry, dict) and any(key in entry for key in _KEYS)
            yield entry if own else name, _split(told, file)
    else:
        message = "expected an object of lists by split, or a list of recordings with a split"
        raise InputError(message, file=file)


def _by_split(value: Mapping[str, Any], file: str) -> Iterable[tuple[Any, Split]]:
    """Recordings under the names of splits; plain values beside them, such as a seed, are passed over."""
    for name, entries in value.items():
        if name not in _NAMES and not isinstance(entries, list | dict):
            continue
        split = _split(name, file)
        if not isinstance(entries, list | dict):
            message = "expected a list of recordings"
            raise InputError(message, file=file, field=name)
        for entry in entries:
            yield entry, split


def _split(name: Any, file: str) -> Split:
    found = _NAMES.get(name) if isinstance(name, str) else None
    if found is None:
        message = f"expected train, validation or test; found {short(str(name))}"
        raise InputError(message, file=file, field="split")
    return found


def _recording(entry: Any, file: str) -> str:
    if isinstance(entry, dict):
        entry = next((entry[key] for key in _KEYS if key in entry), None)
    if not isinstance(entry, str) or not entry.strip():
        message = f"expected the name of a recording, or an object with one of {', '.join(_KEYS)}"
        raise InputError(message, file=file)
    return entry
