"""Text: formats numbers and names for sentences, and makes text safe to show."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from assay.masking import mask

_FORMULA = re.compile(r"""[\s"'\ufeff\u200b]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]|[\t\r]""")
"""The beginning of a text that some spreadsheets run as a formula, after any blanks and quotes.

The last four characters are the wide forms of = + - @.
"""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf")
_HARMFUL = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode categories that move the cursor, end a line, or cannot be written at all."""
_REORDERING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Characters that change the direction of the text after them, so that a name could show what it does not say."""


def counted(count: int, noun: str) -> str:
    """`1 query`, `2 queries`, `1,000 documents`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def type_with_article(value: object) -> str:
    """`an int`, `a float`: the type of a value, as a sentence names it."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first few names, and an ellipsis if there are more."""
    return " ".join(names[:most]) + (" …" if len(names) > most else "")


def milliseconds(value: float) -> str:
    """`0.09 ms`, `12.3 ms`, `1,234 ms`: no more digits than a clock measures."""
    size = abs(value)
    return f"{value:,.{2 if size < 1 else 1 if size < 100 else 0}f} ms"


def with_minus(figure: str) -> str:
    """A number as people read it: with a minus sign in front of it. The hyphen is for programs."""
    return f"−{figure[1:]}" if figure.startswith("-") else figure


def percent(share: float, digits: int = 0) -> str:
    """A share of 1 as `64 %`."""
    return f"{100 * share:.{digits}f} %"


def rounded_up(count: int) -> int:
    """A number that was estimated, rounded up to its first two digits: `1,234` → `1,300`."""
    unit = 10 ** max(0, len(str(count)) - 2)
    return -(-count // unit) * unit


def two_digits(value: float) -> str:
    """A number that was estimated, with its first two digits: `0.10`, `0.0099`, `12`."""
    size = math.floor(math.log10(abs(float(f"{value:.1e}")))) if value else 0
    return f"{value:,.{min(20, max(0, 1 - size))}f}"


def decimals(value: float, digits: int = 3) -> str:
    """A number with so many decimals; if these would all be zeros, with its first two digits instead: `0.00012`."""
    text = f"{value:.{digits}f}"
    if value == 0 or float(text) != 0:
        return text
    return f"{value:.1e}" if abs(value) < 1e-6 else f"{value:.{1 - math.floor(math.log10(abs(value)))}f}"


def shortened(value: object, most: int = 40) -> str:
    """A value as Python writes it, without secrets and memory addresses, and cut if it is long."""
    text = mask(re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value)))
    return text if len(text) <= most else text[: most - 1] + "…"


def printable(text: str) -> str:
    """The text on one line, with control characters written out as in Python: ESC becomes backslash x1b.

    Characters that reverse the text after them are written out too.
    """
    if text.isprintable():
        return text
    return "".join(_written_out(letter) if _is_harmful(letter) else letter for letter in text)


def _is_harmful(letter: str) -> bool:
    return letter in _REORDERING or unicodedata.category(letter) in _HARMFUL


def spreadsheet_cell(text: str) -> str:
    """A text on one line that no spreadsheet runs: an apostrophe is put before anything that looks like a formula.

    A number stays a number, also if it is negative.
    """
    is_formula = _FORMULA.match(text) and not _NUMBER.fullmatch(text)
    return printable(f"'{text}" if is_formula else text)


def _written_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def wrapped(text: str, width: int) -> str:
    """The text in lines of at most this width. Only a word that is wider than a line is broken. The indent is kept."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    if indent and width > 2 * len(indent):
        return "\n".join(indent + line for line in wrapped(text.lstrip(" "), width - len(indent)).split("\n"))
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
    """The number of terminal columns for the text: a wide character takes two, a combining one none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text
    )


def words_of(text: str) -> list[str]:
    """The words of a text, in order: Unicode letters, marks and digits, with compatibility forms and case folded.

    Scripts that do not separate words (Chinese, Japanese, Thai, Khmer, Lao, Myanmar) give one word per character.
    """
    if text.isascii():
        return text.encode().translate(_ASCII_LETTERS).decode().split()
    return _any_word().findall(unicodedata.normalize("NFKC", text).casefold())


_ASCII_LETTERS = bytes(ord(chr(code).lower()) if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)
"""The translation of each ASCII byte: letters become lower case, digits stay, anything else becomes a blank."""
_UNSEPARATED = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_LAST_MARK = 0x1E94A


@cache
def _any_word() -> re.Pattern[str]:
    """A character of a script without spaces, or a run of letters and digits; each with its combining marks."""
    marks = "".join(chr(code) for code in range(0x300, _LAST_MARK + 1) if unicodedata.category(chr(code))[0] == "M")
    mark = f"[{re.escape(marks)}]"
    letter = rf"[^\W_{_UNSEPARATED}]"
    return re.compile(rf"(?=\w)[{_UNSEPARATED}]{mark}*|{letter}(?:{letter}|{mark})*")


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether this file exists."""
    return os.path.isfile(path)  # noqa: PTH113 (Path.is_file raises an error if the name is too long)
