"""Headings of Markdown (CommonMark 0.31, sections 4.2, 4.3 and 4.5), and where its blocks end."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from assay.chunkers._measured import Places

_LINE = re.compile(
    r"^ {0,3}(?:(?P<hashes>#{1,6})(?P<heading>[ \t][^\n]*)?\r?$"
    r"|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$"
    r"|(?P<underline>=+|-+)[ \t]*\r?$"
    r"|(?P<blank>)[ \t]*\r?$)",
    re.MULTILINE,
)
_CLOSING_HASHES = re.compile(r"(?:^|(?<=[ \t]))#++$")
_NO_TITLE = re.compile(r"\s*(?:[#>|`~*+=-]|\d{1,9}[.)])")
"""Lines that an underline makes no heading of: lists, quotes, tables, rules."""


class Heading(NamedTuple):
    """Where a section starts, how deep it is, what it is called, and where its text starts."""

    start: int
    level: int
    title: str
    end: int


class Outline(NamedTuple):
    """The headings of a text, and the places between its blocks: behind empty lines outside of fenced code."""

    headings: list[Heading]
    blocks: Places


def outline(text: str) -> Outline:
    """What a Markdown text is made of; a `#` in fenced code is none, and an open fence reaches to the end."""
    headings: list[Heading] = []
    blocks: list[int] = []
    fence = ""
    for match in _LINE.finditer(text):
        if fence:
            fence = "" if _closes(match, fence) else fence
        elif match["fence"] and not (match["fence"][0] == "`" and "`" in match["info"]):
            fence = match["fence"]
        elif match["hashes"]:
            headings.append(_of_hashes(match))
        elif match["underline"] and (found := _underlined(text, match)):
            headings.append(found)
        elif match["blank"] is not None and match.end() < len(text):
            blocks.append(match.end() + 1)
    return Outline(headings, np.array(blocks, np.int64))


def _closes(match: re.Match[str], fence: str) -> bool:
    """A fence closes with the same letter, at least as often, and nothing behind it."""
    return bool(match["fence"]) and match["fence"].startswith(fence) and not match["info"].strip()


def _of_hashes(match: re.Match[str]) -> Heading:
    title = _CLOSING_HASHES.sub("", (match["heading"] or "").strip()).strip()
    return Heading(match.start(), len(match["hashes"]), title, match.end())


def _underlined(text: str, match: re.Match[str]) -> Heading | None:
    """The one line between an empty line and an underline, if it is a heading."""
    start = text.rfind("\n", 0, max(0, match.start() - 1)) + 1
    line = text[start : match.start()]
    before = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start]
    if not line.strip() or before.strip() or _NO_TITLE.match(line) or line.startswith(("    ", "\t")):
        return None
    return Heading(start, 1 if match["underline"][0] == "=" else 2, line.strip(), match.end())
