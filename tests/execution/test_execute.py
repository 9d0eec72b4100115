"""execute_plan: a plan carried out, part by part, whatever its providers do; results in the order of the plan."""

from dataclasses import replace

import pytest

from assay import DataError, Hit, ProviderError
from assay.execution import ExecutionOptions, Selection, execute_plan
from assay.grammar import Param
from assay.providers import BoundProvider, Provider

from ._plans import plan, save_benchmarks
from ._retrievers import Told, benchmark, failing, own


@pytest.fixture
def saved(tmp_path):
    """A folder with two benchmarks."""
    return save_benchmarks(tmp_path)


@pytest.fixture
def execute(saved):
    """Carries out a plan over these retrievers or providers."""

    def executed(*given, options=None, **more):
        return execute_plan(plan(saved, *given, **more), ExecutionOptions(home=saved, **(options or {})))

    return executed


def unstartable(**how):
    """A provider that cannot be made."""
    return BoundProvider(Provider("broken", "", lambda: 1 / 0, **how), {})


def test_one_result_for_each_benchmark_and_provider_in_their_order(execute):
    told, seen = Told(), []
    watch = {"watch": lambda now: seen.append((now.name, now.n_done))}
    results = execute(told, Told(), folders=("one", "two"), batch_size=2, options=watch)
    found = [(result.benchmark, result.name, result["mrr"]) for result in results]
    assert found == [("one", "told0", 1.0), ("one", "told1", 1.0), ("two", "told0", 0.0), ("two", "told1", 0.0)]
    assert all({"judged@10", "latency_p95"} <= set(result) for result in results)
    assert told.asked == [["q0", "q1"], ["q2"]] * 2
    assert seen[:3] == [("one/told0", 0), ("one/told0", 2), ("one/told0", 3)]


def test_ungraded_every_relevant_document_is_as_good_as_any_other(execute):
    told = Told(lambda query: [Hit("dx", 2.0)])
    graded, binary = (execute(told, is_graded=is_graded)[0]["ndcg@10"] for is_graded in (True, False))
    second = 1 / 1.584962500721156
    assert graded == pytest.approx(1 / (2 + second))
    assert binary == pytest.approx(1 / (1 + second))


def test_a_provider_that_fails_on_everything_has_a_result_all_the_same(execute):
    no = {f"q{n}": ValueError("no") for n in range(3)}
    bad, broken, good = execute(Told(failing(no, every=True)), unstartable(), Told())
    assert [result.is_total_failure for result in (bad, broken, good)] == [True, True, False]
    assert bad.failures == dict.fromkeys(no, "ValueError: no")
    assert set(broken.failures.values()) == {"broken could not be started: ZeroDivisionError: division by zero"}
    assert (bad["mrr"], broken["mrr"], good["mrr"]) == (0.0, 0.0, 1.0)


def test_what_cannot_work_is_raised_before_anything_is_asked(execute, saved):
    def check():
        raise ProviderError("no such module")

    def make():
        raise DataError("the judgments are broken")

    told = Told()
    with pytest.raises(ProviderError, match="no such module"):
        execute(told, unstartable(check=check))
    assert told.asked == []
    assert not (saved / "runs").exists()
    with pytest.raises(DataError, match="the judgments are broken"):  # no error of the provider
        execute(BoundProvider(Provider("wrong", "", make), {}))


def test_embeddings_are_kept_beside_the_logs_unless_told_not_to(execute, saved):
    seen = []
    record = Provider("keeps", "", lambda cache: seen.append(cache) or Told(), (Param("cache", str, "", ""),))
    for cache in (True, False):
        execute(BoundProvider(record, {"cache": ""}), cache=cache)
    assert seen == [str(saved / "indexes"), ""]
    assert (saved / ".gitignore").read_text() == "*\n"  # a clean repository does not look changed


def test_notes_say_what_a_provider_left_out(execute, saved, snapshots):
    dataset = benchmark(3, "one")
    dataset.queries = {name: replace(query, scope="a") for name, query in dataset.queries.items()}
    (empty,) = execute(Told(lambda query: []))
    (failed,) = execute(Told(failing({f"q{n}": OSError() for n in range(3)}, every=True)))
    assert empty.notes[-1] not in failed.notes
    dataset.save_json(saved / "one" / "b.json")
    (deaf,) = execute(own(Told(), "deaf", heeds_scope=False))
    assert execute(own(Told(), "heeds"))[0].notes == ()
    snapshots.check("execution/notes_on_providers", "".join(f"{note}\n" for note in (*empty.notes, *deaf.notes)))


def test_shards_of_one_plan_have_logs_of_their_own(execute, saved):
    told = Told()
    for ends in ((0, 1), (1, None)):
        execute(told, selection=Selection(range=ends), options={"name": "plan-mine"})
    told.asked.clear()
    for ends in ((0, 1), (1, None)):
        execute(told, selection=Selection(range=ends), options={"name": "plan-mine", "resume": True})
    assert told.asked == []
