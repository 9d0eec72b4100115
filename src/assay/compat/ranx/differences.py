"""What the drop-in of ranx (0.3.21) does differently on purpose."""

from __future__ import annotations

from assay.compat.differences import Difference, Differences
from assay.errors import BadParameter, DataError

DIFFERENCES = Differences(
    "ranx",
    "ranx",
    Difference(
        "order of queries",
        "two dicts have their queries in different orders",
        "pairs queries by position",
        "pairs them by id",
    ),
    Difference(
        "changed run",
        "`make_comparable` gets a `Run` with other queries than the judgments",
        "adds and removes queries in the run itself",
        "does not change the run",
    ),
    Difference(
        "fraction",
        "a grade has a fraction",
        "truncates it, so 0.7 becomes 0",
        "uses it; grades above 0 are relevant",
    ),
    Difference(
        "bpref without non-relevant",
        "a query has no document that is judged non-relevant, and `bpref` is computed",
        "gives nan if a relevant document is retrieved",
        "gives the value of trec_eval",
    ),
    Difference(
        "bpref without relevant",
        "a query has no relevant document, another query comes after it, and `bpref` is computed",
        "gives 0 for all queries after it",
        "gives 0 for this query alone",
    ),
    Difference(
        "cutoff",
        "a metric has a cutoff that it does not use, such as `bpref@5` or `r-precision@5`",
        "ignores the cutoff",
        "raises `BadParameter`",
        errors=(BadParameter,),
    ),
    Difference(
        "unsorted array",
        "the judgments in an array are not sorted by grade, and `ndcg` is computed",
        "takes the order of the rows as the ideal ranking, so that nDCG can exceed 1",
        "sorts them first",
    ),
    Difference(
        "fisher",
        'runs are compared with `stat_test="fisher"`',
        "gives p-values that can be 0 and change from call to call",
        "gives (1 + extreme) ÷ (1 + draws), the same for the same seed",
    ),
    Difference(
        "tukey",
        'runs are compared with `stat_test="tukey"`',
        "treats the queries of two runs as different queries",
        "compares query by query",
    ),
    Difference("identical", "two runs have the same score for every query", "gives nan as the p-value", "gives 1"),
    Difference(
        "same name",
        "two runs in a comparison have the same name",
        "shows only one of them",
        "raises `DataError`",
        errors=(DataError,),
    ),
    Difference(
        "min-max",
        "all documents of a ranking have the same score, and the norm is min-max",
        "makes the scores 0, so that the ranking has no effect",
        "makes them 1",
    ),
    Difference(
        "fused ties",
        "documents have equal scores after fusion",
        "orders them by an unstable sort",
        "orders them by document id, descending",
    ),
    Difference(
        "weights",
        "the best weights have a floating-point sum that is not exactly 1",
        "does not try them in `optimize_fusion`",
        "tries them",
    ),
    Difference(
        "caption",
        "`to_latex` writes a table",
        "has other words in the caption, and escapes only `_` in names",
        "has its own words, and escapes all special characters",
    ),
    Difference(
        "twice in a file",
        "a file has a document twice for a query",
        "uses the last line",
        "raises `DataError`",
        errors=(DataError,),
    ),
)
