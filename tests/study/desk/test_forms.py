"""Forms under limits: what is too much, not readable or of another kind is refused whole."""

import asyncio

import pytest
from starlette.requests import Request

from equipoise.study.desk.answers import RefusedError
from equipoise.study.desk.forms import Form, read_form

URLENCODED = "application/x-www-form-urlencoded"


def read(body, media=URLENCODED, *, pieces=1, length=None, upload=False, most_bytes=1000, stall=False, most_fields=5):
    size = max(1, -(-len(body) // pieces))
    parts = [body[start : start + size] for start in range(0, len(body), size)] or [b""]
    messages = [
        {"type": "http.request", "body": part, "more_body": number + 1 < len(parts) or stall}
        for number, part in enumerate(parts)
    ]

    async def receive():
        if not messages:
            await asyncio.sleep(60)
        return messages.pop(0)

    headers = [(b"content-type", media.encode())] if media else []
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    request = Request({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive)
    return asyncio.run(read_form(request, most_bytes=most_bytes, most_fields=most_fields, seconds=0.2, upload=upload))


def test_fields_come_in_order_with_line_feeds():
    form = read(b"a=1&b=x%0D%0Ay%0Dz&a=2&c=", pieces=3)
    assert form.fields == (("a", "1"), ("b", "x\ny\nz"), ("a", "2"), ("c", ""))
    assert (form.one("a"), form.all("a"), form.one("nothing", "else")) == ("2", ["1", "2"], "else")


def test_a_request_without_a_body_is_an_empty_form():
    assert read(b"", "") == Form()


@pytest.mark.parametrize(
    ("body", "more", "status"),
    [
        (b"a=1", {"media": "application/json"}, 415),
        (b"a=1", {"media": "multipart/form-data; boundary=x"}, 415),
        (b"a=" + b"1" * 999, {}, 413),
        (b"a=1", {"length": 1001}, 413),
        (b"a=1", {"length": "many"}, 413),
        (b"&".join(b"a=%d" % number for number in range(6)), {}, 400),
        (b"a=%FF", {}, 400),
        ("a=\u00e9".encode(), {}, 400),
        (b"a", {}, 400),
        (b"a=1", {"stall": True}, 408),
        (b"nonsense", {"media": "multipart/form-data", "upload": True}, 400),
        (b"--x\r\nnonsense", {"media": "multipart/form-data; boundary=x", "upload": True}, 400),
    ],
    ids=[
        "json",
        "file",
        "long",
        "announced",
        "length",
        "fields",
        "bytes",
        "letters",
        "pair",
        "slow",
        "border",
        "parts",
    ],
)
def test_what_is_no_form_or_too_much_is_refused(body, more, status):
    with pytest.raises(RefusedError) as caught:
        read(body, **more)
    assert caught.value.status == status


def multipart(*parts):
    made = b""
    for head, data in parts:
        made += b"--x\r\nContent-Disposition: form-data; " + head + b"\r\n\r\n" + data + b"\r\n"
    return made + b"--x--\r\n"


def test_a_file_comes_with_its_name_but_never_with_folders():
    body = multipart((b'name="kind"', b"items"), (b'name="file"; filename="..\\..\\a/b.csv"', b"x\r\ny"))
    form = read(body, "multipart/form-data; boundary=x", upload=True)
    assert form.one("kind") == "items"
    assert form.files["file"].name == "b.csv"
    assert form.files["file"].data == b"x\r\ny"


def test_one_file_a_form():
    two = multipart((b'name="a"; filename="a"', b"1"), (b'name="b"; filename="b"', b"2"))
    with pytest.raises(RefusedError) as caught:
        read(two, "multipart/form-data; boundary=x", upload=True)
    assert caught.value.status == 400
