"""What holds for every fusion, whatever the runs."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.fusion import NORMALISATIONS, all_fusions, fuse, train

FUSIONS = all_fusions()
UNTRAINED = [name for name, fusion in FUSIONS.items() if not fusion.is_trained]
BY_SCORE = [name for name in UNTRAINED if any(param.name == "norm" for param in FUSIONS[name].params)]

SCORES = st.sampled_from([-2.5, -1.0, 0.0, 0.1, 0.2, 0.3, 1.0, 1.0, 7.0])
RANKINGS = st.dictionaries(st.sampled_from("abcdefgh"), SCORES, max_size=8)
RUNS = st.lists(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), RANKINGS, max_size=3), min_size=1, max_size=4)

FEW = settings(max_examples=max(3, settings.default.max_examples // 4))
"""Every example is tried with every fusion."""


def plain(run):
    return {query: dict(run[query]) for query in run}


def fused(runs, name, learn_from=None):
    """Fused; what learns does so from the same runs and fixed judgments, unless others are given."""
    if not FUSIONS[name].is_trained:
        return plain(fuse(runs, name))
    teachers = [{"t": {"a": 2.0, "b": 1.0}, **run} for run in learn_from or runs]
    return plain(fuse(runs, name, trained=train(teachers, {"t": {"a": 1}, "q1": {"b": 1, "c": 0}}, name)))


def in_order(ranking):
    return sorted(ranking, key=lambda doc: (ranking[doc], doc), reverse=True)


@FEW
@given(runs=RUNS)
def test_every_document_of_a_query_is_there_once_and_best_first(runs):
    for name in FUSIONS:
        outcome = fused(runs, name)
        assert set(outcome) == set(itertools.chain.from_iterable(runs)), name
        for query, ranking in outcome.items():
            assert set(ranking) == set(itertools.chain.from_iterable(run.get(query, {}) for run in runs)), name
            assert list(ranking) == in_order(ranking), name


@FEW
@given(runs=RUNS)
def test_the_order_of_runs_does_not_matter(runs):
    """To the last digit, so that what ties does so in any order; weighted points alone may differ there."""
    for name, fusion in FUSIONS.items():
        forth, back = fused(runs, name), fused(runs[::-1], name)
        assert forth.keys() == back.keys(), name
        for query in forth:
            rough = fusion.takes_weights or name == "bayesfuse"
            assert forth[query] == (pytest.approx(back[query]) if rough else back[query]), name


@FEW
@given(runs=RUNS)
def test_queries_do_not_see_each_other(runs):
    for name in FUSIONS:
        whole = fused(runs, name)
        for query in whole:
            alone = [{query: run[query]} if query in run else {} for run in runs]
            assert fused(alone, name, learn_from=runs)[query] == pytest.approx(whole[query]), name


@FEW
@given(run=st.dictionaries(st.sampled_from(["q1", "q2"]), RANKINGS, max_size=2), times=st.integers(2, 4))
def test_a_run_with_itself_keeps_its_order(run, times):
    for name in UNTRAINED:
        for query, ranking in fused([run] * times, name).items():
            values = [ranking[doc] for doc in in_order(run[query])]
            assert values == sorted(values, reverse=True), name


def test_nothing_to_fuse():
    for name, fusion in FUSIONS.items():
        trained = train([{"t": {"a": 1.0}}] * 2, {"t": {"a": 1}}, name) if fusion.is_trained else None
        assert plain(fuse([{}, {}], name, trained=trained)) == {}, name
        assert plain(fuse([{"q": {}}, {}], name, trained=trained)) == {"q": {}}, name
        assert list(fuse([{"q": {"a": 5.0}}, {"q": {}}], name, trained=trained)["q"]) == ["a"], name


def test_the_only_hit_of_a_run_is_not_worth_nothing():
    """Under every normalisation the document that both have comes before what one has at the bottom."""
    both = [{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 0.5}}]
    for name, norm in itertools.product(BY_SCORE, set(NORMALISATIONS) - {"none"}):
        assert next(iter(fuse(both, name, norm=norm)["q"])) == "a", (name, norm)
        assert fuse([{"q": {"a": 0.5}}, {"q": {}}], name, norm=norm)["q"]["a"] > 0, (name, norm)


@FEW
@given(runs=RUNS, factor=st.sampled_from([0.5, 4.0, 1024.0]), shift=st.sampled_from([-64.0, 0.0, 16.0]))
def test_the_scale_of_a_run_does_not_matter(runs, factor, shift):
    other = [{q: {doc: score * factor + shift for doc, score in one.items()} for q, one in run.items()} for run in runs]
    for name, norm in itertools.product(BY_SCORE, ("min_max", "sum", "z_score")):
        first, second = plain(fuse(runs, name, norm=norm)), plain(fuse(other, name, norm=norm))
        for query in first:
            assert second[query] == pytest.approx(first[query], abs=1e-9), (name, norm)


def test_records_are_complete():
    for name, fusion in FUSIONS.items():
        assert all((fusion.meaning, fusion.edge_cases, fusion.cite)), name
        assert fusion.weighted in ("", *FUSIONS), name
        assert set(fusion.tries) <= {param.name for param in fusion.params}, name
        for param in fusion.params:
            for value in fusion.tries.get(param.name, ()):
                assert param.parse(f"{value:g}") == value, (name, param.name)


def test_a_run_of_weight_0_takes_no_part():
    """Neither its scores nor its agreement count; what it alone has is worth nothing."""
    one, two = {"q": {"a": 9.0, "b": 6.0, "c": 3.0}}, {"q": {"b": 0.9, "c": 0.8, "d": 0.1}}
    silent = {"q": {"c": 5.0, "d": 4.0, "e": 1.0}}
    for name in ("weighted_mnz", "weighted_sum", "mixed"):
        without = fuse([one, two], name, weights=[0.7, 0.3])["q"]
        assert fuse([one, two, silent], name, weights=[0.7, 0.3, 0])["q"] == {**without, "e": 0.0}, name
