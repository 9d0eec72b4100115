"""Spans: gold stretches of files that retrieved chunks cover."""

import numpy as np

from assay.arrays import ratio
from assay.metrics.definition import FIRST_CHUNKS, FIRST_FILES, SPAN_TOKENS, SPAN_UNIT, Metric, Scores
from assay.views import Spans


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


FILE_MRR = Metric(
    "file_mrr",
    file_mrr,
    params=(FIRST_FILES, SPAN_TOKENS),
    aliases=("file_rr",),
    view="spans",
    formula="1 ÷ rank of the first file with a gold span",
    cite="Zhou, Zhang & Lo 2012, Where Should the Bugs Be Fixed?, ICSE",
)


def file_recall(spans: Spans, k: int | None, tokens: int | None) -> Scores:
    """Share of the files with gold spans that are among the first k files.

    A file stands where the first of its chunks stands, and k counts files, so that small chunks neither help nor harm.
    An empty list of gold spans scores 0; a query without one has no score.
    """
    query, rank = spans.found_files(tokens)
    owners = query if k is None else query[rank <= k]
    return spans.scores(ratio(np.bincount(owners, minlength=spans.n_queries), spans.n_gold_files))


FILE_RECALL = Metric(
    "file_recall",
    file_recall,
    params=(FIRST_FILES, SPAN_TOKENS),
    view="spans",
    formula="gold files among the first k files ÷ gold files",
    cite="Jimenez et al. 2024, SWE-bench, ICLR",
)


def span_iou(spans: Spans, k: int | None, tokens: int | None, unit: str) -> Scores:
    """What the first k chunks share with the gold spans, over what either covers (intersection over union).

    1 only where exactly the gold was retrieved: what is missed and what is too much both cost, so it falls with k once
    all is found. An empty list of gold spans scores 0; a query without one has no score.
    """
    sizes = spans.sizes(k, tokens, unit)
    return spans.scores(ratio(sizes.both, sizes.retrieved + sizes.gold - sizes.both))


SPAN_IOU = Metric(
    "span_iou",
    span_iou,
    params=(FIRST_CHUNKS, SPAN_TOKENS, SPAN_UNIT),
    aliases=("span_jaccard",),
    view="spans",
    formula="|retrieved ∩ gold| ÷ |retrieved ∪ gold|, in lines or characters",
    cite="Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval, Chroma Technical Report; Jaccard 1901",
)


def span_precision(spans: Spans, k: int | None, tokens: int | None, unit: str) -> Scores:
    """Share of what the first k chunks cover that is gold.

    Divided by what was retrieved, not by k; nothing retrieved scores 0. What several chunks cover counts once, and a
    chunk whose place is not known covers nothing. An empty list of gold spans scores 0; a query without one has no score.
    """
    sizes = spans.sizes(k, tokens, unit)
    return spans.scores(ratio(sizes.both, sizes.retrieved))


SPAN_PRECISION = Metric(
    "span_precision",
    span_precision,
    params=(FIRST_CHUNKS, SPAN_TOKENS, SPAN_UNIT),
    view="spans",
    formula="|retrieved ∩ gold| ÷ |retrieved|, in lines or characters",
    cite="Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval, Chroma Technical Report",
)


def span_recall(spans: Spans, k: int | None, tokens: int | None, unit: str) -> Scores:
    """Share of the gold spans that the first k chunks cover.

    What several chunks cover counts once, so chunkers that overlap gain nothing. A gold span in a file that is not there
    cannot be covered, and counts. An empty list of gold spans scores 0; a query without one has no score.
    """
    both, gold = spans.both(k, tokens, unit)
    return spans.scores(ratio(both, gold))


SPAN_RECALL = Metric(
    "span_recall",
    span_recall,
    params=(FIRST_CHUNKS, SPAN_TOKENS, SPAN_UNIT),
    view="spans",
    formula="|retrieved ∩ gold| ÷ |gold|, in lines or characters",
    cite="Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval, Chroma Technical Report",
)
