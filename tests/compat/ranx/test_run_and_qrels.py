"""Run and Qrels: what goes in comes out, by every door; adding, and faults."""

import gzip

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.compat.ranx import Qrels, Run, evaluate
from assay.errors import DataError, UsageError

pytestmark = pytest.mark.filterwarnings("ignore::assay.compat.ranx.DifferenceWarning")

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 3}}
RUN = {"q1": {"b": 2.5, "a": 1.0}, "q2": {"c": 0.5}}
IDS = st.text("abcxyz0189", min_size=1, max_size=4)


def test_queries_are_sorted_and_documents_best_first():
    run = Run({"q2": {"c": 1.0}, "q1": {"a": 1.0, "b": 2.0}}, name="m")
    assert list(run) == run.get_query_ids() == ["q1", "q2"]
    assert list(run.run["q1"]) == ["b", "a"]
    assert run.get_doc_ids_and_scores() == [{"b": 2.0, "a": 1.0}, {"c": 1.0}]
    assert (run.size, len(run), run.name, repr(run)) == (2, 2, "m", "Run({'q1': {'b': 2.0, 'a': 1.0}, 'q2': {'c': 1.0}})")


def test_what_was_given_is_neither_changed_nor_shared():
    given_run = {"q1": {"a": 1.0}}
    run = Run(given_run)
    given_run["q1"]["b"] = 9.0
    run["q1"]["c"] = 9.0
    run.to_dict()["q1"]["d"] = 9.0
    assert run["q1"] == {"a": 1.0}
    assert Run({1: {7: 1.0}}).to_dict() == {"1": {"7": 1.0}}, "numbers as ids are text"
    assert Run({1: {7: 1.0}})[1] == {"7": 1.0}


def test_adding():
    run, qrels = Run(), Qrels(name="judged")
    run.add("q2", ["a", "b"], [1.0, 2.0])
    run.add_multi(["q1", "q3"], [["c"], ["d"]], [[1.0], [2.0]])
    run.add_score("q3", "e", 3.0)
    assert run.to_dict() == {"q1": {"c": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q3": {"e": 3.0, "d": 2.0}}
    assert list(run) == ["q1", "q2", "q3"]
    for query, doc in (("q1", "c"), ("q2", "a"), ("q3", "d")):
        qrels.add_score(query, doc, 1)
    assert evaluate(qrels, run, "mrr") == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
    run.add("q3", ["d"], [1])
    assert evaluate(qrels, run, "mrr") == pytest.approx((1 + 1 / 2 + 1) / 3)


def test_whole_grades_are_whole_numbers_from_everywhere(tmp_path):
    (tmp_path / "qrels.trec").write_text("q1 0 a 5\nq1 0 b 0.5\n")
    frame = pd.DataFrame({"q_id": ["q1", "q1"], "doc_id": ["a", "b"], "score": [5.0, 0.5]})
    for qrels in (Qrels.from_file(tmp_path / "qrels.trec"), Qrels.from_df(frame)):
        assert repr(qrels) == "Qrels({'q1': {'a': 5, 'b': 0.5}})"


def test_what_is_absent_says_what_to_do_instead():
    with pytest.raises(ImportError, match=r"plot is not in assay\.compat\.ranx: assay plot"):
        from assay.compat.ranx import plot  # noqa: F401
    with pytest.raises(ImportError, match=r"normalize is not in .*: fuse\(runs, norm='min-max'\)"):
        from assay.compat.ranx import normalize  # noqa: F401


def test_levels_and_comparable_runs():
    qrels, run = Qrels(QRELS), Run(RUN)
    qrels.sort()
    run.sort()
    assert (list(run["q1"]), run.to_dict(), qrels.to_dict()) == (["b", "a"], RUN, QRELS)
    qrels.set_relevance_level(2)
    assert qrels.qrels == {"q1": {"a": 0, "b": -1}, "q2": {"c": 2}}
    assert run.make_comparable(Qrels({"q2": {"c": 1}, "q7": {"a": 1}})).to_dict() == {"q2": {"c": 0.5}, "q7": {}}
    assert run.to_dict() == RUN


def test_saved_and_read_again(tmp_path):
    for ending in ("json", "trec", "parq"):
        Run(RUN, name="bm25").save(tmp_path / f"run.{ending}")
        Qrels(QRELS).save(tmp_path / f"qrels.{ending}")
        read = "from_parquet" if ending == "parq" else "from_file"
        run, qrels = (getattr(kind, read)(tmp_path / f"{kind.__name__.lower()}.{ending}") for kind in (Run, Qrels))
        assert (run.to_dict(), qrels.to_dict()) == (RUN, QRELS), ending
        assert run.name == ("bm25" if ending == "trec" else None), ending
    with pytest.raises(DataError):
        Run.from_parquet(tmp_path / "run.parq", score_col="no such column")


def test_compressed_files_are_read_and_a_document_twice_is_named(tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"q1 Q0 b 1 2.5 tag\nq1 Q0 a 2 1.0 tag\nq2 Q0 c 1 0.5 tag\n"))
    run = Run.from_file(path, kind="gz", name="mine")
    assert (run.to_dict(), run.name) == (RUN, "mine")
    (tmp_path / "run.trec").write_text("q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n")
    with pytest.raises(DataError, match=r"run.trec:2"):
        Run.from_file(tmp_path / "run.trec")


def test_frames():
    rows = {"query": ["q1", "q1", "q2"], "passage": ["b", "a", "c"], "sim": [2.5, 1.0, 0.5], "grade": [0, 1, 3]}
    columns = {"q_id_col": "query", "doc_id_col": "passage"}
    for frame in (pd.DataFrame, pl.DataFrame, pa.table, dict):
        assert Run.from_df(frame(rows), score_col="sim", name="m", **columns).to_dict() == RUN, frame
        assert Qrels.from_df(frame(rows), score_col="grade", **columns).to_dict() == QRELS, frame
        with pytest.raises(DataError):
            Run.from_df(frame(rows))
    assert Run.from_df(Run(RUN).to_dataframe()).to_dict() == RUN
    assert Qrels.from_df(Qrels(QRELS).to_dataframe()).to_dict() == QRELS


def test_parquet_with_columns_of_other_names(tmp_path):
    frame = pd.DataFrame({"query": ["q1", "q1", "q2"], "passage": ["b", "a", "c"], "sim": [2.5, 1.0, 0.5]})
    frame.to_parquet(tmp_path / "run.parquet")
    assert Run.from_parquet(tmp_path / "run.parquet", "query", "passage", "sim").to_dict() == RUN
    (tmp_path / "bad.parquet").write_text("no parquet")
    with pytest.raises(DataError, match=r"bad\.parquet"):
        Run.from_parquet(tmp_path / "bad.parquet")


def test_without_pandas_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pandas"):
        Run(RUN).to_dataframe()


@given(st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-5, 5).map(float), min_size=1), min_size=1))
def test_any_run_comes_out_as_it_went_in_best_first(numbers):
    run = Run(numbers)
    assert run.to_dict() == numbers
    assert list(run.to_dict()) == sorted(numbers)
    for ranking in run.to_dict().values():
        assert list(ranking.values()) == sorted(ranking.values(), reverse=True)
