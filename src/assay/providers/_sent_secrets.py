"""Secrets that were sent with a request, and that no message may repeat."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote, urlunsplit

from assay.providers._connections import Request
from assay.providers._secrets import address, hidden_in, is_secret, json_text, pieces, secrets_in


def sent_secrets(request: Request, templates: Iterable[str]) -> set[str]:
    """Values of variables, of secret headers, and of secret names in address and body; with all that they are made of."""
    found = secrets_in(" ".join(templates))
    found |= {value for name, value in request.headers.items() if is_secret(name)}
    found |= hidden_in(address, urlunsplit(request.url))
    found |= hidden_in(json_text, (request.body or b"").decode("utf-8", "replace"))
    if request.url.password:
        found.add(unquote(request.url.password))
    return {piece for value in found for piece in pieces(value)}
