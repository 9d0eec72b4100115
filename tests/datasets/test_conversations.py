"""locomo and longmemeval: no question and no evidence vanishes silently, and hits are judged by what they cover."""

import json
import math
import random
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Hit
from assay.cli import main
from assay.datasets import detect_format, load_dataset

from ._benchmarks import SAMPLES
from ._cases import write

METRICS = ("mrr", "recall", "ndcg@10")
LONGMEMEVAL = SAMPLES / "longmemeval_s.json"


def scores(dataset, run):
    result = assay.evaluate(dataset, run, METRICS, relevance="pack")
    return [result.scores(metric) for metric in METRICS], result.relevance


def test_json_keeps_the_scores_of_hits_known_by_bare_ids_or_metadata(tmp_path):
    locomo = load_dataset(SAMPLES / "locomo10.json")
    locomo.save_json(tmp_path / "d.json")
    again = load_dataset(tmp_path / "d.json")
    for field, value in {"dia_id": "D4:1", "turn_ids": ["D1:1", "D2:3"]}.items():
        hits = [Hit("memory 1"), Hit("memory 2", -1.0, metadata={field: value}), Hit("D1:2#0", -2.0)]
        run = dict.fromkeys(locomo.queries, hits)
        assert scores(locomo, run) == scores(again, run), field
        second = {query.split("/")[1] for query, score in scores(locomo, run)[0][0].items() if score == 0.5}
        assert second >= ({"q5", "q12"} if field == "dia_id" else {"q1", "q3", "q10"}), field
    run = {
        "c0ffee01": [Hit("x"), Hit("answer_01_1", -1.0)],
        "c0ffee02": [Hit("answer_02_1_3"), Hit("m", -1.0, metadata={"answerCorpusIds": ["answer_02_2/1"]})],
    }
    for name in ("longmemeval", "longmemeval_turns"):
        dataset = load_dataset(LONGMEMEVAL, name)
        dataset.save_json(tmp_path / "d.json")
        assert scores(dataset, run) == scores(load_dataset(tmp_path / "d.json"), run), name
        (mrr, recall, _), _ = scores(dataset, run)
        assert (mrr["c0ffee01"], recall["c0ffee02"]) == (0.5, 1.0), name


def test_sessions_and_turns_of_longmemeval(tmp_path):
    sessions, turns = load_dataset(LONGMEMEVAL), load_dataset(LONGMEMEVAL, "longmemeval_turns")
    assert sessions.documents["c0ffee01/filler_77"].text is sessions.documents["c0ffee02/filler_77"].text  # held once
    assert turns.documents["c0ffee01/filler_77/1"].text is turns.documents["c0ffee02/filler_77/1"].text
    shutil.copy(LONGMEMEVAL, tmp_path / "longmemeval_m")
    assert detect_format(tmp_path / "longmemeval_m").name == "longmemeval"
    for dataset, covering in (
        (sessions, {"answer_02_1", "c0ffee02/answer_02_1/3", "answer_02_1_3", "c0ffee02/answer_02_1#1"}),
        (turns, {"answer_02_1/3", "c0ffee02/answer_02_1/3", "answer_02_1_3", "answer_02_1_3#0"}),
    ):
        query = dataset.queries["c0ffee02"]
        others = {"answer_02_10", "c0ffee02/filler_77", "c0ffee01/answer_01"}
        others |= {"answer_02_1", "c0ffee02/answer_02_1/2", "answer_02_1/31"} if dataset is turns else set()
        for hit in covering | others:
            assert bool(dataset.pack.is_relevant(query, Hit(hit))) == (hit in covering), hit
        assert dataset.pack.n_evidence(query) == 2


def said(role, content, has_answer):
    return {"role": role, "content": content, "has_answer": has_answer}


BOTH = [said("assistant", "Hello", False), said("user", "I sleep", True), said("user", "a lot", False)]
ASSISTANT = [said("user", "Tell me", False), said("assistant", "I told you", True)]
FILLER = [{"role": "user", "content": "Roses"}, {"role": "assistant", "content": "Red"}]


def question(question_id, kind, sessions, answers):
    ids = ["answer_1", "answer_2", "filler"][: len(sessions)]
    return {
        "question_id": question_id,
        "question_type": kind,
        "question": "Do I sleep?",
        "answer": "A lot",
        "haystack_session_ids": ids,
        "haystack_dates": ["today"] * len(ids),
        "haystack_sessions": sessions,
        "answer_session_ids": answers,
    }


