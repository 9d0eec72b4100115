"""openai: any service that speaks the chat-completions protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from assay.errors import BadParameter
from assay.grammar import REQUIRED, Param, cutoff, not_negative, positive
from assay.judges.chat import ChatJudge, ChatService, host_of, shown_request
from assay.judges.definition import Judge, Preview
from assay.judges.ledger import about_tokens
from assay.judges.pairs import Pair
from assay.judges.prompt import load_prompt
from assay.providers import address, conceal, fill_variables, revealed, whole_key

HOSTED = "https://api.openai.com/v1"
HOSTED_KEY = "${OPENAI_API_KEY}"


def parse_url(text: str) -> str:
    """An address, shown without its secrets."""
    try:
        parts = urlsplit(text)
        fits = text.startswith("${") or (parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        fits = False
    if not fits or re.search(r"\s", text):
        raise ValueError("an address such as http://127.0.0.1:11434/v1")
    return conceal(address, text)


def parse_key(text: str) -> str:
    """A key, or a variable that holds it; a key is never shown."""
    if not text or re.search(r"[\r\n]", text):
        raise ValueError("a variable such as ${OPENAI_API_KEY}")
    return conceal(whole_key, text)


def parse_temperature(text: str) -> float | None:
    """A number of at least 0, or `none`, which leaves it out of the request."""
    if text.lower() == "none":
        return None
    try:
        return not_negative(text)
    except ValueError as error:
        raise ValueError(f"{error}, or none") from None


def parse_extra(text: str) -> dict[str, Any]:
    """A JSON object with more fields of the request."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or {"messages", "model", "stream", "n"} & content.keys():
        raise ValueError("a JSON object without messages, model, stream and n")
    return content


def to_service(**params: Any) -> ChatService:
    """What the parameters describe. The key of the environment is used only for the default address."""
    url, key = revealed(params["url"]), revealed(params["key"])
    return ChatService(
        url,
        params["model"],
        key or (HOSTED_KEY if url == HOSTED else ""),
        load_prompt(params["prompt"], params["guidelines"]),
        params["max_chars"],
        params["temperature"],
        params["max_tokens"],
        params["extra"] or {},
        params["timeout"],
    )


def make_judge(**params: Any) -> ChatJudge:
    """A judge that asks the service."""
    return ChatJudge(to_service(**params))


def settings_of(**params: Any) -> Mapping[str, Any]:
    """Everything that a grade depends on: not the key, nor the timeout. The prompt counts by its content."""
    prompt = load_prompt(params["prompt"], params["guidelines"])
    return {
        "url": str(params["url"]),
        "model": params["model"],
        "prompt": prompt.digest,
        "fields": list(prompt.fields),
        "grades": list(prompt.scale),
        **{name: params[name] for name in ("max_chars", "temperature", "max_tokens", "extra")},
    }


def check_service(**params: Any) -> None:
    """Raise unless the prompt is valid and every variable is set. Nothing is sent."""
    service = to_service(**params)
    fill_variables(service.address, "url")
    fill_variables(service.key, "key")
    if not service.prompt.scale:
        raise BadParameter("the prompt has no grades")


def preview_request(pair: Pair, **params: Any) -> Preview:
    """The whole request for a pair; the value of the key is not needed for it."""
    return preview_of(to_service(**params), pair)


def preview_of(service: ChatService, pair: Pair) -> Preview:
    """What would be sent to a service for a pair."""
    return Preview(host_of(service), shown_request(service, pair), about_tokens(service.text(pair)), service.most_out)


OPENAI = Judge(
    "openai",
    "a model behind any service with the chat-completions protocol of OpenAI: hosted, vLLM, Ollama, llama.cpp",
    make_judge,
    params=(
        Param("model", str, REQUIRED, "name of the model"),
        Param("url", parse_url, HOSTED, "address of the service, before /chat/completions", is_private=True),
        Param(
            "key",
            parse_key,
            "",
            "key of the service, as ${NAME} from the environment (default: ${OPENAI_API_KEY} for the default url)",
            is_private=True,
        ),
        Param("prompt", str, "graded", "a bundled prompt (answer, binary, graded, guidelines) or the path of your own .md"),
        Param("guidelines", str, "", "file with guidelines, for prompts that have the slot {guidelines}"),
        Param("max_chars", cutoff, 12_000, "characters of a document that are sent; the rest is cut off"),
        Param("temperature", parse_temperature, 0.0, "temperature; none: leave it out of the request"),
        Param("max_tokens", cutoff, 512, "largest number of tokens of a reply"),
        Param("extra", parse_extra, None, "more fields of the request, as a JSON object"),
        Param("timeout", positive, 60.0, "seconds to wait for a reply"),
    ),
    is_concurrent=True,
    settings=settings_of,
    check=check_service,
    preview=preview_request,
    model=lambda model, **_: str(model),
)
