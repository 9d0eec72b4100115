"""Seed system "Loop RAG": `src.evaluation` under one import, `from assay.compat.loop import ndcg_at_k, BatchEvaluator`.

`src.evaluation.metrics` is `assay.compat.loop.metrics`, and `src.evaluation.benchmark` is `assay.compat.loop.benchmark`.
The formulas are those of the original: precision ÷ k, average precision ÷ all relevant, linear gain. Where the
original would give another result without an error, a `DifferenceWarning` says so. `DIFFERENCES` lists all of them, and so
does docs/migration/loop.md.
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
