"""Secrets: settings that are shown without the keys in them, and what is read from the environment when it is needed."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from assay.providers._refusals import Final

WORDS = {"key", "apikey", "token", "secret", "password", "passwd", "pwd", "auth", "authorization", "cookie", "bearer"}
WORDS |= {"credential", "credentials", "signature", "sig"}
"""Words in names of settings whose values are nobody's business."""
VARIABLE = re.compile(r"\$\{(\w+)\}")
HARMLESS = re.compile(r"(?:\w+ )?\$\{\w+\}|\{\w+\}|")
"""Values that give nothing away: variables and placeholders."""
BLOT = "…"
SHORTEST_SECRET = 4
"""Shorter values occur by chance in other words, which must stay readable."""

Cover = Callable[[str, str], str]
"""Name and value → what is shown as the value."""
Shape = Callable[[str, Cover], str]
"""A text in which values stand under names, with each value covered."""


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


def address(text: str, cover: Cover) -> str:
    """An address: its password, and what its query names."""
    covered = re.sub(r"(://[^/?#@:]*:)([^/?#@]+)(?=@)", lambda m: m[1] + cover("password", m[2]), text)
    return re.sub(r"([?&;])([^=&;#]+)=([^&;#]*)", lambda m: f"{m[1]}{m[2]}={cover(m[2], m[3])}", covered)


def json_text(text: str, cover: Cover) -> str:
    """JSON: texts under their names."""
    pair = r'("(?P<name>[^"]*)"\s*:\s*")(?P<value>(?:[^"\\]|\\.)*)'
    return re.sub(pair, lambda m: m[1] + cover(m["name"], m["value"]), text)


def command_line(text: str, cover: Cover) -> str:
    """A command line: options and variables."""
    for option in (r"([\w-]+)(=)", r"(?<!\S)(--?[\w-]+)(\s+)(?!-)"):
        text = re.sub(option + r"('[^']*'|\"[^\"]*\"|\S+)", lambda m: m[1] + m[2] + cover(m[1], m[3]), text)
    return text


def conceal(shape: Shape, text: str) -> str:
    """A text without the values that its names make secret."""
    return Concealed.of(shape(text, blot), text)


def hidden_in(shape: Shape, text: str) -> set[str]:
    """The values that its names make secret, as they stand there."""
    found: set[str] = set()

    def noted(name: str, value: str) -> str:
        if blot(name, value) != value:
            found.add(value.strip("'\""))
        return value

    shape(text, noted)
    return found


def variable(name: str, where: str) -> str:
    """An environment variable, read now."""
    if name not in os.environ:
        raise Final(f"the environment variable {name}, which {where} names, is not set")
    return os.environ[name]


def fill_variables(text: str, where: str) -> str:
    """The text with `${NAME}` read from the environment, now."""
    return VARIABLE.sub(lambda match: variable(match[1], where), text)


def secrets_in(text: str) -> set[str]:
    """Values of the variables that a text names."""
    return {os.environ[name] for name in VARIABLE.findall(text) if name in os.environ}


def pieces(value: str) -> Iterator[str]:
    """A secret value, and the secrets it is made of: the key after `Bearer`, each value of a cookie."""
    yield value
    words = re.split(r"[\s;,]+", value)
    for word in words[1:] if len(words) > 1 and words[0].isalpha() else words:
        yield word
        yield word.partition("=")[2].strip("\"'")


def without(secrets: Iterable[str], text: str) -> str:
    """A text that somebody else wrote, with what must not be shown blotted out, however it is spelled."""
    spellings = {one for secret in secrets for one in _spellings(secret) if len(one) >= SHORTEST_SECRET}
    for spelling in sorted(spellings, key=len, reverse=True):
        text = text.replace(spelling, BLOT)
    return text


def _spellings(secret: str) -> Iterator[str]:
    """As it is, and as addresses, JSON, HTML and Python write it; or as it was before it was written so."""
    yield secret
    if len(secret) < SHORTEST_SECRET:
        return
    yield from (unquote(secret), unquote_plus(secret), html.escape(secret), repr(secret)[1:-1])
    yield from (quote(secret.encode("utf-8", "replace"), safe=safe) for safe in ("", "/", "/:@=+"))
    yield quote_plus(secret.encode("utf-8", "replace"))
    yield from (json.dumps(secret, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False))
    try:
        yield json.loads(f'"{secret}"')
    except ValueError:
        return
