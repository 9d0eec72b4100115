"""Plan files: read YAML with environment variables, check single values, and collect errors."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from assay.errors import (
    MAX_FAULTS,
    AssayError,
    BadParameter,
    DataError,
    NothingSelected,
    ProviderError,
    UnknownName,
    near_matches,
)
from assay.masking import add_secret, is_secret_name
from assay.text import counted
from assay.yaml_tree import MAX_LETTERS, Node, parse_yaml

LATE_PROVIDERS = ("http", "command", "chroma", "pgvector", "qdrant")
"""Providers that read environment variables themselves, when they send queries."""
PROVIDER_CALL = re.compile(r"(\w*)\s*\(|\)")
CONVERTERS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "null": lambda _: None,
    "bool": lambda text: text.lower() == "true",
    "int": int,
    "float": lambda text: float(text.replace(".inf", "inf").replace(".Inf", "inf").replace(".INF", "inf")),
}
"""Kind of YAML scalar → the function that converts it."""
VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
MAX_DIGITS = 300
"""The largest number of digits of a whole number; about what a float can hold."""


def read_plan(path: Path) -> dict[str, Any]:
    """The content of a YAML file, with ${NAME} replaced by environment variables."""
    content = parse_yaml(_read_text(path), str(path))
    if content is None or not isinstance(content.value, dict):
        raise DataError(
            "a plan must be a map with benchmarks, providers and metrics. To create one: assay init", source=path
        )
    return {
        name: _fill_variables(_to_values(value, str(path)), f"{path}: {name}", is_provider=name == "providers", late=False)
        for name, value in content.value.items()
    }


def _read_text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as file:
            return file.read(MAX_LETTERS + 1)
    except FileNotFoundError:
        raise DataError("no such file", source=path) from None
    except UnicodeDecodeError:
        raise DataError("a plan must be text in UTF-8; save the file as UTF-8", source=path) from None
    except IsADirectoryError:
        raise DataError("expected a file, found a folder", source=path) from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", source=path) from None


def _to_values(node: Node, path: str) -> Any:
    """A YAML tree as plain values: unquoted words that look like numbers, booleans or null are converted."""
    if isinstance(node.value, list):
        return [_to_values(child, path) for child in node.value]
    if isinstance(node.value, dict):
        return {name: _to_values(child, path) for name, child in node.value.items()}
    if node.kind == "int" and len(node.value) > MAX_DIGITS:
        what = f"a number has {len(node.value):,} digits, but at most {MAX_DIGITS} are allowed"
        raise DataError(what, source=path, line=node.line)
    return CONVERTERS[node.kind](node.value)


def _fill_variables(value: Any, place: str, *, is_provider: bool, late: bool) -> Any:
    """The value with ${NAME} replaced. For services it is only checked that the variable is set: they read it late, so that
    no secret gets into a plan or a result.
    """
    if isinstance(value, Mapping):
        is_service = is_provider and value.get("name") in LATE_PROVIDERS
        return {
            name: _fill_variables(
                inner,
                f"{place}: {name}",
                is_provider=is_provider,
                late=late or is_service or (is_provider and name in LATE_PROVIDERS),
            )
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_fill_variables(inner, place, is_provider=is_provider, late=late) for inner in value]
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
            raise BadParameter(
                f"{place}: the environment variable {name} is not set. Set it, or add a default: ${{{name}:-default}}"
            )
        return default

    return VARIABLE.sub(known, value)


def _is_inside_a_service(before: str) -> bool:
    """Whether the text after this belongs to a provider that reads variables itself: `hybrid(bm25, http(url='…`."""
    if re.match(rf"\s*(?:[^=():]*=)?\s*(?:{'|'.join(LATE_PROVIDERS)})\s*:", before):
        return True
    if re.search(rf"(?<!\w)(?:{'|'.join(LATE_PROVIDERS)}):(?!//)[^,()]*\Z", before):
        return True
    n_closed = 0
    for shape in reversed(list(PROVIDER_CALL.finditer(before))):
        if shape[0] == ")":
            n_closed += 1
        elif n_closed:
            n_closed -= 1
        elif shape[1] in LATE_PROVIDERS:
            return True
    return False


P = ParamSpec("P")
T = TypeVar("T")
ERROR_OF_EXIT_CODE: dict[int, type[AssayError]] = {
    kind.exit_code: kind for kind in (BadParameter, DataError, ProviderError, NothingSelected)
}
"""Exit code → the error type for several errors with that code."""


class PlanFaults:
    """Collects errors and raises them together; a single error is raised as it is."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.repeated: list[str] = []
        """Notes on things that are listed twice or have no effect, which is not an error."""
        self._errors: dict[str, AssayError] = {}

    def __len__(self) -> int:
        return len(self._errors)

    def add(self, error: AssayError) -> None:
        """Add an error; a message that was added before is ignored."""
        self._errors.setdefault(str(error), error)

    def note(self, text: str) -> None:
        """Add a note on something that is not an error."""
        self.repeated.append(text)

    def note_repeated(self, kind: str, names: Iterable[str]) -> None:
        """Add notes on names that occur more than once."""
        counts = Counter(names).items()
        self.repeated += [
            f"the {kind} {name} is listed {count:,} times but used once" for name, count in counts if count > 1
        ]

    def attempt(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | None:
        """What the function returns; None if it raises an error, which is collected."""
        try:
            return function(*arguments, **named)
        except AssayError as error:
            self.add(error)
            return None

    def raise_if_any(self) -> None:
        """Raise the collected errors, if any. Several become one error with the exit code of the first."""
        errors = list(self._errors.values())
        if len(errors) == 1:
            raise errors[0]
        if errors:
            lines = [line for error in errors[:MAX_FAULTS] for line in f"  {error}".replace("\n", "\n  ").split("\n")]
            left = len(errors) - MAX_FAULTS
            more = [f"  … and {left:,} more"] if left > 0 else []
            kind = ERROR_OF_EXIT_CODE.get(errors[0].exit_code, BadParameter)
            raise kind("\n".join([f"{self.where}: {counted(len(errors), 'fault')}", *lines, *more]))


BOOLEAN_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
MAX_WHOLE_NUMBER = 10**18


def known_keys(content: Any, known: Sequence[str], where: str, faults: PlanFaults) -> dict[str, Any]:
    """The known keys of a map whose value is not null. Unknown keys are collected as errors."""
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        faults.add(BadParameter(f"{where} must be a map with {', '.join(known)}, not {content!r}"))
        return {}
    for name in content:
        if name not in known:
            near = near_matches(str(name), known)
            faults.add(UnknownName("key", str(name), near, f"choose from {', '.join(known)}").at(where))
    return {name: value for name, value in content.items() if name in known and value is not None}


def parse_list(value: Any, name: str, where: str, example: str) -> list[Any]:
    """A list of values; a single value becomes a list. An empty list is an error, because it may be a mistake."""
    values = list(value) if isinstance(value, list | tuple) else [value]
    if not values:
        raise BadParameter(f"{where}: {name} is an empty list. Give at least one entry, for example {name}: [{example}]")
    return values


def parse_texts(value: Any, name: str, where: str, example: str) -> list[Any]:
    """A list of names; a single name becomes a list."""
    texts = parse_list(value, name, where, example)
    for text in texts:
        if not isinstance(text, str):
            raise BadParameter(f"{where}: {name} must be a list of names such as [{example}], not {text!r}")
        if not text.strip():
            raise BadParameter(f"{where}: {name} has an empty name. Write, for example, {name}: [{example}]")
    return texts


def parse_number(value: Any, name: str, where: str) -> float:
    """A number above 0; it may be a string, because ${NAME} always gives strings."""
    try:
        number = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        number = float("nan")
    if not number > 0:
        raise BadParameter(f"{where}: {name} must be a number above 0, not {value!r}")
    return number


def parse_flag(value: Any, name: str, where: str) -> bool:
    """True or false; also yes and no, on and off."""
    if str(value).lower() not in BOOLEAN_WORDS:
        raise BadParameter(f"{where}: {name} must be true or false, not {value!r}")
    return BOOLEAN_WORDS[str(value).lower()]


def parse_whole(value: Any, name: str, where: str, least: int = 1, most: int = MAX_WHOLE_NUMBER) -> int | None:
    """A whole number; None stays None."""
    if value is None:
        return None
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(MAX_WHOLE_NUMBER)) or int(text) < least:
        raise BadParameter(f"{where}: {name} must be a whole number of at least {least}, not {value!r}")
    if int(text) > most:
        raise BadParameter(f"{where}: {name} must be at most {most:,}, not {value!r}")
    return int(text)
