"""chonkie: the real package, and packages that say wrong places."""

from typing import NamedTuple

import chonkie
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.chunkers import chunk_documents, parse_chunker
from assay.chunkers import chunker as _extras
from assay.chunkers.catalog.chonkie import located, without_gaps
from assay.errors import UsageError
from assay.model.records import Document

from ._texts import HARD, PYTHON, assert_sound, chunks_of, texts_of


class Said(NamedTuple):
    """What a package says of a chunk."""

    text: str
    start_index: int


@pytest.mark.parametrize("kind", ["Token", "Sentence", "Recursive", "Code"])
@pytest.mark.parametrize("name", ["python", "emoji", "crlf", "markdown"])
def test_as_chonkie_does_it(kind, name):
    settings = {"language": "python"} if kind == "Code" else {}
    theirs = getattr(chonkie, f"{kind}Chunker")(chunk_size=150, **settings).chunk(HARD[name])
    assert texts_of(HARD[name], f"chonkie(kind={kind.lower()}, size=150)") == [one.text for one in theirs]


def test_its_own_default_size():
    assert parse_chunker("chonkie").params == {"kind": "recursive", "size": chonkie.RecursiveChunker().chunk_size}


def test_bytes_taken_for_characters_are_put_right():
    text = "日本語 one\nécole two\nplain three\n"
    said, place = [], 0
    for line in text.splitlines(keepends=True):
        said.append(Said(line, place))
        place += len(line.encode())
    assert located(text, said) == [(0, 8), (8, 18), (18, 30)]


@given(st.lists(st.text("aé日\n", min_size=1), max_size=8), st.lists(st.integers(-5, 60), min_size=8, max_size=8))
def test_wrong_places_do_no_harm(pieces, places):
    text = "".join(pieces)
    spans = located(text, [Said(piece, place) for piece, place in zip(pieces, places, strict=False)])
    for (start, end), piece in zip(spans, pieces, strict=False):
        assert text[start:end] in pieces or piece
    covered = without_gaps(text, spans)
    lost = set(range(len(text))) - {place for start, end in covered for place in range(start, end)}
    assert not "".join(text[place] for place in lost).strip()


def test_what_is_left_out_goes_with_the_piece_before():
    text = "head aa, bb;  cc tail"
    spans = located(text, [Said("aa", 5), Said("bb", 9), Said("cc", 14)])
    assert [text[start:end] for start, end in without_gaps(text, spans)] == ["head aa, ", "bb;  ", "cc tail"]


def test_a_text_that_is_nowhere_is_covered_all_the_same():
    assert without_gaps("abcdef", located("abcdef", [Said("ab", 0), Said("\ufffdX", 2), Said("ef", 4)])) == [(0, 4), (4, 6)]
    assert without_gaps("abc", located("abc", [Said("x", 0)])) == [(0, 3)]


def test_surrogates_which_it_cannot_encode():
    text = "a\ud800b. c\udfffd! " * 30
    for kind in ("sentence", "recursive", "code"):
        assert_sound(text, chunks_of(text, f"chonkie(kind={kind}, size=40)"))


def remark_of(text, path):
    from collections import Counter

    remarks = Counter()
    chunks = chunk_documents(parse_chunker("chonkie(kind=code, size=100)"), [Document(path, text)], remarks)
    assert_sound(text, chunks)
    return list(remarks)


def test_code_in_a_language_nobody_knows():
    assert remark_of(PYTHON, "a.rb") == ["no grammar for .rb: cut as chonkie(kind=recursive) does"]
    assert remark_of(PYTHON, "a.py") == []


def test_code_that_is_nested_too_deeply_for_it():
    assert remark_of("(" * 5000 + ")" * 5000, "a.py") == ["nested too deeply for chonkie: cut into lines"]


@pytest.mark.parametrize(
    ("missing", "chunker"), [("chonkie", "chonkie"), ("tree_sitter_language_pack", "chonkie(kind=code)")]
)
def test_a_package_that_is_missing_is_one_line(missing, chunker, monkeypatch):
    monkeypatch.setattr(_extras, "find_spec", lambda name: None if name == missing else object())
    with pytest.raises(UsageError, match=r"pip install 'assay\[chonkie\]'$"):
        parse_chunker(chunker).check()


def test_code_may_exceed_its_size_and_says_so():
    text = "x = [\n" + "    1,\n" * 100 + "]\n"
    longest = max(map(len, texts_of("NAMES = '" + "word " * 99 + "'\n" + text, "chonkie(kind=code, size=50)", "a.py")))
    assert longest > 50
    (size,) = (param for param in parse_chunker("chonkie").chunker.params if param.name == "size")
    assert "code and sentence exceed it" in size.meaning
