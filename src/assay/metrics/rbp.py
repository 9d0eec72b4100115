"""rbp: gain per document inspected by a user who goes on to the next with chance p."""

import numpy as np

from assay.grammar import Param, one_of, persistence
from assay.metrics._expected import ranks_of, tied_hits
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, REL
from assay.model import Floats, ratio

P = Param("p", persistence, 0.8, "chance to go on to the next document", dot=True, shown=True)
GAIN = Param(
    "gain",
    one_of("binary", "scale", "query", "grade"),
    "binary",
    "binary: 1 if relevant; scale: grade ÷ largest grade; query: grade ÷ the query's largest (trec_eval 10); "
    "grade: the grade itself, which may exceed 1 (ranx)",
)


def rbp(run: GradedRun, k: int | None, p: float, rel: float | None, gain: str) -> Scores:
    """Gain per document inspected by a user who goes on to the next with chance p.

    Always below 1: some weight lies beyond the end of any ranking. trec_eval 10 has p = 0.9 and gain = query.
    """
    hits, worth = run.retrieved, _worth(run, rel, gain)
    inside = (hits.rank <= (k or hits.rank.max(initial=0))) & (worth > 0)
    hits, worth = hits.where(inside), worth[inside]
    return (1.0 - p) * hits.sum(worth * p ** (hits.rank - 1.0))


def expected_rbp(run: GradedRun, k: int | None, p: float, rel: float | None, gain: str) -> Scores:
    """The mean over all orders of ties."""
    return (1.0 - p) * tied_hits(run).expected_sum(_worth(run, rel, gain), p ** (ranks_of(run) - 1.0), k)


def _worth(run: GradedRun, rel: float | None, gain: str) -> Floats:
    """What each retrieved document gains."""
    grade = run.retrieved.grade
    if gain == "binary":
        return run.is_relevant(run.retrieved, rel).astype(float)
    if gain == "grade":
        return np.where(run.is_relevant(run.retrieved, rel), grade, 0.0)
    if gain == "scale":
        return ratio(np.clip(grade, 0.0, run.max_grade), run.max_grade)
    best = np.zeros(run.n_queries)
    np.maximum.at(best, run.ideal.query, run.ideal.grade)
    return ratio(np.maximum(grade, 0.0), best[run.retrieved.query])


METRIC = Metric(
    "rbp",
    rbp,
    expected=expected_rbp,
    params=(CUTOFF, P, REL, GAIN),
    aliases=("rank_biased_precision",),
    formula="(1 − p) · Σ gain(i) · p^(i − 1)",
    cite="Moffat & Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 27(1)",
)
