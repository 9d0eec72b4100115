"""longmemeval and longmemeval_turns: a haystack per question; what its lists get wrong is mended or told."""

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Hit
from assay.datasets import detect_format, load_dataset

from ._benchmarks import SAMPLES
from ._cases import write
from ._faults import HELLO, OTHER, haystack
from ._files import put

SAMPLE = SAMPLES / "longmemeval_s.json"
FORMATS = ("longmemeval", "longmemeval_turns")


@pytest.fixture(scope="module")
def golden():
    return load_dataset(SAMPLE)


@pytest.fixture(scope="module")
def turns():
    return load_dataset(SAMPLE, "longmemeval_turns")


def load(folder, *items, name="longmemeval"):
    return load_dataset(put(folder / "lme.json", items), name)


def one(folder, **fields):
    """The only question of a file, its dataset, losses and repairs."""
    dataset = load(folder, haystack(**fields))
    assert {note.place for note in dataset.repairs} <= {"question q"}
    lost = [note.what for note in dataset.repairs if note.is_loss]
    mended = [note.what for note in dataset.repairs if not note.is_loss]
    return dataset.queries["q"], dataset, lost, mended


def told(dataset):
    return "".join(f"{note.place}: {note.what}{' (lost)' if note.is_loss else ''}\n" for note in dataset.repairs)


# --- the sample ------------------------------------------------------------------------------------------------------


def test_the_sample_by_session(golden):
    document = golden.documents["c0ffee01/answer_01"]
    assert document.text == "user: My cat Miso will not eat.\nassistant: Try warming the food.\nSome cats like that. 🐈"
    assert document.group == "c0ffee01"
    assert document.metadata == {"date": "2024/05/20 (Mon) 02:21", "session_id": "answer_01"}
    assert len(golden.documents) == 10
    assert {query.query_id: (query.expected, query.evidence) for query in golden.queries.values()} == {
        "c0ffee01": ("Miso", ("c0ffee01/answer_01",)),
        "c0ffee02": ("5", ("c0ffee02/answer_02_1", "c0ffee02/answer_02_2")),
        "c0ffee03_abs": ("You did not mention a boat.", ()),
        "c0ffee04": ("Ghent", ("c0ffee04/answer_04",)),
        "c0ffee05": ("One without caffeine.", ()),
    }
    assert all(query.scope == query.query_id for query in golden.queries.values())
    assert set(golden.in_scope(golden.queries["c0ffee04"])) == {"c0ffee04/answer_04", "c0ffee04/filler_80"}
    abstention = golden.queries["c0ffee03_abs"]
    assert (abstention.metadata["answerable"], abstention.metadata["answer_session_ids"]) == (False, ["answer_03"])
    assert abstention.tags["query_type"] == "temporal-reasoning"
    assert golden.queries["c0ffee01"].metadata == {"answerable": True, "question_date": "2024/05/30 (Thu) 23:40"}
    assert golden.documents["c0ffee01/filler_77"].text is golden.documents["c0ffee02/filler_77"].text  # held once


def test_the_sample_by_turn(golden, turns):
    document = turns.documents["c0ffee02/answer_02_1/3"]
    assert document.text == "user: I planted two pears."
    assert (document.group, document.section) == ("c0ffee02", "answer_02_1")
    assert document.metadata == {"date": "2024/05/24 (Fri) 07:30", "session_id": "answer_02_1"}
    assert len(turns.documents) == 15
    assert {query.query_id: query.evidence for query in turns.queries.values()} == {
        "c0ffee01": ("c0ffee01/answer_01/1",),
        "c0ffee02": ("c0ffee02/answer_02_1/3", "c0ffee02/answer_02_2/1"),
        "c0ffee03_abs": (),
        "c0ffee04": (),
        "c0ffee05": (),
    }
    assert turns.fingerprint("queries") == golden.fingerprint("queries")
    for query_id, query in turns.queries.items():
        other = golden.queries[query_id]
        assert (query.expected, query.tags, query.scope) == (other.expected, other.tags, other.scope)
    assert turns.documents["c0ffee01/filler_77/1"].text is turns.documents["c0ffee02/filler_77/1"].text


def test_everything_mended_and_lost_is_told_with_its_place(snapshots, golden, turns):
    snapshots.check("datasets/repairs_of_longmemeval", f"By session\n{told(golden)}\nBy turn\n{told(turns)}")


def test_a_file_without_an_ending_is_recognised(tmp_path):
    shutil.copy(SAMPLE, tmp_path / "longmemeval_m")
    assert detect_format(tmp_path / "longmemeval_m").name == "longmemeval"


