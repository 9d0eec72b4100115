"""locomo: turns are documents, conversations are scopes, and evidence is mended or its loss is told."""

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
from ._faults import TURN, TURN_QUESTION, conversation
from ._files import put

METRICS = ("mrr", "recall", "ndcg@10")
CATEGORIES = ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")


@pytest.fixture(scope="module")
def golden():
    return load_dataset(SAMPLES / "locomo10.json")


def load(folder, *conversations):
    return load_dataset(put(folder / "c.json", conversations), "locomo")


def question(folder, **fields):
    """The only question of a file, and what was noted."""
    dataset = load(folder, conversation([{**TURN_QUESTION, **fields}]))
    return dataset.queries["c/q1"], [(one.place, one.what, one.is_loss) for one in dataset.repairs]


def mended(dataset, place):
    return [one.what for one in dataset.repairs if one.place == place and not one.is_loss]


def losses(dataset, place):
    return [one.what for one in dataset.repairs if one.place == place and one.is_loss]


# --- the sample ------------------------------------------------------------------------------------------------------


def test_a_turn_is_a_document_of_its_conversation(golden):
    document = golden.documents["conv-1/D1:2"]
    assert document.text == "Piet: Look who is new here. [a photo of hens in a yard]"
    assert (document.group, document.section) == ("conv-1", "session_1")
    own = {"speaker": "Piet", "session": 1, "date_time": "1:56 pm on 3 March, 2024", "dia_id": "D1:2"}
    assert own.items() <= document.metadata.items()
    assert document.metadata["img_url"] == ["https://example.org/hens.jpg"]
    assert len(golden.documents) == 12
    assert golden.documents["conv-2/D1:1"].text == "Ола: У меня новый велосипед."
    assert golden.documents["conv-1/D1:1"].text.startswith("Nora: I adopted")
    assert golden.documents["conv-1/D1:3"].text == "Nora: [a photo of a cat]"  # without words, it is its caption


def test_questions_are_numbered_and_search_their_conversation(golden):
    assert list(golden.queries) == [*(f"conv-1/q{number}" for number in range(1, 13)), "conv-2/q1"]
    assert {query.scope for query in golden.queries.values()} == {"conv-1", "conv-2"}
    assert set(golden.in_scope(golden.queries["conv-2/q1"])) == {"conv-2/D1:1", "conv-2/D1:2"}
    expected = [query.expected for query in golden.queries.values()]
    assert (expected[1], expected[5], expected[9], expected[10]) == ("4", "2.5", None, None)
    adversarial = golden.queries["conv-1/q10"]
    assert adversarial.metadata == {"category": 5, "answerable": False, "adversarial_answer": "Miso"}
    assert adversarial.tags["query_type"] == "adversarial"
    assert golden.queries["conv-1/q1"].metadata == {"category": 2, "answerable": True}


EVIDENCE_OF = {
    1: ["D1:1"],
    3: ["D1:4", "D2:3"],
    4: ["D2:1", "D1:2", "D4:2"],
    5: ["D4:1"],
    6: ["D4:3"],
    7: [],
    8: [],
    9: ["D1:2", "D2:1"],
    10: ["D1:1"],
    11: None,
    12: ["D4:1"],
}


def test_the_evidence_of_each_question(golden):
    for number, turns in EVIDENCE_OF.items():
        expected = None if turns is None else tuple(f"conv-1/{turn}" for turn in turns)
        assert golden.queries[f"conv-1/q{number}"].evidence == expected, number


def test_everything_mended_and_lost_is_told_with_its_place(snapshots, golden):
    told = "".join(f"{one.place}: {one.what}{' (lost)' if one.is_loss else ''}\n" for one in golden.repairs)
    snapshots.check("datasets/repairs_of_locomo", told)


# --- files and folders -----------------------------------------------------------------------------------------------


def test_a_folder_is_read_in_the_order_of_its_numbers(tmp_path):
    folder = SAMPLES / "locomo_folder"
    for path in (folder, folder / "conv-10.json"):
        assert detect_format(path).name == "locomo"
    dataset = load_dataset(folder)
    assert list(dataset.queries) == ["conv-9/q1", "conv-10/q1"]
    assert dataset.queries["conv-10/q1"].evidence == ("conv-10/D1:1",)
    assert mended(dataset, "conv-10") == ["has no sample_id; called so after its file"]
    shutil.copytree(folder, tmp_path / "folder")
    write(tmp_path / "folder" / "config.json", "{}")
    write(tmp_path / "folder" / "README.md", "conversations")
    dataset = load_dataset(tmp_path / "folder")
    assert len(dataset.queries) == 2
    assert losses(dataset, "config.json") == ["holds no conversation and is left out"]


