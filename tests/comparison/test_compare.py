"""Systems from judgments, rankings or results to pairs: by hand, with SciPy, and what may not be compared."""

import inspect
import itertools
import math

import numpy as np
import pytest
from scipy import stats
from tests._variants import for_each

import assay
from assay import UnknownName, compare
from assay.comparison import ComparisonOptions, align, beaten_by, letter, letters_of
from assay.errors import NotComparable

from ._systems import NEW, OLD, compared, ladder, old_and_new, system

QRELS = {f"q{number}": {"d": 1} for number in range(1, 9)}


def ranked(scores):
    """Rankings in which the relevant document stands where its reciprocal rank says; nowhere for 0."""
    return {
        f"q{number}": [*(f"x{rank}" for rank in range(1, round(1 / score))), "d"] if score else ["x"]
        for number, score in enumerate(scores, 1)
    }


RUNS = {"old": ranked(OLD), "new": ranked(NEW)}


def test_the_figures_by_hand():
    comparison = compare(QRELS, RUNS, "mrr")
    pair = comparison.pair("mrr", "old", "new")
    assert (pair.a, pair.b, pair.n, pair.wins, pair.ties, pair.losses) == ("old", "new", 8, 6, 1, 1)
    assert (pair.value_a, pair.value_b) == pytest.approx((3.95 / 8, 6.25 / 8))
    assert pair.difference == pair.improvement == pytest.approx(2.3 / 8)
    assert pair.relative == pytest.approx(2.3 / 3.95)
    differences = np.array(NEW) - np.array(OLD)
    assert pair.d_z == pytest.approx(differences.mean() / differences.std(ddof=1))
    sums = [abs(np.dot(signs, differences)) for signs in itertools.product((-1, 1), repeat=8)]
    assert pair.p == pair.p_corrected == pytest.approx(np.mean(np.array(sums) >= abs(differences.sum()) - 1e-9))


@for_each("test, theirs", [("paired_t", stats.ttest_rel(NEW, OLD).pvalue), ("sign", stats.binomtest(6, 7).pvalue)])
def test_other_tests_are_those_of_scipy(test, theirs):
    assert compare(QRELS, RUNS, "mrr", test=test).pairs[0].p == pytest.approx(theirs)


def test_less_is_better_for_latency():
    comparison = compared(system("slow", {"latency": [20.0] * 9 + [21.0]}), system("quick", {"latency": [10.0] * 10}))
    pair = comparison.pairs[0]
    assert (pair.difference, pair.improvement) == pytest.approx((-10.1, 10.1))
    assert (pair.wins, pair.losses, pair.better, comparison.best("latency")) == (10, 0, "quick", "quick")


def test_tests_for_many_systems_speak_of_pairs_or_of_all():
    tukey, anova = (compared(*ladder(3), test=test) for test in ("tukey_hsd", "anova"))
    assert all(pair.better == pair.b for pair in tukey.pairs)
    assert anova.to_dict()["overall"]["map"]["p"] == pytest.approx(anova.fields["map"].p)
    assert anova.n_comparisons == 0


def test_letters_go_on_after_z():
    texts = {0: "a", 25: "z", 26: "aa", 27: "ab", 51: "az", 52: "ba", 701: "zz", 702: "aaa"}
    assert {number: letter(number) for number in texts} == texts
    assert len({letter(number) for number in range(2000)}) == 2000


def test_stretches_of_letters():
    texts = {(): "", (0, 1): "ab", (0, 1, 2): "abc", (0, 1, 2, 3): "a–d", (0, 1, 2, 3, 6): "a–d,g", (3, 0): "ad"}
    assert {numbers: letters_of(numbers, 8) for numbers in texts} == texts
    assert [letters_of(numbers, 30) for numbers in ((0, 26), range(29))] == ["a,aa", "a–ac"]


def test_twenty_systems_each_beat_all_before():
    comparison = compared(*ladder(20, 60), test="paired_t")
    assert len(comparison.pairs) == 190
    assert beaten_by(comparison, "map") == {f"s{number + 1}": tuple(range(number)) for number in range(20)}
    assert set(beaten_by(compared(*ladder(3, 2)), "map").values()) == {()}


