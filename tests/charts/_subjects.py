"""Results and series whose figures are known, for the tests of charts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests._results import make_result

import assay
from assay.charts import draw
from assay.metrics import parse_metric
from assay.model import Column, Query
from assay.monitoring import Point, Series

HOSTILE = "<script>&'\"\x1b[31m\x00\u2028\ufffe\u202ealert('x')</script> http://evil.example/ " + "w" * 200


def result_of(name="bm25", benchmark="rag", tags=(), **scores):
    """A result with these scores, metric by metric; its queries are q0, q1 …"""
    ids = [f"q{number}" for number in range(len(next(iter(scores.values()))))]
    return make_result(scores, name, query_ids=ids, tags={"difficulty": tags} if tags else None, benchmark=benchmark)


def ranked(name, *rankings, relevant=("a", "b"), metrics=("recall@2", "mrr")):
    """A result that keeps rankings of single letters and what is relevant: a and b to every query, unless told."""
    qrels = {f"q{number}": dict.fromkeys(relevant, 1) for number in range(len(rankings))}
    run = {f"q{number}": {doc: float(-rank) for rank, doc in enumerate(docs)} for number, docs in enumerate(rankings)}
    found = assay.evaluate(qrels, run, metrics, name=name)
    return found.with_fields(run=run, relevant={query: dict.fromkeys(judged, 1.0) for query, judged in qrels.items()})


def series_of(*values, provider="bm25", metric="mrr", started="2026-10-{:02}T02:00:00+00:00", **more):
    """A series with one figure each night, from the first of October on; its intervals are 0.01 to each side."""
    points = [
        Point(f"e{day}", started.format(day + 1), value, value and value - 0.01, value and value + 0.01, 50, "x", **more)
        for day, value in enumerate(values)
    ]
    return Series("rag", provider, metric, tuple(points))


def drawn_of_anything(kind, names=("one", "two", "three"), title=""):
    """A chart of that kind, of systems of these names."""
    from assay.charts import all_charts

    chart = all_charts()[kind]
    if chart.needs_series:
        steps = [0.8 + 0.001 * (day % 3) for day in range(15)] + [0.6] * 5
        series = tuple(series_of(*steps, provider=name) for name in names)
        return draw(kind, series=series, baselines={"e3": names[0]}, title=title)
    results = []
    for number, name in enumerate(names[: chart.n_results[1]]):
        rankings = [("a", "b", "x", "y"), ("x", "a", "b", "y"), ("x", "y", "a", "z"), ("x", "y", "z", "w")]
        result = ranked(name, *(rankings[(number + place) % 4] for place in range(6)), metrics=("ndcg@3", "recall@2"))
        latency = parse_metric("latency")
        times = Column.of(np.arange(1.0, 7.0) * (number + 1), latency.metric.aggregation)
        table = replace(result.table, columns={**result.table.columns, "latency": times})
        tags = [{"kind": names[place % 2], "relevant_age": ("day", "older")[place % 2]} for place in range(6)]
        queries = {f"q{place}": Query(f"q{place}", names[0], metadata=tags[place]) for place in range(6)}
        results.append(result.with_fields(table=table, metrics=(*result.metrics, latency), queries=queries))
    return draw(kind, results, by="kind", title=title)


def data(drawing):
    """The rows in a specification."""
    return drawing.spec["data"]["values"]


def system(name, latency, quality):
    """A system of one quality and one speed."""
    return result_of(name, mrr=[quality] * 2, latency=[latency] * 2)
