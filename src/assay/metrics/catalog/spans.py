"""Spans: how much of the gold spans in files the retrieved chunks cover."""

import numpy as np

from assay.arrays import ratio
from assay.metrics.definition import FIRST_CHUNKS, FIRST_FILES, SPAN_TOKENS, SPAN_UNIT, Metric, Scores
from assay.views import Spans


def file_mrr(spans: Spans, k: int | None, tokens: int | None) -> Scores:
    """One over the rank of the first file that has a gold span.

    Files are ranked by their first chunk, and several chunks of one file count as one rank. 0 if none of the first k files
    has a gold span. A query with an empty list of gold spans scores 0; a query without a list has no score.
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

    Files are ranked by their first chunk, and k counts files, so small chunks neither help nor harm.
    A query with an empty list of gold spans scores 0; a query without a list has no score.
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
    """Length shared by the first k chunks and the gold spans, ÷ the length they cover together (intersection over union).

    1 only if exactly the gold spans were retrieved. Missing text and extra text both lower the score, so it falls when k
    grows after all gold spans are found. A query with an empty list of gold spans scores 0; a query without a list has no
    score.
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
    """Share of the retrieved text (the first k chunks) that is in gold spans.

    The divisor is the length of the retrieved text, not k. 0 if nothing was retrieved. Text that several chunks cover
    counts once. A chunk whose location is unknown covers nothing. A query with an empty list of gold spans scores 0; a
    query without a list has no score.
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

    Text that several chunks cover counts once, so overlapping chunks gain nothing. A gold span in a file that the dataset
    does not have counts as not covered. A query with an empty list of gold spans scores 0; a query without a list has no
    score.
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
