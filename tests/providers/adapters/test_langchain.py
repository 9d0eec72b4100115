"""langchain, against the real langchain-core."""

import pytest

from . import _asking, _kinds
from ._asking import QUERY, ids
from ._corpus import cosines


@pytest.fixture
def search(app, tmp_path, required):
    """Asks what the app has under a name; the app has a filled store and its retriever."""
    _kinds.langchain(app, tmp_path, required)

    def search(name="retriever", k=3, settings=""):
        return _asking.search(f"langchain(retriever='adapters_app:{name}'{settings})", k=k)

    return search


def test_the_retriever_of_the_user_stays_as_it_is(search, app):
    app.retriever = app.store.as_retriever(search_kwargs={"k": 2})
    assert len(search(k=5)) == 5
    assert app.retriever.search_kwargs == {"k": 2}


def test_other_settings_of_a_search_are_kept(search, app):
    app.retriever = app.store.as_retriever(search_kwargs={"filter": lambda document: document.metadata["doc_id"] == "d2"})
    assert set(ids(search(k=8))) == {"d2#0", "d2#1"}


def test_a_search_for_diversity_looks_at_as_many_as_are_wanted(search, app):
    app.retriever = app.store.as_retriever(search_type="mmr", search_kwargs={"fetch_k": 2})
    assert len(search(k=6)) == 6
    assert ids(search(k=6))[0] == next(iter(cosines(QUERY.text)))


def test_a_retriever_with_a_k_of_its_own_is_told(search, app, required):
    base, document = required("langchain_core.retrievers").BaseRetriever, required("langchain_core.documents").Document

    class Own(base):
        k: int = 4

        def _get_relevant_documents(self, query, *, run_manager):
            return [document(f"text {place}", metadata={"n": place}) for place in range(self.k)]

    app.own = Own()
    assert ids(search("own", 7, ", chunk_id=n")) == [str(place) for place in range(7)]
    assert app.own.k == 4


def test_a_chain_that_answers_with_its_context(search, app, required):
    runnables = required("langchain_core.runnables")
    app.chain = runnables.RunnableParallel(context=app.retriever, question=runnables.RunnablePassthrough())
    assert ids(search("chain")) == list(cosines(QUERY.text))[:3]
