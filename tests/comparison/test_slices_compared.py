"""Comparisons per slice: the same test in each, one correction over all of them."""

import numpy as np
import pytest
from scipy import stats

from assay.comparison.comparison import compare_results
from assay.comparison.options import ComparisonOptions
from assay.comparison.slice_comparison import compare_slices
from assay.stats.corrections import correct

from ._tagged import tagged

RNG = np.random.default_rng(5)
LANGUAGE = ["de"] * 30 + ["en"] * 30 + ["fr"] * 30
DIFFICULTY = ["easy", "hard"] * 45
TAGS = {"language": LANGUAGE, "difficulty": DIFFICULTY}
A, B, C = (RNG.uniform(0.2, 0.8, 90) for _ in range(3))
B[:30] += 0.2
B[30:60] -= 0.2
BASE, NEW, OTHER = (
    tagged(name, {"mrr": x, "map": x**2}, TAGS) for name, x in (("base", A), ("new", A + (B - A) / 2), ("other", C))
)


def test_every_slice_is_compared_as_the_whole_is():
    comparison = compare_results([BASE, NEW], ComparisonOptions(test="paired_t"))
    found = compare_slices(comparison, ["language"])
    new = A + (B - A) / 2
    assert [part.part for part in found.parts] == ["language=de", "language=en", "language=fr"]
    for place, part in enumerate(found.parts):
        rows = slice(30 * place, 30 * place + 30)
        pair = part.pair("mrr", "base", "new")
        assert pair.n == 30
        assert pair.difference == pytest.approx(np.mean(new[rows] - A[rows]))
        assert pair.p == pytest.approx(stats.ttest_rel(new[rows], A[rows]).pvalue)


@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_p_is_corrected_over_slices_pairs_and_metrics(correction):
    comparison = compare_results([BASE, NEW, OTHER], ComparisonOptions(test="paired_t", correction=correction))
    found = compare_slices(comparison, ["language", "difficulty"])
    pairs = [pair for part in found.parts for pair in part.pairs]
    assert found.n_comparisons == len(pairs) == 5 * 3 * 2
    assert all(part.n_comparisons == 30 for part in found.parts)
    assert [pair.p_corrected for pair in pairs] == pytest.approx(correct([pair.p for pair in pairs], correction))
    assert [pair.is_significant for pair in pairs] == [pair.p_corrected <= 0.05 for pair in pairs]
    assert [row["p_corrected"] for row in found.rows()] == [pair.p_corrected for pair in pairs]


def test_a_baseline_leaves_fewer_comparisons():
    comparison = compare_results([BASE, NEW, OTHER], ComparisonOptions(baseline="other", test="paired_t"))
    found = compare_slices(comparison, "language*difficulty")
    assert found.n_comparisons == 6 * 2 * 2
    assert {(pair.a, pair.b) for part in found.parts for pair in part.pairs} == {("other", "base"), ("other", "new")}


def test_tests_for_many_systems_are_corrected_over_slices():
    """They make up for many systems themselves, but know of one slice only."""
    comparison = compare_results([BASE, NEW, OTHER], ComparisonOptions(test="tukey_hsd"))
    found = compare_slices(comparison, "language")
    p = [pair.p for part in found.parts for pair in part.pairs]
    times = 2 * len(found.slices)  # metrics and slices; for pairs p was corrected already
    assert [pair.p_corrected for part in found.parts for pair in part.pairs] == [min(1.0, times * one) for one in p]
    assert f"(corrected for 3 systems and {times} slices and metrics)" in found.verdict
    assert f"(corrected for 3 systems and {times} slices and metrics)" in found.parts[0].verdict


def test_the_verdict_names_slices():
    found = compare_slices(compare_results([BASE, NEW], ComparisonOptions(test="paired_t")), "language")
    assert found.verdict == (
        "On mrr, new is better than base in 1 of 3 slices (language=de) and worse than base in 1 of 3 slices (language=en), "
        "and 1 is not decisive (Holm, 6 comparisons)."
    )
    same = compare_slices(compare_results([BASE, tagged("same", {"mrr": A}, TAGS)]), "difficulty")
    assert same.verdict == (
        "On mrr, same is not shown to be better or worse than base in any of 2 slices (Holm, 2 comparisons)."
    )
    assert "Holm, 6 comparisons" in found.parts[0].verdict
    alike = {"language": ["de"] * len(A)}
    one = compare_slices(compare_results([tagged(name, {"mrr": A}, alike) for name in ("base", "same")]), "language")
    assert one.verdict == "On mrr, same is not shown to be better or worse than base in the only slice (Holm, 1 comparison)."


def test_the_verdict_of_a_claim():
    how = ComparisonOptions(test="non_inferiority(margin=0.05)")
    found = compare_slices(compare_results([BASE, NEW], how), "language")
    assert found.verdict.startswith("On mrr, new is shown to be not worse than base in ")


def test_slices_of_one_query_decide_nothing():
    tags = {"id": ["a", "b", "c", None]}
    results = [tagged(name, {"mrr": x}, tags) for name, x in (("base", [0, 0, 0, 0]), ("new", [1, 1, 1, 1]))]
    found = compare_slices(compare_results(results), "id")
    assert [part.part for part in found.parts] == ["id=a", "id=b", "id=c", "id=(none)"]
    assert [pair.p for part in found.parts for pair in part.pairs] == [1, 1, 1, 1]
    assert found.to_dict()["n_comparisons"] == 4


def test_the_rate_of_false_alarms_over_all_slices():
    """Two systems that are equally good: some slice differs in no more than 5 % of experiments, whatever is sliced by."""
    rng, alarms, n = np.random.default_rng(0), 0, 150
    tags = {"language": ["de", "en", "fr"] * 20, "difficulty": ["easy", "hard"] * 30}
    for _ in range(n):
        results = [tagged(name, {"mrr": rng.beta(2, 2, 60)}, tags) for name in ("base", "new")]
        found = compare_slices(
            compare_results(results, ComparisonOptions(test="paired_t", interval="t")), ["language", "difficulty"]
        )
        alarms += any(pair.is_significant for part in found.parts for pair in part.pairs)
    assert alarms / n <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / n)


def test_slices_with_few_queries_are_warned_of():
    comparison = compare_results([BASE, NEW], ComparisonOptions(test="bootstrap(resamples=99)"))
    (remark,) = compare_slices(comparison, "language*difficulty").remarks
    assert remark.startswith("The bootstrap finds too much with fewer than 30 queries, and here are 15")
    assert compare_slices(comparison, "language").remarks == ()
    assert (
        compare_slices(compare_results([BASE, NEW], ComparisonOptions(test="sign")), "language").to_dict()["remarks"] == []
    )
