"""The OpenAPI document of the JSON API, derived from the records of its endpoints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from assay._version import __version__
from assay.web import _schema as shape
from assay.web._endpoint import JSON, ZSTD, Endpoint, Parameter

VERSION = "3.1.0"
ERRORS = {
    400: "a parameter is missing, unknown, or not of its shape",
    401: "the token of assay serve is missing or wrong",
    403: "another page may not change anything here",
    404: "there is nothing of that name",
    405: "the address does not take that method; Allow names those it takes",
    408: "what was sent took too long",
    409: "what was asked for has its shape, but the data do not allow it",
    413: "too much was sent",
    414: "the address is too long",
    415: "something else than JSON was sent",
    421: "the pages are served to the server's own machine alone",
    429: "too much came from the same address; Retry-After says when to ask again",
    503: "the store cannot be read or written, or too much is being worked out; Retry-After says when to ask again",
}
EVERYWHERE = (401, 414, 421, 429, 503)
"""What any request may be answered with."""


def document_of(endpoints: Iterable[Endpoint], *, needs_token: bool = False) -> dict[str, Any]:
    """The whole document; structures that are sent are among its components."""
    paths: dict[str, dict[str, Any]] = {}
    endpoints = list(endpoints)
    bodies = [endpoint.body for endpoint in endpoints if endpoint.body is not None]
    _, components = msgspec.json.schema_components(bodies, ref_template="#/components/schemas/{name}")
    for endpoint in endpoints:
        paths.setdefault(endpoint.url, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": VERSION,
        "info": {
            "title": "assay",
            "version": __version__,
            "description": "Stored results, comparisons, history and judgments, as the web pages show them.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Error": shape.ERROR, **components},
            "responses": {str(status): _error(says) for status, says in ERRORS.items()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}} if needs_token else {},
        },
        "security": [{"token": []}] if needs_token else [],
    }


def _error(says: str) -> dict[str, Any]:
    return {"description": says, "content": {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}}


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    """One address and method."""
    statuses: Sequence[int] = sorted({*endpoint.errors, *EVERYWHERE})
    operation: dict[str, Any] = {
        "operationId": operation_id(endpoint),
        "summary": endpoint.says,
        "parameters": [_parameter(param, is_in_path=param.name in endpoint.in_path) for param in endpoint.params],
        "responses": {
            str(endpoint.status): {"description": "as asked for", "content": _content(endpoint)},
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in statuses},
        },
    }
    if endpoint.body is not None:
        schema = {"$ref": f"#/components/schemas/{endpoint.body.__name__}"}
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    return operation


def operation_id(endpoint: Endpoint) -> str:
    """A word for the operation, such as get_results_evaluation_place."""
    words = endpoint.path.replace("{", "").replace("}", "").replace(".", "/").strip("/").split("/")
    return "_".join([endpoint.method.lower(), *words])


def _content(endpoint: Endpoint) -> dict[str, Any]:
    return {endpoint.kind.partition(";")[0]: {} if endpoint.kind == ZSTD else {"schema": dict(endpoint.schema)}}


def _parameter(param: Parameter, *, is_in_path: bool) -> dict[str, Any]:
    found = {
        "name": param.name,
        "in": "path" if is_in_path else "query",
        "description": param.says,
        "required": param.is_required,
        "schema": dict(param.schema),
    }
    if param.example is not None:
        found["example"] = param.example
    return {**found, "style": "form", "explode": True} if param.is_several else found
