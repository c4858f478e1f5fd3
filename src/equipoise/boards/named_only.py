"""Drugs that a board named and nobody audited, with the reason: silence about them is no approval."""

from __future__ import annotations

from dataclasses import dataclass, field

from equipoise.boards.recommended import Hearing


@dataclass(slots=True)
class NamedOnly:
    """Collects, turn by turn, what was named and what was audited."""

    _named: list[dict[str, str | int | tuple[str, ...]]] = field(default_factory=list)
    _audited: set[str] = field(default_factory=set)

    def hears(self, role: str, turn: int, hearing: Hearing) -> None:
        """Take in a text. What it recommends is audited, so the caller sees to that.

        Args:
            role: who said it.
            turn: number of the turn, as the transcript counts; the conclusion is one past the last.
            hearing: what was heard in it.
        """
        self._audited.update(name for item in hearing.recommended for name in item.components)
        for item in hearing.named:
            row: dict[str, str | int | tuple[str, ...]] = {
                "turn": turn,
                "role": role,
                "drugs": item.components,
                "why": item.why.value,
            }
            if row not in self._named:
                self._named.append(row)

    def rows(self) -> tuple[dict[str, str | int | tuple[str, ...]], ...]:
        """Each time a drug was named that was audited nowhere on this board: turn, role, drugs, why."""
        found = []
        for row in self._named:
            drugs = row["drugs"]
            left = tuple(name for name in drugs if name not in self._audited) if isinstance(drugs, tuple) else ()
            if left:
                found.append({**row, "drugs": left})
        return tuple(found)

    def line(self) -> str:
        """One line with every such drug and its reasons; empty without any."""
        reasons: dict[str, dict[str, None]] = {}
        for row in self.rows():
            for name in row["drugs"] if isinstance(row["drugs"], tuple) else ():
                reasons.setdefault(name, {})[str(row["why"])] = None
        if not reasons:
            return ""
        told = "; ".join(f"{name} ({', '.join(why)})" for name, why in reasons.items())
        return f"Named and not audited: {told}."
