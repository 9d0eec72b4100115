"""Chunks: what they are called, and what a provider is given."""

import pickle

import pytest

from assay.model.records import Chunk, Document, document_of_chunk


def test_whole_lines_are_called_by_their_lines():
    assert Chunk("src/client.py", 1, 100, 900, 12, 40, "…").chunk_id == "src/client.py:12-40"


def test_parts_of_lines_are_called_by_their_columns_too():
    assert Chunk("notes.txt", 1, 0, 80, 3, 3, "…", columns=(1, 80)).chunk_id == "notes.txt:3.1-3.80"


@pytest.mark.parametrize("doc_id", ["a", "a:b", "a:1-2", "C:\\x", ":", "a.b:1.2-3.4"])
@pytest.mark.parametrize("columns", [None, (1, 80)])
def test_the_id_tells_the_document(doc_id, columns):
    assert document_of_chunk(Chunk(doc_id, 1, 0, 1, 1, 1, "x", columns=columns).chunk_id) == doc_id


def test_as_a_document():
    chunk = Chunk("a.py", 2, 10, 20, 3, 4, "def f(): …", "Cart.f", group="shop")
    assert chunk.to_document() == Document(
        "a.py:3-4",
        "def f(): …",
        title="Cart.f",
        group="shop",
        metadata={"doc_id": "a.py", "start": 10, "end": 20, "start_line": 3, "end_line": 4},
    )


def test_it_can_be_pickled():
    chunk = Chunk("a.py", 2, 10, 20, 3, 4, "text", "title", (1, 2), "group")
    assert pickle.loads(pickle.dumps(chunk)) == chunk
