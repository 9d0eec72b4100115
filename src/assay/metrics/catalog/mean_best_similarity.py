"""Mean of best similarities between expected and retrieved terms, by an ontology."""

from assay.metrics.definition import Metric, Scores
from assay.metrics.similarity_params import FIRST_TERMS, FORMULA
from assay.views import Similarities


def mean_best_similarity(similarities: Similarities, k: int | None, formula: str) -> Scores:
    """For each expected term the best similarity to the first k retrieved ones, averaged.

    With one expected term it is max_ont_sim; with several, each of them has to be near something. An id that is no term
    is like nothing but itself. 0 where nothing was retrieved or nothing is expected; a query without judgments has no score.
    """
    return similarities.mean_best(formula, k)


MEAN_BEST_SIMILARITY = Metric(
    "mean_best_similarity",
    mean_best_similarity,
    params=(FIRST_TERMS, FORMULA),
    aliases=("best_match_average", "mean_best_sim"),
    view="similarity",
    formula="Σ over expected e of max over retrieved r of sim(e, r) ÷ number of expected terms",
    cite="Azuaje, Wang & Bodenreider 2005, ontology-driven similarity; of their best-match average the expected half",
)
