"""A saved result in which everything stands that one may have, as the first version wrote it."""

from __future__ import annotations

from typing import Any

POLICY = {
    "ties": "docid_desc",
    "precision": "float64",
    "missing": "zero",
    "extra": "skip",
    "no_relevant": "zero",
    "rel": None,
    "judged_only": False,
    "negatives": "unjudged",
    "drop_self": False,
    "max_grade": 2.0,
    "duplicates": "error",
}
PROVENANCE = {
    "dataset": {
        "name": "small",
        "version": "1.0",
        "format": "beir",
        "num_queries": 3,
        "num_documents": 7,
        "fingerprints": {"queries": "aa", "documents": "bb", "qrels": "cc"},
    },
    "provider": {"name": "bm25", "configuration": {"provider": "bm25", "k1": 0.9}},
    "files": {"mine.py": "0123"},
    "k": 100,
    "counts": {"asked": 3, "answered": 2, "failed": 1, "cached": 0},
    "final": ["q2"],
    "latency_ms": {"mean": 1.5, "p50": 1.0, "p95": 2.0, "p99": 2.0},
    "queries_per_second": 12.5,
    "started": "2026-10-01T02:00:00+00:00",
    "finished": "2026-10-01T02:00:09+00:00",
    "seconds": {"indexing": 0.1, "asking": 0.2, "scoring": 0.1},
    "chunks": {
        "chunker": {"chunker": "recursive", "size": 400},
        "seconds": 0.1,
        "n": 5,
        "characters": {"mean": 10.0, "median": 9.0, "p5": 1.0, "p95": 20.0, "max": 22},
        "tokens": {"mean": 3.0},
        "remarks": {"cut anywhere": 2},
    },
    "routing": {
        "experts": [{"expert": "code", "routed": 1, "optimal": 2, "right": 1, "precision": 1.0, "recall": None}],
        "confusion": {"code": {"chat": 1, "code": 1}},
        "gate": {"saved": 1, "wrongly_skipped": 0, "wasted": 0, "retrieved": 2},
    },
    "repository": {"commit": "0123abc", "dirty": True},
    "assay": "0.1.0",
    "python": "3.11.7",
    "platform": "Linux",
    "packages": {"numpy": "2.0"},
    "metrics": ["ndcg@10"],
    "policy": POLICY,
    "selection": {"range": "0:3"},
    "seed": 0,
}
SCORES = {"q0": (0.75, 1.0, 4.0, "10"), "q1": (0.5, 0.5, 4.0, "01"), "q2": (0.0, 0.0, 0.0, "")}


def saved_result(name: str = "bm25", better: float = 0.0) -> dict[str, Any]:
    """One result; another name and better scores make another one."""
    names = ("ndcg@10", "mrr", "num_ret", "relstring@10")
    rows = {query: dict(zip(names, (row[0] + better, *row[1:]), strict=True)) for query, row in SCORES.items()}
    return {
        "name": name,
        "summary": {"ndcg@10": 1.25 / 3 + better, "mrr": 0.5, "num_ret": 8.0},
        "counts": {"judged": 3, "scored": 3, "missing": 1, "without_relevant": 0, "extra": 0, "constant": 0},
        "policy": dict(POLICY),
        "missing": ["q2"],
        "notes": ["a note"],
        "intervals": {"ndcg@10": {"low": 0.1, "high": None, "level": 0.95, "method": "bootstrap"}},
        "beside": ["num_ret"],
        "benchmark": "small",
        "ties": {"queries": 3, "undecided": 1, "in_top_10": 1, "at_cutoff": {"10": 0}},
        "relevance": {
            "strategy_used": "mixed",
            "strategy_counts": {"token": 2, "qrels": 1},
            "queries_with_relevant": 3,
            "relevant": 2,
            "exact_matches_found": 0,
            "counted_over": {"retrieved": 3},
            "undecided": 0,
            "unit": "as_retrieved",
            "token_threshold": 0.5,
        },
        "failures": {"q2": "TimeoutError: it took too long"},
        "provenance": PROVENANCE,
        "fingerprints": {"judgments": "dd", "rankings": "ee"},
        "per_query": rows,
        "queries": {query: {"text": f"words of {query}", "tags": {"language": "de"}} for query in SCORES},
        "run": {"q0": {"d0": 9.5, "d1": 8.5}, "q1": {"d3": 9.5, "d1": 8.5}},
        "relevant": {"q0": {"d1": 2.0, "d0": 1.0}, "q1": {"d2": 2.0}, "q2": {"d3": 1.0}},
        "nonrelevant": {"q0": {"d3": 0.0}},
        "said": {"q0": {"answer": "Paris", "confidence": 0.5, "route": ["code"]}},
    }


def saved_file() -> dict[str, Any]:
    """A file of two results on one benchmark."""
    return {"schema": "assay.result/1", "results": [saved_result(), saved_result("dense", 0.125)]}
