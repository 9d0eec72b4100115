"""Variables of the environment that hold secrets: by their names, by where they are used, and passwords in addresses."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from assay.masking.register import add_secret

LIKELY = 8
"""Letters from which on the value of a variable may be a key."""
PASSWORD = re.compile(r"://[^/?#@\s:]*:([^/?#@\s]+)@")
HOST = re.compile(r"(?:localhost|[a-z0-9.-]+\.[a-z]{2,24}|[0-9.]+)(?::[0-9]+)?")

_used_as_secrets: set[str] = set()
"""Variables that stand where a secret is expected, such as after `Authorization:`."""


def add_environment(environment: Mapping[str, str] = os.environ) -> None:
    """Know the variables whose names say that they are secrets, and every password in an address."""
    for name, value in environment.items():
        if "://" in value:
            _add_password(name, value)
        elif is_secret_name(name) and _may_be_key(value):
            add_secret(value, f"the variable {name}")


def add_variable_name(name: str) -> None:
    """Say that a variable stands where a secret is expected."""
    _used_as_secrets.add(name)


def add_variable(name: str, value: str) -> None:
    """Know what a `${NAME}` stands for, unless it is plainly no secret: a number, a word, a file, a host, an address."""
    if "://" in value:
        _add_password(name, value)
    elif is_secret_name(name) or name in _used_as_secrets or (_may_be_key(value) and not HOST.fullmatch(value)):
        add_secret(value, f"the variable {name}")


def _add_password(name: str, address: str) -> None:
    for password in PASSWORD.findall(address):
        add_secret(password, f"the password in the variable {name}")


def _may_be_key(value: str) -> bool:
    """Not a word such as `kubernetes`, a number, or the name of a file that is there."""
    is_word = value.isalpha() or value.replace(".", "", 1).isdecimal()
    return len(value) >= LIKELY and not is_word and not os.path.exists(value)  # noqa: PTH110 (a key may be no path at all)


WORDS = {"key", "apikey", "token", "secret", "password", "passwd", "pwd", "auth", "authorization", "cookie", "bearer"}
WORDS |= {"credential", "credentials", "signature", "sig"}


def is_secret_name(name: str) -> bool:
    """Whether a word of the name is one of those; `tokenizer` and `author` are other words."""
    return any(word.lower() in WORDS for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))
