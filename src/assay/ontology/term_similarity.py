"""Metrics of term similarity: the similarity of retrieved terms to expected terms in an ontology."""

from assay.grammar import Param, cutoff
from assay.metrics import Metric, Question
from assay.model import Scores
from assay.ontology.similarity import FORMULA
from assay.ontology.similarity_view import Similarities

FIRST_TERMS = Param("k", cutoff, None, "only the first k retrieved ids count", aliases=("cutoff",), at=True)


def max_ont_sim(similarities: Similarities, k: int | None, formula: str) -> Scores:
    """Best similarity between any expected term and any of the first k retrieved terms, in an ontology.

    The same id scores 1. With formulas that use depth, only the same id scores 1, and a parent scores less. Obsolete and
    alternative ids count as their current term; an id that is not a term is similar only to itself. 0 if nothing was
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


def mean_best_similarity(similarities: Similarities, k: int | None, formula: str) -> Scores:
    """Mean over expected terms of the best similarity to the first k retrieved terms.

    With one expected term, it equals max_ont_sim. With several, it is high only if each of them is near a retrieved term. An
    id that is not a term is similar only to itself. 0 if nothing was retrieved or nothing is expected; a query without
    judgments has no score.
    """
    return similarities.mean_best(formula, k)


MEAN_BEST_SIMILARITY = Metric(
    "mean_best_similarity",
    mean_best_similarity,
    params=(FIRST_TERMS, FORMULA),
    aliases=("best_match_average", "mean_best_sim"),
    view="similarity",
    formula="Σ over expected e of max over retrieved r of sim(e, r) ÷ number of expected terms",
    cite="Azuaje, Wang & Bodenreider 2005, ontology-driven similarity; the half of their best-match average that is over "
    "expected terms",
)
NEARLY_RIGHT = Question(
    "nearly-right",
    "Was the result at least nearly right?",
    "A parent or a sibling of the right term is better than an unrelated term. These metrics measure how similar terms are.",
    ("max_ont_sim", "mean_best_similarity"),
    ("max_ont_sim@5", "hit@5"),
    "ontology hpo term terms similar similarity near close partial semantic concept taxonomy almost",
    after="spans",
)
