"""The OpenAPI document: sound, complete, and kept; schemathesis asks the real server whatever it allows and forbids."""

import json
import threading
import time
import warnings
from collections import Counter

import jsonschema_rs
import pytest
import uvicorn
from hypothesis import HealthCheck, given, settings
from starlette.testclient import TestClient

from assay.store import Store
from assay.store.judgments import Judgment
from assay.web import api
from assay.web.app import make_app
from assay.web.openapi import document_of

from ._stores import usual_store

OPERATIONS = [(one.method, one.url) for one in api.ENDPOINTS]
EXAMPLES = 8
"""Requests for each address that keep to the document, and as many that do not."""
TOO_LONG = ("413", "414")
"""A text may be as long as it is allowed to be, and still too long for an address with percent signs in it."""


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with Store.open(usual_store(tmp_path_factory.mktemp("openapi") / "store.db", 2)) as store:
        store.judgments.give(Judgment("things", "q000", "d0", "Ana", 1))
        yield make_app(store)


@pytest.fixture(scope="module")
def schema(app):
    """The document as a stranger reads it from a running server."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tool's own dependencies
        import schemathesis

        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", ws="none"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        found = schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/api/v1/openapi.json")
        for check in (found.config.checks.positive_data_acceptance, found.config.checks.negative_data_rejection):
            check.expected_statuses = [*check.expected_statuses, *TOO_LONG, "422"]
        yield found
        server.should_exit = True
        thread.join()


def test_every_endpoint_is_in_it_once():
    document = document_of(api.ENDPOINTS)
    found = [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]
    assert sorted(found) == sorted(OPERATIONS)
    names = [one["operationId"] for methods in document["paths"].values() for one in methods.values()]
    assert len(set(names)) == len(names)
    assert document["openapi"] == "3.1.0"


def test_every_route_of_the_api_is_in_it(app):
    routes = {(method, route.path) for route in app.routes if route.path.startswith(api.PREFIX) for method in route.methods}
    assert routes - {(method, path) for method, path in routes if method == "HEAD"} == set(OPERATIONS)


def test_references_lead_somewhere():
    document = document_of(api.ENDPOINTS)

    def references(value):
        if isinstance(value, dict):
            for name, one in value.items():
                yield from [one] if name == "$ref" else references(one)
        elif isinstance(value, list):
            for one in value:
                yield from references(one)

    for reference in set(references(document)):
        place = document
        for word in reference.removeprefix("#/").split("/"):
            place = place[word]


def test_what_is_in_the_path_is_a_parameter():
    for endpoint in api.ENDPOINTS:
        assert endpoint.in_path <= {param.name for param in endpoint.params}
        assert all(param.is_required for param in endpoint.params if param.name in endpoint.in_path)


def test_schemas_are_sound():
    for endpoint in api.ENDPOINTS:
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **endpoint.schema})
        for param in endpoint.params:
            jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **param.schema})


def test_the_document_is_what_is_served(app):
    client = TestClient(app, base_url="http://127.0.0.1:8765")
    assert client.get("/api/v1/openapi.json").json() == json.loads(api.to_json(document_of(api.ENDPOINTS)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_whatever_is_asked_is_answered_as_documented(schema, method, path):
    """No 5xx, no status and no content that the document does not name; whether its rules are kept or broken."""
    import schemathesis
    from schemathesis import checks

    held = [
        checks.not_a_server_error,
        *(
            checks.CHECKS.get_one(name)
            for name in (
                "status_code_conformance",
                "content_type_conformance",
                "response_schema_conformance",
                "positive_data_acceptance",
                "negative_data_rejection",
            )
        ),
    ]
    operation, seen = schema[path][method], Counter()

    def ask(mode):
        @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def answered(case):
            answer = case.call()
            seen[mode, answer.status_code] += 1
            case.validate_response(answer, checks=held)

        answered()

    ask(schemathesis.GenerationMode.POSITIVE)
    if operation.query or operation.path_parameters or operation.body:
        ask(schemathesis.GenerationMode.NEGATIVE)
    assert sum(seen.values()) >= 1
