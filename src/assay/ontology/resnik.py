"""resnik: information content of the most informative common ancestor."""

from assay.arrays import Floats
from assay.ontology._ancestors import Common
from assay.ontology._information import CONTENT, information_content
from assay.ontology._ontology import Ontology
from assay.ontology._similarity import Similarity


def resnik(ontology: Ontology, common: Common, ic: str) -> Floats:
    """Information content of the most informative common ancestor.

    Not normalised: a term and itself score the term's own information content, which is 1 only for the most specific
    ones, and a term is as much like itself as like any term below it. 0 where the terms have no ancestor in common.
    """
    return common.greatest(information_content(ontology, ic))


SIMILARITY = Similarity(
    "resnik",
    resnik,
    params=(CONTENT,),
    formula="IC(MICA)",
    cite="Resnik 1995, Using Information Content to Evaluate Semantic Similarity in a Taxonomy, IJCAI",
    is_normalised=False,
    only_identical=False,
)
