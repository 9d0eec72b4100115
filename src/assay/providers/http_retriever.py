"""HTTP retriever: sends queries to a service, page by page if needed, and reads the hits in its responses."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException, InvalidURL
from typing import Any
from urllib.parse import SplitResult, urlsplit

from assay.errors import ProviderError
from assay.masking import mask
from assay.model import Hit, Query
from assay.providers.event_loop import MORE_TIME
from assay.providers.http_client import Connections, IncompleteReply, NotConnected, Reply, Request, login
from assay.providers.paging import Page, PagedHits, Paging
from assay.providers.response_shape import ResponseShape, optional_value
from assay.providers.responses import hits_of_entries
from assay.providers.retriever import BUSY_STATUS, PERMANENT_STATUS, PermanentFailure, RetryLater, reported_fields
from assay.providers.secrets import address as address_text
from assay.providers.secrets import conceal, fill_variables
from assay.providers.templates import fill_url, values_of
from assay.text import printable

REDIRECTS = (301, 302, 303, 307, 308)
ALONE = 60.0
"""Seconds until a request fails, if no timeout is set."""
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
CHECK_SERVICE = "Check that the service is running and that url= is right"
UNSENDABLE = "the request cannot be sent: url or headers contain a character that is not allowed there, such as a line break"
MAX_CHARS_SHOWN = 200
"""Characters of a faulty response that a message shows."""

Values = Mapping[str, Any]
"""Placeholder → its value."""


@dataclass(frozen=True)
class Service:
    """What is sent to a service, and how its responses are read."""

    url: str
    """A template with its secrets."""
    method: str = "POST"
    body: Callable[[Values], str] | None = None
    """The values of the placeholders → JSON; None: no body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    shape: ResponseShape = field(default_factory=ResponseShape)
    paging: Paging = field(default_factory=Paging)
    timeout: float = ALONE
    """Seconds for each request."""
    advice: Mapping[int, str] = field(default_factory=lambda: ADVICE)


class HttpRetriever:
    """Queries a service, one query at a time, from any thread."""

    batch = 1

    def __init__(self, service: Service) -> None:
        self._service = service
        self._address = conceal(address_text, service.url)
        self._connections = Connections()

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """Send the requests of each query, in turn."""
        return [self._search(query, k) for query in queries]

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _search(self, query: Query, k: int) -> list[Hit]:
        """The hits of all pages that are needed. Each page brings a new document, so there are at most k requests."""
        hits = PagedHits(self._service.paging, k)
        while not hits.is_complete:
            hits.add(self._page({**values_of(query, k), **hits.values}))
        try:
            return hits.ranked
        except ProviderError as error:  # pages that do not fit together
            raise self._located(error) from None

    def _page(self, values: Values) -> Page:
        """One page. If it cannot be read, secrets in the response are masked before a message quotes it."""
        try:
            reply = send_request(self._connections, self._request(values), self._service.timeout)
        except ProviderError as error:
            raise self._located(error) from error.__cause__
        try:
            return self._read(reply)
        except RetryLater:
            raise
        except ProviderError:
            return self._read_again(reply)

    def _read(self, reply: Reply) -> Page:
        """The page in a response. A document that occurs twice in it is an error."""
        shape, content = self._service.shape, self._content(reply)
        entries = shape.entries(content)
        hits_of_entries(entries)
        cursor = optional_value(content, self._service.paging.cursor)
        return Page(entries, reported_fields(content), cursor, shape.total_in(content))

    def _read_again(self, reply: Reply) -> Page:
        """Read the response again with its secrets masked, so that the error message cannot quote part of a secret."""
        text = mask(reply.body.decode("utf-8", "replace"))
        headers = {name: mask(value) for name, value in reply.headers.items()}
        try:
            self._read(Reply(reply.status, headers, text.encode("utf-8", "replace")))
        except ProviderError as error:
            raise self._located(error) from None
        raise ProviderError(f"{self._address}: the response cannot be read")

    def _located(self, error: ProviderError) -> ProviderError:
        """The error with the address that it came from; a permanent failure stays permanent."""
        kind = PermanentFailure if isinstance(error, PermanentFailure) else ProviderError
        return kind(f"{self._address}: {error}")

    def _request(self, values: Values) -> Request:
        url = filled_address(self._service.url, values)
        headers = {"Accept": "application/json", "User-Agent": "assay", **login(url)}
        headers |= {name: fill_variables(value, f"the header {name}") for name, value in self._service.headers.items()}
        body = None
        if self._service.body is not None:
            body = self._service.body(values).encode()
            headers.setdefault("Content-Type", "application/json")
        return Request(url, self._service.method, body, headers)

    def _content(self, reply: Reply) -> Any:
        """The content of a response; any status but success is an error, and so is a response that reports an error."""
        if reply.status in BUSY_STATUS:
            raise RetryLater(seconds_to_wait(reply.headers.get("retry-after")), f"HTTP {reply.status}", source=self._address)
        refusal = PermanentFailure if reply.status in PERMANENT_STATUS else ProviderError
        if reply.status in REDIRECTS:
            where = printable(reply.headers.get("location", "another address"))[:MAX_CHARS_SHOWN]
            raise refusal(f"HTTP {reply.status}: the service redirects to {where}. Set url= to that address")
        if not 200 <= reply.status < 300:
            advice = f" ({self._service.advice[reply.status]})" if reply.status in self._service.advice else ""
            raise refusal(f"HTTP {reply.status}{advice}{self._excerpt(reply.body)}")
        try:
            content = json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            raise ProviderError(f"the response is not JSON (check url=){_start(reply.body)}") from error
        if reported := self._service.shape.error_in(content):
            raise ProviderError(f"the service reports an error: {printable(reported)[:MAX_CHARS_SHOWN]}")
        return content

    def _excerpt(self, body: bytes) -> str:
        """The error message in a response, or the start of the response."""
        try:
            message = self._service.shape.error_in(json.loads(body))
        except (ValueError, RecursionError):
            message = ""
        return f": {printable(message)[:MAX_CHARS_SHOWN]}" if message else _start(body)


