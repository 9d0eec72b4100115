"""How chunkers are named, what they need, and documents into chunks: lines, titles, groups, remarks and sizes."""

import sys
from collections import Counter

from assay.chunkers import (
    BoundChunker,
    Chunker,
    ChunkSizes,
    Cut,
    Distribution,
    Piece,
    all_chunkers,
    chunk_documents,
    parse_chunker,
    sizes,
)
from assay.model import Chunk, Document

from ._texts import chunks_of


def test_names():
    for written, name in {
        "fixed_lines(size=1500, overlap=0)": "fixed_lines",
        "fixed_lines( overlap = 100 , size=800)": "fixed_lines(size=800, overlap=100)",
        "fixed-lines": "fixed_lines",
    }.items():
        assert parse_chunker(written).name == name


def test_as_yaml_has_it():
    for mapping in ({"fixed_lines": {"size": 800}}, {"name": "fixed_lines", "size": 800}, {"fixed_lines": {"size": "800"}}):
        assert parse_chunker(mapping) == parse_chunker("fixed_lines(size=800)"), mapping
    assert parse_chunker({"sentence": None}) == parse_chunker("sentence")
    separators = ["\n\n", "“é”", '"']
    assert parse_chunker({"recursive": {"separators": separators}}).params["separators"] == tuple(separators)


def test_what_cannot_be(snapshots):
    written = [
        *("fixed_lins", "fixed_lines(sise=3)", "fixed_lines(size=0)", "fixed_lines(size=-3)", "fixed_lines(size=1e3)"),
        *("fixed_lines(overlap=-1)", "fixed_chars(size=5, overlap=5)", "fixed_lines(overlap=1500)", "markdown(headings=7)"),
        *("syntax_tree(language=cobol)", "chonkie(kind=late)", "recursive(separators=[])(", "recursive(separators=[1])"),
        *('recursive(separators=[""])', "recursive(separators=x)"),
    ]
    cases = {text: lambda text=text: parse_chunker(text) for text in written}
    snapshots.check_errors(
        "chunkers/names", {**cases, "two names": lambda: parse_chunker({"sentence": {}, "recursive": {}})}
    )


def test_a_package_that_is_missing_is_named(snapshots, monkeypatch):
    needs = {"syntax_tree": "tree_sitter_go", "chonkie": "chonkie", "chonkie(kind=code)": "tree_sitter_language_pack"}

    def check(chunker, package):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            parse_chunker(chunker).check()

    cases = {chunker: lambda chunker=chunker: check(chunker, needs[chunker]) for chunker in needs}
    snapshots.check_errors("chunkers/packages", cases)
    check("syntax_tree(language=c)", "tree_sitter_go")
    check("fixed_lines", "tree_sitter_go")


def test_every_chunker_is_explained():
    for name, chunker in all_chunkers().items():
        assert chunker.meaning, name
        assert chunker.split.__doc__, name
        assert {param.name: param for param in chunker.params}["size"].default >= 1500, name
        parse_chunker(name).check()


def bound(pieces, seen=None):
    """A chunker of somebody's own."""

    def split(text, path):
        if seen is not None:
            seen.append(path)
        return Cut(pieces)

    return BoundChunker(Chunker("mine", "…", split, params=()), {})


def test_white_space_is_no_piece_and_a_pair_of_surrogates_stays_whole():
    pieces = [Piece(0, 1), Piece(1, 3), Piece(3, 3), Piece(3, 4)]
    assert bound(pieces).cut(Document("d", "a \nb")).pieces == [Piece(0, 1), Piece(3, 4)]
    document = Document("d", "a\ud83d\ude00b")
    assert bound([Piece(0, 2), Piece(2, 4)]).cut(document).pieces == [Piece(0, 3), Piece(3, 4)]


def test_the_language_is_that_of_the_id_else_of_the_source():
    for doc_id, source, path in (("a/b.py", "c.js", "a/b.py"), ("a.b/c", "c.js", "c.js"), ("a.b/c", None, "a.b/c")):
        seen = []
        bound([], seen).cut(Document(doc_id, "x", source=source))
        assert seen == [path]


# ---- documents


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
