"""Places: where chunks stand, told by their metadata, by hits, or by their ids."""

import numpy as np
import pytest

from assay import DataError
from assay.model.records import Document, Hit
from assay.views.chunk_locations import Place, Places, place_in

TEXT = "one\ntwo\nthree\nfour\n"
FILES = {"src/a.py": Document("src/a.py", TEXT)}
CHUNK = Document("c1", "two\n", metadata={"doc_id": "src/a.py", "start": 4, "end": 8, "start_line": 2, "end_line": 2})


def bounds(places, *ids):
    """File and the four bounds of each chunk."""
    numbers = places.numbers(ids)
    files, columns = places.arrays
    return [None if number < 0 else (int(files[number]), *columns[number].tolist()) for number in numbers.tolist()]


@pytest.mark.parametrize(
    ("metadata", "place"),
    [
        (CHUNK.metadata, Place("src/a.py", (4, 8), (1, 2))),
        ({"path": "a", "start_line": 2, "end_line": 4}, Place("a", lines=(1, 4))),
        ({"file": "a", "start_char": 2, "end_char": 4}, Place("a", (2, 4))),
        ({"file_path": "a", "start": np.int64(2), "end": np.int64(4)}, Place("a", (2, 4))),
        ({"file": "a", "start": 4, "end": 2}, None),
        ({"file": "a", "start": True, "end": 2}, None),
        ({"file": "a", "start": "1", "end": "2"}, None),
        ({"file": "a", "start_line": 0, "end_line": 2}, None),
        ({"file": "a"}, None),
        ({"start": 1, "end": 2}, None),
        ({"file": 7, "start": 1, "end": 2}, None),
        ({}, None),
        (None, None),
    ],
)
def test_what_metadata_tell(metadata, place):
    assert place_in(metadata) == place


def test_lines_may_be_counted_from_0():
    assert place_in({"file": "a", "start_line": 0, "end_line": 2}, base=0) == Place("a", lines=(0, 3))


def test_chunks_and_whole_files():
    places = Places({"c1": CHUNK, **FILES})
    assert bounds(places, "c1", "src/a.py", "x") == [(0, 4, 8, 1, 2), (0, 0, 19, 0, 4), None]
    assert (places.are_chunks, places.n_corpus, places.n_read, places.n_files) == (True, 2, 0, 1)
    assert not Places(FILES).are_chunks
    assert not Places({}).are_chunks


@pytest.mark.parametrize(
    ("chunk", "expected"),
    [
        ("src/a.py:2-3", (4, 14, 1, 3)),
        ("a.py:2", (4, 8, 1, 2)),
        ("./src\\a.py:2-2", (4, 8, 1, 2)),
        ("repo/src/a.py#L2-L3", (4, 14, 1, 3)),
        ("src/a.py#L4", (14, 19, 3, 4)),
        ("src/a.py:2.2-3.2", (5, 10, 1, 3)),
        ("src/a.py:2.1-2.3", (4, 7, 1, 2)),
        ("src/a.py:3-99", (8, 19, 2, 99)),
        ("gone.py:2-3", (-1, -1, 1, 3)),
        ("C:\\x\\b.py:2-3", (-1, -1, 1, 3)),
    ],
)
def test_what_ids_tell(chunk, expected):
    (found,) = bounds(Places(FILES), chunk)
    assert found[1:] == expected
    assert (found[0] == bounds(Places(FILES), "src/a.py")[0][0]) == ("a.py" in chunk)


@pytest.mark.parametrize(
    "chunk", ["x", "src/a.py:3-2", "src/a.py:0-2", "src/a.py:", ":3", "src/a.py:3-", "a.py:99999999999", ""]
)
def test_what_ids_do_not_tell(chunk):
    assert Places(FILES).numbers([chunk]).tolist() == [-1]


