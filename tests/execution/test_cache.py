"""The cache of responses: what computes here is not asked the same twice; a cache costs time, never an answer."""

from dataclasses import replace

import pytest

from assay import BenchmarkDataset, Document, Query
from assay.execution import ExecutionOptions, execute_plan, make_plan
from assay.providers import BoundProvider, Provider

from ._retrievers import AT_ONCE, Told, fallible

TEXTS = {"q1": "cats", "q2": "dogs"}


class Cached:
    """Evaluations that share a cache, and what is asked in each."""

    def __init__(self, folder):
        self.folder, self.told = folder, Told(lambda query: ["a"])

    def __call__(self, told=None, document="cats sleep", texts=TEXTS, k=10, k1=1.0, **how):
        told = told or self.told
        told.asked.clear()
        queries = {name: Query(name, text) for name, text in texts.items()}
        judged = {name: {"a": 1.0} for name in queries}
        BenchmarkDataset("d", queries=queries, documents={"a": Document("a", document)}, qrels=judged).save_json(
            self.folder / "d.json"
        )
        provider = BoundProvider(Provider("own", "", lambda k1: told, **{"is_repeatable": True, **how}), {"k1": k1})
        content = {"benchmarks": [str(self.folder / "d.json")], "providers": [provider], "metrics": ["mrr"], "k": k}
        plan = replace(make_plan(content), retry_policy=AT_ONCE)
        (self.result,) = execute_plan(plan, ExecutionOptions(home=self.folder))
        return [query for some in told.asked for query in some]

    @property
    def file(self):
        (file,) = (self.folder / "answers").glob("*.log")
        return file


@pytest.fixture
def asked(tmp_path):
    """The queries that an evaluation asks."""
    return Cached(tmp_path)


def test_what_was_answered_is_known(asked):
    assert asked() == ["q1", "q2"]
    first, before = asked.result, asked.file.read_bytes()
    assert asked() == []
    assert asked.result.run == first.run
    assert asked.result.provenance["latency_ms"] == first.provenance["latency_ms"]  # a share of a batch stays one
    assert asked(texts={"x": "dogs", "y": "cats"}) == []  # the words decide, and not the id
    assert asked.file.read_bytes() == before


def test_another_depth_configuration_or_document_is_another_question(asked):
    asked()
    for change in ({"k": 11}, {"k1": 2.0}, {"document": "dogs sleep"}):
        assert asked(**change) == ["q1", "q2"], change
    assert asked(texts={**TEXTS, "q3": "birds"}) == ["q3"]


def test_errors_and_answers_that_may_change_are_not_kept_and_damage_costs_no_answer(asked, tmp_path):
    odd, fails = fallible("q2")
    asked(odd)
    fails.clear()
    assert asked(odd) == ["q2"]
    asked.file.write_bytes(asked.file.read_bytes()[:-3])
    assert asked() == ["q2"]
    for _ in range(2):
        assert asked(is_repeatable=False) == ["q1", "q2"]
    asked.file.unlink()
    (tmp_path / "answers").rmdir()
    (tmp_path / "answers").write_text("")
    assert asked() == ["q1", "q2"]


def test_equal_words_have_their_answers_whether_asked_or_known(tmp_path):
    """Three queries, two of them with the same words, anywhere or in scopes."""
    documents = {name: Document(name, text, group=name) for name, text in (("a", "cats sleep"), ("b", "dogs bark at cats"))}
    texts = ("cats sleep", "dogs bark", "cats sleep")
    for scopes in ((None, None, None), ("a", "a", "b")):
        queries = {f"q{n}": Query(f"q{n}", text, scope=scopes[n]) for n, text in enumerate(texts)}
        qrels = {query: {"a": 1.0} for query in queries}
        BenchmarkDataset("twins", queries=queries, documents=documents, qrels=qrels).save_json(tmp_path / "t.json")
        content = {"benchmarks": [str(tmp_path / "t.json")], "providers": ["bm25"], "metrics": ["mrr"], "batch_size": 3}
        first, again = (execute_plan(make_plan(content), ExecutionOptions(home=tmp_path))[0] for _ in range(2))
        assert again.provenance["counts"]["cached"] == 3
        assert {query: dict(found) for query, found in first.run.items()} == {
            query: dict(found) for query, found in again.run.items()
        }
        assert (list(first.run["q0"]) == list(first.run["q2"])) == (scopes[0] == scopes[2]), scopes


def test_notes_on_queries_do_not_depend_on_the_cache(asked):
    def notes(queries, k1):
        return [f"{len(queries)} queries, k1={k1:g}."]

    for expected in (["q1", "q2"], []):
        assert asked(notes=notes) == expected
        assert "2 queries, k1=1." in asked.result.notes
