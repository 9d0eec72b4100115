"""Spellings: how a secret may stand in a text: as it is, or as addresses, JSON, HTML and Python write it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import unquote

CONTROLS = {"\n": "n", "\r": "r", "\t": "t"}


def decoded(value: str) -> Iterator[str]:
    """The value, and what it was before somebody encoded it for an address or for JSON."""
    yield value
    if "%" in value:
        yield unquote(value)
    if "\\" in value:
        try:
            yield json.loads(f'"{value}"')
        except ValueError:
            return


def pattern_of(value: str) -> re.Pattern[str]:
    """A pattern that finds the value in every spelling, also where one letter is written in one way, another in another."""
    return re.compile("".join(map(_letter, value)))


def unchanging_part(value: str) -> str:
    """The longest stretch of plain letters and digits, which every spelling leaves as it is."""
    return max(re.findall(r"[A-Za-z0-9]+", value), key=len, default="")


@cache
def _letter(letter: str) -> str:
    if letter.isascii() and letter.isalnum():
        return letter
    return f"(?:{'|'.join(_ways(letter))})"


def _ways(letter: str) -> Iterator[str]:
    """Its codes; then the letter itself, which some of them begin with, after backslashes where a text is quoted."""
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
    r"""Codes after a backslash: \xe9, \u00e9, \U000000e9; two of them where JSON needs two."""
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
