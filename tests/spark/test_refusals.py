"""Wrong input: one clear error, before a job starts if it can be known then."""

from __future__ import annotations

import pytest

import assay
import assay.spark
from assay.grammar import REQUIRED
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


def test_metrics_that_need_more_than_rankings_are_refused_by_name(no_jobs, run):
    refused = {name: metric for name, metric in all_metrics().items() if metric.view not in ("ranking", "subtopics")}
    assert {"answer_f1", "latency", "span_recall", "freshness", "ild"} <= refused.keys()
    for name, metric in refused.items():
        needs_cutoff = metric.at is not None and metric.at.default is REQUIRED
        with pytest.raises(assay.UsageError, match=f"^{name}.* needs .*, but a table in Spark has only rankings"):
            assay.spark.evaluate(JUDGMENTS, run, [f"{name}@10" if needs_cutoff else name])


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


@pytest.mark.parametrize(
    ("run", "text"),
    [
        ({"q1": {"a": 1}}, r"the run must be a DataFrame of Spark, not dict\. For other data: assay\.evaluate"),
        ("runs", r"the run must be a DataFrame of Spark, not str\. For a table or view: spark\.table\('runs'\)"),
    ],
)
def test_what_is_not_a_table_of_spark(no_jobs, run, text):
    with pytest.raises(assay.UsageError, match=text):
        assay.spark.evaluate(JUDGMENTS, run, ["map"])


def test_names_of_tables_instead_of_judgments(no_jobs, run):
    with pytest.raises(
        assay.DataError, match=r"^views\.qrels: no such file\. .*: spark\.table\('views\.qrels'\); for files: "
    ):
        assay.spark.evaluate("views.qrels", run, ["map"])


def test_tables_of_spark_in_other_functions(no_jobs, run):
    for qrels, rankings in ((run, {"q1": {"a": 1.0}}), (JUDGMENTS, run)):
        with pytest.raises(assay.UsageError, match=r"a table in Spark, .* Use assay\.spark\.evaluate"):
            assay.evaluate(qrels, rankings, ["map"])


def test_streams(no_jobs, spark):
    stream = spark.readStream.format("rate").load().selectExpr("'q1' query_id", "'a' doc_id", "double(value) score")
    with pytest.raises(assay.UsageError, match="the run is a stream"):
        assay.spark.evaluate(JUDGMENTS, stream, ["map"])


@pytest.mark.parametrize("run_col", [["system"], 3])
def test_a_name_of_a_column_that_is_not_text(no_jobs, run, run_col):
    with pytest.raises(assay.UsageError, match="run_col must be the name of a column, such as 'system', not "):
        assay.spark.evaluate(JUDGMENTS, run, ["map"], run_col)


@pytest.mark.parametrize("function", [assay.spark.evaluate, assay.spark.score_runs])
def test_unknown_keywords(no_jobs, run, function):
    with pytest.raises(TypeError, match="unexpected keyword argument 'polici'"):
        function(JUDGMENTS, run, ["map"], polici=assay.Policy(ties="docid_asc"))


QRELS = "query_id string, doc_id string, relevance int"


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("query_id string, relevance int", "judgments: found no document column among .* In Python: columns="),
        (
            "query_id double, doc_id string, relevance int",
            "judgments: the column 'query_id' holds ids of queries, .*not double",
        ),
        ("query_id string, doc_id binary, relevance int", "judgments: the column 'doc_id' holds .* not binary"),
        ("query_id string, doc_id string, relevance date", "judgments: the column 'relevance' holds grades, .* not date"),
        (f"{QRELS}, Relevance int", "judgments: the table has 2 columns called 'relevance'"),
        (f"{QRELS}, valid_from date", "judgments: judgments with valid_from hold only for a time"),
    ],
)
def test_judgments_with_wrong_columns(no_jobs, spark, run, schema, text):
    with pytest.raises(assay.DataError, match=text):
        assay.spark.evaluate(spark.createDataFrame([], schema), run, ["map"])


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (("q1", "z", None), "judgments, query q1, document z: the grade must be a number"),
        ((None, "z", 1), "judgments, query null, document z: an id must be text"),
        (("q1", "a", 1), "document a is judged twice for query q1"),
    ],
)
def test_bad_judgments_are_refused_with_query_and_document(spark, run, row, text):
    qrels = spark.createDataFrame([("q1", "a", 2), ("q2", "c", 1), row], QRELS)
    with pytest.raises(assay.DataError, match=text):
        assay.spark.evaluate(qrels, run, ["map"])


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
    with pytest.raises(assay.DataError, match="query q1: document a appears twice") as error:
        assay.spark.evaluate(JUDGMENTS, frame, ["map"], form=form)
    assert "if the rows belong to several runs, name their column with run_col" in str(error.value)
    with pytest.raises(assay.DataError, match="run x, query q1: document a appears twice") as error:
        assay.spark.evaluate(JUDGMENTS, frame.selectExpr("*", "'x' as system"), ["map"], "system", form=form)
    assert "several runs" not in str(error.value)


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
