"""Cases of the command line, as commands.txt writes them down.

`== name` begins a section, whose lines are run each in a new copy of the fixture; `== name, in order` one whose lines share
a copy. {a,b} stands for two lines, NAME=value before the words is a variable, `< file` is standard input.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

COMMANDS = Path(__file__).with_name("commands.txt")
CHOICE = re.compile(r"\{([^{}\s\"']*,[^{}\s\"']*)\}")
VARIABLE = re.compile(r"([A-Z_]+)=(.*)", re.DOTALL)
IN_ORDER = ", in order"
FIXTURE = "fixture"
"""The section that makes what the others read."""


@dataclass(frozen=True)
class Line:
    """A command line, taken apart."""

    text: str
    words: tuple[str, ...]
    variables: dict[str, str]
    stdin: str = ""


@dataclass(frozen=True)
class Group:
    """Command lines that share a folder."""

    section: str
    lines: tuple[Line, ...]

    def names(self) -> tuple[str, ...]:
        """Of its cases: the line, behind its number where the order matters."""
        if len(self.lines) == 1:
            return (self.lines[0].text,)
        return tuple(f"{self.section} {number:02}: {line.text}" for number, line in enumerate(self.lines, 1))


def parse_line(text: str) -> Line:
    """`COLUMNS=60 score a.qrels - < a.run`; a variable without a value is left out."""
    words = shlex.split(text)
    variables: dict[str, str] = {}
    while words and (match := VARIABLE.fullmatch(words[0])):
        variables[match[1]] = match[2]
        words.pop(0)
    stdin = ""
    if len(words) > 1 and words[-2] == "<":
        stdin = words[-1]
        words = words[:-2]
    return Line(text, tuple(words), {name: value for name, value in variables.items() if value}, stdin)


def expand(text: str) -> Iterator[str]:
    """Every line that {a,b} stands for; the first choice changes slowest."""
    match = CHOICE.search(text)
    if match is None:
        yield text
        return
    for choice in match[1].split(","):
        yield from expand(f"{text[: match.start()]}{choice}{text[match.end() :]}")


def read_groups(path: Path = COMMANDS) -> list[Group]:
    """All groups of the file; a line that is there twice is one case."""
    section = ""
    found: list[tuple[str, Line]] = []
    for row in path.read_text(encoding="utf-8").splitlines():
        if row.startswith("== "):
            section = row[3:].strip()
        elif row.strip() and not row.startswith("#"):
            found += [(section, parse_line(" ".join(text.split()))) for text in expand(row.strip())]
    groups: dict[tuple[str, str], Group] = {}
    for name, members in groupby(found, key=lambda pair: pair[0]):
        lines = tuple(line for _, line in members)
        if name.endswith(IN_ORDER) or name == FIXTURE:
            groups[name, ""] = Group(name.removesuffix(IN_ORDER), lines)
        else:
            for line in lines:
                groups.setdefault((name, line.text), Group(name, (line,)))
    return list(groups.values())
