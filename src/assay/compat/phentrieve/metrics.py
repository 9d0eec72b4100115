"""Phentrieve's metrics over results as Chroma returns them, and the HPO ids of such results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from assay.compat.arguments import checked, credited_once
from assay.compat.phentrieve.differences import DIFFERENCES
from assay.errors import DataError, UnknownName, near_matches
from assay.evaluation import evaluate_metrics
from assay.grammar import cutoff
from assay.metrics import all_metrics, find_metric, grade_query, score_query
from assay.model import text_id
from assay.ontology import Ontology, parse_similarity
from assay.text import shortened

Results = Mapping[str, Any] | None
"""What Chroma returns for one query: `{"ids": [[…]], "metadatas": [[{"hpo_id": …}]], "distances": [[…]]}`."""


def mean_reciprocal_rank(results: Results, expected_ids: Terms) -> float:
    """1 ÷ the rank of the first expected term; 0.0 if there is none. The caller computes the mean over cases."""
    return _score("mrr", results, expected_ids)


def hit_rate_at_k(results: Results, expected_ids: Terms, k: int = 5) -> float:
    """1.0 if any expected term is among the first k, else 0.0."""
    return _score("hit", results, expected_ids, k=checked(cutoff, "k", k))


def ndcg_at_k(
    results: Results, expected_ids: Terms, k: int = 10, relevance_scores: Mapping[str, float] | None = None
) -> float:
    """Discounted gain of the first k ÷ the best possible gain. An expected id without a relevance score counts 1.0."""
    return _score("ndcg", results, expected_ids, relevance_scores or {}, k=checked(cutoff, "k", k))


def recall_at_k(results: Results, expected_ids: Terms, k: int = 10) -> float:
    """The share of the expected terms among the first k."""
    return _score("recall", results, expected_ids, k=checked(cutoff, "k", k))


def precision_at_k(results: Results, expected_ids: Terms, k: int = 10) -> float:
    """The share of the first k that is expected. With fewer than k hits, the number of hits is the divisor."""
    return _score("precision", results, expected_ids, k=checked(cutoff, "k", k), over="retrieved")


def average_precision_at_k(results: Results, expected_ids: Terms, k: int = 10) -> float:
    """The sum of the precision at each expected term among the first k, ÷ min(k, expected)."""
    return _score("map", results, expected_ids, k=checked(cutoff, "k", k), norm="min")


class SimilarityFormula(Enum):
    """The formulas for the similarity of two terms, under Phentrieve's names."""

    SIMPLE_RESNIK_LIKE = "simple_resnik_like"
    """Depth of the lowest common ancestor ÷ the largest depth; `simple` in assay."""
    HYBRID = "hybrid"
    """Depth of the lowest common ancestor and distance of the terms from it; `hybrid` in assay."""

    @classmethod
    def from_string(cls, formula_str: str) -> SimilarityFormula:
        """The formula of a name. Phentrieve uses HYBRID for an unknown name; here it is an error."""
        name = str(formula_str).strip().lower()
        if name not in FORMULAS:
            raise UnknownName("similarity formula", name, near_matches(name, FORMULAS), f"choose from {', '.join(FORMULAS)}")
        return FORMULAS[name]


FORMULAS = {
    **dict.fromkeys(("simple", "simple_resnik", "simple_resnik_like"), SimilarityFormula.SIMPLE_RESNIK_LIKE),
    **dict.fromkeys(("hybrid", "complex"), SimilarityFormula.HYBRID),
}
"""The names that Phentrieve accepts."""
IN_ASSAY = {SimilarityFormula.SIMPLE_RESNIK_LIKE: "simple", SimilarityFormula.HYBRID: "hybrid"}


def similarity_name(formula: str | SimilarityFormula) -> str:
    """The formula in assay's catalog: of a name or a member of Phentrieve, or any other formula of the catalog."""
    if not isinstance(formula, SimilarityFormula):
        if formula.strip().lower() not in FORMULAS:
            return parse_similarity(formula).name
        formula = SimilarityFormula.from_string(formula)
    return parse_similarity(IN_ASSAY[formula]).name


def calculate_test_case_max_ont_sim(
    expected_ids: Terms,
    retrieved_ids: Terms,
    formula: str | SimilarityFormula = SimilarityFormula.HYBRID,
    ontology: Ontology | str | Path | None = None,
) -> float:
    """The highest similarity of any expected and any retrieved term; 1.0 only for the same id.

    `formula` is a `SimilarityFormula` or its name, or a similarity of the catalog: hybrid, simple, lin … HPO needs no
    `ontology`; other terms need their file.
    """
    expected, retrieved = term_list(expected_ids), term_list(retrieved_ids, "retrieved_ids")
    metric = find_metric(f"max_ont_sim(formula={similarity_name(formula)})")
    if not expected or not retrieved:
        return 0.0
    options = {} if ontology is None else {"ontology": ontology}
    result = evaluate_metrics({"case": dict.fromkeys(expected, 1)}, {"case": retrieved}, [metric], options=options)
    similarity = float(result[metric.name])
    if 0 < similarity < 1:
        DIFFERENCES.warn("depth")
    if similarity > 0 and isinstance(expected_ids, str):
        DIFFERENCES.warn("expected text")
    return similarity


