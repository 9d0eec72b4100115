"""conduct: a plan carried out, part by part, with a log to go on from."""

import re
from dataclasses import replace

import pytest

from assay import DataError, Hit, NothingSelected, ProviderError, UsageError
from assay.execution import ExecutionOptions, Selection, execute_plan, is_total_failure
from assay.execution.responses import ResponseLog
from assay.execution.retrieve import wrap_retriever
from assay.grammar import Param
from assay.providers import BoundProvider, Provider

from ._plans import fallible, plan, save_benchmarks
from ._retrievers import Told, failing


@pytest.fixture
def saved(tmp_path):
    """A folder with two benchmarks."""
    return save_benchmarks(tmp_path)


def sole_log(saved):
    """The one log there is."""
    (path,) = (saved / "runs").glob("*.log")
    return ResponseLog(path)


def unstartable(**how):
    """A provider that cannot be made."""
    return BoundProvider(Provider("broken", "", lambda: 1 / 0, **how), {})


def test_one_result_for_each_benchmark_and_provider_in_their_order(saved):
    results = execute_plan(plan(saved, Told(), Told(), folders=("one", "two")), ExecutionOptions(home=saved))
    assert [(result.benchmark, result.name) for result in results] == [
        ("one", "told0"),
        ("one", "told1"),
        ("two", "told0"),
        ("two", "told1"),
    ]
    assert [result["mrr"] for result in results] == [1.0, 1.0, 0.0, 0.0]
    assert all({"judged@10", "latency_p95"} <= set(result) for result in results)


def test_every_benchmark_keeps_its_own_answers_when_resumed(saved):
    class Remembers(Told):
        def index(self, documents):
            self.which = next(document.doc_id for document in documents if document.doc_id.startswith("only"))

        def search(self, queries, k):
            super().search(queries, k)
            return [[self.which] for _ in queries]

    told = Remembers()
    asked = plan(saved, told, folders=("one", "two"))
    first = execute_plan(asked, ExecutionOptions(home=saved))
    again = execute_plan(asked, ExecutionOptions(home=saved, resume=True))
    assert [dict(result.run) for result in first] == [dict(result.run) for result in again]
    assert set(first[0].run["q0"]) != set(first[1].run["q0"])
    assert told.asked == [["q0"], ["q1", "q2"]] * 2


def test_a_log_of_another_kind_is_refused(saved):
    asked = plan(saved, Told())
    execute_plan(asked, ExecutionOptions(home=saved, name="mine"))
    log = sole_log(saved)
    header, _ = log.read()
    log.begin({**header, "schema": "assay.answers/9"})
    with pytest.raises(UsageError, match="it was begun by another version of assay"):
        execute_plan(asked, ExecutionOptions(home=saved, name="mine", resume=True))


def test_nothing_to_go_on_from_is_a_start_and_is_said(saved):
    told, said = Told(), []
    (result,) = execute_plan(plan(saved, told), ExecutionOptions(home=saved, resume=True, say=said.append))
    assert result["mrr"] == 1.0
    assert said == ["there is nothing to go on from; this evaluation starts afresh"]
    execute_plan(plan(saved, told), ExecutionOptions(home=saved, resume=True, say=said.append))
    assert len(said) == 1
    assert told.asked == [["q0"], ["q1", "q2"]]


def test_ungraded_every_relevant_document_is_as_good_as_any_other(saved):
    told = Told(lambda query: [Hit("dx", 2.0)])
    graded, binary = (
        execute_plan(plan(saved, told, is_graded=is_graded), ExecutionOptions(home=saved))[0]["ndcg@10"]
        for is_graded in (True, False)
    )
    best = 2 + 1 / 1.584962500721156
    assert graded == pytest.approx(1 / best)
    assert binary == pytest.approx(1 / (1 + 1 / 1.584962500721156))


def test_batches_and_concurrency_of_the_plan_reach_the_provider(saved):
    told = Told()
    execute_plan(plan(saved, told, batch_size=2), ExecutionOptions(home=saved))
    assert told.asked == [["q0", "q1"], ["q2"]]


def test_who_watches_is_told_at_the_start_and_after_each_batch(saved):
    seen = []
    execute_plan(plan(saved, Told()), ExecutionOptions(home=saved, watch=lambda now: seen.append((now.name, now.n_done))))
    assert seen == [("one/told0", 0), ("one/told0", 1), ("one/told0", 3)]


