"""Answers: everything people return, everything that cannot be ranked, and what is said beside the hits."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BenchmarkDataset, Document, Hit, Query
from assay.errors import ProviderError
from assay.providers import PermanentFailure, ReportedHits, answers_from

AB = [Hit("a", 2.0), Hit("b", 1.0)]
QUERIES = [Query("q1", "x"), Query("q2", "y")]


def hits_from(answer, k=1000):
    """The hits that one answer stands for; what cannot be ranked is raised."""
    (hits,) = answers_from([answer], QUERIES[:1], k)
    if isinstance(hits, ProviderError):
        raise hits
    return hits


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict = field(default_factory=dict)
    id: str | None = None


SCORED = {
    "hits": AB,
    "hits out of order": AB[::-1],
    "tuples": [("a", 2.0), ("b", 1.0)],
    "NumPy scores": [("a", np.float32(2)), ("b", np.float32(1))],
    "a mapping": {"b": 1.0, "a": 2.0},
    "records": [{"id": "a", "score": 2}, {"id": "b", "score": 1}],
    "objects": [SimpleNamespace(id="a", score=2), SimpleNamespace(id="b", score=1)],
    "a generator": (pair for pair in [("a", 2.0), ("b", 1.0)]),
    "two arrays": (np.array(["a", "b"]), np.array([2.0, 1.0])),
    "records within": {"results": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]},
    "columns": {"ids": [["a", "b"]], "scores": [[2, 1]]},
}
UNSCORED = {
    "ids": ["a", "b"],
    "an array of ids": np.array(["a", "b"]),
    "records": [{"id": "a"}, {"id": "b"}],
    "scores that are null": [{"_id": "a", "_score": None}, {"_id": "b", "_score": None}],
}
OTHERS = [
    ([7, np.int64(8)], [Hit("7", 0.0), Hit("8", -1.0)]),
    (np.array([[3, 0.5], [1, 0.25]]), [Hit("3", 0.5), Hit("1", 0.25)]),
    ((np.array([[3, 1]]), np.array([[0.5, 0.25]])), [Hit("3", 0.5), Hit("1", 0.25)]),
    ([(LangChainDocument("x", {"doc_id": "a"}), 2.0)], [Hit("a", 2.0, "x", {"doc_id": "a"})]),
    ([(LangChainDocument("y", {}, "b"), 1.0)], [Hit("b", 1.0, "y", {})]),
    ([{"id": "a", "score": 1, "content": "x", "metadata": {"page": 3}}], [Hit("a", 1.0, "x", {"page": 3})]),
    ([("x", 1), ("c", 2), ("b", 2), ("a", 1)], [Hit("c", 2.0), Hit("b", 2.0), Hit("x", 1.0), Hit("a", 1.0)]),
    ([{"hpo_id": "HP:1", "score": 2}, {"hpo_id": "HP:2", "score": 1}], ["HP:1", "HP:2"]),
]
NOTHING = [[], (), {}, np.array([]), iter([]), {"hits": []}, {"ids": [[]], "distances": [[]]}]


def test_every_shape_of_answer():
    for name, answer in SCORED.items():
        assert hits_from(answer) == AB, name
    for name, answer in UNSCORED.items():
        assert hits_from(answer) == [Hit("a", 0.0), Hit("b", -1.0)], name
    for answer, expected in OTHERS:
        found = hits_from(answer)
        assert found == expected or [hit.doc_id for hit in found] == expected, answer
    assert [hits_from(answer) for answer in NOTHING] == [[]] * len(NOTHING)
    assert str(hits_from(["a"])[0].score) == "0.0"


@given(st.dictionaries(st.text(min_size=1), st.floats(allow_nan=False, allow_infinity=False)), st.integers(1, 20))
def test_all_shapes_give_the_same_hits_and_stay_as_they_are(ranking, k):
    pairs = list(ranking.items())
    expected = sorted((Hit(doc, score) for doc, score in pairs), key=lambda hit: -hit.score)[:k]
    assert hits_from(pairs, k) == expected
    assert hits_from([Hit(*pair) for pair in pairs], k) == expected
    assert hits_from([{"id": doc, "score": score} for doc, score in pairs], k) == expected
    assert hits_from(hits_from(pairs, k), k) == expected
    assert pairs == list(ranking.items())


NAN, INF = float("nan"), float("inf")
FAULTS = {
    "nothing returned": None,
    "text": "a",
    "a set": {"a"},
    "twice": ["a", "b", "a"],
    "nan": [("a", NAN)],
    "infinite": [Hit("a", INF)],
    "a score in words": [("a", "high")],
    "some scores": [("a", 1.0), ("b", None)],
    "a float as id": [(1.5, 2.0)],
    "no id": [{"title": "x"}],
    "an empty id": ["a", ""],
    "four in a row": [("a", 1, "t", 4)],
    "no list": {"took": "3 ms"},
    "distances first": (np.array([0.5, 0.2]), np.array([3, 1])),
    "uneven arrays": (np.array(["a"]), np.array([3.0, 1.0])),
    "a document without a term twice": [{"id": "a", "metadata": {"page": 1}}, {"id": "a", "metadata": {}}],
}


def test_what_cannot_be_ranked_is_final(snapshots):
    for name, answer in FAULTS.items():
        with pytest.raises(PermanentFailure):
            pytest.fail(f"{name}: {hits_from(answer)}")
    cases = {name: lambda answer=answer: hits_from(answer) for name, answer in FAULTS.items()}
    batches = {"too few": [[]], "none": None, "text": "ab"}
    cases |= {f"batch: {name}": lambda given=given: answers_from(given, QUERIES, 5) for name, given in batches.items()}
    snapshots.check_errors("providers/answers", cases)


def test_a_batch_in_order_or_by_id_and_errors_in_their_places():
    assert answers_from([["a"], []], QUERIES, 5) == [[Hit("a", 0.0)], []]
    assert answers_from({"q2": [], "q1": ["a"]}, QUERIES, 5) == [[Hit("a", 0.0)], []]
    twice, fine = answers_from([["a", "a"], ["b"]], QUERIES, 5)
    assert (isinstance(twice, PermanentFailure), fine) == (True, [Hit("b", 0.0)])
    _, missing = answers_from({"q1": []}, QUERIES, 5)
    own, raised = answers_from([ProviderError("sorry"), KeyError("x")], QUERIES, 5)
    assert (str(own), str(raised)) == ("sorry", "KeyError: 'x'")
    assert not any(isinstance(one, PermanentFailure) for one in (missing, own, raised)), "what was raised is not final"


def test_the_term_that_metadata_name_is_the_id_and_its_best_name_counts():
    """As Chroma answers about an index of names, several of which belong to one term."""
    terms = [{"hpo_id": f"HP:{number}"} for number in (1, 2, 1)]
    found = hits_from({"ids": [["x1", "x2", "x3"]], "metadatas": [terms], "distances": [[0.3, 0.2, 0.1]]})
    assert [(hit.doc_id, hit.score) for hit in found] == [("HP:1", -0.1), ("HP:2", -0.2)]


def test_hits_bring_along_what_is_said_of_the_query():
    for answer, fields in (
        ({"hits": [{"id": "d", "score": 1.0}], "answer": "Paris", "confidence": 0.5, "took": 3}, ("answer", "confidence")),
        ({"hits": ["a", "b", "c"], "answer": None, "abstained": True}, ("answer", "abstained")),
        ({"hits": [], "answer": "by heart"}, ("answer",)),
    ):
        once = hits_from(answer)
        again = hits_from(once, 2)
        assert isinstance(again, ReportedHits), answer
        assert once.fields == again.fields == {name: answer[name] for name in fields}, answer
        assert len(again) == min(2, len(answer["hits"]))
    for answer in (["a"], {"hits": ["a"]}, {"hits": ["a"], "response": {"docs": []}}, {"answer": 2.0, "d": 1.0}):
        assert type(hits_from(answer)) is list, answer


def test_it_reaches_the_result_of_an_evaluation():
    dataset = BenchmarkDataset(
        "small", queries={"q": Query("q", "cats")}, documents={"d": Document("d")}, qrels={"q": {"d": 1}}
    )
    result = assay.run(dataset, lambda text, k: {"results": ["d"], "answer": f"about {text}"}, "mrr")
    assert result.said == {"q": {"answer": "about cats"}}
