"""Records: queries, documents, judgments, hits, spans and chunks, as people write them down; their ids, numbers and tags."""

import dataclasses
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from types import SimpleNamespace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._variants import for_each

from assay import DataError, Document, Hit, Qrels, Query, RelevanceJudgment, Span, UsageError
from assay.model import (
    Chunk,
    FileNames,
    Tags,
    all_text,
    as_number,
    as_score,
    bool_field,
    first_field,
    is_finite_number,
    is_truth_value,
    normal_path,
    parse_number,
    text_id,
)

RECORDS = [
    Query("q1", "What is ML?", "factual", "easy", "science", {"lang": "en"}, "Learning from data", ["d1"], "g1"),
    Document("d1", "Text", "a.md", 3, "Intro", {"x": 1}, "Title", "g1"),
    RelevanceJudgment("q1", "d1", 3, "ann", "2024-01-01"),
    RelevanceJudgment("q1", "d1", 3, valid_from="2024-01-01", valid_to="2024-02-01T10:00Z"),
    Query("q1", time="2024-05-01"),
    Document("d1", time=1714556400),
    Hit("d1", 0.5, "Text", {"x": 1}),
    Span("a.py", 1, 3, "lines"),
    Chunk("a.py", 2, 10, 20, 3, 4, "text", "title", (1, 2), "group"),
]


def test_seed_001_query_document_and_judgment_take_these_fields_in_this_order():
    names = {kind: [field.name for field in dataclasses.fields(kind)] for kind in (Query, Document, RelevanceJudgment)}
    assert names[Query][:6] == ["query_id", "text", "query_type", "difficulty", "domain", "metadata"]
    assert names[Document][:6] == ["doc_id", "text", "source", "page_number", "section", "metadata"]
    assert names[RelevanceJudgment][:5] == ["query_id", "doc_id", "relevance_grade", "judge", "timestamp"]


@for_each("record", RECORDS)
def test_records_are_values(record):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, dataclasses.fields(record)[0].name, "other")
    assert pickle.loads(pickle.dumps(record)) == record
    assert dataclasses.replace(record) == record


def test_chunks_are_called_by_their_lines_and_parts_of_lines_by_their_columns_too():
    assert Chunk("src/client.py", 1, 100, 900, 12, 40, "…").chunk_id == "src/client.py:12-40"
    assert Chunk("notes.txt", 1, 0, 80, 3, 3, "…", columns=(1, 80)).chunk_id == "notes.txt:3.1-3.80"
    chunk = Chunk("a.py", 2, 10, 20, 3, 4, "def f(): …", "Cart.f", group="shop")
    place = {"doc_id": "a.py", "start": 10, "end": 20, "start_line": 3, "end_line": 4}
    assert chunk.to_document() == Document("a.py:3-4", "def f(): …", title="Cart.f", group="shop", metadata=place)


IDS = [
    *(("d7", "d7"), ("", ""), (" 7 ", " 7 "), ("Ä-日本", "Ä-日本"), (7, "7"), (-3, "-3"), (10**30, "1" + "0" * 30)),
    *((np.int64(7), "7"), (np.uint8(255), "255"), (np.str_("d7"), "d7")),
    *((UUID(int=7), "00000000-0000-0000-0000-000000000007"), (PurePosixPath("docs/user guide.md"), "docs/user guide.md")),
]
NO_IDS = [None, 7.0, np.float64(7), float("nan"), True, np.True_, b"d7", ("d7",), ["d7"], object()]


def test_text_and_whole_numbers_are_ids():
    for given_id, expected in IDS:
        judgment = RelevanceJudgment(given_id, given_id)
        found = [text_id(given_id), Query(given_id).query_id, Document(given_id).doc_id, judgment.query_id, judgment.doc_id]
        assert found == [expected] * 5
        assert {type(one) for one in found} == {str}
    assert all_text(["a", "b"])
    assert not all_text(["a", np.str_("b")])  # a subclass may hash the same, but it is not what readers write
    assert not all_text(["a", 7])


def test_anything_else_is_refused_and_shown():
    for refused in NO_IDS:
        with pytest.raises(DataError) as caught:
            text_id(refused)
        assert repr(refused) in str(caught.value)
        for make in (Query, Document, lambda bad: RelevanceJudgment(bad, "d"), lambda bad: RelevanceJudgment("q", bad)):
            with pytest.raises(DataError):
                make(refused)