def test_json_keeps_the_scores_of_hits_known_by_their_metadata(tmp_path, golden):
    golden.save_json(tmp_path / "d.json")
    again = load_dataset(tmp_path / "d.json")
    for field in ("dia_id", "dia_ids", "turn_ids", "evidence"):
        value = "D4:1" if field == "dia_id" else ["D1:1", "D2:3"]
        hits = [Hit("memory 1"), Hit("memory 2", -1.0, metadata={field: value}), Hit("D1:2#0", -2.0)]
        run = dict.fromkeys(golden.queries, hits)
        before, after = (assay.evaluate(dataset, run, METRICS, relevance="pack") for dataset in (golden, again))
        assert [before.scores(metric) for metric in METRICS] == [after.scores(metric) for metric in METRICS]
        assert before.relevance == after.relevance
        second = {query.split("/")[1] for query, score in before.scores("mrr").items() if score == 0.5}
        assert second >= ({"q5", "q12"} if field == "dia_id" else {"q1", "q3", "q10"}), field


# --- odd conversations -----------------------------------------------------------------------------------------------


def test_odd_conversations(tmp_path):
    assert load(tmp_path, conversation()).repairs == []
    nameless = conversation()
    del nameless["sample_id"]
    assert list(load(tmp_path, nameless, nameless).queries) == ["c-1/q1", "c-2/q1"]
    dataset = load(tmp_path, conversation(session_1=[{"dia_id": "D1:1"}]))
    assert dataset.documents["c/D1:1"].text == ""
    assert losses(dataset, "c, session 1, turn 1") == ["has no text"]
    assert mended(dataset, "c, session 1, turn 1") == ["has no speaker"]
    dataset = load(tmp_path, conversation(session_2=None, session_2_date_time="one"))
    assert mended(dataset, "c") == ["session 2 has no turns"]
    late = {"session_900000000": [{**TURN, "dia_id": "x"}], "session_900000000_date_time": "one"}
    assert mended(load(tmp_path, conversation(**late)), "c") == ["sessions 2 to 899999999 are missing"]
    dataset = load(tmp_path, conversation(), conversation([], "d"))
    assert "d/D1:1" in dataset.documents
    assert mended(dataset, "d") == ["has no questions"]


def test_turns_of_one_id_are_told_apart(tmp_path):
    def texts(*turns):
        dataset = load(tmp_path, conversation(session_1=list(turns)))
        return {doc_id: one.text for doc_id, one in dataset.documents.items()}, dataset

    found, _ = texts({"speaker": "Ben", "text": "Hi"}, TURN)  # a turn without id never takes that of another
    assert found == {"c/D1:1": "Ada: Hello", "c/D1:1~2": "Ben: Hi"}
    found, dataset = texts(TURN, TURN)
    assert list(found) == ["c/D1:1"]
    assert mended(dataset, "c, session 1, turn 2") == ["repeats D1:1; kept once"]
    found, dataset = texts(TURN, {**TURN, "text": "Bye"})
    assert found == {"c/D1:1": "Ada: Hello", "c/D1:1~2": "Ada: Bye"}
    assert dataset.queries["c/q1"].evidence == ("c/D1:1",)
    assert losses(dataset, "c, session 1, turn 2")
    assert dataset.pack.is_relevant(dataset.queries["c/q1"], Hit("c/D1:1~2")) == ()


# --- odd questions ---------------------------------------------------------------------------------------------------


def test_odd_questions(tmp_path):
    answers = [("x", "x"), (2022, "2022"), (1.5, "1.5"), (None, None), (["a"], "a"), (["a", 2], "a; 2")]
    for answer, expected in answers:
        assert question(tmp_path, answer=answer)[0].expected == expected, answer
    query, notes = question(tmp_path, answer={"a": 1})
    assert query.expected is None
    assert notes == [("c, question 1", "the answer {'a': 1} is neither text nor a number", True)]
    for text in (None, "", 7):
        query, notes = question(tmp_path, question=text)
        assert query.text == ""
        assert notes == [("c, question 1", f"expected the question as text, found {text!r}", True)]
    assert question(tmp_path, source="book")[0].metadata["source"] == "book"


def test_categories_have_names(tmp_path):
    for number, name in enumerate(CATEGORIES, 1):
        by_number, notes = question(tmp_path, category=number)
        by_name, repairs = question(tmp_path, category=name.replace("-", "_"))
        assert by_number == by_name
        assert by_number.query_type == name
        assert by_number.metadata["answerable"] == (number != 5)
        assert (len(notes), len(repairs)) == (0, 1)
    for category in (6, None, True, "cognitive"):
        query, notes = question(tmp_path, category=category)
        assert (query.query_type, query.metadata.get("category")) == (None, category)
        assert [is_loss for _, _, is_loss in notes] == [True], category


# --- evidence --------------------------------------------------------------------------------------------------------


def evidence(folder, value, turns):
    """Turns that the evidence of a question means, what was mended, and what was lost."""
    one = conversation([{**TURN_QUESTION, "evidence": value}], session_1=[{**TURN, "dia_id": turn} for turn in turns])
    dataset = load(folder, one)
    found = [turn.removeprefix("c/") for turn in dataset.queries["c/q1"].evidence]
    lost = [what for what in losses(dataset, "c, question 1") if "nothing to find" not in what]
    return found, mended(dataset, "c, question 1"), lost