def test_json_keeps_the_scores_of_hits_that_go_by_bare_ids_or_metadata(tmp_path):
    run = {
        "c0ffee01": [Hit("x"), Hit("answer_01_1", -1.0)],
        "c0ffee02": [Hit("answer_02_1_3"), Hit("m", -1.0, metadata={"answerCorpusIds": ["answer_02_2/1"]})],
    }
    metrics = ("mrr", "recall", "ndcg@10")
    for name in FORMATS:
        dataset = load_dataset(SAMPLE, name)
        dataset.save_json(tmp_path / "d.json")
        again = load_dataset(tmp_path / "d.json")
        before, after = (assay.evaluate(some, run, metrics, relevance="pack") for some in (dataset, again))
        assert [before.scores(metric) for metric in metrics] == [after.scores(metric) for metric in metrics]
        assert before.relevance == after.relevance
        assert (before.scores("mrr")["c0ffee01"], before.scores("recall")["c0ffee02"]) == (0.5, 1.0), name


# --- odd haystacks ---------------------------------------------------------------------------------------------------


def test_what_is_fine_is_not_noted(tmp_path):
    other = haystack(question_id="r", haystack_sessions=[OTHER, OTHER])
    dataset = load(tmp_path, haystack(), other)
    assert dataset.repairs == []
    assert (dataset.documents["q/s1"].text, dataset.documents["r/s1"].text) == ("user: Hello", "user: Bye")


def test_sessions_of_one_id_are_told_apart(tmp_path):
    query, dataset, lost, mended = one(tmp_path, haystack_session_ids=["s1", "s1"])
    texts = {doc_id: document.text for doc_id, document in dataset.documents.items()}
    assert texts == {"q/s1": "user: Hello", "q/s1~": "user: Bye"}
    assert query.evidence == ("q/s1",)
    assert lost == ["a different session is called s1 as well; it is called s1~ here"]
    assert mended == ["of the sessions called s1, the one with marked turns holds the answer: s1"]
    query, *_ = one(tmp_path, haystack_session_ids=["s1", "s1"], haystack_sessions=[OTHER, HELLO])
    assert query.evidence == ("q/s1~",)
    third = [{"role": "user", "content": "Third"}]
    query, _, lost, _ = one(tmp_path, haystack_session_ids=["s1", "s1"], haystack_sessions=[OTHER, third])
    assert query.evidence == ("q/s1",)
    assert lost[1:] == ["2 sessions are called s1; the first is taken to hold the answer"]


def test_ids_may_be_missing_or_numbers(tmp_path):
    query, dataset, lost, _ = one(tmp_path, haystack_session_ids=None, answer_session_ids=None)
    assert list(dataset.documents) == ["q/session_1", "q/session_2"]
    assert query.evidence == ("q/session_1",)
    assert lost == ["0 haystack_session_ids for 2 sessions; paired by position"]
    numbered = load(tmp_path, haystack(question_id=7, haystack_session_ids=[1, 2], answer_session_ids=[2]))
    assert numbered.queries["7"].evidence == ("7/2",)
    nameless = load(tmp_path, haystack(), haystack(question_id=None))
    assert list(nameless.queries) == ["q", "question_2"]
    assert [(note.place, note.is_loss) for note in nameless.repairs] == [("question 2", False)]


def test_which_session_holds_the_answer(tmp_path):
    query, _, lost, mended = one(tmp_path, answer_session_ids=[])  # the marked ones
    assert (query.evidence, lost, len(mended)) == (("q/s1",), [], 1)
    for given_ids, evidence in ((None, None), ([], ())):
        query, _, lost, _ = one(tmp_path, haystack_sessions=[OTHER, []], answer_session_ids=given_ids)
        assert (query.evidence, len(lost)) == (evidence, 1)
    query, _, lost, _ = one(tmp_path, answer_session_ids=["s2"])
    assert query.evidence == ("q/s2",)
    assert lost == ["turns of s1 are marked, but answer_session_ids does not name it; not counted"]
    query, _, _, mended = one(tmp_path, answer_session_ids=["s1", "s1"])
    assert (query.evidence, mended) == (("q/s1",), ["answer session s1 is named twice"])
    by_turn = load(tmp_path, haystack(answer_session_ids=[]), name="longmemeval_turns")  # wherever the marked turn is
    assert by_turn.queries["q"].evidence == ("q/s1/1",)
    assert told(by_turn) == "question q: turns of s1 are marked, but answer_session_ids does not name it; counted\n"


