"""longmemeval_turns: the same file with turns as documents; marked turns are the evidence."""

import json
from pathlib import Path

import pytest

from assay.datasets.format import Probe, load_dataset
from assay.datasets.formats.longmemeval import LONGMEMEVAL_TURNS, TURNS_EXAMPLE
from assay.model.records import Hit

from ._cases import write

GOLDEN = Path(__file__).parent / "samples" / "longmemeval_s.json"


@pytest.fixture(scope="module")
def golden():
    return load_dataset(GOLDEN, format="longmemeval_turns")


def test_it_is_chosen_by_name_alone(golden):
    assert not LONGMEMEVAL_TURNS.detect(Probe(GOLDEN))
    assert golden.format == "longmemeval_turns"


def test_a_turn_is_a_document_of_its_question(golden):
    document = golden.documents["c0ffee02/answer_02_1/3"]
    assert document.text == "user: I planted two pears."
    assert (document.group, document.section) == ("c0ffee02", "answer_02_1")
    assert document.metadata == {"date": "2024/05/24 (Fri) 07:30", "session_id": "answer_02_1"}
    assert len(golden.documents) == 15


def test_marked_turns_are_the_evidence(golden):
    assert {query.query_id: query.evidence for query in golden.queries.values()} == {
        "c0ffee01": ("c0ffee01/answer_01/1",),
        "c0ffee02": ("c0ffee02/answer_02_1/3", "c0ffee02/answer_02_2/1"),
        "c0ffee03_abs": (),
        "c0ffee04": (),
        "c0ffee05": (),
    }


def test_the_questions_are_those_of_the_sessions(golden):
    other = load_dataset(GOLDEN)
    assert golden.fingerprint("queries") == other.fingerprint("queries")
    for query_id, query in golden.queries.items():
        assert (query.expected, query.tags, query.scope) == (
            other.queries[query_id].expected,
            other.queries[query_id].tags,
            other.queries[query_id].scope,
        )


def test_a_question_without_marks_is_told(golden):
    lost = [note.what for note in golden.repairs if note.is_loss and note.place == "question c0ffee04"]
    assert lost[-2:] == [
        "no turn of session answer_04 is marked has_answer",
        "no turn is known to hold the answer: nothing to find",
    ]


def test_a_text_that_haystacks_share_is_held_once(golden):
    assert golden.documents["c0ffee01/filler_77/1"].text is golden.documents["c0ffee02/filler_77/1"].text


def test_a_marked_turn_counts_wherever_it_is(tmp_path):
    item = {
        "question_id": "q",
        "question_type": "multi-session",
        "question": "What?",
        "haystack_dates": ["one"],
        "haystack_session_ids": ["s"],
        "haystack_sessions": [[{"role": "user", "content": "Hello", "has_answer": True}]],
        "answer_session_ids": [],
    }
    dataset = LONGMEMEVAL_TURNS.read(write(tmp_path / "lme.json", json.dumps([item])))
    assert dataset.queries["q"].evidence == ("q/s/1",)
    assert [note.what for note in dataset.repairs] == [
        "turns of s are marked, but answer_session_ids does not name it; counted"
    ]


def test_the_example_reads(tmp_path):
    dataset = LONGMEMEVAL_TURNS.read(write(tmp_path / "example.json", TURNS_EXAMPLE))
    assert dataset.queries["c0ffee01"].evidence == ("c0ffee01/answer_01/1",)


@pytest.mark.parametrize(
    ("hit", "covered"),
    [
        (Hit("c0ffee02/answer_02_1/3"), "c0ffee02/answer_02_1/3"),
        (Hit("answer_02_1/3"), "c0ffee02/answer_02_1/3"),
        (Hit("answer_02_1_3"), "c0ffee02/answer_02_1/3"),
        (Hit("answer_02_1_3#0"), "c0ffee02/answer_02_1/3"),
        (Hit("c0ffee02/answer_02_1/3#0"), "c0ffee02/answer_02_1/3"),
        (Hit("c0ffee02/answer_02_1/2"), None),
        (Hit("c0ffee02/answer_02_1/31"), None),
        (Hit("c0ffee02/answer_02_1"), None),
        (Hit("answer_02_1"), None),
        (Hit("m", metadata={"turn_ids": ["answer_02_1/1", "answer_02_2/1"]}), "c0ffee02/answer_02_2/1"),
        (Hit("m", metadata={"session_id": "answer_02_1"}), None),
    ],
)
def test_a_hit_covers_the_turn_it_belongs_to(golden, hit, covered):
    query = golden.queries["c0ffee02"]
    assert golden.pack.is_relevant(query, hit) == ((covered,) if covered else ())
    assert golden.pack.n_evidence(query) == 2
