"""answer_success: something relevant was found, and the answer is like the expected one."""

import pytest

import assay

DATASET = [
    {"id": "both", "question": "?", "expected": "Paris", "relevant_ids": ["d1"]},
    {"id": "late", "question": "?", "expected": "Rome", "relevant_ids": ["d2"]},
    {"id": "wrong", "question": "?", "expected": "Oslo", "relevant_ids": ["d1"]},
    {"id": "open", "question": "?", "expected": "Bern", "relevant_ids": ["d1"]},
    {"id": "none", "question": "?", "answerable": False, "relevant_ids": ["d1"]},
]
RUN = {query: {"d1": 3.0, "d3": 2.0, "d2": 1.0} for query in ("both", "late", "wrong", "open", "none")}
ANSWERS = {"both": "It is Paris", "late": "Rome", "wrong": "Berlin", "open": None, "none": None}


@pytest.fixture
def dataset(tmp_path):
    import json

    file = tmp_path / "golden.json"
    file.write_text(json.dumps(DATASET))
    return assay.load_dataset(file)


def test_by_hand(dataset):
    result = assay.evaluate_answers(ANSWERS, dataset, ["answer_success@1", "answer_success@3", "answer_success"], run=RUN)
    at_one = {"both": 1, "late": 0, "wrong": 0, "open": 0}
    scores = result.table.by_query()
    assert {query: scores[query]["answer_success@1"] for query in at_one} == at_one
    assert {query: scores[query]["answer_success@3"] for query in at_one} == {**at_one, "late": 1}
    assert scores["none"]["answer_success@3"] is None
    assert result["answer_success@1"] == 0.25
    assert result["answer_success@3"] == result["answer_success"] == 0.5


def test_the_threshold_is_a_tenth_unless_told(dataset):
    long = {"both": " ".join(["word"] * 3 + [f"w{number}" for number in range(17)] + ["Paris"])}
    metrics = ["answer_success@1", "answer_success(threshold=0.09)@1", "answer_f1"]
    result = assay.evaluate_answers(long, dataset, metrics, run=RUN)
    assert result.scores("answer_f1")["both"] == pytest.approx(2 / 20)
    assert result.scores("answer_success@1")["both"] == 1
    longer = assay.evaluate_answers({"both": f"{long['both']} and more"}, dataset, metrics, run=RUN)
    assert longer.scores("answer_success@1")["both"] == 0
    assert longer.scores("answer_success(threshold=0.09)@1")["both"] == 1


def test_even_a_threshold_of_nothing_wants_an_answer(dataset):
    result = assay.evaluate_answers(ANSWERS, dataset, "answer_success(threshold=0)@1", run=RUN)
    assert result.scores("answer_success(threshold=0)@1") | {"none": 0} == {
        "both": 1,
        "late": 0,
        "wrong": 1,
        "open": 0,
        "none": 0,
    }


def test_without_a_run_it_is_told(dataset):
    with pytest.raises(assay.UsageError, match=r"answer_success@5 reads what was retrieved too.*--run"):
        assay.evaluate_answers(ANSWERS, dataset, "answer_success@5")


def test_it_never_exceeds_hit(dataset):
    result = assay.evaluate_answers(ANSWERS, dataset, ["answer_success@3", "hit@3"], run=RUN)
    both = [(row["answer_success@3"], row["hit@3"]) for row in result.table.by_query().values()]
    assert all(success <= hit for success, hit in both if success is not None)
