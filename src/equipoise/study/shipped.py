"""The protocols that come with the package, to begin a study from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import UsageError

FOLDER = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A shipped protocol.

    Attributes:
        id: its name, which is the name of its file.
        purpose: what it is for, in one line.
    """

    id: str
    purpose: str

    @property
    def text(self) -> str:
        """The file as it is copied into a study, comments included."""
        return (FOLDER / f"{self.id}.yaml").read_text(encoding="utf-8")


TEMPLATES: tuple[Template, ...] = (
    Template(
        id="four-label", purpose="four-label audit of a recommendation, with reasons, confidence and what is missing"
    ),
    Template(
        id="equivalence", purpose="clinical equivalence of a reply with the board's recommendation, 1 to 5, with flags"
    ),
    Template(id="refusal-helpfulness", purpose="whether a reply declines, and whether it helps: two questions"),
    Template(id="gates-severity", purpose="which safety gates a reply crosses, and how badly"),
    Template(id="category-validation", purpose="whether items belong to the category they were filed under"),
    Template(id="case-fidelity", purpose="coverage, factuality and conclusion of written cases, by three physicians"),
    Template(id="attack-validity", purpose="whether an edited item is still a valid test with a right key"),
    Template(id="free-rubric", purpose="a rubric of your own"),
)
"""In the order in which they are listed."""


def template(name: str) -> Template:
    """A template by its id.

    Raises:
        UsageError: there is none.
    """
    for item in TEMPLATES:
        if item.id == name:
            return item
    message = f"there is no template {name!r}; expected one of {', '.join(item.id for item in TEMPLATES)}"
    raise UsageError(message)
