"""What the drop-in of Phentrieve does differently on purpose."""

from __future__ import annotations

from assay.compat.differences import Difference, Differences
from assay.errors import DataError, UnknownName, UsageError

DIFFERENCES = Differences(
    "Phentrieve",
    "phentrieve",
    Difference(
        "twice",
        "an expected term is retrieved twice",
        "counts it twice, so that nDCG can exceed 1",
        "counts the first; later ones keep their rank, but do not count",
    ),
    Difference(
        "twice in an evaluation",
        "a model returns a term twice in `run_evaluation`",
        "ranks both",
        "ranks each term once, at its best rank",
    ),
    Difference(
        "expected twice",
        "an expected id is listed twice",
        "counts it twice in recall, nDCG and average precision",
        "counts it once",
    ),
    Difference(
        "expected text",
        "one expected id is given as text instead of a list",
        "reads it character by character",
        "reads it as a list with this id",
    ),
    Difference(
        "ids as terms",
        "hits have no `hpo_id` in their metadata, but their `ids` are expected terms",
        "does not find them",
        "reads `ids` as terms",
    ),
    Difference(
        "no terms",
        "hits have no `hpo_id` in their metadata, and their `ids` are not terms",
        "gives 0.0",
        "raises `DataError`",
        errors=(DataError,),
    ),
    Difference(
        "several queries",
        "results have several queries",
        "reads only the first",
        "raises `DataError`",
        errors=(DataError,),
    ),
    Difference(
        "depth",
        "MaxOntSim is computed from two different terms",
        "uses the shortest path to the root as depth, so that a parent and its child can score 1",
        "uses the longest path; only equal ids score 1",
    ),
    Difference(
        "p is 0",
        "no resample of `paired_bootstrap_test` is as extreme as the data",
        "gives 0 as the p-value",
        "gives 1 ÷ (1 + resamples)",
    ),
    Difference("failed case", "a case fails", "leaves it out", "scores it 0, and pairs models case by case"),
    Difference(
        "language",
        "you have files of cases, but a language has none",
        "leaves it out",
        "uses the bundled cases of this language",
    ),
    Difference(
        "language twice",
        "a language is given twice, such as `de` and `german`",
        "evaluates it twice",
        "raises `UsageError`",
        errors=(UsageError,),
    ),
    Difference(
        "unknown formula",
        "the name of a similarity formula is unknown",
        "uses `hybrid`, and a log entry says so",
        "raises `UnknownName`",
        errors=(UnknownName,),
    ),
    Difference(
        "correction",
        "a comparison is significant at 0.05 alone, but not among all comparisons",
        "calls it significant",
        "applies Holm's correction, and does not",
    ),
)
