"""file_mrr: one over the rank of the first file that has a gold span."""

import numpy as np

from assay.metrics._metric import Metric, Scores
from assay.metrics._span_params import FIRST_FILES, TOKENS
from assay.model import Spans, ratio


def file_mrr(spans: Spans, k: int | None, tokens: int | None) -> Scores:
    """One over the rank of the first file that has a gold span.

    A file stands where the first of its chunks stands, and ranks count files: several chunks of one file take one rank.
    0 where no such file is within the first k. A query without gold spans has no score.
    """
    query, rank = spans.found_files(tokens)
    first = np.full(spans.n_queries, np.iinfo(np.int64).max)
    np.minimum.at(first, query, rank)
    is_found = first <= (np.iinfo(np.int64).max - 1 if k is None else k)
    return spans.scores(ratio(is_found, first))


METRIC = Metric(
    "file_mrr",
    file_mrr,
    params=(FIRST_FILES, TOKENS),
    aliases=("file_rr",),
    view="spans",
    formula="1 ÷ rank of the first file with a gold span",
    cite="Zhou, Zhang & Lo 2012, Where Should the Bugs Be Fixed?, ICSE",
)
