"""The protocol: objects of every shape are asked in the same way, whatever they have and whatever they lack."""

import asyncio
from types import SimpleNamespace

import pytest

import assay
from assay import BenchmarkDataset, Document, Query
from assay.errors import ProviderError
from assay.providers import BoundProvider, Provider, adapt, parse_provider

DOCUMENTS = {"a": Document("a", "cats"), "b": Document("b", "dogs")}
QUERIES = {"q1": Query("q1", "cats"), "q2": Query("q2", "dogs")}
QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
RIGHT = {"q1": ["a"], "q2": ["b"]}


def benchmark():
    return BenchmarkDataset("small", queries=QUERIES, documents=DOCUMENTS, qrels=QRELS)


class Asked:
    """Answers rightly, and notes what is called."""

    def __init__(self):
        self.calls = []

    def search(self, queries, k):
        self.calls.append(("search", [query.query_id for query in queries]))
        return [RIGHT[query.query_id][:k] for query in queries]


class Indexed(Asked):
    def index(self, documents):
        self.calls.append(("index", [document.doc_id for document in documents]))


class Unwilling(Indexed):
    indexes = False


class Later(Asked):
    async def index(self, documents):
        await asyncio.sleep(0)
        Indexed.index(self, documents)

    async def search(self, queries, k):
        await asyncio.sleep(0)
        return Asked.search(self, queries, k)


class Alone(Asked):
    batch = 1


class OfBatches(Asked):
    def batch(self, inputs):
        """As LangChain has it: a method, and no number."""


class Closed(Asked):
    def close(self):
        self.calls.append(("close", None))


class ClosedLater(Asked):
    async def close(self):
        await asyncio.sleep(0)
        Closed.close(self)


class Told(Asked):
    def set_judgments(self, qrels, relevance):
        self.calls.append(("judgments", dict(qrels), relevance.by))


class Knows(Asked):
    def know(self, qrels):
        self.calls.append(("judgments", dict(qrels), "auto"))


class Ordered(Asked):
    def set_order(self, queries, documents):
        self.calls.append(("order", list(queries), list(documents)))


class KnowsOrder(Asked):
    def know_order(self, queries, documents):
        Ordered.set_order(self, queries, documents)


class Proxy:
    """Has nothing of its own, as clients that connect late."""

    def __init__(self):
        self._inner = Indexed()

    def __getattr__(self, name):
        return getattr(self._inner, name)


INDEX, BOTH, JUDGMENTS = ("index", ["a", "b"]), ("search", ["q1", "q2"]), ("judgments", QRELS, "auto")
ORDER = ("order", ["q1", "q2"], ["a", "b"])
SHAPES = {
    Asked: [BOTH],
    Indexed: [INDEX, BOTH],
    Unwilling: [BOTH],
    Later: [INDEX, BOTH],
    Alone: [("search", ["q1"]), ("search", ["q2"])],
    OfBatches: [BOTH],
    Closed: [BOTH, ("close", None)],
    ClosedLater: [BOTH, ("close", None)],
    Told: [JUDGMENTS, BOTH],
    Knows: [JUDGMENTS, BOTH],
    Ordered: [ORDER, BOTH],
    KnowsOrder: [ORDER, BOTH],
    Proxy: [INDEX, BOTH],
}


def test_objects_of_every_shape_alone_made_by_a_provider_and_as_a_part():
    """Who makes an object closes it."""
    hybrid = parse_provider("hybrid(bm25, bm25)").provider.make
    for shape, calls in SHAPES.items():
        lent, made, part = shape(), shape(), shape()
        bound = BoundProvider(Provider("mine", "", lambda made=made: made), {})
        composed = BoundProvider(Provider("both", "", lambda part=part: hybrid([part, Asked()], "rrf", (), 60.0, 0)), {})
        for retriever in (lent, bound, composed):
            assert assay.run(benchmark(), retriever, "mrr", concurrency=1, batch_size=9)["mrr"] == 1.0, shape
        assert lent.calls == [call for call in calls if call[0] != "close"], shape
        assert made.calls == part.calls == calls, shape


def test_what_cannot_search_is_refused():
    for nothing in (object(), 7, SimpleNamespace(search="no method"), None):
        with pytest.raises(ProviderError):
            assay.run(benchmark(), nothing, "mrr")
        with pytest.raises(ProviderError):
            adapt(nothing)
