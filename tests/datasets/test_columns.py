"""Columns: what a column of a table may be called, and what is said when it is missing."""

import pytest

from assay import DataError
from assay.files.columns import COLUMN_NAMES, find_columns, find_run_columns, is_header, is_table


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, names in COLUMN_NAMES.items() for name in names])
@pytest.mark.parametrize("spell", [str, str.upper, lambda name: name.replace("_", "-"), lambda name: f' "{name.title()}" '])
def test_every_known_name_is_found_in_every_spelling(role, name, spell):
    columns = ["first", spell(name), "last"]
    assert find_columns(columns, [role]) == {role: spell(name)}


def test_the_likeliest_name_wins():
    assert find_columns(["query", "qid", "query_id"], ["query"]) == {"query": "query_id"}
    assert find_columns(["score", "label"], ["grade"]) == {"grade": "label"}
    assert find_columns(["score"], ["grade"]) == {"grade": "score"}


def test_the_first_of_two_spellings_wins():
    assert find_columns(["QID", "qid"], ["query"]) == {"query": "QID"}


def test_what_is_optional_may_be_missing():
    assert find_columns(["qid"], ["query"], ["subtopic"]) == {"query": "qid"}
    assert find_columns(["qid", "aspect"], ["query"], ["subtopic"]) == {"query": "qid", "subtopic": "aspect"}


def test_what_is_needed_may_not():
    with pytest.raises(DataError, match=r"document.*'qid', 'text'.*doc_id, docid"):
        find_columns(["qid", "text"], ["query", "document"])


def test_a_run_has_a_score_or_a_rank():
    assert find_run_columns(["qid", "docid", "rank"]) == {"query": "qid", "document": "docid", "rank": "rank"}
    assert find_run_columns(["qid", "docid", "rank", "sim"])["score"] == "sim"
    with pytest.raises(DataError, match="score or the rank"):
        find_run_columns(["qid", "docid"])


@pytest.mark.parametrize(
    "line",
    [
        b"query_id,doc_id,score\r\n",
        b"query-id\tcorpus-id\tscore\n",
        b'"QID";"DOCNO";"x"',
        b"qid docid score",
        b"Query ID,Doc ID,Score",
        b"score, docid, qid",
    ],
)
def test_headers(line):
    assert is_header(line)


@pytest.mark.parametrize(
    "line", [b"", b"q1 Q0 d1 1 0.5 t", b"q1,d1,0.5", b"query,score", b"doc_id,score", b"\xff\xfe", b"query_ids,doc_id"]
)
def test_what_is_no_header(line):
    assert not is_header(line)


def test_tables():
    assert is_table({"qid": [], "docid": []})
    assert is_table(["qid", "docid"])
    assert not is_table({"q1": {}, "docid": {}})
    assert not is_table("qid docid")
    assert not is_table(5)
    assert not is_table({7: 1, None: 2})
