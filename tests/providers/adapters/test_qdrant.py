"""qdrant, against the real qdrant-client in local mode."""

import numpy as np
import pytest

from assay import Query
from assay.errors import ProviderError
from assay.grammar import mark_written
from assay.providers import parse_provider

from . import _kinds
from ._asking import QUERY, ids, search
from ._corpus import CHUNKS, WIDTH, cosines, document_of, embed


@pytest.mark.parametrize(("distance", "score"), [("COSINE", 1), ("DOT", 1), ("EUCLID", -1), ("MANHATTAN", -1)])
def test_of_every_score_more_is_better(app, tmp_path, required, distance, score):
    found = search(_kinds.qdrant(app, tmp_path, required, distance=distance).format(""), k=8)
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert all(one * score >= 0 for one in scores)
    if distance == "MANHATTAN":
        asked = np.array(embed(QUERY.text))
        near = sorted(CHUNKS, key=lambda chunk: np.abs(np.array(embed(CHUNKS[chunk])) - asked).sum())
        assert ids(found) == near
    else:
        assert ids(found) == list(cosines(QUERY.text))


def test_an_asynchronous_client(app, required):
    import asyncio

    from assay.providers import EventLoop

    package = required("qdrant_client")

    async def filled():
        client = package.AsyncQdrantClient(":memory:")
        vectors = package.models.VectorParams(size=WIDTH, distance=package.models.Distance.COSINE)
        await client.create_collection("docs", vectors_config=vectors)
        points = enumerate(CHUNKS.items())
        await client.upsert(
            "docs",
            [
                package.models.PointStruct(id=place, vector=embed(text), payload={"chunk_id": chunk})
                for place, (chunk, text) in points
            ],
        )
        return client

    app.client = EventLoop().result(filled())
    assert asyncio.iscoroutinefunction(app.client.query_points)
    text = "qdrant(python=adapters_app:client, collection=docs, embed=adapters_app:embed)"
    assert ids(search(text)) == list(cosines(QUERY.text))[:3]
    with pytest.raises(ProviderError, match=r"there is no collection 'dox' \(there is: docs\)"):
        search(text.replace("docs", "dox"))


def test_a_scope_is_searched_alone(app, tmp_path, required):
    text = _kinds.qdrant(app, tmp_path, required).format(", scope=metadata.doc_id")
    assert parse_provider(mark_written(text)).heeds_scope
    assert {document_of(one) for one in ids(search(text, Query("q1", "lazy dog", scope="d4"), 8))} == {"d4"}
    assert len(search(text, k=8)) == 8
