"""rule_file: YAML in which every value is text, and every value knows its line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from assay.errors import BadParameter

DEEPEST = 8
"""Maps in lists in maps: no file of rules is deeper."""


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
    import yaml

    try:
        _refuse_aliases(yaml.scan(text, Loader=yaml.SafeLoader), source)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{source}:{mark.line + 1}" if mark else source
        raise BadParameter(f"{place}: no YAML: {getattr(error, 'problem', None) or error}") from None
    except BadParameter:
        raise
    except (ValueError, RecursionError) as error:
        raise BadParameter(f"{source}: no YAML: {error}") from None
    return Lined([], 1) if node is None else _lined(node, source, 0)


def _refuse_aliases(tokens: Iterable[Any], source: str) -> None:
    """Aliases of aliases make small files large without end, and rules have no use for them."""
    for token in tokens:
        if token.id == "<alias>":
            place = f"{source}:{token.start_mark.line + 1}"
            raise BadParameter(f"{place}: rules have no aliases; write out what *{token.value} stands for")


def _lined(node: Any, source: str, depth: int) -> Lined:
    line = node.start_mark.line + 1
    if depth > DEEPEST:
        raise BadParameter(f"{source}:{line}: nested too deeply to be rules")
    if isinstance(node.value, str):
        return Lined(node.value, line)
    if node.id == "sequence":
        return Lined([_lined(item, source, depth + 1) for item in node.value], line)
    found: dict[str, Lined] = {}
    for key, value in node.value:
        name = str(key.value)
        if name in found:
            raise BadParameter(f"{source}:{key.start_mark.line + 1}: {name} is given twice")
        inner = _lined(value, source, depth + 1)
        found[name] = Lined(inner.value, key.start_mark.line + 1)
    return Lined(found, line)
