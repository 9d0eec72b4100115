"""What the drop-in of Loop does differently on purpose."""

from __future__ import annotations

from assay.compat.differences import Difference, Differences
from assay.errors import BadParameter, DataError

DIFFERENCES = Differences(
    "Loop",
    "loop",
    Difference(
        "grade 0",
        "a document with grade 0 is among the relevant ids",
        "counts it as relevant",
        "counts only grades above 0 as relevant",
    ),
    Difference("no results", "a judged query has no results", "skips it", "scores it 0 and counts it"),
    Difference(
        "missed document",
        "a relevant document was not retrieved, and grades are given",
        "leaves it out of the ideal ranking of nDCG",
        "has it in the ideal ranking, so nDCG is lower",
    ),
    Difference(
        "lower is better",
        "a lower value of the metric is better, such as latency",
        "chooses the run with the highest value",
        "chooses the run with the lowest value",
    ),
    Difference(
        "twice",
        "a relevant document is retrieved twice",
        "counts it twice",
        "counts the first; later ones keep their rank, but do not count",
    ),
    Difference(
        "twice in a file",
        "`save_trec_run` gets a document twice",
        "writes both lines",
        "writes the first, because a TREC file has each document of a query once",
    ),
    Difference(
        "improvement",
        "a metric has improved by more than the threshold",
        "reports it as an anomaly, which the alert calls a regression",
        "leaves it out; `assay.detect_metric_anomalies` has all changes",
    ),
    Difference(
        "whole number",
        "an id is a whole number on one side and text on the other",
        'does not match `7` with `"7"`',
        'reads `7` as `"7"`',
    ),
    Difference(
        "wrong type",
        'an argument has a wrong type, such as `binary_to_graded("d1")`',
        "gives a result",
        "raises `DataError` or `BadParameter`",
        errors=(DataError, BadParameter),
    ),
)
