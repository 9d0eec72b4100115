"""Plan files: YAML without its surprises, and variables of the environment filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assay.errors import BadParameter, DataError
from assay.masking import add_secret, is_secret_name
from assay.yaml_tree import MOST_LETTERS, Node, parse_yaml

LATE = ("http", "command", "chroma", "pgvector", "qdrant")
"""Providers that read variables of the environment themselves, when they ask."""
CALL = re.compile(r"(\w*)\s*\(|\)")
READ: dict[str, Callable[[str], Any]] = {
    "text": str,
    "null": lambda _: None,
    "bool": lambda text: text.lower() == "true",
    "int": int,
    "float": lambda text: float(text.replace(".inf", "inf").replace(".Inf", "inf").replace(".INF", "inf")),
}
"""What each kind of plain word becomes."""
VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
LONGEST_NUMBER = 300
"""Digits of a whole number: more than any float can hold."""


def read_plan(path: Path) -> dict[str, Any]:
    """The content of a YAML file, with ${NAME} replaced from the environment."""
    content = parse_yaml(_text_of(path), str(path))
    if content is None or not isinstance(content.value, dict):
        raise DataError(f"{path}: a plan is a map of benchmarks, providers and metrics")
    return {
        name: _filled(_typed(value, str(path)), f"{path}: {name}", is_provider=name == "providers", late=False)
        for name, value in content.value.items()
    }


def _text_of(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as file:
            return file.read(MOST_LETTERS + 1)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: plans are text in UTF-8") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _typed(node: Node, path: str) -> Any:
    """A tree as plain values: plain words that look like numbers, truth values or nothing are that."""
    if isinstance(node.value, list):
        return [_typed(one, path) for one in node.value]
    if isinstance(node.value, dict):
        return {name: _typed(one, path) for name, one in node.value.items()}
    if node.kind == "int" and len(node.value) > LONGEST_NUMBER:
        raise DataError(f"{path}:{node.line}: a number of {len(node.value):,} digits is too long to be meant")
    return READ[node.kind](node.value)


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
            if is_secret_name(name):
                add_secret(os.environ[name], f"the variable {name}")
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
