"""What a running service is told: places, limits, defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

TRAIL_FILE = "trail.sqlite3"
KEYS_FILE = "keys.json"
SECRET_FILE = "secret.key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one request may cost.

    Attributes:
        document_bytes: size of one case, record or note.
        batch_bytes: size of a batch in lines; each line is a document.
        batch_entries: entries of a batch.
        inline_bytes: a document of at most this size is audited in the process that answers; a larger one beside it.
        header_seconds: from the first byte of a request to the end of its headers.
        body_seconds: from the end of the headers to the end of the body.
        work_seconds: for one document that is audited beside the answering process.
        waiting: documents that may wait for that; the next one is told to come back.
        connections: open at a time.
        trail_waiting: entries that may wait for the disk.
    """

    document_bytes: int = 4 * 1024**2
    batch_bytes: int = 64 * 1024**2
    batch_entries: int = 100_000
    inline_bytes: int = 32 * 1024
    header_seconds: float = 10.0
    body_seconds: float = 20.0
    work_seconds: float = 30.0
    waiting: int = 32
    connections: int = 512
    trail_waiting: int = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the service was started.

    Attributes:
        data: folder for the trail, the keys and the secret.
        trail_url: database of the trail; empty for SQLite in `data`.
        policies: ids of shipped policies or YAML files that a request may name; the first one is the default.
        overlays: files of a hospital's own assertions.
        jurisdiction: of which the sources speak, when a request does not say it.
        open: nobody needs a key (loopback only).
        open_metrics: `/metrics` needs no key.
        hosts: names by which the service may be called; empty for any.
        origins: web origins that may call it from a browser (CORS); empty for none.
        public_url: address under which people reach it, for links of cards; empty for no such links.
        secure_cookies: the cookie of the page travels only over https.
        cards_for_supported: a card also for orders that the evidence supports.
        warm: start the process for large documents at once, and not with the first of them.
        limits: what one request may cost.
    """

    data: Path
    trail_url: str = ""
    policies: tuple[str, ...] = ("label", "openmtb-2026")
    overlays: tuple[Path, ...] = ()
    jurisdiction: str = "US"
    open: bool = False
    open_metrics: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    public_url: str = ""
    secure_cookies: bool = True
    cards_for_supported: bool = False
    warm: bool = True
    limits: Limits = field(default_factory=Limits)

    @property
    def database(self) -> str:
        """Address of the trail's database, as SQLAlchemy writes it."""
        return self.trail_url or f"sqlite:///{(self.data / TRAIL_FILE).absolute()}"
