"""err_ia: reciprocal of the rank at which a user is satisfied, averaged over what subtopic the user means."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._novelty import ALPHA, expected_novel_gain, most_gain, novel_gain
from assay.metrics._param import CUTOFF_NEEDED, JUDGED_ONLY, REL
from assay.metrics._stopping import reciprocals
from assay.model import ratio


def err_ia(run: GradedRun, k: int, alpha: float, rel: float | None) -> Scores:
    """Reciprocal of the rank at which a user is satisfied, averaged over what subtopic the user means.

    A relevant document satisfies with chance alpha, whatever its grade; 1 only if all k are relevant to every subtopic.

    It is ndeval's, which at k = 1 forgets to divide by the number of subtopics.
    """
    by = run.by_subtopic(rel)
    most = by.n_subtopics * most_gain(alpha, reciprocals, k)
    return ratio(novel_gain(by, by.run.retrieved, alpha, reciprocals, k), most)


def expected_err_ia(run: GradedRun, k: int, alpha: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return ratio(expected_novel_gain(by, alpha, reciprocals, k), by.n_subtopics * most_gain(alpha, reciprocals, k))


METRIC = Metric(
    "err_ia",
    err_ia,
    expected=expected_err_ia,
    params=(CUTOFF_NEEDED, ALPHA, REL, JUDGED_ONLY),
    is_monotone=False,
    view="subtopics",
    formula="Σ over ranks i ≤ k and subtopics of document i of (1 − alpha)^seen ÷ i, ÷ its value if every document were "
    "about every subtopic",
    cite="Chapelle, Ji, Liao, Velipasaoglu, Lai & Wu 2011, Intent-based Diversification of Web Search Results: Metrics and "
    "Algorithms, Information Retrieval 14(6); normalised as in Clarke, Craswell, Soboroff & Ashkan 2011, WSDM",
)
