"""assay answers: figures, formats, slices, runs beside answers, and what is wrong."""

import json
from pathlib import Path

import pytest

from ._write import json_lines

DATASET = [
    {"id": "capital", "question": "Capital of France?", "expected": "Paris", "relevant_ids": ["d1"], "difficulty": "easy"},
    {"id": "author", "question": "Who wrote Faust?", "expected": "Goethe", "relevant_ids": ["d2"], "difficulty": "easy"},
    {"id": "moon", "question": "Mayor of the Moon?", "answerable": False, "relevant_ids": [], "difficulty": "hard"},
]
GOOD = [
    {"query_id": "capital", "answer": "Paris", "confidence": 0.9},
    {"query_id": "author", "answer": "It was Goethe", "confidence": 0.6},
    {"query_id": "moon", "answer": None},
]
POOR = [{"query_id": "capital", "answer": "London"}, {"query_id": "moon", "answer": "no answer"}]
HITS = {"capital": ["d1"], "author": ["d1", "d2"], "moon": []}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("golden.json").write_text(json.dumps(DATASET))
    Path("other").mkdir()
    json_lines("good.jsonl", GOOD)
    json_lines("poor.jsonl", POOR)
    json_lines("other/good.jsonl", POOR)
    json_lines("hits.jsonl", [{**row, "retrieved_ids": HITS[row["query_id"]]} for row in GOOD])
    json_lines("a.jsonl", [{"query_id": "1", "answer": "Paris", "references": ["Paris"]}])
    json_lines("b.jsonl", [{"query_id": "1", "answer": "Paris", "references": ["London"]}])
    Path("bm25.run").write_text("capital Q0 d1 1 2 t\nauthor Q0 d1 1 2 t\nauthor Q0 d2 2 1 t\n")


def test_figures_and_formats(transcript):
    transcript("answers/shown")


def test_json_has_the_curve_and_the_slices(assay):
    content = json.loads(assay("answers", "good.jsonl", "--dataset", "golden.json", "--by", "difficulty", "-f", "json").out)
    points = content["risk_coverage"]["good"]
    assert [(point["risk"], point["confidence"]) for point in points] == [
        (0, 0.9),
        (0.25, 0.6),
        (pytest.approx(1 / 6), None),
    ]
    assert content["slices"][0]["by"] == "difficulty"


def test_results_go_on_to_compare_and_gate(assay):
    for name in ("good", "poor"):
        words = ("--dataset", "golden.json", "-m", "answer_f1", "aurc", "corpus_bleu(n=1)", "-o", f"{name}.json")
        assert assay("answers", f"{name}.jsonl", *words).code == 0
    assert assay("compare", "good.json", "poor.json", "-m", "answer_f1", "corpus_bleu(n=1)").code == 0
    rules = ("--rule", "answer_f1 >= 0.5", "--rule", "answer_f1 drops <= 0.1")
    assert assay("gate", "good.json", "--baseline", "good.json", *rules).code == 0
    assert assay("gate", "poor.json", "--baseline", "good.json", *rules).code == 1
    for limit, code in (("0.2", 0), ("0.1", 1)):
        assert assay("gate", "good.json", "--baseline", "good.json", "--rule", f"aurc <= {limit}").code == code


def test_what_is_wrong(transcript):
    transcript("answers/refused")
