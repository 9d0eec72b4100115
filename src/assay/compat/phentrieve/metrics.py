"""Phentrieve's metrics over Chroma-shaped results, and how the HPO ids of such a result are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.compat.arguments import checked, credited_once
from assay.errors import DataError
from assay.evaluation import evaluate_metrics
from assay.grammar import cutoff
from assay.metrics import all_metrics, find_metric, grade_query, score_query
from assay.model import text_id
from assay.ontology import Ontology, parse_similarity
from assay.text import shortened

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
    return _score(
        "ndcg", results, {term: scores.get(term, 1.0) for term in term_list(expected_ids)}, k=checked(cutoff, "k", k)
    )


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
    options = {} if ontology is None else {"ontology": ontology}
    result = evaluate_metrics({"case": dict.fromkeys(expected, 1)}, {"case": retrieved}, [metric], options=options)
    return float(result[metric.name])


def _binary(expected_ids: Terms) -> dict[str, float]:
    return dict.fromkeys(term_list(expected_ids), 1.0)


def _score(name: str, results: Results, grades: Mapping[str, float], **settings: Any) -> float:
    return score_query(all_metrics()[name].bind(**settings), grade_query(ranked_terms(results), grades))


TERM = "hpo_id"
"""Where the metadata of a hit says which term it is."""
_LOOKS_LIKE_A_TERM = re.compile(r"[A-Z][A-Za-z]*[:_][0-9]+")


def ranked_terms(results: Mapping[str, Any] | None) -> list[str]:
    """The term of each hit by its metadata, or its id where metadata say nothing of terms; none where there are no hits.

    A hit without a term, and one whose term came before, hold their rank under a name that no term has. Metadata that name
    no term at all, beside ids that are none, are refused: terms must stand under another name there.
    """
    if not results:
        return []
    if not isinstance(results, Mapping):
        raise DataError(f"expected what Chroma returns, {{'ids': [[…]], 'metadatas': [[…]]}}, found {shortened(results)}")
    ids, metadatas = _of_one_query(results, "ids"), _of_one_query(results, "metadatas")
    if not metadatas or not any(metadatas):
        return credited_once(ids or [""] * len(metadatas or ()))
    if ids is not None and len(ids) != len(metadatas):
        raise DataError(f"ids and metadatas belong together one by one; found {len(ids)} and {len(metadatas)}")
    known = [_metadata(metadata) for metadata in metadatas]
    if not any(TERM in metadata for metadata in known):
        _check_has_terms(known, ids or ())
    return credited_once(_term(*hit) for hit in zip(known, ids or [""] * len(known), strict=True))


def _metadata(metadata: Any) -> Mapping[str, Any]:
    if metadata is not None and not isinstance(metadata, Mapping):
        raise DataError(f"metadatas: expected a map with {TERM} for each hit, found {shortened(metadata)}")
    return metadata or {}


def _term(metadata: Mapping[str, Any], own: Any) -> Any:
    """What metadata say, be it nothing; the hit's own id where they do not say."""
    return (metadata[TERM] or "") if TERM in metadata else own


def _check_has_terms(metadatas: Sequence[Mapping[str, Any]], ids: Sequence[Any]) -> None:
    if not any(isinstance(id_, str) and _LOOKS_LIKE_A_TERM.fullmatch(id_) for id_ in ids):
        names = ", ".join(dict.fromkeys(str(name) for metadata in metadatas for name in metadata))
        message = f"metadatas: no hit says its {TERM}, and ids are not like HP:0001250 either; found {names}"
        raise DataError(message)


def _of_one_query(results: Mapping[str, Any], key: str) -> Sequence[Any] | None:
    """The list of the only query; None where the key is missing or empty."""
    lists = results.get(key)
    if not lists:
        return None
    if not isinstance(lists, list | tuple) or not all(isinstance(values, list | tuple) for values in lists):
        raise DataError(f"{key}: expected a list with the list of one query, as Chroma returns it, found {shortened(lists)}")
    if len(lists) > 1:
        raise DataError(f"{key}: these are the results of {len(lists)} queries; hand over one query's at a time")
    return lists[0]


Terms = str | Iterable[str]


def term_list(ids: Any, name: str = "expected_ids") -> list[str]:
    """The ids, each once; a text is one id, and never taken letter by letter. None is no id."""
    if ids is None:
        return []
    if isinstance(ids, str):
        return [ids]
    if isinstance(ids, bytes) or not isinstance(ids, Iterable):
        raise DataError(f"{name} is a list of ids, or one id as text; found {shortened(ids)}")
    return list(dict.fromkeys(map(text_id, ids)))
