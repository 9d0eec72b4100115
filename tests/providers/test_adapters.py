"""What all adapters share: ids, texts and scores of items, objects in Python code, and how queries are embedded."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ProviderError
from assay.model.records import Hit, Query
from assay.providers.adapters import AdapterRetriever, Item, Reading, with_higher_better
from assay.providers.objects import ByDepth, call_first, check_object, load_object, with_depth
from assay.providers.responses import Entry
from assay.providers.retriever import PermanentFailure
from assay.providers.stores import as_vector, check_embed, check_opened, load_embed, missing_error, parse_address

from ._stand_ins import absent

QUERY = Query("q", "words")


@pytest.fixture
def app(monkeypatch):
    module = ModuleType("adapters_module")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def known_as(fields, own_id=None, **reading):
    return Reading(**reading).entry(Item(own_id, None, None, fields), 1).doc


@pytest.mark.parametrize(
    ("fields", "own_id", "chunk"),
    [
        ({"chunk_id": "c", "doc_id": "d"}, "own", "c"),
        ({"doc_id": "d", "source": "s"}, "own", "own"),
        ({"doc_id": "d"}, 7, 7),
        ({"metadata": {"chunk_id": "c"}}, "own", "c"),
        ({"payload": {"node_id": "n"}}, None, "n"),
        ({"id": 3, "source": "s"}, None, 3),
        ({"doc_id": "d", "source": "s"}, None, "d"),
        ({"chunk_id": None, "id": ""}, "own", "own"),
    ],
)
def test_a_chunk_is_known_by_its_id_then_by_the_stores(fields, own_id, chunk):
    assert known_as(fields, own_id) == chunk


@pytest.mark.parametrize(
    ("fields", "document"),
    [
        ({"doc_id": "d", "ref_doc_id": "r", "source": "s"}, "d"),
        ({"ref_doc_id": "r", "source": "s"}, "r"),
        ({"source_id": "i", "file_path": "f"}, "i"),
        ({"source": "s.md"}, "s.md"),
        ({"cmetadata": {"document_id": 5}}, 5),
        ({"file_name": "f", "metadata_": {"doc_id": "d"}}, "d"),
    ],
)
def test_a_document_is_known_by_its_id_then_by_where_it_came_from(fields, document):
    assert known_as(fields, "own", unit="document") == document


def test_fields_can_be_named():
    fields = {"a": {"b": ["x", "y"]}, "metadata": {"mine": "m"}, "doc_id": "d"}
    assert known_as(fields, "own", chunk_id="mine") == "m"
    assert known_as(fields, "own", chunk_id="a.b[1]") == "y"
    assert known_as(fields, "own", chunk_id="id") == "own"
    assert known_as(fields, "own", unit="document", document_id="id") == "own"
    assert Reading(text="metadata.mine").entry(Item("own", "other", None, fields), 1).text == "m"
    assert Reading(text="gone").entry(Item("own", "other", None, fields), 1).text is None


def test_without_an_id_the_message_says_what_there_is_and_what_to_do():
    with pytest.raises(
        PermanentFailure, match=r"hit 3 has no chunk id: it has a b; set chunk_id= to the field that holds it$"
    ):
        Reading().entry(Item(None, None, None, {"a": 1.5, "metadata": {"b": None}}), 3)
    with pytest.raises(
        PermanentFailure, match=r"no document id: it has a; set document_id= to the field that holds it, or unit=chunk"
    ):
        Reading("document").entry(Item("own", None, None, {"a": 1}), 1)
    with pytest.raises(PermanentFailure, match=r"or unit=document where documents are judged, which source names$"):
        Reading().entry(Item(None, None, None, {"metadata": {"source": "a.md"}}), 1)
    with pytest.raises(PermanentFailure, match="hit 1 has no chunk id"):
        Reading(chunk_id="gone").entry(Item("own", None, None, {"a": 1}), 1)


def test_both_ids_and_the_rest_stay_beside_a_hit_but_vectors_and_texts_do_not():
    fields = {
        "metadata": {"page": 3, "source": "s", "list": [1, 2]},
        "vector": list(range(100)),
        "array": np.zeros(3),
        "content": "text",
        "page": 4,
    }
    entry = Reading().entry(Item("own", None, 0.5, fields), 1)
    assert entry == Entry("own", 0.5, "text", {"page": 4, "source": "s", "list": [1, 2], "chunk_id": "own", "doc_id": "s"})


def entries(*scores):
    return [Entry(str(place), score) for place, score in enumerate(scores)]


def scores_of(found):
    return [entry.score for entry in found]


@pytest.mark.parametrize(
    ("given_scores", "expected"),
    [
        ((0.9, 0.5, 0.5), [0.9, 0.5, 0.5]),
        ((0.1, 0.1, 0.7), [-0.1, -0.1, -0.7]),
        ((0.1, 0.9, 0.5), [None, None, None]),
        ((0.9, None), [None, None]),
        ((None, None), [None, None]),
        ((0.3,), [0.3]),
        ((), []),
        ((np.float32(2), np.float32(1)), [2, 1]),
    ],
)
def test_the_order_given_is_the_ranking(given_scores, expected):
    assert scores_of(with_higher_better(entries(*given_scores))) == expected


@given(st.lists(st.floats(-1e6, 1e6)))
def test_whatever_the_scores_the_order_never_changes(scores):
    retriever = AdapterRetriever("x", lambda query, k: scores, read_numbers, Reading())
    found = retriever.search([QUERY], 1000)[0]
    assert [hit.doc_id for hit in found] == [str(place) for place in range(len(scores))]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def read_numbers(scores):
    return [Item(str(place), None, score, {}) for place, score in enumerate(scores)]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "high"])
def test_a_score_that_is_no_number_is_final(bad):
    retriever = AdapterRetriever("x", lambda query, k: [2.0, bad], read_numbers, Reading())
    with pytest.raises(PermanentFailure, match="x: the score of document 1 is"):
        retriever.search([QUERY], 5)


class Store:
    """As many chunks per document as said, best first; counts what it is asked for."""

    def __init__(self, *sizes, most=10**9):
        self.items = [
            Item(f"d{d}#{c}", None, None, {"doc_id": f"d{d}"}) for d, size in enumerate(sizes) for c in range(size)
        ]
        self.most, self.asked = most, []

    def search(self, k, unit="document"):
        retriever = AdapterRetriever("store", self.ask, list, Reading(unit))
        return [hit.doc_id for hit in retriever.search([QUERY], k)[0]]

    def ask(self, query, k):
        self.asked.append(k)
        return self.items[: min(k, self.most)]


def test_chunks_are_asked_for_once():
    store = Store(5, 5)
    assert store.search(3, "chunk") == ["d0#0", "d0#1", "d0#2"]
    assert store.asked == [3]


@pytest.mark.parametrize(
    ("store", "k", "found", "asked"),
    [
        (Store(1, 1, 1, 1), 2, ["d0", "d1"], [4]),
        (Store(10, 1, 1), 2, ["d0", "d1"], [4, 8, 16]),
        (Store(2, 1), 5, ["d0", "d1"], [10]),
        (Store(50, 1, most=4), 2, ["d0"], [4, 8]),
        (Store(100, 1, most=6), 2, ["d0"], [4, 8]),
        (Store(1000, 1), 2, ["d0"], [4, 8, 16, 32, 64, 128]),
        (Store(), 2, [], [4]),
    ],
)
def test_more_chunks_are_asked_for_until_there_are_enough_documents(store, k, found, asked):
    store.asked.clear()
    assert store.search(k) == found
    assert store.asked == asked


def test_a_blank_query_is_not_asked():
    store = Store(1)
    assert AdapterRetriever("x", store.ask, list, Reading()).search([Query("q", " \n"), QUERY], 5)[0] == []
    assert store.asked == [5]


def test_an_answer_may_have_to_be_awaited():
    async def ask(query, k):
        return [Item("a", "text", 2, {})]

    retriever = AdapterRetriever("x", ask, list, Reading())
    assert retriever.search([QUERY], 5) == [[Hit("a", 2.0, "text", {"chunk_id": "a"})]]


class Wanted:
    """What is looked for; the class itself can be called for one."""

    def ask(self):
        return "answer"


def test_objects_are_found_or_made(app):
    app.ready, app.Wanted, app.make, app.later = Wanted(), Wanted, lambda: Wanted(), _later
    for name in ("ready", "Wanted", "make", "later"):
        check_object(f"adapters_module:{name}", ("ask",), "thing")
        assert load_object(f"adapters_module:{name}", ("ask",), "thing").ask() == "answer"


async def _later():
    return Wanted()


def test_what_is_no_such_object(app):
    app.number, app.takes, app.other = 3, lambda query: None, lambda: 3
    for name in ("number", "takes"):
        with pytest.raises(ProviderError, match=rf"adapters_module:{name} is no thing: expected an object with ask or tell"):
            check_object(f"adapters_module:{name}", ("ask", "tell"), "thing")
    check_object("adapters_module:other", ("ask",), "thing")
    with pytest.raises(ProviderError, match="found 3"):
        load_object("adapters_module:other", ("ask",), "thing")
    with pytest.raises(ProviderError, match="has no gone"):
        check_object("adapters_module:gone", ("ask",), "thing")


def test_the_first_method_that_is_implemented():
    class Partly:
        def one(self, value):
            raise NotImplementedError

        def two(self, value):
            return value + 1

    assert call_first(Partly(), ("none", "one", "two"), 1) == 2
    with pytest.raises(NotImplementedError):
        call_first(Partly(), ("two", "one")[1:], 1)


def test_a_copy_is_set_to_the_depth_and_the_original_stays():
    class Kept:
        top_k = 4

        def __init__(self):
            self.inner = object()

    original = Kept()
    copies = ByDepth(original, with_depth)
    assert (copies[9].top_k, original.top_k) == (9, 4)
    assert copies[9] is copies[9]
    assert copies[9].inner is original.inner
    assert with_depth(app, 3) is app


@pytest.mark.parametrize(
    ("given_vector", "expected"),
    [
        ([1, 2.5], [1, 2.5]),
        ((1.0, 2.0), [1.0, 2.0]),
        (np.array([1.0, 2.0]), [1.0, 2.0]),
        (np.array([[1.0, 2.0]]), [1.0, 2.0]),
        ([np.float32(1.5), np.float32(2)], [1.5, 2.0]),
        ({"indices": [1], "values": [2.0]}, {"indices": [1], "values": [2.0]}),
    ],
)
def test_vectors_in_all_their_shapes(given_vector, expected):
    assert as_vector("x", given_vector) == expected


@pytest.mark.parametrize("bad", [None, "text", 3.0, [], ["a"], [float("nan")], [[1.0], [2.0]], np.zeros((2, 2))])
def test_what_is_no_vector(bad):
    with pytest.raises(PermanentFailure, match=r"app:embed was to embed a text and returned .* which is no list of"):
        as_vector("app:embed", bad)


def test_what_embeds_a_query(app):
    class Model:
        def embed_query(self, text):
            return [float(len(text))]

    async def later(text):
        return np.array([1.0, 2.0])

    app.function, app.model, app.Model, app.later = lambda text: [1.0], Model(), Model, later
    for name, vector in {"function": [1.0], "model": [5.0], "Model": [5.0], "later": [1.0, 2.0]}.items():
        check_embed("store", f"adapters_module:{name}")
        assert load_embed("store", f"adapters_module:{name}")("words") == vector


def test_the_model_of_the_extra():
    pytest.importorskip("wordllama")
    check_embed("store", "wordllama")
    vector = load_embed("store", "wordllama")("lazy dog")
    assert len(vector) == 256
    assert sum(one * one for one in vector) == pytest.approx(1)


def test_what_is_not_installed_is_named_with_its_command(monkeypatch):
    absent(monkeypatch, "wordllama")
    absent(monkeypatch, "sentence_transformers")
    with pytest.raises(ProviderError, match=r"^store needs wordllama: pip install 'assay\[dense\]'$"):
        check_embed("store", "wordllama")
    with pytest.raises(ProviderError, match=r"^store\(embed='my/model'\) needs sentence-transformers: pip install"):
        load_embed("store", "my/model")


def test_a_store_is_opened_in_one_way(tmp_path):
    with pytest.raises(ProviderError, match="x is opened by one of path= or python=; found none of them"):
        check_opened("x", "numpy", "", [("path", ""), ("python", "")])
    with pytest.raises(ProviderError, match="found path= and python="):
        check_opened("x", "numpy", "", [("path", "a"), ("python", "b")])
    with pytest.raises(ProviderError, match=r"^x needs no-such-package: pip install it$"):
        check_opened("x", "no_such_package", "pip install it", [("path", "a")])
    with pytest.raises(ProviderError, match="there is no folder"):
        check_opened("x", "numpy", "", [("path", str(tmp_path / "gone"))])
    with pytest.raises(ProviderError, match="environment variable NO_SUCH_VARIABLE"):
        check_opened("x", "numpy", "", [("url", "${NO_SUCH_VARIABLE}")])
    check_opened("x", "numpy", "", [("path", str(tmp_path))])
    check_opened("x", "numpy", "", [("path", "s3://bucket/db")])


@pytest.mark.parametrize("bad", ["localhost:6333", "ftp://x", "http://", "http://[x"])
def test_what_is_no_address(bad):
    with pytest.raises(ValueError, match="an address such as"):
        parse_address(bad)


def test_addresses_hide_their_passwords():
    assert parse_address("https://me:hunter22@host:1") == "https://me:…@host:1"


def test_a_list_that_cannot_be_had_does_not_hide_what_is_missing():
    def fails():
        raise RuntimeError

    assert str(missing_error("x", "table", "docs", fails)) == "x: there is no table 'docs' (there is: none)."
