"""Agreement between rankings: published figures, plain loops, scipy, and every order of ties."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._variants import for_each

from assay import Qrels, Run
from assay.stats import (
    Moved,
    agreement,
    ap_correlation,
    gained_and_lost,
    kendall_tau,
    moved_documents,
    order_agreement,
    overlap_at_k,
    rbo,
)

close = pytest.approx

PLAIN = st.lists(st.sampled_from("abcdefgh"), unique=True)
OVER = st.sampled_from(["union", "intersection"])
TIED = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4), max_size=5)
PUBLISHED = [  # the data of ircor's tests (Urbano and Marrero 2017): τ_ap, symmetric τ_ap, and τ_ap,b of the rounded data
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
        (0.8519, 0.8333, 0.7321),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
        (-0.6971, -0.668, -0.7047),
    ),
]
COLOURS = (  # red (blue green) yellow pink, against (blue red) white (yellow black purple) green
    {"red": 5, "blue": 4, "green": 4, "yellow": 3, "pink": 2},
    {"blue": 9, "red": 9, "white": 8, "yellow": 7, "black": 7, "purple": 7, "green": 6},
)


def scores(ranking):
    return ranking if isinstance(ranking, dict) else {doc: -place for place, doc in enumerate(ranking)}


def places(a, b, over):
    """Scores of the documents that count, unretrieved ones below all others."""
    a, b = scores(a), scores(b)
    docs = sorted(a.keys() | b.keys() if over == "union" else a.keys() & b.keys())
    return [a.get(doc, -math.inf) for doc in docs], [b.get(doc, -math.inf) for doc in docs]


def plain_tau_ap(x, y):
    """x is judged, y the truth."""
    shares = []
    for i in range(len(x)):
        above = [j for j in range(len(x)) if x[j] > x[i]]
        if above:
            shares.append(sum(y[j] > y[i] for j in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1 if shares else math.nan


def plain_tau(one, other):
    """Without ties: the mean sign over all pairs."""
    pairs = itertools.combinations(one, 2)
    return np.mean([1 if other.index(doc) < other.index(below) else -1 for doc, below in pairs])


def plain_rbo(a, b, p):
    """Equation 32 of Webber, Moffat and Zobel, for rankings without ties."""
    short, long = sorted((a, b), key=len)
    s, n = len(short), len(long)
    if not s:
        return float(not n)
    common = [0, *(len(set(short[:depth]) & set(long[:depth])) for depth in range(1, n + 1))]
    total = sum(common[depth] / depth * p**depth for depth in range(1, n + 1))
    total += sum(common[s] * (depth - s) / s / depth * p**depth for depth in range(s + 1, n + 1))
    return (1 - p) / p * total + ((common[n] - common[s]) / n + common[s] / s) * p**n


def orders(ranking):
    """Every way to break the ties."""
    levels = sorted(set(ranking.values()), reverse=True)
    groups = [[doc for doc in ranking if ranking[doc] == level] for level in levels]
    for each in itertools.product(*map(itertools.permutations, groups)):
        yield list(itertools.chain(*each))


def over_all_orders(function, a, b):
    return np.mean([function(one, other) for one in orders(a) for other in orders(b)])


@given(a=st.one_of(PLAIN, TIED), b=st.one_of(PLAIN, TIED), over=OVER)
def test_tau_b_is_that_of_scipy(a, b, over):
    from scipy.stats import kendalltau

    x, y = places(a, b, over)
    ranks = [np.unique(each, return_inverse=True)[1] for each in (x, y)]
    wanted = kendalltau(*ranks).statistic if len(x) > 1 else math.nan
    assert kendall_tau(a, b, over) == close(wanted, nan_ok=True)


@given(a=TIED, b=TIED)
def test_tau_a_is_the_mean_over_all_orders(a, b):
    b = {doc: b.get(doc, 0) for doc in a}
    if len(a) > 1:
        wanted = over_all_orders(plain_tau, a, b)
        assert kendall_tau(a, b, variant="a") == close(wanted, abs=1e-12)


@for_each("x, y, x_tied, y_tied, wanted", PUBLISHED)
def test_ap_correlation_has_the_published_figures(x, y, x_tied, y_tied, wanted):
    truth, judged, a, b = ({f"s{place}": score for place, score in enumerate(each)} for each in (x, y, x_tied, y_tied))
    found = [ap_correlation(judged, truth, symmetric=False), ap_correlation(judged, truth), ap_correlation(a, b)]
    assert found == close(wanted, abs=5e-5)
    assert order_agreement(x_tied, y_tied).tau_ap == close(wanted[2], abs=5e-5)


@given(a=st.one_of(PLAIN, TIED), b=st.one_of(PLAIN, TIED), over=OVER)
def test_ap_correlation_agrees_with_a_plain_loop(a, b, over):
    x, y = places(a, b, over)
    assert ap_correlation(a, b, over, symmetric=False) == close(plain_tau_ap(x, y), nan_ok=True)
    wanted = (plain_tau_ap(x, y) + plain_tau_ap(y, x)) / 2
    assert ap_correlation(a, b, over) == close(wanted, nan_ok=True)
    assert ap_correlation(b, a, over) == close(wanted, nan_ok=True)


def test_rbo_by_hand_and_as_published():
    """The colours are the example of Corsi and Urbano's implementation."""
    assert rbo(*COLOURS, p=0.95) == close(0.6922853, abs=5e-8)
    assert rbo(*COLOURS, p=0.95, ties="b") == close(0.7207131, abs=5e-8)
    # agreement 0, 1, 1 at depths 1, 2, 3 and 1 ever after: everything but the first depth, which weighs 1 − p
    assert rbo(list("abc"), list("bac"), p=0.8) == close(0.8)
    assert rbo(["a"], ["a", "b", "c"], p=0.5) == close(1)  # what is unseen is taken to be as good as what is seen
    assert rbo(["a"], ["b"]) == 0


