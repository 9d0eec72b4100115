"""Frames and files: results, comparisons, benchmarks, runs and judgments leave as tables, and come back."""

from __future__ import annotations

import math

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay
from assay.evaluation import read_results
from assay.metrics import all_metrics, parse_metrics

QRELS = {"q1": {"d1": 3, "d2": 0, "d3": 1}, "q2": {"d4": 2}}
RUN = {"q1": {"d2": 9.5, "d1": 8.5, "d9": 5.0}, "q2": {"d4": 7.5, "d1": 6.5}}
OTHER = {"q1": {"d1": 9.5, "d3": 8.5}, "q2": {"d1": 7.5, "d4": 6.5}}
SUBTOPICS = "q1 1 d1 2\nq1 2 d1 1\nq1 2 d2 0\n"


@pytest.fixture
def result():
    return assay.evaluate(QRELS, RUN, ["ndcg@10", "mrr"], name="first")


@pytest.fixture
def comparison():
    return assay.compare(QRELS, {"first": RUN, "second": OTHER}, ["ndcg@10", "mrr"])


@pytest.fixture
def dataset():
    made = assay.BenchmarkDataset("cats", "2.0")
    made.add_query(assay.Query("q1", "What is ML?", difficulty="easy", metadata={"query": "taken"}))
    made.add_query(assay.Query("q2", "Why?", expected="Because."))
    made.add_query(assay.Query("q3", "Nobody judged this."))
    made.add_document(assay.Document("d1", "About ML.", title="ML"))
    made.add_document(assay.Document("d2", "About more."))
    for query, doc, grade in (("q1", "d1", 1), ("q1", "d2", 3), ("q2", "d1", 0)):
        made.add_judgment(assay.RelevanceJudgment(query, doc, grade))
    return made


def test_columns_without_values_are_text():
    same = assay.compare(QRELS, {"first": RUN, "second": RUN}, "mrr")
    assert same.to_pandas()["better"].tolist() == [None]
    assert (same.to_polars().schema["better"], same.to_arrow().schema.field("better").type) == (pl.String, pa.string())
    for empty in (assay.Run({}), assay.Qrels({})):
        assert empty.to_polars().schema["doc_id"] == pl.String
        assert empty.to_arrow().schema.field("doc_id").type == pa.string()


@pytest.mark.parametrize("doc", ["=1+1", "-dGh1", "@name", "a\nb"])
def test_ids_that_csv_would_change_are_an_error(doc, dataset, tmp_path):
    dataset.add_query(assay.Query(doc, "What?"))
    for value in (assay.Run({"q1": {doc: 1.0}}), assay.Qrels({"q1": {doc: 1}}), dataset):
        with pytest.raises(assay.DataError, match="would change in CSV"):
            value.save(tmp_path / "data.csv")
    assay.Run({"q1": {"-5": 1.0, "a,b": 0.5}}).save(tmp_path / "run.csv")
    assert assay.Run(tmp_path / "run.csv").to_dict() == {"q1": {"-5": 1.0, "a,b": 0.5}}
    assert [path.name for path in tmp_path.iterdir()] == ["run.csv"]


def of_all(value, table=None):
    """The rows of a table, which must be the same in all three kinds of frames."""
    pandas, polars, arrow = value.to_pandas(table), value.to_polars(table), value.to_arrow(table)
    assert (type(pandas), type(polars), type(arrow)) == (pd.DataFrame, pl.DataFrame, pa.Table)
    assert list(pandas.columns) == polars.columns == arrow.column_names
    rows = [{name: plain(field) for name, field in row.items()} for row in arrow.to_pylist()]
    assert [{name: plain(field) for name, field in row.items()} for row in polars.to_dicts()] == rows
    assert [{name: plain(field) for name, field in row.items()} for row in pandas.to_dict("records")] == rows
    return rows


def plain(field):
    """What pandas calls nan, others call None."""
    return None if isinstance(field, float) and math.isnan(field) else list(field) if isinstance(field, list) else field


def test_a_result_has_a_row_for_each_query_with_its_tags(result, dataset):
    assert of_all(result) == [{"query_id": query, **scores} for query, scores in result.to_dict()["per_query"].items()]
    scored = assay.evaluate(dataset, {"q1": ["d2", "d1"], "q2": ["d1"]}, ["mrr"])
    first, second = of_all(scored)[:2]
    assert first == {"query_id": "q1", "query": "What is ML?", "tag.query": "taken", "difficulty": "easy", "mrr": 1.0}
    assert (second["difficulty"], second["mrr"]) == (None, 0.0)


def test_texts_and_undefined_scores_are_columns_too():
    scored = assay.evaluate(QRELS, RUN, ["relstring@3"])
    assert [row["relstring@3"] for row in of_all(scored)] == list(scored.scores("relstring@3").values())


