"""What the tests of pages share: two systems worked out by hand, with texts, tags, rankings and a failure."""

from __future__ import annotations

from functools import cache
from typing import Any

import assay
from assay.comparison import compare_results
from assay.evaluation import Result
from assay.model import Query
from assay.reports import BenchmarkReport, Section, make_group, make_page, render_page

QRELS = {f"q{n}": {f"d{n}": 1} for n in range(1, 9)}
"""One relevant document for each of eight queries."""
BASE_RANKS = {"q1": 1, "q2": 1, "q3": 2, "q4": 4, "q5": 0, "q6": 2, "q7": 0, "q8": 1}
CAND_RANKS = {"q1": 1, "q2": 2, "q3": 1, "q4": 1, "q5": 0, "q6": 1, "q7": 2, "q8": 0}
"""The rank of the relevant document; 0: it is not retrieved. mrr is 0.53125 for the one and 0.625 for the other."""
TAGS = {"easy": ("q1", "q2", "q3", "q4"), "hard": ("q5", "q6", "q7", "q8")}


def run_of(ranks: dict[str, int]) -> dict[str, dict[str, float]]:
    """Rankings of twelve documents with the relevant one at its rank."""
    found = {}
    for query, rank in ranks.items():
        documents = [f"{query}x{n}" for n in range(12)]
        if rank:
            documents[rank - 1] = f"d{query[1:]}"
        found[query] = {document: float(20 - place) for place, document in enumerate(documents)}
    return found


def result_of(name: str, ranks: dict[str, int], **more: Any) -> Result:
    """A result as `assay eval` makes it: with texts, tags, rankings and relevant documents."""
    difficulty = {query: word for word, some in TAGS.items() for query in some}
    run = run_of(ranks)
    scored = assay.evaluate(QRELS, run, ["mrr", "recall@10", "ndcg@10"], name=name)
    queries = {query: Query(query, f"what about {query}", difficulty=difficulty[query]) for query in QRELS}
    return scored.with_fields(run=run, queries=queries, relevant=QRELS, benchmark="small", **more)


@cache
def base() -> Result:
    """The baseline."""
    return result_of("base", BASE_RANKS)


@cache
def cand() -> Result:
    """The candidate, which failed on q8."""
    times = {"latency_ms": {"mean": 1.5, "p50": 1.25, "p95": 4.0}, "seconds": {"indexing": 0.5, "asking": 2.0}}
    return result_of("cand", CAND_RANKS, failures={"q8": "HTTP 500"}, provenance=times)


def two(**more: Any) -> BenchmarkReport:
    """Both of them, compared."""
    results = (base(), cand())
    return BenchmarkReport(results, compare_results(results), **more)


def many() -> BenchmarkReport:
    """Three systems, every pair compared."""
    results = (base(), cand(), result_of("third", dict.fromkeys(QRELS, 1)))
    return BenchmarkReport(results, compare_results(results))


def section(report: BenchmarkReport, key: str) -> Section | None:
    """The section of a page whose key begins like that; None where the page has none."""
    return next((one for one in make_group(report).sections if one.key.startswith(key)), None)


def page(*matters: BenchmarkReport, title: str = "") -> str:
    """The page as HTML."""
    return render_page(make_page(matters or (two(),), title))
