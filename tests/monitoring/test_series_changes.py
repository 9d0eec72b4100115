"""Changes in a real store: the two runs, the queries that fell, what was changed between them, the same on every surface."""

import json

import pytest
from tests._results import make_result
from tests.web._clients import client_of

from assay.charts import draw
from assay.metrics import find_metric
from assay.monitoring import alerts_of_series, change_details, change_head, read_series
from assay.reports import render_history
from assay.store import Store

MRR = find_metric("mrr")
IDS = tuple(f"q{number:02}" for number in range(50))
BEFORE = [1.0] * 36 + [0.6] + [0.0] * 13
AFTER = [0.0] * 7 + BEFORE[7:]


def night(day, scores, commit="a" * 40, k1=1.5, ids=IDS, metric="mrr", **more):
    provenance = {
        "started": f"2026-10-{day + 1:02}T02:00:00+00:00",
        "repository": {"commit": commit, "dirty": False},
        "provider": {"name": "bm25", "configuration": {"provider": "bm25", "k1": k1}},
        **more,
    }
    return make_result({metric: scores}, "bm25", query_ids=ids, benchmark="rag", provenance=provenance)


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def only_series(store, metric=MRR, **more):
    (series,) = read_series(store, metric, **more)
    return series


def save_drop(store):
    """Eight equal nights, then a new version and setting with which seven queries fall."""
    for day in range(8):
        store.save([night(day, BEFORE)])
    store.save([night(8, AFTER, "b" * 40, 1.2)])


def test_a_drop_on_the_ninth_night(store):
    save_drop(store)
    series = only_series(store)
    (change,) = series.changes
    assert (change.place, change.kind, change.is_worse, change.is_shown) == (8, "step", True, True)
    assert (change.before, change.after) == pytest.approx((0.732, 0.592))
    assert (change.point, change.earlier) == (series.points[8], series.points[7])
    assert (change.worse, change.n_worse, change.n_better) == (IDS[:5], 7, 0)
    assert change_head(change, MRR) == "step 0.732 → 0.592 (worse)"
    assert change_details(change) == [
        "worse on 7 queries: q00, q01, q02, q03, q04 …",
        f"changed since {series.points[7].evaluation}: code version aaaaaaa → bbbbbbb; provider configuration: k1 1.5 → 1.2",
        "shown beyond these queries (p = 0.026, corrected for repeated looks)",
    ]
    assert series.doubt == ""


def test_every_surface_has_the_same_marks(store, tmp_path):
    save_drop(store)
    series = only_series(store)
    plain = json.loads(json.dumps([change.to_dict() for change in series.changes], allow_nan=False))
    assert plain[0]["changed"][0] == {"part": "code", "text": "code version aaaaaaa → bbbbbbb"}
    (alert,) = alerts_of_series([series])
    assert {name: alert.details[name] for name in ("p", "worse", "n_worse", "changed")} == {
        name: plain[0][name] for name in ("p", "worse", "n_worse", "changed")
    }
    assert only_series(store, since="2026-10-09").changes[0].before == series.changes[0].before
    client = client_of(tmp_path / "store.db")
    assert client.get("/api/v1/history?metric=mrr").json()["series"][0]["changes"] == plain
    page = client.get("/history?metric=mrr").text
    for text in (change_head(series.changes[0], MRR), *change_details(series.changes[0])):
        assert text in page, text


def test_the_order_of_queries_does_not_matter(store):
    for day in range(4):
        turned = slice(None, None, -1 if day % 2 else 1)
        store.save([night(day, BEFORE[turned], ids=IDS[turned]).with_fields(queries={})])
    store.save([night(4, AFTER[::-1], ids=IDS[::-1]).with_fields(queries={})])
    (change,) = only_series(store).changes
    assert (change.place, change.worse) == (4, IDS[:5])


def test_a_change_in_few_points_is_marked_if_it_is_recorded(store):
    """One query of a second run: with another setting it is a change, else it may be noise."""
    fallen = [0.5, *BEFORE[1:]]
    store.save([night(0, BEFORE)])
    store.save([night(1, fallen, k1=1.2)])
    (change,) = only_series(store).changes
    assert (change.worse, change.is_shown) == (("q00",), False)
    assert change_details(change)[-1] == "seen on these queries only (p = 1.000, corrected for repeated looks)"
    assert change_head(change, MRR) == "step 0.732 → 0.722 (lower)", "worse is said only if it is shown"
    (alert,) = alerts_of_series([only_series(store)])
    assert alert.text.startswith("rag/bm25: mrr is lower on these queries: 0.732 → 0.722, a step in ")
    assert render_history([only_series(store)], "mrr").count("↓") == 2
    drawing = draw("history", series=(only_series(store),))
    assert drawing.rows[1]["mark"] == "on these queries only"
    assert "bm25 was lower on these queries on 2026-10-02" in drawing.alt
    store.save([night(2, BEFORE, k1=1.2)])
    assert [change.kind for change in only_series(store).changes] == ["spike"]


def test_lower_is_better(store):
    """The mean rank of the first relevant document, say: a query that rises gets worse."""
    times = find_metric("latency")
    for day in range(10):
        store.save([night(day, [20.0 + day % 3] * 50, metric="latency")])
    store.save([night(10, [90.0] * 50, metric="latency")])
    (change,) = only_series(store, times).changes
    assert (change.is_worse, change.worse, change.p != change.p) == (True, (), True)


def test_other_data_are_named(store):
    about = {"name": "rag", "version": "1.0", "fingerprints": {"queries": "a", "documents": "b", "judgments": "c"}}
    for day, version in enumerate(("1.0", "1.0", "1.1")):
        store.save([night(day, BEFORE if day < 2 else AFTER, dataset={**about, "version": version})])
    series = only_series(store)
    assert series.changes == ()
    assert [str(changed) for changed in series.found.data_changes[2]] == ["dataset version 1.0 → 1.1"]
