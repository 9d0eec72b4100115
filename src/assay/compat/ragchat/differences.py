"""What the drop-in of the Personal RAG Chatbot does differently on purpose."""

from __future__ import annotations

from assay.compat.differences import Difference, Differences
from assay.errors import DataError, UnknownName

DIFFERENCES = Differences(
    "the chatbot",
    "ragchat",
    Difference(
        "twice",
        "a relevant document is retrieved twice",
        "counts it twice, so that nDCG can exceed 1",
        "counts the first; later ones keep their rank, but do not count",
    ),
    Difference(
        "graded but not relevant",
        "a retrieved document has a grade but is not relevant",
        "adds its grade to DCG",
        "counts only relevant ids",
    ),
    Difference(
        "grades in a batch",
        "queries of a batch have grades that differ, and nDCG is computed",
        "ignores `relevance_grades`",
        "uses them as gains; `relevant_docs` decides which documents are relevant",
    ),
    Difference(
        "interval",
        "the quantile of the interval is not nearly 1.96 for the level 0.95, or 2.576 for 0.99",
        "uses 1.96 for 0.95 and 2.576 for any other level, for any number of scores",
        "uses the quantile of Student's t for the level and the number of scores",
    ),
    Difference(
        "cache key",
        "two cache entries have the same text when query, metric and cutoff are joined by `_`",
        "returns the score of the other entry",
        "keeps them apart",
    ),
    Difference(
        "lengths",
        "there are more queries than results, or fewer",
        "cuts the longer list",
        "raises `DataError`",
        errors=(DataError,),
    ),
    Difference(
        "unknown metric",
        "a batch has an unknown metric",
        "leaves it out",
        "raises `UnknownName` with similar names",
        errors=(UnknownName,),
    ),
)
