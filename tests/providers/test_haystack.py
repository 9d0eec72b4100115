"""haystack, with stand-ins; tests/providers/adapters has the real package."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from assay.errors import ProviderError
from assay.model.records import Hit, Query

from ._stand_ins import Record
from ._written import parse_provider

DOCUMENTS = [Record(id=f"c{n}", content=f"text {n}", meta={"source_id": f"d{n // 2}"}, score=1 - n / 10) for n in range(6)]
TEXT, MORE = {"is_mandatory": True}, {"is_mandatory": False}


class Pipeline:
    """An embedder, a retriever, and perhaps a prompt behind it."""

    def __init__(self, goes_on=False, **inputs):
        self.goes_on = goes_on
        self.sockets = {"embedder": {"text": TEXT}, "retriever": {"filters": MORE, "top_k": MORE}, **inputs}

    def inputs(self):
        return self.sockets

    def outputs(self):
        return {"prompt": {"prompt": {}}} if self.goes_on else {"retriever": {"documents": {}}}

    def run(self, data, include_outputs_from):
        assert data["embedder"] == {"text": "a"}
        assert include_outputs_from == {"retriever"}
        return {"retriever": {"documents": DOCUMENTS[: data["retriever"]["top_k"]]}, "prompt": {"prompt": str(data)}}


def by_text(query, filters=None, top_k=None):
    return {"documents": DOCUMENTS[:top_k]}


def by_vector(query_embedding):
    assert query_embedding == [1.0, 2.0]
    return {"documents": DOCUMENTS[:4]}


async def later(query, top_k):
    return {"documents": DOCUMENTS[:top_k]}


@pytest.fixture
def app(monkeypatch):
    module = ModuleType("haystack_app")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.pipeline, module.prompting = Pipeline(), Pipeline(goes_on=True, prompt={"question": TEXT})
    module.demanding, module.deaf = Pipeline(x={"user": TEXT}), Pipeline(embedder={}, retriever={"top_k": MORE})
    module.by_text, module.by_vector, module.later = Record(run=by_text), Record(run=by_vector), Record(run_async=later)
    module.other = Record(run=lambda words: None)
    module.wrong, module.texts = Record(run=lambda query: []), Record(run=lambda query: {"documents": ["text"]})
    module.embed = lambda text: [1.0, 2.0]
    return module


def search(name, k=3, settings=""):
    return parse_provider(f"haystack(pipeline='haystack_app:{name}'{settings})").make().search([Query("q", "a")], k)[0]


def test_a_pipeline_is_told_k_where_its_documents_come_out(app):
    assert [hit.doc_id for hit in search("pipeline", 4)] == ["c0", "c1", "c2", "c3"]
    metadata = {"source_id": "d0", "chunk_id": "c0", "doc_id": "d0"}
    assert search("pipeline", 1) == [Hit("c0", 1.0, "text 0", metadata)]
    assert [hit.doc_id for hit in search("pipeline", 3, ", unit=document")] == ["d0", "d1", "d2"]


def test_a_pipeline_that_goes_on_says_which_documents_count(app):
    with pytest.raises(ProviderError, match=r"none does; set component= \(one of embedder retriever prompt\)"):
        search("prompting")
    assert [hit.doc_id for hit in search("prompting", 1, ", component=retriever")] == ["c0"]


def test_components_by_themselves(app):
    assert [hit.doc_id for hit in search("by_text", 2)] == ["c0", "c1"]
    assert [hit.doc_id for hit in search("later", 2)] == ["c0", "c1"]
    assert [hit.doc_id for hit in search("by_vector", 2, ", embed=haystack_app:embed")] == ["c0", "c1"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("demanding", "must be run with a query alone, called query or text or question; it needs x.user"),
        ("deaf", "it takes none"),
        ("by_vector", "takes a vector; say how queries are embedded"),
        ("other", "must take a query or query_embedding; it takes words"),
        ("wrong", "expected documents, found"),
        ("texts", "expected documents with an id, found 'text'"),
    ],
)
def test_what_does_not_fit_is_explained(app, name, message):
    with pytest.raises(ProviderError, match=message):
        search(name)


def test_a_component_that_gave_nothing(app):
    app.pipeline.run = lambda data, include_outputs_from: {"embedder": {}}
    with pytest.raises(ProviderError, match="the pipeline gave nothing of retriever"):
        search("pipeline")


def test_what_cannot_work_is_known_before(app):
    parse_provider("haystack:haystack_app:pipeline").check()
    with pytest.raises(ProviderError, match="is no pipeline or retriever of Haystack"):
        parse_provider("haystack:haystack_app:__name__").check()
    with pytest.raises(ProviderError, match="haystack_app has no gone"):
        parse_provider("haystack(pipeline=haystack_app:pipeline, embed=haystack_app:gone)").check()
