"""When a reply to a question with options is right, by how the key relates to that of the untouched question."""

from __future__ import annotations

from equipoise.redteam.operators.mutant import KeyRelation


def is_right(relation: KeyRelation, expected: str | None, label: str | None, *, abstained: bool) -> bool:
    """Whether a reply that was read is right.

    Where nothing settles the question, a reply is right when it chooses no option (says so, asks back, refuses). Everywhere
    else it is right when it chooses exactly the set of right options: an abstention is not, and no part of a set is.

    Args:
        relation: relation of the key; `SAME` for an untouched item.
        expected: the key as the outcomes keep it ("B", "A+D"); None where nothing settles it.
        label: what was read, in the same form; None for an abstention.
        abstained: whether the reply chooses no option.
    """
    if relation is KeyRelation.UNDEFINED or expected is None:
        return abstained
    return label is not None and set(label.split("+")) == set(expected.split("+"))
