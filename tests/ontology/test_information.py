"""Information content: by structure and by annotations, by hand; a term never says more than one below it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, UsageError
from assay.ontology.similarity import information_content, with_annotations

from ._small import graphs, ontology_of, small, steps_up


def of(source, ontology):
    return dict(zip(ontology.ids, information_content(ontology, source).tolist(), strict=True))


def test_seco_by_hand():
    content = of("seco", small())
    assert content["X:D"] == content["X:E"] == content["X:T"] == 1
    assert content["X:R"] == pytest.approx(1 - math.log(7) / math.log(9))
    assert content["X:C"] == pytest.approx(0.5)


def test_zhou_by_hand():
    content = of("zhou", small())
    assert content["X:D"] == 1
    assert content["X:E"] == pytest.approx(0.5 + 0.5 * math.log(3) / math.log(5))
    assert content["X:R"] == pytest.approx(0.5 * (1 - math.log(7) / math.log(9)))


def test_annotations_by_hand():
    things = {"p": ["X:D"], "q": ["X:C", "X:A"], "r": ["X:OLD", "X:ALT"], "s": ["X:T"], "t": ["X:Q"]}
    ontology = with_annotations(small(), things)
    counts = dict(zip(ontology.ids, ontology.annotated.tolist(), strict=True))
    assert counts == {"X:R": 3, "X:A": 3, "X:B": 2, "X:C": 2, "X:F": 1, "X:D": 1, "X:E": 0, "X:S": 1, "X:T": 1}
    assert ontology.n_annotated == 4
    content = of("annotations", ontology)
    assert content["X:A"] == pytest.approx(1 - math.log(3) / math.log(4))
    assert content["X:D"] == content["X:E"] == 1


def test_lin_can_tie_where_annotations_do():
    ontology = with_annotations(small(), {"p": ["X:D"], "q": ["X:T"]})
    pair = ontology.numbers(["X:D"]), ontology.numbers(["X:F"])
    assert ontology.similarity("lin(ic=annotations)", *pair)[0] == 1
    assert ontology.similarity("jiang_conrath(ic=annotations)", *pair)[0] == 1


@given(graphs(), st.data())
def test_what_is_below_says_more(parents, data):
    names = sorted(parents)
    things = data.draw(st.dictionaries(st.text(max_size=3), st.lists(st.sampled_from(names), min_size=1), min_size=1))
    ontology = with_annotations(ontology_of(parents), things)
    for source in ("seco", "zhou", "annotations"):
        content = information_content(ontology, source)
        assert ((content >= 0) & (content <= 1)).all()
        child = np.repeat(np.arange(len(ontology)), np.diff(ontology.parent_start))
        assert (content[child] >= content[ontology.parents]).all()
    for number, one in enumerate(ontology.ids):
        having = [thing for thing, terms in things.items() if any(one in steps_up(parents, term) for term in terms)]
        assert ontology.annotated[number] == len(having)


def test_without_annotations():
    with pytest.raises(UsageError, match="needs an annotation file"):
        information_content(small(), "annotations")
    with pytest.raises(DataError, match="not one annotation is of a term of small"):
        with_annotations(small(), {"p": ["Y:1"]})
