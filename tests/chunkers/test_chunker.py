"""How chunkers are named, what their record promises, and packages they need."""

import sys

from assay.chunkers import BoundChunker, Chunker, Cut, Piece, all_chunkers, parse_chunker
from assay.model import Document


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
