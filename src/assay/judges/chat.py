"""Chat completions: the request for a pair in the protocol of OpenAI, and what the reply means."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from assay.errors import ProviderError
from assay.judges.grades import PairGrade, read_reply, ungraded
from assay.judges.ledger import Ledger, about_tokens
from assay.judges.pairs import Pair
from assay.judges.prompt import Prompt
from assay.masking import MASK, mask
from assay.providers import (
    BUSY_STATUS,
    Connections,
    PermanentFailure,
    Reply,
    Request,
    RetryLater,
    Unreachable,
    Unsendable,
    fill_variables,
    filled_address,
    login,
    seconds_to_wait,
    send_request,
)
from assay.text import printable

PATH = "/chat/completions"
REFUSED_STATUS = (401, 402, 403, 404, 405)
"""HTTP status that concerns all requests: a wrong key, no credit, a wrong address or model."""
PAIR_STATUS = (400, 413, 422)
"""HTTP status that concerns one request, such as a text that is too long. A retry does not help."""
ADVICE = {401: "check key=", 402: "check the account", 403: "check key=", 404: "check url= and model=", 405: "check url="}
MAX_SHOWN = 200
DEFAULT_OUT = 1024
"""Tokens of a reply that are reserved in the ledger if the request sets no limit."""


ReadReply = Callable[[str], PairGrade]
"""The text of a reply → what it says about a pair."""


class Refused(PermanentFailure):
    """The request fails for a reason that concerns all requests, such as a wrong key or an invalid address."""


@dataclass(frozen=True)
class ChatService:
    """A service that speaks the protocol, and what is sent to it."""

    url: str
    """The address before `/chat/completions`, with its secrets."""
    model: str
    key: str
    """The key, or a variable that holds it; empty: no key."""
    prompt: Prompt
    max_chars: int
    temperature: float | None
    max_tokens: int
    extra: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 60.0

    @property
    def address(self) -> str:
        """The address of requests."""
        base = self.url.rstrip("/")
        return base if base.endswith(PATH) else base + PATH

    def body(self, pair: Pair) -> dict[str, Any]:
        """What is sent for a pair."""
        content: dict[str, Any] = {"model": self.model, "messages": [{"role": "user", "content": self.text(pair)}]}
        if self.temperature is not None:
            content["temperature"] = self.temperature
        if self.max_tokens:
            content["max_tokens"] = self.max_tokens
        return {**content, **self.extra}

    def text(self, pair: Pair) -> str:
        """The message for a pair."""
        return self.prompt.fill(pair, self.max_chars)

    def request(self, pair: Pair) -> Request:
        """The request for a pair. Its connection is not used again, so that every request is sent exactly once."""
        url = filled_address(self.address, {})
        headers = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "assay"}
        headers |= {"Connection": "close", **login(url)}
        if self.key:
            headers["Authorization"] = f"Bearer {fill_variables(self.key, 'key')}"
        return Request(url, "POST", json.dumps(self.body(pair)).encode(), headers)

    @property
    def most_out(self) -> int:
        """The most tokens that a reply may have."""
        return self.max_tokens or DEFAULT_OUT


class ChatJudge:
    """Asks a service about one pair at a time, from any thread."""

    def __init__(self, service: ChatService, read: ReadReply | None = None) -> None:
        self._service, self._connections = service, Connections()
        self._read = read or (lambda text: read_reply(text, service.prompt.scale))

    def grade(self, pairs: Sequence[Pair], ledger: Ledger) -> list[PairGrade | Exception]:
        """A grade for each pair, or its error."""
        return [self._grade(pair, ledger) for pair in pairs]

    def _grade(self, pair: Pair, ledger: Ledger) -> PairGrade | Exception:
        service = self._service
        try:
            request = service.request(pair)
            with ledger.request(pair.key, about_tokens(service.text(pair)), service.most_out) as ticket:
                try:
                    reply = send_request(self._connections, request, service.timeout)
                except (Unreachable, Unsendable):
                    ticket.is_sent = False
                    raise
                ticket.status = reply.status
                content = _content(reply)
                ticket.note_usage(content.get("usage"))
            return read_completion(content, self._read)
        except Unsendable as error:
            return Refused(str(error))
        except Unreachable as error:
            return Unreachable(f"{host_of(service)}: {error}")
        except ProviderError as error:
            return error


def _content(reply: Reply) -> Mapping[str, Any]:
    """The JSON object of a reply. Any other reply is an error, which shows no secret."""
    status = reply.status
    if status in BUSY_STATUS:
        raise RetryLater(seconds_to_wait(reply.headers.get("retry-after")), f"HTTP {status}")
    if status in REFUSED_STATUS:  # such a reply may repeat a part of the key, so it is not shown
        raise Refused(f"HTTP {status} ({ADVICE[status]})")
    if not 200 <= status < 300:
        kind = PermanentFailure if status in PAIR_STATUS or 300 <= status < 400 else ProviderError
        raise kind(f"HTTP {status}: {_start(reply.body)}")
    try:
        content = json.loads(reply.body)
    except (ValueError, RecursionError):
        raise ProviderError(f"the response is not JSON: {_start(reply.body)}") from None
    if not isinstance(content, Mapping):
        raise ProviderError(f"the response is not a JSON object: {_start(reply.body)}")
    if content.get("error") and not content.get("choices"):
        raise ProviderError(f"the service reports an error: {_start(reply.body)}")
    return content


def _start(body: bytes) -> str:
    text = printable(" ".join(mask(body.decode("utf-8", "replace")).split()))
    return text[:MAX_SHOWN] or "the body is empty"


def read_completion(content: Mapping[str, Any], read: ReadReply) -> PairGrade:
    """The grade in a response. A reply that was cut off, refused or empty has none."""
    model = content.get("model")
    model = printable(model.strip()) if isinstance(model, str) else ""
    choices = content.get("choices")
    choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        return ungraded("the response does not have one choice with a message", model)
    if choice.get("finish_reason") == "length":
        return ungraded("the reply was cut off at the largest number of tokens. Increase max_tokens", model)
    if message.get("refusal"):
        return ungraded("the model refused to answer", model)
    text = message.get("content")
    if not isinstance(text, str):
        return ungraded("the message has no text", model)
    grade = read(text)
    return PairGrade(grade.grade, grade.why, grade.reason, model)


def shown_request(service: ChatService, pair: Pair) -> str:
    """The whole request for a pair as text, with the key masked."""
    url = filled_shown(service.address)
    lines = [f"POST {url}", "Content-Type: application/json"]
    lines += [f"Authorization: Bearer {MASK}"] if service.key else []
    return "\n".join([*lines, "", mask(json.dumps(service.body(pair), indent=2, ensure_ascii=False))])


def host_of(service: ChatService) -> str:
    """Host and port of a service, with secrets masked."""
    parts = urlsplit(filled_shown(service.address))
    return mask(f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}")


def filled_shown(address: str) -> str:
    """The address with its variables filled in and its secrets masked."""
    return mask(fill_variables(address, "url"))