def test_ids_of_chunks_that_are_documents_are_not_read():
    odd = Document("src/a.py:1-1", "two\n", metadata=CHUNK.metadata)
    assert bounds(Places({odd.doc_id: odd}), odd.doc_id) == [(0, 4, 8, 1, 2)]


def test_another_base_is_another_reading_of_ids_alone():
    places = Places({"c1": CHUNK}, FILES)
    assert places.based(1) is places
    assert bounds(places.based(0), "c1", "src/a.py:1-2") == [(0, 4, 8, 1, 2), (0, 4, 14, 1, 3)]
    assert places.based(0).numbers(["src/a.py:0-0"]).tolist() == [1]


def test_hits_may_tell_it():
    hit = Hit("x", metadata={"path": "a.py", "start_line": 1, "end_line": 2})
    bare = Hit("y", metadata={"colour": "red"})
    assert bounds(Places(FILES, hits=[hit, bare]), "x", "y") == [(0, 0, 8, 0, 2), None]


def test_what_is_asked_twice_is_read_once():
    places = Places(FILES)
    assert places.numbers(["a.py:1-2", "a.py:3-3", "a.py:1-2"]).tolist() == [1, 2, 1]
    assert places.numbers(["a.py:3-3", "a.py:4-4"]).tolist() == [2, 3]
    assert places.n_read == 3
    assert places.ids([1, 3]) == ["a.py:1-2", "a.py:4-4"]
    assert len(places.arrays[0]) == 4


def test_files_that_can_only_be_one():
    places = Places(FILES)
    assert places.file_numbers(["a.py", "src/a.py", "b.py", "./b.py"]) == [0, 0, 1, 1]
    assert (places.is_known("a.py"), places.is_known("b.py")) == (True, False)
    assert places.lines_of("a.py").n_lines == 4
    assert places.lines_of("b.py") is None


def test_words_are_counted_in_the_text_of_each_chunk():
    hit = Hit("x", text="three small words", metadata={"path": "a.py", "start_line": 1, "end_line": 2})
    places = Places({"c1": CHUNK}, FILES, [hit])
    assert places.tokens(places.numbers(["c1", "x", "a.py:1-4", "nowhere", "c1"])).tolist() == [1, 3, 4, 0, 1]


def test_a_chunk_without_text_cannot_be_paid_for():
    places = Places({})
    with pytest.raises(DataError, match=r"text of every chunk, and that of 'b.py:1-2' is not known"):
        places.tokens(places.numbers(["b.py:1-2"]))


def test_a_unit_that_nobody_knows_is_refused():
    places = Places({})
    numbers = places.numbers(["b.py:1-2"])
    assert [column.tolist() for column in places.within(numbers, "lines")] == [[0], [2]]
    with pytest.raises(DataError, match=r"how many characters the chunk 'b.py:1-2' has is not known.*unit=lines"):
        places.within(numbers, "characters")


@pytest.mark.parametrize(
    "batches", [[["x/c.py:1-1", "y/c.py:1-1"]], [["x/c.py:1-1"], ["y/c.py:1-1"]], [["y/c.py:1-1"], ["x/c.py:1-1"]]]
)
def test_which_file_is_meant_does_not_depend_on_what_is_asked_first(batches):
    places = Places({"c.py": Document("c.py", "one\ntwo\n")})
    for ids in batches:
        places.numbers(ids)
        assert len(places.arrays[0]) == places.n_read + 1
    files = dict(zip(places.ids(range(3)), places.arrays[0].tolist(), strict=True))
    assert len(set(files.values())) == 3
    assert not places.is_known("x/c.py")


def test_files_that_nobody_has():
    places = Places({"src/a.py": Document("src/a.py", "one\ntwo\n")})
    assert places.files_nobody_has(places.numbers(["SRC/a.py:1-1", "src/a.py:1-2", "src/a.py", "?"])) == ["SRC/a.py"]
    nothing = Places({})
    assert nothing.files_nobody_has(nothing.numbers(["a.py:1-1"])) == []
