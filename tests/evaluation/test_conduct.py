"""conduct: a plan carried out, part by part, with a log to go on from."""

from dataclasses import replace

import pytest

from assay import ProviderError, UsageError
from assay.errors import NothingSelected
from assay.evaluation.answers import SCHEMA, AnswerLog
from assay.evaluation.asking import Patience
from assay.evaluation.conduct import Conduct, carry_out, is_total_failure
from assay.evaluation.plan import Plan
from assay.evaluation.runner import own_provider
from assay.evaluation.selection import Selection
from assay.metrics._parse import parse_metrics
from assay.model.records import Hit

from ._retrievers import Told, benchmark

QUICK = Patience(timeout=5.0, retries=0, backoff=0.0)


@pytest.fixture
def saved(tmp_path):
    """Two benchmarks of the same name and the same query ids, with different documents relevant."""
    for folder, shift in (("one", 0), ("two", 1)):
        (tmp_path / folder).mkdir()
        dataset = benchmark(3, "same")
        dataset.qrels = {f"q{n}": {f"d{(n + shift) % 3}": 2.0, "dx": 1.0} for n in range(3)}
        dataset.documents[f"only {folder}"] = replace(dataset.documents["d0"], doc_id=f"only {folder}")
        dataset.save_json(tmp_path / folder / "b.json")
    return tmp_path


def plan(saved, *told, folders=("one",), **more):
    providers = tuple(own_provider(one, f"told{number}") for number, one in enumerate(told))
    benchmarks = tuple(str(saved / folder / "b.json") for folder in folders)
    return Plan(benchmarks, providers, tuple(parse_metrics(["mrr", "ndcg@10"])), patience=QUICK, **more)


def test_one_result_for_each_benchmark_and_provider_in_their_order(saved):
    results = carry_out(plan(saved, Told(), Told(), folders=("one", "two")), Conduct(home=saved))
    assert [(result.benchmark, result.name) for result in results] == [("same", "told0"), ("same", "told1")] * 2
    assert [result["mrr"] for result in results] == [1.0, 1.0, 0.0, 0.0]
    assert all({"judged@10", "latency_p95"} <= set(result) for result in results)


def test_benchmarks_of_one_name_keep_their_own_answers_when_resumed(saved):
    class Remembers(Told):
        def index(self, documents):
            self.which = next(document.doc_id for document in documents if document.doc_id.startswith("only"))

        def search(self, queries, k):
            super().search(queries, k)
            return [[self.which] for _ in queries]

    told = Remembers()
    asked = plan(saved, told, folders=("one", "two"))
    first = carry_out(asked, Conduct(home=saved))
    again = carry_out(asked, Conduct(home=saved, resume=True))
    assert [dict(result.run) for result in first] == [dict(result.run) for result in again]
    assert set(first[0].run["q0"]) != set(first[1].run["q0"])
    assert len(told.asked) == 2


def test_a_log_of_another_kind_is_refused(saved):
    asked = plan(saved, Told())
    carry_out(asked, Conduct(home=saved, name="mine"))
    log = AnswerLog(saved / "runs" / "mine.log")
    header, _ = log.read()
    log.begin({**header, "schema": "assay.answers/9"})
    with pytest.raises(UsageError, match=f"schema: assay.answers/9 before, {SCHEMA} now"):
        carry_out(asked, Conduct(home=saved, name="mine", resume=True))


def test_nothing_to_go_on_from_is_a_start(saved):
    told = Told()
    (result,) = carry_out(plan(saved, told), Conduct(home=saved, resume=True))
    assert result["mrr"] == 1.0
    assert len(told.asked) == 1


def test_ungraded_every_relevant_document_is_as_good_as_any_other(saved):
    told = Told(lambda query: [Hit("dx", 2.0)])
    graded, binary = (
        carry_out(plan(saved, told, is_graded=is_graded), Conduct(home=saved))[0]["ndcg@10"] for is_graded in (True, False)
    )
    best = 2 + 1 / 1.584962500721156
    assert graded == pytest.approx(1 / best)
    assert binary == pytest.approx(1 / (1 + 1 / 1.584962500721156))


def test_batches_and_concurrency_of_the_plan_reach_the_provider(saved):
    told = Told()
    carry_out(plan(saved, told, batch_size=2), Conduct(home=saved))
    assert told.asked == [["q0", "q1"], ["q2"]]


def test_who_watches_is_told(saved):
    seen = []
    carry_out(plan(saved, Told()), Conduct(home=saved, watch=lambda now: seen.append((now.name, now.n_done))))
    assert seen == [("same/told0", 3)]


def failing(query):
    raise ValueError("no")


def test_only_when_all_providers_fail_it_is_an_error(saved):
    with pytest.raises(ProviderError, match="same/told0: every query failed; q0: ValueError: no"):
        carry_out(plan(saved, Told(failing), Told(failing)), Conduct(home=saved))
    bad, good = carry_out(plan(saved, Told(failing), Told()), Conduct(home=saved))
    assert (is_total_failure(bad), is_total_failure(good)) == (True, False)
    assert (bad["mrr"], good["mrr"]) == (0.0, 1.0)


def test_only_what_failed_in_parts_that_did(saved):
    told, other = Told(), Told()
    only = {("same", "told0"): frozenset({"q2"})}
    (result,) = carry_out(plan(saved, told, other), Conduct(home=saved, only_failed=only))
    assert (told.asked, other.asked) == ([["q2"]], [])
    assert result.query_ids == ("q2",)
    with pytest.raises(NothingSelected, match="no query to ask again"):
        carry_out(plan(saved, told), Conduct(home=saved, only_failed={("else", "told0"): frozenset({"q2"})}))


def test_nothing_selected_leaves_the_log_of_before(saved):
    told = Told()
    carry_out(plan(saved, told), Conduct(home=saved, name="mine"))
    before = (saved / "runs" / "mine.log").read_bytes()
    with pytest.raises(NothingSelected):
        carry_out(plan(saved, told, selection=Selection(where={"no": ["tag"]})), Conduct(home=saved, name="mine"))
    assert (saved / "runs" / "mine.log").read_bytes() == before


def test_embeddings_are_kept_beside_the_logs_unless_told_not_to(saved):
    from assay.grammar import Param
    from assay.providers._provider import BoundProvider, Provider

    seen = []
    record = Provider("keeps", "", lambda cache: seen.append(cache) or Told(), (Param("cache", str, "", ""),))
    bound = BoundProvider(record, {"cache": ""})
    own = BoundProvider(record, {"cache": "mine"}, given=frozenset({"cache"}))
    for cache in (True, False):
        carry_out(replace(plan(saved, cache=cache), providers=(bound, own)), Conduct(home=saved))
    assert seen == [str(saved / "embeddings"), "mine", "", "mine"]


def test_what_is_kept_does_not_make_a_repository_look_changed(saved, tmp_path):
    home = tmp_path / "home"
    carry_out(plan(saved, Told()), Conduct(home=home))
    assert (home / ".gitignore").read_text() == "*\n"
