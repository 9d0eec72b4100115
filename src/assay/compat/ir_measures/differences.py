"""What assay as a provider does differently from the providers of ir_measures (0.4.3) on purpose."""

from __future__ import annotations

from assay.compat.differences import Difference, Differences
from assay.errors import DataError

DIFFERENCES = Differences(
    "ir_measures",
    "ir_measures",
    Difference(
        "ties",
        "scores are equal, or differ only after the 7th digit, and this changes a value",
        "has another rule for each provider, so that `RR` and `RR@10` can differ",
        "orders equal float64 scores by document id, descending, as in trec_eval",
    ),
    Difference(
        "scale of ERR",
        "`ERR` is computed, and the highest grade is not 4",
        "uses a scale up to grade 4",
        "uses a scale up to the highest judged grade; `err(max_grade=4)@20` sets it",
    ),
    Difference(
        "query without results",
        "`NumQ` or `NumRel` is computed, and a judged query has no results",
        "does not count it",
        "counts it",
    ),
    Difference(
        "gains",
        "`nDCG` is computed with and without `gains=` at the same cutoff in one call",
        "gives one of them 0 or the value of the other, depending on Python's hash seed",
        "gives each its own value",
    ),
    Difference(
        "cutoff 1",
        "`ERR_IA@1` or `alpha_DCG@1` is computed",
        "does not divide by the number of subtopics, unlike at other cutoffs",
        "divides",
    ),
    Difference(
        "twice",
        "a document is there twice for a query",
        "uses the last one, or both",
        "raises `DataError` that names it",
        errors=(DataError,),
    ),
    Difference(
        "no subtopics",
        "a diversity measure is computed for judgments without subtopics",
        "gives a number and a warning",
        "raises `DataError`",
        errors=(DataError,),
    ),
)
