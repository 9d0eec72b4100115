"""Names that say of their value that it is a secret: `api_key`, `X-Auth-Token`, `accessKey`."""

from __future__ import annotations

import re

WORDS = {"key", "apikey", "token", "secret", "password", "passwd", "pwd", "auth", "authorization", "cookie", "bearer"}
WORDS |= {"credential", "credentials", "signature", "sig"}


def is_secret_name(name: str) -> bool:
    """Whether a word of the name is one of those; `tokenizer` and `author` are other words."""
    return any(word.lower() in WORDS for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))
