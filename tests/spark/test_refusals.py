"""Wrong input: one clear error, before a job starts if it can be known then."""

from __future__ import annotations

import pytest

import assay
import assay.spark
from assay.metrics import all_metrics

JUDGMENTS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
SCHEMA = "query_id string, doc_id string, score double"
FORMS = ("grouped", "counting")


@pytest.fixture(scope="module")
def run(spark):
    return spark.createDataFrame(
        [("q1", "a", 1.0), ("q1", "b", 2.0), ("q2", "c", 1.0), ("q7", "c", 1.0), ("q8", "c", 1.0)], SCHEMA
    )


@pytest.fixture
def no_jobs(spark):
    """Checks that no job was started."""
    tracker = spark.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup(None))
    yield
    assert set(tracker.getJobIdsForGroup(None)) == before


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        *(
            ({"policy": assay.Policy(ties=ties)}, f"ties={ties} needs the order of rows")
            for ties in ("input_order", "reverse_order", "rank_column", "ranx")
        ),
        ({"profile": "ranx"}, "profile ranx: ties=ranx needs the order of rows"),
        ({"metrics": ["span_recall"]}, "span_recall needs spans"),
        ({"metrics": ["answer_f1"]}, "answer_f1 needs answers"),
        ({"metrics": ["ndgc@10"]}, "no metric is called 'ndgc@10'"),
        ({"form": "fast"}, "form must be one of auto, grouped, counting, not 'fast'"),
        ({"run_col": "system"}, "found no column 'system' among 'query_id', 'doc_id', 'score'"),
        ({"columns": {"score": "similar"}}, "no table has a column called 'similar'"),
        ({"policy": assay.Policy(), "profile": "beir"}, "either policy or profile"),
    ],
)
def test_what_cannot_be_honoured_is_refused_by_name(no_jobs, run, settings, text):
    settings = dict(settings)
    metrics = settings.pop("metrics", ["map"])
    with pytest.raises(assay.DataError if "run_col" in settings else assay.UsageError, match=text):
        assay.spark.evaluate(JUDGMENTS, run, metrics, **settings)


def test_metrics_that_need_more_than_rankings(no_jobs, run):
    refused = [name for name, metric in all_metrics().items() if metric.view not in ("ranking", "subtopics")]
    assert {"answer_f1", "latency", "span_recall"} <= set(refused)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("query_id string, score double", "run: found no document column among 'query_id', 'score'"),
        ("query_id string, doc_id string", "run: found no score or rank column among"),
        ("query_id string, doc_id string, score string", "column 'score' holds scores, .* not string. To convert it: "),
        ("query_id string, doc_id string, score boolean", "column 'score' holds scores, .* not boolean"),
        ("query_id double, doc_id string, score double", "column 'query_id' holds ids of queries, .* not double"),
        ("query_id string, doc_id binary, score double", "column 'doc_id' holds ids of documents, .* not binary"),
        ("query_id string, doc_id string, score double, SCORE double", "2 columns called 'score'"),
    ],
)
def test_columns_that_are_missing_or_have_a_wrong_type(no_jobs, spark, schema, text):
    with pytest.raises(assay.DataError, match=text):
        assay.spark.evaluate(JUDGMENTS, spark.createDataFrame([], schema), ["map"])


def test_what_is_not_a_table_of_spark(no_jobs):
    with pytest.raises(assay.UsageError, match=r"must be a DataFrame of Spark, not dict\. For other data: assay\.evaluate"):
        assay.spark.evaluate(JUDGMENTS, {"q1": {"a": 1}}, ["map"])


def test_judgments_that_are_too_large_for_the_workers(no_jobs, run, monkeypatch):
    monkeypatch.setattr("assay.spark.shipping.MAX_BYTES", 100)
    with pytest.raises(assay.UsageError, match=r"3 judgments \(.*\) cannot be sent to the workers\. .* in parts"):
        assay.spark.evaluate(JUDGMENTS, run, ["map"])