def test_what_is_missing_is_told(tmp_path):
    query, dataset, lost, _ = one(tmp_path, haystack_sessions=None, haystack_session_ids=[], haystack_dates=[])
    assert (query.evidence, len(dataset.documents), lost[0]) == ((), 0, "has no sessions to search")
    query, _, lost, _ = one(tmp_path, question=None, question_type=None)
    assert (query.text, query.query_type, lost) == ("", None, ["has no question", "has no question_type"])
    _, dataset, *_ = one(tmp_path, haystack_sessions=[[{"content": "Hm", "has_answer": True}], [{"role": "user"}, {}]])
    assert [document.text for document in dataset.documents.values()] == ["Hm", "user: \n"]
    assert one(tmp_path, source={"a": [1]})[0].metadata["source"] == {"a": [1]}


# --- what a hit covers -----------------------------------------------------------------------------------------------

BY_SESSION = [
    (Hit("c0ffee02/answer_02_1"), "c0ffee02/answer_02_1"),
    (Hit("answer_02_1"), "c0ffee02/answer_02_1"),
    (Hit("c0ffee02/answer_02_1/3"), "c0ffee02/answer_02_1"),
    (Hit("answer_02_1_3"), "c0ffee02/answer_02_1"),
    (Hit("c0ffee02/answer_02_2#1"), "c0ffee02/answer_02_2"),
    (Hit("answer_02_10"), None),
    (Hit("c0ffee02/filler_77"), None),
    (Hit("c0ffee01/answer_01"), None),
    (Hit("m1", metadata={"session_id": "answer_02_2"}), "c0ffee02/answer_02_2"),
    (Hit("m1", metadata={"answerCorpusIds": ["filler_77", "answer_02_1"]}), "c0ffee02/answer_02_1"),
    (Hit("m1", metadata={"session_id": "filler_77"}), None),
]
BY_TURN = [
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
]


def test_a_hit_covers_the_session_or_turn_it_belongs_to(golden, turns):
    for dataset, cases in ((golden, BY_SESSION), (turns, BY_TURN)):
        query = dataset.queries["c0ffee02"]
        assert dataset.pack.n_evidence(query) == 2
        for hit, covered in cases:
            assert dataset.pack.is_relevant(query, hit) == ((covered,) if covered else ()), hit
    abstention = golden.queries["c0ffee03_abs"]
    assert golden.pack.n_evidence(abstention) == 0
    assert golden.pack.is_relevant(abstention, Hit("answer_03")) == ()


NAME = st.sampled_from(["a", "b", "a_1", "a_1_2", "s~", ""])
TURN = st.fixed_dictionaries(
    {}, optional={"role": st.just("user"), "content": st.sampled_from("xyz"), "has_answer": st.booleans()}
)
FIELDS = {
    "haystack_session_ids": st.lists(NAME, max_size=4),
    "haystack_dates": st.lists(st.just("today"), max_size=4),
    "haystack_sessions": st.lists(st.lists(TURN, max_size=3), max_size=4),
    "answer_session_ids": st.lists(NAME, max_size=3),
    "answer": st.one_of(st.none(), st.text(max_size=3), st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
}
QUESTION = st.fixed_dictionaries({"question": st.text(max_size=4), "suffix": st.sampled_from(["", "_abs"])}, optional=FIELDS)


@pytest.mark.parametrize("name", FORMATS)
@given(questions=st.lists(QUESTION, min_size=1, max_size=3))
def test_every_question_is_kept_and_no_evidence_vanishes_silently(folder, name, questions):
    items = [{**fields, "question_id": f"q{number}{fields['suffix']}"} for number, fields in enumerate(questions)]
    dataset = load_dataset(write(folder / "lme.json", json.dumps(items)), name)
    kept = [(query.query_id, query.text) for query in dataset.queries.values()]
    assert kept == [(fields["question_id"], fields["question"]) for fields in items]
    for query in dataset.queries.values():
        lost = [note for note in dataset.repairs if note.is_loss and note.place == f"question {query.query_id}"]
        assert set(query.evidence or ()) <= set(dataset.in_scope(query))
        assert len(set(query.evidence or ())) == len(query.evidence or ())
        assert query.evidence or lost or query.query_id.endswith("_abs")
        for hit in (*dataset.documents, "a", "a_1", "a_1#0", "a/1", "q0", "?"):
            found = dataset.pack.is_relevant(query, Hit(hit, metadata={"answerCorpusIds": ["b", hit]}))
            assert set(found) <= set(query.evidence or ())
