"""Failed sign-ins, counted by code and by address, so that passwords and links cannot be guessed."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque

_MOST = 20_000
"""Codes and addresses that are remembered; the one longest without a failure is forgotten first."""


class Attempts:
    """Failures within a window of time; only in the memory of the running desk.

    Args:
        most: failures of a key within the window after which it is refused, by kind of key.
        seconds: how long a failure counts.
    """

    def __init__(self, most: dict[str, int], seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._failed: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, keys: dict[str, str], now: float) -> int:
        """Seconds until these keys may try again; 0 when they may now.

        Args:
            keys: by kind, such as {"code": "r1", "address": "192.0.2.1"}; one that does not exist counts like one that does.
            now: seconds on any steady clock.
        """
        with self._lock:
            left = 0.0
            for kind, name in keys.items():
                times = self._times((kind, name), now)
                if times is not None and len(times) >= self._most[kind]:
                    left = max(left, times[len(times) - self._most[kind]] + self._seconds - now)
            return int(left) + 1 if left > 0 else 0

    def failed(self, keys: dict[str, str], now: float) -> None:
        """Count a failure."""
        with self._lock:
            for key in keys.items():
                times = self._times(key, now)
                if times is None:
                    times = self._failed[key] = deque(maxlen=self._most[key[0]])
                times.append(now)
                self._failed.move_to_end(key)
            while len(self._failed) > _MOST:
                self._failed.popitem(last=False)

    def right(self, kind: str, name: str) -> None:
        """Forget the failures of a key that has signed in."""
        with self._lock:
            self._failed.pop((kind, name), None)

    def _times(self, key: tuple[str, str], now: float) -> deque[float] | None:
        times = self._failed.get(key)
        if times is None:
            return None
        while times and times[0] + self._seconds <= now:
            times.popleft()
        if not times:
            del self._failed[key]
            return None
        return times
