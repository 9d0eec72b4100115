"""evaluate_answers: the whole way, and what the result can do afterwards."""

import json

import pytest

import assay

DATASET = [
    {"id": "1", "question": "Capital of France?", "expected": "Paris", "relevant_ids": ["d1"], "difficulty": "easy"},
    {"id": "2", "question": "Who wrote Faust?", "expected": "Goethe", "relevant_ids": ["d2"], "difficulty": "hard"},
    {"id": "3", "question": "日本の首都は？", "expected": "東京", "relevant_ids": ["d3"], "difficulty": "easy"},
    {"id": "4", "question": "Mayor of the Moon?", "answerable": False, "relevant_ids": [], "difficulty": "hard"},
    {"id": "5", "question": "Nobody knows", "relevant_ids": ["d5"], "difficulty": "hard"},
]
GOOD = [
    {"query_id": "1", "answer": "Paris", "confidence": 0.9},
    {"query_id": "2", "answer": "It was Goethe", "confidence": 0.7},
    {"query_id": "3", "answer": "東京です", "confidence": 0.8},
    {"query_id": "4", "answer": None},
]
POOR = {"1": "London", "2": "Schiller", "4": "Neil Armstrong", "9": "unasked"}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "golden.json"
    path.write_text(json.dumps(DATASET))
    return path


def test_against_a_dataset(file):
    result = assay.evaluate_answers(GOOD, file)
    assert list(result) == ["answer_f1", "answer_exact", "answer_contains", "rouge(n=l)", "abstention_accuracy", "aurc"]
    assert result.query_ids == ("1", "2", "3", "4")
    assert result.scores("answer_f1") == pytest.approx({"1": 1, "2": 0.5, "3": 2 * 2 / 6, "4": 1})
    assert result["abstention_accuracy"] == 1
    assert result["answer_exact"] == 0.5


def test_what_is_missing_scores_nothing_or_is_left_out(file):
    result = assay.evaluate_answers(POOR, file, "answer_f1")
    assert result.scores("answer_f1") == {"1": 0, "2": 0, "3": 0, "4": 0}
    counts = {name: result.counts[name] for name in ("judged", "scored", "missing", "extra")}
    assert (counts, result.missing) == ({"judged": 4, "scored": 4, "missing": 1, "extra": 1}, ("3",))
    skipped = assay.evaluate_answers(POOR, file, "answer_f1", policy=assay.Policy(missing="skip"))
    assert skipped.query_ids == ("1", "2", "4")
    assert (skipped.counts["scored"], skipped.counts["missing"]) == (3, 1)


def test_notes_on_answers(file, snapshots):
    rows = [{"user_input": "Capital of France?", "response": "Paris"}, {"user_input": "Unheard of?", "response": "x"}]
    worded = assay.evaluate_answers(rows, file, "answer_exact")
    assert worded.scores("answer_exact")["1"] == 1
    results = {
        "missing and extra queries": assay.evaluate_answers(POOR, file, "answer_f1"),
        "the question for an id": worded,
        "one without a confidence": assay.evaluate_answers([*GOOD[:2], {"query_id": "3", "answer": "x"}], file, "aurc"),
    }
    told = [f"## {case}\n" + "".join(f"{note}\n" for note in result.notes) for case, result in results.items()]
    snapshots.check("answers/notes_on_answers", "\n".join(told))


def test_the_dataset_knows_better_than_records(file):
    rows = [{"query_id": "1", "answer": "London", "reference": "London"}, {"query_id": "5", "answer": "x", "reference": "x"}]
    result = assay.evaluate_answers(rows, file, "answer_exact")
    assert result.scores("answer_exact") == {"1": 0, "2": 0, "3": 0, "4": 0, "5": 1}


def test_with_a_run_rankings_and_answers_stand_in_one_result(file):
    run = {"1": ["d1"], "2": ["d9", "d2"], "3": ["d9"], "5": ["d5"]}
    result = assay.evaluate_answers(GOOD, file, ["ndcg@5", "answer_success@1", "answer_f1"], run=run)
    assert [metric.name for metric in result.metrics] == ["ndcg@5", "answer_success@1", "answer_f1", "judged@10"]
    rows = result.table.by_query()
    assert {query: row["answer_success@1"] for query, row in rows.items()} == {"1": 1, "2": 0, "3": 0, "4": None, "5": None}
    assert rows["5"]["ndcg@5"] == 1
    assert rows["5"]["answer_f1"] is None
    assert result["ndcg@5"] == assay.evaluate(assay.load_dataset(file), run, "ndcg@5")["ndcg@5"]
    assert result["answer_f1"] == assay.evaluate_answers(GOOD, file, "answer_f1")["answer_f1"]


def test_what_cannot_be_evaluated(file, tmp_path, snapshots):
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps([{"id": "1", "question": "?", "relevant_ids": ["d"]}]))
    own = [{"id": "1", "answer": "a", "reference": "a"}]
    cases = {
        "other queries": lambda: assay.evaluate_answers({"q1": "Paris"}, file),
        "no answers": lambda: assay.evaluate_answers({}, file),
        "missing queries": lambda: assay.evaluate_answers(POOR, file, "answer_f1", policy=assay.Policy(missing="error")),
        "nobody says what is right": lambda: assay.evaluate_answers({"1": "Paris"}),
        "nor does the benchmark": lambda: assay.evaluate_answers({"1": "Paris"}, bare),
        "a run without a benchmark": lambda: assay.evaluate_answers(own, metrics="ndcg@5", run={"1": ["d"]}),
        "rankings without a run": lambda: assay.evaluate_answers(GOOD, file, "ndcg@5"),
        "answers where there are rankings": lambda: assay.evaluate(assay.load_dataset(file), {"1": ["d1"]}, "answer_f1"),
    }
    snapshots.check_errors("answers/faults_of_answers", cases)
