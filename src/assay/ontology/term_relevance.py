"""Relevance by ontology: a term is as relevant as it is like the nearest expected term."""

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

THRESHOLD = Param("threshold", fraction, 0.4, "terms less alike than this are not relevant")
BY = Param(
    "by", one_of("graded", "binary"), "graded", "graded: the grade is the similarity; binary: it is 1 from `threshold` on"
)


class Corpus(NamedTuple):
    """What could have been retrieved: one id for each term that is there, and the term's number."""

    ids: Sequence[str]
    numbers: Ints
    over: str
    """scope: the documents a query may search; ontology: all its terms, where no document is one."""


def has_expected_terms(ground: Ground, query: Query) -> bool:
    """Whether the query has judgments; an empty list says that nothing is relevant."""
    return query.query_id in ground.qrels


def resolve_ontology(ground: Ground, queries: Sequence[Query], formula: str, threshold: float, by: str) -> dict[str, Judged]:
    """Expected terms have grade 1, others their similarity to the nearest of them, whatever grade that has; below the
    threshold it is 0, and so it is for terms that were judged not relevant. The ideal ranking holds the best terms of all
    documents the query may search, each term once: of several documents of one term the first is credited. An id that is
    no term is relevant only where it is expected.
    """
    ontology: Ontology | None = getattr(ground.context, "ontology", None)
    if ontology is None:
        raise UsageError("relevance by ontology needs an ontology: --ontology FILE, or ontology: FILE in a plan")
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
    """The grade of each term of the ontology, given the numbers of the expected ones."""
    known = expected[expected != UNKNOWN]
    nearest = np.zeros(len(ontology))
    for number in known.tolist():
        np.maximum(nearest, similarity.with_all(ontology, number), out=nearest)
    nearest[nearest < threshold - ROUNDING] = 0.0
    grades = (nearest > 0).astype(float) if is_binary else nearest
    grades[known] = 1.0
    return grades


def _exclude_judged(ontology: Ontology, grades: Floats, expected: Sequence[str], wrong: Sequence[str]) -> None:
    """What somebody judged not relevant is not, however like it is; unless the same term is expected under another id."""
    numbers = np.setdiff1d(ontology.numbers(wrong), ontology.numbers(expected))
    grades[numbers[numbers != UNKNOWN]] = 0.0


def _corpus(ground: Ground, ontology: Ontology, query: Query) -> Corpus:
    """The documents that are terms; where there are none, all terms."""
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
    """The grade of each hit; and which terms hits stand for, by number, or by id where it is no term."""
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
    """What is relevant and was not retrieved; an expected term counts even where no document is it."""
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
