"""Right and wrong calls of the public functions, for type checkers; nothing runs this file.

A checker must report every line that ends with `# error`, and no other line.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from ir_measures import AP, nDCG

import assay
from assay import BenchmarkDataset, Document, Hit, Policy, Qrels, Query, RelevanceJudgment, Result, Run

judged = {"q1": {"d1": 2, "d2": 0}}
ranked = {"q1": {"d1": 0.9, "d2": 0.1}}
dataset = assay.load_dataset("rag-template")
records = [{"query_id": "q1", "doc_id": "d1", "score": 0.5}]
frame = pd.DataFrame(records)
polars_frame = pl.DataFrame(records)
arrow_table = pa.table({"query_id": ["q1"], "doc_id": ["d1"], "score": [0.5]})


class StoreResponse(TypedDict):
    """What Chroma declares that it returns."""

    ids: list[list[str]]
    distances: list[list[float]] | None


def store_response() -> StoreResponse:
    """A response."""
    return {"ids": [["d1"]], "distances": [[0.1]]}


# A run
Run(ranked)
Run({"q1": ["d1", "d2"]})
Run({1: [7, 8]})
Run({"q1": [("d1", 0.9), ("d2", 0.1)]})
Run({"q1": [Hit("d1", 0.9)]})
Run({"q1": [{"id": "d1", "score": 0.9, "text": "…"}]})
Run({"q1": np.array(["d1", "d2"])})
Run({"q1": {"d1": np.float32(0.9)}})
Run({"q1": {"ids": [["d1"]], "distances": [[0.1]]}})
Run({"q1": store_response()})
Run({"query_id": ["q1"], "doc_id": ["d1"], "score": [0.5]})
Run(records)
Run([("q1", "d1", 0.5)])
Run(record for record in records)
Run(dict(enumerate(records)).values())
Run(frame)
Run(polars_frame)
Run(polars_frame.lazy())
Run(arrow_table)
Run("run.trec")
Run(Path("run.trec"))
Run(io.StringIO("q1 Q0 d1 1 0.5 mine\n"))
Run(io.BytesIO(b"q1 Q0 d1 1 0.5 mine\n"))
Run(Run(ranked), duplicates="keep_best")
with Path("run.trec").open(encoding="utf-8") as text_file, Path("run.trec").open("rb") as binary_file:
    Run(text_file)
    Run(binary_file)
Run(42)  # error
Run(None)  # error
Run(b"run.trec")  # error
Run({"q1": 0.5})  # error
Run({"q1": {"d1": "high"}})  # error
Run(ranked, duplicate="keep_best")  # error

# Judgments
Qrels(judged)
Qrels({"q1": ["d1", "d2"]})
Qrels({"q1": {"d1", "d2"}})
Qrels({"q1": {"d1": True}})
Qrels([RelevanceJudgment("q1", "d1", 2)])
Qrels([{"query_id": "q1", "doc_id": "d1", "relevance": 1}])
Qrels(frame)
Qrels(polars_frame)
Qrels(arrow_table)
Qrels("qrels.txt")
Qrels(Path("qrels.txt"))
Qrels(Qrels(judged))
Qrels({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [1]})
Qrels([("q1", "d1", 1)])
Qrels(42)  # error
Qrels(None)  # error
Qrels({"q1": 1})  # error
Qrels({"q1": {"d1": "yes"}})  # error

# evaluate
result: Result = assay.evaluate(judged, ranked)
assay.evaluate(judged, ranked, "ndcg@10")
assay.evaluate(judged, ranked, ["ndcg@10", "map"], policy=Policy(ties="docid_asc"), name="mine")
assay.evaluate("qrels.txt", Path("run.trec"), profile="ranx", tie_band=True, residuals=True)
assay.evaluate(judged, ranked, profile=assay.find_profile("ranx").adjusted(rel=2))
assay.evaluate(Qrels(judged), Run(ranked), ontology="hp.obo")
assay.evaluate(judged, ranked, ontology=assay.load_ontology())
assay.evaluate(dataset)
assay.evaluate(dataset, ranked, relevance=assay.Relevance("token(threshold=0.5)", unit="document"))
assay.evaluate(frame, polars_frame, ("recall@5",))
assay.evaluate({"q1": {"d1": 1}}, {"query_id": ["q1"], "doc_id": ["d1"], "score": [0.5]})
assay.evaluate(42, None, ["ndcg@10"])  # error
assay.evaluate(42, ranked)  # error
assay.evaluate(None, ranked)  # error
assay.evaluate(judged, None)  # error
assay.evaluate(judged, 42)  # error
assay.evaluate(judged)  # error
assay.evaluate(judged, ranked, 10)  # error
assay.evaluate(judged, ranked, [10])  # error
assay.evaluate(judged, ranked, metric="ndcg@10")  # error
assay.evaluate(judged, ranked, polcy=Policy())  # error
assay.evaluate(judged, ranked, policy="docid_asc")  # error
assay.evaluate(judged, ranked, ontology=42)  # error
assay.evaluate(dataset, 42)  # error
Policy(tie="docid_asc")  # error
assay.find_profile("ranx").adjusted(tie="docid_asc")  # error
assay.Relevance("token", ontology=42)  # error


# Metrics
@assay.metric
def top_two(run: Any) -> Any:
    return run


@assay.metric(name="top_three", range=(0.0, 3.0))
def other(run: Any) -> Any:
    return run


assay.evaluate(judged, ranked, [top_two, other, "mrr"])
assay.evaluate(judged, ranked, top_two)
assay.evaluate(judged, ranked, [nDCG @ 10, AP(rel=2)])
assay.metric(42)  # error
assay.metric(nme="top_three")  # error

# compare
assay.compare(judged, {"bm25": ranked, "dense": Path("dense.trec")}, "ndcg@10", baseline="bm25")
assay.compare(judged, {"bm25": ranked, "dense": ranked}, test="t", alpha=0.01, cluster="language", policy=Policy())
assay.compare(dataset, {"bm25": ranked, "dense": result}, relevance="token", seed=1)
assay.compare(None, {"bm25": result, "dense": result}, ["ndcg@10"], intersect=True, correction="none")
assay.BenchmarkComparison.compare_runs({"a": result, "b": {"ndcg@10": 0.5}}, baseline="a")
assay.compare(42, {"bm25": ranked, "dense": ranked})  # error
assay.compare(judged, {"bm25": 42, "dense": ranked})  # error
assay.compare(judged, [ranked, ranked])  # error
assay.compare(None, {"bm25": ranked, "dense": ranked})  # error
assay.compare(judged, {"bm25": ranked, "dense": ranked}, aplha=0.01)  # error
assay.compare(judged, {"bm25": ranked, "dense": ranked}, alpha="small")  # error
assay.compare(None, {"bm25": result, "dense": result}, policy=Policy())  # error
assay.BenchmarkComparison.compare_runs({"a": result}, base="a")  # error


# run
class Searcher:
    """A retriever with types."""

    def index(self, documents: Sequence[Document]) -> None:
        """Index nothing."""

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """Find nothing."""
        return [[] for _ in queries[:k]]


def find(text: str, k: int) -> list[str]:
    """Find nothing."""
    return [text][:k]


assay.run("rag-template", "bm25")
assay.run(dataset, Searcher(), ["ndcg@10"], k=10, policy=Policy(), name="mine")
assay.run(dataset, find, timeout=3, index_timeout=60.0, retries=1, concurrency=2, batch_size=8, repeats=3)
assay.run(Path("cases.jsonl"), find, dataset_format="json", documents="docs", columns={"query": "q"}, lenient=True)
assay.run(records, find, documents={"d1": "text"}, columns="query=q", lenient=0.05, missing_documents="drop")
assay.run(frame, find, selection={"limit": 5, "where": {"language": "de"}}, relevance="token", unit="document")
assay.run(dataset, find, id_map={"c1": "d1"}, profile="ranx", seed=1, statistical_analysis={"alpha_level": 0.01})
assay.run("hpo-de:tiny", find, ontology="hp.obo", annotations="a.hpoa", labels=["de.tsv"], fields="label", options={"x": 1})
assay.run(42, find)  # error
assay.run(None, find)  # error
assay.run(dataset, 42)  # error
assay.run(dataset, None)  # error
assay.run(dataset, object())  # error
assay.run(dataset, find, timout=3)  # error
assay.run(dataset, find, timeout="3 s")  # error
assay.run(dataset, find, selection="limit=5")  # error
assay.run(dataset, find, documents=42)  # error
assay.evaluate_multilingual_model("bm25", ["de"], labels={"de": "de.tsv"}, k=10, selection={"limit": 3})
assay.evaluate_multilingual_model(find, {"de": dataset, "en": "hpo-en:tiny"}, fields=["label"], timeout=5)
assay.evaluate_multilingual_model(42)  # error
assay.evaluate_multilingual_model("bm25", selecton={"limit": 3})  # error

# Benchmarks
assay.load_dataset(Path("cases.csv"), "csv", documents=frame, columns=["query=q"], lenient="5%")
assay.load_dataset(records)
assay.load_dataset(polars_frame, documents={"d1": Document("d1", "text")})
assay.load_dataset(arrow_table, documents=[{"doc_id": "d1", "text": "text"}])
assay.load_dataset(dataset, documents=dataset)
BenchmarkDataset.from_frames(frame, documents=polars_frame, qrels=arrow_table, name="mine")
BenchmarkDataset.from_frames({"q1": "a question"}, {"d1": "text"}, judged)
BenchmarkDataset.from_frames(["a question"], [{"doc_id": "d1", "text": "text"}], "qrels.txt")
assay.load_dataset(42)  # error
assay.load_dataset(None)  # error
assay.load_dataset("rag-template", 42)  # error
assay.load_dataset("rag-template", document="docs")  # error
assay.load_dataset("rag-template", documents=42)  # error
assay.load_dataset("rag-template", columns=42)  # error
BenchmarkDataset.from_frames(42)  # error
BenchmarkDataset.from_frames(frame, qrels=42)  # error
BenchmarkDataset.from_frames(frame, judgments=judged)  # error

# Fusion
assay.fuse([ranked, "dense.trec", Run(ranked)])
assay.fuse([ranked, ranked], "comb_mnz", norm="z_score", depth=100)
assay.fuse([ranked, ranked], "weighted_sum", weights=[0.7, 0.3])
assay.fuse([ranked, ranked], "rrf", k=10)
assay.tune_fusion([ranked, ranked], judged, "map", methods=["rrf"], folds=3, seed=1)
assay.tune_fusion({"bm25": ranked, "dense": Path("dense.trec")}, "qrels.txt")
assay.fuse(42)  # error
assay.fuse([ranked, 42])  # error
assay.fuse([ranked, ranked], nrm="z_score")  # error
assay.tune_fusion([ranked, 42], judged)  # error
assay.tune_fusion([ranked, ranked], None)  # error
assay.tune_fusion([ranked, ranked], judged, fold=3)  # error

# Explanations, intervals, answers, routes and reranking
assay.why(judged, ranked, "ndcg@10", 0.5)
assay.why(result, result)
assay.with_intervals(result, "bca", level=0.9, metrics=["map"], cluster="language")
assay.evaluate_answers({"q1": "an answer", "q2": None}, dataset, ["exact_match"], abstentions=["I don't know"])
assay.evaluate_answers([{"query_id": "q1", "answer": "yes", "references": ["yes"]}], run=ranked)
assay.evaluate_answers(Path("answers.jsonl"), "cases.jsonl")
assay.evaluate_answers(frame)
assay.evaluate_routing([{"query_id": "q1", "route": "a", "optimal_expert": "b"}], "routing_accuracy")
assay.evaluate_routing("routes.csv", name="router")
assay.evaluate_reranking(judged, ranked, Path("after.trec"), ["reranking_improvement@10"])
result.with_fields(notes=("a note",), name="other")
runner = assay.ReproducibleEvaluationRunner(dataset, "bm25")
runner.evaluate_run({"q1": ["d1", "d2"]}, ["ndcg@10"], policy=Policy())
assay.why(42, ranked, "ndcg@10")  # error
assay.why(judged, None, "ndcg@10")  # error
assay.why(judged, ranked, "ndcg@10", expectd=0.5)  # error
assay.with_intervals(42)  # error
assay.with_intervals(result, levels=0.9)  # error
assay.judge_answers([{"query_id": "q1", "answer": "yes"}], "openai(model=m)", metrics="faithfulness", most_cost=5.0)
assay.judge_answers("answers.jsonl", judgments="people", verdicts=Path("form.csv"))
assay.evaluate_answers(42)  # error
assay.judge_answers("answers.jsonl", send="yes")  # error
assay.judge_answers("answers.jsonl", most_costs=5)  # error
assay.evaluate_answers(None, dataset)  # error
assay.evaluate_answers(frame, 42)  # error
assay.evaluate_answers(frame, runs=ranked)  # error
assay.evaluate_routing(42)  # error
assay.evaluate_routing(None)  # error
assay.evaluate_reranking(judged, ranked, 42)  # error
assay.evaluate_reranking(judged, ranked)  # error
result.with_fields(note="a note")  # error
runner.evaluate_run(42)  # error
runner.evaluate_run({"q1": ["d1"]}, polcy=Policy())  # error
