"""Forms that browsers send: read under limits, never more than was announced, and never partly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from equipoise.study.desk.answers import RefusedError

_FORM, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_FILES = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One file that came with a form.

    Attributes:
        name: as the browser gave it, without folders; not to be trusted.
        data: its bytes.
    """

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What was sent.

    Attributes:
        fields: names and values, in order; line ends are line feeds.
        files: files by field.
    """

    fields: tuple[tuple[str, str], ...] = ()
    files: Mapping[str, Upload] = field(default_factory=dict)

    def one(self, name: str, default: str = "") -> str:
        """The last value of a field, or the default."""
        return next((value for key, value in reversed(self.fields) if key == name), default)

    def all(self, name: str) -> list[str]:
        """All values of a field, in order."""
        return [value for key, value in self.fields if key == name]


async def read_form(request: Request, *, most_bytes: int, most_fields: int, seconds: float, upload: bool) -> Form:
    """The form of a request.

    Args:
        request: the request.
        most_bytes: size of the whole body.
        most_fields: fields of the form.
        seconds: time for it to arrive.
        upload: whether it may carry a file.

    Raises:
        RefusedError: another kind of body, too large, too many fields, not readable, or not there in time.
    """
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not media and request.headers.get("content-length", "0") == "0" and "transfer-encoding" not in request.headers:
        return Form()
    if media not in ((_FORM, _MULTIPART) if upload else (_FORM,)):
        raise RefusedError(415, "expected a form")
    length = request.headers.get("content-length", "")
    if length and (not length.isdigit() or int(length) > most_bytes):
        raise RefusedError(413, f"expected at most {most_bytes} bytes")
    try:
        body = await asyncio.wait_for(_body(request, most_bytes), seconds)
    except TimeoutError:
        raise RefusedError(408, "the form did not arrive in time") from None
    if media == _MULTIPART:
        return await _multipart(request, body, most_fields)
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=most_fields,
            errors="strict",
        )  # fmt: skip
    except ValueError:
        raise RefusedError(400, "the form cannot be read") from None
    return Form(fields=tuple((name, _lines(value)) for name, value in pairs))


async def _body(request: Request, most: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise RefusedError(413, f"expected at most {most} bytes")
        parts.append(part)
    return b"".join(parts)


async def _multipart(request: Request, body: bytes, most_fields: int) -> Form:
    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    opening = body.partition(b"\r\n")[0]
    if not opening.startswith(b"--") or not body.rstrip(b"\r\n").endswith(opening + b"--"):  # cut off on its way
        raise RefusedError(400, "the form cannot be read")
    parser = MultiPartParser(
        request.headers, stream(), max_files=_FILES, max_fields=most_fields, max_part_size=len(body) + 1
    )
    try:
        found = await parser.parse()
    except (MultiPartException, ValueError, KeyError):
        raise RefusedError(400, "the form cannot be read") from None
    fields: list[tuple[str, str]] = []
    files: dict[str, Upload] = {}
    for name, value in found.multi_items():
        if isinstance(value, UploadFile):
            data = await value.read()
            await value.close()
            files[name] = Upload(name=(value.filename or "").replace("\\", "/").rpartition("/")[2], data=data)
        else:
            fields.append((name, _lines(value)))
    return Form(fields=tuple(fields), files=files)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
