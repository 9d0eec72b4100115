"""Templates: addresses and JSON bodies with places for the query, filled so that no query can break out of its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from assay.model import Query
from assay.providers._secrets import variable

PLACE = re.compile(r"\$\{(?P<variable>\w+)\}|\{(?P<place>query|k|query_id|scope)\}")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
Look = Callable[[re.Match[str]], Any]


def values_of(query: Query, k: int) -> dict[str, Any]:
    """What the places stand for."""
    return {"query": query.text, "k": k, "query_id": query.query_id, "scope": query.scope}


def _looked_up(values: Mapping[str, Any], where: str) -> Look:
    """What a place or variable stands for. One pass fills both, so that a query cannot name a variable."""
    return lambda match: variable(match["variable"], where) if match["variable"] else values[match["place"]]


def fill_url(template: str, values: Mapping[str, Any]) -> str:
    """An address with everything percent-encoded, slashes included; only a variable that it starts with stands as it is."""
    look = _looked_up(values, "url")

    def piece(match: re.Match[str]) -> str:
        text = _text(look(match))
        return text if match.start() == 0 else quote(text.encode("utf-8", "replace"), safe="")

    return PLACE.sub(piece, template)


def fill_json(template: str, values: Mapping[str, Any]) -> str:
    """JSON text with each place as the value it stands for; within quotes, as part of that text."""
    return _fill(template, _looked_up(values, "body"))


def _fill(template: str, look: Look) -> str:
    pieces, end = [], 0
    for string in STRING.finditer(template):
        pieces.append(PLACE.sub(lambda match: json.dumps(look(match)), template[end : string.start()]))
        pieces.append(PLACE.sub(lambda match: json.dumps(_text(look(match)))[1:-1], string[0]))
        end = string.end()
    return "".join((*pieces, PLACE.sub(lambda match: json.dumps(look(match)), template[end:])))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def check_json(template: str) -> None:
    """A ValueError where the template would not give JSON."""
    try:
        json.loads(_fill(template, lambda _: 1))
    except json.JSONDecodeError as error:
        raise ValueError(f"JSON with places such as {{query}} ({error.msg}, character {error.pos + 1})") from None
