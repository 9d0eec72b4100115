"""Request templates, filled so that a query cannot break out of its placeholder, and paths in JSON: `data[0].docs`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from assay.errors import BadParameter, ProviderError, near_matches
from assay.model import Query
from assay.providers.responses import names_in
from assay.providers.secrets import variable
from assay.text import counted, shortened

STEP = re.compile(r"\[(\*|-?\d+)\]|\.?([^.\[\]]+)")
SHAPE = re.compile(r"(?:[^.\[\]]+|\[(?:\*|-?\d+)\])(?:\.[^.\[\]]+|\[(?:\*|-?\d+)\])*")


def path(text: str) -> str:
    """A path, unchanged; ValueError if it is not valid."""
    if text and not SHAPE.fullmatch(text):
        raise ValueError("a path such as hits.hits or data.results[0].docs")
    return text


def follow(content: Any, path: str) -> Any:
    """The value at the path. With `[*]`, a list of all values at the path; lists among them are joined."""
    values, is_several, walked = [content], False, ""
    for step in STEP.finditer(path):
        index, name = step.groups()
        if index == "*":
            is_several = True
            values = [child for value in values for child in _list(value, path, walked)]
        elif index is not None:
            values = [_at(_list(value, path, walked), int(index), path, walked) for value in values]
        else:
            values = [_named(value, name, path, walked) for value in values]
        walked += step[0]
    if not is_several:
        return values[0]
    return [child for value in values for child in (value if isinstance(value, list) else [value])]


def _list(content: Any, path: str, walked: str) -> list[Any]:
    if not isinstance(content, list):
        raise _missing(path, walked, f"is not a list but {shortened(content)}")
    return content


def _at(content: list[Any], index: int, path: str, walked: str) -> Any:
    try:
        return content[index]
    except IndexError:
        raise _missing(path, walked, f"has {counted(len(content), 'entry')}") from None


def _named(content: Any, name: str, path: str, walked: str) -> Any:
    if not isinstance(content, Mapping):
        raise _missing(path, walked, f"is not an object but {shortened(content)}")
    if name not in content:
        raise _missing(path, walked, f"has {names_in(content)}")
    return content[name]


def _missing(path: str, walked: str, what: str) -> ProviderError:
    return ProviderError(f"found nothing at {path}: {walked.lstrip('.') or 'the top level'} {what}")


PAGE_PLACES = ("page", "page0", "offset", "cursor")
"""Placeholders that change from page to page: if a request has one of them, it is sent until there are enough hits."""
PLACES = ("query_id", "query", "k", "scope", "size", *PAGE_PLACES)
PLACE = re.compile(rf"\$\{{(?P<variable>\w+)\}}|\{{(?P<place>{'|'.join(PLACES)})\}}")
VARIABLE = re.compile(r"\$\{\w+\}")
BARE_NAME, NAME = re.compile(r"\{([A-Za-z_]\w*)\}"), re.compile(r"(?<![{$])\{([A-Za-z_]\w*)\}(?!\})")
"""A name in braces, and one in single braces only: `{{name}}` belongs to template languages of services."""
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
ABSENT = f"left out {uuid4()}"
"""Stands for a value without quotes that is left out, together with its name. No query contains it."""
Look = Callable[[re.Match[str]], Any]


def values_of(query: Query, k: int) -> dict[str, Any]:
    """The values of the placeholders, for the first page."""
    page: dict[str, Any] = {"size": k, "page": 1, "page0": 0, "offset": 0, "cursor": None}
    return {"query": query.text, "k": k, "query_id": query.query_id, "scope": query.scope, **page}


def places_in(*templates: str) -> frozenset[str]:
    """The placeholders in some templates; variables do not count."""
    return frozenset(match["place"] for text in templates for match in PLACE.finditer(text) if match["place"])


def check_places(where: str, template: str, *, is_json: bool) -> None:
    """Raise BadParameter if a name in braces is not a placeholder. The error shows nothing else, as for secrets.

    In an address and outside the quotes of JSON, braces have no other meaning. A text in quotes may be in a language that
    has braces itself, such as GraphQL, so there only a name that resembles a placeholder is an error.
    """
    names = BARE_NAME.findall(VARIABLE.sub("", STRING.sub("", template) if is_json else template))
    for text in STRING.findall(template) if is_json else ():
        if not re.search(r"[{}]", NAME.sub("", PLACE.sub("", text))):
            names += [name for name in NAME.findall(text) if near_matches(name, PLACES)]
    for name in names:
        if name not in PLACES:
            near = near_matches(name, PLACES, most=1)
            known = ", ".join(f"{{{place}}}" for place in PLACES)
            advice = f"Did you mean {{{near[0]}}}?" if near else f"Choose from {known}"
            raise BadParameter(f"{where}: {{{name}}} is not a placeholder. {advice}")


def _looked_up(values: Mapping[str, Any], where: str) -> Look:
    """The value of a placeholder or variable. One pass fills both, so that a query cannot name a variable."""
    return lambda match: variable(match["variable"], where) if match["variable"] else values[match["place"]]


def fill_url(template: str, values: Mapping[str, Any]) -> str:
    """An address with all values percent-encoded, including slashes; only a variable at its start is not encoded."""
    look = _looked_up(values, "url")

    def piece(match: re.Match[str]) -> str:
        text = _text(look(match))
        return text if match.start() == 0 else quote(text.encode("utf-8", "replace"), safe="")

    return PLACE.sub(piece, template)


def fill_json(template: str, values: Mapping[str, Any]) -> str:
    """JSON text with each placeholder replaced by its value; inside quotes, the value becomes part of the text.

    A `{cursor}` without quotes that has no value yet is left out with its name: `"search_after": {cursor}`.
    """
    if values["cursor"] is not None or "cursor" not in places_in(template):
        return _fill(template, _looked_up(values, "body"))
    filled = json.loads(_fill(template, _looked_up({**values, "cursor": ABSENT}, "body")))
    return json.dumps(_without_absent(filled))


def _without_absent(content: Any) -> Any:
    if isinstance(content, dict):
        return {name: _without_absent(value) for name, value in content.items() if value != ABSENT}
    if isinstance(content, list):
        return [_without_absent(value) for value in content if value != ABSENT]
    return None if content == ABSENT else content


def _fill(template: str, look: Look) -> str:
    pieces, end = [], 0
    for string in STRING.finditer(template):
        pieces.append(PLACE.sub(lambda match: json.dumps(look(match)), template[end : string.start()]))
        pieces.append(PLACE.sub(lambda match: json.dumps(_text(look(match)))[1:-1], string[0]))
        end = string.end()
    return "".join((*pieces, PLACE.sub(lambda match: json.dumps(look(match)), template[end:])))


def _text(value: Any) -> str:
    if value is None or value is ABSENT:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _with_bare_names_filled(template: str) -> str:
    """The template with a value for each name in braces outside quotes, because `check_places` explains wrong names."""
    either = re.compile(f"{STRING.pattern}|{BARE_NAME.pattern}", re.DOTALL)
    return either.sub(lambda match: "{k}" if match[1] else match[0], template)


def check_json(template: str) -> None:
    """Raise ValueError if the filled template would not be JSON."""
    try:
        json.loads(_fill(_with_bare_names_filled(template), lambda _: 1))
    except json.JSONDecodeError as error:
        raise ValueError(f"JSON with placeholders such as {{query}} ({error.msg}, character {error.pos + 1})") from None
