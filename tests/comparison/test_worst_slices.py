"""Worst slices: planted ones are found, small ones are left alone, and chance is not taken for news."""

from itertools import combinations

import numpy as np
import pytest
from tests._variants import for_each

from assay.comparison import ComparisonOptions, Search, compare_results, compare_slices, worst_slices
from assay.errors import BadParameter
from assay.stats import chance_of_lower

from ._systems import tagged

N = 300
LANGUAGE = np.array([["de", "en", "fr"][number % 3] for number in range(N)])
DIFFICULTY = np.array([["easy", "hard"][number // 3 % 2] for number in range(N)])
DOMAIN = np.array([f"domain{number // 6 % 10}" for number in range(N)])
TAGS = {"language": list(LANGUAGE), "difficulty": list(DIFFICULTY), "domain": list(DOMAIN)}
QUICK = Search(resamples=999)


def scores(seed=0):
    return np.random.default_rng(seed).beta(4, 2, N)


def test_a_planted_slice_is_found():
    bad = scores()
    bad[(LANGUAGE == "fr") & (DIFFICULTY == "hard")] *= 0.4
    found = worst_slices(tagged("dense", {"mrr": bad}, TAGS))
    first = found.found[0]
    assert (first.label, first.n, first.is_significant) == ("difficulty=hard language=fr", 50, True)
    inside = (LANGUAGE == "fr") & (DIFFICULTY == "hard")
    assert first.value == pytest.approx(bad[inside].mean())
    assert first.other == pytest.approx(bad[~inside].mean())
    assert first.difference == pytest.approx(first.value - first.other)
    assert first.low < first.difference < first.high < 0


def test_a_tag_alone_is_named_rather_than_its_pairs():
    bad = scores()
    bad[LANGUAGE == "de"] -= 0.3
    found = worst_slices(tagged("dense", {"mrr": bad}, TAGS), search=Search(tags=("language", "difficulty")))
    assert [one.label for one in found.found if one.is_significant] == ["language=de"]


def test_less_may_be_better():
    slow = np.random.default_rng(0).uniform(10, 20, N)
    slow[LANGUAGE == "fr"] += 10
    first = worst_slices(tagged("dense", {"latency": slow}, TAGS)).found[0]
    assert (first.label, first.is_significant) == ("language=fr", True)
    assert first.value > first.other
    assert 0 < first.low < first.difference < first.high


def test_where_a_candidate_is_worse_than_the_baseline(snapshots):
    base = scores()
    new = base + np.random.default_rng(1).normal(0.02, 0.05, N)
    new[DOMAIN == "domain7"] -= 0.2
    results = [tagged(name, {"mrr": x}, TAGS) for name, x in (("base", base), ("new", new))]
    found = worst_slices(results, how=ComparisonOptions(baseline="base"))
    inside = DOMAIN == "domain7"
    first = found.found[0]
    assert (found.against, found.systems, found.n_significant) == ("base", ("new",), {"new": 1})
    assert (first.label, first.n, first.is_significant) == ("domain=domain7", 30, True)
    assert first.value == pytest.approx(new[inside].mean())
    assert first.other == pytest.approx(base[inside].mean())
    snapshots.check("compare/worst_slices", found.verdict)
    assert found.rows()[0]["against"] == "base"


def test_a_slice_has_the_numbers_of_every_comparison():
    """The search and `--by` show the same difference, p and interval of a slice; only the correction differs."""
    base = scores()
    new = base + np.random.default_rng(1).normal(0.0, 0.05, N)
    new[LANGUAGE == "fr"] -= 0.1
    results = [tagged(name, {"mrr": x}, TAGS) for name, x in (("base", base), ("new", new))]
    how = ComparisonOptions(baseline="base")
    sliced = compare_slices(compare_results(results, how), "language")
    pairs = {part.label: one.pairs[0] for part, one in zip(sliced.slices, sliced.parts, strict=True)}
    found = {one.label: one for one in worst_slices(results, how=how, search=Search(tags=("language",))).found}
    assert found["language=fr"].is_significant
    for label, one in found.items():
        pair = pairs[label]
        assert (one.difference, one.p, one.low, one.high) == (pair.difference, pair.p, pair.low, pair.high)
    slow = [tagged(name, {"latency": 10 * x}, TAGS) for name, x in (("base", new), ("new", base))]
    first = worst_slices(slow, how=how, search=Search(tags=("language",))).found[0]
    assert (first.label, first.low > 0, first.is_significant) == ("language=fr", True, True), "lower is better"


def test_slices_are_counted_and_small_ones_left_out():
    singles, pairs = 3 + 2 + 10, 3 * 2 + 3 * 10 + 2 * 10
    for search, counts in (
        (Search(resamples=9), (singles + pairs, 0)),
        (Search(resamples=9, min_queries=20), (singles + 6, 50)),
        (Search(resamples=9, min_share=0.2), (3 + 2, singles + pairs - 5)),
    ):
        found = worst_slices(tagged("dense", {"mrr": scores()}, TAGS), search=search)
        assert (found.n_slices, found.n_too_small) == counts, search


def test_few_equal_differences_are_no_proof():
    """Five queries that all lose the same: five signs are equal in 2 of 32 cases."""
    base, new = np.full(100, 0.5), np.array([0.4] * 5 + [0.5] * 95)
    tags = {"topic": ["rare"] * 5 + ["other"] * 95}
    results = [tagged(name, {"mrr": x}, tags) for name, x in (("base", base), ("new", new))]
    (one,) = worst_slices(results, how=ComparisonOptions(baseline="base")).found
    assert one.p == pytest.approx(2 * 0.5**5)
    assert one.low < 0 < one.high, "not shown, so the interval includes 0"


def test_the_chance_of_a_random_subset_is_exact():
    values = np.array([0.1, 0.5, 0.2, 0.9, 0.7, 0.2, 0.4])
    subset = np.array([0, 2, 6])
    sums = [sum(values[list(some)]) for some in combinations(range(7), 3)]
    exact = np.mean([total <= values[subset].sum() + 1e-9 for total in sums])
    assert chance_of_lower(values, [subset], 40_000) == pytest.approx([exact], abs=0.01)


def test_reproducible_to_the_bit():
    result = tagged("dense", {"mrr": scores()}, TAGS)
    one, same = (worst_slices(result, search=QUICK) for _ in range(2))
    assert one.found == same.found
    other = worst_slices(result, how=ComparisonOptions(seed=1), search=QUICK)
    assert [x.p for x in one.found] != [x.p for x in other.found]


@pytest.mark.slow
@for_each("against", [None, "base"])
@for_each("shape", ["reciprocal rank", "hit near 1", "mostly no change"])
def test_false_alarms_are_as_rare_as_alpha(shape, against):
    """Systems that are as good in every slice: some slice is called worse in no more than 5 % of experiments."""
    rng, alarms, n = np.random.default_rng(0), 0, 120

    def drawn():
        if shape == "reciprocal rank":
            return 1.0 / rng.integers(1, 8, 120)
        if shape == "hit near 1":
            return (rng.random(120) < 0.95).astype(float)
        return np.where(rng.random(120) < 0.1, rng.random(120), 0.5)

    tags = {name: values[:120] for name, values in TAGS.items()}
    for _ in range(n):
        results = [tagged(name, {"mrr": drawn()}, tags) for name in (("base", "new") if against else ("new",))]
        found = worst_slices(results, how=ComparisonOptions(baseline=against), search=QUICK)
        alarms += any(found.n_significant.values())
    assert alarms / n <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / n)


def test_what_cannot_be_searched(snapshots):
    in_batches = tagged("dense", {"latency": scores()}, TAGS).with_fields(provenance={"latency_ms": {"mean": 1.0}})
    few = tagged("dense", {"mrr": [1.0] * 96 + [0.0] * 4}, {"language": ["de"] * 96 + ["en"] * 4})
    cases = {
        "nothing known": lambda: worst_slices(tagged("dense", {"mrr": scores()})),
        "baseline": lambda: worst_slices(tagged("dense", {"mrr": scores()}, TAGS), how=ComparisonOptions(baseline="basis")),
        "no mean": lambda: worst_slices(tagged("dense", {"latency_p95": scores()}, TAGS)),
        "times of batches": lambda: worst_slices(in_batches),
        "no result": lambda: worst_slices([]),
    }
    snapshots.check_errors("compare/worst_slices_errors", cases)
    snapshots.check("compare/worst_slices_none", worst_slices(few).verdict)
    for wrong in ({"min_queries": 0}, {"most": True}, {"min_share": 1.0}, {"resamples": 0.5}):
        with pytest.raises(BadParameter):
            Search(**wrong)
