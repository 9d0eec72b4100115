"""Run under audit: every page and every endpoint, with each parameter in turn set to texts that mean harm."""

import json
import sys
from urllib.parse import quote

from starlette.testclient import TestClient

from assay.web import make_app

PARAMETERS = (
    *("metric", "metrics", "sort", "by", "test", "correction", "a", "b", "old", "new", "baseline", "benchmark"),
    *("provider", "chart", "kind", "name", "id", "q", "tag", "slice", "query", "format"),
)
FOREIGN = {"origin": "http://evil.example", "cookie": "assay_token=python:evil:score"}
ENDLESS = "/progress"


def requests(client, texts):
    """Method, address, parameters and body of everything that can be asked for."""
    operations = client.get("/api/v1/openapi.json").json()["paths"]
    for text in texts:
        yield "GET", "/" + quote(text, safe=""), {}, None
        pages = {route.path for route in client.app.routes if "GET" in route.methods and not route.path.startswith("/api/")}
        for pattern in sorted(pages - {"/events", "/static/{name}", "/login", "/switch"}):
            path = filled(pattern, text)
            yield from (("GET", path, {name: text}, None) for name in PARAMETERS if path != ENDLESS)
        for path, operation in operations.items():
            for method, about in operation.items():
                if path.endswith(ENDLESS):
                    continue
                names = [one["name"] for one in about.get("parameters", ()) if one["in"] == "query"]
                body = dict.fromkeys(("benchmark", "query", "document", "judge", "grade", "note"), text)
                for asked in ({}, *({name: text} for name in names), dict.fromkeys(names, text)):
                    yield method.upper(), filled(path, text), asked, body if "requestBody" in about else None


def filled(path, text):
    """A path with the first stored result, and the text in place of any other name."""
    known = {"evaluation": FIRST, "place": "0", "reference": "latest"}
    for part in path.split("{")[1:]:
        name = part.partition("}")[0]
        path = path.replace(f"{{{name}}}", known.get(name) or quote(text, safe=""))
    return path


if __name__ == "__main__":
    app = make_app(sys.argv[1])
    client = TestClient(app, base_url="http://127.0.0.1:8765", follow_redirects=False, raise_server_exceptions=False)
    FIRST = client.get("/api/v1/results").json()["results"][0]["evaluation"]
    faults = []
    for method, path, parameters, body in requests(client, json.loads(sys.argv[2])):
        status = client.request(method, path, params=parameters, json=body, headers=FOREIGN).status_code
        if status >= 500:
            faults.append(f"{status} {method} {path} {parameters}")
    sys.exit("\n".join(faults[:20]) or 0)
