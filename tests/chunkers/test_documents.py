"""Documents into chunks: lines, columns, titles, groups, remarks and sizes, worked out by hand."""

from collections import Counter

from assay.chunkers import ChunkSizes, Distribution, chunk_documents, parse_chunker, sizes
from assay.model import Chunk, Document

from ._texts import chunks_of


def test_lines_and_columns():
    chunks = chunks_of("ab\ncdef\ng", "fixed_chars(size=4)", "d")
    found = [(chunk.text, chunk.start_line, chunk.end_line, chunk.columns, chunk.chunk_id) for chunk in chunks]
    assert found == [
        ("ab\nc", 1, 2, (1, 1), "d:1.1-2.1"),
        ("def\n", 2, 2, (2, 5), "d:2.2-2.5"),
        ("g", 3, 3, None, "d:3-3"),
    ]
    (chunk,) = chunks_of("ab\n\n", "fixed_lines", "d")  # a line feed belongs to the line it ends
    assert (chunk.start_line, chunk.end_line, chunk.chunk_id) == (1, 2, "d:1-2")


def test_the_title_of_the_document_goes_first():
    text = "# Tea\nGreen.\n"
    assert [chunk.title for chunk in chunks_of(text, "markdown", title="Kitchen")] == ["Kitchen > Tea"]
    assert [chunk.title for chunk in chunks_of(text, "sentence", title="Kitchen")] == ["Kitchen"]
    assert [chunk.title for chunk in chunks_of(text, "sentence")] == [None]


def test_chunks_are_numbered_in_each_document_and_keep_its_group():
    documents = [Document("a", "x\ny\n"), Document("b", ""), Document("c", "z\n", group="g1")]
    chunks = chunk_documents(parse_chunker("fixed_lines(size=1)"), iter(documents))
    assert [(chunk.doc_id, chunk.number) for chunk in chunks] == [("a", 1), ("a", 2), ("c", 1)]
    assert chunks[-1].to_document().group == "g1"


def test_what_was_done_otherwise_is_counted(snapshots):
    remarks = Counter()
    documents = [Document("a.rb", "x"), Document("b.rb", "y" * 2000), Document("c.py", "z"), Document("d", "z")]
    chunk_documents(parse_chunker("syntax_tree"), documents, remarks)
    chunk_documents(parse_chunker("chonkie(kind=code, size=100)"), documents[:1], remarks)
    chunk_documents(parse_chunker("chonkie(kind=code, size=100)"), [Document("a.py", "(" * 5000 + ")" * 5000)], remarks)
    snapshots.check("chunkers/remarks", "".join(f"{count} × {remark}\n" for remark, count in remarks.items()))


def test_sizes():
    def chunk(text):
        return Chunk("d", 1, 0, len(text), 1, 1, text)

    assert sizes([]) == ChunkSizes(0, None, None)
    assert sizes([chunk("two words")]) == ChunkSizes(1, Distribution(9, 9, 9, 9, 9), Distribution(2, 2, 2, 2, 2))
    found = sizes(chunk("a" * length) for length in reversed(range(0, 201, 10)))
    assert found.n == 21
    # the 5th percentile is the second, the 95th the last but one
    assert found.characters == Distribution(100, 10, 100, 190, 200)
    assert found.tokens == Distribution(20 / 21, 1, 1, 1, 1)
    assert sizes([chunk("東京 Anfälle")]).tokens.max == 3