def test_the_summary_of_a_result_has_intervals_if_they_are_known(result):
    assert of_all(result, "summary") == [{"metric": name, "value": value} for name, value in result.summary.items()]
    first = of_all(assay.with_intervals(result), "summary")[0]
    assert first["low"] <= first["value"] <= first["high"]
    assert (first["level"], first["method"]) == (0.95, assay.with_intervals(result).intervals["ndcg@10"].method)


def test_a_comparison_has_a_row_for_each_pair_and_metric(comparison):
    rows = of_all(comparison)
    assert [{name: plain(field) for name, field in row.items()} for row in comparison.table()] == rows
    assert {"metric", "a", "b", "difference", "low", "high", "p", "p_corrected", "is_significant", "better"} <= set(rows[0])
    scores = {(row["metric"], row["system"], row["query_id"]): row["score"] for row in of_all(comparison, "queries")}
    assert scores["mrr", "second", "q2"] == comparison.per_query("mrr")["q2"]["second"] == 0.5
    assert len(scores) == 8


def test_a_run_has_ranks_and_judgments_have_subtopics(tmp_path):
    assert of_all(assay.Run(RUN))[:2] == [
        {"query_id": "q1", "doc_id": "d2", "score": 9.5, "rank": 1},
        {"query_id": "q1", "doc_id": "d1", "score": 8.5, "rank": 2},
    ]
    assert of_all(assay.Qrels(QRELS))[3] == {"query_id": "q2", "doc_id": "d4", "relevance": 2.0}
    path = tmp_path / "diversity.qrels"
    path.write_text(SUBTOPICS)
    qrels = assay.Qrels(path)
    assert of_all(qrels)[1] == {"query_id": "q1", "doc_id": "d1", "relevance": 1.0, "subtopic": "2"}
    assert assay.Qrels(qrels.to_pandas()).fingerprint == qrels.fingerprint


def test_a_benchmark_has_queries_documents_and_judgments(dataset):
    assert of_all(dataset)[0] == {
        "query_id": "q1",
        "query": "What is ML?",
        "relevant_ids": ["d2", "d1"],
        "expected": None,
        "tag.query": "taken",
        "difficulty": "easy",
    }
    assert [row["relevant_ids"] for row in of_all(dataset)] == [["d2", "d1"], [], None]
    assert of_all(dataset, "documents")[1] == {"doc_id": "d2", "text": "About more.", "title": None}
    assert of_all(dataset, "qrels")[1] == {"query_id": "q1", "doc_id": "d2", "relevance": 3.0}


def test_frames_of_a_benchmark_are_read_as_the_same_benchmark():
    bundled = assay.load_dataset("rag-template")
    queries = bundled.to_pandas().drop(columns="relevant_ids")  # the judgments have the grades as well
    again = assay.BenchmarkDataset.from_frames(queries, bundled.to_polars("documents"), bundled.to_arrow("qrels"))
    for part in ("queries", "documents", "judgments"):
        assert again.fingerprint(part) == bundled.fingerprint(part)


def test_a_leaderboard_has_a_row_for_each_run():
    board = assay.BenchmarkComparison.compare_runs({"a": {"mrr": 0.5}, "b": {"mrr": 0.75}})
    assert of_all(board) == [{"run": "a", "mrr": 0.5}, {"run": "b", "mrr": 0.75}]


def test_an_empty_run_is_an_empty_frame():
    assert assay.Run({"q1": {}}).to_pandas().shape == (0, 4)


def test_an_unknown_table_is_an_error_with_similar_names(result):
    with pytest.raises(assay.UnknownName, match=r"no table of Result is called 'sumary'. Did you mean summary\?"):
        result.to_pandas("sumary")


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_a_missing_package_is_one_line_with_the_command(package, result, monkeypatch):
    monkeypatch.setattr("assay.frames.find_spec", {"pandas": None, "polars": None, "pyarrow": None}.get)
    with pytest.raises(assay.UsageError, match=f"^this needs the package {package}: pip install {package}$"):
        getattr(result, {"pyarrow": "to_arrow"}.get(package, f"to_{package}"))()


# Files


def test_a_saved_result_is_read_again(result, tmp_path):
    result.save(tmp_path / "result.json")
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == result.to_json()
    [again] = read_results(tmp_path / "result.json")
    assert (again.name, again.summary, again.scores("mrr")) == ("first", result.summary, result.scores("mrr"))


