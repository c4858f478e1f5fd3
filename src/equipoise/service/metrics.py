"""Counters of a running service in Prometheus' text form (https://prometheus.io/docs/instrumenting/exposition_formats/)."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter

BUCKETS: tuple[float, ...] = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper ends of the classes of answering time, in seconds."""

_HELP: dict[str, str] = {
    "equipoise_requests_total": "Requests answered, by pattern of the address, method and status.",
    "equipoise_verdicts_total": "Verdicts given, by label.",
    "equipoise_refused_total": "Requests refused before they were read, by reason.",
    "equipoise_cards_total": "Cards sent, by indicator.",
    "equipoise_feedback_total": "Feedback on cards, by outcome.",
    "equipoise_trail_entries_total": "Entries that are on disk.",
    "equipoise_trail_commits_total": "Writes to disk; each holds one entry or more.",
    "equipoise_failures_total": "Requests that failed for a reason nobody planned for.",
}


class Metrics:
    """Counts, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def count(self, name: str, by: int = 1, **labels: str) -> None:
        """Add to a counter.

        Args:
            name: one of the names above.
            by: how many.
            labels: fixed words of ours, never a text from outside.
        """
        with self._lock:
            self._counts[name, tuple(sorted(labels.items()))] += by

    def took(self, route: str, seconds: float) -> None:
        """Note how long a request took from its first byte to its last."""
        with self._lock:
            row = self._times.setdefault(route, [0] * (len(BUCKETS) + 1))
            row[bisect_left(BUCKETS, seconds)] += 1
            self._sums[route] = self._sums.get(route, 0.0) + seconds

    def value(self, name: str, **labels: str) -> int:
        """What a counter stands at."""
        with self._lock:
            return self._counts[name, tuple(sorted(labels.items()))]

    def text(self, **gauges: float) -> str:
        """Everything, one value a line.

        Args:
            gauges: values of this moment, by name without prefix.
        """
        lines: list[str] = []
        with self._lock:
            for name, words in _HELP.items():
                lines += [f"# HELP {name} {words}", f"# TYPE {name} counter"]
                rows = [(labels, count) for (one, labels), count in self._counts.items() if one == name]
                lines += [f"{name}{_labels(labels)} {count}" for labels, count in sorted(rows)]
            name = "equipoise_request_seconds"
            lines += [
                f"# HELP {name} Time from the first byte of a request to the last of its answer.",
                f"# TYPE {name} histogram",
            ]
            for route, row in sorted(self._times.items()):
                total = 0
                for end, count in zip((*BUCKETS, float("inf")), row, strict=True):
                    total += count
                    le = "+Inf" if end == float("inf") else f"{end:g}"
                    lines.append(f"{name}_bucket{_labels((('le', le), ('route', route)))} {total}")
                lines.append(f"{name}_sum{_labels((('route', route),))} {self._sums[route]:.6f}")
                lines.append(f"{name}_count{_labels((('route', route),))} {total}")
        for gauge, value in sorted(gauges.items()):
            lines += [f"# TYPE equipoise_{gauge} gauge", f"equipoise_{gauge} {value:g}"]
        return "\n".join(lines) + "\n"


def _labels(labels: tuple[tuple[str, str], ...]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{key}="{_escaped(value)}"' for key, value in labels) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
