"""JSON of a result with many scores, against msgspec's encoder on the same numbers."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from assay.reports import json_text
from benchmarks._timing import Row, take_turns, within_in_turns

N_QUERIES, N_METRICS = 5000, 100


def measure() -> Iterator[Row]:
    """The scores of 5,000 queries in 100 metrics, with the indents of `assay score --format json`."""
    scores = np.random.default_rng(0).beta(2, 2, (N_METRICS, N_QUERIES)).tolist()
    queries = [f"q{number}" for number in range(N_QUERIES)]
    per_query = {f"metric@{k}": dict(zip(queries, column, strict=True)) for k, column in enumerate(scores)}
    content = {"schema": 1, "results": [{"name": "bench", "per_query": per_query}]}
    if msgspec.json.decode(json_text(content)) != content:
        raise RuntimeError("the text does not have the same numbers")
    costs = take_turns(lambda: json_text(content), lambda: msgspec.json.encode(content))
    yield within_in_turns("JSON of 5,000 × 100 scores", "msgspec encode", *costs, 2)