def test_judgments_in_spark_that_are_too_many(spark, run, monkeypatch):
    monkeypatch.setattr("assay.spark.judgments.MAX_JUDGMENTS", 2)
    qrels = spark.createDataFrame(
        [("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 1)], "query_id string, doc_id string, grade int"
    )
    with pytest.raises(assay.UsageError, match="the judgments have more than 2 rows"):
        assay.spark.evaluate(qrels, run, ["map"])


@pytest.mark.parametrize("form", FORMS)
def test_empty_tables(spark, run, form):
    with pytest.raises(assay.DataError, match="run: the table has no rows"):
        assay.spark.evaluate(JUDGMENTS, run.limit(0), ["map"], form=form)
    with pytest.raises(assay.DataError, match="judgments: the table has no rows"):
        assay.spark.evaluate(run.limit(0), run, ["map"], form=form)


BAD_ROWS = [
    (("q1", "z", float("nan")), "run, query q1: the score of document z must be a number, not nan"),
    (("q1", "z", None), "run, query q1: the score of document z must be a number, not null"),
    (("q1", None, 1.0), "run, query q1: the id of a document is null"),
    ((None, "z", 1.0), r"run: the id of a query is null \(its document is z\)"),
    (("q1", "", 1.0), "run, query q1: the id of a query or document is empty"),
    (("", "z", 1.0), "run: the id of a query or document is empty"),
    (("q1", "a", 1.0), "run, query q1: document a appears twice; to use the better score, add --duplicates keep-best"),
    (("q7", "c", 5.0), "run, query q7: document c appears twice"),
    (("q9", "z", float("nan")), "run, query q9: the score of document z must be a number, not nan"),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("row", "text"), BAD_ROWS, ids=lambda value: repr(value)[:30])
def test_bad_rows_are_refused_with_query_and_document(spark, run, form, row, text):
    frame = run.union(spark.createDataFrame([row], SCHEMA)).repartition(4)
    with pytest.raises(assay.DataError, match=text):
        assay.spark.evaluate(JUDGMENTS, frame, ["map"], form=form)


@pytest.mark.parametrize("form", FORMS)
def test_bad_scores_are_refused_even_if_the_best_of_duplicates_is_kept(spark, run, form):
    frame = run.union(spark.createDataFrame([("q1", "a", None)], SCHEMA))
    with pytest.raises(assay.DataError, match="the score of document a must be a number"):
        assay.spark.evaluate(JUDGMENTS, frame, ["map"], form=form, policy=assay.Policy(duplicates="keep_best"))


@pytest.mark.parametrize("form", FORMS)
def test_both_forms_name_the_same_fault_of_many(spark, run, form):
    rows = [("q2", "c", 3.0), ("q1", "b", 3.0), ("q1", "a", 3.0)]
    frame = run.union(spark.createDataFrame(rows, SCHEMA)).repartition(5)
    with pytest.raises(assay.DataError, match="query q1: document a appears twice"):
        assay.spark.evaluate(JUDGMENTS, frame, ["map"], form=form)


@pytest.mark.parametrize("form", FORMS)
def test_errors_of_a_policy_are_those_of_evaluate(spark, form):
    run = {"q1": {"a": 1.0, "b": 1.0}, "q7": {"c": 1.0}, "q8": {"c": 1.0}}
    frame = spark.createDataFrame([(q, d, s) for q, ranking in run.items() for d, s in ranking.items()], SCHEMA)
    judgments = JUDGMENTS | {"q3": {"a": 0}}
    for field in ("missing", "extra", "no_relevant", "ties"):
        policy = assay.Policy(**{field: "error"})
        with pytest.raises(assay.DataError) as expected:
            assay.evaluate(judgments, run, ["map", "mrr"], policy=policy)
        with pytest.raises(assay.DataError) as found:
            assay.spark.evaluate(judgments, frame, ["map", "mrr"], policy=policy, form=form)
        assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("form", FORMS)
def test_runs_without_names(spark, run, form):
    frame = run.selectExpr("*", "if(query_id = 'q2', null, 'bm25') as system")
    with pytest.raises(assay.DataError, match="run: 1 rows do not name their run"):
        assay.spark.evaluate(JUDGMENTS, frame, ["map"], "system", form=form)


@pytest.mark.parametrize("form", FORMS)
def test_ids_that_do_not_match(spark, form):
    frame = spark.createDataFrame([("topic 1", "a", 1.0)], SCHEMA)
    with pytest.raises(assay.DataError, match="the run has ids like 'topic 1', the judgments have ids like 'q1'"):
        assay.spark.evaluate(JUDGMENTS, frame, ["map"], form=form)
    others = spark.createDataFrame([("q1", "A", 1.0)], SCHEMA)
    [note] = assay.spark.evaluate(JUDGMENTS, others, ["map"], form=form).notes
    assert "none of the retrieved documents is in the judgments: the run has ids like 'A'" in note


def test_judgments_without_grades(no_jobs, spark, run):
    qrels = spark.createDataFrame([], "query_id string, doc_id string")
    with pytest.raises(assay.DataError, match="judgments: found no grade column among 'query_id', 'doc_id'"):
        assay.spark.evaluate(qrels, run, ["map"])
