"""The secret of a service: signs the cookie of the page, and turns ids into pseudonyms for logs and trail."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from pathlib import Path

from equipoise.errors import ConfigurationError
from equipoise.service.access.keys import write_private

_BYTES = 32


class Secret:
    """256 random bits in a file that only its owner can read.

    Args:
        value: the bits.
    """

    def __init__(self, value: bytes) -> None:
        self._value = value

    @classmethod
    def load(cls, path: Path) -> Secret:
        """The secret in a file, made when the file does not exist.

        Raises:
            ConfigurationError: the file does not hold one.
            UsageError: it cannot be written.
        """
        try:
            text = path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            value = secrets.token_bytes(_BYTES)
            write_private(path, value.hex().encode() + b"\n")
            return cls(value)
        except (OSError, ValueError) as error:
            message = f"{path}: cannot be read ({type(error).__name__})"
            raise ConfigurationError(message) from None
        try:
            value = bytes.fromhex(text)
        except ValueError:
            value = b""
        if len(value) != _BYTES:
            message = f"{path}: expected {2 * _BYTES} hexadecimal digits"
            raise ConfigurationError(message)
        return cls(value)

    def sign(self, purpose: str, text: str) -> str:
        """HMAC-SHA-256 of a text for a purpose, in hexadecimal."""
        return hmac.new(self._value, f"{purpose}\n{text}".encode(errors="surrogatepass"), hashlib.sha256).hexdigest()

    def pseudonym(self, identifier: str) -> str:
        """What stands for an id in logs and on the trail: 16 hexadecimal digits that only the secret can make again; empty for none."""
        return self.sign("subject", identifier)[:16] if identifier else ""