QUESTIONS_OF_BOTH_SIDES = [
    question("q1", "multi-session", [BOTH, ASSISTANT, FILLER], ["answer_1", "answer_2"]),
    question("q2", "single-session-assistant", [FILLER, ASSISTANT], ["answer_2"]),
    question("q3_abs", "multi-session", [BOTH, FILLER], ["answer_1"]),
]


def test_user_turns_are_indexed_and_judged_as_in_the_paper(tmp_path):
    """Wu et al. 2025: only user turns are indexed, and questions without a marked user turn are left out."""
    path = write(tmp_path / "lme.json", json.dumps(QUESTIONS_OF_BOTH_SIDES))
    sessions, turns = load_dataset(path, "longmemeval_user"), load_dataset(path, "longmemeval_user_turns")
    texts = {doc: document.text for doc, document in sessions.documents.items() if document.group == "q1"}
    assert texts == {"q1/answer_1": "I sleep a lot", "q1/answer_2": "Tell me", "q1/filler": "Roses"}
    texts = {doc: document.text for doc, document in turns.documents.items() if document.group == "q1"}
    numbered = {"q1/answer_1/2": "I sleep", "q1/answer_1/3": "a lot", "q1/answer_2/1": "Tell me", "q1/filler/1": "Roses"}
    assert texts == numbered
    for dataset, evidence in ((sessions, "q1/answer_1"), (turns, "q1/answer_1/2")):
        assert [query.evidence for query in dataset.queries.values()] == [(evidence,), (), ()]
        assert losses(dataset, "question q2")
        result = assay.evaluate(dataset, {"q1": [evidence]}, "hit@5", policy=assay.Policy(no_relevant="skip"))
        assert (result["hit@5"], result.counts["scored"]) == (1.0, 1)
        assert sum("--no-relevant skip" in note for note in result.notes) == 1
    everything = load_dataset(path)
    assert len(everything.queries["q1"].evidence) == 2
    assert everything.documents["q1/answer_1"].text == "assistant: Hello\nuser: I sleep\nuser: a lot"


def ranked_by_chance(item, by_turn, chance):
    """What the paper's code ranks for a question, in any order: document, and whether it is a target."""
    ranked = []
    for session, turns in zip(item["haystack_session_ids"], item["haystack_sessions"], strict=True):
        user = [(number, turn) for number, turn in enumerate(turns, 1) if turn["role"] == "user"]
        marks = [(number, "answer" in session and turn.get("has_answer", False)) for number, turn in user]
        each = [(f"{session}/{number}", mark) for number, mark in marks]
        ranked += each if by_turn else [(session, any(mark for _, mark in marks))]
    chance.shuffle(ranked)
    return [(f"{item['question_id']}/{doc}", mark) for doc, mark in ranked]


def paper_dcg(marks):
    return sum(mark / (math.log2(rank) if rank > 1 else 1) for rank, mark in enumerate(marks, 1))


@pytest.mark.parametrize("name", ["longmemeval_user", "longmemeval_user_turns"])
def test_scores_are_those_of_the_papers_code(tmp_path, name):
    chance, items = random.Random(3), []
    for number in range(40):
        turns = [said(chance.choice(["user", "assistant"]), "x", chance.random() < 0.4) for _ in range(8)]
        name_of_question = f"q{number}{'_abs' if number % 10 == 0 else ''}"
        items.append(question(name_of_question, "t", [turns[:4], turns[4:], FILLER], ["answer_1", "answer_2"]))
    dataset = load_dataset(write(tmp_path / "lme.json", json.dumps(items)), name)
    ranked = {item["question_id"]: ranked_by_chance(item, name.endswith("turns"), chance) for item in items}
    for query, pairs in ranked.items():
        assert {doc for doc, _ in pairs} == set(dataset.in_scope(dataset.queries[query]))
    marks = [[mark for _, mark in pairs] for query, pairs in ranked.items() if "_abs" not in query]
    kept = [one for one in marks if any(one)]
    assert 0 < len(kept) < len(marks)
    metrics = {
        "hit@2": [any(one[:2]) for one in kept],
        "ndcg(discount=jk2002)@2": [paper_dcg(one[:2]) / paper_dcg(sorted(one, reverse=True)[:2]) for one in kept],
    }
    run = {query: [doc for doc, _ in pairs] for query, pairs in ranked.items()}
    result = assay.evaluate(dataset, run, list(metrics), policy=assay.Policy(no_relevant="skip"))
    assert result.summary == {metric: pytest.approx(sum(scores) / len(kept)) for metric, scores in metrics.items()}


