"""http: a search service that is queried over HTTP."""

from __future__ import annotations

import re
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from assay.errors import BadParameter
from assay.grammar import REQUIRED, Param, cutoff, one_of, positive
from assay.model import Query
from assay.providers.http_client import named_headers, parse_headers
from assay.providers.http_retriever import ADVICE, ALONE, HttpRetriever, Service, filled_address
from assay.providers.paging import Paging
from assay.providers.provider import Provider
from assay.providers.response_shape import ResponseShape
from assay.providers.secrets import address as address_text
from assay.providers.secrets import check_variable_syntax, conceal, fill_variables, json_text, revealed
from assay.providers.templates import PAGE_PLACES, check_json, check_places, fill_json, path, places_in, values_of

BODY = '{"query": "{query}", "k": {k}}'


class UnsetMethod(str):
    """The method if the user sets none. Its text is `post`, so that fingerprints do not depend on who chose it."""

    __slots__ = ()


def method_of(url: str, method: str, body: str) -> str:
    """The method of requests: if the user sets neither method nor body and the address has the query, it is `get`."""
    is_free = isinstance(method, UnsetMethod) and body == BODY
    return "get" if is_free and "query" in places_in(revealed(url)) else method


def advice_for(url: str, method: str) -> dict[int, str]:
    """What to check after a refusal. A service with the query in its address usually expects GET."""
    if method == "get" or "query" not in places_in(revealed(url)):
        return ADVICE
    sent = f"sent as {method.upper()}; add method=get"
    return {**ADVICE, 404: f"{ADVICE[404]}, or {sent}", 405: sent}


def make_retriever(url: str, method: str, body: str, headers: str, **settings: Any) -> HttpRetriever:
    """A retriever for the service; `get` sends no body unless one is set."""
    check_names(url, body)
    method = method_of(url, method, body)
    template = None if method == "get" and body == BODY else revealed(conceal(json_text, revealed(body)))
    paging = Paging(
        places_in(revealed(url), template or "") & frozenset(PAGE_PLACES),
        settings["size"],
        settings["cursor"],
        settings["first_cursor"] or None,
    )
    service = Service(
        revealed(url),
        method.upper(),
        None if template is None else partial(fill_json, template),
        named_headers(revealed(parse_headers(revealed(headers)))),
        ResponseShape(**{name: settings[name] for name in ("results", "id", "score", "text")}),
        paging,
        settings["timeout"] or ALONE,
        advice_for(url, method),
    )
    return HttpRetriever(service)


def parse_url(text: str) -> str:
    """An address with placeholders for the query, shown without its secrets."""
    try:
        parts = urlsplit(text)
        fits = text.startswith("${") or (parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        fits = False
    if not fits or re.search(r"\s", text) or "{" in (parts.netloc if not text.startswith("${") else ""):
        raise ValueError("an address such as http://127.0.0.1:8000/search")
    check_variable_syntax(text)
    return conceal(address_text, text)


def parse_body(text: str) -> str:
    """JSON with placeholders for the query, shown without its secrets."""
    check_json(text)
    return conceal(json_text, text)


def check_names(url: str, body: str) -> None:
    """Raise if a name in braces is not a placeholder."""
    check_places("http: url", revealed(url), is_json=False)
    check_places("http: body", revealed(body), is_json=True)


def check_request(url: str, body: str, headers: str, **settings: Any) -> None:
    """Raise unless every variable is set, the address is valid, and the request has what its parameters are about."""
    for where, text in (("body", body), ("headers", headers)):
        fill_variables(revealed(text), where)
    filled_address(revealed(url), values_of(Query("q"), 1))
    check_names(url, body)
    places = places_in(revealed(url), revealed(body))
    for name, place in (("size", "size"), ("cursor", "cursor"), ("first_cursor", "cursor")):
        if settings[name] and place not in places:
            raise BadParameter(
                f"http: {name}= has no effect without the placeholder {{{place}}} in url or body. Add it there"
            )
    if "cursor" in places and not settings["cursor"]:
        raise BadParameter("http: {cursor} needs cursor=, the path of the next cursor in a response")


def receives_scopes(url: str, body: str, **_: Any) -> bool:
    """Whether the request has a placeholder for the scope."""
    return "scope" in places_in(revealed(url), revealed(body))


PROVIDER = Provider(
    "http",
    "a search service that is queried over HTTP and returns JSON",
    make_retriever,
    params=(
        Param(
            "url",
            parse_url,
            REQUIRED,
            "address of the service; {query}, {k}, {query_id} and {scope} are replaced for each query, "
            "{page}, {page0}, {offset}, {cursor} and {size} for each page",
            is_private=True,
        ),
        Param(
            "method",
            one_of("post", "get", "put"),
            UnsetMethod("post"),
            "HTTP method: post, get or put (default: get if url has {query} and body is not set)",
        ),
        Param(
            "body", parse_body, BODY, "JSON to send, with the same placeholders (default for get: no body)", is_private=True
        ),
        Param(
            "results", path, "", "path of the list of hits, such as hits.hits (default: results, hits or another usual name)"
        ),
        Param("id", path, "", "path of the id in a hit"),
        Param("score", path, "", "path of the score in a hit; if the path contains the word distance, the score is negated"),
        Param("text", path, "", "path of the text in a hit"),
        Param(
            "headers",
            parse_headers,
            "",
            "JSON object, or Name: value. ${NAME} is read from the environment and never shown",
            is_private=True,
        ),
        Param("size", cutoff, None, "hits per page, for the placeholder {size} (default: k)", is_later=True),
        Param(
            "cursor",
            path,
            "",
            "path of the cursor of the next page in a response, for the placeholder {cursor}",
            is_later=True,
        ),
        Param("first_cursor", str, "", "value of {cursor} for the first page (default: it is left out)", is_later=True),
        Param(
            "timeout",
            positive,
            None,
            "seconds to wait for each response before a query fails (default: the timeout of the evaluation)",
        ),
    ),
    batch=1,
    indexes=False,
    is_repeatable=False,
    check=check_request,
    heeds_scope=receives_scopes,
)
