"""Words: numbers and names as sentences use them, and text that cannot do harm."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_HARMFUL = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode categories that move the cursor, end a line, or cannot be written at all."""


def counted(count: int, noun: str) -> str:
    """`1 query`, `2 queries`, `1,000 documents`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first few names, and an ellipsis if there are more."""
    return " ".join(names[:most]) + (" …" if len(names) > most else "")


def shortened(value: object, most: int = 40) -> str:
    """A value as Python writes it, cut where it gets long."""
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def printable(text: str) -> str:
    """The text on one line, with control characters written out as in Python: ESC becomes backslash x1b."""
    if text.isprintable():
        return text
    return "".join(_written_out(letter) if unicodedata.category(letter) in _HARMFUL else letter for letter in text)


def _written_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def wrapped(text: str, width: int) -> str:
    """The text in lines no wider than that; only a word that is wider by itself is broken."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if display_width(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if display_width(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    return "\n".join(lines)


def display_width(text: str) -> int:
    """Columns a terminal needs for the text: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text
    )