@pytest.mark.parametrize("ending", [".json", ".csv", ".parquet", ".trec", ".run"])
def test_a_saved_run_is_read_again(ending, tmp_path):
    run = assay.Run(RUN)
    run.save(tmp_path / f"run{ending}")
    assert assay.Run(tmp_path / f"run{ending}").to_dict() == run.to_dict() == RUN


@pytest.mark.parametrize("ending", [".json", ".csv", ".parquet", ".trec", ".qrels"])
def test_saved_judgments_are_read_again(ending, tmp_path):
    qrels = assay.Qrels(QRELS)
    qrels.save(tmp_path / f"judged{ending}")
    assert assay.Qrels(tmp_path / f"judged{ending}").to_dict() == qrels.to_dict() == QRELS


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".qrels"])
def test_saved_subtopics_are_read_again_and_json_cannot_hold_them(ending, tmp_path):
    (tmp_path / "diversity.qrels").write_text(SUBTOPICS)
    qrels = assay.Qrels(tmp_path / "diversity.qrels")
    qrels.save(tmp_path / f"again{ending}")
    assert assay.Qrels(tmp_path / f"again{ending}").fingerprint == qrels.fingerprint
    with pytest.raises(assay.DataError, match="no subtopics"):
        qrels.to_json()


def test_a_query_without_anything_relevant_does_not_vanish_in_a_file(tmp_path):
    qrels = assay.Qrels({"q1": {"a": 1}, "q2": {}})
    qrels.save(tmp_path / "judged.json")
    assert assay.Qrels(tmp_path / "judged.json").query_ids == ("q1", "q2")
    for ending in (".qrels", ".csv", ".parquet"):
        with pytest.raises(assay.DataError, match="nothing is relevant"):
            qrels.save(tmp_path / f"judged{ending}")


@pytest.mark.parametrize("ending", [".json", ".csv", ".parquet"])
def test_a_saved_benchmark_is_read_again(ending, dataset, tmp_path):
    dataset.save(tmp_path / f"cats{ending}")
    again = assay.load_dataset(tmp_path / f"cats{ending}")
    assert again.fingerprint("queries") == dataset.fingerprint("queries")
    assert again.get_relevant_docs("q1") == {"d1", "d2"}
    if ending == ".json":
        assert again.fingerprint("judgments") == dataset.fingerprint("judgments")
        assert again.to_dict() == dataset.to_dict()


def test_tables_in_files_are_those_of_frames(result, comparison, tmp_path):
    for value in (result, comparison):
        value.save(tmp_path / "table.csv")
        value.save(tmp_path / "table.parquet")
        written = [pd.read_csv(tmp_path / "table.csv"), pd.read_parquet(tmp_path / "table.parquet")]
        for frame in written:
            assert list(frame.columns) == list(value.to_pandas().columns)
            assert [plain(field) for field in frame.iloc[:, 2].tolist()] == value.to_pandas().iloc[:, 2].tolist()


@pytest.mark.parametrize("ending", [".md", ".txt", ".tex", ".html"])
def test_documents_for_people_name_what_they_are_about(ending, result, comparison, dataset, tmp_path):
    for value, word in ((result, "0.7606"), (comparison, "second"), (dataset, "cats 2.0")):
        value.save(tmp_path / f"page{ending}")
        assert word in (tmp_path / f"page{ending}").read_text(encoding="utf-8")


def test_an_unknown_extension_is_an_error_that_lists_the_known_ones(result, tmp_path):
    with pytest.raises(assay.UsageError, match=r"result\.xlsx: the file extension must be one of \.json, \.csv, .*"):
        result.save(tmp_path / "result.xlsx")
    with pytest.raises(assay.UsageError, match="this result has no rankings"):
        result.save(tmp_path / "result.run")
    assert list(tmp_path.iterdir()) == []


# Metrics are values


def test_a_metric_is_its_name():
    [first], [again], [other] = map(parse_metrics, ("nDCG_cut.10", "ndcg@10", "ndcg(gain=exp)@10"))
    assert (repr(first), str(first), repr(other)) == ("ndcg@10", "ndcg@10", "ndcg(gain=exp)@10")
    assert first == again != other
    assert {first: 1, other: 2}[again] == 1
    assert len({first, again, other}) == 2
    assert len(set(all_metrics().values())) == len(all_metrics())
    assert repr(all_metrics()["map"]) == "map"
    own = assay.metric(lambda run: run.n_retrieved * 0.0, name="own_frame_metric")
    assert (repr(own), {own: 1}[own]) == ("own_frame_metric", 1)


def test_an_explanation_prints_its_text_and_not_its_fields():
    found = assay.why(QRELS, RUN, "ndcg@10", 0.5)
    assert str(found).startswith("ndcg@10: assay gives 0.7606.")
    assert repr(found[0]).startswith("Explanation(ndcg@10=0.7606; ")
