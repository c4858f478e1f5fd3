"""The OpenAPI document: complete, with examples that work, and held against the service by generated requests (schemathesis)."""

from __future__ import annotations

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.control import SkipTest
from schemathesis.generation import GenerationMode
from starlette.testclient import TestClient

from equipoise.service.access.keys import KeyFile, Role
from equipoise.service.app import create_app
from equipoise.service.cds.shapes import problems
from equipoise.service.logs import Log
from equipoise.service.settings import KEYS_FILE, Settings
from service_example import TODAY

PATHS = (
    "/audit", "/audit/batch", "/evidence", "/evidence/{identifier}", "/policies", "/cds-services", "/cds-services/{identifier}",
    "/cds-services/{identifier}/feedback", "/trail/head", "/trail/search", "/trail/{number}", "/trail/{number}/replay", "/health",
    "/ready", "/metrics",
)  # fmt: skip
EXAMPLES = 12
"""Generated requests a mode and operation; the suite has to stay quick."""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    import io

    settings_ = Settings(data=tmp_path_factory.mktemp("service"), secure_cookies=False, warm=False)
    key = KeyFile(settings_.data / KEYS_FILE).add("all", [Role.ADMIN], today=TODAY)[1]
    stream = io.StringIO()
    with TestClient(create_app(settings_, log=Log(stream)), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {key}"
        yield client, stream


@pytest.fixture(scope="module")
def loopback(serve_in, tmp_path_factory):
    """The service behind its real server, open."""
    with serve_in(tmp_path_factory.mktemp("served")) as (port, stream, _):
        yield port, stream


@pytest.fixture(scope="module")
def document(service):
    return service[0].get("/openapi.json").json()


def operations(document):
    return [(path, method, one) for path, item in document["paths"].items() for method, one in item.items()]


def test_every_address_is_described(document):
    assert set(document["paths"]) == set(PATHS)
    for path, method, one in operations(document):
        assert one["summary"], path
        assert one["tags"], path
        assert "200" in one["responses"], (path, method)
        for status, answer in one["responses"].items():
            assert answer["description"], (path, status)


def test_the_examples_work(service, document):
    client = service[0]
    for path in ("/audit", "/audit/batch"):
        for media, body in document["paths"][path]["post"]["requestBody"]["content"].items():
            shown = [one["value"] for one in body.get("examples", {}).values()] or [body["example"]]
            for value in shown:
                data = value if isinstance(value, str) else json.dumps(value)
                answer = client.post(path, content=data, headers={"Content-Type": media})
                assert answer.status_code == 200, (path, media, answer.text)
                assert '"label":"' in answer.text


def test_every_operation_that_needs_a_key_says_so(service, document):
    client = TestClient(service[0].app)
    for path, method, one in operations(document):
        address = path.replace("{identifier}", "equipoise-order-sign").replace("{number}", "1")
        answer = client.request(method, address)
        assert (answer.status_code == 401) == bool(one.get("security")), (path, method, answer.status_code)


def test_the_shapes_of_the_document_are_the_published_ones(document):
    schema = document["paths"]["/cds-services/{identifier}"]["post"]["requestBody"]["content"]["application/json"][
        "schema"
    ]
    assert schema["required"] == ["hook", "hookInstance", "context"]
    assert problems("request", {})


load_all_checks()
HELD = [
    check
    for check in CHECKS.get_all()
    if check.__name__
    in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
        "response_headers_conformance",
    )
]


def test_the_checks_that_are_held_exist():
    assert len(HELD) == 5


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["as described", "otherwise"])
@pytest.mark.parametrize("path", PATHS)
def test_generated_requests_are_answered_as_described(loopback, document, path, mode):
    port, stream = loopback
    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/openapi.json")
    schema.config.generation.update(modes=[mode])
    for method in document["paths"][path]:
        operation = schema[path][method.upper()]
        strategy = operation.as_strategy(generation_mode=mode)

        @settings(
            max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(case=strategy)
        def run(case):
            case.call_and_validate(checks=HELD)

        try:
            run()
        except SkipTest:
            plain = not operation.definition.raw.get("parameters") and "requestBody" not in operation.definition.raw
            assert plain, "nothing can be otherwise only in a request without parameters and body"
    assert '"event": "failed"' not in stream.getvalue()
