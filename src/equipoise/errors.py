"""Every error this package raises on purpose, by who can act on it.

EquipoiseError
├── InputError            the person who wrote the case, file or argument
│   ├── CaseError         one case cannot be read (the rest of a file goes on)
│   └── UsageError        an argument names something that does not exist
├── ConfigurationError    the person who wrote a policy, an overlay or a protocol
│   └── EvidenceError     an assertion file breaks its contract
├── DependencyError       the person who installed the package: an extra is missing
├── UpstreamError         somebody else's service or file format
└── InternalError         us: a contract of this package was broken
"""

from __future__ import annotations


class EquipoiseError(Exception):
    """Base of all errors raised on purpose.

    The text of every one is a sentence for a person: what is wrong, where, and what was expected.
    """


class InputError(EquipoiseError):
    """The input cannot be used as it is.

    Args:
        message: what is wrong and what was expected.
        file: the file, as the user named it.
        line: 1-based line in the file.
        field: path of the field, in the names of the Case.
    """

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, field: str | None = None
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.field = field
        super().__init__(message)

    def __str__(self) -> str:
        place = ""
        if self.file:
            place = self.file if self.line is None else f"{self.file}, line {self.line}"
        elif self.line is not None:
            place = f"line {self.line}"
        parts = [part for part in (place, f"field {self.field}" if self.field else "") if part]
        return f"{', '.join(parts)}: {self.message}" if parts else self.message

    def located(self, *, file: str | None = None, line: int | None = None) -> InputError:
        """The same error with the file and line filled in where they were unknown."""
        return type(self)(
            self.message, file=self.file or file, line=self.line if self.line is not None else line, field=self.field
        )


class CaseError(InputError):
    """One case cannot be read; the others of the file are not affected."""


class UsageError(InputError):
    """An argument names a policy, date, jurisdiction, file or benchmark that does not exist."""


class ConfigurationError(EquipoiseError):
    """A policy, overlay or protocol breaks its contract."""


class EvidenceError(ConfigurationError):
    """An assertion or coverage entry breaks its contract."""


class DependencyError(EquipoiseError):
    """An optional part is not installed; the text names the extra to install."""


class UpstreamError(EquipoiseError):
    """A service or file of somebody else does not keep its own format."""


class InternalError(EquipoiseError):
    """A contract inside this package was broken; please report it."""
