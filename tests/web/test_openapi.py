"""The OpenAPI document: sound, complete, and kept; schemathesis asks the real server whatever it allows and forbids."""

import re
import socket
import subprocess
import sys
import threading

import jsonschema_rs
import pytest
from starlette.testclient import TestClient

from assay.serialize import to_json
from assay.store import Judgment, Store
from assay.web import make_app, make_server
from assay.web.api.endpoint import PREFIX, openapi_document
from assay.web.api.routes import ENDPOINTS

from ._stores import usual_store

OPERATIONS = [(one.method, one.url) for one in ENDPOINTS]
N_ASKED = len(OPERATIONS) - 1
"""The tool has asked for the document already, and leaves it out."""
EXAMPLES = 20
"""Random requests for each address."""
TOKEN = "a-token-that-is-long-enough"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with Store.open(usual_store(tmp_path_factory.mktemp("openapi") / "store.db", 2)) as store:
        store.judgments.give(Judgment("things", "q000", "d0", "Ana", 1))
        yield make_app(store)


@pytest.fixture
def address(app):
    """Where the document is, as a stranger reads it from a running server."""
    server = make_server(app)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/api/v1/openapi.json"
        server.should_exit = True
        thread.join()


def test_every_endpoint_is_in_it_once():
    document = openapi_document(ENDPOINTS)
    found = [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]
    assert sorted(found) == sorted(OPERATIONS)
    names = [one["operationId"] for methods in document["paths"].values() for one in methods.values()]
    assert len(set(names)) == len(names)
    assert document["openapi"] == "3.1.0"


def test_every_route_of_the_api_is_in_it(app):
    routes = {(method, route.path) for route in app.routes if route.path.startswith(PREFIX) for method in route.methods}
    assert routes - {(method, path) for method, path in routes if method == "HEAD"} == set(OPERATIONS)


def test_references_lead_somewhere():
    document = openapi_document(ENDPOINTS)

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
    for endpoint in ENDPOINTS:
        assert endpoint.in_path <= {param.name for param in endpoint.params}
        assert all(param.is_required for param in endpoint.params if param.name in endpoint.in_path)


def test_schemas_are_sound():
    for endpoint in ENDPOINTS:
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **endpoint.schema})
        for param in endpoint.params:
            jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **param.schema})


def test_the_document_is_what_is_served(app):
    client = TestClient(app, base_url="http://127.0.0.1:8765")
    assert client.get("/api/v1/openapi.json").json() == to_json(openapi_document(ENDPOINTS))


def schemathesis_says(address, folder, *words):
    """What the tool finds with all of its default checks, and the numbers of the operations that it asked."""
    command = [sys.executable, "-m", "schemathesis.cli", "run", address, "--seed", "1", "--no-color", *words]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    tested = re.search(r"Tested: (\d+)", found.stdout)
    assert tested, found.stdout + found.stderr
    return found, int(tested[1])


def test_whatever_the_document_allows_and_forbids_is_answered_so(address, tmp_path):
    """Each boundary of each parameter, missing and unknown ones, and every method that the document does not name."""
    found, n_tested = schemathesis_says(address, tmp_path, "--phases", "examples,coverage")
    assert found.returncode == 0, found.stdout[-5000:]
    assert n_tested == N_ASKED


@pytest.mark.slow
def test_at_random_and_one_request_after_the_other(address, tmp_path):
    found, n_tested = schemathesis_says(address, tmp_path, "--phases", "fuzzing,stateful", "--max-examples", str(EXAMPLES))
    assert found.returncode == 0, found.stdout[-5000:]
    assert n_tested == N_ASKED


def test_with_a_token_the_document_says_so(tmp_path):
    with Store.open(usual_store(tmp_path / "store.db", 2)) as store:
        running = make_app(store, token=TOKEN)
        client = TestClient(running, base_url="http://127.0.0.1:8765", headers={"authorization": f"Bearer {TOKEN}"})
        document = client.get("/api/v1/openapi.json").json()
    assert document["security"] == [{"token": []}]
    assert document["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}
