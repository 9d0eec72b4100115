"""Similarity: the record of a similarity of terms, how it is parsed and applied, and information content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.catalog import Described, find_by_any_name, load_entries
from assay.errors import BadParameter, DataError, UnknownName, UsageError
from assay.grammar import Param, changed_settings, one_of, parse_settings, split_call, written
from assay.ontology.ancestors import CommonAncestors, expand_ranges
from assay.ontology.ontology import UNKNOWN, Ontology


@dataclass(frozen=True)
class Similarity(Described):
    """A similarity of two terms: 0 for terms with nothing in common, 1 for a term and itself.

    The docstring of its function says what it is based on, then the edge cases.
    """

    name: str
    function: Callable[..., Floats]
    """Ontology, pairs with their common ancestors, and parameters → a number for each pair."""
    params: tuple[Param, ...] = ()
    aliases: tuple[str, ...] = ()
    formula: str = ""
    cite: str = ""
    is_normalised: bool = True
    """Whether a term and itself score 1."""
    only_identical: bool = True
    """Whether only a term and itself score 1."""


@dataclass(frozen=True)
class BoundSimilarity:
    """A similarity with its parameters."""

    similarity: Similarity
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its text: `hybrid`, `lin(ic=zhou)`."""
        return written(self.similarity.name, changed_settings(self.similarity.params, self.params))

    @property
    def reads_annotations(self) -> bool:
        """Whether its information content comes from annotations."""
        return self.params.get("ic") == "annotations"

    def of_pairs(self, ontology: Ontology, a: Ints, b: Ints) -> Floats:
        """The similarity of many pairs of terms, given by number; 0 for an unknown term (-1).

        Each pair is computed only once, however often it occurs; the order of its terms does not matter.
        """
        similarities = np.zeros(len(a))
        known = np.flatnonzero((a != UNKNOWN) & (b != UNKNOWN))
        low, high = np.minimum(a[known], b[known]), np.maximum(a[known], b[known])
        keys, place = np.unique(low * len(ontology) + high, return_inverse=True)
        parts = [
            self._of(ontology, common) for common in ontology.ancestors.common(keys // len(ontology), keys % len(ontology))
        ]
        if parts:
            similarities[known] = np.concatenate(parts)[place]
        return similarities

    def with_all(self, ontology: Ontology, number: int) -> Floats:
        """The similarity of a term to each term of the ontology."""
        if number == UNKNOWN:
            return np.zeros(len(ontology))
        return self._of(ontology, ontology.ancestors.common_with_all(number))

    def _of(self, ontology: Ontology, common: CommonAncestors) -> Floats:
        values = np.clip(self.similarity.function(ontology, common, **self.params), 0.0, 1.0)
        return np.where(common.a == common.b, 1.0, values) if self.similarity.is_normalised else values


@cache
def all_similarities() -> dict[str, Similarity]:
    """Name → similarity, sorted by name."""
    return dict(load_entries("assay.ontology.catalog", Similarity, "assay.ontology"))


@cache
def parse_similarity(text: str) -> BoundSimilarity:
    """Parse `hybrid`, `lin(ic=zhou)`; aliases are accepted."""
    name, settings = split_call(text)
    similarity = find_by_any_name("similarity", name, all_similarities())
    return BoundSimilarity(similarity, parse_settings(text, similarity.name, similarity.params, settings))


class FormulaParser:
    """Parses the name of a similarity; the catalog is loaded at the first use."""

    def __call__(self, text: str) -> str:
        """Its canonical name: `hybrid`, `lin(ic=zhou)`."""
        try:
            return parse_similarity(text).name
        except UnknownName:
            raise ValueError(f"one of {', '.join(self.choices)}") from None
        except BadParameter as error:
            raise ValueError(f"a similarity such as lin(ic=zhou) ({error})") from None

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of all similarities."""
        return tuple(all_similarities())


FORMULA = Param(
    "formula", FormulaParser(), "hybrid", "similarity of two terms, such as hybrid or lin(ic=zhou)", ("similarity",)
)
"""The parameter that names a similarity, for metrics and resolvers."""


CONTENT = Param(
    "ic",
    one_of("seco", "zhou", "annotations"),
    "seco",
    "source of information content: seco (number of descendants), zhou (descendants and depth, half each) or annotations",
)


def information_content(ontology: Ontology, source: str) -> Floats:
    """The information content of every term, from 0 to 1.

    seco: 1 − log(descendants, including itself) ÷ log(all terms), so all leaves have 1 (Seco, Veale & Hayes 2004, ECAI).
    zhou: half of seco plus half of log(depth + 1) ÷ log(maximum depth + 1) (Zhou, Wang & Gu 2008, FGCNS).
    annotations: −log(share of the annotated items) ÷ log(annotated items); a term without items counts as if it had one.
    """
    if source == "annotations":
        if ontology.annotated is None:
            raise UsageError(
                "ic=annotations needs a file of annotations: --annotations FILE, or annotations= in Python. "
                "Without a file, use ic=seco"
            )
        return _rarity(np.maximum(ontology.annotated, 1), max(ontology.n_annotated, 1))
    by_structure = _rarity(ontology.ancestors.n_below, len(ontology))
    if source == "seco":
        return by_structure
    deepest = np.log(ontology.max_depth + 1)
    by_depth = np.log(ontology.depth + 1) / deepest if deepest else np.zeros(len(ontology))
    return 0.5 * by_structure + 0.5 * by_depth


def _rarity(counts: Ints, total: int) -> Floats:
    """1 for a count of 1, 0 for a count of all."""
    if total == 1:
        return np.zeros(len(counts))
    return np.maximum(1 - np.log(counts) / np.log(total), 0.0)


def with_annotations(ontology: Ontology, annotations: Mapping[str, Iterable[str]]) -> Ontology:
    """The ontology with counts of annotated items, from item → ids of its terms.

    An item with a term also has all ancestors of the term. Ids without a current term and items without terms are left out.
    """
    things = [ontology.numbers(ids) for ids in annotations.values()]
    term = np.concatenate([np.zeros(0, dtype=np.int64), *things])
    thing = np.repeat(np.arange(len(things)), [len(some) for some in things])
    thing, term = thing[term != UNKNOWN], term[term != UNKNOWN]
    if not len(term):
        raise DataError(f"none of the annotations has a term of {ontology.name}")
    above = ontology.ancestors
    rows, which = expand_ranges(above.start[term], above.n_above[term])
    pairs = np.unique(thing[which] * len(ontology) + above.ancestor[rows])
    counts = np.bincount(pairs % len(ontology), minlength=len(ontology))
    return replace(ontology, annotated=counts, n_annotated=len(np.unique(thing)))
