"""Other orders of tied documents: the best and the worst by hand and by trying all, random ones by counting."""

from itertools import chain, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Policy, Qrels, Run
from assay.views.grading import grade
from assay.views.tie_orders import best_order, random_orders, worst_order

GRADES = st.sampled_from([None, None, -1, 0, 1, 2])
GROUPS = st.lists(st.lists(GRADES, min_size=1, max_size=4), min_size=1, max_size=3)


def random_order(run, seed=0):
    """One order drawn at random."""
    return next(random_orders(run, 1, seed))


def viewed(*queries):
    """A graded run; a query is a list of groups of equals, each the grades of its documents (None: nobody judged it)."""
    qrels, run = {}, {}
    for number, groups in enumerate(queries):
        docs = [(f"{place}.{nth}", -place, grade) for place, group in enumerate(groups) for nth, grade in enumerate(group)]
        qrels[f"q{number}"] = {doc: grade for doc, _, grade in docs if grade is not None}
        run[f"q{number}"] = {doc: score for doc, score, _ in docs}
    return grade(Run(run), Qrels(qrels), Policy()).run


def rows(run):
    hits = run.retrieved
    return list(zip(hits.query.tolist(), hits.rank.tolist(), hits.grade.tolist(), strict=True))


def test_the_best_and_the_worst_by_hand():
    run = viewed([[2], [None, 0, 1, None, -1]], [[0, 1]])
    assert rows(best_order(run)) == [(0, 1, 2), (0, 2, 1), (0, 3, 0), (0, 4, -1), (1, 1, 1), (1, 2, 0)]
    assert rows(worst_order(run)) == [(0, 1, 2), (0, 4, -1), (0, 5, 0), (0, 6, 1), (1, 1, 0), (1, 2, 1)]


def test_judgments_move_with_their_documents():
    run = viewed([[0, 1, 2]])
    for order in (best_order, worst_order, random_order):
        moved = order(run)
        assert moved.judgment.tolist() == moved.retrieved.grade.tolist()  # the judgments stand in the order of the grades
        assert moved.ties.better.tolist() == [0, 0, 0]
        assert moved.ties.equal.tolist() == [3, 3, 3]


@pytest.mark.parametrize("order", [best_order, worst_order, random_order])
def test_without_ties_nothing_moves(order):
    run = viewed([[1], [None], [0]], [])
    assert run.ties is None
    assert order(run) is run


def gain(ranked):
    """Any score that only gains by better documents further up."""
    return sum(max(grade or 0, 0) / rank for rank, grade in enumerate(ranked, 1))


@given(GROUPS)
def test_no_order_is_better_than_the_best_or_worse_than_the_worst(groups):
    run = viewed(groups)
    every = [gain(chain.from_iterable(choice)) for choice in product(*map(permutations, groups))]
    for order, wanted in ((best_order, max(every)), (worst_order, min(every))):
        found = order(run).retrieved
        assert sum(np.maximum(found.grade, 0) / found.rank) == pytest.approx(wanted, abs=1e-12)


@given(st.lists(GROUPS, min_size=1, max_size=3), st.integers(0, 99))
def test_every_order_keeps_documents_within_their_group(queries, seed):
    run = viewed(*queries)
    for order in (best_order(run), worst_order(run), random_order(run, seed)):
        if run.ties is not None:
            better, equal = order.ties
            assert ((better < order.retrieved.rank) & (order.retrieved.rank <= better + equal)).all()
        assert len({(query, rank) for query, rank, _ in rows(order)}) == len(rows(order))
        assert sorted((query, grade) for query, _, grade in rows(order)) == sorted((query, g) for query, _, g in rows(run))
        assert rows(order) == sorted(rows(order), key=lambda row: row[:2])


def test_random_orders_are_all_equally_likely():
    """Grades 1 and 2 among four equals: twelve pairs of ranks, each in a twelfth of 6,000 draws but for five deviations."""
    run, seen = viewed([[1, 2, None, None]]), {}
    for order in random_orders(run, 6000):
        hits = order.retrieved
        ranks = tuple(hits.rank[np.argsort(hits.grade)].tolist())
        seen[ranks] = seen.get(ranks, 0) + 1
    assert set(seen) == set(permutations((1, 2, 3, 4), 2))
    assert all(abs(count - 500) < 5 * (6000 * 1 / 12 * 11 / 12) ** 0.5 for count in seen.values())


def test_queries_are_drawn_apart_from_each_other():
    """Two queries of two equals each, one of them relevant: the four outcomes are equally likely over 4,000 draws."""
    run, seen = viewed([[1, None]], [[1, None]]), {}
    for order in random_orders(run, 4000):
        ranks = tuple(order.retrieved.rank.tolist())
        seen[ranks] = seen.get(ranks, 0) + 1
    assert set(seen) == set(product((1, 2), repeat=2))
    assert all(abs(count - 1000) < 5 * (4000 * 1 / 4 * 3 / 4) ** 0.5 for count in seen.values())


def test_groups_of_one_query_are_drawn_apart_from_each_other():
    run, seen = viewed([[1, None], [1, None]]), {}
    for order in random_orders(run, 4000):
        ranks = tuple(order.retrieved.rank.tolist())
        seen[ranks] = seen.get(ranks, 0) + 1
    assert set(seen) == set(product((1, 2), (3, 4)))
    assert all(abs(count - 1000) < 5 * (4000 * 1 / 4 * 3 / 4) ** 0.5 for count in seen.values())


def test_random_orders_depend_on_the_seed_alone():
    run = viewed([[None, 0, 1, None, 2]], [[1, 0, None]])
    first, again, other = ([rows(order) for order in random_orders(run, 20, seed)] for seed in (7, 7, 8))
    assert first == again != other


def test_the_first_orders_are_the_same_on_every_machine():
    run = viewed([[None, 0, 1, None, 2]])
    ranks = [order.retrieved.rank[np.argsort(order.retrieved.grade)].tolist() for order in random_orders(run, 3)]
    assert ranks == [[1, 2, 4], [1, 2, 4], [5, 2, 1]]


@given(st.lists(GROUPS, min_size=1, max_size=4), st.data())
def test_what_is_drawn_for_a_query_does_not_depend_on_the_others(queries, data):
    run = viewed(*queries)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(queries), max_size=len(queries))), dtype=bool)
    few = run.select(keep)
    for all_of_them, some in zip(random_orders(run, 5), random_orders(few, 5), strict=True):
        assert rows(all_of_them.select(keep)) == rows(some)
