"""langchain, llamaindex and haystack, with stand-ins; tests/providers/adapters has the real packages.

What all adapters share is tested here too, over a store of LangChain: ids, texts and scores of items.
"""

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay import Hit, Query
from assay.providers import PermanentFailure

from ._asking import ids, provider
from ._stand_ins import Record, package

A = Query("q", "a")
DOCUMENTS = [Record(page_content=f"text {n}", id=f"c{n}", metadata={"doc_id": f"d{n // 2}"}) for n in range(6)]
COMPONENTS = [Record(id=f"c{n}", content=f"text {n}", meta={"source_id": f"d{n // 2}"}, score=1 - n / 10) for n in range(6)]
NEEDED, MORE = {"is_mandatory": True}, {"is_mandatory": False}


class Retriever:
    """Of LangChain, over a vector store: k stands in its search_kwargs."""

    search_type = "mmr"

    def __init__(self):
        self.search_kwargs = {"fetch_k": 3, "filter": "x"}

    def invoke(self, text):
        assert (text, self.search_kwargs["filter"]) == ("a", "x")
        assert self.search_kwargs["fetch_k"] >= self.search_kwargs["k"]
        return DOCUMENTS[: self.search_kwargs["k"]]


class Store:
    """Of LangChain: items with their scores; counts what it is asked for."""

    def __init__(self, items, most=10**9):
        self.items, self.most, self.asked = items, most, []

    def similarity_search_with_score(self, text, k=4):
        self.asked.append(k)
        return self.items[: min(k, self.most)]


async def ainvoke(text):
    return DOCUMENTS[:3]


def node(n, score=None):
    """Of LlamaIndex."""
    inner = Record(node_id=f"n{n}", ref_doc_id=f"d{n // 2}", metadata={"page": n}, get_content=lambda: f"text {n}")
    return Record(node=inner, score=score)


class Nodes:
    similarity_top_k = 2

    def retrieve(self, query):
        assert getattr(query, "query_str", query) == "a"
        return [node(n, 1 - n / 10) for n in range(self.similarity_top_k)]


class Engine:
    """A query engine: a retriever, and a reranker that keeps two."""

    def __init__(self):
        self._retriever = Nodes()

    def retrieve(self, query):
        return self._retriever.retrieve(query)[::-1][:2]


async def aretrieve(query):
    return [node(0)]


def unscored(similarity_top_k):
    found = [Record(node=Record(node_id=n, text="t", metadata=None)) for n in range(similarity_top_k)]
    return Record(retrieve=lambda query: found)


class Pipeline:
    """Of Haystack: an embedder, a retriever, and perhaps a prompt behind it."""

    def __init__(self, goes_on=False, **inputs):
        self.goes_on = goes_on
        self.sockets = {"embedder": {"text": NEEDED}, "retriever": {"filters": MORE, "top_k": MORE}, **inputs}

    def inputs(self):
        return self.sockets

    def outputs(self):
        return {"prompt": {"prompt": {}}} if self.goes_on else {"retriever": {"documents": {}}}

    def run(self, data, include_outputs_from):
        assert (data["embedder"], include_outputs_from) == ({"text": "a"}, {"retriever"})
        return {"retriever": {"documents": COMPONENTS[: data["retriever"]["top_k"]]}, "prompt": {"prompt": str(data)}}


def by_text(query, filters=None, top_k=None):
    return {"documents": COMPONENTS[:top_k]}


def by_vector(query_embedding):
    assert query_embedding == [1.0, 2.0]
    return {"documents": COMPONENTS[:4]}


CONTENT = {
    "retriever": Retriever(),
    "store": Store([(document, place / 10) for place, document in enumerate(DOCUMENTS)]),
    "chain": Record(invoke=lambda text: {"input": text, "context": DOCUMENTS[:2], "answer": "…"}),
    "asynchronous": Record(ainvoke=ainvoke),
    "words": Record(invoke=lambda text: "an answer in words"),
    "lost": Record(invoke=lambda text: {"answer": "…"}),
    "nodes": Nodes(),
    "engine": Engine(),
    "index": Record(as_retriever=unscored),
    "later_nodes": Record(aretrieve=aretrieve),
    "no_list": Record(retrieve=lambda query: "words"),
    "pipeline": Pipeline(),
    "prompting": Pipeline(goes_on=True, prompt={"question": NEEDED}),
    "demanding": Pipeline(x={"user": NEEDED}),
    "deaf": Pipeline(embedder={}, retriever={"top_k": MORE}),
    "by_text": Record(run=by_text),
    "by_vector": Record(run=by_vector),
    "other": Record(run=lambda words: None),
    "embed": lambda text: [1.0, 2.0],
    "number": 3,
}


