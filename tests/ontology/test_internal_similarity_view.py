"""The metrics max_ont_sim and mean_best_similarity, and what they read: by hand, and against every pair by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Policy, Run
from assay.metrics import parse_metric
from assay.ontology import all_similarities, ancestors
from assay.ontology.similarity_view import Expected, Similarities, first_ids

from ._small import TINY, ontology_of, small, tiny

RULE = Policy().rank_rule
ONTOLOGY = tiny()


def view(run, expected, terms=None, depth=None, rule=RULE):
    """A run as similarities; the queries are those of the run and those that expect something."""
    queries = tuple(dict.fromkeys((*run, *expected)))
    return Similarities.of(queries, Run(run), rule, Expected(expected, terms or ONTOLOGY), depth)


def score(metric, ranking, expected):
    return float(parse_metric(metric).score(view({"q": ranking}, {"q": expected}))[0])


WORKED_OUT = [  # metric, terms down the ranking, expected terms, score
    ("max_ont_sim@10", ["S", "E", "C"], ["C"], 1),
    ("max_ont_sim@2", ["S", "E", "C"], ["C"], 0.7 / 3 + 0.3 * (1 - 2 / 4)),
    ("max_ont_sim@1", ["S", "E", "C"], ["C"], 0),
    ("max_ont_sim(formula=simple)@1", ["C"], ["D"], 2 / 3),
    ("max_ont_sim@1", ["C"], ["D"], 0.7 * 2 / 3 + 0.3 * (1 - 1 / 5)),
    ("max_ont_sim", ["OLD"], ["C"], 1),
    ("max_ont_sim", ["C"], ["OLD"], 1),
    ("max_ont_sim", ["nobody"], ["nobody"], 1),
    ("max_ont_sim", ["nobody"], ["somebody"], 0),
    ("max_ont_sim(formula=resnik)", ["nobody"], ["nobody"], 1),
    ("max_ont_sim", [], ["C"], 0),
    ("max_ont_sim", ["C"], [], 0),
    ("mean_best_similarity@10", ["C"], ["C", "S"], 1 / 2),
    ("mean_best_similarity(formula=simple)@10", ["C", "E"], ["D", "E"], (2 / 3 + 1) / 2),
    ("mean_best_similarity(formula=simple)@1", ["C", "E"], ["D", "E"], (2 / 3 + 1 / 3) / 2),
    ("mean_best_similarity", ["C"], ["C", "C"], 1),
    ("mean_best_similarity", ["C"], ["C", "OLD", "S"], 1 / 2),  # two ids of one term
    ("mean_best_similarity", ["nobody"], ["nobody", "somebody"], 1 / 2),
    ("mean_best_similarity", [], ["C"], 0),
    ("mean_best_similarity", ["C"], [], 0),
]
RANKINGS = st.lists(st.sampled_from([*TINY, "OLD", "nobody"]), unique=True, max_size=6)


def test_worked_out_by_hand():
    for metric, ranking, expected, value in WORKED_OUT:
        assert score(metric, ranking, expected) == pytest.approx(value), (metric, ranking, expected)
    for child, above in TINY.items():  # the original gave parent and child 1.0
        assert all(score("max_ont_sim", [parent], [child]) < 1 for parent in above), child


def alike(formula, a, b):
    if a == b == "nobody":
        return 1.0
    return float(ONTOLOGY.similarity(formula, ONTOLOGY.numbers([a]), ONTOLOGY.numbers([b]))[0])


@given(RANKINGS, RANKINGS, st.integers(1, 7), st.sampled_from([*all_similarities()]))
def test_against_every_pair_by_itself(ranking, expected, k, formula):
    once = [one for one in expected if one != "OLD" or "C" not in expected]
    best = [max((alike(formula, wanted, found) for found in ranking[:k]), default=0.0) for wanted in once]
    assert score(f"max_ont_sim(formula={formula})@{k}", ranking, expected) == pytest.approx(max(best, default=0.0))
    mean = sum(best) / len(best) if best else 0.0
    assert score(f"mean_best_similarity(formula={formula})@{k}", ranking, expected) == pytest.approx(mean)


def test_queries_do_not_mix():
    found = view({"a": ["C", "E"], "b": ["D"], "c": ["C"]}, {"a": ["E"], "b": ["C"], "d": ["R"], "e": []})
    assert found.query_ids == ("a", "b", "c", "d", "e")
    for name in ("max_ont_sim@1", "mean_best_similarity@1"):
        values = parse_metric(name).score(found)
        assert values[:2].tolist() == pytest.approx([alike("hybrid", "C", "E"), alike("hybrid", "D", "C")])
        assert np.isnan(values[2])  # nothing is expected of it
        assert values[3:].tolist() == [0, 0]


class Letters:
    """Terms that are letters: as alike as they are near in the alphabet."""

    def __init__(self):
        self.asked = []

    def numbers(self, ids):
        return np.array([ord(one) for one in ids], dtype=np.int64)

    def similarity(self, formula, a, b):
        self.asked.append((formula, len(a)))
        return 1 / (1 + np.abs(a - b))


def letters(run, expected, **how):
    terms = Letters()
    return view(run, expected, terms, **how), terms


def test_each_formula_is_asked_once_for_all_cutoffs():
    view, terms = letters({"q": ["d", "b", "c"], "p": ["a"]}, {"q": ["a", "e"], "p": ["a"]})
    assert view.best("one", 1).tolist() == [1 / 2, 1]
    assert view.mean_best("one", 1).tolist() == pytest.approx([(1 / 4 + 1 / 2) / 2, 1])
    assert view.mean_best("one", None).tolist() == pytest.approx([(1 / 2 + 1 / 2) / 2, 1])
    view.best("other", 1)
    assert terms.asked == [("one", 7), ("other", 7)]
    view, terms = letters({"q": ["d", "b", "c"]}, {"q": ["a", "e"]}, depth=2)
    assert view.best("one", 2).tolist() == [1 / 2]
    assert terms.asked == [("one", 4)], "only the first ids are looked at"
    view, _ = letters({}, {})
    assert view.best("one", 1).tolist() == []


def test_ids_stand_in_the_order_of_the_rule():
    run = Run({"q": {"b": 1, "c": 2, "a": 1}, "p": {"x": 3, "y": 2}})
    for ties, order in {"docid_desc": list("cba"), "docid_asc": list("cab"), "input_order": list("cba")}.items():
        rule = Policy(ties=ties).rank_rule
        assert first_ids(["p", "q", "z"], run, rule, None) == [["x", "y"], order, []], ties
        assert first_ids(["q"], run, rule, 2) == [order[:2]], ties
    view, _ = letters({"a": ["a", "c"]}, {"a": ["a"]}, rule=Policy(drop_self=True).rank_rule)
    assert view.best("one", 1).tolist() == [1 / 3], "a query may be left out of its own ranking"


def test_many_pairs_are_worked_on_a_few_at_a_time(monkeypatch):
    ontology = small()
    a, b = (side.ravel() for side in np.meshgrid(np.arange(9), np.arange(9)))
    (whole,) = ontology.ancestors.common(a, b)
    monkeypatch.setattr(ancestors, "MAX_ROWS", 7)
    parts = list(ontology.ancestors.common(a, b))
    assert len(parts) > 20
    assert np.concatenate([part.lowest for part in parts]).tolist() == whole.lowest.tolist()


def test_a_long_chain_takes_memory_for_its_rows_alone():
    """Rows that were moved at every depth made this quadratic; how often the table is made larger tells, no clock need."""
    n_terms, made = 300, []
    parents = {f"{number:04}": (f"{number - 1:04}",) if number else () for number in range(n_terms)}
    extended = ancestors._append_rows

    def counting(table, *rows):
        longer = extended(table, *rows)
        made.append(longer is not table)
        return longer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ancestors, "_append_rows", counting)
        table = ontology_of(parents).ancestors
    assert len(table.ancestor) == n_terms * (n_terms + 1) // 2
    assert table.distance[table.start[-2] :].tolist() == list(range(n_terms - 1, -1, -1))
    assert (len(made), sum(made) <= 20) == (n_terms - 1, True)
