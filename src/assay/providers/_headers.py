"""Headers of a request: how they are written, shown, and made of a password."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote

from assay.providers._secrets import Concealed, blot


def named_headers(text: str) -> dict[str, str]:
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
        named = named_headers(text)
    except (ValueError, AttributeError):
        raise ValueError("a JSON object or Name: value; Name2: value2") from None
    return Concealed.of(_written({name: blot(name, value) for name, value in named.items()}), _written(named))


def _written(named: Mapping[str, str]) -> str:
    """Headers as lines where they read back from them, else as JSON."""
    lines = "; ".join(f"{name}: {value}" for name, value in named.items())
    return lines if named_headers(lines) == named else json.dumps(named)


def login(url: SplitResult) -> dict[str, str]:
    """User and password of an address as the header that carries them."""
    if url.username is None:
        return {}
    pair = f"{unquote(url.username)}:{unquote(url.password or '')}"
    return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
