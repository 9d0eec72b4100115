"""Results to be stored: small ones that differ by a number, and what it means that two are the same."""

from __future__ import annotations

import assay
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Confidence
from assay.model.records import Query

METRICS = ("ndcg@10", "mrr", "num_ret", "relstring")


def result_of(number: int = 0, benchmark: str = "small", provider: str = "bm25", started: str | None = None) -> Result:
    """Three queries, rankings that depend on the number, an interval, a failure and where it comes from."""
    qrels = {f"q{query}": {f"d{query}": 1, f"d{query + 1}": 2} for query in range(3)}
    run = {
        f"q{query}": {f"d{(query + rank + number) % 7}": 9.5 - rank - number / 1000 for rank in range(4)}
        for query in range(2)
    }
    result = assay.evaluate(qrels, run, METRICS, name=provider)
    described = {"name": benchmark, "version": "1.0", "format": "", "fingerprints": {"queries": "aa"}}
    return result.with_fields(
        benchmark=benchmark,
        run=run,
        queries={name: Query(name, f"words of {name}", metadata={"language": "de"}) for name in qrels},
        intervals={"ndcg@10": Confidence(0.1, 0.9, 0.95, "bootstrap")},
        failures={"q2": "TimeoutError: it took too long"},
        provenance={
            "dataset": described,
            "provider": {"name": provider, "configuration": {"number": number}},
            **({"started": started} if started else {}),
        },
    )
