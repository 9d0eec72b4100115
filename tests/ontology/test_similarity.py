"""Similarities: laws of the whole catalog, and a reference that goes from term to term."""

import numpy as np
import pytest
from hypothesis import given

from assay import BadParameter, UnknownName
from assay.ontology import all_similarities, parse_similarity

from ._small import graphs, ontology_of, references, small

NAMES = list(all_similarities())
DEPTH = ("hybrid", "jaccard", "simple", "wu_palmer")
each = pytest.mark.parametrize("name", NAMES)


def all_pairs(ontology):
    """Numbers of all pairs of terms."""
    return [side.ravel() for side in np.meshgrid(np.arange(len(ontology)), np.arange(len(ontology)))]


def test_what_there_is():
    assert NAMES == ["hybrid", "jaccard", "jiang_conrath", "lin", "resnik", "simple", "wu_palmer"]
    assert {one.name for one in all_similarities().values() if one.only_identical} == set(DEPTH)
    for one in all_similarities().values():
        assert one.meaning
        assert one.edge_cases
        assert one.formula
        assert one.cite


@given(graphs())
def test_against_the_definitions(parents):
    ontology = ontology_of(parents)
    worked = list(references(parents))
    a, b = (ontology.numbers(side) for side in list(zip(*worked, strict=True))[:2])
    for name in NAMES:
        expected = [values[name] for *_, values in worked]
        assert np.allclose(ontology.similarity(name, a, b), expected, rtol=0, atol=1e-12), name


@each
@given(graphs())
def test_laws(name, parents):
    ontology = ontology_of(parents)
    a, b = all_pairs(ontology)
    values = ontology.similarity(name, a, b).reshape(len(ontology), -1)
    assert ((values >= 0) & (values <= 1)).all()
    assert (values == values.T).all()
    similarity = parse_similarity(name)
    whole = [similarity.with_all(ontology, number) for number in range(len(ontology))]
    assert np.allclose(whole, values, atol=1e-12)
    if similarity.similarity.is_normalised:
        assert (np.diag(values) == 1).all()
    if similarity.similarity.only_identical:
        assert (values[~np.eye(len(ontology), dtype=bool)] < 1).all()


@pytest.mark.parametrize("ic", ["seco", "zhou"])
@pytest.mark.parametrize("name", ["lin", "jiang_conrath"])
@given(graphs())
def test_information_from_structure_tells_terms_apart_too(name, ic, parents):
    ontology = ontology_of(parents)
    a, b = all_pairs(ontology)
    values = ontology.similarity(f"{name}(ic={ic})", a, b)
    assert (values[a != b] < 1).all()


@each
def test_unknown_terms_are_like_nothing(name):
    ontology = small()
    assert ontology.similarity(name, np.array([-1, -1, 3]), np.array([-1, 3, -1])).tolist() == [0, 0, 0]
    assert not parse_similarity(name).with_all(ontology, -1).any()


@each
def test_no_pairs_no_numbers(name):
    nothing = np.zeros(0, dtype=np.int64)
    assert small().similarity(name, nothing, nothing).tolist() == []


@each
def test_a_pair_may_come_often_and_either_way_round(name):
    ontology = small()
    values = ontology.similarity(name, np.array([8, 2, 8, 2]), np.array([2, 8, 2, 8]))
    assert len(set(values.tolist())) == 1


def test_a_single_term():
    ontology = ontology_of({"a": ()})
    zero = np.array([0])
    assert {name: float(ontology.similarity(name, zero, zero)[0]) for name in NAMES} == dict.fromkeys(NAMES, 1) | {
        "resnik": 0
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hybrid", "hybrid"),
        ("Wu-Palmer", "wu_palmer"),
        ("wup", "wu_palmer"),
        ("jcn", "jiang_conrath"),
        ("lin(ic=seco)", "lin"),
        ("lin( ic = zhou )", "lin(ic=zhou)"),
        ("hybrid(weight=0.5)", "hybrid(weight=0.5)"),
        ("hybrid(weight=0.7)", "hybrid"),
    ],
)
def test_names(text, name):
    assert parse_similarity(text).name == name
    assert parse_similarity(name) == parse_similarity(text)


@pytest.mark.parametrize(
    ("text", "is_read"), [("lin", False), ("lin(ic=zhou)", False), ("resnik(ic=annotations)", True), ("hybrid", False)]
)
def test_which_ones_read_annotations(text, is_read):
    assert parse_similarity(text).reads_annotations is is_read


def test_names_nobody_knows():
    with pytest.raises(UnknownName, match="Did you mean resnik"):
        parse_similarity("resnick")
    with pytest.raises(BadParameter, match="ic is one of seco, zhou, annotations, not 'x'"):
        parse_similarity("lin(ic=x)")
