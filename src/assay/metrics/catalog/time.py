"""Time: how fresh or stale retrieved documents are, and how old the documents are that a query looks for."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import BadParameter
from assay.grammar import Param, days, one_of
from assay.metrics.definition import CUTOFF, CUTOFF_NEEDED, REL, Metric, Scores
from assay.metrics.recency import recency
from assay.views import Ages

FRESHNESS_HALF_LIFE = Param(
    "half_life", days, None, "days after which a document counts half, such as 30, 12h or 2w. If not set: 30"
)
MAX_AGE = Param(
    "max_age", days, None, "share of the documents that are at most this old, instead of weights that fall with age"
)
USUAL_HALF_LIFE = 30.0


def check_freshness(params: Mapping[str, Any]) -> None:
    """Either a half-life or a maximum age."""
    if params["half_life"] is not None and params["max_age"] is not None:
        raise BadParameter("freshness: half_life and max_age exclude each other. Use one of them")


def freshness(ages: Ages, k: int, half_life: float | None, max_age: float | None) -> Scores:
    """Mean recency of the first k documents, judged or not: 1 if all are new, ½ if all are one half-life old.

    With `max_age` it is the share of the documents that are at most so old. A document that is younger than its query counts
    as new. Documents without a time do not count. An empty ranking scores 0. A query without a time, or whose first k
    documents have no times, has no score.
    """
    query, age = ages.known(k)
    fresh = (age <= max_age).astype(float) if max_age is not None else recency(age, half_life or USUAL_HALF_LIFE)
    score = ages.mean(fresh, query)
    return np.where(ages.is_timed & (ages.run.n_retrieved == 0), 0.0, score)


FRESHNESS = Metric(
    "freshness",
    freshness,
    params=(CUTOFF_NEEDED, FRESHNESS_HALF_LIFE, MAX_AGE),
    check=check_freshness,
    aliases=("recency",),
    view="ages",
    formula="mean of 2^(−age ÷ half-life) over the first k documents with a time",
    cite="Dong et al. 2010, Towards Recency Ranking in Web Search, WSDM; half-life as in Li & Croft 2003, Time-Based "
    "Language Models, CIKM",
)


STALENESS_OF = Param(
    "of",
    one_of("retrieved", "relevant"),
    "retrieved",
    "retrieved: the first k documents, judged or not; relevant: the first relevant document among them",
)
STALENESS_STATISTIC = Param("stat", one_of("median", "mean"), "median", "the statistic over the documents of a query")


def staleness(ages: Ages, k: int | None, of: str, stat: str, rel: float | None) -> Scores:
    """Median age of the retrieved documents in days, judged or not; the higher, the staler.

    A document that is younger than its query has age 0. A query has no score if it has no time, or if no document with a
    time was retrieved.
    """
    if of == "relevant":
        hits = ages.run.relevant(rel).top(k)
        hits = hits.where(hits.position == 1)
        if hits.age is None:
            return np.full(ages.n_queries, np.nan)
        is_known = ~np.isnan(hits.age)
        query, age = hits.query[is_known], hits.age[is_known]
    else:
        query, age = ages.known(k)
    age = np.maximum(age, 0.0)
    return ages.mean(age, query) if stat == "mean" else ages.median(age, query)


STALENESS = Metric(
    "staleness",
    staleness,
    params=(CUTOFF, STALENESS_OF, STALENESS_STATISTIC, REL),
    range=(0.0, float("inf")),
    higher_is_better=False,
    view="ages",
    formula="median of query time − document time over the first k documents with a time",
    cite="Dai, Shokouhi & Davison 2011, Learning to Rank for Freshness and Relevance, SIGIR",
)


def relevant_age(ages: Ages, rel: float | None) -> Scores:
    """Age in days of the document that the query looks for: the youngest of its relevant documents with the highest grade.

    It depends on judgments and times only, so every run has the same value. A query has no score if it has no time, or if
    none of its relevant documents has one. A document that is younger than its query has age 0.
    """
    ideal = ages.run.ideal.where(ages.run.is_relevant(ages.run.ideal, rel))
    if ideal.age is None:
        return np.full(ages.n_queries, np.nan)
    dated = ideal.where(~np.isnan(ideal.age))
    best = np.full(ages.n_queries, -np.inf)
    np.maximum.at(best, dated.query, dated.grade)
    wanted = dated.where(dated.grade == best[dated.query])
    age = np.full(ages.n_queries, np.inf)
    if wanted.age is not None:
        np.minimum.at(age, wanted.query, np.maximum(wanted.age, 0.0))
    return np.where(np.isinf(age), np.nan, age)


RELEVANT_AGE = Metric(
    "relevant_age",
    relevant_age,
    params=(REL,),
    range=(0.0, float("inf")),
    view="ages",
    formula="query time − time of the best relevant document",
    cite="Jones & Diaz 2007, Temporal Profiles of Queries, TOIS 25(3)",
)
