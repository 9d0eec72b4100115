"""span_precision: share of what the first k chunks cover that is gold."""

from assay.metrics._metric import Metric, Scores
from assay.metrics._span_params import FIRST_CHUNKS, TOKENS, UNIT
from assay.model import Spans, ratio


def span_precision(spans: Spans, k: int | None, tokens: int | None, unit: str) -> Scores:
    """Share of what the first k chunks cover that is gold.

    Divided by what was retrieved, not by k; nothing retrieved scores 0. What several chunks cover counts once, and a
    chunk whose place is not known covers nothing. An empty list of gold spans scores 0; a query without one has no score.
    """
    sizes = spans.sizes(k, tokens, unit)
    return spans.scores(ratio(sizes.both, sizes.retrieved))


METRIC = Metric(
    "span_precision",
    span_precision,
    params=(FIRST_CHUNKS, TOKENS, UNIT),
    view="spans",
    formula="|retrieved ∩ gold| ÷ |retrieved|, in lines or characters",
    cite="Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval, Chroma Technical Report",
)
