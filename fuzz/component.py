"""Component: one thing that reads input, with examples to mutate; and how all of them are found."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random

from fuzz import components


class SilentDifference(Exception):
    """Two ways to read one input that do not agree, or a value that changed on its way through a file."""


@dataclass(frozen=True)
class Component:
    """What reads bytes: `check` returns where it accepts, raises AssayError where it refuses; all else is a fault."""

    name: str
    check: Callable[[bytes], object]
    seeds: Callable[[], Sequence[bytes]]
    """Valid inputs, which mutations begin with; made when they are first needed."""
    shape: str = "text"
    """How it is mutated: `bytes`, `text`, `json`, `jsonl`, `yaml`, `folder` (several files) or `request`."""
    tokens: tuple[bytes, ...] = ()
    """Words of its language, which are put in."""
    make: Callable[[Random], bytes] | None = None
    """Makes input from a grammar, for a third of all inputs."""
    refusals: tuple[type[BaseException], ...] = ()
    """Documented builtin exceptions that refuse input, besides AssayError."""
    longest: int = 20_000
    """Bytes of an input; what grows beyond is cut."""
    share: float = 1.0
    """Of inputs, beside the others: an endpoint, of which there are many, has less."""
    may_run: bool = False
    """Whether the user writes it, so that `python:canary:run` in it may import a module."""
    covers: tuple[str, ...] = ()
    """What a law asks for: `format beir`, `saved result`, `endpoint GET /api/v1/results`."""

    @cached_property
    def examples(self) -> tuple[bytes, ...]:
        """The seeds, made once."""
        return tuple(self.seeds())


MORE = "ASSAY_FUZZ_MORE"
"""A variable of the environment that names a module with more components."""


def find_component(home: str, name: str) -> Component:
    """The component of that name in one module; the others are not imported."""
    return next(one for one in importlib.import_module(home).COMPONENTS if one.name == name)


@cache
def all_homes() -> dict[str, str]:
    """Name of a component → the module that lists it. Two of one name are an error."""
    found: dict[str, str] = {}
    names = [f"fuzz.components.{one.name}" for one in pkgutil.iter_modules(components.__path__) if one.name[0] != "_"]
    for home in [*names, *filter(None, [os.environ.get(MORE)])]:
        for one in importlib.import_module(home).COMPONENTS:
            if one.name in found:
                raise ValueError(f"two components are called {one.name}")
            found[one.name] = home
    return dict(sorted(found.items()))


@cache
def all_components() -> dict[str, Component]:
    """Name → component: what the files of `fuzz.components` list as COMPONENTS."""
    return {name: find_component(home, name) for name, home in all_homes().items()}
