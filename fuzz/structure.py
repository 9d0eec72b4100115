"""Mutation by structure: JSON and YAML values with parts left out, of another type, nested, enlarged or moved."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from fuzz.changes import Place, places, value_at

PLAIN = ("", " ", "0", "1", "nan", "true", "null", "\x00", "\ud800", "é", "2024-01-01", "a" * 500)
HOSTILE = ("python:canary:run", "=1+1", "<b>", "../../etc", "${HOME}")
ODD = (
    *(None, True, False, 0, 1, -1, 2**31, 2**53 + 1, 2**64, 10**25, 0.5, -0.0, 1e308, 1e-320),
    *PLAIN,
    *HOSTILE,
    *([], {}, [[]], {"": {}}, [None], {"a": None}, [1, "a"], {"1": 1}),
)
"""Values that are put in the place of others."""


def mutate_json(data: bytes, random: Random) -> bytes | None:
    """JSON with one value changed; None where it is no JSON."""
    try:
        return dump_json(mutate_value(json.loads(data), random), random)
    except (ValueError, RecursionError):
        return None


def mutate_json_lines(data: bytes, random: Random) -> bytes | None:
    """JSON lines with one line changed; None where that line is no JSON."""
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    changed = mutate_json(lines[place], random)
    if changed is None:
        return None
    lines[place] = changed.replace(b"\n", b" ")
    return b"\n".join(lines)


def mutate_yaml(data: bytes, random: Random) -> bytes | None:
    """YAML with one value changed, written in the flow or the block style; None where it is no YAML."""
    import yaml

    try:
        value = yaml.safe_load(data)
        changed = mutate_value(value, random)
        text = yaml.safe_dump(changed, default_flow_style=random.random() < 0.3, sort_keys=False, allow_unicode=True)
    except (yaml.YAMLError, ValueError, RecursionError, UnicodeError, AttributeError, TypeError):
        return None
    return text.encode("utf-8", "surrogatepass")


def dump_json(value: Any, random: Random) -> bytes | None:
    """JSON text, now and then in another spelling; with numbers no float holds; None where it is nested too deep."""
    try:
        text = json.dumps(value, ensure_ascii=random.random() < 0.5, separators=random.choice(((",", ":"), (", ", ": "))))
    except (RecursionError, ValueError, TypeError):
        return None
    if random.random() < 0.05 and ": 1" in text:
        text = text.replace(": 1", random.choice((": 1e999", ": " + "9" * 401, ": -" + "9" * 30, ": NaN", ": -Infinity")), 1)
    if random.random() < 0.03 and text.startswith("{") and len(text) > 2:
        text = text[:-1] + "," + text[1:]  # every key twice
    return text.encode("utf-8", "surrogatepass")


def mutate_value(value: Any, random: Random) -> Any:
    """A plain value with one part changed, in place."""
    found = [place for place in places(value) if place]
    if not found:
        return random.choice(ODD)
    holder, key = _held(value, random.choice(found))
    choice = random.random()
    if choice < 0.2:
        del holder[key]
    elif choice < 0.6:
        holder[key] = copy.deepcopy(random.choice(ODD))
    elif choice < 0.7:
        holder[key] = _retyped(holder[key], random)
    elif choice < 0.78:
        holder[key] = _nested(holder[key], random.choice((1, 2, 10, 60, 300)), random)
    elif choice < 0.86:
        _enlarge(holder, key, random)
    elif choice < 0.93:
        other, at = _held(value, random.choice(found))
        _put(holder, key, copy.deepcopy(_get(other, at)))
    elif isinstance(holder, dict):
        holder[_renamed(key, random)] = holder.pop(key)
    else:
        holder.insert(key, copy.deepcopy(random.choice(ODD)))
    return value


def _held(value: Any, place: Place) -> tuple[Any, Any]:
    """What holds the value at a place, and under which key."""
    return value_at(value, place[:-1]), place[-1]


def _get(holder: Any, key: Any) -> Any:
    try:
        return holder[key]
    except (KeyError, IndexError):
        return None


def _put(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, dict) or key < len(holder):
        holder[key] = value


def _retyped(value: Any, random: Random) -> Any:
    """The same said in another type."""
    if isinstance(value, str):
        return random.choice((value[::-1], [value], {"value": value}, len(value), list(value[:50])))
    if isinstance(value, bool) or value is None:
        return random.choice((str(value).lower(), int(bool(value)), [value]))
    if isinstance(value, int | float):
        half = value + 0.5 if abs(value) < 1e300 else value // 2
        return random.choice((str(value), -value, value * 10**6, half, [value], bool(value)))
    if isinstance(value, list):
        return random.choice(({str(place): one for place, one in enumerate(value)}, str(value)[:200], len(value)))
    return random.choice((list(value.items()), list(value), str(value)[:200])) if isinstance(value, dict) else str(value)


def _nested(value: Any, depth: int, random: Random) -> Any:
    in_list = random.random() < 0.5
    for _ in range(depth):
        value = [value] if in_list else {"a": value}
    return value


def _enlarge(holder: Any, key: Any, random: Random) -> None:
    """More of the same: a longer text, a larger number, more elements."""
    value = holder[key]
    if isinstance(value, str):
        holder[key] = value * random.choice((2, 10, 100))
    elif isinstance(value, list):
        holder[key] = value * random.choice((2, 10))
    elif isinstance(value, dict):
        value.update({f"{name}{random.randrange(9)}": one for name, one in list(value.items())[:20]})
    elif isinstance(value, int | float) and not isinstance(value, bool):
        large = 10**400 if isinstance(value, int) else 1e300
        holder[key] = random.choice((value * 10**9, large, -value, value - 1, value + 1))


def _renamed(key: Any, random: Random) -> Any:
    return random.choice(("", f"{key}2", str(key).upper(), str(key)[:-1], "id", "\ud800", "__proto__"))
