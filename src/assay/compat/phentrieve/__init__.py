"""Seed system Phentrieve: its functions over Chroma-shaped results, `from assay.compat.phentrieve import ndcg_at_k`.

Conventions are the printed code's: precision ÷ what was retrieved within k, average precision ÷ min(k, expected), binary
relevance unless `relevance_scores` says more. Where it differs:

    printed                                                  here
    a term that comes twice counts twice (nDCG above 1)      the first is credited, later ones hold their rank
    an expected id listed twice counts twice                 once
    results of several queries: the first is read            DataError
    no metadata with the hits, or no `hpo_id` in it: 0.0     `ids` are read as terms, or DataError where they are none
    one expected id as text: 0.0                             it is that id
    MaxOntSim of a parent and its child may be 1.0           equal ids alone score 1
    resampling without a seed, p may be 0, no scores crash   seeded, (1 + extreme) ÷ (1 + resamples), DataError
    a case that fails is dropped, and pairs misalign         it scores 0; models are paired by case id
    a language without its file is skipped                   an error
    many comparisons, each at 0.05                           `significant` is after Holm's correction
"""

from __future__ import annotations

from assay.compat._late_names import late_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from assay.compat.phentrieve import comparison, metrics, runner
    from assay.compat.phentrieve.comparison import ModelComparison, compare_models
    from assay.compat.phentrieve.metrics import (
        average_precision_at_k,
        calculate_test_case_max_ont_sim,
        hit_rate_at_k,
        mean_reciprocal_rank,
        ndcg_at_k,
        precision_at_k,
        recall_at_k,
    )
    from assay.compat.phentrieve.runner import evaluate_multilingual_model, run_evaluation
    from assay.metrics._single_term import SingleTermRetrievalMetrics
    from assay.stats._functions import bootstrap_confidence_interval, paired_bootstrap_test

__all__ = [
    "ModelComparison",
    "SingleTermRetrievalMetrics",
    "average_precision_at_k",
    "bootstrap_confidence_interval",
    "calculate_test_case_max_ont_sim",
    "compare_models",
    "comparison",
    "evaluate_multilingual_model",
    "hit_rate_at_k",
    "mean_reciprocal_rank",
    "metrics",
    "ndcg_at_k",
    "paired_bootstrap_test",
    "precision_at_k",
    "recall_at_k",
    "run_evaluation",
    "runner",
]

_ELSEWHERE = {
    **dict.fromkeys(("ModelComparison", "compare_models", "comparison"), f"{__name__}.comparison"),
    **dict.fromkeys(("evaluate_multilingual_model", "run_evaluation", "runner"), f"{__name__}.runner"),
    **dict.fromkeys(("bootstrap_confidence_interval", "paired_bootstrap_test"), "assay.stats._functions"),
    "SingleTermRetrievalMetrics": "assay.metrics._single_term",
}

__getattr__, __dir__ = late_names(__name__, dict.fromkeys(__all__, f"{__name__}.metrics") | _ELSEWHERE)
