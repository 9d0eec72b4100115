"""http: a search service that is asked over HTTP."""

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
"""Seconds until a query has failed, where nobody says how many."""
UNSENDABLE = "the request cannot be sent: a header or the address holds a character it must not"
MAX_CHARS_SHOWN = 200
"""Characters of a faulty reply that a message shows."""


class HttpRetriever:
    """Asks a service, one query at a time; any thread may."""

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
        """Ask for each query in turn."""
        return [self._search(query, k) for query in queries]

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _search(self, query: Query, k: int) -> list[Hit]:
        """The hits; where they cannot be read, the reply is masked before anything of it is shown."""
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
        """Fail once more, now over a reply in which secrets are masked before anything is cut to length."""
        text = mask(reply.body.decode("utf-8", "replace"))
        headers = {name: mask(value) for name, value in reply.headers.items()}
        try:
            self._read(Reply(reply.status, headers, text.encode("utf-8", "replace")), k)
        except ProviderError as error:
            raise self._located(error) from None
        raise ProviderError(f"{self._address}: the answer cannot be read")

    def _located(self, error: ProviderError) -> ProviderError:
        """The error with the address that it came from, as final as it was."""
        kind = PermanentFailure if isinstance(error, PermanentFailure) else ProviderError
        return kind(f"{self._address}: {error}")

    def _ask(self, request: Request) -> Reply:
        try:
            return self._connections.ask(request, self._timeout)
        except TimeoutError as error:
            raise ProviderError(f"no answer within {self._timeout:g} s") from error
        except IncompleteReply as error:
            raise ProviderError(str(error)) from error
        except (ConnectionResetError, ConnectionAbortedError, BrokenPipeError) as error:
            raise ProviderError("the connection was cut before there was an answer") from error
        except InvalidURL:  # which shows the address, secrets and all
            raise PermanentFailure(UNSENDABLE) from None
        except HTTPException as error:
            what = mask(str(error) or type(error).__name__)
            raise ProviderError(f"not an answer in HTTP: {printable(what)[:MAX_CHARS_SHOWN]}") from None
        except OSError as error:
            raise ProviderError(f"cannot be reached: {error.strerror or printable(str(error))}") from error
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
        """What a reply says; anything but success is an error."""
        if reply.status in BUSY_STATUS:
            raise RetryLater(_wait(reply.headers.get("retry-after")), f"HTTP {reply.status}", source=self._address)
        refusal = PermanentFailure if reply.status in PERMANENT_STATUS else ProviderError
        if reply.status in REDIRECTS:
            where = printable(reply.headers.get("location", "an address it does not name"))[:MAX_CHARS_SHOWN]
            raise refusal(f"HTTP {reply.status}: the service has moved to {where}; set url= to that")
        if not 200 <= reply.status < 300:
            raise refusal(f"HTTP {reply.status}{_excerpt(reply.body)}")
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            raise ProviderError(f"the answer is not JSON{_excerpt(reply.body)}") from error

    def _entries(self, content: Any) -> list[Entry]:
        """The hits in an answer, where the paths say or where they usually stand."""
        entries = content
        if self._results:
            entries = follow(content, self._results)
            entries = find_entries(entries) if isinstance(entries, Mapping) and "ids" in entries else entries
        elif isinstance(content, Mapping):
            entries = find_entries(content)
            if entries is None:
                raise ProviderError(f"no list of hits was found; set results= (the answer has {names_in(content)})")
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
    """How a reply begins, on one line."""
    text = printable(body[: 4 * MAX_CHARS_SHOWN].decode("utf-8", "replace").strip())
    return f": {text[:MAX_CHARS_SHOWN]}" if text else ", and empty"


def _filled_address(template: str, values: Mapping[str, Any]) -> SplitResult:
    """Where a request goes; what is wrong with it is told without showing it, for a variable may be in it."""
    try:
        url = urlsplit(fill_url(template, values))
        fits = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise PermanentFailure("the address, with its variables filled in, is none such as http://127.0.0.1:8000/search")
    return url


def _optional(entry: Any, where: str) -> str | None:
    try:
        text = follow(entry, where)
    except ProviderError:
        return None
    return text if isinstance(text, str) else None


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


def parse_url(text: str) -> str:
    """An address with places for the query, shown without the keys in it."""
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
    """JSON with places for the query, shown without the keys in it."""
    check_json(text)
    return conceal(json_text, text)


def check_variables(url: str, body: str, headers: str, **_: Any) -> None:
    """Raise unless every variable that is named is in the environment, and the address is one."""
    for where, text in (("body", body), ("headers", headers)):
        fill_variables(revealed(text), where)
    _filled_address(revealed(url), values_of(Query("q"), 1))


def receives_scopes(url: str, body: str, **_: Any) -> bool:
    """Whether what is sent has a place for the scope."""
    return "{scope}" in VARIABLE.sub("", revealed(url) + revealed(body))


PROVIDER = Provider(
    "http",
    "a search service that is asked over HTTP and answers in JSON",
    HttpRetriever,
    params=(
        Param(
            "url",
            parse_url,
            REQUIRED,
            "its address; {query}, {k}, {query_id} and {scope} stand for what is asked",
            is_private=True,
        ),
        Param("method", one_of("post", "get", "put"), "post", "how it is asked"),
        Param(
            "body", parse_body, BODY, "JSON to send, with the same places; by default none is sent with get", is_private=True
        ),
        Param("results", path, "", "where the list of hits stands, such as hits.hits; found by its usual names where empty"),
        Param("id", path, "", "where in a hit its id stands"),
        Param("score", path, "", "where in a hit its score stands; a distance is negated"),
        Param("text", path, "", "where in a hit its text stands"),
        Param(
            "headers",
            parse_headers,
            "",
            "a JSON object or Name: value; ${NAME} is read from the environment, never shown",
            is_private=True,
        ),
        Param("timeout", positive, None, "seconds until a query has failed; by default what the evaluation allows"),
    ),
    batch=1,
    indexes=False,
    is_repeatable=False,
    check=check_variables,
    heeds_scope=receives_scopes,
)
