"""Information content: how much it says that something is of a term; from 0 for what holds of everything, to 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import DataError, UsageError
from assay.grammar import Param, one_of
from assay.ontology._ancestors import stretches
from assay.ontology._ontology import UNKNOWN, Ontology

CONTENT = Param(
    "ic",
    one_of("seco", "zhou", "annotations"),
    "seco",
    "where information content comes from: seco (how few terms are below), zhou (that and depth, half each), annotations",
)


def information_content(ontology: Ontology, source: str) -> Floats:
    """Of every term, from 0 to 1.

    seco: 1 − log(terms below, itself included) ÷ log(all terms), so all leaves have 1 (Seco, Veale & Hayes 2004, ECAI).
    zhou: half of that, half of log(depth + 1) ÷ log(maximum depth + 1) (Zhou, Wang & Gu 2008, FGCNS).
    annotations: −log(share of the annotated things) ÷ log(annotated things); a term that nothing has counts as one thing's.
    """
    if source == "annotations":
        if ontology.annotated is None:
            raise UsageError("ic=annotations needs an annotation file; without one, ic=seco reads the ontology's structure")
        return _rarity(np.maximum(ontology.annotated, 1), max(ontology.n_annotated, 1))
    by_structure = _rarity(ontology.ancestors.n_below, len(ontology))
    if source == "seco":
        return by_structure
    deepest = np.log(ontology.max_depth + 1)
    by_depth = np.log(ontology.depth + 1) / deepest if deepest else np.zeros(len(ontology))
    return 0.5 * by_structure + 0.5 * by_depth


def _rarity(counts: Ints, total: int) -> Floats:
    """1 for what there is one of, 0 for what all are."""
    if total == 1:
        return np.zeros(len(counts))
    return np.maximum(1 - np.log(counts) / np.log(total), 0.0)


def with_annotations(ontology: Ontology, annotations: Mapping[str, Iterable[str]]) -> Ontology:
    """The ontology with counts of annotated things: thing → ids of the terms it has.

    What has a term has everything above it. Ids that stand for no current term are left out, and so are things without any.
    """
    things = [ontology.numbers(ids) for ids in annotations.values()]
    term = np.concatenate([np.zeros(0, dtype=np.int64), *things])
    thing = np.repeat(np.arange(len(things)), [len(some) for some in things])
    thing, term = thing[term != UNKNOWN], term[term != UNKNOWN]
    if not len(term):
        raise DataError(f"not one annotation is of a term of {ontology.name}")
    above = ontology.ancestors
    rows, which = stretches(above.start[term], above.n_above[term])
    pairs = np.unique(thing[which] * len(ontology) + above.ancestor[rows])
    counts = np.bincount(pairs % len(ontology), minlength=len(ontology))
    return replace(ontology, annotated=counts, n_annotated=len(np.unique(thing)))