@given(a=PLAIN, b=PLAIN, p=st.floats(0.01, 0.99))
def test_rbo_agrees_with_the_formula(a, b, p):
    assert rbo(a, b, p) == close(plain_rbo(a, b, p), abs=1e-12)
    assert rbo(a, b, p, ties="b") == close(plain_rbo(a, b, p), abs=1e-12)
    assert rbo(b, a, p) == close(rbo(a, b, p), abs=1e-12)


@given(a=TIED, b=TIED)
def test_rbo_of_ties_is_the_mean_over_all_orders(a, b):
    b = dict(itertools.islice(b.items(), len(a)))
    a = dict(itertools.islice(a.items(), len(b)))
    assert rbo(a, b) == close(over_all_orders(lambda one, other: plain_rbo(one, other, 0.9), a, b), abs=1e-12)
    assert -1e-12 <= rbo(a, b) <= rbo(a, b, ties="b") + 1e-12 <= 1 + 2e-12


def test_overlap_by_hand():
    assert overlap_at_k(list("abcd"), list("dcxa"), 3) == close(1 / 3)
    assert overlap_at_k(["a"], list("abcd"), 10) == close(1 / 4)
    assert (overlap_at_k(["a"], [], 5), overlap_at_k([], [], 5)) == (0, 1)


@given(a=TIED, b=TIED, k=st.integers(1, 7))
def test_overlap_of_ties_is_the_mean_over_all_orders(a, b, k):
    wanted = over_all_orders(lambda one, other: len({*one[:k]} & {*other[:k]}), a, b)
    assert overlap_at_k(a, b, k) * min(k, max(len(a), len(b))) == close(wanted, abs=1e-12) or not a | b


def example_run(rng, n_queries, n_docs, levels=10**9):
    return {
        f"q{query}": dict(zip(map(str, rng.permutation(30)[:n_docs]), rng.integers(0, levels, n_docs).tolist(), strict=True))
        for query in range(n_queries)
    }


@for_each("levels, over", [(3, "union"), (10**9, "intersection")])
def test_a_query_alone_and_in_company_gives_the_same(levels, over):
    rng = np.random.default_rng(8)
    a, b = example_run(rng, 12, 12, levels), example_run(rng, 12, 9, levels)
    a["q3"], b["q5"], a["q6"], b["q6"] = {}, {}, {}, {}
    del a["q7"], b["q8"]
    whole = agreement(a, b, k=5, p=0.8, over=over)
    of_runs = agreement(Run(a), Run(b), k=5, p=0.8, over=over)
    assert of_runs.query_ids == whole.query_ids == (*a, "q7")
    for name, figures in whole.columns.items():
        np.testing.assert_array_equal(of_runs.columns[name], figures)
    for query, figures in whole.by_query().items():
        one, other = a.get(query, {}), b.get(query, {})
        wanted = [kendall_tau(one, other, over), ap_correlation(one, other, over), rbo(one, other, 0.8)]
        wanted.append(overlap_at_k(one, other, 5))
        np.testing.assert_array_equal(list(figures.values()), wanted)


def test_the_means_leave_out_what_is_undefined():
    found = agreement({"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["a", "b"], "q2": ["a"]}, k=2)
    assert found.means == {"tau": 1, "tau_ap": 1, "rbo(p=0.9)": close(1), "overlap@2": 1}
    assert math.isnan(found.by_query()["q2"]["tau"])
    assert math.isnan(agreement({"q": ["a"]}, {"q": ["a"]}).means["tau"])


def test_order_of_systems():
    assert order_agreement({"x": 0.3, "y": 0.2, "z": 0.1}, {"z": 1, "x": 9, "y": 5}) == (1, 1)
    assert order_agreement([3, 2, 1], [3, 1, 2]).tau == close(1 / 3)


def test_gained_and_lost():
    assert gained_and_lost(list("abcd"), list("dxba"), {"a", "d", "x", "c"}, 2) == Moved(("d", "x"), ("a",))
    assert gained_and_lost(list("abcd"), list("dxba"), {"a": 1, "d": 0, "x": 2}, 2) == Moved(("x",), ("a",))
    assert gained_and_lost({"a": 1, "b": 1}, {"a": 2, "b": 1}, ["a", "b"], 1) == Moved(("a",), ("b",))  # b, a by id
    assert gained_and_lost([], [7], [7], 5) == Moved(("7",), ())
    moved = moved_documents({"1": ["a"]}, {"1": ["b"], "2": ["a"]}, Qrels({"1": {"a": 1, "b": 0}, "2": {"a": 1}}))
    assert moved == {"1": Moved((), ("a",)), "2": Moved(("a",), ())}


def test_what_is_refused(snapshots):
    cases = {
        "a document twice": lambda: kendall_tau(["a", "a"], ["a"]),
        "a score of nan": lambda: rbo({"a": math.nan}, ["a"]),
        "a text for a list": lambda: overlap_at_k("abc", ["a"]),
        "no query": lambda: agreement({}, {}),
        "a figure of nan": lambda: order_agreement([1, math.nan], [1, 2]),
        "other systems": lambda: order_agreement({"x": 1}, {"y": 1}),
        "no system": lambda: order_agreement([], []),
        "a text for a set": lambda: gained_and_lost(["a"], ["a"], "a"),
        "over": lambda: kendall_tau(["a"], ["a"], "both"),
        "p": lambda: rbo(["a"], ["a"], 1),
        "k of 0": lambda: overlap_at_k(["a"], ["a"], 0),
    }
    snapshots.check_errors("stats/agreement", cases)
