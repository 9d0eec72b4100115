"""`phentrieve.evaluation.metrics`: what a Chroma-shaped result is worth for one test case.

Expected ids are a list, or one id as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.compat._checked_value import checked
from assay.compat.phentrieve._ranked_terms import ranked_terms
from assay.compat.phentrieve._terms import Terms, term_list
from assay.evaluation import evaluate_metrics
from assay.grammar import cutoff
from assay.metrics import all_metrics, find_metric, grade_query, score_query
from assay.ontology import Ontology, parse_similarity

Results = Mapping[str, Any] | None
"""What Chroma returns for one query: `{"ids": [[…]], "metadatas": [[{"hpo_id": …}]], "distances": [[…]]}`."""


def mean_reciprocal_rank(results: Results, expected_ids: Terms) -> float:
    """1 ÷ the rank of the first expected term; 0.0 where there is none. The mean is over cases, and the caller's."""
    return _score("mrr", results, _binary(expected_ids))


def hit_rate_at_k(results: Results, expected_ids: Terms, k: int = 5) -> float:
    """1.0 if any expected term is among the first k, else 0.0."""
    return _score("hit", results, _binary(expected_ids), k=checked(cutoff, "k", k))


def ndcg_at_k(
    results: Results, expected_ids: Terms, k: int = 10, relevance_scores: Mapping[str, float] | None = None
) -> float:
    """Discounted gain of the first k ÷ the best possible. An expected id without a relevance score has 1.0."""
    scores = relevance_scores or {}
    return _score("ndcg", results, {one: scores.get(one, 1.0) for one in term_list(expected_ids)}, k=checked(cutoff, "k", k))


def recall_at_k(results: Results, expected_ids: Terms, k: int = 10) -> float:
    """The share of the expected terms that is among the first k."""
    return _score("recall", results, _binary(expected_ids), k=checked(cutoff, "k", k))


def precision_at_k(results: Results, expected_ids: Terms, k: int = 10) -> float:
    """The share of the first k that is expected; fewer than k hits are divided by their own number."""
    return _score("precision", results, _binary(expected_ids), k=checked(cutoff, "k", k), over="retrieved")


def average_precision_at_k(results: Results, expected_ids: Terms, k: int = 10) -> float:
    """Precision at each expected term within the first k, summed, ÷ min(k, expected)."""
    return _score("map", results, _binary(expected_ids), k=checked(cutoff, "k", k), norm="min")


def calculate_test_case_max_ont_sim(
    expected_ids: Terms,
    retrieved_ids: Terms,
    formula: str = "hybrid",
    ontology: Ontology | str | Path | None = None,
) -> float:
    """The best similarity of any expected and any retrieved term; 1.0 for the same id, and for nothing else.

    `formula` is a similarity of the catalog: hybrid, simple, lin … HPO needs no `ontology`; other terms need its file.
    """
    expected, retrieved = term_list(expected_ids), term_list(retrieved_ids, "retrieved_ids")
    metric = find_metric(f"max_ont_sim(formula={parse_similarity(formula).name})")
    if not expected or not retrieved:
        return 0.0
    found = evaluate_metrics({"case": dict.fromkeys(expected, 1)}, {"case": retrieved}, [metric], ontology=ontology)
    return float(found[metric.name])


def _binary(expected_ids: Terms) -> dict[str, float]:
    return dict.fromkeys(term_list(expected_ids), 1.0)


def _score(name: str, results: Results, grades: Mapping[str, float], **settings: Any) -> float:
    return score_query(all_metrics()[name].bind(**settings), grade_query(ranked_terms(results), grades))
