"""replay: what the file says, and nothing else."""

from __future__ import annotations

import json

import pytest

import assay.datasets  # noqa: F401 (teaches runs to read files)
from assay.errors import BadParameter, DataError
from assay.model.records import Hit, Query
from assay.providers.catalog.baselines import ReplayRetriever
from assay.providers.retriever import PermanentFailure

from ._written import parse_provider

TREC = "q1 Q0 a 1 3.5 bm25\nq1 Q0 b 2 1.5 bm25\nq2 Q0 c 1 2 bm25\n"


def replayed(tmp_path, content=TREC, name="bm25.run"):
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    return ReplayRetriever(str(file))


def asked(retriever, *queries, k=10):
    return retriever.search([Query(query) for query in queries], k)


def test_the_ranking_of_the_file(tmp_path):
    assert asked(replayed(tmp_path), "q2", "q1") == [[Hit("c", 2.0)], [Hit("a", 3.5), Hit("b", 1.5)]]


def test_at_most_k(tmp_path):
    assert asked(replayed(tmp_path), "q1", k=1) == [[Hit("a", 3.5)]]


def test_a_query_that_the_file_lacks_has_failed_and_others_have_not(tmp_path):
    first, missing = asked(replayed(tmp_path), "q2", "nobody")
    assert first == [Hit("c", 2.0)]
    assert isinstance(missing, PermanentFailure)
    assert str(missing).startswith("not in ")
    assert str(missing).endswith("bm25.run")


def test_the_order_is_that_of_the_scores_and_equals_stay(tmp_path):
    content = "".join(f"q Q0 {doc} 0 {score} t\n" for doc, score in [("x", 1), ("a", 2), ("c", 1), ("b", 2)])
    retriever = replayed(tmp_path, content)
    assert [hit.doc_id for hit in asked(retriever, "q")[0]] == ["a", "b", "x", "c"]
    assert [hit.doc_id for hit in asked(retriever, "q", k=1)[0]] == ["b"], "at the cut, ids decide as in every run"
    assert [hit.doc_id for hit in asked(retriever, "q", k=3)[0]] == ["a", "b", "x"]


def test_other_formats(tmp_path):
    content = json.dumps({"q1": {"a": 3.5, "b": 1.5}})
    assert asked(replayed(tmp_path, content, "run.json"), "q1") == [[Hit("a", 3.5), Hit("b", 1.5)]]


def test_faults_of_the_file_name_their_line(tmp_path):
    with pytest.raises(DataError, match=r"bm25\.run:1: "):
        replayed(tmp_path, "q1 Q0 a 1 high t\n")
    with pytest.raises(DataError, match=r"no-such\.run"):
        ReplayRetriever(str(tmp_path / "no-such.run"))


def test_names(tmp_path):
    assert parse_provider("replay(run='my runs/bm25.run')").name == "replay:my runs/bm25.run"
    assert parse_provider("replay:bm25.run") == parse_provider("replay(file=bm25.run)")
    with pytest.raises(BadParameter, match="replay needs run"):
        parse_provider("replay")
