"""llamaindex, with stand-ins; tests/providers/adapters has the real package."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from assay.errors import ProviderError
from assay.model.records import Hit, Query

from ._stand_ins import Record
from ._written import parse_provider


def node(n, score=None):
    inner = Record(node_id=f"n{n}", ref_doc_id=f"d{n // 2}", metadata={"page": n}, get_content=lambda: f"text {n}")
    return Record(node=inner, score=score)


class Retriever:
    similarity_top_k = 2

    def retrieve(self, query):
        assert getattr(query, "query_str", query) == "a"
        return [node(n, 1 - n / 10) for n in range(self.similarity_top_k)]


class Engine:
    """A query engine: a retriever, and a reranker that keeps two."""

    def __init__(self, retriever):
        self._retriever = retriever

    def retrieve(self, query):
        return self._retriever.retrieve(query)[::-1][:2]


@pytest.fixture
def app(monkeypatch):
    module = ModuleType("llamaindex_app")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.retriever, module.engine = Retriever(), Engine(Retriever())
    module.index = Record(as_retriever=lambda similarity_top_k: Record(retrieve=lambda query: _unscored(similarity_top_k)))
    module.later = Record(aretrieve=_aretrieve)
    module.wrong = Record(retrieve=lambda query: "words")
    module.texts = Record(retrieve=lambda query: ["words"])
    return module


def _unscored(k):
    return [Record(node=Record(node_id=n, text="t", metadata=None)) for n in range(k)]


async def _aretrieve(query):
    return [node(0)]


def search(name, k=3, settings=""):
    return parse_provider(f"llamaindex(retriever='llamaindex_app:{name}'{settings})").make().search([Query("q", "a")], k)[0]


def test_a_retriever_is_told_k_and_stays_as_it_is(app):
    assert [hit.doc_id for hit in search("retriever", 4)] == ["n0", "n1", "n2", "n3"]
    assert app.retriever.similarity_top_k == 2
    metadata = {"page": 0, "ref_doc_id": "d0", "chunk_id": "n0", "doc_id": "d0"}
    assert search("retriever", 1) == [Hit("n0", 1.0, "text 0", metadata)]


def test_documents_are_those_that_nodes_were_cut_from(app):
    assert [hit.doc_id for hit in search("retriever", 3, ", unit=document")] == ["d0", "d1", "d2"]


def test_what_an_engine_chooses_from_is_raised_but_not_lowered(app):
    assert [hit.doc_id for hit in search("engine", 5)] == ["n4", "n3"]
    assert [hit.doc_id for hit in search("engine", 1)] == ["n1"]
    assert app.engine._retriever.similarity_top_k == 2


def test_an_index_and_a_coroutine(app):
    assert [(hit.doc_id, hit.score) for hit in search("index", 2)] == [("0", 0.0), ("1", -1.0)]
    assert [hit.doc_id for hit in search("later")] == ["n0"]


@pytest.mark.parametrize(("name", "message"), [("wrong", "expected a list of nodes"), ("texts", "nodes with node_id")])
def test_answers_that_are_no_nodes(app, name, message):
    with pytest.raises(ProviderError, match=message):
        search(name)


def test_what_cannot_work_is_known_before(app):
    parse_provider("llamaindex:llamaindex_app:index").check()
    with pytest.raises(ProviderError, match="is no retriever of LlamaIndex"):
        parse_provider("llamaindex:llamaindex_app:__name__").check()
