"""What a stranger with a session and two tables gets: results, comparisons, and scores that stay in Spark."""

from __future__ import annotations

import json
import warnings
from decimal import Decimal

import pytest

import assay
import assay.spark
from assay.metrics import all_metrics, parse_metric

JUDGMENTS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}, "q3": {"a": 1}}
ROWS = [
    ("bm25", "q1", "a", 3.0),
    ("bm25", "q1", "x", 2.0),
    ("bm25", "q1", "c", 2.0),
    ("bm25", "q2", "e", 1.0),
    ("bm25", "q2", "d", 0.5),
    ("bm25", "q9", "d", 0.5),
    ("dense", "q1", "c", 9.0),
    ("dense", "q2", "d", 8.0),
    ("dense", "q3", "y", 1.0),
    ("dense", "q3", "a", 1.0),
]
SCHEMA = "system string, query_id string, doc_id string, score double"
METRICS = ["ndcg@10", "map", "rbp(p=0.8)"]
FORMS = ("grouped", "counting")
CUTOFFS = {"iprec": "iprec@0.5"}
"""Metrics whose cutoff is not a number of documents."""


def run_of(name):
    rankings = {}
    for system, query, document, score in ROWS:
        if system == name:
            rankings.setdefault(query, {})[document] = score
    return rankings


@pytest.fixture(scope="module")
def runs(spark):
    return spark.createDataFrame(ROWS, SCHEMA)


@pytest.fixture(scope="module")
def bm25(runs):
    return runs.filter("system = 'bm25'").drop("system")


def test_three_lines_to_a_result(spark, bm25):
    judged = [(query, doc, grade) for query, grades in JUDGMENTS.items() for doc, grade in grades.items()]
    qrels = spark.createDataFrame(judged, "query_id string, doc_id string, relevance int")
    result = assay.spark.evaluate(qrels, bm25, METRICS)
    expected = assay.evaluate(JUDGMENTS, run_of("bm25"), METRICS)
    assert result.summary == expected.summary
    assert result.fingerprints == expected.fingerprints
    assert result.provenance["engine"] == {"name": "spark", "version": spark.version, "form": "grouped", "rows": 6}


@pytest.mark.parametrize("form", FORMS)
def test_bands_intervals_and_comparisons_work_on_the_results(runs, form):
    results = assay.spark.evaluate(JUDGMENTS, runs, METRICS, "system", form=form, tie_band=True, residuals=True)
    expected = {
        name: assay.evaluate(JUDGMENTS, run_of(name), METRICS, name=name, tie_band=True, residuals=True) for name in results
    }
    for name, result in results.items():
        assert result.name == name
        plain = result.to_dict()
        assert plain.pop("provenance")["engine"]["form"] == form
        assert plain == expected[name].to_dict()
        assert assay.with_intervals(result).intervals == assay.with_intervals(expected[name]).intervals
    assert assay.compare(None, results).verdict == assay.compare(None, expected).verdict


def test_a_comparison_in_one_call(runs, bm25):
    expected = assay.compare(JUDGMENTS, {name: run_of(name) for name in ("bm25", "dense")}, METRICS, baseline="bm25")
    compared = assay.spark.compare(JUDGMENTS, runs, METRICS, "system", baseline="bm25")
    assert compared.verdict == expected.verdict
    dense = runs.filter("system = 'dense'").drop("system")
    named = assay.spark.compare(
        JUDGMENTS, {"bm25": bm25, "dense": dense}, METRICS, baseline="bm25", table={"form": "counting"}
    )
    assert named.verdict == expected.verdict
    with pytest.raises(assay.UsageError, match="compare needs run_col"):
        assay.spark.compare(JUDGMENTS, runs, METRICS)


def test_unjudged_documents_of_two_runs_are_looked_up_in_spark(runs):
    compared = assay.spark.compare(JUDGMENTS, runs, ["ndcg@2"], "system")
    expected = assay.compare(JUDGMENTS, {name: run_of(name) for name in ("bm25", "dense")}, ["ndcg@2"])
    for pair, other in zip(compared.pairs, expected.pairs, strict=True):
        assert compared.unjudged(pair) == expected.unjudged(other)


@pytest.mark.parametrize("policy", [{}, {"missing": "skip", "precision": "float32"}, {"duplicates": "keep_best"}])
def test_scores_stay_in_spark(spark, runs, policy):
    policy = assay.Policy(**policy)
    scores = assay.spark.score_runs(JUDGMENTS, runs, METRICS, "system", policy=policy)
    assert scores.columns == ["system", "query_id", *METRICS]
    by_run = {}
    for row in scores.collect():
        by_run.setdefault(row["system"], {})[row["query_id"]] = {name: row[name] for name in METRICS}
    assert by_run == {
        name: assay.evaluate(JUDGMENTS, run_of(name), METRICS, policy=policy).table.by_query() for name in ("bm25", "dense")
    }


def test_scores_of_one_run_have_no_column_for_it(bm25):
    scores = assay.spark.score_runs(JUDGMENTS, bm25, ["map", "runid"])
    assert scores.columns == ["query_id", "map", "runid"]
    expected = assay.evaluate(JUDGMENTS, run_of("bm25"), ["map", "runid"])
    assert {row["query_id"]: row["map"] for row in scores.collect()} == expected.scores("map")


