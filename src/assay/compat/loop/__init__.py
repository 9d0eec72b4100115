"""Seed system "Loop RAG": `src.evaluation` under one import, `from assay.compat.loop import ndcg_at_k, BatchEvaluator`.

`src.evaluation.metrics` is `assay.compat.loop.metrics`, and `src.evaluation.benchmark` is `assay.compat.loop.benchmark`.
The formulas are those of the original: precision ÷ k, average precision ÷ all relevant, linear gain. Where the original
would give another result without an error, a `DifferenceWarning` says so. Differences:

    original                                                 here
    a judgment of grade 0 counts as relevant                 grades above 0 are relevant
    judged queries without results are skipped               they score 0, and are counted
    nDCG of a batch uses only the grades that were found     its ideal ranking also has relevant documents that were missed
    "best" is always the highest value                       the lowest if less is better: latency
    a document retrieved twice counts twice                  the first counts; later ones keep their rank
    an improvement is an anomaly, reported as a regression   only what got worse, or is missing now
    ids are text                                             whole numbers are ids too: 7 is "7"
    a value that was 0 before divides by 0                   an anomaly of the kind "from zero"
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
