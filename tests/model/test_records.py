"""Records: queries, documents, judgments, hits and spans, as people write them down."""

import dataclasses
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from assay import DataError, Document, Hit, Query, RelevanceJudgment, Span
from assay.model.records import Pack

RECORDS = [
    Query("q1", "What is ML?", "factual", "easy", "science", {"lang": "en"}, "Learning from data", ["d1"], "g1"),
    Document("d1", "Text", "a.md", 3, "Intro", {"x": 1}, "Title", "g1"),
    RelevanceJudgment("q1", "d1", 3, "ann", "2024-01-01"),
    Hit("d1", 0.5, "Text", {"x": 1}),
    Span("a.py", 1, 3, "lines"),
]


def test_seed_001_query_document_and_judgment_take_these_fields_in_this_order():
    assert [field.name for field in dataclasses.fields(Query)][:6] == [
        *("query_id", "text", "query_type", "difficulty", "domain", "metadata")
    ]
    assert [field.name for field in dataclasses.fields(Document)][:6] == [
        *("doc_id", "text", "source", "page_number", "section", "metadata")
    ]
    assert [field.name for field in dataclasses.fields(RelevanceJudgment)] == [
        *("query_id", "doc_id", "relevance_grade", "judge", "timestamp")
    ]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_records_are_values(record):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, dataclasses.fields(record)[0].name, "other")
    assert pickle.loads(pickle.dumps(record)) == record
    assert dataclasses.replace(record) == record


@pytest.mark.parametrize("given", [7, np.int64(7), "7", np.str_("7")])
def test_whole_numbers_become_text_ids(given):
    ids = [Query(given).query_id, Document(given).doc_id]
    judgment = RelevanceJudgment(given, given)
    ids += [judgment.query_id, judgment.doc_id]
    assert ids == ["7"] * 4
    assert {type(one) for one in ids} == {str}


@pytest.mark.parametrize("bad", [None, 1.5, True, b"q", ("q",)], ids=repr)
@pytest.mark.parametrize(
    "make", [Query, Document, lambda bad: RelevanceJudgment(bad, "d"), lambda bad: RelevanceJudgment("q", bad)]
)
def test_ids_that_are_neither_text_nor_whole_numbers_are_refused(make, bad):
    with pytest.raises(DataError, match="an id is text or a whole number"):
        make(bad)


@pytest.mark.parametrize(
    ("grade", "kept", "kind"),
    [
        (3, 3, int),
        (0.5, 0.5, float),
        (-1, -1, int),
        (np.int64(2), 2.0, float),
        (np.float32(0.5), 0.5, float),
        (True, 1.0, float),
        (Fraction(1, 4), 0.25, float),
    ],
)
def test_a_grade_is_a_plain_finite_number(grade, kept, kind):
    found = RelevanceJudgment("q", "d", grade).relevance_grade
    assert found == kept
    assert type(found) is kind


@pytest.mark.parametrize(
    "grade", [None, "3", float("nan"), float("inf"), [1], 1j, 10**400], ids=lambda value: str(value)[:9]
)
def test_other_grades_are_refused_with_query_and_document(grade):
    with pytest.raises(DataError, match=r"the grade of document d for query q is .*; a grade is a finite number"):
        RelevanceJudgment("q", "d", grade)


def test_a_judgment_without_grade_says_relevant():
    assert RelevanceJudgment("q", "d").relevance_grade == 1


def test_evidence_is_kept_as_a_value():
    given = ["b", "a"]
    query = Query("q", evidence=given)
    given.append("c")
    assert query.evidence == ("b", "a")
    assert Query("q", evidence=[]).evidence == ()
    assert Query("q").evidence is None


def test_tags_in_a_list_or_a_map():
    """A list names tags, a map holds them; what stands beside wins over what stands within."""
    assert Query("q", metadata={"tags": ["critical", "slow", 3, None, ["x"], ""]}).tags == {
        "critical": "yes",
        "slow": "yes",
        "3": "yes",
    }
    assert Query("q", metadata={"tag": ("a",), "tags": {"kind": "hard", "deep": {"x": 1}}}).tags == {
        "a": "yes",
        "kind": "hard",
    }
    assert Query("q", metadata={"tags": ["lang"], "lang": "de"}).tags == {"lang": "de"}
    assert Query("q", metadata={"tags": "one", "codes": ["a"]}).tags == {"tags": "one"}


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (2.5, "2.5"),
        (0.7, "0.7"),
        (2.0, "2"),
        (-0.0, "0"),
        (1e300, "1e+300"),
        (np.float32(0.7), "0.7"),
        (np.float64(0.7), "0.7"),
        (np.int64(3), "3"),
        (np.True_, "True"),
        (Decimal("2.50"), "2.5"),
        (10**30, "1" + "0" * 30),
    ],
)
def test_numbers_are_tags_as_people_write_them(value, wanted):
    """A column of whole numbers with a gap is one of fractions in pandas."""
    assert Query("q", metadata={"t": value}).tags == {"t": wanted}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, [1], {"a": 1}, 1j], ids=repr)
def test_what_is_not_one_value_is_no_tag(value):
    assert Query("q", metadata={"t": value}).tags == {}


def test_metadata_with_several_values_are_known():
    query = Query("q", metadata={"a": [1, 2], "b": {"x"}, "c": [], "d": "text", "e": np.array([1]), "f": {"x": 1}})
    assert query.listed == ("a", "b", "e")


def test_tags_are_what_queries_can_be_sliced_by():
    query = Query(
        "q", "text", "factual", None, "science", {"lang": "de", "year": 2024, "ok": True, "n": None, "l": [1], "f": 0.5}
    )
    assert query.tags == {
        "query_type": "factual",
        "domain": "science",
        "lang": "de",
        "year": "2024",
        "ok": "True",
        "f": "0.5",
    }
    assert Query("q").tags == {}


def test_a_field_comes_before_metadata_of_its_name():
    assert Query("q", difficulty="easy", metadata={"difficulty": "hard"}).tags == {"difficulty": "easy"}


@pytest.mark.parametrize(
    ("document", "content"),
    [
        (Document("d", "Text"), "Text"),
        (Document("d", "Text", title="Title"), "Title\nText"),
        (Document("d", "Text", title=""), "Text"),
    ],
)
def test_content_is_title_and_text(document, content):
    assert document.content == content


def test_defaults():
    assert (Query(1).text, Document(1).text, Hit("d").score, Hit("d").text, Span("d", 0, 1).unit) == (
        "",
        "",
        0.0,
        None,
        "characters",
    )


def test_a_pack_is_two_functions_under_a_name():
    pack = Pack("mine", lambda query, hit: hit.doc_id in (query.evidence or ()), lambda query: len(query.evidence or ()))
    query = Query("q", evidence=["a"])
    assert (pack.is_relevant(query, Hit("a")), pack.is_relevant(query, Hit("b")), pack.n_evidence(query)) == (True, False, 1)
