"""What the drop-in of memorybench does differently on purpose."""

from __future__ import annotations

from assay.compat.differences import Difference, Differences
from assay.errors import DataError, UnknownName, UsageError

DIFFERENCES = Differences(
    "memorybench",
    "memorybench",
    Difference(
        "recall",
        "recall@k is not the share of results with a relevant context",
        "gives this share, which is usually called hit@k",
        "gives recall; `relevantFound` ÷ `total` is the old value",
    ),
    Difference(
        "precision",
        "a result has fewer than k contexts, and one of them is relevant",
        "divides precision by the number of contexts",
        "divides it by k",
    ),
    Difference(
        "ideal",
        "shared words decide about relevance, and a context after rank k is relevant",
        "has only the relevant contexts of the first k in the ideal ranking of nDCG",
        "has all relevant contexts that were retrieved",
    ),
    Difference(
        "same evidence",
        "a pack calls more contexts relevant than there is evidence",
        "counts each of them",
        "counts the first ones; later ones keep their rank, but do not count",
    ),
    Difference(
        "twice",
        "a relevant context is retrieved twice",
        "counts it twice",
        "counts the first; later ones keep their rank, but do not count",
    ),
    Difference(
        "empty ids",
        "the list of relevant ids is empty, but evidence, a pack or an expected answer could decide",
        "ignores the list",
        "has nothing relevant, and scores 0",
    ),
    Difference(
        "words",
        "texts are compared by their words, and have letters that are not ASCII",
        "has only ASCII letters and digits in words",
        "has Unicode words; each Chinese or Japanese character is a word",
    ),
    Difference(
        "no contexts",
        "a result has no `retrievedContext`, or contexts in another form",
        "fails later, or gives 0",
        "raises `DataError` that names the result; `[]` and null mean no contexts",
        errors=(DataError,),
    ),
    Difference(
        "same name",
        "two metrics have the same name",
        "uses the later one",
        "raises `UsageError`",
        errors=(UsageError,),
    ),
    Difference(
        "unknown name",
        "the name of a metric is unknown",
        "reports it at the end, or leaves it out in `calculateAllMetrics`",
        "raises `UnknownName` before anything is computed",
        errors=(UnknownName,),
    ),
)
