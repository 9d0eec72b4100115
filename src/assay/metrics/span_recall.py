"""span_recall: share of the gold spans that the first k chunks cover."""

from assay.metrics._metric import Metric, Scores
from assay.metrics._span_params import FIRST_CHUNKS, TOKENS, UNIT
from assay.model import Spans, ratio


def span_recall(spans: Spans, k: int | None, tokens: int | None, unit: str) -> Scores:
    """Share of the gold spans that the first k chunks cover.

    What several chunks cover counts once, so chunkers that overlap gain nothing. A gold span in a file that is not there
    cannot be covered, and counts. An empty list of gold spans scores 0; a query without one has no score.
    """
    both, gold = spans.both(k, tokens, unit)
    return spans.scores(ratio(both, gold))


METRIC = Metric(
    "span_recall",
    span_recall,
    params=(FIRST_CHUNKS, TOKENS, UNIT),
    view="spans",
    formula="|retrieved ∩ gold| ÷ |gold|, in lines or characters",
    cite="Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval, Chroma Technical Report",
)
