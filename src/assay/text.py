"""Text: formats numbers and names for sentences, and makes text safe to show."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile

from assay.masking import mask

_FORMULA = re.compile(r"""[\s"'\ufeff\u200b]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]|[\t\r]""")
"""The beginning of a text that some spreadsheets run as a formula, after any blanks and quotes.

The last four characters are the wide forms of = + - @.
"""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf")
_WORD_END, _WORD_START = re.compile(r"[\w.=+-]*\Z"), re.compile(r"[\w.=+-]*")
"""The end and the beginning of a name up to the next character that separates its parts."""
_HARMFUL = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode categories that move the cursor, end a line, or cannot be written at all."""
_REORDERING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Characters that change the direction of the text after them, so that a name could show what it does not say."""


def counted(count: int, noun: str) -> str:
    """`1 query`, `2 queries`, `1,000 documents`."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """`queries`, `searches`, `users`."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("ch") else f"{noun}s"


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


def cut_off(text: str, most: int) -> str:
    """The text on one line, cut at its end if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


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


def shorten_middle(text: str, width: int) -> str:
    """The text, shortened in the middle if it is wider than this, because names mostly differ at the ends."""
    if display_width(text) <= width:
        return text
    tail = _fitting(text[::-1], (width - 1) // 2)[::-1]
    return f"{_fitting(text, width - 1 - display_width(tail))}…{tail}"


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Names, each shortened in the middle if it is too wide. Different names stay different.

    If two names would look the same, the part in which they differ is shown; if that is too long too, they are numbered.
    """
    short = [shorten_middle(name, width) for name in names]
    by_text: dict[str, list[str]] = {}
    for name, text in zip(names, short, strict=True):
        by_text.setdefault(text, []).append(name)
    shown = {name: text for alike in by_text.values() for name, text in _apart(list(dict.fromkeys(alike)), width).items()}
    taken = Counter(shown.values())
    return [
        shown[name] if taken[shown[name]] == 1 else f"{shorten_middle(name, max(1, width - 5))} ({place})"
        for place, name in zip(_first_places(names), names, strict=True)
    ]


def _first_places(names: Sequence[str]) -> list[int]:
    """For each name the number of the first one that is the same, from 1."""
    first: dict[str, int] = {}
    return [first.setdefault(name, place) for place, name in enumerate(names, 1)]


def _apart(names: Sequence[str], width: int) -> dict[str, str]:
    """Name → how it is shown: shortened in the middle, or with the part in which these names differ."""
    if len(names) == 1:
        return {names[0]: shorten_middle(names[0], width)}
    start = _n_shared(names)
    end = _n_shared([name[start:][::-1] for name in names])
    whole_words = _WORD_END.search(names[0][:start]), _WORD_START.match(names[0][len(names[0]) - end :])
    before, after = (len(match[0]) if match else 0 for match in whole_words)
    for first, last in ((start - before, end - after), (start, end)):
        parts = {name: (name[:first], name[first : len(name) - last], name[len(name) - last :]) for name in names}
        if all(core and display_width(core) + 2 <= width for _, core, _ in parts.values()):
            return {name: _around(*part, width) for name, part in parts.items()}
    return {name: shorten_middle(name, width) for name in names}


def _n_shared(names: Sequence[str]) -> int:
    """How many characters all names have in common at the beginning."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False)))


def _around(head: str, core: str, tail: str, width: int) -> str:
    """The core, with as much of both ends as fits."""
    room = width - display_width(core) - 2
    return f"{_fitting(head, room - room // 2)}…{core}…{_fitting(tail[::-1], room // 2)[::-1]}"


def _fitting(text: str, columns: int) -> str:
    """The beginning of a text, as much as fits in the columns."""
    end, taken = 0, 0
    while end < len(text) and (taken := taken + display_width(text[end])) <= columns:
        end += 1
    return text[:end]


def words_of(text: str) -> list[str]:
    """The words of a text, in order: Unicode letters, marks and digits, with compatibility forms and case folded.

    Scripts that do not separate words (Chinese, Japanese, Thai, Khmer, Lao, Myanmar) give one word per character.
    """
    if text.isascii():
        return text.encode().translate(_ASCII_LETTERS).decode().split()
    return _any_word().findall(unicodedata.normalize("NFKC", text).casefold())


def word_places(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each word of a text, in order; the words are those of `words_of`, before they are folded."""
    return (match.span() for match in _any_word().finditer(text))


def is_unseparated(word: str) -> bool:
    """Whether a word is one character of a script that does not separate words."""
    return re.match(f"[{_UNSEPARATED}]", word) is not None


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