def test_a_fault_in_scores_that_stay_in_spark_names_its_place(spark, runs):
    twice = runs.union(runs.filter("doc_id = 'e'"))
    scores = assay.spark.score_runs(JUDGMENTS, twice, METRICS, "system")
    with pytest.raises(Exception, match="run bm25, query q2: document e appears twice"):
        scores.collect()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("schema", "rows"),
    [
        ("qid int, docno bigint, sim float", [(1, 10, 0.5), (1, 11, 0.25), (2, 10, 3.0)]),
        ("topic string, DocID string, rank int", [("1", "10", 1), ("1", "11", 2), ("2", "10", 1)]),
        ("q string, d string, score decimal(10,2)", [("1", "10", Decimal("0.50")), ("1", "11", Decimal("0.25"))]),
        ("`query id` smallint, `doc-id` string, score bigint, other array<int>", [(1, "10", 5, []), (1, "11", 2, [])]),
    ],
)
def test_columns_of_other_names_and_types(spark, form, schema, rows):
    names = {"query_id": "q", "doc_id": "d"} if schema.startswith("q string") else None
    frame = spark.createDataFrame(rows, schema)
    judgments = {"1": {"10": 1, "11": 2}, "2": {"10": 1}}
    result = assay.spark.evaluate(judgments, frame, METRICS, columns=names, form=form)
    run = {"1": ["10", "11"]} | ({"2": ["10"]} if len(rows) > 2 else {})
    assert result.summary == assay.evaluate(judgments, run, METRICS).summary


def test_every_metric_of_rankings(spark, bm25):
    names = [name for name, metric in all_metrics().items() if metric.view in ("ranking", "subtopics")]
    metrics = [name if _is_complete(name) else CUTOFFS.get(name, f"{name}@5") for name in names]
    rows = [
        {"query_id": q, "subtopic": "1", "doc_id": d, "relevance": g}
        for q, some in JUDGMENTS.items()
        for d, g in some.items()
    ]
    expected = assay.evaluate(rows, run_of("bm25"), metrics).table.by_query()
    for form in FORMS:
        found = assay.spark.evaluate(spark.createDataFrame(rows), bm25, metrics, form=form).table.by_query()
        for query, scores in expected.items():
            scores.pop("runid", None), found[query].pop("runid", None)  # a run in a table is called what its column says
            assert found[query] == pytest.approx(scores, abs=1e-12, nan_ok=True)
    assert len(names) > 60


def _is_complete(name):
    """Whether a metric needs no cutoff."""
    try:
        parse_metric(name)
    except assay.UsageError:
        return False
    return True


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.ansi.enabled", "true"),
        ("spark.sql.ansi.enabled", "false"),
        ("spark.sql.caseSensitive", "true"),
        ("spark.sql.execution.arrow.useLargeVarTypes", "true"),
        ("spark.sql.execution.arrow.maxRecordsPerBatch", "1"),
    ],
)
def test_settings_of_a_session_change_nothing(spark, bm25, form, name, value):
    before = spark.conf.get(name)
    spark.conf.set(name, value)
    try:
        result = assay.spark.evaluate(JUDGMENTS, bm25, METRICS, form=form)
        scores = assay.spark.score_runs(JUDGMENTS, bm25, ["mrr"]).collect()
    finally:
        spark.conf.set(name, before)
    expected = assay.evaluate(JUDGMENTS, run_of("bm25"), METRICS)
    assert (result.summary, result.fingerprints) == (expected.summary, expected.fingerprints)
    assert {row["query_id"]: row["mrr"] for row in scores} == {"q1": 1.0, "q2": 0.5, "q3": 0.0}


@pytest.mark.parametrize("form", FORMS)
def test_columns_that_cannot_be_null(spark, form):
    frame = spark.sql("select 'q1' as query_id, 'a' as doc_id, 1.0D as score")
    assert assay.spark.evaluate({"q1": {"a": 1}}, frame, ["map"], form=form)["map"] == 1.0
    wrong = spark.sql("select 'q1' as query_id, 'a' as doc_id, double('nan') as score")
    with pytest.raises(assay.DataError, match="the score of document a must be a number, not nan"):
        assay.spark.evaluate({"q1": {"a": 1}}, wrong, ["map"], form=form)


@pytest.mark.parametrize("form", FORMS)
def test_texts_with_another_collation_are_compared_exactly(spark, form):
    """Spark says that A and a are equal in this column, but they are two documents."""
    select = "select 'q1' collate UTF8_LCASE as query_id, '{}' collate UTF8_LCASE as doc_id, {}D as score"
    frame = spark.sql(f"{select.format('a', '1.0')} union all {select.format('A', '0.5')}")
    assert assay.spark.evaluate({"q1": {"A": 1}}, frame, ["mrr"], form=form)["mrr"] == 0.5


def test_the_column_of_runs_in_another_spelling(runs):
    assert [*assay.spark.evaluate(JUDGMENTS, runs, METRICS, run_col="System")] == ["bm25", "dense"]


