"""lin: information content of the most informative common ancestor against that of both terms."""

from assay.arrays import Floats, ratio
from assay.ontology._ancestors import Common
from assay.ontology._information import CONTENT, information_content
from assay.ontology._ontology import Ontology
from assay.ontology._similarity import Similarity


def lin(ontology: Ontology, common: Common, ic: str) -> Floats:
    """Information content of the most informative common ancestor against that of both terms.

    A term and itself score 1. So may a term and one above it, where both are equally informative: with annotations of
    which each one of the upper term is also one of the lower. 0 where both terms say nothing, or have nothing in common.
    """
    content = information_content(ontology, ic)
    return ratio(2 * common.greatest(content), content[common.a] + content[common.b])


SIMILARITY = Similarity(
    "lin",
    lin,
    params=(CONTENT,),
    formula="2 · IC(MICA) ÷ (IC1 + IC2)",
    cite="Lin 1998, An Information-Theoretic Definition of Similarity, ICML",
    only_identical=False,
)
