"""Endpoint: the record of one address of the JSON API. Routes, checks and the OpenAPI document are all derived from it."""

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
"""Letters of a parameter."""
WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
YES, NO = "true", "false"

Schema = Mapping[str, Any]
ParameterValues = Mapping[str, Any]
"""Name → value of each parameter, checked; `body` is what was sent."""


@dataclass(frozen=True)
class Parameter:
    """A parameter in the address: a text, a whole number, or yes or no."""

    name: str
    says: str
    kind: type = str
    default: Any = None
    least: int = 0
    """The smallest number; of several, how few."""
    most: int = MAX_PARAMETER_LETTERS
    """The largest number; of a text, how many letters; of several, how many."""
    pattern: str = ""
    is_required: bool = False
    is_several: bool = False
    """Whether it is given once for each value."""
    example: Any = None
    """What any store has, for those who try the address out."""

    @property
    def schema(self) -> Schema:
        """As JSON Schema."""
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
        """Letters of a text; of several, of each."""
        return MAX_PARAMETER_LETTERS if self.is_several else min(self.most, MAX_PARAMETER_LETTERS)

    def read(self, values: Sequence[str]) -> Any:
        """What was given, as a value; or what is wrong with it."""
        if self.is_several:
            if not self.least <= len(values) <= self.most:
                raise BadParameter(f"{self.name} is given {self.least} to {self.most} times, not {len(values)}")
            return tuple(map(self._text, values))
        if len(values) > 1:
            raise BadParameter(f"{self.name} is given once, not {len(values)} times")
        if not values:
            if self.is_required:
                raise BadParameter(f"{self.name} is missing: {self.says}")
            return self.default
        return self._value(values[0])

    def _value(self, text: str) -> Any:
        if self.kind is bool:
            if text not in (YES, NO):
                raise BadParameter(f"{self.name} is {YES} or {NO}, not {shortened(text)}")
            return text == YES
        if self.kind is int:
            if not WHOLE_NUMBER.fullmatch(text) or not self.least <= int(text) <= self.most:
                raise BadParameter(
                    f"{self.name} is a whole number from {self.least:,} to {self.most:,}, not {shortened(text)}"
                )
            return int(text)
        return self._text(text)

    def _text(self, text: str) -> str:
        if not 1 <= len(text) <= self._longest or (self.pattern and not re.fullmatch(self.pattern, text)):
            shape = f": {self.says}" if self.pattern else ""
            raise BadParameter(f"{self.name} is a text of 1 to {self._longest:,} letters{shape}; found {shortened(text)}")
        return text


@dataclass(frozen=True)
class Endpoint:
    """One address: what it says, what it takes, what it gives, and the function behind it."""

    path: str
    """Below the prefix; parts in braces are parameters too."""
    says: str
    answer: Callable[[AppState, ParameterValues], Any]
    schema: Schema
    params: tuple[Parameter, ...] = ()
    method: str = "GET"
    body: type | None = None
    """The msgspec structure that is sent."""
    kind: str = JSON
    status: int = 200
    errors: tuple[int, ...] = (400, 404, 409)
    is_kept: bool = True
    """Whether the answer depends on the store alone, so that it may be given again."""
    is_heavy: bool = False
    """Whether it may take long to work out, so that it waits for its turn and nothing else waits for it."""

    @property
    def url(self) -> str:
        """The whole path."""
        return PREFIX + self.path

    @property
    def in_path(self) -> frozenset[str]:
        """Names of the parameters that are part of the path."""
        return frozenset(re.findall(r"{(\w+)}", self.path))

    def read(self, places: Mapping[str, str], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """The parameters of a request, checked; one that nobody knows is refused."""
        known = {param.name: param for param in self.params}
        if strange := [name for name, _ in pairs if name not in known or name in self.in_path]:
            there = ", ".join(name for name in known if name not in self.in_path) or "none"
            raise BadParameter(f"there is no parameter {shortened(strange[0])} here; there are: {there}")
        values = {name: [value for key, value in pairs if key == name] for name in known}
        return {name: param.read([places[name]] if name in places else values[name]) for name, param in known.items()}


# The OpenAPI document, derived from the records of the endpoints.

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
COMMON_STATUSES = (401, 414, 421, 429, 503)
"""What any request may be answered with."""


def openapi_document(endpoints: Iterable[Endpoint], *, needs_token: bool = False) -> dict[str, Any]:
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
    statuses: Sequence[int] = sorted({*endpoint.errors, *COMMON_STATUSES})
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
