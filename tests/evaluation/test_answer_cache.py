"""Answers are kept by content: the same words, documents and configuration are not asked twice."""

import pytest

from assay import BenchmarkDataset, Document, Query
from assay.execution import Part, Progress, Response, collect_responses
from assay.execution.checkpoint import ResponseCache
from assay.grammar import mark_written
from assay.providers import parse_provider

ANSWERS = {"q1": Response("q1", ["a"], [2.0], 1.5), "q2": Response("q2", error="broken")}


def part(provider="bm25", k=10, texts=("cats", "dogs"), document="cats sleep"):
    queries = {f"q{number}": Query(f"q{number}", text) for number, text in enumerate(texts, 1)}
    dataset = BenchmarkDataset("d", queries=queries, documents={"a": Document("a", document)})
    return Part(dataset, parse_provider(mark_written(provider)), queries, k)


def kept(folder, **changes):
    """What is known afterwards, in a part that differs in some way."""
    ResponseCache(folder, part()).store(ANSWERS, {})
    return ResponseCache(folder, part(**changes)).known()


def test_what_was_answered_is_known(tmp_path):
    assert kept(tmp_path)["q1"] == ANSWERS["q1"]


def test_errors_are_never_kept(tmp_path):
    assert set(kept(tmp_path)) == {"q1"}


def test_the_words_decide_and_not_the_id(tmp_path):
    assert kept(tmp_path, texts=("dogs", "cats")) == {"q2": Response("q2", ["a"], [2.0], 1.5)}


@pytest.mark.parametrize("change", [{"k": 11}, {"provider": "bm25(k1=0.9)"}, {"document": "dogs sleep"}], ids=str)
def test_another_depth_configuration_or_document_is_another_question(tmp_path, change):
    assert kept(tmp_path, **change) == {}


def test_a_provider_that_may_change_is_asked_each_time(tmp_path):
    elsewhere = part(provider="http(url='http://127.0.0.1:9/')")
    ResponseCache(tmp_path, elsewhere).store(ANSWERS, {})
    assert ResponseCache(tmp_path, elsewhere).known() == {}
    assert not list(tmp_path.iterdir())


def test_what_is_known_is_not_written_again(tmp_path):
    kept(tmp_path)
    (file,) = tmp_path.glob("*.log")
    before = file.read_bytes()
    ResponseCache(tmp_path, part()).store(ANSWERS, {"q1": ANSWERS["q1"]})
    assert file.read_bytes() == before


def test_a_damaged_file_is_read_as_far_as_it_is_whole(tmp_path):
    kept(tmp_path)
    (file,) = tmp_path.glob("*.log")
    file.write_bytes(file.read_bytes()[:-3])
    assert ResponseCache(tmp_path, part()).known() == {}


def test_what_a_batch_shared_stays_a_share(tmp_path):
    ResponseCache(tmp_path, part()).store({"q1": Response("q1", ["a"], [2.0], 1.5, n_together=7)}, {})
    assert ResponseCache(tmp_path, part()).known()["q1"].n_together == 7


def test_an_answer_whose_time_nobody_knows_is_not_kept(tmp_path):
    """It was read from a result, and JSON has no word for such a time: what comes after it could not be read."""
    mixed = {"q1": Response("q1", ["x"], [1.0], float("nan")), "q2": Response("q2", ["a"], [2.0], 1.5)}
    ResponseCache(tmp_path, part()).store(mixed, {})
    assert ResponseCache(tmp_path, part()).known() == {"q2": mixed["q2"]}


def test_after_a_damage_it_is_written_on(tmp_path):
    kept(tmp_path)
    (file,) = tmp_path.glob("*.log")
    file.write_bytes(file.read_bytes()[:-3])
    ResponseCache(tmp_path, part()).store(ANSWERS, {})
    assert ResponseCache(tmp_path, part()).known() == {"q1": ANSWERS["q1"]}


def test_a_folder_that_cannot_be_written_costs_time_and_no_answer(tmp_path):
    (tmp_path / "file").write_text("")
    cache = ResponseCache(tmp_path / "file", part())
    cache.store(ANSWERS, {})
    assert cache.known() == {}


def twins(scopes=(None, None, None)):
    """Three queries, two of them with the same words."""
    texts = ("cats sleep", "dogs bark", "cats sleep")
    queries = {f"q{n}": Query(f"q{n}", text, scope=scope) for n, (text, scope) in enumerate(zip(texts, scopes, strict=True))}
    documents = {name: Document(name, text, group=name) for name, text in (("a", "cats sleep"), ("b", "dogs bark at cats"))}
    dataset = BenchmarkDataset("twins", queries=queries, documents=documents, qrels={q: {"a": 1.0} for q in queries})
    return Part(dataset, parse_provider(mark_written("bm25")), queries, 10, batch=3)


@pytest.mark.parametrize("scopes", [(None, None, None), ("a", "a", "b")], ids=["anywhere", "in scopes"])
def test_equal_words_in_one_batch_have_their_answers_whether_asked_or_known(tmp_path, scopes):
    one = twins(scopes)
    asked = collect_responses(one, {}, None, Progress(one.name, 3))
    ResponseCache(tmp_path, one).store(asked, {})
    known = ResponseCache(tmp_path, one).known()
    assert list(known) == ["q0", "q1", "q2"]
    assert {query: answer.ranking for query, answer in known.items()} == {
        query: answer.ranking for query, answer in asked.items()
    }
    assert (asked["q0"].docs == asked["q2"].docs) == (scopes[0] == scopes[2])