@pytest.fixture
def app(monkeypatch, tmp_path):
    """The user's module."""
    monkeypatch.chdir(tmp_path)
    return package(monkeypatch, "app", **copy.deepcopy(CONTENT))


def search(kind, name, k=3, more=""):
    setting = {"langchain": "retriever", "llamaindex": "retriever", "haystack": "pipeline"}[kind]
    return provider(f"{kind}({setting}='app:{name}'{more})").make().search([A], k)[0]


FOUND = [
    ("langchain", "retriever", 5, "", ["c0", "c1", "c2", "c3", "c4"]),
    ("langchain", "chain", 3, "", ["c0", "c1"]),
    ("langchain", "asynchronous", 2, "", ["c0", "c1"]),
    ("llamaindex", "nodes", 4, "", ["n0", "n1", "n2", "n3"]),
    ("llamaindex", "nodes", 3, ", unit=document", ["d0", "d1", "d2"]),
    ("llamaindex", "engine", 5, "", ["n4", "n3"]),
    ("llamaindex", "later_nodes", 3, "", ["n0"]),
    ("llamaindex", "index", 2, "", ["0", "1"]),
    ("haystack", "pipeline", 4, "", ["c0", "c1", "c2", "c3"]),
    ("haystack", "prompting", 1, ", component=retriever", ["c0"]),
    ("haystack", "by_text", 2, "", ["c0", "c1"]),
    ("haystack", "by_vector", 2, ", embed=app:embed", ["c0", "c1"]),
]


def test_each_is_told_k_and_stays_as_it_is(app):
    for kind, name, k, more, found in FOUND:
        assert ids(search(kind, name, k, more)) == found, (kind, name)
    assert app.retriever.search_kwargs == {"fetch_k": 3, "filter": "x"}
    assert (app.nodes.similarity_top_k, app.engine._retriever.similarity_top_k) == (2, 2)


def test_what_a_hit_brings_along(app):
    page = {"page": 0, "ref_doc_id": "d0", "chunk_id": "n0", "doc_id": "d0"}
    source = {"source_id": "d0", "chunk_id": "c0", "doc_id": "d0"}
    assert search("langchain", "retriever", 1) == [Hit("c0", 0.0, "text 0", {"doc_id": "d0", "chunk_id": "c0"})]
    assert search("llamaindex", "nodes", 1) == [Hit("n0", 1.0, "text 0", page)]
    assert search("haystack", "pipeline", 1) == [Hit("c0", 1.0, "text 0", source)]
    assert [hit.score for hit in search("langchain", "store", 2)] == [-0.0, -0.1]
    assert [hit.text for hit in search("llamaindex", "nodes", 2, ", unit=document")] == ["text 0", "text 2"]


def test_what_does_not_fit_is_explained(app, snapshots):
    wrong = {
        "langchain": ("words", "lost"),
        "llamaindex": ("no_list",),
        "haystack": ("prompting", "demanding", "deaf", "by_vector", "other"),
    }
    cases = {
        f"{kind}: {name}": lambda kind=kind, name=name: search(kind, name) for kind, names in wrong.items() for name in names
    }
    unfit = ["langchain:app:number", "langchain:gone:retriever", "llamaindex:app:number", "haystack:app:number"]
    unfit += ["haystack(pipeline=app:pipeline, embed=app:gone)"]
    cases |= {text: provider(text).check for text in unfit}
    snapshots.check_errors("providers/frameworks", cases)
    for text in ("langchain:app:retriever", "llamaindex:app:index", "haystack:app:pipeline"):
        provider(text).check()
        assert (provider(text).name, provider(text).heeds_scope) == (text, False)


def stored(app, *items, k=1000, more="", most=10**9):
    """What a store of LangChain that has these items gives: metadata, id, score and text of each."""
    records = [
        (Record(page_content=text, id=own, metadata=fields), score) for fields, own, score, text in map(_padded, items)
    ]
    app.store = Store(records, most)
    return search("langchain", "store", k, more)


def _padded(item):
    return (*item, *(None, None, None)[len(item) - 1 :])


