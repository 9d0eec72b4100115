"""conduct: what failed before is asked again and the rest stays; rerankers have two results, mended or not."""

import sys
from dataclasses import replace
from types import ModuleType

import pytest

from assay import BenchmarkDataset, Hit, NothingSelected, Query
from assay.execution import ExecutionOptions, Plan, execute_plan
from assay.execution.retrieve import wrap_retriever
from assay.grammar import mark_written
from assay.metrics import parse_metrics
from assay.providers import BoundProvider, Provider, parse_provider

from ._plans import AT_ONCE, fallible, plan, save_benchmarks
from ._retrievers import Told


@pytest.fixture
def saved(tmp_path):
    """A folder with two benchmarks."""
    return save_benchmarks(tmp_path)


def test_only_what_failed_is_asked_again_and_the_rest_stays(saved):
    (told, fails), other = fallible("q1"), Told()
    before = execute_plan(plan(saved, told, other), ExecutionOptions(home=saved))
    assert list(before[0].failures) == ["q1"]
    fails.clear()
    told.asked.clear()
    other.asked.clear()
    mended, same = execute_plan(plan(saved, told, other), ExecutionOptions(home=saved, before=before))
    assert (told.asked, other.asked) == ([["q1"]], [])
    assert mended.failures == {}
    assert (mended["mrr"], same["mrr"]) == (1.0, 1.0)
    assert mended.query_ids == ("q0", "q1", "q2")
    assert mended.run == same.run
    assert mended.provenance["counts"] == {"asked": 3, "answered": 3, "failed": 0, "cached": 2}


def test_results_are_matched_by_benchmark_and_provider(saved):
    told, _ = fallible("q1")
    before = execute_plan(plan(saved, told, folders=("one", "two")), ExecutionOptions(home=saved))
    before[1] = before[1].with_fields(failures={})
    told.asked.clear()
    (result,) = execute_plan(plan(saved, told, Told(), folders=("one",)), ExecutionOptions(home=saved, before=before))
    assert (result.benchmark, result.name, told.asked) == ("one", "told0", [["q1"]])
    with pytest.raises(NothingSelected, match=r"no query to ask again .*one/told0 \(1 failed\)"):
        execute_plan(plan(saved, told, folders=("two",)), ExecutionOptions(home=saved, before=before))
    with pytest.raises(NothingSelected, match="no query to ask again"):
        execute_plan(plan(saved, told), ExecutionOptions(home=saved, before=[before[0].with_fields(name="somebody else")]))


def test_what_a_result_says_is_not_kept_for_other_evaluations(saved):
    """Nobody knows which documents it was made with; and a cache that was given it could not be read any more."""
    odd, fails = fallible("q1")
    asked = replace(plan(saved), providers=(BoundProvider(Provider("keeps", "", lambda: odd, is_repeatable=True), {}),))
    before = execute_plan(replace(asked, cache=False), ExecutionOptions(home=saved))
    wrong = [before[0].with_fields(run={query: {"wrong": 1.0} for query in before[0].run})]
    fails.clear()
    execute_plan(asked, ExecutionOptions(home=saved, before=wrong))
    odd.asked.clear()
    (result,) = execute_plan(asked, ExecutionOptions(home=saved))
    assert result["mrr"] == 1.0
    assert sorted(query for some in odd.asked for query in some) == ["q0", "q2"]


def test_answers_whose_texts_decide_are_asked_again_too(tmp_path):
    """A result keeps ids and scores alone; scored again without the texts, good answers would be worth nothing."""
    queries = {f"q{n}": Query(f"q{n}", "who", expected="the quick brown fox") for n in range(2)}
    BenchmarkDataset("answers", queries=queries).save_json(tmp_path / "b.json")
    broken = {"q1": ValueError("once")}

    class Chunks:
        def search(self, queries, k):
            if queries[-1].query_id in broken:
                raise broken.pop(queries[-1].query_id)
            return [[Hit("chunk 1", 2.0, "nothing of it"), Hit("chunk 2", 1.0, "the quick brown fox")] for _ in queries]

    said = []
    asked = Plan(
        (str(tmp_path / "b.json"),), (wrap_retriever(Chunks(), ""),), tuple(parse_metrics("mrr")), retry_policy=AT_ONCE
    )
    before = execute_plan(asked, ExecutionOptions(home=tmp_path))
    assert before[0].scores("mrr") == {"q0": 0.5, "q1": 0.0}
    (result,) = execute_plan(asked, ExecutionOptions(home=tmp_path, before=before, say=said.append))
    assert result.scores("mrr") == {"q0": 0.5, "q1": 0.5}
    assert said == ["answers/Chunks: 1 query asked again too, for results do not keep the texts of hits"]


# Rerankers


@pytest.fixture
def reranker(monkeypatch):
    """A provider that turns bm25's order round; and the names of queries on which its function fails."""
    fails = set()

    def score(query, hits):
        if query.query_id in fails:
            raise ValueError("told to fail")
        return [float(place) for place in range(len(hits))]

    module = ModuleType("conduct_test_module")
    module.score = score
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return parse_provider(mark_written("rerank(bm25, function=conduct_test_module:score)")), fails


def test_a_reranker_has_two_results_that_of_what_it_was_given_first(saved, reranker):
    provider, _ = reranker
    before, after = execute_plan(replace(plan(saved), providers=(provider,)), ExecutionOptions(home=saved))
    assert before.name == f"{after.name} before"
    assert before.provenance["stage"] == "before reranking"
    assert "stage" not in after.provenance
    (alone,) = execute_plan(
        replace(plan(saved), providers=(parse_provider(mark_written("bm25")),)), ExecutionOptions(home=saved)
    )
    assert before.run == alone.run
    assert {query: list(ranking) for query, ranking in after.run.items()} == {
        query: list(ranking)[::-1] for query, ranking in before.run.items()
    }
    assert before["mrr"] != after["mrr"]


def test_what_failed_in_a_reranker_is_asked_again_and_both_results_are_whole(saved, reranker):
    provider, fails = reranker
    asked = replace(plan(saved), providers=(provider,))
    expected = execute_plan(asked, ExecutionOptions(home=saved))
    fails.add("q1")
    broken = execute_plan(asked, ExecutionOptions(home=saved))
    assert [list(result.failures) for result in broken] == [["q1"], ["q1"]]
    fails.clear()
    mended = execute_plan(asked, ExecutionOptions(home=saved, before=broken))
    assert [result.run for result in mended] == [result.run for result in expected]
    assert [result["mrr"] for result in mended] == [result["mrr"] for result in expected]
    without_first = execute_plan(asked, ExecutionOptions(home=saved, before=broken[1:]))
    assert [result.run for result in without_first] == [result.run for result in expected]
