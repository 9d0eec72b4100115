"""http: a search service that is queried over HTTP."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException, InvalidURL
from typing import Any
from urllib.parse import SplitResult, urlsplit

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param, one_of, positive
from assay.masking import mask
from assay.model import Hit, Query
from assay.providers.event_loop import MORE_TIME
from assay.providers.http_client import Connections, IncompleteReply, Reply, Request, login, named_headers, parse_headers
from assay.providers.provider import Provider
from assay.providers.responses import Entry, find_entries, hits_of_entries, names_in, read_entry
from assay.providers.retriever import BUSY_STATUS, PERMANENT_STATUS, PermanentFailure, RetryLater, with_reported_fields
from assay.providers.secrets import VARIABLE, check_variable_syntax, conceal, fill_variables, json_text, revealed
from assay.providers.secrets import address as address_text
from assay.providers.templates import check_json, fill_json, fill_url, follow, path, values_of
from assay.text import printable, shortened

BODY = '{"query": "{query}", "k": {k}}'
REDIRECTS = (301, 302, 303, 307, 308)
ALONE = 60.0
"""Seconds until a query fails, if no timeout is set."""
ADVICE = {
    400: "check body=",
    401: "check headers=",
    403: "check headers=",
    404: "check url=",
    405: "check method=",
    415: "check headers=",
    422: "check body=",
}
"""Status → the parameter that is probably wrong."""
UNSENDABLE = "the request cannot be sent: url or headers contain a character that is not allowed there, such as a line break"
MAX_CHARS_SHOWN = 200
"""Characters of a faulty response that a message shows."""


class HttpRetriever:
    """Queries a service, one query at a time, from any thread."""

    batch = 1

    def __init__(self, url: str, method: str = "post", body: str = BODY, headers: str = "", **settings: Any) -> None:
        self._url, self._address = revealed(url), conceal(address_text, revealed(url))
        self._method = method.upper()
        self._body = None if self._method == "GET" and body == BODY else revealed(conceal(json_text, revealed(body)))
        self._headers = named_headers(revealed(parse_headers(revealed(headers))))
        self._results, self._id, self._score, self._text = (settings.get(name, "") for name in HIT_PATHS)
        self._timeout: float = settings.get("timeout") or ALONE
        self._connections = Connections()

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """Send one request per query, in turn."""
        return [self._search(query, k) for query in queries]

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _search(self, query: Query, k: int) -> list[Hit]:
        """The hits. If they cannot be read, secrets in the response are masked before a message quotes it."""
        try:
            reply = self._ask(self._request(query, k))
        except ProviderError as error:
            raise self._located(error) from error.__cause__
        try:
            return self._read(reply, k)
        except RetryLater:
            raise
        except ProviderError:
            return self._read_again(reply, k)

    def _read(self, reply: Reply, k: int) -> list[Hit]:
        content = self._content(reply)
        return with_reported_fields(hits_of_entries(self._entries(content), k), content)

    def _read_again(self, reply: Reply, k: int) -> list[Hit]:
        """Read the response again with its secrets masked, so that the error message cannot quote part of a secret."""
        text = mask(reply.body.decode("utf-8", "replace"))
        headers = {name: mask(value) for name, value in reply.headers.items()}
        try:
            self._read(Reply(reply.status, headers, text.encode("utf-8", "replace")), k)
        except ProviderError as error:
            raise self._located(error) from None
        raise ProviderError(f"{self._address}: the response cannot be read")

    def _located(self, error: ProviderError) -> ProviderError:
        """The error with the address that it came from; a permanent failure stays permanent."""
        kind = PermanentFailure if isinstance(error, PermanentFailure) else ProviderError
        return kind(f"{self._address}: {error}")

    def _ask(self, request: Request) -> Reply:
        try:
            return self._connections.ask(request, self._timeout)
        except TimeoutError as error:
            raise ProviderError(f"no response within {self._timeout:g} s. {MORE_TIME}") from error
        except IncompleteReply as error:
            raise ProviderError(str(error)) from error
        except (ConnectionResetError, ConnectionAbortedError, BrokenPipeError) as error:
            raise ProviderError("the service closed the connection before it responded. Check its log") from error
        except InvalidURL:  # which shows the address, secrets and all
            raise PermanentFailure(UNSENDABLE) from None
        except HTTPException as error:
            what = mask(str(error) or type(error).__name__)
            raise ProviderError(f"the response is not HTTP (check url=): {printable(what)[:MAX_CHARS_SHOWN]}") from None
        except OSError as error:
            what = error.strerror or printable(str(error))
            raise ProviderError(
                f"cannot connect: {what}. Check that the service is running and that url= is right"
            ) from error
        except ValueError:  # a header from the environment that holds a line feed; its value is not shown
            raise PermanentFailure(UNSENDABLE) from None

    def _request(self, query: Query, k: int) -> Request:
        values = values_of(query, k)
        url = _filled_address(self._url, values)
        headers = {"Accept": "application/json", "User-Agent": "assay", **login(url)}
        headers |= {name: fill_variables(value, f"the header {name}") for name, value in self._headers.items()}
        body = None
        if self._body is not None:
            body = fill_json(self._body, values).encode()
            headers.setdefault("Content-Type", "application/json")
        return Request(url, self._method, body, headers)

    def _content(self, reply: Reply) -> Any:
        """The content of a response; any status but success is an error."""
        if reply.status in BUSY_STATUS:
            raise RetryLater(_wait(reply.headers.get("retry-after")), f"HTTP {reply.status}", source=self._address)
        refusal = PermanentFailure if reply.status in PERMANENT_STATUS else ProviderError
        if reply.status in REDIRECTS:
            where = printable(reply.headers.get("location", "another address"))[:MAX_CHARS_SHOWN]
            raise refusal(f"HTTP {reply.status}: the service redirects to {where}. Set url= to that address")
        if not 200 <= reply.status < 300:
            advice = f" ({ADVICE[reply.status]})" if reply.status in ADVICE else ""
            raise refusal(f"HTTP {reply.status}{advice}{_excerpt(reply.body)}")
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            raise ProviderError(f"the response is not JSON (check url=){_excerpt(reply.body)}") from error

    def _entries(self, content: Any) -> list[Entry]:
        """The hits in a response: at the path `results` or, without one, under a usual name."""
        entries = content
        if self._results:
            entries = follow(content, self._results)
            entries = find_entries(entries) if isinstance(entries, Mapping) and "ids" in entries else entries
        elif isinstance(content, Mapping):
            entries = find_entries(content)
            if entries is None:
                raise ProviderError(
                    f"found no list of hits; the response has {names_in(content)}. Set results= to the path of the hits"
                )
        if not isinstance(entries, list):
            raise ProviderError(
                f"expected a list of hits{f' at {self._results}' * bool(self._results)}, found {shortened(entries)}"
            )
        return [self._entry(entry, place) for place, entry in enumerate(entries, 1)]

    def _entry(self, entry: Any, place: int) -> Entry:
        """One hit; a score that is a distance is negated."""
        hit = read_entry(entry, place, needs_id=not self._id)
        try:
            if self._id:
                hit = hit._replace(doc=follow(entry, self._id))
            if self._score:
                score = follow(entry, self._score)
                is_distance = "distance" in self._score.lower() and isinstance(score, int | float)
                hit = hit._replace(score=-score if is_distance else score)
        except ProviderError as error:
            raise PermanentFailure(f"hit {place}: {error}") from None
        return hit._replace(text=_optional(entry, self._text)) if self._text else hit


HIT_PATHS = ("results", "id", "score", "text")


def _excerpt(body: bytes) -> str:
    """The start of a response, on one line."""
    text = printable(body[: 4 * MAX_CHARS_SHOWN].decode("utf-8", "replace").strip())
    return f": {text[:MAX_CHARS_SHOWN]}" if text else ": the body is empty"


def _filled_address(template: str, values: Mapping[str, Any]) -> SplitResult:
    """The address of a request. An error does not show it, because a variable in it may hold a secret."""
    try:
        url = urlsplit(fill_url(template, values))
        fits = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise PermanentFailure(
            "url must be an address such as http://127.0.0.1:8000/search after its variables are filled in. "
            "Check the variables"
        )
    return url


def _optional(entry: Any, where: str) -> str | None:
    try:
        text = follow(entry, where)
    except ProviderError:
        return None
    return text if isinstance(text, str) else None


def _wait(retry_after: str | None) -> float | None:
    """Seconds to wait, from a number of seconds or a date; None if it is neither."""
    try:
        seconds = float(retry_after or "nan")
    except ValueError:
        try:
            moment = parsedate_to_datetime(retry_after or "")
        except ValueError:
            return None
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None


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


def check_variables(url: str, body: str, headers: str, **_: Any) -> None:
    """Raise unless every variable is set in the environment and the address is valid."""
    for where, text in (("body", body), ("headers", headers)):
        fill_variables(revealed(text), where)
    _filled_address(revealed(url), values_of(Query("q"), 1))


def receives_scopes(url: str, body: str, **_: Any) -> bool:
    """Whether the request has a placeholder for the scope."""
    return "{scope}" in VARIABLE.sub("", revealed(url) + revealed(body))


PROVIDER = Provider(
    "http",
    "a search service that is queried over HTTP and returns JSON",
    HttpRetriever,
    params=(
        Param(
            "url",
            parse_url,
            REQUIRED,
            "address of the service; {query}, {k}, {query_id} and {scope} are replaced for each query",
            is_private=True,
        ),
        Param("method", one_of("post", "get", "put"), "post", "HTTP method: post, get or put"),
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
        Param(
            "timeout",
            positive,
            None,
            "seconds to wait for a response before a query fails (default: the timeout of the evaluation)",
        ),
    ),
    batch=1,
    indexes=False,
    is_repeatable=False,
    check=check_variables,
    heeds_scope=receives_scopes,
)
