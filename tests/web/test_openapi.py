"""The OpenAPI document: sound, complete, and kept; schemathesis asks the real server whatever it allows and forbids."""

import json
import re
import shutil
import subprocess
import sys

import jsonschema_rs
import pytest

from assay.store import Judgment, Store
from assay.web import make_app

from ._clients import TOKEN, client_of, serving

PREFIX = "/api/v1"
SCHEMA = "https://json-schema.org/draft/2020-12/schema"
EXAMPLES = 20
"""Random requests for each address."""


@pytest.fixture(scope="module")
def app(small, tmp_path_factory):
    with Store.open(shutil.copy(small, tmp_path_factory.mktemp("openapi") / "store.db")) as store:
        store.judgments.give(Judgment("things", "q000", "d0", "Ana", 1))
        yield make_app(store)


@pytest.fixture(scope="module")
def document(small):
    return client_of(small).get(f"{PREFIX}/openapi.json").json()


def operations_of(document):
    return [(method.upper(), path, one) for path, methods in document["paths"].items() for method, one in methods.items()]


def test_every_route_of_the_api_is_in_it_once(app, document):
    routes = {(method, route.path) for route in app.routes if route.path.startswith(PREFIX) for method in route.methods}
    operations = operations_of(document)
    assert sorted((method, path) for method, path, _ in operations) == sorted(one for one in routes if one[0] != "HEAD")
    assert len({one["operationId"] for _, _, one in operations}) == len(operations)
    assert document["openapi"] == "3.1.0"


def test_parameters_references_and_schemas_are_sound(document):
    for reference in set(re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document))):
        place = document
        for word in reference.split("/"):
            place = place[word]
    for _, path, one in operations_of(document):
        params = one.get("parameters", [])
        in_path = {param["name"]: param["required"] for param in params if param["in"] == "path"}
        assert in_path == dict.fromkeys(re.findall(r"{(\w+)}", path), True), path
        contents = [content for answer in one["responses"].values() for content in answer.get("content", {}).values()]
        for schema in [part["schema"] for part in (*params, *contents) if "schema" in part]:
            jsonschema_rs.meta.validate({"$schema": SCHEMA, **schema})


@pytest.mark.slow
@pytest.mark.parametrize(
    "phases", [("--phases", "examples,coverage"), ("--phases", "fuzzing,stateful", "--max-examples", str(EXAMPLES))]
)
def test_whatever_the_document_allows_and_forbids_is_answered_so(app, document, tmp_path, phases):
    """Each boundary of each parameter, missing and unknown ones, and every method that it does not name; and at random."""
    with serving(app) as url:
        command = [
            sys.executable,
            "-m",
            "schemathesis.cli",
            "run",
            f"{url}{PREFIX}/openapi.json",
            "--seed",
            "1",
            "--no-color",
        ]
        found = subprocess.run([*command, *phases], cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    tested = re.search(r"Tested: (\d+)", found.stdout)
    assert (found.returncode, bool(tested)) == (0, True), found.stdout[-5000:] + found.stderr
    assert int(tested[1]) == len(operations_of(document)) - 1, "the tool has asked for the document already"


def test_with_a_token_the_document_says_so(small):
    bearer = {"authorization": f"Bearer {TOKEN}"}
    document = client_of(small, token=TOKEN).get(f"{PREFIX}/openapi.json", headers=bearer).json()
    assert document["security"] == [{"token": []}]
    assert document["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}
