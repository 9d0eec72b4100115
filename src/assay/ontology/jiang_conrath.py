"""jiang_conrath: 1 minus half of what is to be said about either term beyond their most informative common ancestor."""

import numpy as np

from assay.arrays import Floats
from assay.ontology._ancestors import Common
from assay.ontology._information import CONTENT, information_content
from assay.ontology._ontology import Ontology
from assay.ontology._similarity import Similarity


def jiang_conrath(ontology: Ontology, common: Common, ic: str) -> Floats:
    """1 minus half of what is to be said about either term beyond their most informative common ancestor.

    The distance of Jiang and Conrath, turned into a similarity from 0 to 1 as Seco does: information content is from 0
    to 1. A term and one above it may score 1 where both are equally informative. Two terms that say little are alike even
    if they share a root alone; those without any ancestor in common score 0.
    """
    content = information_content(ontology, ic)
    distance = content[common.a] + content[common.b] - 2 * common.greatest(content)
    return np.where(common.lowest >= 0, 1 - distance / 2, 0.0)


SIMILARITY = Similarity(
    "jiang_conrath",
    jiang_conrath,
    params=(CONTENT,),
    aliases=("jc", "jcn"),
    formula="1 − (IC1 + IC2 − 2 · IC(MICA)) ÷ 2",
    cite="Jiang & Conrath 1997, ROCLING X; scaled as in Seco, Veale & Hayes 2004, ECAI",
    only_identical=False,
)
