"""Environment variables that hold secrets: found by their name, by where they are used, and as passwords in URLs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from assay.masking.register import add_secret

LIKELY = 8
"""The number of characters from which the value of a variable may be a key."""
PASSWORD = re.compile(r"://[^/?#@\s:]*:([^/?#@\s]+)@")
HOST = re.compile(r"(?:localhost|[a-z0-9.-]+\.[a-z]{2,24}|[0-9.]+)(?::[0-9]+)?")

_used_as_secrets: set[str] = set()
"""Variables that are used where a secret is expected, such as after `Authorization:`."""


def add_environment(environment: Mapping[str, str] = os.environ) -> None:
    """Register the variables whose names say that they are secrets, and every password in a URL."""
    for name, value in environment.items():
        if "://" in value:
            _add_password(name, value)
        elif is_secret_name(name) and _may_be_key(value):
            add_secret(value, f"the variable {name}")


def add_variable_name(name: str) -> None:
    """Record that a variable is used where a secret is expected."""
    _used_as_secrets.add(name)


def add_variable(name: str, value: str) -> None:
    """Register the value of a `${NAME}`, unless it is clearly not a secret: a number, a word, a file, a host, a URL."""
    if "://" in value:
        _add_password(name, value)
    elif is_secret_name(name) or name in _used_as_secrets or (_may_be_key(value) and not HOST.fullmatch(value)):
        add_secret(value, f"the variable {name}")


def _add_password(name: str, address: str) -> None:
    for password in PASSWORD.findall(address):
        add_secret(password, f"the password in the variable {name}")


def _may_be_key(value: str) -> bool:
    """Whether it is not a word such as `kubernetes`, a number, or the name of an existing file."""
    is_word = value.isalpha() or value.replace(".", "", 1).isdecimal()
    return len(value) >= LIKELY and not is_word and not os.path.exists(value)  # noqa: PTH110 (a key may not be a path)


WORDS = {"key", "apikey", "token", "secret", "password", "passwd", "pwd", "auth", "authorization", "cookie", "bearer"}
WORDS |= {"credential", "credentials", "signature", "sig"}


def is_secret_name(name: str) -> bool:
    """Whether the name contains one of these words as a whole word; `tokenizer` and `author` do not count."""
    return any(word.lower() in WORDS for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))
