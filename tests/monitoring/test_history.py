"""History: series, sparklines, gaps, other data, and the best so far."""

from tests._variants import for_each

from assay.monitoring import best_before, series_of
from assay.reports import history_sections, render_history, render_sections

from ._history import points


def test_a_step_is_marked_where_it_began():
    (series,) = series_of(points([0.8] * 20 + [0.7] * 5), "ndcg@10")
    (change,) = series.changes
    assert (change.place, change.point.evaluation, change.is_worse, change.kind) == (20, "e20", True, "step")
    (times,) = series_of(points([20.0] * 20 + [30.0] * 5), "latency_p95")
    assert times.changes[0].is_worse, "a rise of latency"
    stored = points([0.8] * 15) + [one._replace(evaluation=f"n{one.evaluation}", dataset="d2") for one in points([0.5] * 15)]
    assert series_of(stored, "mrr")[0].changes == (), "other data begin a new stretch"


def test_a_part_of_a_series_has_the_marks_of_the_whole():
    """From the 19th point on, two points are before the step; on their own they would be too few."""
    (series,) = series_of(points([0.8] * 20 + [0.7] * 5), "mrr")
    part = series.part(18)
    assert [(change.place, change.before) for change in part.changes] == [(2, 0.8)]
    assert len(part.points) == 7
    assert series.part(21).changes == ()


def test_csv_and_plain_values():
    (series,) = series_of(points([0.8] * 20 + [None] + [0.7] * 5), "mrr")
    rows = render_sections(history_sections([series]), "csv").splitlines()
    assert rows[0] == "benchmark,provider,metric,evaluation,started,value,low,high,n,dataset,change"
    assert rows[1] == "rag,bm25,mrr,e0,2026-11-01,0.8,,,40,d1,"
    assert rows[22].endswith(",step")
    assert series.to_dict()["changes"][0]["evaluation"] == "e21"


@for_each("metric, best", [("mrr", 0.9), ("latency", 0.5)])
def test_the_best_before_an_evaluation_on_the_same_data(metric, best):
    stored = points([0.9, 0.5, 0.7, 0.99])
    stored[3] = stored[3]._replace(value=0.01 if metric == "latency" else 0.99)
    series = series_of([*stored, *(one._replace(dataset="old", value=v) for v in (1.0, 0.0) for one in stored[:1])], metric)
    assert best_before(series, "e2") == {("rag", "bm25", metric): best}
    assert best_before(series, "unknown") == {}
    newer = [one._replace(evaluation=f"n{one.evaluation}", dataset="d2") for one in points([0.5, 0.7, 0.6])]
    of_other_data = series_of([*points([0.99, 0.01]), *newer], metric)
    assert best_before(of_other_data, "ne2") == {("rag", "bm25", metric): 0.7 if metric == "mrr" else 0.5}
    assert best_before(series_of(points([0.5]), metric), "e0") == {}


def by_turns(night, noon):
    """Two versions of the data, one at night and one at noon."""
    pairs = zip(points(night), points(noon), strict=True)
    return [one for full, few in pairs for one in (full, few._replace(evaluation=f"n{few.evaluation}", dataset="d2", n=10))]


def test_data_that_come_by_turns_are_series_of_their_own():
    """A step of the nightly figures is found, whatever is measured on ten queries at noon."""
    series = series_of(by_turns([0.8] * 17 + [0.6] * 8, [0.33, 0.41] * 12 + [0.33]), "mrr")
    assert [(one.name, len(one.points)) for one in series] == [
        ("rag · bm25 · 40 queries", 25),
        ("rag · bm25 · 10 queries", 25),
    ]
    assert [(change.point.evaluation, change.kind) for change in series[0].changes] == [("e17", "step")]
    assert series[0].to_dict()["data"] == "40 queries"
    same_n = series_of([one._replace(n=40) for one in by_turns([0.8] * 3, [0.5] * 3)], "mrr")
    assert [one.data for one in same_n] == ["40 queries, data d1", "40 queries, data d2"]
    assert best_before(series, "e20") == {("rag", "bm25", "mrr"): 0.8}


def test_only_what_was_accepted_raises_the_ratchet():
    """0.95 was tried and turned down: it is no bar. Where nothing was ever blessed, everything counts."""
    tried = points([0.80, 0.95, 0.82, 0.81])
    assert best_before(series_of(tried, "mrr"), "e3") == {("rag", "bm25", "mrr"): 0.95}
    blessed = [one._replace(was_baseline=one.evaluation in ("e0", "e2")) for one in tried]
    assert best_before(series_of(blessed, "mrr"), "e3") == {("rag", "bm25", "mrr"): 0.82}


def test_a_narrow_terminal():
    """The newest points that fit are drawn, and no line is wider."""
    series = series_of([*points([0.8] * 90 + [0.7] * 5, "a-provider-with-quite-a-long-name"), *points([0.7], "b")], "mrr")
    for width in (40, 60, 80):
        lines = render_history(series, "mrr", width).splitlines()
        assert max(map(len, lines)) <= width
        drawn = next(number for number, line in enumerate(lines) if "█" in line)
        assert lines[drawn].index("▁") == lines[drawn + 1].index("▼")
    wide = render_history(series, "mrr", 300).splitlines()
    assert wide[2].startswith("  rag · a-provider-with-quite-a-long-name  ███")


def test_histories_as_people_read_them(snapshots):
    other_data = [one._replace(evaluation=f"n{one.evaluation}", dataset="d2") for one in points([0.5] * 15)]
    histories = {
        "a step": points([0.8] * 20 + [0.7] * 5),
        "levels": points([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
        "a gap": points([0.8, None, 0.8]),
        "one point": points([0.8]),
        "no figure": points([None]),
        "no result": [],
        "other data": [*points([0.8] * 15), *other_data],
        "two providers, one of them for long": [*points([0.8] * 3, "b"), *points([0.7] * 100, "a")],
        "data by turns": by_turns([0.8] * 17 + [0.6] * 8, [0.33, 0.41] * 12 + [0.33]),
    }
    texts = {name: render_history(series_of(stored, "mrr"), "mrr") for name, stored in histories.items()}
    times = series_of(points([20.0] * 20 + [30.0] * 5), "latency_p95")
    texts["times"] = render_history(times, "latency_p95")
    snapshots.check("monitoring/histories", "".join(f"## {name}\n{text}\n" for name, text in texts.items()))
