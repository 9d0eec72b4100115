"""Seed system "Loop RAG": `src.evaluation` under one import, `from assay.compat.loop import ndcg_at_k, BatchEvaluator`.

`src.evaluation.metrics` is `assay.compat.loop.metrics`, and `src.evaluation.benchmark` is `assay.compat.loop.benchmark`.
Formulas are the printed ones: precision ÷ k, average precision ÷ all relevant, linear gain. Where it differs:

    printed                                                  here
    a judgment of grade 0 counts as relevant                 grades above 0 are relevant
    judged queries without results are skipped               they score 0, and are counted
    nDCG of a batch knows only the grades that were found    its ideal ranking has the relevant ones that were missed, too
    "best" is always the highest figure                      the lowest where less is better: latency
    a document retrieved twice counts twice                  DataError that names it
    ids are text                                             whole numbers are ids too: 7 is "7"
    a figure that was 0 before divides by 0                  an anomaly of the kind "from zero"
"""

from __future__ import annotations

from assay.compat._late_names import late_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    # ruff: noqa: F403, F405 (the two files say themselves what is public)
    from assay.compat.loop import benchmark, metrics
    from assay.compat.loop.benchmark import *
    from assay.compat.loop.metrics import *

__all__ = [
    "BatchEvaluator",
    "BenchmarkComparison",
    "BenchmarkDataset",
    "Document",
    "Query",
    "RelevanceJudgment",
    "ReproducibleEvaluationRunner",
    "average_precision_at_k",
    "benchmark",
    "binary_to_graded",
    "dcg_at_k",
    "detect_metric_anomalies",
    "f1_at_k",
    "hit_rate_at_k",
    "mean_average_precision_at_k",
    "mean_mrr_at_k",
    "mean_ndcg_at_k",
    "mean_precision_at_k",
    "mean_recall_at_k",
    "metrics",
    "mrr_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
    "save_trec_run",
]

_BENCHMARK = (
    *("BenchmarkComparison", "BenchmarkDataset", "Document", "Query", "RelevanceJudgment"),
    *("ReproducibleEvaluationRunner", "benchmark", "save_trec_run"),
)

__getattr__, __dir__ = late_names(
    __name__, dict.fromkeys(__all__, f"{__name__}.metrics") | dict.fromkeys(_BENCHMARK, f"{__name__}.benchmark")
)
