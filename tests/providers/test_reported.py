"""Reported fields: what retrievers say beside their hits reaches whoever asks."""

import shlex
import sys

import pytest

from assay.execution.client import RetrieverClient
from assay.model.records import Hit, Query
from assay.providers import adapt
from assay.providers.catalog.command import CommandRetriever
from assay.providers.catalog.python import FunctionRetriever
from assay.providers.responses import hits_from
from assay.providers.retriever import ReportedHits, reported_fields

from ._service import serving
from ._written import parse_provider


def test_hits_bring_along_what_is_said_of_the_query():
    found = hits_from({"hits": [{"id": "d", "score": 1.0}], "answer": "Paris", "confidence": 0.5, "took": 3}, 5)
    assert found == [Hit("d", 1.0)]
    assert isinstance(found, ReportedHits)
    assert found.fields == {"answer": "Paris", "confidence": 0.5}


def test_and_still_do_when_read_again_and_cut():
    once = hits_from({"hits": ["a", "b", "c"], "answer": None, "abstained": True})
    again = hits_from(once, 2)
    assert [hit.doc_id for hit in again] == ["a", "b"]
    assert reported_fields(again) == {"answer": None, "abstained": True}


@pytest.mark.parametrize(
    "plain",
    [["a", "b"], {"hits": ["a"]}, {"hits": ["a"], "response": {"docs": []}}, {"answer": 2.0, "d": 1.0}],
    ids=["a list", "no more than hits", "a container", "documents with scores"],
)
def test_where_nothing_is_said_hits_are_a_plain_list(plain):
    assert type(hits_from(plain)) is list


def test_an_answer_may_come_without_a_hit():
    found = hits_from({"hits": [], "answer": "I know it by heart"})
    assert found == []
    assert reported_fields(found) == {"answer": "I know it by heart"}


def test_it_reaches_the_answer_of_an_evaluation():
    retriever = FunctionRetriever("f", lambda query: {"results": ["d1"], "answer": f"about {query}"})
    (answer,) = RetrieverClient(adapt(retriever)).search([Query("q", "cats")], 5)
    assert answer.said == {"answer": "about cats"}
    assert answer.docs == ["d1"]


def test_services_report_it_beside_their_hits():
    with serving(lambda asked, _: {"results": [{"id": "d1", "score": 1}], "answer": "Paris", "took": 3}) as service:
        retriever = parse_provider(f"http(url='{service.url}')").make()
        (found,) = retriever.search([Query("q", "capital")], 5)
        retriever.close()
    assert found == [Hit("d1", 1.0)]
    assert reported_fields(found) == {"answer": "Paris"}


def test_programs_report_it_beside_their_hits(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    query = json.loads(line)\n"
        "    print(json.dumps({'id': query['id'], 'hits': ['d1'], 'answer': 'Paris', 'confidence': 0.5}), flush=True)\n"
    )
    retriever = CommandRetriever(f"{shlex.quote(sys.executable)} -S {shlex.quote(str(file))}", index=False, timeout=5.0)
    (found,) = retriever.search([Query("q", "capital")], 5)
    retriever.close()
    assert reported_fields(found) == {"answer": "Paris", "confidence": 0.5}
