"""Exposure: which documents all result lists show together, and how evenly."""

from typing import Any

import numpy as np

from assay.metrics.definition import CUTOFF_NEEDED, Metric
from assay.model import CATALOGUE_COVERAGE as BY_ALL_LISTS
from assay.model import EXPOSURE_ENTROPY as ENTROPY_OF_ALL
from assay.model import EXPOSURE_GINI as GINI_OF_ALL
from assay.model import Composed
from assay.views import ResultLists

VIEW: dict[str, Any] = {"view": "result_lists", "reads": ("catalogue",), "params": (CUTOFF_NEEDED,)}


def shown_documents(lists: ResultLists, k: int) -> Composed:
    """A single query has no score: the value belongs to all lists together.

    Only documents of the benchmark count. The interval is about the expected value for as many queries, because the value
    changes with their number. Compare runs on the same queries, and slices of the same size.
    """
    return Composed(np.full(lists.n_queries, np.nan), lists.first(k).exposure())


CATALOGUE_COVERAGE = Metric(
    "catalogue_coverage",
    shown_documents,
    aliases=("catalog_coverage", "item_coverage", "aggregate_diversity"),
    meaning="share of all documents that are among the first k of at least one query.",
    aggregation=BY_ALL_LISTS,
    formula="documents in the first k of any query ÷ documents of the benchmark",
    cite="Ge, Delgado-Battenfeld & Jannach 2010, Beyond Accuracy: Evaluating Recommender Systems by Coverage and "
    "Serendipity, RecSys",
    **VIEW,
)


EXPOSURE_GINI = Metric(
    "exposure_gini",
    shown_documents,
    aliases=("gini", "gini_index"),
    meaning="inequality of how often documents are among the first k: 0 if all are shown equally often, near 1 if few are "
    "shown again and again.",
    higher_is_better=False,
    aggregation=GINI_OF_ALL,
    formula="Σ |c(d) − c(e)| over all pairs of documents ÷ (2 · documents · Σ c), c = number of lists that show a document",
    cite="Gini 1912, Variabilità e mutabilità; for retrieval: Wilkie & Azzopardi 2014, A Retrievability Analysis, CIKM",
    **VIEW,
)


EXPOSURE_ENTROPY = Metric(
    "exposure_entropy",
    shown_documents,
    aliases=("catalogue_entropy", "catalog_entropy"),
    meaning="entropy of how often documents are among the first k, in bits: the higher, the more evenly they are shown.",
    range=(0.0, float("inf")),
    aggregation=ENTROPY_OF_ALL,
    formula="− Σ p(d) log₂ p(d), p(d) = lists that show d ÷ places in all lists",
    cite="Shannon 1948, A Mathematical Theory of Communication; Adomavicius & Kwon 2012, Improving Aggregate Recommendation "
    "Diversity Using Ranking-Based Techniques, TKDE 24(5)",
    **VIEW,
)
