"""TurnIds: the turns of one conversation, found by the ids that evidence names them with, however these are spelt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from assay.text import shortened

NUMBERED = re.compile(r"[Dd]?:?([0-9]{1,9}):([0-9]{1,9})")
"""`D8:6`, and near misses: `D:8:6`, `d8:6`, `8:6`, `D08:06`."""
SEPARATORS = re.compile(r"[;,&\s]+")
AROUND = "()[]{}<>'\"`.:"
"""What may stand around an id without meaning anything."""


@dataclass
class Evidence:
    """What a question's evidence comes to."""

    found: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


class TurnIds:
    """Knows every turn of a conversation by its id and by its two numbers, as long as these are one turn's alone."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = frozenset(ids)
        self._by_numbers: dict[tuple[int, int], set[str]] = {}
        for one in self._ids:
            if (numbers := _numbers(one)) is not None:
                self._by_numbers.setdefault(numbers, set()).add(one)

    def find(self, given: str) -> str | None:
        """The turn that an id means, if there is exactly one."""
        if given in self._ids:
            return given
        bare = given.strip(AROUND)
        if bare in self._ids:
            return bare
        numbers = _numbers(bare)
        meant = self._by_numbers.get(numbers, set()) if numbers else set()
        return next(iter(meant)) if len(meant) == 1 else None

    def read(self, value: object) -> Evidence:
        """Ids in a list, as it should be; or several in one text, misspelt, or nested. Each turn counts once."""
        evidence = Evidence()
        if isinstance(value, str):
            evidence.mended.append("evidence is text, not a list")
        elif isinstance(value, list) and any(isinstance(item, list) for item in value):
            evidence.mended.append("evidence is nested in lists")
        for item in _flat(value):
            self._read_item(item, evidence)
        return evidence

    def _read_item(self, item: object, evidence: Evidence) -> None:
        if not isinstance(item, str):
            evidence.lost.append(f"{shortened(item)} in the evidence is no id")
            return
        parts = (
            [item] if item in self._ids else [one for part in SEPARATORS.split(_joined(item)) for one in self._apart(part)]
        )
        found = [turn for part in parts if (turn := self.find(part)) is not None]
        lost = [part for part in parts if self.find(part) is None]
        if found and found != [item]:
            evidence.mended.append(f"{shortened(item)} read as {', '.join(found)}")
        for part in lost if parts else [item]:
            evidence.lost.append(f"evidence {shortened(part)} names no turn of the conversation")
        for turn in found:
            if turn in evidence.found:
                evidence.mended.append(f"evidence {turn} is named twice")
            else:
                evidence.found.append(turn)

    def _apart(self, part: str) -> list[str]:
        """`D1:1/D1:2` is two ids where both are known, `D1:1-D1:2` where nothing lies between them."""
        if not part or self.find(part) is not None:
            return [part] if part else []
        if all(self.find(one) for one in part.split("/")):
            return part.split("/")
        first, _, last = part.partition("-")
        (session, turn), follower = _numbers(first) or (0, 0), _numbers(last)
        is_pair = follower == (session, turn + 1) and self.find(first) and self.find(last)
        return [first, last] if is_pair else [part]


def _numbers(given: str) -> tuple[int, int] | None:
    """Session and turn."""
    match = NUMBERED.fullmatch(given)
    return (int(match[1]), int(match[2])) if match else None


def _joined(item: str) -> str:
    """`D1 : 3` without its blanks."""
    return ":".join(part.strip() for part in item.split(":"))


def _flat(value: object) -> Iterator[object]:
    """The items of lists in lists, in order; not recursive, for files may be hostile."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(reversed(item))
        else:
            yield item
