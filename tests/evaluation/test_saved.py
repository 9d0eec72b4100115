"""Saved results: what was written is what is read."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.evaluation.saved import is_saved_result, read_results, result_from_dict
from assay.reports import Report, render_scores

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}}
METRICS = ["map", "ndcg@10", "num_ret", "gm_map", "relstring", "rbp(p=0.5)"]


def written(path, *results, **how):
    path.write_text(render_scores(Report(results, **how), "json"))
    return path


def agree(result, back):
    """Everything but the rankings themselves."""
    assert back.name == result.name
    summed = [metric.name for metric in result.metrics if metric.name in result.summary]
    assert [metric.name for metric in back.metrics] == (list(result) if result.query_ids else summed)
    assert back.query_ids == result.query_ids
    assert back.policy == result.policy
    assert back.profile == result.profile
    assert (back.notes, back.missing) == (result.notes, result.missing)
    assert dict(back.counts) == dict(result.counts)
    assert back.fingerprints == result.fingerprints
    for name, value in result.summary.items():
        assert back.summary[name] == value or (math.isnan(value) and math.isnan(back.summary[name]))
    for name in result if result.query_ids else ():
        ours, theirs = result.scores(name), back.scores(name)
        assert {query: score for query, score in ours.items() if score == score} == {
            query: score for query, score in theirs.items() if score == score
        }


@pytest.mark.parametrize("how", [{}, {"profile": "beir"}, {"policy": assay.Policy(rel=2, missing="skip", ties="expected")}])
def test_a_result_reads_back(tmp_path, how):
    result = assay.evaluate(QRELS, RUN, METRICS, name="mine", **how)
    (back,) = read_results(written(tmp_path / "r.json", result))
    agree(result, back)
    assert back["map"] == result["map"]
    assert back.scores("relstring") == result.scores("relstring")


def test_bands_and_queries_do_not_stand_in_the_way(tmp_path):
    result = assay.evaluate(QRELS, RUN, ["map"], name="mine", tie_band=True, residuals=True)
    (back,) = read_results(written(tmp_path / "r.json", result, per_query=True))
    agree(result, back)


IDS = st.text(min_size=1, max_size=6)


@settings(max_examples=60)
@given(
    st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3), min_size=1, max_size=3), min_size=1, max_size=3),
    st.dictionaries(IDS, st.dictionaries(IDS, st.floats(-9, 9), max_size=3), max_size=3),
    st.text(max_size=8),
    st.sampled_from(
        [{}, {"missing": "skip"}, {"no_relevant": "skip"}, {"rel": 1.5}, {"ties": "docid_asc"}, {"negatives": "nonrelevant"}]
    ),
)
def test_any_result_reads_back(qrels, run, name, policy):
    result = assay.evaluate(
        qrels,
        run | {query: dict.fromkeys(docs, 1.0) for query, docs in list(qrels.items())[:1]},
        METRICS,
        policy=assay.Policy(**policy),
        name=name,
    )
    agree(result, result_from_dict(json.loads(json.dumps(result.to_dict()))))
    text = render_scores(Report([result]), "json")
    agree(result, result_from_dict(json.loads(text)["results"][0]))


def test_nothing_scored_reads_back(tmp_path):
    result = assay.evaluate(QRELS, RUN, "map", policy=assay.Policy(rel=9, no_relevant="skip"))
    (back,) = read_results(written(tmp_path / "r.json", result))
    assert back.query_ids == ()
    assert math.isnan(back["map"])


def test_one_of_several_by_name(tmp_path):
    results = [assay.evaluate(QRELS, RUN, "map", name=name) for name in ("bm25", "dense", "a#b")]
    path = written(tmp_path / "r.json", *results)
    assert [result.name for result in read_results(path)] == ["bm25", "dense", "a#b"]
    for name in ("bm25", "dense", "a#b"):
        assert [result.name for result in read_results(f"{path}#{name}")] == [name]
    with pytest.raises(assay.UnknownName, match=r"'bm52'\. Did you mean bm25\?.*it has bm25, dense, a#b"):
        read_results(f"{path}#bm52")


def test_a_file_may_have_that_sign_in_its_own_name(tmp_path):
    path = written(tmp_path / "run#2.json", assay.evaluate(QRELS, RUN, "map", name="x"))
    assert is_saved_result(path)
    assert is_saved_result(f"{path}#x")
    assert [result.name for result in read_results(path)] == [result.name for result in read_results(f"{path}#x")] == ["x"]


def test_what_looks_like_a_saved_result(tmp_path):
    path = written(tmp_path / "r.json", assay.evaluate(QRELS, RUN, "map", name="x"))
    other = tmp_path / "qrels.json"
    other.write_text(json.dumps(QRELS))
    assert is_saved_result(path)
    assert is_saved_result(f"{path}#x")
    assert not is_saved_result(other)
    assert not is_saved_result(tmp_path / "gone.json")
    assert not is_saved_result(tmp_path)
    assert not is_saved_result("-")


def test_another_version_is_told(tmp_path):
    path = tmp_path / "r.json"
    path.write_text('{"schema": "assay.result/99", "results": []}')
    with pytest.raises(
        assay.DataError, match=r"r\.json: written as assay\.result/99, but this version reads assay\.result/1"
    ):
        read_results(path)


def plain(**changed):
    return assay.evaluate(QRELS, RUN, "map", name="x").to_dict() | changed


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "3",
        "null",
        "{}",
        '{"schema": "assay.result/1"}',
        '{"schema": "assay.result/1", "results": 3}',
        '{"schema": "assay.result/1", "results": [3]}',
        '{"schema": "assay.result/1", "results": [{}]}',
        json.dumps({"schema": "assay.result/1", "results": [plain(per_query=[1, 2])]}),
        json.dumps({"schema": "assay.result/1", "results": [plain(per_query={"q1": {"map": "high"}})]}),
        json.dumps({"schema": "assay.result/1", "results": [plain(per_query={"q1": {"map": 1}, "q2": {}})]}),
        json.dumps({"schema": "assay.result/1", "results": [plain(policy={"ties": "random"})]}),
        json.dumps({"schema": "assay.result/1", "results": [plain(policy={"tie": "docid_asc"})]}),
        json.dumps({"schema": "assay.result/1", "results": [plain(per_query={"q1": {"map@0": 1}})]}),
        "\udc80\udcff",
        "[" * 100_000,
    ],
    ids=range(18),
)
def test_what_is_no_result_is_told_with_its_file(tmp_path, content):
    path = tmp_path / "r.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(assay.DataError, match=r"r\.json(:1)?: "):
        read_results(path)


def test_a_missing_file_or_folder_is_told(tmp_path):
    with pytest.raises(assay.DataError, match=r"gone\.json: no such file"):
        read_results(tmp_path / "gone.json")
    with pytest.raises(assay.DataError, match="Is a directory"):
        read_results(tmp_path)


def test_bands_cannot_be_worked_out_later(tmp_path):
    from assay.evaluation.scoring import with_bands

    (back,) = read_results(written(tmp_path / "r.json", assay.evaluate(QRELS, RUN, "map")))
    with pytest.raises(assay.UsageError, match="bands need the rankings"):
        with_bands(back, tie_band=True, residuals=False)


def test_figures_of_a_metric_that_nobody_knows_here_are_read(tmp_path, monkeypatch):
    """It may be somebody's own, or of a later version."""
    monkeypatch.setattr("assay.metrics.registry._own", {})
    file = tmp_path / "r.json"
    found = plain(summary={"theirs(x=1)@3": 0.75}, per_query={"q1": {"theirs(x=1)@3": 0.5}, "q2": {"theirs(x=1)@3": 1.0}})
    file.write_text(json.dumps({"schema": "assay.result/1", "results": [found]}), "utf-8")
    (back,) = read_results(file)
    assert back.summary == {"theirs(x=1)@3": 0.75}
