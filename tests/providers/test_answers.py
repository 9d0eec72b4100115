"""Answers: everything people return, and everything that cannot be ranked."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ProviderError
from assay.model.records import Hit, Query
from assay.providers.responses import answers_from, hits_from
from assay.providers.retriever import PermanentFailure

AB = [Hit("a", 2.0), Hit("b", 1.0)]
RANKED = [Hit("a", 0.0), Hit("b", -1.0)]


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict = field(default_factory=dict)
    id: str | None = None


SCORED = {
    "hits": AB,
    "hits out of order": AB[::-1],
    "hits with whole scores": [Hit("a", 2), Hit("b", 1)],
    "tuples": [("a", 2.0), ("b", 1.0)],
    "lists": [["a", 2], ["b", 1]],
    "NumPy scores": [("a", np.float32(2)), ("b", np.float32(1))],
    "a mapping": {"b": 1.0, "a": 2.0},
    "its items": {"b": 1.0, "a": 2.0}.items(),
    "records": [{"id": "a", "score": 2}, {"id": "b", "score": 1}],
    "records of another kind": [{"doc_id": "a", "similarity": 2}, {"doc_id": "b", "similarity": 1}],
    "objects": [SimpleNamespace(id="a", score=2), SimpleNamespace(id="b", score=1)],
    "a generator": (pair for pair in [("a", 2.0), ("b", 1.0)]),
    "a tuple": (("a", 2.0), ("b", 1.0)),
    "an array of objects": np.array([["a", 2.0], ["b", 1.0]], dtype=object),
    "two arrays": (np.array(["a", "b"]), np.array([2.0, 1.0])),
    "two arrays in two dimensions": (np.array([["a", "b"]]), np.array([[2.0, 1.0]])),
    "records within": {"results": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]},
    "columns": {"ids": [["a", "b"]], "scores": [[2, 1]]},
}

UNSCORED = {
    "ids": ["a", "b"],
    "an array of ids": np.array(["a", "b"]),
    "keys": {"a": 1, "b": 2}.keys(),
    "records": [{"id": "a"}, {"id": "b"}],
    "scores that are null": [{"_id": "a", "_score": None}, {"_id": "b", "_score": None}],
    "pairs without": [("a", None), ("b", None)],
}


@pytest.mark.parametrize("answer", SCORED.values(), ids=SCORED)
def test_what_has_scores(answer):
    assert hits_from(answer) == AB


@pytest.mark.parametrize("answer", UNSCORED.values(), ids=UNSCORED)
def test_what_is_ranked_without_scores(answer):
    assert hits_from(answer) == RANKED


def test_numbers_as_ids():
    assert [hit.doc_id for hit in hits_from([7, np.int64(8)])] == ["7", "8"]
    assert [hit.doc_id for hit in hits_from(np.array([3, 1]))] == ["3", "1"]
    assert hits_from(np.array([[3, 0.5], [1, 0.25]])) == [Hit("3", 0.5), Hit("1", 0.25)]
    assert hits_from((np.array([[3, 1]]), np.array([[0.5, 0.25]]))) == [Hit("3", 0.5), Hit("1", 0.25)]


def test_documents_with_scores_as_langchain_gives_them():
    answer = [(LangChainDocument("x", {"doc_id": "a"}), 2.0), (LangChainDocument("y", {}, "b"), 1.0)]
    assert hits_from(answer) == [Hit("a", 2.0, "x", {"doc_id": "a"}), Hit("b", 1.0, "y", {})]


def test_texts_and_metadata():
    assert hits_from([{"id": "a", "score": 1, "content": "x", "metadata": {"page": 3}}]) == [Hit("a", 1.0, "x", {"page": 3})]
    assert hits_from([("a", 1.0, "words")]) == [Hit("a", 1.0, "words")]


@pytest.mark.parametrize("nothing", [[], (), {}, np.array([]), iter([]), {"hits": []}, {"ids": [[]], "distances": [[]]}])
def test_nothing_is_an_answer(nothing):
    assert hits_from(nothing) == []


def test_more_than_k_are_cut_after_sorting():
    assert hits_from([("b", 1.0), ("a", 2.0)], 1) == [Hit("a", 2.0)]
    assert hits_from(["a", "b"], 1) == [Hit("a", 0.0)]
    assert hits_from(AB, 1) == AB[:1]


def test_equal_scores_stay_in_the_order_given():
    assert [hit.doc_id for hit in hits_from([("x", 1), ("c", 2), ("b", 2), ("a", 1)])] == ["c", "b", "x", "a"]


def test_zero_is_not_negative():
    assert str(hits_from(["a"])[0].score) == "0.0"


FAULTS = {
    "nothing returned": (None, "expected a list of hits, (id, score) pairs or ids, found None"),
    "text": ("a", "found 'a'"),
    "a set": ({"a", "b"}, "found {"),
    "a hit alone": (Hit("a"), "found Hit("),
    "twice": (["a", "b", "a"], "document a comes twice"),
    "hits twice": ([Hit("a", 2.0), Hit("a", 1.0)], "document a comes twice"),
    "7 and '7'": ([7, "7"], "document 7 comes twice"),
    "nan": ([("a", float("nan"))], "the score of document a is nan"),
    "a hit with nan": ([Hit("a", float("nan"))], "the score of document a is nan"),
    "nan among hits": ([Hit("a", 3.0), Hit("b", float("nan")), Hit("c", 1.0)], "the score of document b is nan"),
    "infinite": ([Hit("a", float("inf"))], "is inf; only a finite number"),
    "minus infinity": ([Hit("a", 1.0), Hit("b", float("-inf"))], "is -inf; only a finite number"),
    "a score in words": ([("a", "high")], "the score of document a is 'high'"),
    "some scores": ([("a", 1.0), ("b", None)], "some hits have a score, b has none"),
    "a float as id": ([(1.5, 2.0)], "hit 1"),
    "none as id": ([Hit(None, 1.0)], "hit 1: an id is text or a whole number, not None"),
    "true as id": ([True], "hit 1: an id is text or a whole number"),
    "no id": ([{"title": "x"}], "hit 1 has no id: it has title"),
    "an empty id": (["a", ""], "hit 2: the id is empty"),
    "a hit with an empty id": ([Hit("", 1.0)], "hit 1: the id is empty"),
    "four in a row": ([("a", 1, "t", 4)], "hit 1: expected an id and a score"),
    "no list": ({"took": "3 ms"}, "no list of hits is in the answer, which has took"),
    "a cube": (np.zeros((2, 2, 2)), "shape (2, 2, 2)"),
    "distances first": ((np.array([0.5, 0.2]), np.array([3, 1])), "expected ids and scores"),
    "uneven arrays": ((np.array(["a"]), np.array([3.0, 1.0])), "of equal length"),
}


@pytest.mark.parametrize(("answer", "message"), FAULTS.values(), ids=FAULTS)
def test_faults_are_explained(answer, message):
    with pytest.raises(ProviderError) as caught:
        hits_from(answer)
    assert message in str(caught.value)


def test_a_frame_is_no_list_of_its_columns():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ProviderError, match="expected a list of hits"):
        hits_from(pandas.DataFrame({"id": ["a"], "score": [1.0]}))


@given(st.dictionaries(st.text(min_size=1), st.floats(allow_nan=False, allow_infinity=False)), st.integers(1, 20))
def test_all_shapes_give_the_same_hits(ranking, k):
    pairs = list(ranking.items())
    expected = sorted((Hit(doc, score) for doc, score in pairs), key=lambda hit: -hit.score)[:k]
    assert hits_from(pairs, k) == expected
    assert hits_from([Hit(*pair) for pair in pairs], k) == expected
    assert hits_from([{"id": doc, "score": score} for doc, score in pairs], k) == expected
    assert hits_from(hits_from(pairs, k), k) == expected


def test_what_is_given_is_not_changed():
    given = [("b", 1.0), ("a", 2.0)]
    hits_from(given, 1)
    assert given == [("b", 1.0), ("a", 2.0)]


# Batches

QUERIES = [Query("q1", "x"), Query("q2", "y")]


def test_a_batch_in_order_or_by_id():
    assert answers_from([["a"], []], QUERIES, 5) == [[Hit("a", 0.0)], []]
    assert answers_from({"q2": [], "q1": ["a"]}, QUERIES, 5) == [[Hit("a", 0.0)], []]


def test_a_bad_answer_is_an_error_in_its_place():
    first, second = answers_from([["a", "a"], ["b"]], QUERIES, 5)
    assert isinstance(first, ProviderError)
    assert second == [Hit("b", 0.0)]
    _, missing = answers_from({"q1": []}, QUERIES, 5)
    assert str(missing) == "the query was not answered"


def test_an_error_in_place_of_hits():
    own, other = answers_from([ProviderError("sorry"), KeyError("x")], QUERIES, 5)
    assert str(own) == "sorry"
    assert str(other) == "KeyError: 'x'"
    with pytest.raises(ProviderError, match="sorry"):
        hits_from(own)


@pytest.mark.parametrize(
    ("answers", "message"), [([[]], "given 2 queries and returned 1"), (None, "one answer per query"), ("ab", "one answer")]
)
def test_what_is_no_batch(answers, message):
    with pytest.raises(ProviderError, match=message):
        answers_from(answers, QUERIES, 5)


def test_what_cannot_be_read_is_final_and_what_was_raised_is_not():
    queries = [Query("q1"), Query("q2"), Query("q3")]
    answers = answers_from([["a", "a"], [("a", float("nan"))], OSError("gone")], queries, 3)
    assert [isinstance(one, PermanentFailure) for one in answers] == [True, True, False]
    (unanswered,) = answers_from({}, queries[:1], 3)
    assert not isinstance(unanswered, PermanentFailure)
    with pytest.raises(PermanentFailure):
        answers_from([["a"]], queries, 3)


CHROMA = {
    "ids": [["x1", "x2", "x3"]],
    "metadatas": [[{"hpo_id": "HP:0001250"}, {"hpo_id": "HP:0002197"}, {"hpo_id": "HP:0001250"}]],
    "distances": [[0.3, 0.2, 0.1]],
}
"""As Chroma answers about an index of names, several of which belong to one term."""


def test_the_term_that_metadata_name_is_the_id_and_its_best_name_counts():
    hits = hits_from(CHROMA)
    assert [(hit.doc_id, hit.score) for hit in hits] == [("HP:0001250", -0.1), ("HP:0002197", -0.2)]
    assert [hit.doc_id for hit in hits_from([{"hpo_id": "HP:1", "score": 2}, {"hpo_id": "HP:2", "score": 1}])] == [
        "HP:1",
        "HP:2",
    ]


def test_a_document_without_a_term_still_comes_once():
    with pytest.raises(PermanentFailure, match="document a comes twice"):
        hits_from([{"id": "a", "metadata": {"page": 1}}, {"id": "a", "metadata": {}}])