TURNS = ("D1:3", "D11:26", "D30:5", "intro", "D7:1", "D7:01", "D 9:9")
MEANT = [
    (["D1:3"], ["D1:3"]),
    (["D1:3; D30:5"], ["D1:3", "D30:5"]),
    (["D1:3 D30:5 D11:26"], ["D1:3", "D30:5", "D11:26"]),
    (["D1:3,D30:5"], ["D1:3", "D30:5"]),
    (["D:11:26"], ["D11:26"]),
    (["D30:05"], ["D30:5"]),
    (["d1:3"], ["D1:3"]),
    (["1:3"], ["D1:3"]),
    (["(D1:3)"], ["D1:3"]),
    ([" D1:3\n"], ["D1:3"]),
    (["D1 : 3"], ["D1:3"]),
    ([[["D1:3"]], "intro"], ["D1:3", "intro"]),
    ("D1:3", ["D1:3"]),
    (["D7:01"], ["D7:01"]),
    (["D 9:9"], ["D 9:9"]),
    (["D1:3", "D1:3"], ["D1:3"]),
]


def test_evidence_is_mended_where_one_turn_alone_can_be_meant(tmp_path):
    for value, wanted in MEANT:
        found, repairs, lost = evidence(tmp_path, value, TURNS)
        assert (found, lost) == (wanted, []), value
        assert bool(repairs) == (value != wanted), value
    for item in ("D1:1/D1:2", "D1:1&D1:2", "D1:1 & D1:2", "D1:1-D1:2", "1:1-1:2"):
        found, repairs, lost = evidence(tmp_path, [item], ("D1:1", "D1:2", "D1:3"))
        assert (found, lost, len(repairs)) == (["D1:1", "D1:2"], [], 1), item
    deep = ["D1:3"]
    for _ in range(300):
        deep = [deep]
    assert evidence(tmp_path, deep, TURNS)[0] == ["D1:3"]


def test_evidence_that_means_no_turn_or_several_is_lost(tmp_path):
    for value in ("D", "D2:2", "D7:001", "", " ", "D1:3x", "D" + "9" * 5000 + ":1", "D1:²", 7, None, {"id": "D1:3"}, True):
        found, repairs, lost = evidence(tmp_path, [value], TURNS)
        assert (found, repairs, len(lost)) == ([], [], 1), value
    for item in ("D1:1-D1:3", "D1:1/D9:9", "D1:1-D2:1", "D1:2-D1:1", "/", "-"):
        found, _, lost = evidence(tmp_path, [item], ("D1:1", "D1:2", "D1:3", "D2:1"))
        assert (found, len(lost)) == ([], 1), item
    found, _, lost = evidence(tmp_path, ["D1:3; D2:2"], TURNS)  # a part that is lost leaves the rest
    assert (found, lost) == (["D1:3"], ["evidence 'D2:2' names no turn of the conversation"])


NUMBER = st.integers(0, 4)
ID = st.builds("{}{}{}:{}".format, st.sampled_from(["D", "D:", "d", "", "X"]), NUMBER, st.just(""), NUMBER)
TEXT = st.one_of(ID, st.builds("{}{}{}".format, ID, st.sampled_from(["; ", " ", ",", "", "  "]), ID), st.text(max_size=6))
EVIDENCE = st.recursive(st.one_of(TEXT, st.integers(), st.none()), lambda one: st.lists(one, max_size=3), max_leaves=6)
SESSION = st.lists(
    st.fixed_dictionaries({"text": st.text(max_size=5)}, optional={"dia_id": ID, "speaker": st.just("Ada")}), max_size=4
)
QUESTIONS = st.lists(
    st.fixed_dictionaries({"question": st.text(max_size=5)}, optional={"evidence": EVIDENCE, "category": NUMBER}), max_size=4
)


@given(st.dictionaries(st.builds("session_{}".format, NUMBER), SESSION, min_size=1), QUESTIONS.filter(bool))
def test_every_question_is_kept_and_no_evidence_vanishes_silently(folder, sessions, questions):
    content = [{"sample_id": "c", "conversation": sessions, "qa": questions}]
    dataset = load_dataset(write(folder / "c.json", json.dumps(content)), "locomo")
    texts = [one["question"] if one["question"].strip() else "" for one in questions]
    assert [query.text for query in dataset.queries.values()] == texts
    for number, (query, fields) in enumerate(zip(dataset.queries.values(), questions, strict=True), 1):
        assert (query.evidence is None) == (fields.get("evidence") is None)
        assert set(query.evidence or ()) <= set(dataset.in_scope(query))
        assert len(set(query.evidence or ())) == len(query.evidence or ())
        if not query.evidence:
            assert losses(dataset, f"c, question {number}")
        assert dataset.pack.n_evidence(query) == (None if query.evidence is None else len(query.evidence))
        for hit in (*dataset.documents, "D1:1", "D1:1#0", "c/D1", "x"):
            found = dataset.pack.is_relevant(query, Hit(hit, metadata={"turn_ids": ["D2:2", hit]}))
            assert set(found) <= set(query.evidence or ())
