"""span_iou: what the first k chunks share with the gold spans, over what either covers (intersection over union)."""

from assay.metrics._metric import Metric, Scores
from assay.metrics._span_params import FIRST_CHUNKS, TOKENS, UNIT
from assay.model import Spans, ratio


def span_iou(spans: Spans, k: int | None, tokens: int | None, unit: str) -> Scores:
    """What the first k chunks share with the gold spans, over what either covers (intersection over union).

    1 only where exactly the gold was retrieved: what is missed and what is too much both cost, so it falls with k once
    all is found. An empty list of gold spans scores 0; a query without one has no score.
    """
    sizes = spans.sizes(k, tokens, unit)
    return spans.scores(ratio(sizes.both, sizes.retrieved + sizes.gold - sizes.both))


METRIC = Metric(
    "span_iou",
    span_iou,
    params=(FIRST_CHUNKS, TOKENS, UNIT),
    aliases=("span_jaccard",),
    view="spans",
    formula="|retrieved ∩ gold| ÷ |retrieved ∪ gold|, in lines or characters",
    cite="Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval, Chroma Technical Report; Jaccard 1901",
)
