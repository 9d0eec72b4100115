"""What failed in results of before is asked again, and the rest of them stays."""

import pytest

from assay import BenchmarkDataset, Hit, NothingSelected, Query
from assay.execution import ExecutionOptions, Plan, execute_plan
from assay.metrics import parse_metrics

from ._plans import plan, save_benchmarks
from ._retrievers import AT_ONCE, Told, fallible, own


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
    assert (mended.failures, mended.query_ids, mended.run) == ({}, ("q0", "q1", "q2"), same.run)
    assert (mended["mrr"], same["mrr"]) == (1.0, 1.0)
    assert mended.provenance["counts"] == {"asked": 3, "answered": 3, "failed": 0, "cached": 2}


def test_results_are_matched_by_benchmark_and_provider(saved, snapshots):
    told, _ = fallible("q1")
    before = execute_plan(plan(saved, told, folders=("one", "two")), ExecutionOptions(home=saved))
    before[1] = before[1].with_fields(failures={})
    told.asked.clear()
    (result,) = execute_plan(plan(saved, told, Told()), ExecutionOptions(home=saved, before=before))
    assert (result.benchmark, result.name, told.asked) == ("one", "told0", [["q1"]])

    def retry(folder, results):
        return lambda: execute_plan(plan(saved, told, folders=(folder,)), ExecutionOptions(home=saved, before=results))

    renamed = [before[0].with_fields(name="someone else")]
    cases = {"nothing failed there": retry("two", before), "another provider": retry("one", renamed)}
    snapshots.check_errors("execution/retry_failed", cases)
    with pytest.raises(NothingSelected):
        cases["another provider"]()


def test_what_a_result_says_is_not_kept_for_other_evaluations(saved):
    """Nobody knows which documents it was made with; and a cache that was given it could not be read any more."""
    odd, fails = fallible("q1")
    provider = own(odd, is_repeatable=True)
    before = execute_plan(plan(saved, provider, cache=False), ExecutionOptions(home=saved))
    wrong = [before[0].with_fields(run={query: {"wrong": 1.0} for query in before[0].run})]
    fails.clear()
    execute_plan(plan(saved, provider), ExecutionOptions(home=saved, before=wrong))
    odd.asked.clear()
    (result,) = execute_plan(plan(saved, provider), ExecutionOptions(home=saved))
    assert result["mrr"] == 1.0
    assert sorted(query for some in odd.asked for query in some) == ["q0", "q2"]


def test_answers_whose_texts_decide_are_asked_again_too(tmp_path, snapshots):
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
    provider = own(Chunks(), "chunks", indexes=False)
    asked = Plan((str(tmp_path / "b.json"),), (provider,), tuple(parse_metrics("mrr")), retry_policy=AT_ONCE)
    before = execute_plan(asked, ExecutionOptions(home=tmp_path))
    assert before[0].scores("mrr") == {"q0": 0.5, "q1": 0.0}
    (result,) = execute_plan(asked, ExecutionOptions(home=tmp_path, before=before, say=said.append))
    assert result.scores("mrr") == {"q0": 0.5, "q1": 0.5}
    snapshots.check("execution/asked_again", "".join(f"{note}\n" for note in said))
