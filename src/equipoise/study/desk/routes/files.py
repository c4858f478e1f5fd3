"""What pages load, and whether the desk answers at all."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

from equipoise.study.desk.answers import nothing_here
from equipoise.study.desk.gate import Ask, Route
from equipoise.study.desk.render import MEDIA, mark, static


def health(ask: Ask) -> Response:
    """Whether the desk and its database answer; says nothing else."""
    with ask.store.reading() as connection:
        ask.store.one(connection, "facts", name="schema")
    return PlainTextResponse("ok\n")


def file(ask: Ask) -> Response:
    """A file that pages load; kept by the browser under the hash that the page names."""
    name = ask.names["name"]
    data = static(name)
    if data is None:
        raise nothing_here()
    known = ask.query.get("v") == mark(name)
    headers = {"Cache-Control": "public, max-age=31536000, immutable" if known else "no-cache"}
    return Response(data, media_type=MEDIA[name], headers=headers)


ROUTES: tuple[Route, ...] = (Route("GET", "/healthz", health), Route("GET", "/static/{name}", file))
