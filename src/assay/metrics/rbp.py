"""rbp: gain per document inspected by a user who goes on to the next with chance p."""

import numpy as np

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, REL, Param, one_of, persistence
from assay.model.graded import ratio
from assay.model.ordering import Floats

P = Param("p", persistence, 0.8, "chance to go on to the next document", dot=True, shown=True)
GAIN = Param(
    "gain",
    one_of("binary", "scale", "query"),
    "binary",
    "binary: 1 if relevant; scale: grade ÷ largest grade; query: grade ÷ the query's largest (trec_eval 10)",
)


def rbp(run: GradedRun, k: int | None, p: float, rel: float | None, gain: str) -> Scores:
    """Always below 1: some weight lies beyond the end of any ranking. trec_eval 10 has p = 0.9 and gain = query."""
    hits = run.relevant(rel) if gain == "binary" else run.retrieved
    worth = _worth(run, hits.query, hits.grade, gain)
    inside = hits.rank <= (k or hits.rank.max(initial=0))
    hits, worth = hits.where(inside), worth[inside]
    return (1.0 - p) * hits.sum(worth * p ** (hits.rank - 1.0))


def _worth(run: GradedRun, query: np.ndarray, grade: Floats, gain: str) -> Floats:
    if gain == "binary":
        return np.ones(len(grade))
    if gain == "scale":
        return ratio(np.clip(grade, 0.0, run.max_grade), run.max_grade)
    best = np.zeros(run.n_queries)
    np.maximum.at(best, run.ideal.query, run.ideal.grade)
    return ratio(np.maximum(grade, 0.0), best[query])


METRIC = Metric(
    "rbp",
    rbp,
    params=(CUTOFF, P, REL, GAIN),
    aliases=("rank_biased_precision",),
    formula="(1 − p) · Σ gain(i) · p^(i − 1)",
    cite="Moffat & Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 27(1)",
)
