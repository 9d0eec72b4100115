"""Changes of JSON trees: any one value deleted, added, retyped, enlarged or nested; by name, or for lots to be drawn.

`mutated(tree, place, change)` makes one, `written(tree)` is the JSON of it: some values, such as an integer of 400 digits in
a depth of 100,000 lists, are written without ever being a Python value.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

Place = tuple[str | int, ...]
"""The keys and indices that lead to a value."""

DEEP, LESS_DEEP, LONG, LONGER = "\0deep\0", "\0less deep\0", "\0long\0", "\0longer\0"
WRITTEN = {
    DEEP: "[" * 100_000 + "]" * 100_000,
    LESS_DEEP: '{"a":' * 300 + "1" + "}" * 300,
    LONG: "1" * 401,
    LONGER: "9" * 5_000,
}
"""What stands for a text that no Python value is made of → the text."""
VALUES: dict[str, Any] = {
    "null": None,
    "true": True,
    "negative": -1,
    "zero": 0,
    "half": 0.5,
    "largest": 1.7e308,
    "word": "word",
    "empty": "",
    "command": "python:canary:run",
    "control": "a\x00b\x1b[31m\u202e",
    "surrogate": "\ud800",
    "list": [],
    "object": {},
    "list of one": [1],
    "object of one": {"word": 1},
    "deep": DEEP,
    "less deep": LESS_DEEP,
    "long": LONG,
    "longer": LONGER,
    "negative number": -1.5,
    "not a number": float("nan"),
    "infinity": float("inf"),
}
"""Name of a change → the value that stands there afterwards."""
DELETE, ADD, TWICE = "delete", "add", "twice"
CHANGES = (DELETE, ADD, TWICE, *VALUES)


def places(tree: Any, above: Place = ()) -> Iterator[Place]:
    """Where there is a value; the whole first."""
    yield above
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        yield from places(value, (*above, key))


def value_at(tree: Any, place: Place) -> Any:
    """The value at a place."""
    for key in place:
        tree = tree[key]
    return tree


def mutated(tree: Any, place: Place, change: str) -> Any:
    """A copy of the tree with one change; the tree as it was where the change does not fit the place."""
    tree = copy.deepcopy(tree)
    if change in (ADD, TWICE):
        found = value_at(tree, place)
        if isinstance(found, dict) and change == ADD:
            found["unheard_of"] = 1
        if isinstance(found, list):
            found.extend(found[-1:] if change == TWICE else [1])
        return tree
    if not place:
        return tree if change == DELETE else copy.deepcopy(VALUES[change])
    above = value_at(tree, place[:-1])
    if change == DELETE:
        del above[place[-1]]
    else:
        above[place[-1]] = copy.deepcopy(VALUES[change])
    return tree


def written(tree: Any, indent: int | None = None) -> bytes:
    """The tree as JSON."""
    text = json.dumps(tree, indent=indent)
    for name, content in WRITTEN.items():
        text = text.replace(json.dumps(name), content)
    return text.encode()