def test_results_are_compared_by_the_metrics_asked_for_and_need_no_judgments():
    results = {
        name: system(name, {"ndcg@10": scores, "map": scores, "mrr": scores}) for name, scores in (("x", OLD), ("y", NEW))
    }
    assert [metric.name for metric in compare(None, results, ["AP"]).metrics] == ["map"]
    assert [metric.name for metric in compare(None, results).metrics] == ["ndcg@10", "map", "mrr"]
    run = {"q": {"d": 1.0, "x": 0.5}, "r": {"d": 0.1, "x": 0.5}}
    renamed = compare({"q": {"d": 1}, "r": {"d": 1}}, {"a": run, "b": run}, ["accuracy", "map"], profile="mteb")
    assert len(renamed.metrics) == 2  # a profile has another name for one


def test_settings_of_evaluate_are_settings_of_compare():
    own = {one.name for one in inspect.signature(assay.evaluate).parameters.values() if one.kind is one.KEYWORD_ONLY}
    values = {"policy": assay.Policy(rel=1), "profile": "beir", "relevance": "auto", "ontology": None}
    for name in own - {"name"}:
        try:
            compare(QRELS, RUNS, "mrr", **{name: values.get(name, True)})
        except UnknownName:
            pytest.fail(name)


def test_wrong_settings(snapshots):
    results = {name: assay.evaluate(QRELS, run, "mrr") for name, run in RUNS.items()}
    misspelt = ("tets", "basline", "intersct", "profil", "correctoin")
    cases = {name: lambda name=name: compare(QRELS, RUNS, "mrr", **{name: "x"}) for name in misspelt}
    choices = [{"test": "wilcoxn"}, {"correction": "hlom"}, {"interval": "bcaa"}, {"interval": "wilson"}, {"alpha": 5}]
    choices += [{"alpha": True}, {"tolerance": -1}, {"rope": math.nan}, {"test": "independent_t"}]
    choices += [{"test": "tukey", "correction": "bh"}]
    cases |= {str(choice): lambda choice=choice: ComparisonOptions(**choice) for choice in choices}
    cases |= {
        "of results": lambda: compare(None, results, "mrr", tets="x"),
        "baseline": lambda: compared(*ladder(4), baseline="s9"),
        "results without names": lambda: compare(results["old"], results["new"]),
        "runs without names": lambda: compare(QRELS, [RUNS["old"]], "mrr"),
        "not scored": lambda: compare(None, results, "recall@5"),
        "profile of results": lambda: compare(None, results, profile="beir"),
        "pair": lambda: align(old_and_new()).place("nwe"),
    }
    snapshots.check_errors("compare/settings", cases)


def test_other_spellings():
    how = ComparisonOptions(test="fisher", correction="BH", interval="studentized", alpha=0.01)
    plain = how.to_dict()
    assert (plain["test"], plain["correction"], plain["interval"]) == ("randomization", "benjamini_hochberg", "studentised")
    assert how.level == 0.99
    for test, rope, name, counts in (
        ("bayesian(rope=0.01)", 0.02, "bayesian(rope=0.01)", 0.01),  # the rope of the test itself wins
        ("bayesian", 0.02, "bayesian(rope=0.02)", 0.02),
        ("paired_t", 0.02, "paired_t", 0.02),
    ):
        how = ComparisonOptions(test=test, rope=rope)
        assert (how.bound_test.name, how.to_dict()["rope"]) == (name, counts)


def test_queries_are_paired_by_id_whatever_their_order():
    one = system("one", {"mrr": [1.0, 0.5, 0.25]}, ["a", "b", "c"])
    two = system("two", {"mrr": [0.1, 0.2, 0.3]}, ["c", "a", "b"])
    aligned = align([one, two])
    assert (aligned.query_ids, aligned.names, aligned.notes) == (("a", "b", "c"), ("one", "two"), ())
    assert aligned.scores("mrr").tolist() == [[1.0, 0.2], [0.5, 0.3], [0.25, 0.1]]


