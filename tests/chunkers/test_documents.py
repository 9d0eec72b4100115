"""Documents into chunks: lines, columns, titles, groups and remarks."""

from collections import Counter

from assay.chunkers import chunk_documents, parse_chunker
from assay.model.records import Document

from ._texts import chunks_of


def test_lines_and_columns_by_hand():
    chunks = chunks_of("ab\ncdef\ng", "fixed_chars(size=4)", "d")
    found = [(chunk.text, chunk.start_line, chunk.end_line, chunk.columns, chunk.chunk_id) for chunk in chunks]
    assert found == [
        ("ab\nc", 1, 2, (1, 1), "d:1.1-2.1"),
        ("def\n", 2, 2, (2, 5), "d:2.2-2.5"),
        ("g", 3, 3, None, "d:3-3"),
    ]


def test_a_line_feed_belongs_to_the_line_it_ends():
    (chunk,) = chunks_of("ab\n\n", "fixed_lines", "d")
    assert (chunk.start_line, chunk.end_line, chunk.chunk_id) == (1, 2, "d:1-2")


def test_the_title_of_the_document_goes_first():
    text = "# Tea\nGreen.\n"
    assert [chunk.title for chunk in chunks_of(text, "markdown", title="Kitchen")] == ["Kitchen > Tea"]
    assert [chunk.title for chunk in chunks_of(text, "markdown")] == ["Tea"]
    assert [chunk.title for chunk in chunks_of(text, "sentence", title="Kitchen")] == ["Kitchen"]
    assert [chunk.title for chunk in chunks_of(text, "sentence")] == [None]


def test_the_group_is_kept_so_that_scopes_still_hold():
    (chunk,) = chunks_of("text", "sentence", group="g1")
    assert chunk.to_document().group == "g1"


def test_chunks_are_numbered_in_each_document():
    documents = [Document("a", "x\ny\n"), Document("b", ""), Document("c", "z\n")]
    chunks = chunk_documents(parse_chunker("fixed_lines(size=1)"), iter(documents))
    assert [(chunk.doc_id, chunk.number) for chunk in chunks] == [("a", 1), ("a", 2), ("c", 1)]


def test_what_was_done_otherwise_is_counted():
    remarks = Counter()
    documents = [Document("a.rb", "x"), Document("b.rb", "y" * 2000), Document("c.py", "z"), Document("d", "z")]
    chunk_documents(parse_chunker("syntax_tree"), documents, remarks)
    assert remarks == {
        "no grammar for .rb: cut into lines, as fixed_lines does": 2,
        "no grammar for files without an ending: cut into lines, as fixed_lines does": 1,
    }
