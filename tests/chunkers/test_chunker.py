"""How chunkers are named, and what their record promises."""

import pytest

from assay.chunkers.chunker import Chunker, Cut, Piece, all_chunkers, parse_chunker
from assay.errors import BadParameter, UnknownName
from assay.model.records import Document


def test_what_is_at_its_default_is_not_in_the_name():
    assert parse_chunker("fixed_lines(size=1500, overlap=0)").name == "fixed_lines"
    assert parse_chunker("fixed_lines( overlap = 100 , size=800)").name == "fixed_lines(size=800, overlap=100)"
    assert parse_chunker("fixed-lines").name == "fixed_lines"


@pytest.mark.parametrize(
    "mapping", [{"fixed_lines": {"size": 800}}, {"name": "fixed_lines", "size": 800}, {"fixed_lines": {"size": "800"}}]
)
def test_as_yaml_has_it(mapping):
    assert parse_chunker(mapping) == parse_chunker("fixed_lines(size=800)")


def test_a_map_of_nothing_but_its_name():
    assert parse_chunker({"sentence": None}) == parse_chunker("sentence")


def test_a_list_in_yaml():
    mapping = {"recursive": {"separators": ["\n\n", "“é”", '"']}}
    assert parse_chunker(mapping).params["separators"] == ("\n\n", "“é”", '"')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fixed_lins", "Did you mean fixed_lines"),
        ("fixed_lines(sise=3)", "Did you mean size?"),
        ("fixed_lines(size=0)", "size is a whole number from 1 up, not '0'"),
        ("fixed_lines(size=-3)", "a whole number from 1 up"),
        ("fixed_lines(size=1e3)", "a whole number from 1 up"),
        ("fixed_lines(overlap=-1)", "a whole number from 1 up"),
        ("fixed_chars(size=5, overlap=5)", "overlap is below size (5), not 5"),
        ("fixed_lines(overlap=1500)", "overlap is below size (1,500), not 1,500"),
        ("markdown(headings=7)", "a whole number from 1 to 6"),
        ("syntax_tree(language=cobol)", "one of auto, c, cpp"),
        ("chonkie(kind=late)", "one of token, sentence, recursive, code"),
        ("recursive(separators=[])(", "not a name"),
        ("recursive(separators=[1])", "a list of texts"),
        ('recursive(separators=[""])', "a list of texts"),
        ("recursive(separators=x)", "a list of texts"),
    ],
)
def test_what_cannot_be_is_said(text, said):
    with pytest.raises((BadParameter, UnknownName)) as error:
        parse_chunker(text)
    assert said in str(error.value)


def test_a_map_with_two_names():
    with pytest.raises(BadParameter, match="one name"):
        parse_chunker({"sentence": {}, "recursive": {}})


def test_the_configuration_is_plain_and_complete():
    bound = parse_chunker("recursive(size=9)")
    assert bound.configuration == {"chunker": "recursive", "size": 9, "separators": ["\n\n", "\n", ". ", " "]}


@pytest.mark.parametrize("chunker", all_chunkers().values(), ids=lambda one: one.name)
def test_every_chunker_is_explained(chunker):
    assert chunker.meaning
    assert chunker.split.__doc__
    assert chunker.params[[one.name for one in chunker.params].index("size")].default >= 1500
    parse_chunker(chunker.name).check()


def cut_by(pieces):
    from assay.chunkers.chunker import BoundChunker

    return BoundChunker(Chunker("mine", "…", lambda text, path: Cut(pieces), params=()), {})


def test_white_space_and_nothing_are_no_pieces():
    pieces = [Piece(0, 1), Piece(1, 3), Piece(3, 3), Piece(3, 4)]
    assert cut_by(pieces).cut(Document("d", "a \nb")).pieces == [Piece(0, 1), Piece(3, 4)]


def test_a_pair_of_surrogates_stays_whole():
    document = Document("d", "a\ud83d\ude00b")
    assert cut_by([Piece(0, 2), Piece(2, 4)]).cut(document).pieces == [Piece(0, 3), Piece(3, 4)]
    assert cut_by([Piece(0, 1), Piece(1, 2), Piece(2, 3), Piece(3, 4)]).cut(document).pieces == [
        Piece(0, 1),
        Piece(1, 3),
        Piece(3, 4),
    ]


@pytest.mark.parametrize(
    ("doc_id", "source", "path"),
    [("a/b.py", "c.js", "a/b.py"), ("a.b/c", "c.js", "c.js"), ("a.b/c", None, "a.b/c"), ("17", "x/y.go", "x/y.go")],
)
def test_where_the_language_is_told_from(doc_id, source, path):
    seen = []
    from assay.chunkers.chunker import BoundChunker

    chunker = Chunker("mine", "…", lambda text, path: seen.append(path) or Cut([]), params=())
    BoundChunker(chunker, {}).cut(Document(doc_id, "x", source=source))
    assert seen == [path]
