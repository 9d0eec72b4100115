"""assay score FILE: tables of RAG tools, which have the ground truth and what a system retrieved in one file."""

import json
import shutil
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[1] / "datasets" / "samples" / "rag_records"


@pytest.fixture
def records(files):
    """The working directory, with the samples and some files like them."""
    for path in SAMPLES.iterdir():
        shutil.copy(path, files / path.name)
    rows = [json.loads(line) for line in (files / "ragas.jsonl").read_text().splitlines()]
    worse = [{**row, "retrieved_contexts": row["retrieved_contexts"][::-1]} for row in reversed(rows[:2])]
    (files / "worse.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in worse))
    (files / "plain.json").write_text(json.dumps([{"question": "a?", "contexts": ["a"], "answer": "a"}]))
    (files / "ids.csv").write_text("query,relevant_ids,retrieved_ids\nWhere?,d1; d2,d3; d1\nWhy?,d4,d4; d5; d6\n")
    (files / "unjudged.csv").write_text("question,contexts,answer\na?,\"['b', 'c']\",b\n")
    (files / "broken.csv").write_text("user_input,retrieved_contexts,reference\na?,['b,c\n,\"['d']\",e\n")
    return files


def test_what_a_file_retrieved_is_scored_and_compared(records, transcript):
    transcript("rag_records/scored")


def test_what_cannot_be_scored_says_why(records, transcript):
    transcript("rag_records/refused")


def test_scores_are_those_of_the_same_ranking_in_a_run(assay, records):
    first = json.loads(assay("score", "ragas.csv", "-m", "ndcg@10", "recall@10", "-f", "json").out)
    assert assay("score", "ragas.csv", "-o", "result.json").code == 0
    (records / "same.run").write_text(
        "".join(
            f"{query} Q0 {doc} {rank} {9 - rank} x\n"
            for query, docs in {"q1": ("c1", "c2"), "q2": ("c3", "c1"), "q3": ("c2", "c5")}.items()
            for rank, doc in enumerate(docs)
        )
    )
    second = json.loads(assay("score", "--dataset", "ragas.csv", "same.run", "-m", "ndcg@10", "recall@10", "-f", "json").out)
    assert first["results"][0]["summary"] == second["results"][0]["summary"]


def test_a_provider_searches_the_contexts(assay, records):
    done = assay("eval", "--benchmarks", "ragas.csv", "--providers", "bm25", "-m", "recall@10", "--format", "json")
    (result,) = json.loads(done.out)["results"]
    assert (done.code, result["summary"]["recall@10"], result["counts"]["judged"]) == (0, 1.0, 3)
