"""A recording: a folder for each part with a text file for each case, whose first line is the case's name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from fnmatch import fnmatchcase
from pathlib import Path

LONGEST_NAME = 70
LONGEST_DIFF = 40
"""Lines of a diff that are shown."""


@dataclass(frozen=True)
class Difference:
    """A case that is not what it was."""

    name: str
    kind: str
    lines: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = len(self.lines) - LONGEST_DIFF
        shown = [*self.lines[:LONGEST_DIFF], *([f"… {more:,} more lines"] if more > 0 else [])]
        return "\n  ".join([f"{self.kind}: {self.name}", *shown])


def write_part(folder: Path, part: str, cases: Mapping[str, str]) -> None:
    """Replace what the folder has of this part."""
    place = folder / part
    place.mkdir(parents=True, exist_ok=True)
    for file in place.glob("*.txt"):
        file.unlink()
    for name, text in cases.items():
        (place / file_name(name)).write_text(f"{name}\n{text}", encoding="utf-8", newline="")


def read_part(folder: Path, part: str) -> dict[str, str]:
    """The cases of a part, sorted by name."""
    pairs = [_read_case(file) for file in (folder / part).glob("*.txt")]
    return dict(sorted(pairs))


def _read_case(file: Path) -> tuple[str, str]:
    name, _, text = file.read_bytes().decode("utf-8").partition("\n")
    return name, text


def file_name(name: str) -> str:
    """A name for people, and a digest that keeps apart what they would confuse."""
    plain = re.sub(r"[^\w.@=-]+", "_", name)[:LONGEST_NAME].strip("_.") or "case"
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.txt"


def differences(part: str, before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Difference]:
    """Cases that are changed, missing or new."""
    for name in sorted(before.keys() | now.keys()):
        full = f"{part}/{name}"
        if name not in now:
            yield Difference(full, "missing")
        elif name not in before:
            yield Difference(full, "new")
        elif before[name] != now[name]:
            diff = unified_diff(before[name].splitlines(), now[name].splitlines(), "before", "now", lineterm="", n=1)
            yield Difference(full, "changed", tuple(diff) or ("line ends differ",))


def is_allowed(difference: Difference, patterns: Iterable[str]) -> bool:
    """Whether it is expected: by a pattern, or because a module has one name more. Those of `assay` itself stay the same."""
    is_more = difference.kind == "new" and re.match(r"A/assay\.[\w.]+\.\w+$", difference.name) is not None
    return is_more or any(fnmatchcase(difference.name, pattern) for pattern in patterns)
