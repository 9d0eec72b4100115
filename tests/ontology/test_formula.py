"""FORMULA: a parameter that names a similarity."""

import pytest

from assay import BadParameter
from assay.metrics.parsing import parse_metric
from assay.ontology import all_similarities
from assay.ontology.similarity import FORMULA


def test_every_similarity_is_a_choice():
    assert FORMULA.choices == tuple(all_similarities())


def test_names_read_back():
    assert parse_metric("MaxOntSim(formula=wup)@5").name == "max_ont_sim(formula=wu_palmer)@5"
    name = "max_ont_sim(formula=lin(ic=zhou))@5"
    assert parse_metric(name).name == name


def test_what_is_wrong_is_told():
    with pytest.raises(BadParameter, match=r"formula is one of hybrid, jaccard, .*, not 'best'"):
        parse_metric("max_ont_sim(formula=best)")
    with pytest.raises(
        BadParameter, match=r"formula is a similarity as it is written \(lin\(x=1\): lin has no parameter 'x'"
    ):
        parse_metric("max_ont_sim(formula=lin(x=1))")
