"""Spark Connect: the client has no SparkContext and no RDDs, and everything works as in a classic session."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.spark import _tables
from tests.spark._driver import SECONDS, running_driver

FORMS = ["grouped", "counting"]
QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}
ROWS = [("x", "q1", "b", 2.0), ("x", "q1", "a", 1.0), ("x", "q2", "a", 3.0), ("y", "q1", "a", 5.0)]
COLUMNS = "run string, query_id string, doc_id string, score double"


@pytest.fixture(scope="module")
def small_tables(tmp_path_factory):
    """30 queries with 200 documents each."""
    return _tables.write_tables(tmp_path_factory.mktemp("tables"), 30, 200)


def session_type(spark):
    """The module of the session, and what it says about a SparkContext."""
    try:
        return type(spark).__module__, repr(spark.sparkContext)
    except Exception as error:  # noqa: BLE001
        return type(spark).__module__, str(error)


def score_runs_of_a_table(spark):
    """The mean of each run of a table with a column that names runs."""
    import assay.spark

    results = assay.spark.evaluate(QRELS, spark.createDataFrame(ROWS, COLUMNS), ["mrr"], run_col="run")
    return {name: (result.name, result["mrr"], result.counts["missing"]) for name, result in results.items()}


def compare_runs_of_a_table(spark):
    """The systems of a comparison, and the difference of its first metric."""
    import assay.spark

    frame = spark.createDataFrame(ROWS, COLUMNS)
    comparison = assay.spark.compare(QRELS, frame, ["mrr"], run_col="run", baseline="x")
    return comparison.to_pandas()["difference"].tolist()


def scores_that_stay_in_spark(spark):
    """The scores of each query of each run, and the unjudged documents of a comparison, which Spark looks up."""
    import assay.spark

    frame = spark.createDataFrame([*ROWS, ("y", "q2", "z", 1.0)], COLUMNS)
    scores = assay.spark.score_runs(QRELS, frame, ["mrr"], run_col="run").collect()
    comparison = assay.spark.compare(QRELS, frame, ["ndcg@2"], run_col="run")
    [pair] = comparison.pairs
    return sorted(map(tuple, scores)), comparison.unjudged(pair) is not None


def error_of(spark, rows):
    """The error about rows that cannot be scored."""
    import assay
    import assay.spark

    try:
        assay.spark.evaluate(QRELS, spark.createDataFrame(rows, COLUMNS).drop("run"), ["mrr"])
    except assay.AssayError as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def error_after_the_session_stopped(spark):
    """The error about a table whose session was stopped."""
    import assay
    import assay.spark

    frame = spark.createDataFrame(ROWS, COLUMNS)
    spark.stop()
    try:
        assay.spark.evaluate(QRELS, frame, ["mrr"], run_col="run")
    except assay.AssayError as error:
        return str(error)
    return "no error"


def test_the_client_is_one_of_connect(connect):
    module, context = connect.run(session_type)
    assert module == "pyspark.sql.connect.session"
    assert "NOT_SUPPORTED" in context or "not supported" in context


@pytest.mark.parametrize("form", FORMS)
def test_results_are_those_of_one_process(connect, small_tables, form):
    assert connect.run(_tables.evaluate_on, small_tables, form) == _tables.evaluate_locally(small_tables)


def test_each_run_of_a_table_has_a_result(connect):
    """x ranks b before a for q1, and a first for q2: (1/2 + 1) / 2. y has nothing for q2: (1 + 0) / 2."""
    assert connect.run(score_runs_of_a_table) == {"x": ("x", 0.75, 0), "y": ("y", 0.5, 1)}


def test_runs_of_a_table_are_compared(connect):
    assert connect.run(compare_runs_of_a_table) == [-0.25]


def test_scores_stay_in_spark(connect):
    scores, has_unjudged = connect.run(scores_that_stay_in_spark)
    assert scores == [("x", "q1", 0.5), ("x", "q2", 1.0), ("y", "q1", 1.0), ("y", "q2", 0.0)]
    assert has_unjudged


def test_the_command_on_a_server(connect_url, small_tables):
    command = [sys.executable, "-m", "assay", "score", "--engine", "spark", "--master", connect_url]
    done = subprocess.run(
        [*command, small_tables.qrels, small_tables.run, "-m", "map", "-f", "json"],
        capture_output=True,
        timeout=SECONDS,
        check=True,
    )
    [result] = json.loads(done.stdout)["results"]
    assert result["fingerprints"] == _tables.evaluate_locally(small_tables).fingerprints


def test_a_bad_row_is_an_error_with_query_and_document(connect):
    nan = connect.run(error_of, [*ROWS[:3], ("x", "q2", "c", float("nan"))])
    assert nan.startswith("DataError")
    assert "q2" in nan
    assert "document c must be a number" in nan
    twice = connect.run(error_of, [*ROWS[:3], ROWS[2]])
    assert twice.startswith("DataError")
    assert "q2" in twice
    assert "a appears twice" in twice


@pytest.mark.parametrize("kind", ["classic", "connect"])
def test_a_stopped_session_is_named(installed, connect_url, kind, tmp_path):
    where = {"remote": connect_url} if kind == "connect" else {"master": "local[1]"}
    with running_driver(tmp_path, **where) as driver:
        error = driver.run(error_after_the_session_stopped)
    assert error == "the Spark session of the run was stopped. Start a session, and read the table again"
