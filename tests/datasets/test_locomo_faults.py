"""locomo: faults say where and what, and no evidence vanishes silently."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.formats.locomo import FORMAT
from assay.errors import DataError
from assay.model.records import Hit

from ._cases import write
from ._locomo import TURN, losses, read, sample

# Faults


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[{", "c.json:1: input data was truncated"),
        ('[\n{"qa": nope}]', "c.json:2: "),
        ("[]", "there is no query in it"),
        ("[7]", "c.json, conversation 1: expected an object with conversation and qa, found 7"),
        ('"text"', "expected an object with conversation and qa, found 'text'"),
        ('{"sample_id": 1.5, "qa": []}', "sample_id: an id is text or a whole number, not 1.5"),
        ('{"sample_id": "c", "qa": []}', "c: expected sessions"),
        ('{"sample_id": "c", "conversation": []}', "c: expected conversation to be an object"),
        ('{"sample_id": "c", "session_1": [], "qa": 1}', "c: expected qa to be a list of questions, found 1"),
        ('{"sample_id": "c", "session_1": {}}', "c, session 1: expected a list of turns, found {}"),
        ('{"sample_id": "c", "session_1": ["hi"]}', "c, session 1, turn 1: expected an object with speaker"),
        ('{"sample_id": "c", "session_1": [{"text": 1}]}', "c, session 1, turn 1: expected text, found 1"),
        ('{"sample_id": "c", "session_1": [], "qa": [null]}', "c, question 1: expected an object with question"),
    ],
)
def test_a_fault_says_where_and_what_was_expected(tmp_path, content, message):
    with pytest.raises(DataError) as error:
        FORMAT.read(write(tmp_path / "c.json", content))
    assert message in str(error.value)


def test_two_conversations_of_one_id_are_a_fault(tmp_path):
    with pytest.raises(DataError, match="two conversations have this sample_id"):
        read(tmp_path, sample(), sample())


def test_turns_of_two_conversations_never_share_an_id(tmp_path):
    other = sample(session_1=[{**TURN, "dia_id": "d/D1:1"}])
    with pytest.raises(DataError, match="c/d/D1:1 is a turn of another conversation as well"):
        read(tmp_path, other, sample(sample_id="c/d"))


def test_faults_are_raised_together_up_to_twenty(tmp_path):
    with pytest.raises(DataError, match=r"c\.json: 2 faults") as error:
        read(tmp_path, 1, 2)
    assert len(error.value.faults) == 2
    with pytest.raises(DataError, match="20 faults or more"):
        read(tmp_path, *range(50))


def test_a_folder_without_json_is_a_fault(tmp_path):
    with pytest.raises(DataError, match=r"there is no \.json file"):
        FORMAT.read(tmp_path)


# Laws


NUMBER = st.integers(0, 4)
ID = st.builds("{}{}{}:{}".format, st.sampled_from(["D", "D:", "d", "", "X"]), NUMBER, st.just(""), NUMBER)
TEXT = st.one_of(ID, st.builds("{}{}{}".format, ID, st.sampled_from(["; ", " ", ",", "", "  "]), ID), st.text(max_size=6))
EVIDENCE = st.recursive(st.one_of(TEXT, st.integers(), st.none()), lambda one: st.lists(one, max_size=3), max_leaves=6)
TURNS = st.lists(
    st.fixed_dictionaries({"text": st.text(max_size=5)}, optional={"dia_id": ID, "speaker": st.just("Ada")}), max_size=4
)
QUESTIONS = st.lists(
    st.fixed_dictionaries({"question": st.text(max_size=5)}, optional={"evidence": EVIDENCE, "category": NUMBER}), max_size=4
)


@given(st.dictionaries(st.builds("session_{}".format, NUMBER), TURNS, min_size=1), QUESTIONS.filter(bool))
def test_every_question_is_kept_and_no_evidence_vanishes_silently(tmp_path_factory, sessions, questions):
    path = tmp_path_factory.mktemp("c") / "c.json"
    dataset = FORMAT.read(write(path, json.dumps([{"sample_id": "c", "conversation": sessions, "qa": questions}])))
    assert [query.text for query in dataset.queries.values()] == [
        one["question"] if one["question"].strip() else "" for one in questions
    ]
    for number, (query, given_fields) in enumerate(zip(dataset.queries.values(), questions, strict=True), 1):
        assert (query.evidence is None) == (given_fields.get("evidence") is None)
        assert set(query.evidence or ()) <= set(dataset.in_scope(query))
        assert len(set(query.evidence or ())) == len(query.evidence or ())
        if not query.evidence:
            assert losses(dataset, f"c, question {number}")
        assert dataset.pack.n_evidence(query) == (None if query.evidence is None else len(query.evidence))
        for hit in (*dataset.documents, "D1:1", "D1:1#0", "c/D1", "x"):
            found = dataset.pack.is_relevant(query, Hit(hit, metadata={"turn_ids": ["D2:2", hit]}))
            assert set(found) <= set(query.evidence or ())
