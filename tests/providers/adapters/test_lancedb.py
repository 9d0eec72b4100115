"""lancedb, against the real package in a folder."""

import pytest

from assay import Query
from assay.errors import ProviderError
from assay.providers import EventLoop

from . import _kinds
from ._asking import QUERY, ids, search
from ._corpus import cosines


@pytest.fixture
def filled(app, tmp_path, required):
    return _kinds.lancedb(app, tmp_path, required)


@pytest.fixture
def with_words(filled, app, required):
    """The table can be searched by words too."""
    app.table.create_index("text", config=required("lancedb.index").FTS())
    return filled


def test_squared_distances_are_negated(filled):
    found = search(filled.format("").replace(", distance=cosine", ""))
    expected = list(cosines(QUERY.text).items())[:3]
    assert ids(found) == [chunk for chunk, _ in expected]
    assert [hit.score for hit in found] == pytest.approx([2 * cosine - 2 for _, cosine in expected], abs=1e-5)


def test_by_words(with_words, tmp_path):
    found = search(f"lancedb(path='{tmp_path / 'lance'}', table=docs, search=text)", Query("q", "invoices fee"))
    assert ids(found) == ["d4#1", "d4#0"]
    assert found[0].score > found[1].score > 0


def test_by_both(with_words, tmp_path):
    text = f"lancedb(path='{tmp_path / 'lance'}', table=docs, search=hybrid, embed=adapters_app:embed)"
    found = search(text, Query("q", "invoices fee"), 4)
    assert ids(found)[0] == "d4#1"
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_a_scope_is_searched_alone(filled):
    text = filled.format(", scope=doc_id")
    assert set(ids(search(text, Query("q1", "lazy dog", scope="d4"), 8))) == {"d4#0", "d4#1"}
    assert search(text, Query("q1", "lazy dog", scope="d4' OR '1'='1"), 8) == []
    assert len(search(text, k=8)) == 8


def test_a_table_that_is_asynchronous(filled, app, tmp_path, required):
    package = required("lancedb")

    async def opened():
        return await (await package.connect_async(str(tmp_path / "lance"))).open_table("docs")

    app.later = EventLoop().result(opened())
    found = search("lancedb(python=adapters_app:later, embed=adapters_app:embed, distance=cosine)")
    assert ids(found) == list(cosines(QUERY.text))[:3]


def test_a_table_that_is_not_there(filled):
    with pytest.raises(ProviderError, match=r"there is no table 'dogs' \(there is: docs\). Did you mean docs\?"):
        search(filled.format("").replace("table=docs", "table=dogs"))
