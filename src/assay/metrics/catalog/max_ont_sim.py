"""The most alike pair of an expected and a retrieved term, by an ontology."""

from assay.metrics.definition import Metric, Scores
from assay.metrics.similarity_params import FIRST_TERMS, FORMULA
from assay.views import Similarities


def max_ont_sim(similarities: Similarities, k: int | None, formula: str) -> Scores:
    """Best similarity between any expected term and any of the first k retrieved ones, in an ontology.

    The same id scores 1, and with depth formulas nothing else does: a parent is near, but not right. Obsolete and
    alternative ids stand for what replaced them; an id that is no term is like nothing but itself. 0 where nothing was
    retrieved or nothing is expected; a query without judgments has no score.
    """
    return similarities.best(formula, k)


MAX_ONT_SIM = Metric(
    "max_ont_sim",
    max_ont_sim,
    params=(FIRST_TERMS, FORMULA),
    aliases=("maxontsim", "max_ontology_similarity"),
    view="similarity",
    formula="max over expected e and retrieved r of sim(e, r)",
    cite="Pesquita et al. 2009, Semantic Similarity in Biomedical Ontologies, PLoS Comput Biol 5(7): the maximum approach",
)