@given(st.dictionaries(st.integers(-5, 5) | st.integers(-5, 5).map(str), st.integers(-(2**53), 2**53)))
def test_no_value_is_ever_lost_silently(grades):
    if len({str(key) for key in grades}) < len(grades):
        with pytest.raises(DataError):
            Qrels({"q": grades})
    else:
        assert list(Qrels({"q": grades})["q"].items()) == [(str(key), value) for key, value in grades.items()]


PATHS = {
    "a/b.py": "a/b.py",
    "./a/b.py": "a/b.py",
    "a\\b.py": "a/b.py",
    ".\\a\\.\\b.py": "a/b.py",
    "a//b/../c.py": "a/c.py",
    "A/B.py": "A/B.py",
    "/a/b.py": "/a/b.py",
    "": "",
}
KNOWN = ["src/a/util.py", "src/b/util.py", "src/main.py", "readme.md"]
MEANT = {
    "src/main.py": "src/main.py",
    ".\\src\\main.py": "src/main.py",
    "main.py": "src/main.py",
    "/home/me/repo/src/main.py": "src/main.py",
    "a/util.py": "src/a/util.py",
    "repo/src/b/util.py": "src/b/util.py",
    "docs/readme.md": "readme.md",
    **dict.fromkeys(("util.py", "src/util.py", "SRC/main.py", "ain.py", "main.pyc", "")),
}


def test_a_path_means_a_file_where_only_one_can_be_meant():
    assert {path: normal_path(path) for path in PATHS} == PATHS
    assert {path: FileNames(KNOWN).match([path])[path] for path in MEANT} == MEANT
    for files, voices, expected in (
        (KNOWN, [["docs/readme.md", "web/readme.md"]], [None, None]),  # longer paths rule each other out
        (KNOWN, [["docs/readme.md", "readme.md"]], [None, "readme.md"]),
        (["c.py", "b/c.py"], [["x/b/c.py", "x/c.py"]], ["b/c.py", "c.py"]),  # the longest ending decides
        ([".\\a.py"], [["a.py"]], [".\\a.py"]),  # names come back as they are known
        ([], [["a.py"]], [None]),
        (["src/a.py"], [["repo/src/a.py", "./repo/src/a.py", "repo\\src\\a.py"]], ["src/a.py"] * 3),  # one claim
        (["a.py"], [["a.py", "repo/a.py"]], ["a.py", None]),  # one voice that has both tells them apart
        (["a.py"], [["a.py"], ["repo/a.py"]], ["a.py", "a.py"]),  # two that have one each do not
        (["a.py"], [["x/a.py"], ["y/a.py"]], [None, None]),
    ):
        assert list(FileNames(files).match(*voices).values()) == expected, voices
    assert (FileNames([]).n_files, FileNames(KNOWN).n_files) == (0, 4)


NUMBERS = [
    *((2, 2.0), (np.float32(0.5), 0.5), (Decimal("2.50"), 2.5), (Fraction(1, 4), 0.25), (np.array(3), 3.0)),
    *((np.array(Decimal("1.5"), dtype=object), 1.5), (True, 1.0), (np.False_, 0.0)),
]
NO_NUMBERS = [
    *("2", b"2", None, float("nan"), Decimal("nan"), Decimal("sNaN"), 10**400, 1j, np.complex64(1), [2], np.array([2])),
    np.str_("2"),
]
READ = {" 1 ": 1.0, "+2": 2.0, ".5": 0.5, "1e3": 1000.0, "-inf": float("-inf")}


def test_what_is_a_number():
    assert [as_number(value) for value, _ in NUMBERS] == [expected for _, expected in NUMBERS]
    assert [(as_number(value), is_finite_number(value)) for value in NO_NUMBERS] == [(None, False)] * len(NO_NUMBERS)
    for value in (True, False, np.True_, np.array(True)):  # a truth value is no score
        assert (is_truth_value(value), as_score(value)) == (True, None)
        with pytest.raises(TypeError):
            parse_number(value)
    assert not any(map(is_truth_value, (0, 1.0, "true", None, np.array(1))))
    assert {text: parse_number(text) for text in READ} == READ
    for text in ("1_0", "٢", "１", "\u00a01", "", "x", "0x10", "1,5"):  # as other tools have it
        with pytest.raises(ValueError):
            parse_number(text)


