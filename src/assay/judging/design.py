"""Design: the record of one way to choose pairs for judging, how it is parsed, and draws with known probabilities."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats, Ints
from assay.catalog import Described, find_by_any_name, load_entries
from assay.errors import BadParameter
from assay.grammar import REQUIRED, Param, changed_settings, parse_settings, split_arguments, split_call, written
from assay.judging.frame import Frame

PAIRS, QUERIES, DIFFERENCE, NOTHING = "pairs", "queries", "difference", ""
"""What a design draws at random: pairs, whole queries, pairs for the difference of two systems, or nothing."""

NAMED = re.compile(r"\s*\w+\s*=")
ROUNDING = 1e-9
"""Sums of probabilities that are this close to a whole number are that number."""


class Request(NamedTuple):
    """How many pairs to draw, the source of random numbers, and the grades that are known already."""

    pairs: int
    random: np.random.Generator
    judged: Mapping[str, Mapping[str, float]] = {}


class Draw(NamedTuple):
    """The outcome of a design for the pairs of a frame."""

    probability: Floats
    """For each pair: the probability that it is drawn; 0 if it cannot be drawn."""
    order: Ints
    """The pairs that were drawn, in the order in which they should be judged."""


@dataclass(frozen=True)
class Design(Described):
    """One way to choose pairs. The docstring of its function says how it chooses, then the edge cases."""

    name: str
    function: Callable[..., Draw]
    """`Frame`, `Request` and parameters → `Draw`."""
    params: tuple[Param, ...] = ()
    aliases: tuple[str, ...] = ()
    unit: str = NOTHING
    """What is drawn at random, which decides what can be estimated; empty if nothing is."""
    arguments: tuple[str, ...] = ()
    """Parameters that may be written without their names, in this order: `difference(bm25, dense)`."""
    cite: str = ""


@dataclass(frozen=True)
class BoundDesign:
    """A design with its parameters."""

    design: Design
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name with its settings: `difference(a=bm25, b=dense)`."""
        return written(self.design.name, changed_settings(self.design.params, self.params))

    @property
    def unit(self) -> str:
        """What is drawn at random."""
        return self.design.unit

    def draw(self, frame: Frame, request: Request) -> Draw:
        """Draw pairs of a frame."""
        return self.design.function(frame, request, **self.params)


@cache
def all_designs() -> dict[str, Design]:
    """Name → design, sorted by name."""
    return dict(load_entries("assay.judging.catalog", Design, "assay.judging"))


def parse_design(text: str) -> BoundDesign:
    """Parse `spread`, `whole(queries=30)` or `difference(bm25, dense)`."""
    name, _, inside = text.strip().partition("(")
    design = find_by_any_name("design", name, all_designs())
    parts = split_arguments(inside.removesuffix(")"))
    positional = [part for part in parts if not NAMED.match(part)]
    if len(positional) > len(design.arguments):
        raise BadParameter(f"{text}: write parameters as name=value, not {positional[-1]!r}")
    named = [f"{param}={value}" for param, value in zip(design.arguments, positional, strict=False)]
    rest = [part for part in parts if NAMED.match(part)]
    _, settings = split_call(f"{design.name}({', '.join([*named, *rest])})")
    params = parse_settings(text, design.name, design.params, settings)
    if lacking := [param for param in design.params if params[param.name] is REQUIRED]:
        example = f"{design.name}({', '.join(param.name for param in design.params)})"
        raise BadParameter(f"{text}: {design.name} needs {lacking[0].name} ({lacking[0].meaning}), as in {example}")
    return BoundDesign(design, params)


# Draws with unequal probabilities


def capped_probabilities(size: Floats, n: int) -> Floats:
    """Probabilities in proportion to a size that add up to n; at most 1, and 0 for a size of 0.

    If a pair would exceed 1, it is certain, and the others share the rest. If n is too large, every pair with a size is
    certain.
    """
    probability = np.zeros(len(size))
    left = size > 0
    if n >= np.count_nonzero(left):
        return left.astype(float)
    while True:
        rest = n - float(np.count_nonzero(probability == 1.0))
        probability[left] = rest * size[left] / size[left].sum()
        certain = left & (probability >= 1.0)
        if not certain.any():
            return probability
        probability[certain] = 1.0
        left &= ~certain


def systematic_draw(probability: Floats, order: Ints, random: np.random.Generator) -> Ints:
    """Pairs drawn with these probabilities: equal steps from a random start along the pairs in an order (Madow 1949)."""
    ends = np.cumsum(probability[order])
    whole = np.rint(ends)
    ends = np.where(np.abs(ends - whole) < ROUNDING, whole, ends)
    n_points = np.ceil(ends - random.random())
    return order[np.diff(n_points, prepend=0.0) > 0]


def query_by_query(frame: Frame, random: np.random.Generator) -> Ints:
    """All pairs, with the queries in random order and the documents of a query in random order."""
    return np.lexsort((random.permutation(frame.n_pairs), random.permutation(len(frame.queries))[frame.query]))
