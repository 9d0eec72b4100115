"""Conflicts: a judge that grades its own work, because a system under test uses the same model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MIN_LENGTH = 4
"""Characters of the shortest name that is looked for: shorter names occur by chance."""
NAME = re.compile(r"[\w./:@-]+")
"""Anything in the text of a system that may be the name of a model."""
VERSION = re.compile(r"(?:[-_:@.](?:\d[\d.-]*|latest|instruct|chat|preview|v\d+))+$")


def conflict_notes(models: Iterable[str], systems: Mapping[str, str]) -> list[str]:
    """A sentence for each judge whose model is also named by a system that retrieved documents of the pool.

    `systems` has the name of each system and what is known about it, such as its configuration.
    """
    return [
        f"the judge {model} is also a model of {system}. A model prefers what it retrieved, ranked or wrote itself. "
        "Use another model, and compare systems only on grades by people or on corrected grades"
        for model in dict.fromkeys(filter(None, models))
        for system, description in systems.items()
        if _is_named(model, f"{system} {description}")
    ]


def writer_notes(models: Iterable[str], writers: Iterable[str]) -> list[str]:
    """A sentence for each judge whose model also wrote queries of the benchmark."""
    known = " ".join(writers)
    return [
        f"the judge {model} also wrote queries of the benchmark. A model prefers texts like those that it writes itself. "
        "Use another model, and compare systems only on grades by people or on corrected grades"
        for model in dict.fromkeys(filter(None, models))
        if _is_named(model, known)
    ]


def _is_named(model: str, system: str) -> bool:
    names = _names(model)
    return any(names & _names(word) for word in NAME.findall(system))


def _names(model: str) -> set[str]:
    """The name of a model without its owner, with and without its version."""
    name = model.rpartition("/")[2].lower().replace("_", "-")
    return {spelling for spelling in (name, VERSION.sub("", name)) if len(spelling) >= MIN_LENGTH}
