"""langchain, with stand-ins; tests/providers/adapters has the real package."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from assay.errors import ProviderError
from assay.model.records import Hit, Query

from ._stand_ins import Record
from ._written import parse_provider

DOCUMENTS = [Record(page_content=f"text {n}", id=f"c{n}", metadata={"doc_id": f"d{n // 2}"}) for n in range(6)]


class Retriever:
    """As a retriever of a vector store is: k stands in its search_kwargs."""

    search_type = "mmr"

    def __init__(self):
        self.search_kwargs = {"fetch_k": 3, "filter": "x"}

    def invoke(self, text):
        assert isinstance(text, str)
        assert self.search_kwargs["filter"] == "x"
        assert self.search_kwargs["fetch_k"] >= self.search_kwargs["k"]
        return DOCUMENTS[: self.search_kwargs["k"]]


class Store:
    def similarity_search_with_score(self, text, k=4):
        return [(document, place / 10) for place, document in enumerate(DOCUMENTS[:k])]


class LaterStore:
    def similarity_search_with_score(self, text, k=4):
        raise NotImplementedError

    async def asimilarity_search_with_score(self, text, k=4):
        return [(document, 1 - place / 10) for place, document in enumerate(DOCUMENTS[:k])]


@pytest.fixture
def app(monkeypatch):
    module = ModuleType("langchain_app")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.retriever, module.store, module.later = Retriever(), Store(), LaterStore()
    module.chain = Record(invoke=lambda text: {"input": text, "context": DOCUMENTS[:2], "answer": "…"})
    module.asynchronous = Record(ainvoke=_ainvoke)
    module.wrong = Record(invoke=lambda text: "an answer in words")
    module.texts = Record(invoke=lambda text: ["one", "two"])
    module.lost = Record(invoke=lambda text: {"answer": "…"})
    return module


async def _ainvoke(text):
    return DOCUMENTS[:3]


def search(name, k=3, settings=""):
    return parse_provider(f"langchain(retriever='langchain_app:{name}'{settings})").make().search([Query("q", "a")], k)[0]


def test_a_retriever_is_told_k_and_stays_as_it_is(app):
    assert [hit.doc_id for hit in search("retriever", 5)] == ["c0", "c1", "c2", "c3", "c4"]
    assert app.retriever.search_kwargs == {"fetch_k": 3, "filter": "x"}
    assert search("retriever", 1) == [Hit("c0", 0.0, "text 0", {"doc_id": "d0", "chunk_id": "c0"})]


def test_documents_by_their_best_chunk(app):
    assert [hit.doc_id for hit in search("retriever", 3, ", unit=document")] == ["d0", "d1", "d2"]


def test_scores_of_a_store_rise_or_fall(app):
    assert [(hit.doc_id, hit.score) for hit in search("store", 2)] == [("c0", -0.0), ("c1", -0.1)]
    assert [(hit.doc_id, hit.score) for hit in search("later", 2)] == [("c0", 1.0), ("c1", 0.9)]


def test_chains_and_coroutines(app):
    assert [hit.doc_id for hit in search("chain")] == ["c0", "c1"]
    assert [hit.doc_id for hit in search("asynchronous", 2)] == ["c0", "c1"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrong", "langchain:langchain_app:wrong: expected a list of documents, found 'an answer in words'"),
        ("texts", "expected documents with page_content, found 'one'"),
        ("lost", "no list of documents is in the answer, which has answer"),
    ],
)
def test_answers_that_are_no_documents(app, name, message):
    with pytest.raises(ProviderError, match=message):
        search(name)


def test_what_cannot_work_is_known_before(app):
    parse_provider("langchain:langchain_app:retriever").check()
    app.number = 3
    with pytest.raises(ProviderError, match="is no retriever of LangChain: expected an object with invoke or ainvoke"):
        parse_provider("langchain:langchain_app:number").check()
    with pytest.raises(ProviderError, match="there is no module langchain_gone"):
        parse_provider("langchain:langchain_gone:retriever").check()


def test_the_short_form_is_the_name():
    bound = parse_provider("langchain:my_app:retriever")
    assert bound.name == "langchain:my_app:retriever"
    assert bound.configuration["unit"] == "chunk"
    assert not bound.heeds_scope
