"""Behaviour: what users did with search results, from a log of searches and clicks."""

from __future__ import annotations

from typing import Any

from assay.grammar import Param, cutoff, not_negative
from assay.metrics.definition import Metric
from assay.model import RATIO_OF_SUMS, Composed, counted_quantile
from assay.views import Behaviour

VIEW: dict[str, Any] = {"view": "behaviour", "aggregation": RATIO_OF_SUMS}
SHOWN = Param("k", cutoff, None, "only the first k results count", aliases=("cutoff",), at=True)
SATISFIED_AFTER = Param("seconds", not_negative, 30.0, "shortest dwell time of a satisfied click, in seconds")
FOLLOWED_WITHIN = Param("seconds", not_negative, 300.0, "longest time between two queries, in seconds")
JOACHIMS = "Joachims et al. 2005, Accurately Interpreting Clickthrough Data as Implicit Feedback, SIGIR"


def ctr(log: Behaviour, k: int | None) -> Composed:
    """Click-through rate: the share of the shown results that were clicked.

    With k, only results at the first k ranks count. Several clicks on one result count as one. A higher rate can also mean
    better titles, or that users need more results.
    """
    return log.ratio(log.count("clicked", k), log.count("shown", k))


CTR = Metric(
    "ctr",
    ctr,
    params=(SHOWN,),
    aliases=("click_through_rate",),
    formula="clicked results ÷ shown results",
    cite="Richardson, Dominowska & Ragno 2007, Predicting Clicks: Estimating the Click-Through Rate for New Ads, WWW",
    **VIEW,
)


def clicked_rank(log: Behaviour) -> Composed:
    """Mean rank of the clicked results.

    It is undefined without clicks.
    """
    return log.ratio(log.count("clicked_ranks"), log.count("clicked"))


CLICKED_RANK = Metric(
    "clicked_rank",
    clicked_rank,
    aliases=("mean_clicked_rank", "mean_click_rank"),
    range=(1.0, float("inf")),
    higher_is_better=False,
    formula="Σ ranks of clicked results ÷ clicked results",
    cite=JOACHIMS,
    **VIEW,
)


def first_click_mrr(log: Behaviour) -> Composed:
    """Mean of 1 ÷ the rank of the first click of a search.

    The first click is the earliest; without times of clicks, it is the topmost. A search without a click scores 0. Searches
    without results do not count.
    """
    return log.ratio(log.count("reciprocal_first"), log.count("with_results"))


FIRST_CLICK_MRR = Metric(
    "first_click_mrr",
    first_click_mrr,
    aliases=("click_mrr",),
    formula="Σ 1 ÷ rank of the first click ÷ searches with results",
    cite="Radlinski, Kurup & Joachims 2008, How Does Clickthrough Data Reflect Retrieval Quality?, CIKM",
    **VIEW,
)


def abandonment(log: Behaviour) -> Composed:
    """Share of the searches with results in which nothing was clicked.

    Users who find the answer in the list of results do not click either, so read it together with other metrics.
    """
    return log.ratio(log.count("abandoned"), log.count("with_results"))


ABANDONMENT = Metric(
    "abandonment",
    abandonment,
    aliases=("abandonment_rate",),
    higher_is_better=False,
    formula="searches with results and without a click ÷ searches with results",
    cite="Li, Huffman & Tokuda 2009, Good Abandonment in Mobile and PC Internet Search, SIGIR",
    **VIEW,
)


def zero_results(log: Behaviour) -> Composed:
    """Share of the searches that returned no results.

    A log must have these searches to show them: an empty list, or a row without a document.
    """
    return log.ratio(log.count("without_results"), log.count("searches"))


ZERO_RESULTS = Metric(
    "zero_results",
    zero_results,
    aliases=("zero_result_rate", "null_rate"),
    higher_is_better=False,
    formula="searches without results ÷ searches",
    cite="Singh, Parikh & Sundaresan 2011, User Behavior in Zero-Recall eCommerce Queries, SIGIR",
    **VIEW,
)


