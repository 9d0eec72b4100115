"""Search engines: what a request to an engine looks like and where its hits are, as one record for each engine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit

from assay.grammar import REQUIRED, Param, cutoff, positive
from assay.model import Query
from assay.providers.http_client import named_headers, parse_headers
from assay.providers.http_retriever import ALONE, HttpRetriever, Service, Values, filled_address
from assay.providers.paging import Paging
from assay.providers.provider import Provider
from assay.providers.response_shape import ResponseShape
from assay.providers.secrets import address, check_variable_syntax, conceal, fill_variables, json_text, revealed
from assay.providers.templates import values_of

OFFSET, PAGE = frozenset({"offset"}), frozenset({"page"})
"""How an engine counts: hits to skip, or pages."""


@dataclass(frozen=True)
class Target:
    """What is searched in an engine, from the parameters of a provider."""

    place: str
    """The index, collection or schema."""
    fields: tuple[str, ...]
    """The fields to search; some engines accept a weight, as in `title^2`."""
    text: str
    """The field with the text of a document."""
    id: str
    """The field with the id; empty: the id that the engine itself gives."""
    scope: str
    """The field with the group of a document; empty: scopes are ignored."""
    more: Mapping[str, Any]
    """Further members of the request."""
    mode: str = ""

    @property
    def shown_fields(self) -> list[str]:
        """The fields that a hit must have."""
        return list(dict.fromkeys(filter(None, (self.id, self.text))))

    def group(self, values: Values) -> Any:
        """The group to search; None if the whole index is searched."""
        return values["scope"] if self.scope else None


@dataclass(frozen=True)
class Engine:
    """One search engine."""

    name: str
    title: str
    place: str
    """Its word for what is searched: index, collection or schema."""
    path: str
    """The path of a search; {place} is replaced."""
    body: Callable[[Target, Values], Mapping[str, Any]]
    shape: Callable[[Target], ResponseShape]
    url: str
    """An example of its address."""
    pages: frozenset[str] = OFFSET
    max_size: int | None = None
    """The largest number of hits in one response."""
    deepest: int | None = None
    """The largest number of hits for a query on all pages."""
    field: str = "text"
    """The default of the field to search; empty: all fields."""
    has_one_field: bool = False
    """Whether only one field can be searched."""
    text: str = ""
    """The default of the field with the text; empty: the first field to search."""
    params: tuple[Param, ...] = ()


def engine_provider(engine: Engine) -> Provider:
    """The provider for an engine. It sends the same kind of requests as `http`."""
    return Provider(
        engine.name,
        f"{engine.title}, queried over HTTP",
        partial(make_retriever, engine),
        params=(
            Param("url", parse_base, REQUIRED, f"address of the server, such as {engine.url}", is_private=True),
            Param(engine.place, parse_place, REQUIRED, f"name of the {engine.place}"),
            *_field_params(engine),
            *engine.params,
            *_request_params(engine),
        ),
        batch=1,
        indexes=False,
        is_repeatable=False,
        check=check_variables,
        heeds_scope=receives_scopes,
    )


def _field_params(engine: Engine) -> tuple[Param, ...]:
    """What the fields of a document are called."""
    searched = Param("field", parse_name, engine.field, "field to search")
    if not engine.has_one_field:
        default = "" if engine.field else " (default: all fields)"
        searched = Param("field", parse_fields, engine.field, f"field to search; several are separated by commas{default}")
    text = "field with the text of a document" + ("" if engine.text else " (default: the first field to search)")
    scope = "field with the group of a document; if set, a query with a scope searches only the group of that name"
    return (
        searched,
        Param("id", parse_name, "", "field with the id of a document (default: the id that the engine gives)"),
        Param("text", parse_name, engine.text, text),
        Param("scope", parse_name, "", scope),
    )


def _request_params(engine: Engine) -> tuple[Param, ...]:
    """How requests are sent."""
    size = "k" if engine.max_size is None else f"k, at most {engine.max_size:,}"
    more = "JSON object with further members of the request, which replace members of the same name"
    headers = "JSON object, or Name: value. ${NAME} is read from the environment and never shown"
    return (
        Param("more", parse_object, "", more, is_private=True),
        Param("size", cutoff, None, f"hits per request (default: {size})"),
        Param("headers", parse_headers, "", headers, is_private=True),
        Param("timeout", positive, None, "seconds to wait for each response (default: the timeout of the evaluation)"),
    )


def make_retriever(engine: Engine, url: str, headers: str, size: int | None, **settings: Any) -> HttpRetriever:
    """A retriever for an index of the engine."""
    target = target_of(engine, **settings)
    path = engine.path.format(place=quote(target.place, safe=",*"))
    service = Service(
        revealed(url).rstrip("/") + path,
        "POST",
        lambda values: json.dumps(engine.body(target, values)),
        named_headers(revealed(parse_headers(revealed(headers)))),
        engine.shape(target),
        Paging(engine.pages, size or engine.max_size, deepest=engine.deepest, ends_short=True),
        settings["timeout"] or ALONE,
        {401: "check headers=", 403: "check headers=", 404: f"check url= and {engine.place}="},
    )
    return HttpRetriever(service)


def target_of(engine: Engine, **settings: Any) -> Target:
    """What the parameters of a provider name."""
    fields = tuple(filter(None, settings["field"].split(",")))
    text = settings["text"] or (fields[0].partition("^")[0] if fields else "")
    more = json.loads(revealed(settings["more"])) if settings["more"] else {}
    return Target(settings[engine.place], fields, text, settings["id"], settings["scope"], more, settings.get("mode", ""))


def parse_base(text: str) -> str:
    """The address of a server, without the path of a search, shown without its secrets."""
    try:
        parts = urlsplit(text)
        fits = text.startswith("${") or (parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        fits = False
    if not fits or re.search(r"[\s?#]", text):
        raise ValueError("the address of a server, such as http://127.0.0.1:9200")
    check_variable_syntax(text)
    return conceal(address, text)


def parse_place(text: str) -> str:
    """The name of an index, a collection or a schema."""
    if not re.fullmatch(r"[^\s/]+", text):
        raise ValueError("a name without spaces, such as docs")
    return text


def parse_fields(text: str) -> str:
    """Names of fields, separated by commas; a name may have a weight."""
    names = [name.strip() for name in text.split(",")]
    if not all(re.fullmatch(r"[\w.*-]+(\^[\d.]+)?", name) for name in names):
        raise ValueError("names of fields, separated by commas, such as title,text")
    return ",".join(names)


def parse_name(text: str) -> str:
    """The name of a field."""
    if not re.fullmatch(r"[\w.-]+", text):
        raise ValueError("the name of a field, such as text")
    return text


def parse_object(text: str) -> str:
    """A JSON object, shown without its secrets."""
    try:
        fits = isinstance(json.loads(text), dict)
    except ValueError:
        fits = False
    if not fits:
        raise ValueError('a JSON object such as {"ranking": "bm25"}')
    return conceal(json_text, text)


def check_variables(url: str, headers: str, **_: Any) -> None:
    """Raise unless every variable is set in the environment and the address is valid."""
    fill_variables(revealed(headers), "headers")
    filled_address(revealed(url), values_of(Query("q"), 1))


def receives_scopes(scope: str, **_: Any) -> bool:
    """Whether the field is set by which a search is limited to the scope of a query."""
    return bool(scope)
