"""Changes: what is not as it was when an evaluation was begun, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Description = Mapping[str, Any]


def changes_told(before: Description, now: Description) -> list[str]:
    """A few words for each difference between two descriptions of a start, what people decide themselves first."""
    return [
        *_of_plan(before.get("plan", {}), now.get("plan", {}), before, now),
        *_of_files(before.get("files", {}), now.get("files", {})),
        *_of_datasets(before.get("datasets", {}), now.get("datasets", {})),
        *_of_values(before.get("versions", {}), now.get("versions", {})),
    ]


def has_other_code(before: Description, now: Description) -> bool:
    """Whether a file of the user's own has changed."""
    return bool(before.get("files", {}) != now.get("files", {}))


def _of_plan(old: Description, new: Description, before: Description, now: Description) -> Iterator[str]:
    """What the plan says, providers by their names."""
    names = before.get("providers"), now.get("providers")
    if names[0] != names[1]:
        yield _changed("providers", *names)
    elif old.get("providers") != new.get("providers"):
        yield "the settings of the providers have changed"
    rest = [{key: value for key, value in one.items() if key != "providers"} for one in (old, new)]
    yield from _of_values(*rest)


def _of_files(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            yield f"{name} is not used any more"
        elif name not in old:
            yield f"{name} was not used before"
        elif old[name] != new[name]:
            yield f"{name} has changed since"


def _of_datasets(old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Parts of benchmarks that were there before."""
    for name, parts in new.items():
        known = old.get(name, parts)
        changed = [part for part in parts if known.get(part) != parts[part]]
        if changed:
            yield f"the {' and '.join(changed)} of {name} have changed since"


def _of_values(old: Description, new: Description) -> Iterator[str]:
    """Values under their names; those inside a map under their own."""
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        are_maps = isinstance(before, Mapping | None) and isinstance(after, Mapping | None)
        if are_maps and before != after:
            yield from _of_values(before or {}, after or {})
        elif before != after:
            yield _changed(str(name), before, after)


def _changed(name: str, before: Any, after: Any) -> str:
    """`k was 100, is 50`, `metrics were mrr and map, are mrr`."""
    was, is_now = ("were", "are") if isinstance(before if before is not None else after, list) else ("was", "is")
    return f"{name} {was} {_shown(before)}, {is_now} {_shown(after)}"


def _shown(value: Any) -> str:
    if value is None or value == []:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    return ", ".join(map(_shown, value)) if isinstance(value, list) else str(value)
