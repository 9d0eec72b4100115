"""11pt_avg: interpolated precision averaged over eleven recall points."""

from assay.grammar import Param, fractions
from assay.metrics._interpolation import ROUNDING, interpolated_precisions
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL

ELEVEN = tuple(point / 10 for point in range(11))
POINTS = Param("points", fractions, ELEVEN, "the recall points", dot=True)


def eleven_point_average(run: GradedRun, points: tuple[float, ...], rel: float | None, rounding: str) -> Scores:
    """Interpolated precision averaged over eleven recall points.

    Points that the ranking never reaches count 0.
    """
    return interpolated_precisions(run, points, rel, rounding).mean(axis=1)


METRIC = Metric(
    "11pt_avg",
    eleven_point_average,
    params=(POINTS, REL, ROUNDING),
    aliases=("11pt", "eleven_point_average", "11-pt_avg"),
    formula="mean of iprec@0, iprec@0.1, …, iprec@1",
    cite="Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, §8.4",
    trec=("11pt_avg",),
)
