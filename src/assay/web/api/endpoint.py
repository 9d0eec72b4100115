"""Endpoint: the record of one endpoint of the JSON API. Routes, checks and the OpenAPI document are derived from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from assay._version import __version__
from assay.errors import BadParameter
from assay.text import shortened
from assay.web.api import schemas as shape

if TYPE_CHECKING:
    from assay.web.state import AppState


JSON, TEXT, ZSTD = "application/json", "text/plain; charset=utf-8", "application/zstd"
PREFIX = "/api/v1"
MAX_PARAMETER_LETTERS = 2000
"""Characters of a parameter."""
WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
YES, NO = "true", "false"

Schema = Mapping[str, Any]
ParameterValues = Mapping[str, Any]
"""Name → checked value of each parameter; `body` is the body of the request."""


@dataclass(frozen=True)
class Parameter:
    """A parameter in the address: a text, a whole number, or true or false."""

    name: str
    says: str
    kind: type = str
    default: Any = None
    least: int = 0
    """The smallest number; for a repeated parameter, the smallest count."""
    most: int = MAX_PARAMETER_LETTERS
    """The largest number; for a text, the largest length; for a repeated parameter, the largest count."""
    pattern: str = ""
    is_required: bool = False
    is_several: bool = False
    """Whether it is given once for each value."""
    example: Any = None
    """A value that works with any store, for trying out the endpoint."""

    @property
    def schema(self) -> Schema:
        """The parameter as JSON Schema."""
        if self.kind is bool:
            return {"type": "boolean", "default": bool(self.default)}
        if self.kind is int:
            return {"type": "integer", "minimum": self.least, "maximum": self.most, "default": self.default}
        schema: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": self._longest}
        if self.pattern:
            schema["pattern"] = f"^(?:{self.pattern})$"
        if self.is_several:
            return {"type": "array", "items": schema, "minItems": self.least, "maxItems": self.most}
        return schema

    @property
    def _longest(self) -> int:
        """The largest length of a text, or of each value of a repeated parameter."""
        return MAX_PARAMETER_LETTERS if self.is_several else min(self.most, MAX_PARAMETER_LETTERS)

    def read(self, values: Sequence[str]) -> Any:
        """The value of a parameter; the error says what is wrong with it."""
        if self.is_several:
            if not self.least <= len(values) <= self.most:
                raise BadParameter(f"{self.name} must be given {self.least} to {self.most} times, not {len(values)}")
            return tuple(map(self._text, values))
        if len(values) > 1:
            raise BadParameter(f"{self.name} must be given once, not {len(values)} times")
        if not values:
            if self.is_required:
                raise BadParameter(f"{self.name} is required: {self.says}")
            return self.default
        return self._value(values[0])

    def _value(self, text: str) -> Any:
        if self.kind is bool:
            if text not in (YES, NO):
                raise BadParameter(f"{self.name} must be {YES} or {NO}, not {shortened(text)}")
            return text == YES
        if self.kind is int:
            if not WHOLE_NUMBER.fullmatch(text) or not self.least <= int(text) <= self.most:
                raise BadParameter(
                    f"{self.name} must be a whole number from {self.least:,} to {self.most:,}, not {shortened(text)}"
                )
            return int(text)
        return self._text(text)

    def _text(self, text: str) -> str:
        if not 1 <= len(text) <= self._longest:
            raise BadParameter(f"{self.name} must have 1 to {self._longest:,} characters, not {len(text):,}")
        if self.pattern and not re.fullmatch(self.pattern, text):
            expected = re.split(r"; | \(", self.says)[0]
            raise BadParameter(f"{self.name} must be {expected}, not {shortened(text)}")
        return text


@dataclass(frozen=True)
class Endpoint:
    """One endpoint: its summary, its parameters, the schema of its response, and its function."""

    path: str
    """The path after the prefix; parts in braces are parameters too."""
    says: str
    answer: Callable[[AppState, ParameterValues], Any]
    schema: Schema
    params: tuple[Parameter, ...] = ()
    method: str = "GET"
    body: type | None = None
    """The msgspec structure of the request's body."""
    kind: str = JSON
    status: int = 200
    errors: tuple[int, ...] = (400, 404, 409)
    is_kept: bool = True
    """Whether the response depends only on the store, so that it can be cached."""
    is_heavy: bool = False
    """Whether it may take long to compute; such requests wait in a queue of their own, so that others do not wait."""

    @property
    def url(self) -> str:
        """The whole path."""
        return PREFIX + self.path

    @property
    def in_path(self) -> frozenset[str]:
        """The names of the parameters in the path."""
        return frozenset(re.findall(r"{(\w+)}", self.path))

    def read(self, places: Mapping[str, str], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """The checked parameters of a request; unknown parameters are refused."""
        known = {param.name: param for param in self.params}
        if strange := [name for name, _ in pairs if name not in known or name in self.in_path]:
            choices = ", ".join(name for name in known if name not in self.in_path)
            hint = f"choose from {choices}" if choices else "this address has no parameters"
            raise BadParameter(f"no parameter is called {shortened(strange[0])} here.   ({hint})")
        values = {name: [value for key, value in pairs if key == name] for name in known}
        return {name: param.read([places[name]] if name in places else values[name]) for name, param in known.items()}


# The OpenAPI document, derived from the records of the endpoints.

VERSION = "3.1.0"
ERRORS = {
    400: "a parameter is missing, unknown or not valid",
    401: "the token of assay serve is missing or wrong",
    403: "requests from other sites cannot change anything",
    404: "the named object does not exist",
    405: "the address does not allow this method; Allow lists the allowed methods",
    408: "the body of the request took too long",
    409: "the request is valid, but the stored data do not allow it",
    413: "the request is too large",
    414: "the address is too long",
    415: "the content type is not JSON",
    421: "the pages are served only to the server's own machine",
    429: "too many requests from the same address; Retry-After says when to try again",
    503: "the store cannot be read or written, or the server is busy; Retry-After says when to try again",
}
COMMON_STATUSES = (401, 414, 421, 429, 503)
"""Error statuses that any request may get."""


def openapi_document(endpoints: Iterable[Endpoint], *, needs_token: bool = False) -> dict[str, Any]:
    """The whole document; the structures of request bodies are among its components."""
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
            "description": "Stored results, comparisons, history and judgments: the data of the web pages.",
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
    """One path and method."""
    statuses: Sequence[int] = sorted({*endpoint.errors, *COMMON_STATUSES})
    operation: dict[str, Any] = {
        "operationId": operation_id(endpoint),
        "summary": endpoint.says,
        "parameters": [_parameter(param, is_in_path=param.name in endpoint.in_path) for param in endpoint.params],
        "responses": {
            str(endpoint.status): {"description": "success", "content": _content(endpoint)},
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in statuses},
        },
    }
    if endpoint.body is not None:
        schema = {"$ref": f"#/components/schemas/{endpoint.body.__name__}"}
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    return operation


def operation_id(endpoint: Endpoint) -> str:
    """The name of the operation, such as get_results_evaluation_place."""
    words = endpoint.path.replace("{", "").replace("}", "").replace(".", "/").strip("/").split("/")
    return "_".join([endpoint.method.lower(), *words])


def _content(endpoint: Endpoint) -> dict[str, Any]:
    return {endpoint.kind.partition(";")[0]: {} if endpoint.kind == ZSTD else {"schema": dict(endpoint.schema)}}


def _parameter(param: Parameter, *, is_in_path: bool) -> dict[str, Any]:
    description = {
        "name": param.name,
        "in": "path" if is_in_path else "query",
        "description": param.says,
        "required": param.is_required,
        "schema": dict(param.schema),
    }
    if param.example is not None:
        description["example"] = param.example
    return {**description, "style": "form", "explode": True} if param.is_several else description
