"""haystack, against the real haystack-ai."""

import pytest

from assay.errors import ProviderError

from . import _asking, _kinds
from ._asking import QUERY, ids
from ._corpus import CHUNKS, document_of


@pytest.fixture
def search(app, tmp_path, required):
    _kinds.haystack(app, tmp_path, required)
    app.bm25 = required("haystack.components.retrievers.in_memory").InMemoryBM25Retriever(app.document_store)

    def search(name="pipeline", k=3, settings=""):
        return _asking.search(f"haystack(pipeline='adapters_app:{name}'{settings})", k=k)

    return search


@pytest.fixture
def words(search, app, required):
    """A pipeline with a retriever by words; more can be added."""
    retrievers = required("haystack.components.retrievers.in_memory")
    app.words = required("haystack").Pipeline()
    app.words.add_component("retriever", retrievers.InMemoryBM25Retriever(app.document_store, top_k=1))
    return app.words


def lexical(app, k):
    return [document.id for document in app.bm25.run(query=QUERY.text, top_k=k)["documents"]]


def test_a_pipeline_by_words(search, words, app):
    found = search("words", 4)
    assert ids(found) == lexical(app, 4)
    assert [hit.text for hit in found] == [CHUNKS[chunk] for chunk in ids(found)]
    assert [hit.metadata["doc_id"] for hit in found] == [document_of(chunk) for chunk in ids(found)]


def test_what_joins_several_retrievers_is_told_k(search, words, app, required):
    words.get_component("retriever").top_k = 5
    words.add_component("joiner", required("haystack.components.joiners").DocumentJoiner())
    words.add_component(
        "second", required("haystack.components.retrievers.in_memory").InMemoryBM25Retriever(app.document_store)
    )
    words.connect("retriever", "joiner")
    words.connect("second", "joiner")
    assert ids(search("words", 2)) == lexical(app, 2)
    assert ids(search("words", 100)) == lexical(app, 100)


def test_a_pipeline_that_goes_on_to_a_prompt_says_which_documents_count(search, words, app, required):
    builder = required("haystack.components.builders").PromptBuilder(
        "{{ question }} {% for document in documents %}{{ document.content }}{% endfor %}", required_variables="*"
    )
    words.add_component("prompt", builder)
    words.connect("retriever.documents", "prompt.documents")
    with pytest.raises(ProviderError, match=r"none does\. Set component= to one of retriever, prompt"):
        search("words")
    assert ids(search("words", 3, ", component=retriever")) == lexical(app, 3)


def test_documents_out_of_two_components_need_a_choice(search, words, app, required):
    words.add_component(
        "second", required("haystack.components.retrievers.in_memory").InMemoryBM25Retriever(app.document_store)
    )
    with pytest.raises(ProviderError, match="retriever and second do; set component="):
        search("words")
    assert ids(search("words", 3, ", component=second")) == lexical(app, 3)
