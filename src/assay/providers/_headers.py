"""Headers of a request: how they are written, shown, and made of a password."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote

from assay.masking import add_secret
from assay.providers._secrets import Concealed, add_setting, add_variables_of, advised, blot, refuse_unfinished


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
    """Headers, shown without the keys in them; those are masked everywhere from now on."""
    try:
        named = named_headers(text)
    except (ValueError, AttributeError):
        raise ValueError("a JSON object or Name: value; Name2: value2") from None
    refuse_unfinished(text)
    for name, value in named.items():
        add_setting(name, value)
    add_variables_of(text)
    shown, better = (_written({name: cover(name, one) for name, one in named.items()}) for cover in (blot, advised))
    return Concealed.of(shown, _written(named), better)


def _written(named: Mapping[str, str]) -> str:
    """Headers as lines where they read back from them, else as JSON."""
    lines = "; ".join(f"{name}: {value}" for name, value in named.items())
    return lines if named_headers(lines) == named else json.dumps(named)


def login(url: SplitResult) -> dict[str, str]:
    """User and password of an address as the header that carries them."""
    if url.username is None:
        return {}
    user, password = unquote(url.username), unquote(url.password or "")
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    for secret in (encoded, password or user):
        add_secret(secret, "the password of the address")
    return {"Authorization": f"Basic {encoded}"}