BY_COPIES = ("map", "ndcg", "precision")
"""Metrics that the copies of a retrieved term change in the original."""
BY_EXPECTED = ("map", "ndcg", "recall")
"""Metrics that divide by the expected ids."""


def _score(
    name: str, results: Results, expected_ids: Terms, grades: Mapping[str, float] | None = None, **settings: Any
) -> float:
    terms, gains = terms_of(results), grades or {}
    expected = {term: gains.get(term, 1.0) for term in term_list(expected_ids)}
    score = score_query(all_metrics()[name].bind(**settings), grade_query(credited_once(terms.ranked), expected))
    first = terms.ranked[: settings.get("k")]
    if name in BY_COPIES and any(term in expected and first.count(term) > 1 for term in set(first)):
        DIFFERENCES.warn("twice")
    if any(term in expected for term in first if term in terms.ids):
        DIFFERENCES.warn("ids as terms")
    if name in BY_EXPECTED and score > 0:
        _warn_of_expected(expected_ids)
    return score


def _warn_of_expected(expected_ids: Terms) -> None:
    """Warn of expected ids that the original reads in another way."""
    if isinstance(expected_ids, str):
        DIFFERENCES.warn("expected text")
    elif isinstance(expected_ids, Sequence) and len(set(expected_ids)) < len(expected_ids):
        DIFFERENCES.warn("expected twice")


TERM = "hpo_id"
"""The metadata field for the term of a hit."""
_LOOKS_LIKE_A_TERM = re.compile(r"[A-Z][A-Za-z]*[:_][0-9]+")


class HitTerms(NamedTuple):
    """The terms of hits, best first."""

    ranked: list[str]
    """The term of each hit, and an empty text if it has none."""
    ids: list[str]
    """The terms among them that are the id of a hit, because its metadata have no term."""


def ranked_terms(results: Mapping[str, Any] | None) -> list[str]:
    """The term of each hit. A hit without a term or with a repeated term keeps its rank under a name that no term has."""
    return credited_once(terms_of(results).ranked)


def terms_of(results: Mapping[str, Any] | None) -> HitTerms:
    """The term of each hit from its metadata, or its id if the metadata have no terms; empty if there are no hits.

    If the metadata have no terms and the ids are not terms either, this is an error: the terms must be in another field.
    """
    if not results:
        return HitTerms([], [])
    if not isinstance(results, Mapping):
        raise DataError(f"expected what Chroma returns, {{'ids': [[…]], 'metadatas': [[…]]}}, found {shortened(results)}")
    ids, metadatas = _of_one_query(results, "ids"), _of_one_query(results, "metadatas")
    if not metadatas or not any(metadatas):
        own = [text_id(id_) for id_ in ids or [""] * len(metadatas or ())]
        return HitTerms(own, own)
    if ids is not None and len(ids) != len(metadatas):
        raise DataError(f"ids and metadatas must have the same length, found {len(ids)} and {len(metadatas)}")
    known = [_metadata(metadata) for metadata in metadatas]
    if not any(TERM in metadata for metadata in known):
        _check_has_terms(known, ids or ())
    own = [text_id(id_) for id_ in ids or [""] * len(known)]
    ranked = [text_id(_term(*hit)) for hit in zip(known, own, strict=True)]
    return HitTerms(ranked, [id_ for metadata, id_ in zip(known, own, strict=True) if TERM not in metadata])


def _metadata(metadata: Any) -> Mapping[str, Any]:
    if metadata is not None and not isinstance(metadata, Mapping):
        raise DataError(f"metadatas: expected a map with {TERM} for each hit, found {shortened(metadata)}")
    return metadata or {}


def _term(metadata: Mapping[str, Any], own: Any) -> Any:
    """The term in the metadata, even if it is empty; the hit's own id if the metadata have no such field."""
    return (metadata[TERM] or "") if TERM in metadata else own


def _check_has_terms(metadatas: Sequence[Mapping[str, Any]], ids: Sequence[Any]) -> None:
    if not any(isinstance(id_, str) and _LOOKS_LIKE_A_TERM.fullmatch(id_) for id_ in ids):
        names = ", ".join(dict.fromkeys(str(name) for metadata in metadatas for name in metadata))
        message = f"metadatas: expected {TERM} in the metadata, or ids such as HP:0001250, found {names}"
        raise DataError(message)


def _of_one_query(results: Mapping[str, Any], key: str) -> Sequence[Any] | None:
    """The list of the only query; None if the key is missing or empty."""
    lists = results.get(key)
    if not lists:
        return None
    if not isinstance(lists, list | tuple) or not all(isinstance(values, list | tuple) for values in lists):
        raise DataError(
            f"{key}: expected a list that contains the list of one query, as Chroma returns it, found {shortened(lists)}"
        )
    if len(lists) > 1:
        raise DataError(f"{key}: expected the results of one query, found {len(lists)}; pass one query at a time")
    return lists[0]


Terms = str | Iterable[str]


def term_list(ids: Any, name: str = "expected_ids") -> list[str]:
    """The ids, each once. A text is one id; None means no ids."""
    if ids is None:
        return []
    if isinstance(ids, str):
        return [ids]
    if isinstance(ids, bytes) or not isinstance(ids, Iterable):
        raise DataError(f"{name} must be a list of ids, or one id as text, not {shortened(ids)}")
    return list(dict.fromkeys(map(text_id, ids)))
