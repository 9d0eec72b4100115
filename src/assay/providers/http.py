"""http: a search service that is asked over HTTP."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param, one_of, positive
from assay.model.records import Document, Hit, Query
from assay.providers._answers import Entry, find_entries, hits_of_entries, names_in, read_entry
from assay.providers._busy import BUSY_STATUS, Busy
from assay.providers._connections import Connections, CutShort, Reply, Request
from assay.providers._paths import follow, path
from assay.providers._provider import Provider
from assay.providers._secrets import (
    Concealed,
    blot,
    conceal_json,
    conceal_url,
    fill_variables,
    revealed,
    secrets_in,
    without,
)
from assay.providers._templates import check_json, fill_json, fill_url, values_of
from assay.text import printable, shortened

BODY = '{"query": "{query}", "k": {k}}'
REDIRECTS = (301, 302, 303, 307, 308)
SHOWN = 200
"""Characters of a faulty reply that a message shows."""


class HttpRetriever:
    """Asks a service, one query at a time; any thread may."""

    batch = 1

    def __init__(self, url: str, method: str = "post", body: str = BODY, headers: str = "", **settings: Any) -> None:
        self._address, self._url = url, revealed(url)
        self._method = method.upper()
        self._body = None if self._method == "GET" and body == BODY else revealed(body)
        self._headers = _named_headers(revealed(headers))
        self._results, self._id, self._score, self._text = (settings.get(name, "") for name in HIT_PATHS)
        self._timeout: float = settings.get("timeout", 30.0)
        self._connections = Connections()

    def index(self, documents: Iterable[Document]) -> None:
        """Nothing: the service has its own documents."""

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """Ask for each query in turn."""
        return [self._search(query, k) for query in queries]

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _search(self, query: Query, k: int) -> list[Hit]:
        try:
            return hits_of_entries(self._entries(self._content(self._ask(query, k))), k)
        except Busy:
            raise
        except ProviderError as error:
            raise ProviderError(f"{self._address}: {error}") from error.__cause__

    def _ask(self, query: Query, k: int) -> Reply:
        request = self._request(query, k)
        try:
            return self._connections.ask(request, self._timeout)
        except TimeoutError as error:
            raise ProviderError(f"no answer within {self._timeout:g} s") from error
        except CutShort as error:
            raise ProviderError(str(error)) from error
        except (ConnectionResetError, ConnectionAbortedError, BrokenPipeError) as error:
            raise ProviderError("the connection was cut before there was an answer") from error
        except HTTPException as error:
            what = str(error) or type(error).__name__
            raise ProviderError(f"not an answer in HTTP: {printable(what)[:SHOWN]}") from error
        except OSError as error:
            raise ProviderError(f"cannot be reached: {error.strerror or printable(str(error))}") from error
        except ValueError as error:  # a header from the environment that holds a line feed; its value is not shown
            raise ProviderError(
                "the request cannot be sent: a header or the address holds a character it must not"
            ) from error

    def _request(self, query: Query, k: int) -> Request:
        values = values_of(query, k)
        url = urlsplit(fill_url(self._url, values))
        headers = {"Accept": "application/json", "User-Agent": "assay", **_login(url)}
        headers |= {name: fill_variables(value, f"the header {name}") for name, value in self._headers.items()}
        body = None
        if self._body is not None:
            body = fill_json(self._body, values).encode()
            headers.setdefault("Content-Type", "application/json")
        return Request(url, self._method, body, headers)

    def _content(self, reply: Reply) -> Any:
        """What a reply says; anything but success is an error."""
        if reply.status in BUSY_STATUS:
            raise Busy(_wait(reply.headers.get("retry-after")), f"{self._address}: HTTP {reply.status}")
        if reply.status in REDIRECTS:
            raise ProviderError(f"HTTP {reply.status}: the service has moved to {reply.headers.get('location')}")
        if not 200 <= reply.status < 300:
            raise ProviderError(f"HTTP {reply.status}{self._excerpt(reply.body)}")
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            raise ProviderError(f"the answer is not JSON{self._excerpt(reply.body)}") from error

    def _excerpt(self, body: bytes) -> str:
        """How a reply begins, on one line and without the secrets that were sent."""
        sent = " ".join((self._url, self._body or "", *self._headers.values()))
        literal = {value for name, value in self._headers.items() if blot(name, value) != value}
        start = body[: 4 * SHOWN].decode("utf-8", "replace").strip()
        text = printable(without(secrets_in(sent) | literal, start))
        return f": {text[:SHOWN]}" if text else ", and empty"

    def _entries(self, content: Any) -> list[Entry]:
        """The hits in an answer, where the paths say or where they usually stand."""
        found = content
        if self._results:
            found = follow(content, self._results)
            found = find_entries(found) if isinstance(found, Mapping) and "ids" in found else found
        elif isinstance(content, Mapping):
            found = find_entries(content)
            if found is None:
                raise ProviderError(f"no list of hits was found; set results= (the answer has {names_in(content)})")
        if not isinstance(found, list):
            raise ProviderError(
                f"expected a list of hits{f' at {self._results}' * bool(self._results)}, found {shortened(found)}"
            )
        return [self._entry(entry, place) for place, entry in enumerate(found, 1)]

    def _entry(self, entry: Any, place: int) -> Entry:
        """One hit; a score that is a distance is negated."""
        found = read_entry(entry, place, needs_id=not self._id)
        try:
            if self._id:
                found = found._replace(doc=follow(entry, self._id))
            if self._score:
                score = follow(entry, self._score)
                is_distance = "distance" in self._score.lower() and isinstance(score, int | float)
                found = found._replace(score=-score if is_distance else score)
        except ProviderError as error:
            raise ProviderError(f"hit {place}: {error}") from None
        return found._replace(text=_optional(entry, self._text)) if self._text else found


HIT_PATHS = ("results", "id", "score", "text")


def _optional(entry: Any, where: str) -> str | None:
    try:
        text = follow(entry, where)
    except ProviderError:
        return None
    return text if isinstance(text, str) else None


def _login(url: SplitResult) -> dict[str, str]:
    """User and password of an address as the header that carries them."""
    if url.username is None:
        return {}
    pair = f"{unquote(url.username)}:{unquote(url.password or '')}"
    return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def _wait(retry_after: str | None) -> float | None:
    """Seconds, given as such or as a date; None for neither."""
    try:
        seconds = float(retry_after or "nan")
    except ValueError:
        try:
            moment = parsedate_to_datetime(retry_after or "")
        except ValueError:
            return None
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _named_headers(text: str) -> dict[str, str]:
    """A JSON object, or `Name: value; Name2: value2`."""
    if text.startswith("{"):
        named = {str(name): str(value) for name, value in json.loads(text).items()}
    else:
        lines = re.split(r";\s*(?=[\w-]+\s*:)", text)
        named = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines if line.strip())}
    for name, value in named.items():
        if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name) or not value or re.search(r"[\r\n]", value):
            raise ValueError
    return named


def parse_headers(text: str) -> str:
    """Headers, shown without the keys in them."""
    try:
        named = _named_headers(text)
    except (ValueError, AttributeError):
        raise ValueError("a JSON object or Name: value; Name2: value2") from None
    return Concealed.of(_written({name: blot(name, value) for name, value in named.items()}), _written(named))


def _written(named: Mapping[str, str]) -> str:
    """Headers as lines where they read back from them, else as JSON."""
    lines = "; ".join(f"{name}: {value}" for name, value in named.items())
    return lines if _named_headers(lines) == named else json.dumps(named)


def parse_url(text: str) -> str:
    """An address with places for the query, shown without the keys in it."""
    try:
        parts = urlsplit(text)
        fits = text.startswith("${") or (parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        fits = False
    if not fits or re.search(r"\s", text) or "{" in (parts.netloc if not text.startswith("${") else ""):
        raise ValueError("an address such as http://127.0.0.1:8000/search")
    return conceal_url(text)


def parse_body(text: str) -> str:
    """JSON with places for the query, shown without the keys in it."""
    check_json(text)
    return conceal_json(text)


PROVIDER = Provider(
    "http",
    "a search service that is asked over HTTP and answers in JSON",
    HttpRetriever,
    params=(
        Param("url", parse_url, REQUIRED, "its address; {query}, {k}, {query_id} and {scope} stand for what is asked"),
        Param("method", one_of("post", "get", "put"), "post", "how it is asked"),
        Param("body", parse_body, BODY, "JSON to send, with the same places; by default none is sent with get"),
        Param("results", path, "", "where the list of hits stands, such as hits.hits; found by its usual names where empty"),
        Param("id", path, "", "where in a hit its id stands"),
        Param("score", path, "", "where in a hit its score stands; a distance is negated"),
        Param("text", path, "", "where in a hit its text stands"),
        Param(
            "headers", parse_headers, "", "a JSON object or Name: value; ${NAME} is read from the environment, never shown"
        ),
        Param("timeout", positive, 30.0, "seconds until a query has failed"),
    ),
    batch=1,
    indexes=False,
    is_repeatable=False,
)
