"""Secrets: settings that are shown without the keys in them, and what is read from the environment when it is needed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from assay.errors import ProviderError

WORDS = {"key", "apikey", "token", "secret", "password", "passwd", "pwd", "auth", "authorization", "cookie", "bearer"}
WORDS |= {"credential", "credentials", "signature", "sig"}
"""Words in names of settings whose values are nobody's business."""
VARIABLE = re.compile(r"\$\{(\w+)\}")
HARMLESS = re.compile(r"(?:\w+ )?\$\{\w+\}|\{\w+\}|")
"""Values that give nothing away: variables and placeholders."""
BLOT = "…"
SHORTEST_SECRET = 4
"""Shorter values occur by chance in other words, which must stay readable."""


class Concealed(str):
    """A setting with its secrets blotted out; `revealed` has them."""

    __slots__ = ("revealed",)
    revealed: str

    @classmethod
    def of(cls, shown: str, revealed: str) -> str:
        """A setting that is shown otherwise than it is; plain text where there is nothing to hide."""
        if BLOT in revealed and BLOT in shown:
            raise ValueError(f"needed with its secrets, of which {BLOT} tells that they were left out")
        if shown == revealed:
            return revealed
        concealed = cls(shown)
        concealed.revealed = revealed
        return concealed


def revealed(setting: str) -> str:
    """A setting with its secrets."""
    return setting.revealed if isinstance(setting, Concealed) else setting


def is_secret(name: str) -> bool:
    """Whether a name says that its value is a secret: `api_key`, `X-Auth-Token`, `accessKey`."""
    return any(word.lower() in WORDS for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))


def blot(name: str, value: str) -> str:
    """A value as it may be shown under a name."""
    return BLOT if is_secret(name) and not HARMLESS.fullmatch(value) else value


def conceal_url(url: str) -> str:
    """An address without passwords and keys."""
    shown = re.sub(r"(://[^/?#@:]*:)([^/?#@]+)(?=@)", lambda m: m[1] + blot("password", m[2]), url)
    shown = re.sub(r"([?&;])([^=&;#]+)=([^&;#]*)", lambda m: f"{m[1]}{m[2]}={blot(m[2], m[3])}", shown)
    return Concealed.of(shown, url)


def conceal_json(text: str) -> str:
    """JSON text without the values of secret names."""
    pair = r'("(?P<name>[^"]*)"\s*:\s*")(?P<value>(?:[^"\\]|\\.)*)'
    return Concealed.of(re.sub(pair, lambda m: m[1] + blot(m["name"], m["value"]), text), text)


def conceal_command(command: str) -> str:
    """A command line without the values of secret options and variables."""
    shown = command
    for option in (r"([\w-]+)(=)", r"(?<!\S)(--?[\w-]+)(\s+)(?!-)"):
        shown = re.sub(option + r"('[^']*'|\"[^\"]*\"|\S+)", lambda m: m[1] + m[2] + blot(m[1], m[3]), shown)
    return Concealed.of(shown, command)


def variable(name: str, where: str) -> str:
    """An environment variable, read now."""
    if name not in os.environ:
        raise ProviderError(f"the environment variable {name}, which {where} names, is not set")
    return os.environ[name]


def fill_variables(text: str, where: str) -> str:
    """The text with `${NAME}` read from the environment, now."""
    return VARIABLE.sub(lambda match: variable(match[1], where), text)


def secrets_in(text: str) -> set[str]:
    """Values of the variables that a text names."""
    return {os.environ[name] for name in VARIABLE.findall(text) if name in os.environ}


def without(secrets: Iterable[str], text: str) -> str:
    """A text that somebody else wrote, with what must not be shown blotted out."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, BLOT)
    return text
