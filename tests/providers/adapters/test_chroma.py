"""chroma, against the real chromadb in this process."""

import pytest

from assay import Query
from assay.errors import ProviderError
from assay.grammar import mark_written
from assay.providers import parse_provider

from . import _kinds
from ._asking import QUERY, ids, search
from ._corpus import CHUNKS, cosines, embed


@pytest.fixture
def filled(app, tmp_path, required):
    return _kinds.chroma(app, tmp_path, required)


def test_squared_distances_are_negated(app, required):
    chromadb = required("chromadb")
    client = chromadb.EphemeralClient(settings=chromadb.Settings(anonymized_telemetry=False))
    app.far = client.create_collection("far", embedding_function=None, configuration={"hnsw": {"space": "l2"}})
    app.far.add(ids=list(CHUNKS), embeddings=[embed(text) for text in CHUNKS.values()])
    found = search("chroma(python=adapters_app:far, embed=adapters_app:embed)")
    expected = list(cosines(QUERY.text).items())[:3]
    assert ids(found) == [chunk for chunk, _ in expected]
    assert [hit.score for hit in found] == pytest.approx([2 * cosine - 2 for _, cosine in expected], abs=1e-5)
    assert [hit.text for hit in found] == [None] * 3
    client.delete_collection("far")


def test_a_scope_is_searched_alone(filled, app):
    text = filled.format(", scope=doc_id")
    assert parse_provider(mark_written(text)).heeds_scope
    assert set(ids(search(text, Query("q1", "lazy dog", scope="d4"), 8))) == {"d4#0", "d4#1"}
    assert len(search(text, Query("q1", "lazy dog"), 8)) == 8


def test_a_collection_that_is_not_there(filled):
    with pytest.raises(ProviderError, match=r"there is no collection 'doc' \(there is: docs\). Did you mean docs\?"):
        search(filled.format("").replace("collection=docs", "collection=doc"))


def test_vectors_of_another_length(filled, app):
    app.embed = lambda text: [1.0, 2.0]
    with pytest.raises(ProviderError, match=r"chroma\(docs\).*dimension"):
        search(filled.format(""))
