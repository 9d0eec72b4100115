"""Similarity: the record every similarity file ends in, and how one is named and applied to many pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.catalog import Described, find_by_any_name, load_entries
from assay.grammar import Param, changed_settings, parse_settings, split_call, written
from assay.ontology._ancestors import Common
from assay.ontology._ontology import UNKNOWN, Ontology


@dataclass(frozen=True)
class Similarity(Described):
    """One way to say how alike two terms are: 0 for terms with nothing in common, 1 for a term and itself.

    Its function's docstring says what it goes by, and then what happens at the edges.
    """

    name: str
    function: Callable[..., Floats]
    """Ontology, pairs with their common ancestors, and parameters → one number for each pair."""
    params: tuple[Param, ...] = ()
    aliases: tuple[str, ...] = ()
    formula: str = ""
    cite: str = ""
    is_normalised: bool = True
    """Whether a term and itself score 1."""
    only_identical: bool = True
    """Whether nothing but a term and itself scores 1."""


@dataclass(frozen=True)
class BoundSimilarity:
    """A similarity with its parameters."""

    similarity: Similarity
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How it is written: `hybrid`, `lin(ic=zhou)`."""
        return written(self.similarity.name, changed_settings(self.similarity.params, self.params))

    @property
    def reads_annotations(self) -> bool:
        """Whether its information content is counted from annotations."""
        return self.params.get("ic") == "annotations"

    def of_pairs(self, ontology: Ontology, a: Ints, b: Ints) -> Floats:
        """How alike the terms of many pairs are, by their numbers. An unknown term (-1) is like nothing.

        Each pair is worked out once, however often it comes; order does not matter.
        """
        found = np.zeros(len(a))
        known = np.flatnonzero((a != UNKNOWN) & (b != UNKNOWN))
        low, high = np.minimum(a[known], b[known]), np.maximum(a[known], b[known])
        keys, place = np.unique(low * len(ontology) + high, return_inverse=True)
        parts = [
            self._of(ontology, common) for common in ontology.ancestors.common(keys // len(ontology), keys % len(ontology))
        ]
        if parts:
            found[known] = np.concatenate(parts)[place]
        return found

    def with_all(self, ontology: Ontology, number: int) -> Floats:
        """How alike a term is to each term of the ontology."""
        if number == UNKNOWN:
            return np.zeros(len(ontology))
        return self._of(ontology, ontology.ancestors.common_with_all(number))

    def _of(self, ontology: Ontology, common: Common) -> Floats:
        values = np.clip(self.similarity.function(ontology, common, **self.params), 0.0, 1.0)
        return np.where(common.a == common.b, 1.0, values) if self.similarity.is_normalised else values


@cache
def all_similarities() -> dict[str, Similarity]:
    """Name → similarity, sorted by name."""
    return load_entries("assay.ontology", Similarity, "assay.ontology")


@cache
def parse_similarity(text: str) -> BoundSimilarity:
    """`hybrid`, `lin(ic=zhou)`; other names people use are understood."""
    name, settings = split_call(text)
    similarity = find_by_any_name("similarity", name, all_similarities())
    return BoundSimilarity(similarity, parse_settings(text, similarity.name, similarity.params, settings))
