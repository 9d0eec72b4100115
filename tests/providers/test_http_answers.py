"""http: every shape of answer is understood, or explained."""

from __future__ import annotations

import json

import pytest

from assay.model.records import Hit

from ._asking import ask, failing

ANSWERS = {
    "a list": [{"id": "a", "score": 2}, {"id": "b", "score": 1}],
    "ids": {"hits": ["a", "b"]},
    "pairs": {"data": [["a", 2], ["b", 1]]},
    "elastic": {"hits": {"n": 2, "hits": [{"_id": "a", "_score": 2, "_source": {"text": "x"}}, {"_id": "b", "_score": 1}]}},
    "chroma": {"ids": [["a", "b"]], "distances": [[0.5, 0.7]], "metadatas": [[{"x": 1}, None]], "documents": None},
    "qdrant": {"result": {"points": [{"id": "a", "score": 2, "payload": {"text": "x"}}, {"id": "b", "score": 1}]}},
    "solr": {"response": {"docs": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]}},
    "pinecone": {"matches": [{"id": "a", "score": 2, "metadata": {}}, {"id": "b", "score": 1}]},
    "distances": {"results": [{"id": "b", "distance": 0.9}, {"id": "a", "distance": 0.1}]},
    "ids in metadata": {"documents": [{"text": "x", "metadata": {"id": "a"}}, {"text": "y", "metadata": {"id": "b"}}]},
    "out of order": {"results": [{"id": "b", "score": 1}, {"id": "a", "score": 2}]},
}  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_usual_answers_are_understood(answer):
    hits, _ = ask(lambda *_: answer)
    assert [hit.doc_id for hit in hits] == ["a", "b"]
    assert hits[0].score > hits[1].score


def test_texts_and_metadata_are_kept():
    hits, _ = ask(lambda *_: ANSWERS["elastic"])
    assert hits[0] == Hit("a", 2.0, "x", {"text": "x"})
    hits, _ = ask(lambda *_: ANSWERS["chroma"])
    assert hits == [Hit("a", -0.5, None, {"x": 1}), Hit("b", -0.7)]


def test_paths():
    answer = {"data": {"results": [{"docs": [{"m": {"n": 7}, "s": [0.5], "t": "words"}, {"m": {"n": 8}, "s": [0.9]}]}]}}
    hits, _ = ask(lambda *_: answer, results="data.results[0].docs", id="m.n", score="s[0]", text="t")
    assert hits == [Hit("8", 0.9), Hit("7", 0.5, "words")]


def test_groups_run_together_and_distances_are_negated():
    answer = {"groups": [{"docs": [{"id": "a", "l2_distance": 3}]}, {"docs": [{"id": "b", "l2_distance": 1}]}]}
    hits, _ = ask(lambda *_: answer, results="groups[*].docs", score="l2_distance")
    assert hits == [Hit("b", -1.0), Hit("a", -3.0)]


def test_an_id_inside_the_columns_of_chroma():
    answer = {"answer": {"ids": [["x", "y"]], "distances": [[1, 2]], "metadatas": [[{"src": "a"}, {"src": "b"}]]}}
    hits, _ = ask(lambda *_: answer, results="answer", id="metadata.src")
    assert [hit.doc_id for hit in hits] == ["a", "b"]


def test_no_hits_are_fine_and_more_than_k_are_cut():
    assert ask(lambda *_: {"results": []})[0] == []
    assert ask(lambda *_: list("abc"), k=2)[0] == [Hit("a", 0.0), Hit("b", -1.0)]


WRONG = {
    "no list": ({"took": 3, "total": 0}, {}, "set results= (the answer has took total)"),
    "nothing": ({}, {}, "the answer has nothing in it"),
    "a number": (3, {}, "expected a list of hits, found 3"),
    "a path that is not there": ({"hits": {"took": 1}}, {"results": "hits.hits"}, "there is no hits.hits: hits has took"),
    "a path into a list": ({"hits": []}, {"results": "hits.hits"}, "hits is no object but []"),
    "a place that is not there": ({"r": []}, {"results": "r[0].docs"}, "there is no r[0].docs: r has 0 entries"),
    "a path to text": ({"hits": "none"}, {"results": "hits"}, "expected a list of hits at hits, found 'none'"),
    "no id": ({"hits": [{"title": "x"}]}, {}, "hit 1 has no id: it has title"),
    "no id at the path": ({"hits": [{"id": 1}]}, {"id": "m.id"}, "hit 1: there is no m.id: it has id"),
    "no score at the path": ({"hits": [{"id": 1}]}, {"score": "s"}, "hit 1: there is no s: it has id"),
    "an id that is an object": ({"hits": [{"id": 1, "x": {}}]}, {"id": "x"}, "hit 1: an id is text or a whole number"),
    "a score that is text": ({"hits": [{"id": "a", "score": "high"}]}, {}, "the score of document a is 'high'"),
    "a score that is none": ({"hits": [{"id": "a", "score": float("nan")}]}, {}, "the score of document a is nan"),
    "twice": ({"hits": ["a", "b", "a"]}, {}, "document a comes twice"),
    "some scores": ({"hits": [{"id": "a", "score": 1}, {"id": "b"}]}, {}, "some hits have a score, b has none"),
    "several queries": ({"ids": [["a"], ["b"]]}, {}, "expected the hits of one query"),
    "uneven columns": ({"ids": [["a", "b"]], "distances": [[1]]}, {}, "differ in length"),
    "null": (None, {"path": "?null"}, "found None"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "settings", "message"), WRONG.values(), ids=WRONG)
def test_wrong_answers_are_explained(answer, settings, message):
    def script(_, handler):
        handler.say(200, json.dumps(answer).encode())

    error = failing(script, **settings)
    assert message in str(error)
    assert str(error).startswith("http://127.0.0.1")
