"""Plan files: YAML without its surprises, and variables of the environment filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import BadParameter, DataError, Faults

LATE = ("http", "command")
"""Providers that read variables of the environment themselves, when they ask."""
CALL = re.compile(r"(\w*)\s*\(|\)")
VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
TYPES = (
    ("null", r"~|null|Null|NULL|", ("~", "n", "N", "")),
    ("bool", r"true|True|TRUE|false|False|FALSE", ("t", "T", "f", "F")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", tuple("-+0123456789")),
    (
        "float",
        r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)",
        tuple("-+.0123456789"),
    ),
    ("merge", r"<<", ("<",)),
)
"""What plain words may mean: type, shape, first letters. All else is text: `5:10` is not in base 60, `no` is Norwegian,
`007` keeps its zeros and `2020-01-01` is no date.
"""


def read_plan(path: Path) -> dict[str, Any]:
    """The content of a YAML file, with ${NAME} replaced from the environment."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    content = _parse_yaml(text, str(path))
    if not isinstance(content, Mapping):
        raise DataError(f"{path}: a plan is a map of benchmarks, providers and metrics")
    return {
        name: _filled(value, f"{path}: {name}", is_provider=name == "providers", late=False)
        for name, value in content.items()
    }


def _parse_yaml(text: str, path: str) -> Any:
    import yaml

    try:
        loader = yaml.SafeLoader(text)
        loader.yaml_implicit_resolvers = _resolvers()
        node = loader.get_node() if loader.check_node() else None
        if node is not None:
            _check_maps(node, path)
        if node is not None and loader.check_node():
            line = loader.get_node().start_mark.line + 1
            raise DataError(f"{path}:{line}: a second document begins; a plan is one, so leave out the --- before it")
        return None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        line = f":{place.line + 1}" if place else ""
        raise DataError(f"{path}{line}: no YAML: {getattr(error, 'problem', None) or error}") from None
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path}: no YAML: {error}") from None
    except RecursionError:
        raise DataError(f"{path}: nested too deeply to be a plan") from None


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """First letter → what a word that begins with it may mean, as PyYAML wants it."""
    found: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for kind, shape, letters in TYPES:
        for letter in letters:
            found.setdefault(letter, []).append((f"tag:yaml.org,2002:{kind}", re.compile(rf"(?:{shape})\Z")))
    return found


def _check_maps(node: Any, path: str) -> None:
    """Refuse keys that are given twice, of which YAML would keep the last, and structures that hold themselves."""
    faults = Faults(path)
    for one in _nodes(node, path, {}):
        first: dict[tuple[str, str], int] = {}
        for key, _ in one.value if one.id == "mapping" else ():
            if key.id != "scalar":
                continue
            line, name = key.start_mark.line + 1, (key.tag, key.value)
            if name in first:
                faults.add(line, f"the key {key.value!r} is in line {first[name]} already; keep one of them")
            first.setdefault(name, line)
    faults.raise_if_any()


def _nodes(node: Any, path: str, is_done: dict[int, bool]) -> Iterator[Any]:
    """A node and all below it, each once, however many aliases it has."""
    if not is_done.get(id(node), True):
        raise DataError(f"{path}:{node.start_mark.line + 1}: this holds itself; a plan has no circles")
    if id(node) in is_done:
        return
    is_done[id(node)] = False
    yield node
    for child in node.value if node.id != "scalar" else ():
        for one in child if isinstance(child, tuple) else (child,):
            yield from _nodes(one, path, is_done)
    is_done[id(node)] = True


def _filled(value: Any, place: str, *, is_provider: bool, late: bool) -> Any:
    """Text with ${NAME} filled in. Services read their variables late, so that no secret gets into a plan or a result:
    for them it is only seen to that the variable is there.
    """
    if isinstance(value, Mapping):
        is_service = is_provider and value.get("name") in LATE
        return {
            name: _filled(
                one,
                f"{place}: {name}",
                is_provider=is_provider,
                late=late or is_service or (is_provider and name in LATE),
            )
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_filled(one, place, is_provider=is_provider, late=late) for one in value]
    if not isinstance(value, str):
        return value

    def known(shape: re.Match[str]) -> str:
        name, default = shape[1], shape[2]
        if name in os.environ:
            is_late = late or (is_provider and _is_inside_a_service(value[: shape.start()]))
            return f"${{{name}}}" if is_late else os.environ[name]
        if default is None:
            raise BadParameter(f"{place}: the environment has no {name}; ${{{name}:-default}} would give one")
        return default

    return VARIABLE.sub(known, value)


def _is_inside_a_service(before: str) -> bool:
    """Whether what follows this text belongs to a provider that reads variables itself: `hybrid(bm25, http(url='…`."""
    if re.match(rf"\s*(?:[^=():]*=)?\s*(?:{'|'.join(LATE)})\s*:", before):
        return True
    if re.search(rf"(?<!\w)(?:{'|'.join(LATE)}):(?!//)[^,()]*\Z", before):
        return True
    n_closed = 0
    for shape in reversed(list(CALL.finditer(before))):
        if shape[0] == ")":
            n_closed += 1
        elif n_closed:
            n_closed -= 1
        elif shape[1] in LATE:
            return True
    return False
