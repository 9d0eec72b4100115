"""Slices: figures by tag, macro and micro means, variance, and queries without the tag."""

import numpy as np
import pytest
from scipy import stats
from tests._variants import for_each

import assay
from assay import Query
from assay.comparison import ComparisonOptions, compare_results, compare_slices, slice_results
from assay.model import NONE, tags_of
from assay.stats import correct

from ._systems import compared, tagged

LANGUAGE = ["de", "de", "de", "en", "fr", None]
DIFFICULTY = ["hard", "easy", "easy", "hard", "easy", "easy"]
BASE = tagged(
    "base",
    {"mrr": [0.2, 0.4, 0.6, 1.0, 0.1, 0.5], "latency": [9, 9, 9, 1, 2, 3]},
    {"language": LANGUAGE, "difficulty": DIFFICULTY},
)


def test_figures_by_hand():
    (sliced,) = slice_results(BASE, "language")
    assert [(part.slice.value, part.slice.n, part.results[0]["mrr"]) for part in sliced.parts] == [
        ("de", 3, pytest.approx(0.4)),
        ("en", 1, 1.0),
        ("fr", 1, 0.1),
        (NONE, 1, 0.5),
    ]
    assert sliced.macro("mrr") == pytest.approx((0.4 + 1.0 + 0.1) / 3)
    assert sliced.micro("mrr") == pytest.approx(2.8 / 6) == BASE["mrr"]
    assert sliced.variance("mrr") == pytest.approx(np.var([0.4, 1.0, 0.1]))


def test_tags_are_taken_one_by_one_unless_crossed():
    one, other, crossed = slice_results([BASE], ["language,difficulty", "language*difficulty"], metrics=["mrr"])
    assert (one.by, other.by, crossed.by) == ("language", "difficulty", "language*difficulty")
    assert [part.slice.value for part in other.parts] == ["easy", "hard"]
    assert [part.slice.value for part in crossed.parts] == ["de*easy", "de*hard", "en*hard", "fr*easy", "(none)*easy"]
    assert crossed.parts[0].slice.label == "language=de difficulty=easy"
    assert crossed.means("mrr") == pytest.approx({"de*easy": 0.5, "de*hard": 0.2, "en*hard": 1.0, "fr*easy": 0.1})
    assert [metric.name for metric in one.metrics] == ["mrr"]


def test_length_follows_from_the_text():
    texts = ["", "cats", "how cats sleep", "how long do cats sleep", "a b c d e f g h", "猫はどこで寝ますか"]
    lengths = [tags_of(Query("q", text)).get("length") for text in texts]
    assert lengths == [None, "short", "short", "medium", "long", "long"]
    assert tags_of(Query("q", "cats", metadata={"length": 40})) == {"length": "40"}


def test_values_come_in_an_order_people_expect():
    values = ["hard", "10", "medium", "2", "b", "easy", None, "a"]
    (sliced,) = slice_results(tagged("base", {"mrr": [1] * 8}, {"tag": values}), "tag")
    assert [part.slice.value for part in sliced.parts] == ["easy", "medium", "hard", "2", "10", "a", "b", NONE]


def test_what_cannot_be_sliced(snapshots):
    cases = {
        "misspelt tag": lambda: slice_results(BASE, "langauge"),
        "nothing known": lambda: slice_results(assay.evaluate({"q": {"d": 1}}, {"q": ["d"]}, ["mrr"]), "language"),
        "not scored": lambda: slice_results(BASE, "language", metrics=["mrr@3"]),
        "by nothing": lambda: slice_results(BASE, " , "),
        "no result": lambda: slice_results([], "language"),
    }
    snapshots.check_errors("comparison/slices", cases)


def test_benchmarks_are_taken_together():
    results = [
        tagged(name, {"mrr": scores}, {"language": [language] * 2}, benchmark=f"hpo-{language}")
        for name, by in (("bm25", {"de": [0.2, 0.4], "en": [1.0, 0.8]}), ("dense", {"de": [0.5, 0.5], "en": [0.5, 0.5]}))
        for language, scores in by.items()
    ]
    by_language, by_benchmark = slice_results(results, ["language", "benchmark"])
    assert by_language.systems == ("bm25", "dense")
    assert by_language.means("mrr", "bm25") == pytest.approx({"de": 0.3, "en": 0.9})
    assert by_language.variance("mrr", "bm25") == pytest.approx(0.09)
    assert by_language.variance("mrr", "dense") == 0.0
    assert list(by_benchmark.means("mrr")) == ["hpo-de", "hpo-en"]
    assert by_benchmark.parts[0].slice.queries == ("hpo-de/q0", "hpo-de/q1")


