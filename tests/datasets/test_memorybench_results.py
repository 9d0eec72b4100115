"""Result files of memorybench, as its exports have them: read by score, answers, eval, and as a run."""

import json

import pytest

import assay
from assay import DataError, load_dataset
from assay.cli import main


def result(item, contexts, **fields):
    """An EvalResult with all its fields."""
    own = {"runId": "r1", "benchmark": "locomo", "provider": "aqrag", "itemId": item, "question": f"What is {item}?"}
    texts = [{"id": doc, "content": text, "score": 1.0 - place / 10} for place, (doc, text) in enumerate(contexts)]
    return {
        **own,
        "expected": "",
        "actual": "",
        "score": 0,
        "correct": False,
        "retrievedContext": texts,
        "metadata": {},
    } | fields


RESULTS = [
    result(
        "words",
        [("c1", "Berlin"), ("c2", "Paris is the capital and most populous city of France")],
        expected="Paris is the capital of France.",
        actual="Paris",
        score=1,
        correct=True,
        metadata={"questionType": "single"},
    ),
    result("evidence", [("m1", "x"), ("D1:3", "y")], expected="Ann", actual="Bob", metadata={"evidence": ["D1:3", "D1:4"]}),
    result("ids", [("k1", "a"), ("k2", "b")], actual="b", correct=True, metadata={"relevantIds": ["k1"]}),
    result("none", [("k1", "a")], expected="a", actual="a", correct=True, metadata={"relevantIds": []}),
]
MRR = {"words": 0.5, "evidence": 0.5, "ids": 1.0, "none": 0.0}
EXPORT = {"run": {"id": "r1", "config": "{}"}, "results": RESULTS, "metrics": [{"benchmark": "locomo", "accuracy": 0.75}]}


@pytest.fixture(params=["export.json", "list.json", "lines.jsonl"])
def file(request, tmp_path):
    path = tmp_path / request.param
    lines = "\n".join(map(json.dumps, RESULTS))
    path.write_text(lines if path.suffix == ".jsonl" else json.dumps(EXPORT if "export" in path.name else RESULTS))
    return path


def output(capsys, *arguments):
    assert main([*map(str, arguments)]) == 0
    return json.loads(capsys.readouterr().out)


def test_score_grades_by_ids_then_evidence_then_words(file, capsys):
    dataset = load_dataset(file)
    assert (dataset.format, dataset.metadata["tool"]) == ("rag_records", "memorybench")
    found = assay.evaluate(dataset, metrics=["mrr", "recall@10"])
    assert found.scores("mrr") == MRR
    assert found.scores("recall@10") == {"words": 1.0, "evidence": 0.5, "ids": 1.0, "none": 0.0}
    assert found.relevance["strategy_counts"] == {"qrels": 2, "pack": 1, "token-fallback": 1}
    assert dataset.queries["words"].tags["questionType"] == "single"
    assert main(["score", str(file), "-m", "mrr", "--per-query", "--format", "csv"]) == 0
    assert "words,0.5" in capsys.readouterr().out.replace(f"{file.stem},", "")


def test_answers_have_the_marks_of_the_judge_and_success_needs_them(file):
    found = assay.evaluate_answers(file)
    assert found.scores("answer_correct") == {"words": 1.0, "evidence": 0.0, "ids": 1.0, "none": 1.0}
    success = assay.evaluate_answers(file, metrics=["answer_success@2", "answer_success@1", "mrr"])
    assert success.scores("answer_success@2")["words"] == 1.0
    assert success.scores("answer_success@1")["words"] == 0.0
    assert success.scores("answer_success@2")["evidence"] == 0.0  # found, but the answer is wrong
    assert success.scores("mrr") == MRR


def test_eval_searches_the_contexts(file):
    found = assay.run(load_dataset(file), "bm25", ["recall@10"])
    assert found.counts["judged"] == 4


def test_results_are_a_run_for_judgments_and_other_benchmarks(file):
    judged = {"words": {"c2": 1}, "ids": {"k2": 1}}
    assert assay.evaluate(judged, str(file), ["mrr"]).scores("mrr") == {"words": 0.5, "ids": 0.5}
    assert assay.evaluate(load_dataset(file), str(file), ["mrr"]).scores("mrr") == MRR


def test_metadata_of_a_context_may_name_the_evidence(tmp_path):
    asked = result("q", [("m1", "x"), ("m2", "y")], expected="Ann", metadata={"answerCorpusIds": ["s7"]})
    asked["retrievedContext"][1]["metadata"] = {"session_id": "s7"}
    (tmp_path / "r.json").write_text(json.dumps([asked]))
    found = assay.evaluate(load_dataset(tmp_path / "r.json"), metrics="mrr")
    assert (found["mrr"], found.relevance["strategy_used"]) == (0.5, "pack")


def test_grades_by_id_and_one_piece_of_evidence_as_text(tmp_path):
    graded = result("g", [("a", "x"), ("b", "y")], metadata={"qrels": {"a": 1, "b": 3}})
    single = result("s", [("D1:3", "y")], metadata={"evidence": "D1:3"})
    (tmp_path / "r.json").write_text(json.dumps([graded, single]))
    dataset = load_dataset(tmp_path / "r.json")
    assert dataset.qrels["g"] == {"a": 1.0, "b": 3.0}
    assert assay.evaluate(dataset, metrics="recall@1").scores("recall@1")["s"] == 1.0


def test_the_table_that_it_exports_has_answers(tmp_path):
    head = "run_id,benchmark,provider,item_id,question,expected,actual,score,correct"
    (tmp_path / "r.csv").write_text(
        f'{head}\nr1,locomo,p,q1,"Where, then?",Paris,Paris,1,1\nr1,locomo,p,q2,Who?,Ann,Bob,0,0\n'
    )
    found = assay.evaluate_answers(tmp_path / "r.csv", metrics=["answer_correct", "answer_f1"])
    assert found.scores("answer_correct") == found.scores("answer_f1") == {"q1": 1.0, "q2": 0.0}


def test_marks_alone_are_enough_and_other_values_are_not_marks():
    marks = {
        "a": True,
        "b": "no",
        "c": 0.5,
        "d": {"model": "m", "label": True},
        "e": "INCORRECT",
        "f": "the right answer",
        "g": 7,
    }
    rows = [{"query_id": query, "answer": "x", "correct": mark} for query, mark in marks.items()]
    found = assay.evaluate_answers(rows)
    assert found.scores("answer_correct") == {"a": 1.0, "b": 0.0, "c": 0.5, "d": 1.0, "e": 0.0}
    with pytest.raises(DataError):
        assay.evaluate_answers(rows[-2:])


@pytest.mark.parametrize("field", ["provider", "benchmark"])
def test_a_file_has_one_system_on_one_benchmark(field, tmp_path):
    (tmp_path / "r.json").write_text(json.dumps([*RESULTS, result("other", [], **{field: "mem0"})]))
    with pytest.raises(DataError, match=f"one {field}, found 2"):
        load_dataset(tmp_path / "r.json")
