"""max_ont_sim: by hand, against every pair by itself, and as an ordinary metric of the catalog."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.parsing import parse_metric
from assay.ontology import all_similarities

from ._terms import PARENTS, score, terms, view

IDS = [*PARENTS, "OLD", "nobody"]
rankings = st.lists(st.sampled_from(IDS), unique=True, max_size=6)


@pytest.mark.parametrize(
    ("metric", "ranking", "expected", "value"),
    [
        ("max_ont_sim@10", ["C"], ["C"], 1),
        ("max_ont_sim@10", ["S", "E", "C"], ["C"], 1),
        ("max_ont_sim@2", ["S", "E", "C"], ["C"], 0.7 / 3 + 0.3 * (1 - 2 / 4)),
        ("max_ont_sim@1", ["S", "E", "C"], ["C"], 0),
        ("max_ont_sim(formula=simple)@1", ["C"], ["D"], 2 / 3),
        ("max_ont_sim@1", ["C"], ["D"], 0.7 * 2 / 3 + 0.3 * (1 - 1 / 5)),
        ("max_ont_sim@1", ["C"], ["S", "D"], 0.7 * 2 / 3 + 0.3 * (1 - 1 / 5)),
        ("max_ont_sim", ["OLD"], ["C"], 1),
        ("max_ont_sim", ["C"], ["OLD"], 1),
        ("max_ont_sim", ["nobody"], ["C"], 0),
        ("max_ont_sim", ["nobody"], ["nobody"], 1),
        ("max_ont_sim", ["nobody"], ["somebody"], 0),
        ("max_ont_sim(formula=resnik)", ["nobody"], ["nobody"], 1),
        ("max_ont_sim", [], ["C"], 0),
        ("max_ont_sim", ["C"], [], 0),
    ],
)
def test_by_hand(metric, ranking, expected, value):
    assert score(metric, ranking, expected) == pytest.approx(value)


def test_a_parent_does_not_score_one():
    """The original gave parent and child 1.0."""
    assert all(score("max_ont_sim", [parent], [child]) < 1 for child, above in PARENTS.items() for parent in above)


@pytest.mark.parametrize("formula", list(all_similarities()))
@given(rankings, rankings, st.integers(1, 7))
def test_against_every_pair_by_itself(formula, ranking, expected, k):
    ontology = terms()
    pairs = [(found, wanted) for found in ranking[:k] for wanted in expected]
    alike = [
        1.0 if a == b == "nobody" else float(ontology.similarity(formula, ontology.numbers([a]), ontology.numbers([b]))[0])
        for a, b in pairs
    ]
    assert score(f"max_ont_sim(formula={formula})@{k}", ranking, expected) == pytest.approx(max(alike, default=0.0))


@given(rankings, rankings)
def test_more_ranks_never_lower_it(ranking, expected):
    scores = [score(f"max_ont_sim@{k}", ranking, expected) for k in range(1, 7)]
    assert scores == sorted(scores)


def test_queries_do_not_mix():
    found = view({"a": ["C", "E"], "b": ["D"], "c": ["C"]}, {"a": ["E"], "b": ["C"], "d": ["R"], "e": []})
    values = parse_metric("max_ont_sim@1").score(found)
    assert found.query_ids == ("a", "b", "c", "d", "e")
    assert values[:2] == pytest.approx([score("max_ont_sim", ["C"], ["E"]), score("max_ont_sim", ["D"], ["C"])])
    assert np.isnan(values[2])
    assert values[3:].tolist() == [0, 0]


def test_names():
    for text in ("MaxOntSim@5", "max_ontology_similarity@5", "max_ont_sim_at_5", "maxontsim@5"):
        assert parse_metric(text).name == "max_ont_sim@5"
    assert parse_metric("max_ont_sim(formula=hybrid)@5").name == "max_ont_sim@5"
