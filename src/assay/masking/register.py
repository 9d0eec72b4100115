"""The register: values that must not be shown, saved or passed on. There is one for the whole process."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

MASK = "…"
MIN_SECRET_LENGTH = 4
"""Characters. Shorter values occur by chance in other words, which must stay readable."""


@dataclass(frozen=True)
class Secret:
    """A value, and what it is: `the header Authorization`."""

    value: str
    what: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A pattern for all its spellings."""
        return pattern_of(self.value)

    @cached_property
    def _part(self) -> str:
        part = unchanging_part(self.value)
        return part if len(part) >= MIN_SECRET_LENGTH else ""

    def is_in(self, text: str) -> bool:
        """Whether it occurs in the text. A quick search for a part of it rules out most texts."""
        return self._part in text and self.pattern.search(text) is not None


_known: tuple[Secret, ...] = ()
"""Longest first, so that a secret inside another one does not leave the rest of that one visible."""
_added: set[str] = set()
"""The added values, as they were given."""
_lock = threading.Lock()


def add_secret(value: str, what: str) -> None:
    """Mask the value from now on. A value with fewer than four characters is not masked."""
    global _known  # noqa: PLW0603 (replaced as a whole, so that readers need no lock)
    if value in _added:
        return
    new = {spelling.strip() for spelling in decoded(value.strip())}
    with _lock:
        _added.add(value)
        new -= {secret.value for secret in _known}
        secrets = [Secret(spelling, what) for spelling in new if len(spelling) >= MIN_SECRET_LENGTH]
        if secrets:
            _known = tuple(sorted((*_known, *secrets), key=lambda secret: len(secret.value), reverse=True))


def forget_secrets() -> None:
    """Remove all secrets from the register."""
    global _known  # noqa: PLW0603
    with _lock:
        _known = ()
        _added.clear()


def has_secrets() -> bool:
    """Whether any secret is known; if not, nothing has to be searched."""
    return bool(_known)


def find_secret(text: str) -> str:
    """The description of the secret that occurs in a text; empty if there is none."""
    return next((secret.what for secret in _known if secret.is_in(text)), "")


def mask(text: str) -> str:
    """The text with every known secret replaced, in any spelling."""
    for secret in _known:
        if secret.is_in(text):
            text = secret.pattern.sub(MASK, text)
    return text


def mask_bytes(data: bytes) -> bytes:
    """The bytes of a text with every known secret replaced; bytes that are not valid UTF-8 are kept."""
    if not _known:
        return data
    return mask(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def mask_nested(value: Any) -> Any:
    """Lists and mappings with every text in them masked. A number is kept unless the whole number is a secret."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {mask(name) if isinstance(name, str) else name: mask_nested(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [mask_nested(inner) for inner in value]
    written, masked = str(value), mask(str(value))
    is_kept = masked != MASK if isinstance(value, int | float) else masked == written
    return value if is_kept else masked


CONTROLS = {"\n": "n", "\r": "r", "\t": "t"}


def decoded(value: str) -> Iterator[str]:
    """The value, and the value decoded, in case it was encoded for a URL or for JSON."""
    yield value
    if "%" in value:
        from urllib.parse import unquote

        yield unquote(value)
    if "\\" in value:
        try:
            yield json.loads(f'"{value}"')
        except ValueError:
            return


def pattern_of(value: str) -> re.Pattern[str]:
    """A pattern that finds the value in every spelling, even if each character is encoded in a different way."""
    return re.compile("".join(map(_letter, value)))


def unchanging_part(value: str) -> str:
    """The longest run of ASCII letters and digits, which every spelling leaves unchanged."""
    return max(re.findall(r"[A-Za-z0-9]+", value), key=len, default="")


@cache
def _letter(letter: str) -> str:
    if letter.isascii() and letter.isalnum():
        return letter
    return f"(?:{'|'.join(_ways(letter))})"


def _ways(letter: str) -> Iterator[str]:
    """Its escapes first, then the character itself, because some escapes begin with it. Backslashes may precede it."""
    code, raw = ord(letter), letter.encode("utf-8", "surrogatepass")
    yield "".join(f"%(?:25)*(?i:{byte:02x})" for byte in raw)
    yield from _escapes(code)
    yield rf"&(?:amp;)*#(?:0*{code}|(?i:x0*{code:x}));"
    if name := _html_name(code):
        yield f"&(?:amp;)*{name};"
    if not letter.isascii():
        yield re.escape(raw.decode("latin-1"))
    if letter in CONTROLS:
        yield rf"\\+{CONTROLS[letter]}"
    if letter == " ":
        yield r"\+"
    yield r"\\+" if letter == "\\" else rf"\\*{re.escape(letter)}"


def _escapes(code: int) -> Iterator[str]:
    r"""Codes after a backslash: \xe9, \u00e9, \U000000e9; two of them if JSON needs two."""
    if code < 0x100:
        yield rf"\\+x(?i:{code:02x})"
    if code < 0x10000:
        yield rf"\\+u(?i:{code:04x})"
    else:
        high, low = divmod(code - 0x10000, 0x400)
        yield rf"\\+u(?i:{0xD800 + high:04x})\\+u(?i:{0xDC00 + low:04x})"
    yield rf"\\+U(?i:{code:08x})"


def _html_name(code: int) -> str:
    from html.entities import codepoint2name

    return codepoint2name.get(code, "apos" if code == ord("'") else "")
