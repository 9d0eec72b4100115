"""Repeats: each query is sent several times, scores are means, and every way to go on keeps the repeats apart."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest

import assay
from assay import Hit, UsageError
from assay.evaluation import read_results
from assay.execution import ExecutionOptions, execute_plan
from assay.providers import RANK, SCORE

from ._plans import plan, read_log, save_benchmarks, write_log
from ._retrievers import Told, benchmark, own, right


@pytest.fixture
def saved(tmp_path):
    """A folder with two benchmarks."""
    return save_benchmarks(tmp_path)


class Alternating:
    """Answers right on the first, third … time that a query comes, and wrong on the others; fails when told to."""

    def __init__(self, fails=()):
        self.n_asked, self.fails = Counter(), set(fails)

    def __call__(self, query):
        self.n_asked[query.query_id] += 1
        number = self.n_asked[query.query_id]
        if (query.query_id, number) in self.fails:
            raise ValueError("told to fail")
        return right(query) if number % 2 else [Hit("dy", 2.0), *right(query)]


def test_each_query_is_sent_as_often_as_asked_and_its_score_is_the_mean():
    told = Told(Alternating(), batch=1)
    result = assay.run(benchmark(3), told, ["mrr", "recall@10"], repeats=3)
    assert {query: told.times(query) for query in ("q0", "q1", "q2")} == {"q0": 3, "q1": 3, "q2": 3}
    assert result.n_repeats == 3
    assert result.repeats["mrr"].tolist() == [[1.0, 0.5, 1.0]] * 3
    assert result.scores("mrr") == pytest.approx({"q0": 2.5 / 3, "q1": 2.5 / 3, "q2": 2.5 / 3})
    assert result["recall@10"] == 1.0
    assert result.run["q1"] == {"d1": 1.0}
    assert result.reruns["q1"] == [{"dy": 2.0, "d1": 1.0}, {"d1": 1.0}]
    assert result.provenance["repeats"] == 3
    assert result.provenance["counts"] == {"asked": 9, "answered": 9, "failed": 0, "cached": 0}


def test_without_repeats_nothing_is_different():
    result = assay.run(benchmark(3), Told(), "mrr")
    assert (result.n_repeats, result.repeats, result.reruns) == (1, {}, {})
    assert not {"repeats", "reruns"} & result.to_dict().keys()
    assert "repeats" not in result.provenance


def test_a_repeat_that_fails_scores_0_and_a_query_is_listed_with_how_often_it_failed(saved):
    told = Told(Alternating(fails=[("q1", 1), *(("q2", n) for n in (1, 2, 3))]), batch=1)
    (result,) = execute_plan(plan(saved, told, repeats=3), ExecutionOptions(home=saved))
    assert result.repeats["mrr"].tolist() == [[1.0, 0.5, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.0]]
    assert result["mrr"] == pytest.approx((2.5 / 3 + 1.5 / 3 + 0) / 3)
    assert list(result.failures) == ["q1", "q2"]
    assert result.failures["q1"].startswith("1 of 3 repeats: ")
    assert result.failures["q2"].startswith("ValueError")
    assert result.run["q1"] == {"dy": 2.0, "d1": 1.0}, "the first ranking that came"
    assert result.reruns["q1"] == [{"d1": 1.0}]
    assert "q2" not in result.run


def test_times_are_kept_and_averaged(saved):
    (result,) = execute_plan(plan(saved, Told(batch=1), repeats=4), ExecutionOptions(home=saved))
    times = result.repeats["latency"]
    assert times.shape == (3, 4)
    assert result.array("latency") == pytest.approx(times.mean(axis=1))
    assert result.provenance["latency_ms"]["p95"] == pytest.approx(np.quantile(times, 0.95))


def test_no_cache_serves_a_repeat(saved):
    told = Told()
    provider = own(told, is_repeatable=True)
    execute_plan(plan(saved, provider), ExecutionOptions(home=saved))
    (cached,) = execute_plan(plan(saved, provider), ExecutionOptions(home=saved))
    assert (told.times("q0"), cached.provenance["counts"]["cached"]) == (1, 3)
    (repeated,) = execute_plan(plan(saved, provider, repeats=3), ExecutionOptions(home=saved))
    assert (told.times("q0"), repeated.provenance["counts"]["cached"]) == (4, 0)


def test_an_index_is_filled_once_for_all_repeats(saved):
    class Counting(Told):
        n_filled = 0

        def index(self, documents):
            Counting.n_filled += 1
            super().index(documents)

    execute_plan(plan(saved, Counting(), repeats=3), ExecutionOptions(home=saved))
    assert Counting.n_filled == 1


def test_an_interrupted_evaluation_goes_on_in_the_middle_of_a_repeat(saved):
    told = Told(Alternating(), batch=1)
    (whole,) = execute_plan(plan(saved, told, repeats=3), ExecutionOptions(home=saved, name="plan-mine"))
    (log,) = (saved / "runs").glob("*.log")
    lines = read_log(log)
    answers = [(line["part"], answer) for line in lines[1:] for answer in line["answers"]]
    kept = [{"part": part, "answers": [answer]} for part, answer in answers[:5]]
    assert [part.endswith("repeat 2") for part, _ in answers[:5]] == [False] * 3 + [True] * 2
    write_log(log, [lines[0], *kept])
    told.asked.clear()
    again = ExecutionOptions(home=saved, resume=True, name="plan-mine")
    (resumed,) = execute_plan(plan(saved, told, repeats=3), again)
    assert sum(map(len, told.asked)) == 4
    assert resumed.repeats["mrr"][:, 0].tolist() == whole.repeats["mrr"][:, 0].tolist()
    assert resumed.provenance["counts"]["cached"] == 5
    with pytest.raises(UsageError, match="repeats was 3 and is now 2"):
        execute_plan(plan(saved, told, repeats=2), again)


def test_only_the_repeats_that_failed_are_sent_again(saved, tmp_path):
    fails = Alternating(fails=[("q1", 2), *(("q2", n) for n in (1, 2, 3))])
    told = Told(fails, batch=1)
    before = execute_plan(plan(saved, told, repeats=3), ExecutionOptions(home=saved))
    file = tmp_path / "result.json"
    file.write_text(json.dumps({"schema": "assay.result/1", "results": [before[0].to_dict()]}))
    told.asked.clear()
    (mended,) = execute_plan(plan(saved, told), ExecutionOptions(home=saved, before=read_results(file)))
    assert {query: told.times(query) for query in ("q0", "q1", "q2")} == {"q0": 0, "q1": 1, "q2": 3}
    assert (mended.n_repeats, mended.failures) == (3, {})
    assert sorted(mended.repeats["mrr"][1]) == [0.5, 1.0, 1.0]


def test_a_reranker_has_repeats_in_both_stages(saved):
    turns = itertools.count()

    class Reranking:
        def search(self, queries, k):
            number = next(turns)
            return [[Hit("d0", 2.0, metadata={RANK: 2, SCORE: 1.0}), Hit("dy", 1.0, metadata={RANK: 1, SCORE: 2.0 + number})]
                    for _ in queries]  # fmt: skip

    provider = own(Reranking(), "rerank", keeps_first=True)
    first, after = execute_plan(plan(saved, provider, repeats=2), ExecutionOptions(home=saved))
    assert (first.n_repeats, after.n_repeats) == (2, 2)
    assert first.repeats["mrr"][0].tolist() == [0.5, 0.5]
    assert after.repeats["mrr"][0].tolist() == [1.0, 1.0]
    assert {len(some) for some in first.reruns.values()} == {1}


def test_the_plan_has_the_number_of_repeats(saved):
    from assay.execution import WrittenPlan, make_plan

    content = {"benchmarks": ["rag-template"], "providers": ["bm25"]}
    assert make_plan(WrittenPlan(content)).repeats == 1
    assert make_plan(WrittenPlan({**content, "repeats": 3})).repeats == 3
    with pytest.raises(UsageError, match="repeats must be a whole number of at least 1"):
        make_plan(WrittenPlan({**content, "repeats": 0}))
