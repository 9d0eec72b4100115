"""Relevance by ontology: the relevance of a term is its similarity to the nearest expected term."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import UsageError
from assay.grammar import Param, fraction, one_of
from assay.model import Query
from assay.ontology.ontology import UNKNOWN, Ontology
from assay.ontology.similarity import FORMULA, BoundSimilarity, parse_similarity
from assay.relevance import ROUNDING, Ground, Judged, Resolver

THRESHOLD = Param("threshold", fraction, 0.4, "lowest similarity at which a term is relevant")
BY = Param(
    "by",
    one_of("graded", "binary"),
    "graded",
    "graded: the grade is the similarity; binary: the grade is 1. Below `threshold` it is 0",
)


class Corpus(NamedTuple):
    """What could have been retrieved: an id for each term that has a document, and the number of the term."""

    ids: Sequence[str]
    numbers: Ints
    over: str
    """scope: the documents that a query may search; ontology: all terms, if no document is a term."""


def has_expected_terms(ground: Ground, query: Query) -> bool:
    """Whether the query has judgments; an empty list means that nothing is relevant."""
    return query.query_id in ground.qrels


def resolve_ontology(ground: Ground, queries: Sequence[Query], formula: str, threshold: float, by: str) -> dict[str, Judged]:
    """Expected terms have grade 1. The grade of any other term is its similarity to the nearest expected term; the grade of
    the expected term has no effect. The grade is 0 below the threshold and for terms that were judged not relevant. The
    ideal ranking has the best terms of all documents in the scope of the query, each term once; of several documents with
    the same term, only the first counts. An id that is not a term is relevant only if it is expected.
    """
    ontology: Ontology | None = getattr(ground.context, "ontology", None)
    if ontology is None:
        raise UsageError("relevance by ontology needs an ontology. Use --ontology FILE, or ontology: FILE in a plan")
    similarity = parse_similarity(formula)
    corpora: dict[str | None, Corpus] = {}
    judged = {}
    for query in queries:
        grade_of = ground.qrels[query.query_id]
        expected = [doc for doc, grade in grade_of.items() if grade > 0]
        grades = term_grades(ontology, similarity, ontology.numbers(expected), threshold, is_binary=by == "binary")
        _exclude_judged(ontology, grades, expected, [doc for doc, grade in grade_of.items() if grade <= 0])
        if query.scope not in corpora:
            corpora[query.scope] = _corpus(ground, ontology, query)
        corpus = corpora[query.scope]
        retrieved, seen = _retrieved(ground, ontology, query, set(expected), grades)
        judged[query.query_id] = Judged(
            _missed(ontology, expected, grades, corpus, seen) | retrieved,
            counted_over=corpus.over,
            is_levelled=len({grade_of[doc] for doc in expected}) > 1,
        )
    return judged


def term_grades(
    ontology: Ontology, similarity: BoundSimilarity, expected: Ints, threshold: float, *, is_binary: bool
) -> Floats:
    """The grade of each term of the ontology, given the numbers of the expected terms."""
    known = expected[expected != UNKNOWN]
    nearest = np.zeros(len(ontology))
    for number in known.tolist():
        np.maximum(nearest, similarity.with_all(ontology, number), out=nearest)
    nearest[nearest < threshold - ROUNDING] = 0.0
    grades = (nearest > 0).astype(float) if is_binary else nearest
    grades[known] = 1.0
    return grades


def _exclude_judged(ontology: Ontology, grades: Floats, expected: Sequence[str], wrong: Sequence[str]) -> None:
    """Set the grade of terms judged not relevant to 0, unless the same term is expected under another id."""
    numbers = np.setdiff1d(ontology.numbers(wrong), ontology.numbers(expected))
    grades[numbers[numbers != UNKNOWN]] = 0.0


def _corpus(ground: Ground, ontology: Ontology, query: Query) -> Corpus:
    """The documents that are terms; all terms of the ontology if there are none."""
    documents: Iterable[str] = ground.documents if query.scope is None else ground.scopes.get(query.scope, ())
    ids = list(documents)
    numbers, first = np.unique(ontology.numbers(ids), return_index=True)
    first, numbers = first[numbers != UNKNOWN], numbers[numbers != UNKNOWN]
    if not len(numbers):
        return Corpus(ontology.ids, np.arange(len(ontology)), "ontology")
    return Corpus([ids[place] for place in first.tolist()], numbers, "scope")


def _retrieved(
    ground: Ground, ontology: Ontology, query: Query, expected: set[str], grades: Floats
) -> tuple[dict[str, float], set[int | str]]:
    """The grade of each hit; and the terms of the hits, by number, or by id if it is not a term."""
    ids = [hit.doc_id for hit in ground.hits.get(query.query_id, ())]
    owners = ids if ground.document_of is None else list(map(ground.document_of, ids))
    seen: set[int | str] = set()
    worths: dict[str, float] = {}
    for doc, owner, number in zip(ids, owners, ontology.numbers(owners).tolist(), strict=True):
        term = owner if number == UNKNOWN else number
        worth = float(owner in expected) if number == UNKNOWN else float(grades[number])
        worths[doc] = 0.0 if term in seen else worth
        seen.add(term)
    return worths, seen


def _missed(
    ontology: Ontology, expected: Sequence[str], grades: Floats, corpus: Corpus, seen: set[int | str]
) -> dict[str, float]:
    """Relevant terms that were not retrieved; an expected term counts even if it has no document."""
    relevant = np.flatnonzero(grades[corpus.numbers]).tolist()
    numbers = corpus.numbers[relevant].tolist()
    there = {
        corpus.ids[place]: float(grades[number])
        for place, number in zip(relevant, numbers, strict=True)
        if number not in seen
    }
    stood_for = seen | set(numbers)
    for doc, number in zip(expected, ontology.numbers(expected).tolist(), strict=True):
        term = doc if number == UNKNOWN else number
        if term not in stood_for:
            there[doc] = 1.0
            stood_for.add(term)
    return there


ONTOLOGY = Resolver(
    "ontology",
    "similarity to the nearest expected term in an ontology",
    has_expected_terms,
    resolve_ontology,
    (FORMULA, THRESHOLD, BY),
    needs="judgments",
    needs_domain=True,
)