def _start(body: bytes) -> str:
    """The start of a response, on one line."""
    text = printable(body[: 4 * MAX_CHARS_SHOWN].decode("utf-8", "replace").strip())
    return f": {text[:MAX_CHARS_SHOWN]}" if text else ": the body is empty"


class Unreachable(ProviderError):
    """No connection to the service was made, so the request was not sent."""


class Unsendable(PermanentFailure):
    """A request with an invalid address or header, which was not sent."""

    def __init__(self) -> None:
        super().__init__(UNSENDABLE)


def send_request(connections: Connections, request: Request, timeout: float) -> Reply:
    """The reply to a request. What goes wrong on the way is a ProviderError, which never shows a secret."""
    try:
        return connections.ask(request, timeout)
    except NotConnected as error:
        raise Unreachable(f"cannot connect: {_why(error.__cause__)}. {CHECK_SERVICE}") from error
    except TimeoutError as error:
        raise ProviderError(f"no response within {timeout:g} s. {MORE_TIME}") from error
    except IncompleteReply as error:
        raise ProviderError(str(error)) from error
    except (ConnectionResetError, ConnectionAbortedError, BrokenPipeError) as error:
        raise ProviderError("the service closed the connection before it responded. Check its log") from error
    except InvalidURL:  # which shows the address, secrets and all
        raise Unsendable from None
    except HTTPException as error:
        what = mask(str(error) or type(error).__name__)
        raise ProviderError(f"the response is not HTTP (check url=): {printable(what)[:MAX_CHARS_SHOWN]}") from None
    except OSError as error:
        raise ProviderError(f"the connection failed: {_why(error)}. {CHECK_SERVICE}") from error
    except ValueError:  # a header from the environment that holds a line feed; its value is not shown
        raise Unsendable from None


def _why(error: BaseException | None) -> str:
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or printable(str(error)) or type(error).__name__


def filled_address(template: str, values: Values) -> SplitResult:
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


def seconds_to_wait(retry_after: str | None) -> float | None:
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
