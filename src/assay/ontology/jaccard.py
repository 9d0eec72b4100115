"""jaccard: share of the ancestors of either term that both have."""

from assay.arrays import Floats, ratio
from assay.ontology._ancestors import Common
from assay.ontology._ontology import Ontology
from assay.ontology._similarity import Similarity


def jaccard(ontology: Ontology, common: Common) -> Floats:
    """Share of the ancestors of either term that both have.

    A term counts among its own ancestors, so only a term and itself score 1. 0 where no ancestor is common.
    """
    n_above = ontology.ancestors.n_above
    return ratio(common.n_shared, n_above[common.a] + n_above[common.b] - common.n_shared)


SIMILARITY = Similarity(
    "jaccard",
    jaccard,
    aliases=("simui", "ui"),
    formula="|A1 ∩ A2| ÷ |A1 ∪ A2|, A: a term and all above it",
    cite="Gentleman 2005, Visualizing and Distances Using GO (simUI)",
)
