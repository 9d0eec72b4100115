"""The best of many systems: who it is, and whom it is not told apart from."""

import pytest

import assay
from assay.comparison.comparison import compare_results
from assay.comparison.options import ComparisonOptions
from assay.reports.page.head import best_sentence, head_of
from assay.reports.page.subject import BenchmarkReport

from ._pages import base, many, two

N = 30
RANKS = {"top": [1] * N, "near": [1] * (N - 2) + [2] * 2, "poor": [3] * N, "last": [4] * N}
"""mrr is 1, 29/30, 1/3 and 1/4: the first two differ on two queries of thirty, all others on nearly every one."""


MANY = (
    "top has the best mrr (1.000). Not told apart from it: near-0, near-1, near-2, near-3, near-4, near-5 "
    "and 2 more; it is shown to be better than 1 other system."
)


def systems(*names):
    qrels = {f"q{n}": {"d": 1} for n in range(N)}
    results = []
    for name in names:
        ranks = RANKS[name.partition("-")[0]]
        run = {f"q{n}": [*(f"x{m}" for m in range(rank - 1)), "d"] for n, rank in enumerate(ranks)}
        results.append(assay.evaluate(qrels, run, ["mrr"], name=name))
    return results


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (
            ["last", "near", "top", "poor"],
            "top has the best mrr (1.000). Not told apart from it: near; it is shown to be better than 2 other systems.",
        ),
        (
            ["poor", "top", "last"],
            "top has the best mrr (1.000), and is shown to be better than each of the other 2 systems.",
        ),
        (["near", "top", "near-2"], "top has the best mrr (1.000), but is not shown to be better than any other system."),
        (
            ["top", "poor", *(f"near-{n}" for n in range(8))],
            MANY,
        ),
        (["top", "poor"], ""),
    ],
)
def test_the_best_and_its_equals(names, said):
    assert best_sentence(compare_results(systems(*names), ComparisonOptions(test="paired_t", interval="t"))) == said


def test_nothing_is_claimed_where_the_best_was_not_compared_with_all():
    some = systems("top", "near", "poor")
    assert best_sentence(compare_results(some, ComparisonOptions(baseline="poor"))) == ""
    undefined = [one.with_fields(name=name) for name, one in zip("abc", [base()] * 3, strict=True)]
    assert best_sentence(compare_results(undefined)).startswith("a has the best mrr")


def test_it_is_the_verdict_of_a_page_and_the_pairs_stand_below_with_what_queries_can_tell():
    head = head_of(many())
    assert head.verdict.startswith("third has the best mrr (1.000)")
    assert head.notes[0] == many().comparison.verdict
    assert "8 queries like these can tell third and cand apart" in head.notes[1]
    assert head_of(two()).verdict == two().comparison.verdict
    assert "8 queries like these" in head_of(two()).notes[0]
    assert not head_of(BenchmarkReport((base(),))).notes
