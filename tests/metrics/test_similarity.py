"""max_ont_sim and mean_best_similarity: by hand, and against every pair by itself."""

from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import parse_metric
from assay.ontology import all_similarities

from ._cases import close, each_metric
from ._terms import PARENTS, score, terms, view

WORKED_OUT = [  # metric, terms down the ranking, expected terms, score
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
    ("mean_best_similarity@10", ["C"], ["C"], 1),
    ("mean_best_similarity@10", ["C"], ["C", "S"], 1 / 2),
    ("mean_best_similarity(formula=simple)@10", ["C", "E"], ["D", "E"], (2 / 3 + 1) / 2),
    ("mean_best_similarity(formula=simple)@1", ["C", "E"], ["D", "E"], (2 / 3 + 1 / 3) / 2),
    ("mean_best_similarity", ["C"], ["C", "C"], 1),
    ("mean_best_similarity", ["C"], ["C", "OLD", "S"], 1 / 2),  # two ids of one term
    ("mean_best_similarity", ["C"], ["OLD", "S", "C"], 1 / 2),
    ("mean_best_similarity", ["nobody"], ["nobody", "somebody"], 1 / 2),
    ("mean_best_similarity", [], ["C"], 0),
    ("mean_best_similarity", ["C"], [], 0),
]
RANKINGS = st.lists(st.sampled_from([*PARENTS, "OLD", "nobody"]), unique=True, max_size=6)
ontology = cache(terms)


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    for metric, ranking, expected, value in rows:
        assert score(metric, ranking, expected) == close(value), (metric, ranking, expected)


def alike(formula, a, b):
    if a == b == "nobody":
        return 1.0
    return float(ontology().similarity(formula, ontology().numbers([a]), ontology().numbers([b]))[0])


@given(RANKINGS, RANKINGS, st.integers(1, 7), st.sampled_from([*all_similarities()]))
def test_against_every_pair_by_itself(ranking, expected, k, formula):
    once = [one for one in expected if one != "OLD" or "C" not in expected]
    best = [max((alike(formula, wanted, found) for found in ranking[:k]), default=0.0) for wanted in once]
    assert score(f"max_ont_sim(formula={formula})@{k}", ranking, expected) == close(max(best, default=0.0))
    mean = sum(best) / len(best) if best else 0.0
    assert score(f"mean_best_similarity(formula={formula})@{k}", ranking, expected) == close(mean)


@given(RANKINGS, RANKINGS)
def test_more_ranks_never_lower_it_and_the_mean_is_never_above_the_maximum(ranking, expected):
    scores = [score(f"max_ont_sim@{k}", ranking, expected) for k in range(1, 7)]
    assert scores == sorted(scores)
    assert score("mean_best_similarity", ranking, expected) <= score("max_ont_sim", ranking, expected) + 1e-12


def test_a_parent_does_not_score_one():
    """The original gave parent and child 1.0."""
    assert all(score("max_ont_sim", [parent], [child]) < 1 for child, above in PARENTS.items() for parent in above)


def test_queries_do_not_mix():
    found = view({"a": ["C", "E"], "b": ["D"], "c": ["C"]}, {"a": ["E"], "b": ["C"], "d": ["R"], "e": []})
    assert found.query_ids == ("a", "b", "c", "d", "e")
    for name in ("max_ont_sim@1", "mean_best_similarity@1"):
        values = parse_metric(name).score(found)
        assert values[:2].tolist() == close([alike("hybrid", "C", "E"), alike("hybrid", "D", "C")])
        assert np.isnan(values[2])  # nothing is expected of it
        assert values[3:].tolist() == [0, 0]


def test_names():
    for text in (
        "MaxOntSim@5",
        "max_ontology_similarity@5",
        "max_ont_sim_at_5",
        "maxontsim@5",
        "max_ont_sim(formula=hybrid)@5",
    ):
        assert parse_metric(text).name == "max_ont_sim@5"