def test_each_language_has_a_mean_of_its_own():
    """de: 0 and 1; en: 0.5 and 0.25. A mean of the four would be of no language."""
    scores = {"de": [0.0, 1.0], "en": [0.5, 0.25]}
    results = [
        tagged("a", {"mrr": some}, {"language": [code] * 2, "difficulty": ["easy", "hard"]}).with_fields(benchmark=code)
        for code, some in scores.items()
    ]
    (sliced,) = slice_results(results, "difficulty")
    assert [sliced.macro("mrr", language=code) for code in scores] == [0.5, 0.375]
    assert [sliced.variance("mrr", language=code) for code in scores] == [0.25, 0.125**2]
    assert np.isnan([sliced.macro("mrr"), sliced.variance("mrr")]).all()
    plain = sliced.to_dict()
    assert plain["macro"]["a"]["mrr"] is None
    spread = sliced.spread("mrr", "a", "en")
    assert plain["by_language"]["en"] == {
        "macro": {"a": {"mrr": 0.375}},
        "variance": {"a": {"mrr": 0.125**2}},
        "spread": {"a": {"mrr": spread.to_dict()}},
    }
    assert spread.observed == 0.125**2
    assert np.isnan([spread.beyond_sampling, sliced.spread("mrr").observed]).all()
    assert "by_language" not in slice_results(results, "language")[0].to_dict()


RNG = np.random.default_rng(5)
LANGUAGES = ["de"] * 30 + ["en"] * 30 + ["fr"] * 30
TAGS = {"language": LANGUAGES, "difficulty": ["easy", "hard"] * 45}
A, B, C = (RNG.uniform(0.2, 0.8, 90) for _ in range(3))
B[:30] += 0.2
B[30:60] -= 0.2
A_RESULT, B_RESULT, C_RESULT = (
    tagged(name, {"mrr": x, "map": x**2}, TAGS) for name, x in (("base", A), ("new", A + (B - A) / 2), ("other", C))
)


def test_every_slice_is_compared_as_the_whole_is():
    comparison = compare_results([A_RESULT, B_RESULT], ComparisonOptions(test="paired_t"))
    found = compare_slices(comparison, ["language"])
    new = A + (B - A) / 2
    assert [part.part for part in found.parts] == ["language=de", "language=en", "language=fr"]
    for place, part in enumerate(found.parts):
        rows = slice(30 * place, 30 * place + 30)
        pair = part.pair("mrr", "base", "new")
        assert pair.n == 30
        assert pair.difference == pytest.approx(np.mean(new[rows] - A[rows]))
        assert pair.p == pytest.approx(stats.ttest_rel(new[rows], A[rows]).pvalue)


@for_each("correction", ["holm", "bh", "none"])
def test_p_is_corrected_over_slices_pairs_and_metrics(correction):
    how = ComparisonOptions(test="paired_t", correction=correction, correct_metrics=True)
    comparison = compare_results([A_RESULT, B_RESULT, C_RESULT], how)
    found = compare_slices(comparison, ["language", "difficulty"])
    pairs = [pair for part in found.parts for pair in part.pairs]
    assert found.n_comparisons == len(pairs) == 5 * 3 * 2
    assert all(part.n_comparisons == 30 for part in found.parts)
    assert [pair.p_corrected for pair in pairs] == pytest.approx(correct([pair.p for pair in pairs], correction))
    assert [pair.is_significant for pair in pairs] == [pair.p_corrected <= 0.05 for pair in pairs]
    assert [row["p_corrected"] for row in found.rows()] == [pair.p_corrected for pair in pairs]


def test_verdicts_on_slices(snapshots):
    two, same = [A_RESULT, B_RESULT], [A_RESULT, tagged("same", {"mrr": A}, TAGS)]
    alike = [tagged(name, {"mrr": A}, {"language": ["de"] * len(A)}) for name in ("base", "same")]
    found = {
        "two systems": compare_slices(compared(*two, test="paired_t"), "language"),
        "the same": compare_slices(compared(*same), "difficulty"),
        "one slice": compare_slices(compared(*alike), "language"),
        "a claim": compare_slices(compared(*two, test="non_inferiority(margin=0.05)"), "language"),
        "many systems": compare_slices(compared(*two, C_RESULT, test="tukey_hsd"), "language"),
        "few queries": compare_slices(compared(*two, test="bootstrap(resamples=99)"), "language*difficulty"),
    }
    texts = {name: "\n".join((one.verdict, one.parts[0].verdict, *one.remarks)) for name, one in found.items()}
    snapshots.check("compare/slice_verdicts", "".join(f"## {name}\n{text}\n\n" for name, text in texts.items()))


@pytest.mark.slow
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