CHUNKS = [
    ({"chunk_id": "c", "doc_id": "d"}, "own", "c"),
    ({"doc_id": "d", "source": "s"}, "own", "own"),
    ({"doc_id": "d"}, 7, "7"),
    ({"metadata": {"chunk_id": "c"}}, "own", "c"),
    ({"payload": {"node_id": "n"}}, None, "n"),
    ({"id": 3, "source": "s"}, None, "3"),
    ({"doc_id": "d", "source": "s"}, None, "d"),
    ({"chunk_id": None, "id": ""}, "own", "own"),
]
OWNERS = [
    ({"doc_id": "d", "ref_doc_id": "r", "source": "s"}, "d"),
    ({"ref_doc_id": "r", "source": "s"}, "r"),
    ({"source_id": "i", "file_path": "f"}, "i"),
    ({"source": "s.md"}, "s.md"),
    ({"cmetadata": {"document_id": 5}}, "5"),
    ({"file_name": "f", "metadata_": {"doc_id": "d"}}, "d"),
]
FIELDS = {"a": {"b": ["x", "y"]}, "metadata": {"mine": "m"}, "doc_id": "d"}
NAMED = [
    (", chunk_id=mine", "m"),
    (", chunk_id='a.b[1]'", "y"),
    (", chunk_id=id", "own"),
    (", unit=document, document_id=id", "own"),
]


def test_chunks_and_documents_are_known_by_their_ids(app):
    for fields, own, chunk in CHUNKS:
        assert ids(stored(app, (fields, own, 1.0, ""))) == [chunk], fields
    for fields, document in OWNERS:
        assert ids(stored(app, (fields, "own", 1.0, ""), more=", unit=document")) == [document], fields
    for more, found in NAMED:
        assert ids(stored(app, (FIELDS, "own", 1.0, ""), more=more)) == [found], more
    assert stored(app, (FIELDS, "own", 1.0, "other"), more=", text=metadata.mine")[0].text == "m"
    assert stored(app, (FIELDS, "own", 1.0, "other"), more=", text=gone")[0].text is None


def test_items_without_ids_and_scores_that_are_none(app, snapshots):
    cases = {
        "no chunk id": lambda: stored(app, ({"a": 1.5, "metadata": {"b": None}}, None, 1.0, "")),
        "no document id": lambda: stored(app, ({"a": 1}, "own", 1.0, ""), more=", unit=document"),
        "a document alone": lambda: stored(app, ({"metadata": {"source": "a.md"}}, None, 1.0, "")),
        "no such field": lambda: stored(app, ({"a": 1}, "own", 1.0, ""), more=", chunk_id=gone"),
        "nan": lambda: stored(app, ({}, "a", 2.0, ""), ({}, "b", float("nan"), "")),
        "words": lambda: stored(app, ({}, "a", 2.0, ""), ({}, "b", "high", "")),
        "twice": lambda: stored(app, ({}, "a", 2.0, ""), ({}, "a", 1.0, "")),
    }
    snapshots.check_errors("providers/adapters", cases)
    for call in cases.values():
        with pytest.raises(PermanentFailure):
            call()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scores=st.lists(st.floats(-1e6, 1e6)))
def test_whatever_the_scores_the_order_never_changes(app, scores):
    found = stored(app, *(({}, str(place), score, "") for place, score in enumerate(scores)))
    assert ids(found) == [str(place) for place in range(len(scores))]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


DEPTHS = [
    ((1, 1, 1, 1), 10**9, 2, ["d0", "d1"], [4]),
    ((10, 1, 1), 10**9, 2, ["d0", "d1"], [4, 8, 16]),
    ((2, 1), 10**9, 5, ["d0", "d1"], [10]),
    ((50, 1), 4, 2, ["d0"], [4, 8]),
    ((1000, 1), 10**9, 2, ["d0"], [4, 8, 16, 32, 64, 128]),
    ((), 10**9, 2, [], [4]),
]


def test_more_chunks_are_asked_for_until_there_are_enough_documents(app):
    for sizes, most, k, found, asked in DEPTHS:
        items = [({"doc_id": f"d{d}"}, f"d{d}#{c}", None, "") for d, size in enumerate(sizes) for c in range(size)]
        assert ids(stored(app, *items, k=k, more=", unit=document", most=most)) == found, sizes
        assert app.store.asked == asked, sizes
    stored(app, ({}, "a", 1.0, ""), k=3)
    assert app.store.asked == [3], "chunks are asked for once"
    retriever = provider("langchain:app:store").make()
    assert retriever.search([Query("q", " \n")], 5) == [[]]
    assert app.store.asked == [3], "a blank query is not asked"
