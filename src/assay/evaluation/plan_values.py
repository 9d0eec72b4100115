"""Values of a plan: lists, names, numbers and flags, as YAML, the environment or a program hands them over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import BadParameter, UnknownName, near_matches
from assay.evaluation.plan_faults import PlanFaults

FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
MOST = 10**18


def known_keys(content: Any, known: Sequence[str], where: str, faults: PlanFaults) -> dict[str, Any]:
    """What a map says, without keys that say nothing; keys that nobody knows are noted as faults."""
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        faults.add(BadParameter(f"{where} is a map with {', '.join(known)}, not {content!r}"))
        return {}
    for name in content:
        if name not in known:
            near = near_matches(str(name), known)
            faults.add(UnknownName(f"key of {where}", str(name), near, f"there are {', '.join(known)}"))
    return {name: value for name, value in content.items() if name in known and value is not None}


def parse_list(value: Any, name: str, where: str, example: str) -> list[Any]:
    """Several values, or one by itself; an empty list is refused, for it may be an oversight."""
    values = list(value) if isinstance(value, list | tuple) else [value]
    if not values:
        raise BadParameter(f"{where}: {name} is an empty list; give at least one, as in {name}: [{example}]")
    return values


def parse_texts(value: Any, name: str, where: str, example: str) -> list[Any]:
    """Several names, or one by itself."""
    texts = parse_list(value, name, where, example)
    for one in texts:
        if not isinstance(one, str):
            raise BadParameter(f"{where}: {name} are names, as in {name}: [{example}], not {one!r}")
        if not one.strip():
            raise BadParameter(f"{where}: {name} has an empty name; write {name}: [{example}]")
    return texts


def parse_number(value: Any, name: str, where: str) -> float:
    """A number above 0; text is fine, for ${NAME} gives nothing else."""
    try:
        number = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        number = float("nan")
    if not number > 0:
        raise BadParameter(f"{where}: {name} is a number above 0, not {value!r}")
    return number


def parse_flag(value: Any, name: str, where: str) -> bool:
    """True or false; also yes and no, on and off."""
    if str(value).lower() not in FLAGS:
        raise BadParameter(f"{where}: {name} is true or false, not {value!r}")
    return FLAGS[str(value).lower()]


def parse_whole(value: Any, name: str, where: str, least: int = 1, most: int = MOST) -> int | None:
    """A whole number; None stays None."""
    if value is None:
        return None
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(MOST)) or int(text) < least:
        raise BadParameter(f"{where}: {name} is a whole number from {least} up, not {value!r}")
    if int(text) > most:
        raise BadParameter(f"{where}: {name} is at most {most:,}, not {value!r}")
    return int(text)
