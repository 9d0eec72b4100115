"""evidence_pack: which evidence a hit covers, whatever a system calls its hits."""

import pytest

from assay.datasets.evidence import FIELDS, evidence_pack
from assay.model.records import Hit, Query

DOCUMENTS = {f"conv/D1:{number}" for number in range(1, 31)} | {"conv/a", "conv/a_1", "other/D1:3"}
PACK = evidence_pack("p", DOCUMENTS)
QUERY = Query("q", evidence=("conv/D1:3", "conv/D1:4", "conv/a"), scope="conv")


@pytest.mark.parametrize(
    ("doc_id", "covered"),
    [
        ("conv/D1:3", "conv/D1:3"),
        ("D1:3", "conv/D1:3"),
        ("conv/D1:3#0", "conv/D1:3"),
        ("conv/D1:3_chunk_2", "conv/D1:3"),
        ("D1:3/1", "conv/D1:3"),
        ("conv/D1:30", None),
        ("D1:30#0", None),
        ("conv/D1:5", None),
        ("other/D1:3", None),
        ("conv/D1", None),
        ("conv", None),
        ("conv/a#1", "conv/a"),
        ("conv/a_1", None),
        ("conv/a_1#0", None),
        ("conv/a_2", "conv/a"),
        ("conv/ab", None),
        ("", None),
        ("/", None),
    ],
)
def test_a_hit_covers_the_longest_document_it_is_part_of(doc_id, covered):
    assert PACK.is_relevant(QUERY, Hit(doc_id)) == ((covered,) if covered else ())


@pytest.mark.parametrize(
    ("metadata", "covered"),
    [
        ({"dia_id": "D1:3"}, ["conv/D1:3"]),
        ({"turn_ids": ["D1:1", "D1:4", "D1:3"]}, ["conv/D1:4", "conv/D1:3"]),
        ({"turn_ids": ["D1:4#0", "D1:4#1", "D1:4"]}, ["conv/D1:4"]),
        ({"turn_ids": ["D1:4"], "dia_id": "D1:3"}, ["conv/D1:3", "conv/D1:4"]),  # in the order of the fields
        ({"turn_ids": ("conv/D1:3",)}, ["conv/D1:3"]),
        ({"turn_ids": [7, None, {}]}, []),
        ({"turn_ids": []}, []),
        ({"elsewhere": "D1:3"}, []),
        ({}, []),
        (None, []),
    ],
)
def test_metadata_name_the_evidence_where_the_id_does_not(metadata, covered):
    assert PACK.is_relevant(QUERY, Hit("chunk 9", metadata=metadata)) == tuple(covered)


@pytest.mark.parametrize(
    ("doc_id", "metadata", "covered"),
    [
        ("D1:4", {"dia_id": "D1:3"}, ["conv/D1:4", "conv/D1:3"]),
        ("D1:4", {"dia_id": "D1:4", "turn_ids": ["D1:4#1", "a"]}, ["conv/D1:4", "conv/a"]),
        ("D1:5", {"dia_id": "D1:3"}, ["conv/D1:3"]),  # a document that is no evidence
        ("D1:4", {"dia_id": "D1:5"}, ["conv/D1:4"]),
    ],
)
def test_a_hit_covers_what_its_id_and_its_metadata_name_each_once_the_id_first(doc_id, metadata, covered):
    assert PACK.is_relevant(QUERY, Hit(doc_id, metadata=metadata)) == tuple(covered)


def test_bare_ids_need_a_scope():
    query = Query("q", evidence=("conv/D1:3",))
    assert PACK.is_relevant(query, Hit("D1:3")) == ()
    assert PACK.is_relevant(query, Hit("conv/D1:3#0")) == ("conv/D1:3",)


def test_evidence_need_not_be_among_the_documents():
    query = Query("q", evidence=["gone/x"], scope="gone")
    assert PACK.is_relevant(query, Hit("x#2")) == ("gone/x",)


@pytest.mark.parametrize(("evidence", "count"), [(None, None), ((), 0), (("a", "b", "a"), 2)])
def test_distinct_evidence_is_counted(evidence, count):
    query = Query("q", evidence=evidence)
    assert PACK.n_evidence(query) == count


@pytest.mark.parametrize("evidence", [None, ()])
def test_without_evidence_nothing_is_covered(evidence):
    assert PACK.is_relevant(Query("q", evidence=evidence, scope="conv"), Hit("D1:3")) == ()


def test_the_fields_are_these():
    assert FIELDS == (
        "evidence",
        "dia_id",
        "dia_ids",
        "turn_id",
        "turn_ids",
        "session_id",
        "session_ids",
        "answerCorpusIds",
        "answer_corpus_ids",
    )


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", ["D1:3", ["D1:5", "D1:3"], ("conv/D1:3#2",)], ids=repr)
def test_every_field_is_read_whatever_the_pack_is_called(field, value):
    for name in ("locomo", "longmemeval", "evidence"):
        assert evidence_pack(name, DOCUMENTS).is_relevant(QUERY, Hit("m", metadata={field: value})) == ("conv/D1:3",)


TURNS = {"q/session/3", "q/session/30", "q/answer_02/1", "q/answer_02_1/3"}


@pytest.mark.parametrize(
    ("given", "covered"),
    [
        ("session_3", "q/session/3"),
        ("q/session_3", "q/session/3"),
        ("session/3", "q/session/3"),
        ("session_3#0", "q/session/3"),
        ("session_30", "q/session/30"),
        ("session_4", None),
        ("session_3b", None),
        ("answer_02_1", "q/answer_02/1"),
        ("answer_02_1_3", "q/answer_02_1/3"),
        ("answer_02_1/3", "q/answer_02_1/3"),
        ("answer_02_3", None),
    ],
)
def test_a_turn_may_be_written_behind_an_underscore(given, covered):
    query = Query("q", evidence=sorted(TURNS), scope="q")
    for hit in (Hit(given), Hit("m", metadata={"turn_ids": [given]})):
        assert evidence_pack("p", TURNS).is_relevant(query, hit) == ((covered,) if covered else ())


def test_another_spelling_is_tried_second():
    both = {"q/s_3", "q/s/3"}
    query = Query("q", evidence=["q/s/3", "q/s_3"], scope="q")
    assert evidence_pack("p", both).is_relevant(query, Hit("s_3")) == ("q/s_3",)
    assert evidence_pack("p", both).is_relevant(query, Hit("s/3")) == ("q/s/3",)
