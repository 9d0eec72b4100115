"""llamaindex, against the real llama-index-core."""

import pytest

from . import _asking, _kinds
from ._asking import ids
from ._corpus import CHUNKS


@pytest.fixture
def search(app, tmp_path, required):
    _kinds.llamaindex(app, tmp_path, required)

    def search(name="retriever", k=3, settings=""):
        return _asking.search(f"llamaindex(retriever='adapters_app:{name}'{settings})", k=k)

    return search


def test_the_retriever_of_the_user_stays_as_it_is(search, app):
    assert len(search(k=5)) == 5
    assert app.retriever.similarity_top_k == 2


def engine(required, app, *postprocessors, **settings):
    engines = required("llama_index.core.query_engine")
    mock = required("llama_index.core.llms").MockLLM()
    synthesizer = required("llama_index.core.response_synthesizers").get_response_synthesizer(llm=mock)
    return engines.RetrieverQueryEngine(
        app.index.as_retriever(**settings), response_synthesizer=synthesizer, node_postprocessors=list(postprocessors)
    )


def test_what_rerankers_choose_from_is_raised_but_never_lowered(search, app, required):
    app.engine = engine(required, app, similarity_top_k=6)
    assert len(search("engine", 8)) == 8
    seen = []
    app.engine._node_postprocessors = [
        type("Seen", (), {"postprocess_nodes": lambda self, nodes, **_: seen.append(len(nodes)) or nodes})()
    ]
    assert len(search("engine", 2)) == 2
    assert seen == [6]
    assert app.engine.retriever.similarity_top_k == 6


def test_nodes_without_scores_count_as_ranked(search, app, required):
    core, schema = required("llama_index.core"), required("llama_index.core.schema")
    nodes = [schema.TextNode(id_=chunk, text=text) for chunk, text in CHUNKS.items()]
    app.listed = core.SummaryIndex(nodes).as_retriever()
    found = search("listed", 4)
    assert ids(found) == list(CHUNKS)[:4]
    assert [hit.score for hit in found] == [0.0, -1.0, -2.0, -3.0]