def test_question_type_is_a_slice_and_a_selection(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "lme.json", json.dumps(QUESTIONS_OF_BOTH_SIDES))
    usual = ["eval", "--benchmarks", "lme.json", "--providers", "bm25", "--metrics", "mrr", "--no-store"]
    assert main([*usual, "--by", "question_type", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["slices"][0]["slices"]
    assert {row["slice"]: row["n"] for row in rows} == {"multi-session": 2, "single-session-assistant": 1}
    assert main([*usual, "--where", "question_type=multi-session", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["counts"]["scored"] == 2


NUMBER = st.integers(0, 4)
ID = st.builds("{}{}:{}".format, st.sampled_from(["D", "D:", "d", "", "X"]), NUMBER, NUMBER)
TEXT = st.one_of(ID, st.builds("{}{}{}".format, ID, st.sampled_from(["; ", " ", ",", "", "  "]), ID), st.text(max_size=6))
EVIDENCE = st.recursive(st.one_of(TEXT, st.integers(), st.none()), lambda one: st.lists(one, max_size=3), max_leaves=6)
SESSION = st.lists(
    st.fixed_dictionaries({"text": st.text(max_size=5)}, optional={"dia_id": ID, "speaker": st.just("Ada")}), max_size=4
)
QUESTIONS = st.lists(
    st.fixed_dictionaries({"question": st.text(max_size=5)}, optional={"evidence": EVIDENCE, "category": NUMBER}), max_size=4
)


def check_evidence(dataset, query, hits):
    """Evidence is in scope and named once, and no hit covers anything else."""
    evidence = query.evidence or ()
    assert set(evidence) <= set(dataset.in_scope(query))
    assert len(set(evidence)) == len(evidence)
    for hit in (*dataset.documents, *hits):
        metadata = {"turn_ids": ["D2:2", hit], "answerCorpusIds": ["b", hit]}
        assert set(dataset.pack.is_relevant(query, Hit(hit, metadata=metadata))) <= set(evidence)


def losses(dataset, place):
    return [one.what for one in dataset.repairs if one.place == place and one.is_loss]


@given(st.dictionaries(st.builds("session_{}".format, NUMBER), SESSION, min_size=1), QUESTIONS.filter(bool))
def test_locomo_keeps_every_question_and_no_evidence_vanishes_silently(folder, sessions, questions):
    content = [{"sample_id": "c", "conversation": sessions, "qa": questions}]
    dataset = load_dataset(write(folder / "c.json", json.dumps(content)), "locomo")
    texts = [one["question"] if one["question"].strip() else "" for one in questions]
    assert [query.text for query in dataset.queries.values()] == texts
    for number, (query, fields) in enumerate(zip(dataset.queries.values(), questions, strict=True), 1):
        assert (query.evidence is None) == (fields.get("evidence") is None)
        assert query.evidence or losses(dataset, f"c, question {number}")
        assert dataset.pack.n_evidence(query) == (None if query.evidence is None else len(query.evidence))
        check_evidence(dataset, query, ("D1:1", "D1:1#0", "c/D1", "x"))


NAME = st.sampled_from(["a", "b", "a_1", "a_1_2", "s~", ""])
TURN = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "assistant"]),
        "content": st.sampled_from("xyz"),
        "has_answer": st.booleans(),
    },
)
FIELDS = {
    "haystack_session_ids": st.lists(NAME, max_size=4),
    "haystack_dates": st.lists(st.just("today"), max_size=4),
    "haystack_sessions": st.lists(st.lists(TURN, max_size=3), max_size=4),
    "answer_session_ids": st.lists(NAME, max_size=3),
    "answer": st.one_of(st.none(), st.text(max_size=3), st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
}
QUESTION = st.fixed_dictionaries({"question": st.text(max_size=4), "suffix": st.sampled_from(["", "_abs"])}, optional=FIELDS)


@pytest.mark.parametrize("name", ["longmemeval", "longmemeval_turns", "longmemeval_user", "longmemeval_user_turns"])
@given(questions=st.lists(QUESTION, min_size=1, max_size=3))
def test_longmemeval_keeps_every_question_and_no_evidence_vanishes_silently(folder, name, questions):
    items = [{**fields, "question_id": f"q{number}{fields['suffix']}"} for number, fields in enumerate(questions)]
    dataset = load_dataset(write(folder / "lme.json", json.dumps(items)), name)
    kept = [(query.query_id, query.text) for query in dataset.queries.values()]
    assert kept == [(fields["question_id"], fields["question"]) for fields in items]
    for query_id, query in dataset.queries.items():
        assert query.evidence or losses(dataset, f"question {query_id}") or query_id.endswith("_abs")
        check_evidence(dataset, query, ("a", "a_1", "a_1#0", "a/1", "q0", "?"))
