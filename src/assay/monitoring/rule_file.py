"""rule_file: YAML in which every value is text, and every value knows its line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.yaml_tree import Node, parse_yaml


@dataclass(frozen=True)
class Lined:
    """A text, a list or a map, and the line it begins in."""

    value: str | list[Lined] | dict[str, Lined]
    line: int

    def plain(self) -> Any:
        """Without lines."""
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        if isinstance(self.value, dict):
            return {name: item.plain() for name, item in self.value.items()}
        return self.value


def read_yaml(text: str, source: str) -> Lined:
    """The content of a file. Nothing is guessed: `no`, `1.0` and `2020-01-01` stay what was written."""
    node = parse_yaml(text, source)
    return Lined([], 1) if node is None else _lined(node)


def _lined(node: Node) -> Lined:
    if isinstance(node.value, list):
        return Lined([_lined(item) for item in node.value], node.line)
    if isinstance(node.value, dict):
        return Lined({name: _lined(item) for name, item in node.value.items()}, node.line)
    return Lined(node.value, node.line)
