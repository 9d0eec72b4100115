"""Corrected: estimates as results, what they say about themselves, and how they are compared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests._results import saved_and_read

import assay
from assay.comparison import compare_results, compare_slices, decide_margin, slice_results
from assay.errors import BadParameter, DataError, NotComparable, UsageError
from assay.judging import Pool, prediction_powered_mean
from assay.metrics import find_metric
from assay.store import Judgment, Store

N = 60


def campaign(n=N):
    """Three systems, true grades, and grades by a model that is wrong now and then."""
    rng = np.random.default_rng(4)
    queries = [f"q{number:02}" for number in range(n)]
    truth = {query: {f"d{doc}": int(rng.random() < 0.4) * int(rng.integers(1, 4)) for doc in range(25)} for query in queries}
    model = {
        query: {doc: grade if rng.random() < 0.85 else int(rng.integers(0, 4)) for doc, grade in grades.items()}
        for query, grades in truth.items()
    }
    runs = {
        name: {
            query: sorted(truth[query], key=lambda doc, query=query: -(skill * truth[query][doc] + rng.normal()))[:15]
            for query in queries
        }
        for name, skill in (("bm25", 0.2), ("dense", 0.5), ("hybrid", 0.7))
    }
    return truth, model, runs


TRUTH, MODEL, RUNS = campaign()


def grades_for(pool: Pool, share: float = 1.0) -> dict[str, dict[str, float]]:
    people: dict[str, dict[str, float]] = {}
    for pair in pool.drawn[: round(share * len(pool.drawn))]:
        people.setdefault(pair.query, {})[pair.document] = TRUTH[pair.query][pair.document]
    return people


def estimates(pool: Pool, metrics=None, model=None, people=None) -> dict[str, assay.Result]:
    layer = assay.Corrected(people or grades_for(pool), model, pool)
    return {name: assay.evaluate(None, run, metrics, judgments=layer, name=name) for name, run in RUNS.items()}


# What is estimated


def test_one_query_by_hand():
    """precision@2 of x, y: no other query predicts anything, so a relevant pair contributes 1/2 ÷ its probability."""
    pool = assay.pool({"A": {"q": ["x", "y"]}, "B": {"q": ["x", "z"]}}, pairs=1, depth=2)
    (drawn,) = pool.drawn
    worth = {"x": 0.5 / drawn.probability, "y": 0.5 / drawn.probability, "z": 0.0}[drawn.document]
    layer = assay.Corrected({"q": {drawn.document: 2}}, None, pool)
    result = assay.evaluate(None, {"q": ["x", "y"]}, judgments=layer)
    assert result["precision@2"] == worth
    assert math.isnan(result.intervals["precision@2"].low)  # one query says nothing about the spread


def test_if_everything_is_judged_estimates_are_the_scores():
    pool = assay.pool(RUNS, pairs=10**6, depth=10)
    metrics = ["precision@10", "dcg@10", "precision(rel=2)@5"]
    for name, result in estimates(pool, metrics).items():
        scored = assay.with_intervals(assay.evaluate(TRUTH, RUNS[name], metrics), "t")
        for metric in metrics:
            assert result[metric] == pytest.approx(scored[metric])
            assert result.intervals[result.own_name(metric)].low == pytest.approx(
                scored.intervals[scored.own_name(metric)].low
            )


def test_whole_queries_by_people_alone_are_the_mean_over_these_queries():
    pool = assay.pool(RUNS, pairs=600, how="whole", seed=3)
    people = grades_for(pool)
    metrics = ["ndcg@10", "map@10", "recall@10", "mrr", "precision@10"]
    for name, result in estimates(pool, metrics).items():
        judged = assay.evaluate(people, {query: RUNS[name][query] for query in people}, metrics)
        scored = assay.with_intervals(judged, "t")
        assert result.counts["judged"] == len(people)
        for metric in metrics:
            assert result[metric] == pytest.approx(scored[metric], abs=1e-12)
            uncut = assay.with_intervals(result, "t")  # by default, intervals are cut to the range of the metric
            ends = [(one.intervals[metric].low, one.intervals[metric].high) for one in (uncut, scored)]
            assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_whole_queries_with_a_model_are_ppi():
    pool = assay.pool(RUNS, pairs=600, how="whole", seed=3)
    people = grades_for(pool)
    pooled = {query: {} for query in pool.queries}
    for pair in pool.pairs:
        pooled[pair.query][pair.document] = MODEL[pair.query][pair.document]
    result = estimates(pool, ["ndcg@10"], MODEL)["dense"]
    y = assay.evaluate(people, {query: RUNS["dense"][query] for query in people}, ["ndcg@10"]).scores("ndcg@10")
    f = assay.evaluate(pooled, RUNS["dense"], ["ndcg@10"]).scores("ndcg@10")
    both = [np.array([scores[query] for query in y]) for scores in (y, f)]
    others = np.array([score for query, score in f.items() if query not in y])
    assert result["ndcg@10"] == pytest.approx(prediction_powered_mean(*both, others).value, abs=1e-12)
    alone = estimates(pool, ["ndcg@10"])["dense"].intervals["ndcg@10"]
    corrected = result.intervals["ndcg@10"]
    assert corrected.high - corrected.low < alone.high - alone.low
    assert result.provenance["judgments"]["layer"] == "corrected"
    assert 0 < result.provenance["judgments"]["model_weight"]["ndcg@10"] < 1.5


def test_spread_pairs_with_a_model_are_more_exact():
    pool = assay.pool(RUNS, pairs=300)
    widths = {}
    for label, model in (("people", None), ("corrected", MODEL), ("perfect", TRUTH)):
        interval = estimates(pool, ["precision@10"], model)["dense"].intervals["precision@10"]
        widths[label] = interval.high - interval.low
    assert widths["perfect"] < widths["corrected"] < widths["people"]


def test_a_result_gives_the_same_estimate_as_its_run():
    pool = assay.pool(RUNS, pairs=200)
    layer = assay.Corrected(grades_for(pool), None, pool)
    stored = saved_and_read(_with_rankings("dense"))
    again = layer.estimate(stored, ["precision@10"])
    assert again["precision@10"] == pytest.approx(estimates(pool)["dense"]["precision@10"])
    assert again.name == "dense"


def _with_rankings(name: str) -> assay.Result:
    result = assay.evaluate(TRUTH, RUNS[name], ["precision@10", "ndcg@10"], name=name)
    ranked = {query: {doc: -float(place) for place, doc in enumerate(docs)} for query, docs in RUNS[name].items()}
    return result.with_fields(run=ranked)


def test_metrics_that_need_whole_queries_are_left_out_of_spread_pairs():
    pool = assay.pool(RUNS, pairs=200)
    layer = assay.Corrected(grades_for(pool), None, pool)
    result = layer.estimate(_with_rankings("dense"))
    assert list(result) == ["precision@10"]
    assert "Left out, because they need all grades of a query: ndcg@10." in result.notes
    timed = layer.estimate(_with_rankings("dense"), ["precision@10", "ndcg@10", "latency"])
    assert "Left out, because they need all grades of a query: ndcg@10." in timed.notes
    assert "Left out, because they do not depend on judgments: latency." in timed.notes
    with pytest.raises(UsageError, match=r"ndcg@10 cannot be estimated from pairs .*how=whole"):
        assay.evaluate(None, RUNS["dense"], ["ndcg@10"], judgments=layer)


def test_the_difference_of_two_systems():
    pool = assay.pool(RUNS, pairs=10**6, how="difference(bm25, hybrid)")
    layer = assay.Corrected(grades_for(pool), None, pool)
    gap = layer.difference(RUNS["bm25"], RUNS["hybrid"])
    scored = [assay.evaluate(TRUTH, RUNS[name], ["precision@10"])["precision@10"] for name in ("bm25", "hybrid")]
    assert gap.value == pytest.approx(scored[1] - scored[0])
    assert math.isnan(assay.evaluate(None, RUNS["bm25"], judgments=layer)["precision@10"])  # its value is unknown
    with pytest.raises(UsageError, match="difference of bm25 and hybrid, so nothing can be estimated for dense"):
        assay.evaluate(None, RUNS["dense"], judgments=layer, name="dense")
    some = assay.pool(RUNS, pairs=150, how="difference(bm25, hybrid)")
    part = assay.Corrected(grades_for(some), None, some).difference(RUNS["bm25"], RUNS["hybrid"])
    assert part.interval(0.999)[0] < gap.value < part.interval(0.999)[1]


def test_a_comparison_uses_a_pool_for_a_difference():
    pool = assay.pool(RUNS, pairs=150, how="difference(bm25, hybrid)")
    layer = assay.Corrected(grades_for(pool), MODEL, pool)
    gap = layer.difference(RUNS["bm25"], RUNS["hybrid"])
    two = {name: saved_and_read(assay.evaluate(None, RUNS[name], judgments=layer, name=name)) for name in ("bm25", "hybrid")}
    comparison = assay.compare(None, two)
    (pair,) = comparison.pairs
    assert (pair.difference, pair.improvement) == pytest.approx((gap.value, gap.value))
    assert (pair.low, pair.high) == pytest.approx(gap.interval(0.95))
    assert pair.p == pytest.approx(gap.p())
    assert math.isnan(pair.value_a)
    assert math.isnan(pair.relative)
    assert comparison.verdict.startswith("hybrid beats bm25 on precision@10 by 0.")
    assert any("values of single systems are unknown" in remark for remark in comparison.remarks)
    assert pool.difference_outside(RUNS["bm25"], RUNS["hybrid"]) == 0
    assert pool.difference_outside(RUNS["bm25"], RUNS["dense"]) > 0.3


def test_systems_that_few_judged_documents_tell_apart_have_wide_intervals():
    """A′ is A with another tenth document for half of the queries. Predictions alone are no evidence for a difference."""
    alike = {
        query: [*docs[:9], docs[11]] if number % 2 else docs for number, (query, docs) in enumerate(RUNS["dense"].items())
    }
    runs = {"A": RUNS["dense"], "A′": alike}
    pool = assay.pool(runs, pairs=120, seed=1)
    layer = assay.Corrected(grades_for(pool), None, pool)
    gap = layer.difference(runs["A"], runs["A′"])
    telling = {
        pair.query for pair in pool.drawn if pair.document in set(RUNS["dense"][pair.query][9:]) | {alike[pair.query][9]}
    }
    assert 1 < gap.n <= len(telling) < 30
    few = assay.pool(runs, pairs=1, seed=1)
    (drawn,) = few.drawn
    blind = assay.Corrected({drawn.query: {drawn.document: 1}}, None, few).difference(runs["A"], runs["A′"])
    assert blind.p() == 1.0
    assert math.isnan(blind.interval(0.95)[0])


def test_slices_need_their_own_sample():
    dataset = assay.BenchmarkDataset.from_frames(
        queries=[{"query_id": query, "text": query, "first": query < "q40"} for query in TRUTH],
        documents=[{"doc_id": f"d{doc}", "text": "text"} for doc in range(25)],
        qrels=[{"query_id": "q00", "doc_id": "d0", "grade": 1}],
    )
    pool = assay.pool(RUNS, pairs=400)
    layer = assay.Corrected(grades_for(pool), None, pool)
    results = [assay.evaluate(dataset, run, judgments=layer, name=name) for name, run in RUNS.items()]
    sliced = compare_slices(compare_results(results), "first")
    known = {
        slice_.value: [pair.untested for pair in part.pairs]
        for slice_, part in zip(sliced.slices, sliced.parts, strict=True)
    }
    assert known == {"True": [""] * 3, "False": ["fewer than 30 of its queries are judged"] * 3}
    assert "No estimates for first=False" in sliced.remarks[-1]
    (by,) = slice_results(results, "first")
    values = {part.slice.value: part.results[0]["precision@10"] for part in by.parts}
    assert {name: math.isnan(value) for name, value in values.items()} == {"True": False, "False": True}


def test_grades_so_far_are_a_smaller_sample():
    pool = assay.pool(RUNS, pairs=400)
    layer = assay.Corrected(grades_for(pool, 0.5), None, pool)
    result = assay.evaluate(None, RUNS["dense"], judgments=layer)
    truth = assay.evaluate(TRUTH, RUNS["dense"], ["precision@10"])["precision@10"]
    assert result["precision@10"] == pytest.approx(truth, abs=0.15)
    assert any("200 of the 400 drawn pairs have no grade yet" in note for note in result.notes)


def test_grades_outside_the_pool_do_not_count():
    pool = assay.pool(RUNS, pairs=200)
    extra = {query: dict(grades) for query, grades in TRUTH.items()}
    both = [estimates(pool, people=people)["dense"]["precision@10"] for people in (grades_for(pool), extra)]
    assert both[0] == both[1]


# What a result says


def test_single_queries_have_no_scores():
    result = estimates(assay.pool(RUNS, pairs=200))["dense"]
    assert all(math.isnan(score) for score in result.scores("precision@10").values())
    assert not result.table.columns["precision@10"].has_scores
    assert set(result.to_dict()["per_query"]["q00"].values()) == {None}


def test_notes_on_what_the_estimates_are_based_on():
    pool = assay.pool(RUNS, pairs=200, seed=2)
    (note,) = estimates(pool)["dense"].notes
    n = len({pair.query for pair in pool.drawn})
    assert note == (
        f"precision@10 is an estimate from 200 grades by people, on {n} queries of 60 "
        f"(pool {pool.id}, spread, seed 2). Single queries have no scores."
    )


@pytest.mark.parametrize(
    ("queries", "metric", "is_few"),
    [(29, "ndcg@10", True), (30, "ndcg@10", False), (49, "hit@3", True), (50, "hit@3", False), (49, "precision@1", True)],
)
def test_too_few_queries_are_reported(queries, metric, is_few):
    pool = assay.pool(RUNS, how=f"whole(queries={queries})")
    notes = estimates(pool, [metric])["dense"].notes
    assert any("too short" in note for note in notes) == is_few


def test_a_system_that_was_not_pooled_is_reported():
    pool = assay.pool({"bm25": RUNS["bm25"]}, pairs=10**6)
    result = estimates(pool)["hybrid"]
    share = pool.never_eligible(RUNS["hybrid"])
    assert 0.1 < share < 0.9
    assert any(note.startswith(f"{100 * share:.1f} % of the first 10 documents could not be drawn") for note in result.notes)
    assert result.provenance["judgments"]["never_eligible"] == {"10": pytest.approx(share)}


def test_texts_and_tags_come_from_the_dataset():
    dataset = assay.BenchmarkDataset.from_frames(
        queries=[{"query_id": query, "text": f"text {query}", "half": query < "q30"} for query in TRUTH],
        documents=[{"doc_id": f"d{doc}", "text": "text"} for doc in range(25)],
        qrels=[{"query_id": "q00", "doc_id": "d0", "grade": 1}],
    )
    pool = assay.pool(RUNS, pairs=300)
    layer = assay.Corrected(grades_for(pool), None, pool)
    results = [assay.evaluate(dataset, run, judgments=layer, name=name) for name, run in RUNS.items()]
    assert results[0].queries["q07"].text == "text q07"
    sliced = compare_slices(compare_results(results), "half")
    assert [part.pairs[0].n for part in sliced.parts] == [30, 30]  # each has its own 30 judged queries


def test_saved_estimates_saved_and_read(tmp_path):
    results = list(estimates(assay.pool(RUNS, pairs=300), model=MODEL).values())
    again = [saved_and_read(result) for result in results]
    store = Store.open(str(tmp_path / "results.db"))
    stored = [store.find(store.save(result)).results[0] for result in results]
    expected = compare_results(results)
    for others in (again, stored):
        compared = compare_results(others)
        assert [pair.p for pair in compared.pairs] == pytest.approx([pair.p for pair in expected.pairs])
        assert compared.remarks == expected.remarks
        assert others[0].intervals["precision@10"] == results[0].intervals["precision@10"]


# How they are compared


def test_comparison_is_students_t_over_judged_queries():
    from scipy import stats

    results = estimates(assay.pool(RUNS, pairs=600, how="whole", seed=3), ["ndcg@10"])
    pair = assay.compare(None, {name: results[name] for name in ("bm25", "hybrid")}).pair("ndcg@10", "bm25", "hybrid")
    people = grades_for(assay.pool(RUNS, pairs=600, how="whole", seed=3))
    a, b = (
        assay.evaluate(people, {query: RUNS[name][query] for query in people}, ["ndcg@10"]).array("ndcg@10")
        for name in ("bm25", "hybrid")
    )
    expected = stats.ttest_rel(b, a)
    assert (pair.statistic, pair.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (pair.low, pair.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert (pair.wins, pair.ties, pair.losses, pair.interval, pair.draws) == (0, 0, 0, "t", 0)
    assert pair.better == "hybrid"


def test_runs_are_estimated_and_compared_in_one_step():
    pool = assay.pool(RUNS, pairs=400)
    layer = assay.Corrected(grades_for(pool), MODEL, pool)
    comparison = assay.compare(None, RUNS, ["precision@10"], judgments=layer)
    expected = compare_results(list(estimates(pool, ["precision@10"], MODEL).values()))
    assert [pair.p for pair in comparison.pairs] == [pair.p for pair in expected.pairs]
    with pytest.raises(BadParameter, match=r"judgments must be a sample such as assay\.Corrected"):
        assay.evaluate(None, RUNS["bm25"], judgments=True)


def test_equal_estimates_are_not_called_equal_systems():
    """Nothing that differs was drawn: that does not mean that every query has the same score."""
    pool = assay.pool({"A": {"q1": ["x", "y"], "q2": ["x"]}, "B": {"q1": ["x", "z"], "q2": ["x"]}}, pairs=2, depth=2, seed=5)
    people = {pair.query: {pair.document: 0} for pair in pool.drawn}
    layer = assay.Corrected(people, None, pool)
    runs = {"A": {"q1": ["x", "y"], "q2": ["x"]}, "B": {"q1": ["x", "z"], "q2": ["x"]}}
    results = {name: assay.evaluate(None, run, judgments=layer, name=name) for name, run in runs.items()}
    pair = assay.compare(None, results).pairs[0]
    assert (pair.difference, pair.is_same, pair.is_significant) == (0, False, False)


def test_other_tests_are_replaced_or_refused():
    results = list(estimates(assay.pool(RUNS, pairs=400)).values())
    plain, wilcoxon = (
        assay.compare(None, {r.name: r for r in results}, test=test) for test in ("randomization", "wilcoxon")
    )
    assert [pair.p for pair in plain.pairs] == [pair.p for pair in wilcoxon.pairs]
    assert any("from Student's t with" in remark for remark in wilcoxon.remarks)
    tukey = assay.compare(None, {r.name: r for r in results}, test="tukey_hsd")
    assert all(math.isnan(pair.p) and "sample of judgments" in pair.untested for pair in tukey.pairs)


def test_claims_about_a_margin():
    results = estimates(assay.pool(RUNS, pairs=10**6))
    better = {name: results[name] for name in ("bm25", "hybrid")}
    for test, claim in (("non_inferiority(margin=0.02)", "not_worse"), ("equivalence(margin=0.9)", "equal")):
        pair = assay.compare(None, better, test=test).pairs[0]
        assert (pair.claim, pair.is_significant) == (claim, True)
    columns = [results[name].table.columns["precision@10"] for name in ("bm25", "hybrid")]
    assert decide_margin(find_metric("precision@10"), *columns, 0.01).status == "pass"
    assert decide_margin(find_metric("precision@10"), *columns[::-1], 0.01).status == "fail"


def test_unjudged_documents_are_no_doubt_about_an_estimate():
    comparison = compare_results(list(estimates(assay.pool(RUNS, pairs=600), model=MODEL).values()))
    assert comparison.doubts == ()


def test_estimates_are_not_compared_with_scores_or_with_another_pool():
    first, second = (estimates(assay.pool(RUNS, pairs=200, seed=seed)) for seed in (1, 2))
    scored = assay.evaluate(TRUTH, RUNS["bm25"], ["precision@10"], name="bm25")
    for other in (second["bm25"], scored):
        with pytest.raises(NotComparable, match="relevance is decided by"):
            compare_results([first["dense"], other])
    with pytest.raises(UsageError, match="estimated from a sample of judgments for one system and scored for the other"):
        decide_margin(
            find_metric("precision@10"),
            first["dense"].table.columns["precision@10"],
            scored.table.columns["precision@10"],
            0.1,
        )


# Wrong input


def test_a_sample_without_a_design_is_refused():
    with pytest.raises(UsageError, match="estimates need the pool that the judged pairs were drawn from"):
        assay.Corrected(TRUTH, MODEL)
    with pytest.raises(UsageError, match="pool must be a Pool, not dict"):
        assay.Corrected(TRUTH, None, {"pairs": []})
    for how in ("depth", "move_to_front"):
        pool = assay.pool(RUNS, pairs=100, how=how)
        with pytest.raises(UsageError, match=f"nothing can be estimated from a pool that was drawn with {how}"):
            assay.Corrected(grades_for(pool), None, pool)
    complete = assay.pool(RUNS, pairs=10**6, how="depth")
    assert estimates(complete, ["ndcg@10"])["dense"].counts["judged"] == N


def test_layers_are_not_mixed():
    pool = assay.pool(RUNS, pairs=100)
    people = [
        Judgment("b", pair.query, pair.document, "Ana", TRUTH[pair.query][pair.document], pool=pool.id)
        for pair in pool.drawn
    ]
    model = [judgment._replace(judge="judge-1", kind="model") for judgment in people]
    assert assay.Corrected(people, model, pool).n_grades == 100
    with pytest.raises(BadParameter, match=r"the judgments of people include one by judge-1 \(model\)"):
        assay.Corrected([*people, model[0]], None, pool)
    with pytest.raises(BadParameter, match="the judgments of model include one by Ana"):
        assay.Corrected(people, people, pool)


def test_no_grades_for_the_pool():
    pool = assay.pool(RUNS, pairs=100)
    with pytest.raises(DataError, match="none of the 100 pairs of the pool has a grade by people"):
        assay.Corrected({"q00": {"elsewhere": 1}}, None, pool)
    whole = assay.pool(RUNS, how="whole(queries=3)")
    some = {whole.drawn[0].query: {whole.drawn[0].document: 1}}
    with pytest.raises(DataError, match="no query is judged completely"):
        assay.evaluate(None, RUNS["dense"], ["ndcg@10"], judgments=assay.Corrected(some, None, whole))


def test_settings_that_estimates_do_not_have():
    pool = assay.pool(RUNS, pairs=100)
    layer = assay.Corrected(grades_for(pool), None, pool)
    with pytest.raises(UsageError, match="estimates have no tie band"):
        assay.evaluate(None, RUNS["dense"], judgments=layer, residuals=True)
