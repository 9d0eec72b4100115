"""Comma-separated values, read back with a real CSV reader."""

import csv
import io

import assay
from assay.text import spreadsheet_cell

from ._results import HOSTILE, NINE, POOR, QRELS, banded, hostile_results, is_printable, pair, rendered, result


def read(text):
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_one_row_per_run():
    assert (
        rendered("csv", pair(["map", "mrr", "recall@1"]))
        == "run,queries,map,mrr,recall@1\ngood,2,1.0,1.0,0.75\npoor,2,0.125,0.25,0.0\n"
    )


def test_one_row_per_run_and_query_then_all():
    assert rendered("csv", [result("poor", POOR, ["map", "relstring", "runid"])], per_query=True) == (
        "run,query,map,relstring@10,runid\npoor,q1,0.25,02,\npoor,q2,0.0,,\npoor,all,0.125,,\n"
    )


def test_counters_are_whole_numbers():
    assert rendered("csv", pair(["num_q", "num_ret"])) == "run,queries,num_q,num_ret\ngood,2,2,3\npoor,2,2,2\n"
    assert rendered("csv", pair(["num_q", "map"]), digits=2) == "run,queries,num_q,map\ngood,2,2,1.00\npoor,2,2,0.12\n"


def test_every_digit_unless_fewer_are_asked_for():
    run = {"q1": {"d2": 3.0, "x": 2.0, "d1": 1.0}}
    assert read(rendered("csv", [result("r", run, ["map"])]))[1] == ["r", "2", repr(1 / 3 / 2 / 2)]
    assert read(rendered("csv", [result("r", run, ["map"])], digits=3))[1] == ["r", "2", "0.083"]
    assert read(rendered("csv", [result("r", run, ["map"])], digits=0))[1] == ["r", "2", "0"]


def test_many_metrics_stay_columns():
    assert read(rendered("csv", pair(NINE)))[0] == ["run", "queries", *NINE]


def test_text_metrics_show_with_queries_only():
    assert rendered("csv", pair(["relstring", "map"])) == "run,queries,map\ngood,2,1.0\npoor,2,0.125\n"


def test_nothing_scored():
    rows = read(rendered("csv", [result("r", POOR, ["map"], rel=9, no_relevant="skip")], per_query=True))
    assert rows[0] == ["run", "query", "map"]
    assert rows[1][:2] == ["r", "all"]
    assert rows[1][2] in ("", "nan")


def test_hostile_text_reads_back():
    rows = read(rendered("csv", hostile_results(), per_query=True))[1:]
    assert len(rows) == len(HOSTILE) * (len(HOSTILE) + 1)
    assert {len(row) for row in rows} == {4}
    found = iter(rows)
    for name in HOSTILE:
        for query in (*HOSTILE, "all"):
            row = next(found)
            assert row[0] == spreadsheet_cell(name) or not is_printable(name) or "\n" in name
            assert row[1] == spreadsheet_cell(query) or not is_printable(query) or "\n" in query


def test_a_comma_in_a_metric_is_quoted():
    metric = "utility(weights=[1, -2, 0, 0])"
    rows = read(rendered("csv", [assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, metric, name="r")]))
    assert rows == [["run", "queries", metric], ["r", "1", "1.0"]]


def test_bands_are_columns():
    head, tied, clear = read(rendered("csv", banded()))
    kinds = ["ties min", "ties mean", "ties max", "unjudged min", "unjudged max"]
    assert head == ["run", "queries", "mrr", *(f"mrr {kind}" for kind in kinds)]
    assert tied == ["tied", "1", "0.25", "0.25", str((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4), "1.0", "0.25", "1.0"]
    assert clear == ["clear", "1", "0.5", "0.5", "0.5", "0.5", "0.5", "1.0"]


def test_bands_of_every_query():
    head, query, summary, *_ = read(rendered("csv", banded(), per_query=True, digits=2))
    assert head[:4] == ["run", "query", "mrr", "mrr ties min"]
    assert query == ["tied", "q", "0.25", "0.25", "0.52", "1.00", "0.25", "1.00"]
    assert summary == ["tied", "all", *query[2:]]


def test_bands_follow_their_queries_when_these_are_sorted():
    one = assay.evaluate(QRELS, {"q1": {"d2": 1.0, "d1": 1.0}, "q2": {"d4": 1.0}}, "mrr", name="r", tie_band=True)
    rows = read(rendered("csv", [one.sorted_by("mrr")], per_query=True))[1:]
    assert [row[1:] for row in rows] == [
        ["q2", "1.0", "1.0", "1.0", "1.0"],
        ["q1", "0.5", "0.5", "0.75", "1.0"],
        ["all", "0.75", "0.75", "0.875", "1.0"],
    ]


def test_a_query_that_does_not_count_for_a_metric_has_no_band_there():
    """beir leaves missing queries out, except for mrr."""
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
    one = assay.evaluate(qrels, run, ["map@10", "mrr@10"], profile="beir", name="r", tie_band=True)
    rows = read(rendered("csv", [one], per_query=True, digits=1))
    assert rows[2] == ["r", "2", "", "0.0", "", "", "", "0.0", "0.0", "0.0"]
