"""file_recall: share of the files with gold spans that are among the first k files."""

import numpy as np

from assay.metrics._metric import Metric, Scores
from assay.metrics._span_params import FIRST_FILES, TOKENS
from assay.model import Spans, ratio


def file_recall(spans: Spans, k: int | None, tokens: int | None) -> Scores:
    """Share of the files with gold spans that are among the first k files.

    A file stands where the first of its chunks stands, and k counts files, so that small chunks neither help nor harm.
    An empty list of gold spans scores 0; a query without one has no score.
    """
    query, rank = spans.found_files(tokens)
    found = query if k is None else query[rank <= k]
    return spans.scores(ratio(np.bincount(found, minlength=spans.n_queries), spans.n_gold_files))


METRIC = Metric(
    "file_recall",
    file_recall,
    params=(FIRST_FILES, TOKENS),
    view="spans",
    formula="gold files among the first k files ÷ gold files",
    cite="Jimenez et al. 2024, SWE-bench, ICLR",
)
