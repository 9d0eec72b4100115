"""Seed system "Personal RAG Chatbot": relevant ids first, as printed, `from assay.compat.ragchat import ndcg_at_k`.

Ids are one text, several joined by `;`, or a list. Conventions are the printed ones: precision ÷ what was retrieved within
k, average precision ÷ all relevant, a relevant document that `relevance_grades` leaves out has grade 0 for NDCG and is
relevant for everything else. Where it differs:

    printed                                                    here
    a document retrieved twice counts twice (NDCG above 1)     the first is credited, later ones hold their rank
    a graded document that is not relevant counts in DCG       only relevant ids count
    queries and results of unequal number are cut to the less  DataError
    the batch ignores grades                                   `relevance_grades` of a query say what documents gain
    an unknown metric of a batch is left out                   UnknownName with near matches
    no queries: ZeroDivisionError                              0.0
    `batch_evaluate_metrics` cannot run                        it gives what the whole batch gives
    `RetrievalMetricsSuite` lacks its methods                  it has them
    cache keys run together and ignore the data                keys are tuples, with the content where it is given
    a confidence level other than 0.95 means 0.99              Student's t at the level asked for
    NDCG@4 of case 3 ≈ 0.693, of the ranking [3, 0, 2, 1] 0.985  0.498189 and 0.930451
"""

from __future__ import annotations

from assay.compat._late_names import late_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from assay.compat.ragchat._batch import batch_evaluate_metrics, evaluate_retrieval_batch
    from assay.compat.ragchat._cache import MetricsCache
    from assay.compat.ragchat._config import RetrievalMetricsConfig, load_config
    from assay.compat.ragchat._metrics import (
        average_precision_at_k,
        hit_at_k,
        mean_average_precision,
        mean_reciprocal_rank,
        ndcg_at_k,
        precision_at_k,
        recall_at_k,
    )
    from assay.compat.ragchat._suite import RetrievalMetricsSuite
    from assay.stats._functions import calculate_confidence_interval, statistical_significance_test

__all__ = [
    "MetricsCache",
    "RetrievalMetricsConfig",
    "RetrievalMetricsSuite",
    "average_precision_at_k",
    "batch_evaluate_metrics",
    "calculate_confidence_interval",
    "evaluate_retrieval_batch",
    "hit_at_k",
    "load_config",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
    "statistical_significance_test",
]

_ELSEWHERE = {
    "MetricsCache": f"{__name__}._cache",
    "RetrievalMetricsConfig": f"{__name__}._config",
    "RetrievalMetricsSuite": f"{__name__}._suite",
    "batch_evaluate_metrics": f"{__name__}._batch",
    "calculate_confidence_interval": "assay.stats._functions",
    "evaluate_retrieval_batch": f"{__name__}._batch",
    "load_config": f"{__name__}._config",
    "statistical_significance_test": "assay.stats._functions",
}

__getattr__, __dir__ = late_names(__name__, dict.fromkeys(__all__, f"{__name__}._metrics") | _ELSEWHERE)