def retrieving(depths, metric="mrr"):
    return [system(name, {metric: OLD}, provenance={"k": depth}) for name, depth in zip(("one", "two"), depths, strict=True)]


def test_what_differs_is_named_and_refused(snapshots):
    """With `intersect`, it is a note instead."""
    old, new = old_and_new(benchmark="first", recorded={"judgments": "aa"})
    prints = [{"dataset": {"fingerprints": {"queries": "1", "documents": number}}} for number in "23"]
    by_text = [{"strategy_used": "token", "token_threshold": threshold} for threshold in (0.3, 0.5)]
    fewer = system("new", {"mrr": NEW[2:]}, [f"q{number}" for number in range(3, 9)])
    sides = {
        "ties": (old, new.with_fields(policy=assay.Policy(ties="docid_asc"))),
        "rel": (old, new.with_fields(policy=assay.Policy(rel=2))),
        "profile": (old, new.with_fields(profile="beir")),
        "judgments": (old, new.with_fields(recorded={"judgments": "bb"})),
        "documents": [one.with_fields(provenance=about) for one, about in zip((old, new), prints, strict=True)],
        "resolver": (old, new.with_fields(relevance=by_text[0])),
        "threshold": [one.with_fields(relevance=about) for one, about in zip((old, new), by_text, strict=True)],
        "queries": (system("old", {"mrr": OLD}), fewer),
        **{f"depth and {metric}": retrieving((10, 1000), metric) for metric in ("mrr", "ndcg@20", "latency")},
    }
    for case, pair in sides.items():
        with pytest.raises(NotComparable) as refused:
            align(pair)
        assert align(pair, intersect=True).notes == tuple(refused.value.differences), case
    nothing = [system(name, {"mrr": [1.0]}, [name]) for name in ("a", "b")]
    text = [system(name, {"mrr": OLD, "relstring@10": ["1"] * 8}) for name in ("a", "b")]
    others = {
        "other benchmark": lambda: align([old, new.with_fields(benchmark="other")], intersect=True),
        "no query in common": lambda: align(nothing, intersect=True),
        "no metric in common": lambda: align([system("one", {"mrr": OLD}), system("two", {"map": OLD})]),
        "not scored": lambda: align([system("one", {"mrr": OLD}), system("two", {"map": OLD})], ["mrr"]),
        "text": lambda: align(text, ["relstring"]),
        "none": lambda: align([]),
        "one": lambda: align([old]),
        "one name for two": lambda: align([old, old]),
    }
    snapshots.check_errors(
        "comparison/refused", {name: lambda pair=pair: align(pair) for name, pair in sides.items()} | others
    )


def test_what_differs_may_not_matter():
    assert align(retrieving((10, 1000), "ndcg@10")).notes == ()
    assert align(retrieving((10, 10))).notes == align(retrieving((None, 10))).notes == ()
    old, new = old_and_new(relevance={"strategy_used": "token-fallback"})  # judgments made of what was retrieved
    assert align([old.with_fields(recorded={"judgments": "aa"}), new.with_fields(recorded={"judgments": "bb"})]).notes == ()


def test_only_shared_queries_count_where_they_are_intersected():
    new = system("new", {"mrr": NEW[2:]}, [f"q{number}" for number in range(3, 9)])
    aligned = align([system("old", {"mrr": OLD}), new], intersect=True)
    assert aligned.query_ids == new.query_ids
    assert aligned.results[0]["mrr"] == pytest.approx(np.mean(OLD[2:]))


def test_metrics_that_all_have_and_somebody_asked_for():
    one = system("one", {"mrr": OLD, "map": OLD, "judged@10": OLD}, beside=("judged@10",))
    two = system("two", {"judged@10": OLD, "map": OLD, "ndcg@10": OLD}, beside=("judged@10",))
    assert [metric.name for metric in align([one, two]).metrics] == ["map"]
    assert [metric.name for metric in align([one, two], ["judged@10", "AP"]).metrics] == ["judged@10", "map"]
