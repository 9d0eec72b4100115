"""Strange ids: what is said where a run and judgments do not know each other, and when it is an error."""

import pytest

import assay
from assay import Document, Query, RelevanceJudgment
from assay.datasets import BenchmarkDataset
from assay.evaluation.notes import ids_of

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
SAID = "not one query of the run is judged: the run has ids like 'topic1', the judgments like 'q1'. Write them alike: "
BEGINS = "they begin with 'topic' instead of 'q': 'topic1' is 'q1' there"


def run_of(*queries):
    return {query: {"d1": 2.0, "d3": 1.0} for query in queries}


def test_queries_that_never_match_are_an_error_with_an_id_of_each_side():
    with pytest.raises(assay.DataError) as error:
        assay.evaluate(QRELS, run_of("topic1", "topic2"), "map")
    assert str(error.value) == f"{SAID}{BEGINS}."
    with pytest.raises(assay.DataError, match=r"zeros are in front: '01' is '1' there\.$"):
        assay.evaluate({"1": {"d": 1}}, {"01": {"d": 1.0}}, "map")
    with pytest.raises(assay.DataError, match=r"like 'x', the judgments like 'q1'\. Give the judgments that this run was"):
        assay.evaluate(QRELS, run_of("x"), "map")


def test_a_file_gets_the_command_that_mends_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my run.txt").write_text("topic1 Q0 d1 1 2.0 t\ntopic2 Q0 d3 1 2.0 t\n")
    with pytest.raises(assay.DataError) as error:
        assay.evaluate(QRELS, "my run.txt", "map")
    assert str(error.value) == f"my run.txt: {SAID}{BEGINS}, as with: sed 's/^topic/q/' 'my run.txt' > same-ids.run"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.jsonl", "".join(f'{{"query_id": "topic{n}", "doc_id": "d1", "score": 1}}\n' for n in (1, 2))),
        ("r.csv", "query_id,doc_id,score\ntopic1,d1,1\ntopic2,d1,1\n"),
        ("r.json", '{"topic1": {"d1": 1.0}, "topic2": {"d1": 1.0}}'),
    ],
)
def test_other_files_show_their_ids_too(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(assay.DataError) as error:
        assay.evaluate(QRELS, tmp_path / name, "map")
    assert str(error.value) == f"{tmp_path / name}: {SAID}{BEGINS}."


def test_one_query_in_common_is_enough():
    assert assay.evaluate(QRELS, run_of("q1", "x"), "map").counts["extra"] == 1
    assert assay.evaluate(QRELS, {}, "map")["map"] == 0


def test_under_the_profile_of_a_tool_the_figure_is_that_of_the_tool():
    """trec_eval, told to count every query, gives such a run 0."""
    result = assay.evaluate(QRELS, run_of("topic1", "topic2"), "map", profile="ir_measures")
    assert result["map"] == 0
    assert result.notes[0] == f"{SAID}{BEGINS}."


def test_queries_of_the_benchmark_that_nobody_judged_are_no_strangers():
    dataset = BenchmarkDataset("small", "1")
    for query in ("q1", "q2"):
        dataset.add_query(Query(query, "words"))
    dataset.add_document(Document("d1", "text"))
    dataset.add_judgment(RelevanceJudgment("q1", "d1", 1))
    assert assay.evaluate(dataset, {"q2": {"d1": 1.0}}, "map")["map"] == 0
    with pytest.raises(assay.DataError, match="the run has ids like 'x', the judgments like 'q1'"):
        assay.evaluate(dataset, {"x": {"d1": 1.0}}, "map")


def test_documents_with_another_beginning_are_noted_with_the_way_out():
    (note,) = assay.evaluate(QRELS, {"q1": {"doc-1": 2.0, "doc-2": 1.0}}, "map").notes
    assert note == (
        "not one retrieved document occurs in the judgments: the run has ids like 'doc-1', the judgments like 'd1'. "
        "Perhaps they begin with 'doc-' instead of 'd': 'doc-1' is 'd1' there; --id-map FILE says which document each id is."
    )


def test_ids_are_shown_of_whatever_a_run_is(tmp_path):
    rows = [("q1", "d1", 1.0), ("q1", "d2", 0.5)]
    (tmp_path / "run").write_text("".join(f"{query} Q0 {doc} 0 {score} t\n" for query, doc, score in rows))
    for run in ({"q1": ["d1", "d2"]}, assay.Run({"q1": {"d1": 1.0, "d2": 0.5}}), assay.datasets.as_source(tmp_path / "run")):
        assert ids_of(run) == (["q1"], ["d1", "d2"])


def test_a_large_file_of_another_kind_is_not_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.evaluation.notes.MAX_BYTES_READ_AGAIN", 10)
    (tmp_path / "r.json").write_text('{"topic1": {"d1": 1.0}}')
    with pytest.raises(assay.DataError, match=r"not one query of the run is judged: do both use the same query ids\?"):
        assay.evaluate(QRELS, tmp_path / "r.json", "map")
