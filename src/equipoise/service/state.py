"""What a running service holds, and the one way in which a verdict leaves it: first to the trail, then to the caller."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from equipoise.service.access.keys import KeyFile
from equipoise.service.access.secret import Secret
from equipoise.service.access.session import Sessions
from equipoise.service.call import Call
from equipoise.service.engine import Asked, Audited, Engine, to_bytes
from equipoise.service.heavy import Heavy
from equipoise.service.logs import Log
from equipoise.service.metrics import Metrics
from equipoise.service.openapi import EXAMPLE_CASE
from equipoise.service.page.render import load_templates
from equipoise.service.settings import KEYS_FILE, SECRET_FILE, Settings
from equipoise.service.trail.entries import Draft, Kind, Payload, Receipt
from equipoise.service.trail.store import Trail
from equipoise.service.trail.writer import Writer

GROUP = 256
"""Entries that one request hands to the trail at once."""


def utc_now() -> dt.datetime:
    """The clock of a service."""
    return dt.datetime.now(tz=dt.UTC)


class State:
    """A running service.

    Args:
        settings: how it was started.
        log: where events go.
        now: the clock.

    Raises:
        UsageError: a policy or file does not exist.
        ConfigurationError: a policy, overlay, key file or trail breaks its contract.
        UpstreamError: the database of the trail cannot be reached.
    """

    def __init__(self, settings: Settings, *, log: Log, now: Callable[[], dt.datetime] = utc_now) -> None:
        self.settings = settings
        self.log = log
        self.now = now
        self.metrics = Metrics()
        self.engine = Engine.of(settings)
        self.secret = Secret.load(settings.data / SECRET_FILE)
        self.keys = KeyFile(settings.data / KEYS_FILE)
        self.keys.keys()
        self.sessions = Sessions(self.secret, self.keys)
        self.trail = Trail(settings.database, steady=True)
        self.writer = Writer(
            self.trail,
            most_waiting=settings.limits.trail_waiting,
            on_group=self._on_group,
            on_failure=lambda error: log.failure("trail-failed", error.__cause__ or error),
        )
        self.heavy = Heavy(settings, lambda name: log.event("heavy-failed", error=name))
        self.stopping = False

    def _on_group(self, count: int) -> None:
        self.metrics.count("equipoise_trail_entries_total", count)
        self.metrics.count("equipoise_trail_commits_total")

    def warm(self) -> None:
        """Do once what the first request would wait for: the process beside, plans of the evidence, templates of the page."""
        self.heavy.start()
        for policy in self.engine.policies:
            self.engine.answer(to_bytes(EXAMPLE_CASE), self.engine.asked(today=self.now().date(), policy=policy))
        load_templates()

    def close(self) -> None:
        """Write what waits and let go of everything."""
        self.stopping = True
        self.heavy.close()
        self.writer.close()
        self.trail.close()

    # --- what goes to the trail ------------------------------------------------------------------------------------------------

    async def record(
        self, call: Call, audited: Sequence[Audited], asked: Asked, more: Mapping[str, Any] | None = None
    ) -> dict[int, Receipt]:
        """Put what was audited on the trail; returns when it is on disk.

        Args:
            call: the request.
            audited: its cases; those without a verdict have no entry.
            asked: what was asked for.
            more: what else belongs to the payload.

        Returns:
            Receipt by place in `audited`.

        Raises:
            RefusedError: the trail did not take them; then no verdict may be given.
        """
        at = self.now().isoformat()
        drafts: list[Draft] = []
        places: list[int] = []
        for place, one in enumerate(audited):
            if one.problem is not None or one.nothing:
                continue
            subject = self.secret.pseudonym(one.case_id) if one.named else ""
            if subject and subject not in call.subjects[-1:]:
                call.subjects.append(subject)
            for label in one.labels:
                self.metrics.count("equipoise_verdicts_total", label=label)
            places.append(place)
            drafts.append(
                Draft(
                    kind=Kind.AUDIT,
                    at=at,
                    caller=call.caller,
                    request=call.id,
                    subject=subject,
                    facts={
                        "policy": asked.policy,
                        "policy_hash": one.policy_hash,
                        "evidence_hash": one.evidence_hash,
                        "engine_version": one.engine_version,
                        "jurisdiction": asked.jurisdiction,
                        "as_of": one.as_of,
                        "labels": list(one.labels),
                    },
                    payload=Payload(
                        case=one.case,
                        verdicts=one.verdicts,
                        more=to_bytes({"case_id": one.case_id, "asked": asked.to_dict(), **(more or {})}),
                    ),
                )
            )
        receipts: list[Receipt] = []
        for start in range(0, len(drafts), GROUP):
            receipts += await self.writer.append(drafts[start : start + GROUP])
        return dict(zip(places, receipts, strict=True))

    async def record_reading(self, call: Call, *, subject: str = "", **facts: Any) -> None:
        """Put on the trail that somebody read it."""
        draft = Draft(
            kind=Kind.ACCESS,
            at=self.now().isoformat(),
            caller=call.caller,
            request=call.id,
            subject=subject,
            facts=facts,
        )
        await self.writer.append([draft])

    async def record_feedback(self, call: Call, rows: Sequence[tuple[Mapping[str, Any], Any]]) -> None:
        """Put feedback on the trail, in one write: facts that stay, and what can be taken away."""
        at = self.now().isoformat()
        await self.writer.append(
            [
                Draft(
                    kind=Kind.FEEDBACK,
                    at=at,
                    caller=call.caller,
                    request=call.id,
                    facts=facts,
                    payload=Payload(more=to_bytes(more)),
                )
                for facts, more in rows
            ]
        )