def test_a_grade_is_a_plain_finite_number():
    kinds = [(3, int), (0.5, float), (-1, int), (np.int64(2), float), (np.float32(0.5), float), (True, float)]
    for grade, kind in [*kinds, (Fraction(1, 4), float)]:
        found = RelevanceJudgment("q", "d", grade).relevance_grade
        assert (found, type(found)) == (grade, kind)
    for grade in (None, "3", float("nan"), float("inf"), [1], 1j, 10**400):
        with pytest.raises(DataError, match="document d for query q"):
            RelevanceJudgment("q", "d", grade)


def test_empty_cells_say_nothing():
    for nothing in (None, "", "  ", float("nan"), np.float64("nan")):
        assert first_field({"a": nothing, "b": 0}, ("a", "b")) == ("b", 0)
        assert first_field({"a": nothing}, ("a", "b")) == ("", None)
        assert bool_field({"a": nothing}, ("a",)) is None
    assert first_field({"b": [], "a": "x"}, ("b", "a")) == ("b", [])
    for value in (True, "TRUE", " yes ", "on", 1, 1.0, np.bool_(True)):
        assert bool_field({"gated": value}, ("skipped", "gated")) is True
    for value in (False, "no", "off", "0", 0.0, np.False_):
        assert bool_field({"gated": value}, ("skipped", "gated")) is False
    for value in ("maybe", 2, [True], 0.5):
        with pytest.raises(DataError, match="gated"):
            bool_field({"gated": value}, ("gated",))


FACTS = {"lang": "de", "year": 2024, "ok": True, "n": None, "l": [1], "f": 0.5}
TAGS = [  # metadata, tags: a list names tags, a map holds them; what stands beside wins over what stands within
    (FACTS, {"lang": "de", "year": "2024", "ok": "True", "f": "0.5"}),
    ({"tags": ["critical", "slow", 3, None, ["x"], ""]}, {"critical": "yes", "slow": "yes", "3": "yes"}),
    ({"tag": ("a",), "tags": {"kind": "hard", "deep": {"x": 1}}}, {"a": "yes", "kind": "hard"}),
    ({"tags": ["lang"], "lang": "de"}, {"lang": "de"}),
    ({"tags": "one", "codes": ["a"]}, {"tags": "one"}),
    *(
        ({"t": value}, {"t": expected})  # numbers as people write them: whole ones with a gap are fractions in pandas
        for value, expected in [
            *((2.5, "2.5"), (0.7, "0.7"), (2.0, "2"), (-0.0, "0"), (1e300, "1e+300"), (np.float32(0.7), "0.7")),
            *((np.int64(3), "3"), (np.True_, "True"), (Decimal("2.50"), "2.5"), (10**30, "1" + "0" * 30)),
        ]
    ),
    *(({"t": value}, {}) for value in (float("nan"), float("inf"), None, [1], {"a": 1}, 1j)),
]


def test_tags_are_what_queries_can_be_sliced_by():
    for metadata, tags in TAGS:
        assert Query("q", metadata=metadata).tags == tags, metadata
    assert Query("q", "text", "factual", None, "science").tags == {"query_type": "factual", "domain": "science"}
    assert Query("q", difficulty="easy", metadata={"difficulty": "hard"}).tags == {"difficulty": "easy"}
    several = {"a": [1, 2], "b": {"x"}, "c": [], "d": "text", "e": np.array([1]), "f": {"x": 1}}
    assert Query("q", metadata=several).listed == ("a", "b", "e")


def tags_of_queries(*metadata):
    queries = {f"q{place}": Query(f"q{place}", metadata=one) for place, one in enumerate(metadata, 1)}
    return Tags.of([SimpleNamespace(query_ids=tuple(queries), queries=queries)])


def test_what_a_list_names_can_be_sliced_by_and_the_list_itself_cannot(snapshots):
    tags = tags_of_queries({"tags": ["critical", "slow"]}, {"tags": ["slow"]}, {"tags": []})
    assert tags.names == ("critical", "slow")
    found = [(one.label, one.queries) for one in tags.slices(["critical"])]
    assert found == [("critical=yes", ("q1",)), ("critical=(none)", ("q2", "q3"))]
    lists = {"tags": tags, "codes": tags_of_queries({"codes": ["a"]})}
    for name, some in lists.items():  # a query would be in two slices
        with pytest.raises(UsageError):
            some.named(name)
    cases = {name: lambda name=name, some=some: some.named(name) for name, some in lists.items()}
    snapshots.check_errors("model/tags", cases)
