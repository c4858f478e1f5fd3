"""What a running desk is told: its address, who is in front of it, times and limits."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskLimits:
    """What one request, one session and one guesser may cost.

    Attributes:
        form_bytes: size of a form without a file.
        upload_bytes: size of a form with a file, which only a coordinator can send.
        fields: fields of a form.
        body_seconds: time for a form to arrive.
        workers: requests that may be at the database at the same time.
        hashing: passwords that may be checked at the same time.
        waiting: passwords that may wait for that; the next one is told to come back.
        idle_minutes: a session ends when nothing was asked for so long.
        session_hours: a session ends after so long in any case.
        failures_code: failed sign-ins of one code within the window, after which the next ones are not looked at.
        failures_address: the same for one address.
        window_minutes: how long a failure counts.
        header_seconds: time for the headers of a request to arrive.
        connections: open at a time.
    """

    form_bytes: int = 256 * 1024
    upload_bytes: int = 32 * 1024**2
    fields: int = 500
    body_seconds: float = 30.0
    workers: int = 8
    hashing: int = 2
    waiting: int = 24
    idle_minutes: int = 120
    session_hours: int = 12
    failures_code: int = 10
    failures_address: int = 60
    window_minutes: int = 15
    header_seconds: float = 10.0
    connections: int = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskSettings:
    """How the desk was started.

    Attributes:
        base_url: address under which people reach it, without a slash at the end; empty for the one in the request, which
            only a desk on the loopback uses.
        hosts: names by which it may be called; empty for any.
        proxies: networks of the proxies in front of it, whose X-Forwarded-For is believed.
        protocol_file: file of the protocol in the study's folder, which an amendment in the browser is written to; None for
            none.
        limits: what requests may cost.
    """

    base_url: str = ""
    hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    protocol_file: Path | None = None
    limits: DeskLimits = field(default_factory=DeskLimits)

    @property
    def secure(self) -> bool:
        """Whether people reach it over https, so that its cookie travels only so."""
        return self.base_url.startswith("https://")

    @property
    def origin(self) -> str:
        """Scheme, name and port of the base address; empty without one."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}".lower() if self.base_url else ""

    @property
    def cookie(self) -> str:
        """Name of the cookie; the prefix makes browsers refuse one that another host or plain http has set."""
        return "__Host-desk" if self.secure else "desk"

    def client(self, peer: str, forwarded: str) -> str:
        """The address a request comes from: the peer, or what the last proxy that is ours says.

        Args:
            peer: address of the other end of the connection.
            forwarded: X-Forwarded-For of the request.
        """
        known = [ipaddress.ip_network(one, strict=False) for one in self.proxies]
        for name in [peer, *reversed([part.strip() for part in forwarded.split(",") if part.strip()])]:
            try:
                address = ipaddress.ip_address(name)
            except ValueError:
                return peer
            if not any(address in network for network in known):
                return _whole(address)
        return peer


def _whole(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    """An IPv6 network of one customer counts as one address, or a guesser would have 2**64 of them."""
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
