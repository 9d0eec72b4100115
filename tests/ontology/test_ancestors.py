"""Ancestors: against a walk from term to term."""

import numpy as np
import pytest
from hypothesis import given

from assay.ontology import ancestors

from ._small import depth, graphs, ontology_of, small, steps_up


@given(graphs())
def test_ancestors_and_distances(parents):
    ontology = ontology_of(parents)
    table = ontology.ancestors
    for number, one in enumerate(ontology.ids):
        rows = slice(table.start[number], table.start[number + 1])
        found = {ontology.ids[up]: int(steps) for up, steps in zip(table.ancestor[rows], table.distance[rows], strict=True)}
        assert found == steps_up(parents, one)
        assert sorted(table.ancestor[rows].tolist()) == table.ancestor[rows].tolist()
        assert table.n_below[number] == sum(one in steps_up(parents, other) for other in parents)


@given(graphs())
def test_what_two_terms_have_in_common(parents):
    ontology = ontology_of(parents)
    n_terms = len(ontology)
    a, b = (side.ravel() for side in np.meshgrid(np.arange(n_terms), np.arange(n_terms)))
    (common,) = ontology.ancestors.common(a, b)
    for place, (one, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        up, over = steps_up(parents, ontology.ids[one]), steps_up(parents, ontology.ids[other])
        shared = up.keys() & over.keys()
        assert common.n_shared[place] == len(shared)
        assert (common.lowest[place] >= 0) == bool(shared)
        if shared:
            assert ontology.ids[common.lowest[place]] in shared
            assert ontology.depth[common.lowest[place]] == max(depth(parents, term) for term in shared)
            assert common.shortest[place] == min(up[term] + over[term] for term in shared)


@given(graphs())
def test_one_term_with_all_is_the_same_as_pair_by_pair(parents):
    ontology = ontology_of(parents)
    everything = np.arange(len(ontology))
    for one in everything.tolist():
        (pairs,) = ontology.ancestors.common(np.full(len(everything), one), everything)
        whole = ontology.ancestors.common_with_all(one)
        for name in ("lowest", "shortest", "n_shared"):
            assert getattr(whole, name).tolist() == getattr(pairs, name).tolist()


def test_many_pairs_are_worked_on_a_few_at_a_time(monkeypatch):
    ontology = small()
    a, b = (side.ravel() for side in np.meshgrid(np.arange(9), np.arange(9)))
    (whole,) = ontology.ancestors.common(a, b)
    monkeypatch.setattr(ancestors, "MAX_ROWS", 7)
    parts = list(ontology.ancestors.common(a, b))
    assert len(parts) > 20
    assert np.concatenate([part.lowest for part in parts]).tolist() == whole.lowest.tolist()


def test_a_long_chain_takes_memory_for_its_rows_alone():
    """Rows that were moved at every depth made this quadratic in the rows: 11 seconds for 2,000 terms, now a fifth of one.
    What is held at most is told by how often the table is made larger, which no clock need say.
    """
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
    assert len(made) == n_terms - 1
    assert sum(made) <= 20


def test_the_shortest_way_need_not_go_by_the_deepest_ancestor():
    parents = {"r": (), "1": ("r",), "2": ("1",), "3": ("2",), "a": ("3", "r"), "b": ("3", "r")}
    parents |= {"p": ("3",), "q": ("p",), "x": ("q", "r"), "y": ("q", "r")}
    ontology = ontology_of(parents)
    pair = ontology.numbers(["a"]), ontology.numbers(["x"])
    (common,) = ontology.ancestors.common(*pair)
    assert ontology.ids[common.lowest[0]] == "3"
    assert common.shortest[0] == pytest.approx(2)