def test_a_provider_that_fails_on_everything_has_a_result_all_the_same(saved):
    no = {f"q{n}": ValueError("no") for n in range(3)}
    bad, good = execute_plan(plan(saved, Told(failing(no, every=True)), Told()), ExecutionOptions(home=saved))
    assert (is_total_failure(bad), is_total_failure(good)) == (True, False)
    assert bad.failures.keys() == no.keys()
    assert all(re.fullmatch(r"Told\.search raised ValueError: no \(.*\.py:\d+\)", one) for one in bad.failures.values())
    assert (bad["mrr"], good["mrr"]) == (0.0, 1.0)
    (alone,) = execute_plan(plan(saved, Told(failing(no, every=True))), ExecutionOptions(home=saved))
    assert is_total_failure(alone)


def test_so_has_one_that_cannot_be_started_and_the_others_get_their_turn(saved):
    asked = replace(plan(saved, Told()), providers=(unstartable(), wrap_retriever(Told(), "told")))
    bad, good = execute_plan(asked, ExecutionOptions(home=saved))
    assert set(bad.failures.values()) == {"broken could not be started: ZeroDivisionError: division by zero"}
    assert bad.provenance["counts"] == {"asked": 3, "answered": 0, "failed": 3, "cached": 0}
    assert good["mrr"] == 1.0


def test_other_errors_than_a_provider_s_are_raised(saved):
    def make():
        raise DataError("the judgments are broken")

    asked = replace(plan(saved, Told()), providers=(BoundProvider(Provider("wrong", "", make), {}),))
    with pytest.raises(DataError, match="the judgments are broken"):
        execute_plan(asked, ExecutionOptions(home=saved))


def test_what_certainly_cannot_work_is_told_before_anything_is_asked(saved):
    def check():
        raise ProviderError("no such module")

    told = Told()
    asked = replace(plan(saved), providers=(wrap_retriever(told, "told"), unstartable(check=check)))
    with pytest.raises(ProviderError, match="no such module"):
        execute_plan(asked, ExecutionOptions(home=saved))
    assert told.asked == []
    assert not (saved / "runs").exists()


def test_gone_on_from_with_a_dead_provider_what_is_known_stays_known(saved):
    odd, _ = fallible("q1")
    record = Provider("told", "", lambda: odd)
    asked = replace(plan(saved), providers=(BoundProvider(record, {}),))
    (first,) = execute_plan(asked, ExecutionOptions(home=saved))
    dead = replace(asked, providers=(BoundProvider(replace(record, make=lambda: 1 / 0), {}),))
    (result,) = execute_plan(dead, ExecutionOptions(home=saved, resume=True))
    assert result.failures == {"q1": "told could not be started: ZeroDivisionError: division by zero"}
    assert result.run == first.run
    assert result.provenance["counts"] == {"asked": 3, "answered": 2, "failed": 1, "cached": 2}
    odd.asked.clear()
    (result,) = execute_plan(asked, ExecutionOptions(home=saved, resume=True))
    assert result.provenance["counts"]["cached"] == 2
    assert odd.asked == [["q1"]]


def test_nothing_selected_leaves_the_log_of_before(saved):
    told = Told()
    execute_plan(plan(saved, told), ExecutionOptions(home=saved, name="mine"))
    before = sole_log(saved).path.read_bytes()
    with pytest.raises(NothingSelected):
        execute_plan(
            plan(saved, told, selection=Selection(where={"no": ["tag"]})), ExecutionOptions(home=saved, name="mine")
        )
    assert sole_log(saved).path.read_bytes() == before


def test_embeddings_are_kept_beside_the_logs_unless_told_not_to(saved):
    seen = []
    record = Provider("keeps", "", lambda cache: seen.append(cache) or Told(), (Param("cache", str, "", ""),))
    bound = BoundProvider(record, {"cache": ""})
    own = BoundProvider(record, {"cache": "mine"}, explicit_params=frozenset({"cache"}))
    for cache in (True, False):
        execute_plan(replace(plan(saved, cache=cache), providers=(bound, own)), ExecutionOptions(home=saved))
    assert seen == [str(saved / "embeddings"), "mine", "", "mine"]


def test_what_is_kept_does_not_make_a_repository_look_changed(saved, tmp_path):
    home = tmp_path / "home"
    execute_plan(plan(saved, Told()), ExecutionOptions(home=home))
    assert (home / ".gitignore").read_text() == "*\n"
