"""Other orders of tied documents, by hand, by trying all and by counting; and other grades of what nobody judged."""

from collections import Counter
from itertools import chain, permutations, product
from unittest.mock import ANY

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Policy, Qrels, Run
from assay.views import best_order, grade, open_queries, random_orders, with_unjudged_relevant, worst_order

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


def test_queries_and_groups_are_drawn_apart_from_each_other():
    """Two groups of two equals each, one of them relevant: the four outcomes are equally likely over 1,000 draws."""
    for run, outcomes in (
        (viewed([[1, None]], [[1, None]]), set(product((1, 2), repeat=2))),
        (viewed([[1, None], [1, None]]), set(product((1, 2), (3, 4)))),
    ):
        seen = Counter(tuple(order.retrieved.rank.tolist()) for order in random_orders(run, 1000))
        assert set(seen) == outcomes
        assert all(abs(count - 250) < 5 * (1000 * 1 / 4 * 3 / 4) ** 0.5 for count in seen.values())


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


def ideal(run):
    return list(zip(run.ideal.query.tolist(), run.ideal.rank.tolist(), run.ideal.grade.tolist(), strict=True))


def graded_ranks(*queries, **policy):
    """A graded run; a query is the grade at each rank (None: nobody judged it), and the grades of what was not retrieved."""
    qrels, run = {}, {}
    for number, (ranked, missed) in enumerate(queries):
        judged = {f"d{place}": given for place, given in enumerate(ranked) if given is not None}
        qrels[f"q{number}"] = judged | {f"missed{place}": given for place, given in enumerate(missed)}
        run[f"q{number}"] = [f"d{place}" for place in range(len(ranked))]
    return grade(Run(run), Qrels(qrels), Policy(**policy)).run


def test_only_what_is_beyond_the_cutoff():
    run = with_unjudged_relevant(graded_ranks(([None, 1, None, -1, 0], [2]), ([None], [])), None, 3, after=2)
    assert rows(run) == [(0, 2, 1), (0, 3, 3), (0, 4, 3), (0, 5, 0)]
    assert run.n_relevant().tolist() == [4, 0]


def test_queries_with_something_unjudged():
    run = graded_ranks(([None, 1, -1], [2, -1]), ([1, 0], []), ([], [1]), ([None], []))
    found = {one.number: (one.grade.tolist(), one.open.tolist(), one.ideal.tolist()) for one in open_queries(run)}
    assert found == {0: ([ANY, 1.0, ANY], [0, 2], [2.0, 1.0]), 3: ([ANY], [0], [])}


RANKED = st.lists(st.sampled_from([None, -1, 0, 1, 3]), max_size=8)


@given(st.lists(st.tuples(RANKED, st.lists(st.integers(0, 3), max_size=3)), min_size=1, max_size=4), st.integers(1, 9))
def test_against_a_loop(queries, k):
    run = graded_ranks(*queries, max_grade=4)
    for cutoff in (k, None):
        filled = with_unjudged_relevant(run, cutoff, 4)
        wanted, found = [], []
        for number, (ranked, missed) in enumerate(queries):
            is_open = [
                (given is None or given < 0) and (cutoff is None or place < cutoff) for place, given in enumerate(ranked)
            ]
            grades = [4 if is_open[place] else given for place, given in enumerate(ranked)]
            wanted += [(number, place + 1, given) for place, given in enumerate(grades) if given is not None]
            found += sorted([*(4 for filled in is_open if filled), *filter(_is_given, (*ranked, *missed))], reverse=True)
        assert rows(filled) == wanted
        assert filled.ideal.grade.tolist() == found
        assert np.array_equal(filled.ideal.rank, filled.ideal.position)


def _is_given(grade):
    return grade is not None