def test_frames_of_pandas_on_spark(spark, bm25, monkeypatch):
    """A stand-in: pandas-on-Spark cannot be imported next to some versions of pandas."""

    class DataFrame:
        def __init__(self, frame):
            self.frame = frame

        def to_spark(self):
            warnings.warn("the index is lost", stacklevel=1)
            return self.frame

    DataFrame.__module__ = "pyspark.pandas.frame"
    judged = [(query, doc, grade) for query, grades in JUDGMENTS.items() for doc, grade in grades.items()]
    qrels = DataFrame(spark.createDataFrame(judged, "query_id string, doc_id string, relevance int"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = assay.spark.evaluate(qrels, DataFrame(bm25), METRICS)
    assert "the index is lost" not in {str(warning.message) for warning in caught}
    assert result.fingerprints == assay.evaluate(JUDGMENTS, run_of("bm25"), METRICS).fingerprints


def test_a_promise_of_unique_rows_saves_the_check(spark, bm25):
    twice = bm25.union(bm25.filter("doc_id = 'e'"))
    with pytest.raises(assay.DataError, match="run, query q2: document e appears twice"):
        assay.spark.evaluate(JUDGMENTS, twice, METRICS, form="counting")
    trusted = assay.spark.evaluate(JUDGMENTS, twice, ["mrr"], form="counting", unique=True)
    assert trusted.scores("mrr")["q2"] == pytest.approx(1 / 3)  # the promise was false: the row counts twice


def test_judgments_of_a_benchmark_bring_texts_and_tags(bm25, tmp_path):
    path = tmp_path / "golden.json"
    queries = [
        {"query_id": query, "query": f"text of {query}", "relevant_ids": list(JUDGMENTS[query])} for query in JUDGMENTS
    ]
    path.write_text(json.dumps(queries))
    dataset = assay.load_dataset(path)
    result = assay.spark.evaluate(dataset, bm25, METRICS)
    expected = assay.evaluate(dataset, run_of("bm25"), METRICS)
    assert result.summary == {name: expected.summary[name] for name in METRICS}
    assert result.queries == dataset.queries


@pytest.mark.parametrize("form", FORMS)
def test_subtopics(spark, bm25, form):
    rows = [("q1", "1", "a", 1), ("q1", "2", "a", 1), ("q1", "2", "c", 1), ("q2", "1", "d", 1), ("q3", "1", "a", 1)]
    names = ("query_id", "subtopic", "doc_id", "relevance")
    qrels = spark.createDataFrame(rows, "query_id string, subtopic string, doc_id string, relevance int")
    metrics = ["alpha_ndcg@5", "err_ia@5", "ndcg@5"]
    expected = assay.evaluate([dict(zip(names, row, strict=True)) for row in rows], run_of("bm25"), metrics)
    result = assay.spark.evaluate(qrels, bm25, metrics, form=form)
    assert result.table.by_query() == expected.table.by_query()
    scores = {row["query_id"]: row["alpha_ndcg@5"] for row in assay.spark.score_runs(qrels, bm25, metrics).collect()}
    assert scores == expected.scores("alpha_ndcg@5")


@pytest.mark.parametrize("form", FORMS)
def test_documents_that_judgments_ignore(spark, bm25, form):
    judgments = {"q1": {"a": "ignore", "c": 1}, "q2": {"d": 1, "e": "ignore"}}
    expected = assay.evaluate(judgments, run_of("bm25"), METRICS)
    rows = [(query, doc, str(grade)) for query, grades in judgments.items() for doc, grade in grades.items()]
    qrels = spark.createDataFrame(rows, "query_id string, doc_id string, relevance string")
    result = assay.spark.evaluate(qrels, bm25, METRICS, form=form)
    assert result.table.by_query() == expected.table.by_query()
    assert result.scores("map") == {"q1": 0.5, "q2": 1.0}


@pytest.mark.parametrize("form", FORMS)
def test_a_long_ranking_of_equal_scores(spark, form):
    documents = [f"d{number:05}" for number in range(20_000)]
    judgments = {"q": dict.fromkeys(documents[::50], 1)}
    rows = [("q", document, 1.0) for document in documents]
    frame = spark.createDataFrame(rows, "query_id string, doc_id string, score double").repartition(3)
    expected = assay.evaluate(judgments, {"q": dict.fromkeys(documents, 1.0)}, ["map", "ndcg"])
    result = assay.spark.evaluate(judgments, frame, ["map", "ndcg"], form=form)
    assert (result.summary, result.fingerprints) == (expected.summary, expected.fingerprints)


def test_workers_without_a_package(bm25, monkeypatch):
    from pyspark.errors import PythonException

    def fail(frame):
        raise PythonException("…\nModuleNotFoundError: No module named 'pyarrow.compute'")

    monkeypatch.setattr(type(bm25), "toArrow", fail)
    with pytest.raises(assay.ProviderError, match=r"the Python of the workers has no module 'pyarrow'\."):
        assay.spark.evaluate(JUDGMENTS, bm25, METRICS)
