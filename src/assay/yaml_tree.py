"""YAML as a tree of text, lists and maps with line numbers. Tags are refused, aliases are expanded within limits.

The limits are checked while the file is read, event by event. So a small file that expands to a large tree is refused
before the tree exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from assay.errors import DataError, Faults
from assay.text import shortened

MAX_NODES = 10_000
"""The number of values, keys, lists and maps in a file, after aliases are expanded."""
DEEPEST = 50
"""Levels of nested lists and maps."""
MAX_LETTERS = 1_000_000
"""Characters of a file."""
LONGEST_WORD = 40
"""Characters of a key or alias that a message shows."""
MERGE = "<<"
"""The key whose map is merged into the one around it."""
TYPES = (
    ("null", re.compile(r"~|null|Null|NULL|")),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE")),
    ("int", re.compile(r"[-+]?(?:0|[1-9][0-9]*)")),
    (
        "float",
        re.compile(
            r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)",
        ),
    ),
)
"""What a word without quotes may mean besides text. These are text: `5:10` (not a number in base 60), `no`, `007` and
`2020-01-01`.
"""


@dataclass
class Node:
    """A text, a list or a map, and the line in which it begins. In a map, the line of a value is the line of its key."""

    value: str | list[Node] | dict[str, Node]
    line: int
    is_plain: bool = False
    """A text without quotes, which may mean a number, true or false, or null."""
    size: int = 1
    """The number of nodes in it, including itself and keys."""
    height: int = 0
    """Levels of nested lists and maps, including itself."""

    @property
    def kind(self) -> str:
        """`text`, `null`, `bool`, `int`, `float`, `list` or `map`."""
        if not isinstance(self.value, str):
            return "list" if isinstance(self.value, list) else "map"
        if not self.is_plain:
            return "text"
        return next((name for name, shape in TYPES if shape.fullmatch(self.value)), "text")


def parse_yaml(text: str, source: str) -> Node | None:
    """The single document of a text; None if the text is empty. Every fault is a DataError that names source and line."""
    import yaml

    if len(text) > MAX_LETTERS:
        raise DataError(f"a YAML file must have at most {MAX_LETTERS:,} characters, not {len(text):,}", source=source)
    try:
        return _Builder(source).built(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = f"not valid YAML: {getattr(error, 'problem', None) or _one_line(error)}"
        raise DataError(what, source=source, line=mark.line + 1 if mark else None) from None
    except (ValueError, LookupError, ArithmeticError) as error:  # PyYAML raises these for escapes beyond Unicode
        if isinstance(error, DataError):
            raise
        raise DataError(f"not valid YAML: {_one_line(error)}", source=source) from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


@dataclass
class _Open:
    """A list or map whose end has not been read yet."""

    node: Node
    anchor: str | None
    key: Node | None = None
    """The key that waits for its value."""
    pairs: list[tuple[Node, Node]] = field(default_factory=list)


class _Builder:
    """Builds the tree from events, and stops at the first event that exceeds a limit."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.faults = Faults(source)
        self.root: Node | None = None
        self.n_nodes = 0
        self.open: list[_Open] = []
        self.anchored: dict[str, Node] = {}

    def built(self, events: Iterator[Any]) -> Node | None:
        for event in events:
            kind, line = type(event).__name__, event.start_mark.line + 1
            if kind == "DocumentStartEvent" and self.root is not None:
                self._fail(line, "a second document begins here, but a file may contain only one. Remove the --- before it")
            if kind == "AliasEvent":
                self._put(self._meant(event.anchor, line), line)
            elif kind in ("SequenceEndEvent", "MappingEndEvent"):
                self._close()
            elif kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent"):
                self._begin(event, kind, line)
        self.faults.raise_if_any()
        return self.root

    def _begin(self, event: Any, kind: str, line: int) -> None:
        if event.tag is not None:
            self._fail(line, f"YAML tags are not supported. Remove {shortened(_written(event.tag))}")
        if kind == "ScalarEvent":
            if not _is_sound(event.value):
                self._fail(line, f"{shortened(event.value)} contains a NUL or half of a surrogate pair. Remove it")
            node = Node(event.value, line, is_plain=event.implicit[0])
            if event.anchor is not None:
                self.anchored[event.anchor] = node
            self._put(node, line)
            return
        node = Node([] if kind == "SequenceStartEvent" else {}, line, height=1)
        self._count(node, line, len(self.open) + 1)
        self.open.append(_Open(node, event.anchor))

    def _meant(self, anchor: str, line: int) -> Node:
        if any(anchor == node.anchor for node in self.open):
            self._fail(line, f"alias *{_cut(anchor)} contains itself. An alias may only name a value that ends before it")
        if anchor not in self.anchored:
            self._fail(line, f"not valid YAML: found undefined alias {anchor!r}")
        return self.anchored[anchor]

    def _put(self, node: Node, line: int) -> None:
        """Add it to the list or map that is open; else it is the whole document."""
        self._count(node, line, len(self.open) + node.height)
        self._place(node)

    def _place(self, node: Node) -> None:
        if not self.open:
            self.root = node
            return
        around = self.open[-1]
        around.node.size += node.size
        around.node.height = max(around.node.height, node.height + 1)
        if isinstance(around.node.value, list):
            around.node.value.append(node)
        elif around.key is None:
            around.key = node
        else:
            around.pairs.append((around.key, node))
            around.key = None

    def _close(self) -> None:
        done = self.open.pop()
        if isinstance(done.node.value, dict):
            done.node.value.update(self._mapping(done.pairs))
        if done.anchor is not None:
            self.anchored[done.anchor] = done.node
        self._place(done.node)

    def _count(self, node: Node, line: int, depth: int) -> None:
        self.n_nodes += node.size
        if depth > DEEPEST:
            self._fail(line, f"nested too deeply: at most {DEEPEST} levels of lists and maps are allowed")
        if self.n_nodes > MAX_NODES:
            self._fail(line, f"too large: more than {MAX_NODES:,} values after aliases are expanded")

    def _mapping(self, pairs: list[tuple[Node, Node]]) -> dict[str, Node]:
        """The pairs by key. A key written here overrides a merged one; of several merged maps the first wins."""
        own: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        for key, value in pairs:
            if key.is_plain and key.value == MERGE:
                for mapping in self._maps_of(value):
                    merged = {**mapping, **merged}
                continue
            name = self._name(key)
            if name in own:
                self.faults.add(key.line, f"the key {name!r} is already in line {own[name].line}. Remove one of them")
            else:
                own[name] = Node(value.value, key.line, value.is_plain, value.size, value.height)
        return merged | own

    def _name(self, key: Node) -> str:
        if not isinstance(key.value, str):
            self._fail(key.line, f"keys must be text, not a {key.kind}")
        if key.kind != "text":
            self.faults.add(
                key.line, f"keys must be text: write '{_cut(key.value)}' instead of {_cut(key.value) or 'an empty key'}"
            )
        return str(key.value)

    def _maps_of(self, value: Node) -> list[dict[str, Node]]:
        """The map after `<<`, or the list of maps."""
        listed = value.value if isinstance(value.value, list) else [value]
        maps = [node.value for node in listed if isinstance(node.value, dict)]
        if len(maps) != len(listed):
            self._fail(value.line, f"the value of {MERGE} must be a map or a list of maps")
        return maps

    def _fail(self, line: int, what: str) -> NoReturn:
        raise DataError(what, source=self.source, line=line)


def _cut(word: str) -> str:
    """A word of the file, cut if it is long."""
    return word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 1]}…"


def _is_sound(text: str) -> bool:
    """Whether the text can be written to a file and passed to the system. Text from escapes may not be."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text))


def _written(tag: str) -> str:
    """A tag as people write it: `!!int` rather than its address."""
    return tag.replace("tag:yaml.org,2002:", "!!")
