"""What changed between two snapshots, over every row of both."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from equipoise.evidence.civic.items import SOURCE, CivicRecord, CivicSnapshot


@dataclass(frozen=True, slots=True)
class CivicChange:
    """One field of one evidence item that differs.

    Attributes:
        evidence_id: EID.
        field: "level", "direction", "significance" or "flagged".
        before: value in the older snapshot.
        after: value in the newer one.
        profile: molecular profile in the newer one.
        therapies: therapies in the newer one.
        relevant: whether either snapshot keeps the item for this tumor.
    """

    evidence_id: int
    field: str
    before: str
    after: str
    profile: str
    therapies: str
    relevant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CivicDiff:
    """What changed between two snapshots, over every row of both.

    Attributes:
        old: identifier of the older snapshot.
        new: identifier of the newer one.
        appeared: records only in the newer one.
        vanished: records only in the older one.
        changes: fields that differ, by EID.
    """

    old: str
    new: str
    appeared: tuple[CivicRecord, ...]
    vanished: tuple[CivicRecord, ...]
    changes: tuple[CivicChange, ...]

    def of(self, field: str, *, relevant: bool | None = None) -> tuple[CivicChange, ...]:
        """Changes of one field, all of them or only those of kept (or of other) items."""
        return tuple(
            item for item in self.changes if item.field == field and (relevant is None or item.relevant is relevant)
        )

    def counts(self) -> dict[str, Any]:
        """Counts of everything, and of what is kept for this tumor."""
        names = ("level", "direction", "significance", "flagged")
        return {
            "appeared": len(self.appeared),
            "vanished": len(self.vanished),
            **{f"{name}_changed": len(self.of(name)) for name in names},
            "relevant": {
                "appeared": sum(item.kept for item in self.appeared),
                "vanished": sum(item.kept for item in self.vanished),
                **{f"{name}_changed": len(self.of(name, relevant=True)) for name in names},
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "source": SOURCE,
            "old": self.old,
            "new": self.new,
            "counts": self.counts(),
            "appeared": [asdict(item) for item in self.appeared],
            "vanished": [asdict(item) for item in self.vanished],
            "changes": [asdict(item) for item in self.changes],
        }


def diff_snapshots(old: CivicSnapshot, new: CivicSnapshot) -> CivicDiff:
    """Compare two snapshots.

    Words that a newer release replaced without a change of meaning ("Sensitivity" by "Sensitivity/Response") are not
    a change.
    """
    changes: list[CivicChange] = []
    for identifier in sorted(old.records.keys() & new.records.keys()):
        before, after = old.records[identifier], new.records[identifier]
        changes.extend(
            CivicChange(
                evidence_id=identifier,
                field=name,
                before=str(getattr(before, name)),
                after=str(getattr(after, name)),
                profile=after.profile,
                therapies=after.therapies,
                relevant=before.kept or after.kept,
            )
            for name in ("level", "direction", "significance", "flagged")
            if getattr(before, name) != getattr(after, name)
        )
    return CivicDiff(
        old=old.id,
        new=new.id,
        appeared=tuple(new.records[key] for key in sorted(new.records.keys() - old.records.keys())),
        vanished=tuple(old.records[key] for key in sorted(old.records.keys() - new.records.keys())),
        changes=tuple(changes),
    )