def reformulation(log: Behaviour, seconds: float) -> Composed:
    """Share of the searches that another query of the same session follows soon.

    The next search of the session must have another query and start within `seconds` (300 by default). Without sessions, all
    searches of a user are one session. The metric needs times. A new topic also counts, so compare values with each other.
    """
    return log.ratio(log.count("reformulated", seconds=seconds), log.count("timed"))


REFORMULATION = Metric(
    "reformulation",
    reformulation,
    params=(FOLLOWED_WITHIN,),
    aliases=("reformulation_rate",),
    higher_is_better=False,
    formula="searches followed by another query within the time ÷ searches",
    cite="Hassan et al. 2013, Beyond Clicks: Query Reformulation as a Predictor of Search Satisfaction, CIKM",
    **VIEW,
)


def satisfied_click(log: Behaviour, k: int | None, seconds: float) -> Composed:
    """Share of the searches with results in which a clicked result was read for at least 30 seconds.

    With k, only clicks at the first k ranks count. A click without a known dwell time is not satisfied. In a log without any
    dwell time the metric is undefined.
    """
    return log.ratio(log.count("satisfied", k, seconds), log.count("with_results"))


SATISFIED_CLICK = Metric(
    "satisfied_click",
    satisfied_click,
    params=(SHOWN, SATISFIED_AFTER),
    aliases=("satisfied_clicks", "sat_click", "sat_clicks"),
    formula="searches with a click of at least 30 s ÷ searches with results",
    cite="Fox et al. 2005, Evaluating Implicit Measures to Improve Web Search, ACM TOIS 23(2)",
    **VIEW,
)


def skip_rate(log: Behaviour) -> Composed:
    """Share of the ranks down to the lowest click that were not clicked.

    Users who click at rank 4 have usually seen ranks 1 to 3 and decided against them. Searches without a click do not count.
    """
    return log.ratio(log.count("skipped"), log.count("passed"))


SKIP_RATE = Metric(
    "skip_rate",
    skip_rate,
    higher_is_better=False,
    formula="Σ ranks up to the lowest click without a click ÷ Σ rank of the lowest click",
    cite=JOACHIMS,
    **VIEW,
)


def dwell(log: Behaviour) -> Composed:
    """Clicks without a known dwell time do not count.

    Times are counted in bins that are one second wide up to 20 seconds, and about 5 % wide up to one hour, and are
    interpolated inside a bin. A longer time counts as an hour. Users have no scores of their own.
    """
    return log.times("dwell")


def time_to_click(log: Behaviour) -> Composed:
    """Searches without a click, or without times, do not count.

    Times are counted in the same bins as dwell times. Users have no scores of their own.
    """
    return log.times("first_click_after")


def _percentile(name: str, function: Any, percent: int, meaning: str, **about: Any) -> Metric:
    return Metric(
        name,
        function,
        meaning=meaning,
        range=(0.0, 3600.0),
        aggregation=counted_quantile(percent / 100),
        view="behaviour",
        **about,
    )


def _dwell_percentile(percent: int, meaning: str) -> Metric:
    return _percentile(
        f"dwell_p{percent}",
        dwell,
        percent,
        meaning,
        formula=f"{percent}th percentile over clicks with a dwell time, in seconds",
        cite="Fox et al. 2005, Evaluating Implicit Measures to Improve Web Search, ACM TOIS 23(2)",
    )


DWELL_P10 = _dwell_percentile(10, "time that 90 % of the clicked results are read for at least, in seconds.")
DWELL_P50 = _dwell_percentile(50, "median time that a clicked result is read, in seconds.")
DWELL_P90 = _dwell_percentile(90, "time that 10 % of the clicked results are read for at least, in seconds.")


def _click_percentile(percent: int, meaning: str, *aliases: str) -> Metric:
    return _percentile(
        f"time_to_click_p{percent}",
        time_to_click,
        percent,
        meaning,
        aliases=aliases,
        higher_is_better=False,
        formula=f"{percent}th percentile over searches with a click, in seconds",
        cite="Xu & Mease 2009, Evaluating Web Search Using Task Completion Time, SIGIR",
    )


TIME_TO_CLICK_P50 = _click_percentile(50, "median time from a search to its first click, in seconds.", "time_to_click")
TIME_TO_CLICK_P90 = _click_percentile(90, "time within which 90 % of the first clicks come, in seconds.")
