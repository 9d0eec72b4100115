"""Notes: what hints at a mistake in a run, what a profile does otherwise, and ids that never match."""

import pytest

import assay
from assay import DataError, Document, Policy, Query
from assay.datasets import BenchmarkDataset
from assay.evaluation import PROFILES, notes_on_unit

QRELS = {f"q{number}": {"a": 1, "b": 0} for number in range(4)}
RANKED = {query: {"a": 2.0, "b": 1.0} for query in QRELS}


def notes(run=RANKED, metrics="mrr", **given):
    return assay.evaluate(QRELS, run, metrics, **given).notes


def as_text(cases):
    """Notes of several cases, under the names of these."""
    return "\n".join(f"## {case}\n" + "".join(f"{note}\n" for note in found) for case, found in cases.items())


def constant(n_queries):
    """A run in which the first queries have one score for all documents."""
    return {query: {"a": 1.0, "b": 1.0 if place < n_queries else 2.0} for place, query in enumerate(QRELS)}


def test_notes_on_runs(tmp_path, snapshots):
    tagged = [Query("q0", metadata={"topic": "a", "codes": [1]}), Query("q1", metadata={"topic": ["a", "b"]}), Query("q2")]
    dataset = BenchmarkDataset("d", queries={query.query_id: query for query in tagged}, qrels={"q0": {"a": 1}})
    rounds = tmp_path / "rounds.qrels"
    rounds.write_text("q 0.5 x 1\nq 1 y 1\n")
    lists = {"q": ["x", "y"]}
    cases = {
        "a constant half": notes(constant(2)),
        "all constant": notes(constant(4)),
        "constant, and every order counts": notes(constant(4), policy=Policy(ties="expected")),
        "constant but for missing queries": notes({"q0": {"a": 1.0, "b": 1.0}}),
        "no rankings": notes({}),
        "a level that does not reach a metric": notes(metrics=["ndcg@10", "map"], policy=Policy(rel=2)),
        "grades beyond the scale": assay.evaluate({"q0": {"a": 7}}, RANKED, "err", policy=Policy(max_grade=4)).notes,
        "the gravest first": notes({"q0": {"x": 1.0, "y": 1.0}}, "ndcg", policy=Policy(rel=2)),
        "lists where others have a tag": assay.evaluate(dataset, {"q0": ["a"], "q1": ["a"]}, "mrr").notes,
        "a column read as the subtopic": assay.evaluate(str(rounds), lists, "alpha_ndcg@5").notes,
        "the unit chunk": notes_on_unit("chunk"),
        "the unit document": notes_on_unit("document"),
    }
    snapshots.check("evaluate/notes_on_runs", as_text(cases))
    for run in ({"q0": []}, {"q0": {}, "q3": {}}, [], {query: {} for query in QRELS}):
        assert notes(run) == notes({}) == assay.evaluate({}, {}, "map").notes, run
    assert assay.evaluate(QRELS, constant(3), "map").counts["constant"] == 3
    rounds.write_text("q 1 x 1\nq 2 x 1\n")
    assert assay.evaluate(str(rounds), lists, "alpha_ndcg@5").notes == ()


def test_runs_that_need_no_note():
    ranked, retrieved, level = {query: {"a": 1.0} for query in QRELS}, {"q0": {"a": 1.0}}, {"rel": 9, "no_relevant": "skip"}
    for run, metrics, policy in [
        (RANKED, "mrr", {}),
        (constant(0), "mrr", {}),
        (constant(1), "mrr", {}),
        (ranked, "mrr", {}),
        (RANKED | {f"x{number}": {"a": 1.0, "b": 1.0} for number in range(9)}, "mrr", {}),
        (RANKED, ["ndcg(rel=2)@10", "map"], {"rel": 2}),
        (retrieved, "mrr", level),
        (retrieved, "mrr", {**level, "missing": "skip", "judged_only": True}),
        ({"q0": {"b": 1.0}}, "mrr", {"judged_only": True}),
    ]:
        assert notes(run, metrics, policy=Policy(**policy)) == (), (run, policy)
    assert notes_on_unit(None) == []
    for profile in ("trec_eval-9", "pytrec_eval", "mteb", "ranx"):
        assert notes(metrics=["map@10", "ndcg@10"], profile=profile) == (), profile


def test_what_a_profile_does_otherwise_is_said_once_and_not_where_it_is_set_by_hand(snapshots):
    own, one = PROFILES["ir_measures"], ({"1": {"a": 2}}, {"1": {"a": 1.0}})
    cases = {
        **{
            f"{name}: what it lacks": notes(metrics=["map", "map@5", "q_measure", "yaap"], profile=name) for name in PROFILES
        },
        "ir_measures: err": assay.evaluate(*one, "err", profile=own).notes,
        "ir_measures, ties set by hand: mrr@10": notes(metrics="mrr@10", profile=own.adjusted(ties="docid_asc")),
    }
    snapshots.check("evaluate/notes_on_profiles", as_text(cases))
    assert notes(metrics="mrr@10", profile=own.adjusted(ties="docid_desc", precision="float64")) == ()
    assert assay.evaluate(*one, "err", profile=own.adjusted(max_grade=2, precision="float64")).notes == ()
    assert notes(metrics=["mrr@10", "RR@10", "mrr@10"], profile=own) == notes(metrics="mrr@10", profile=own)
    for metrics in (["recall@1", "accuracy"], ["accuracy", "recall@1"]):
        assert notes(metrics=metrics, profile="mteb") == notes(metrics="accuracy", profile="mteb")


JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}


def run_of(*queries):
    return {query: {"d1": 2.0, "d3": 1.0} for query in queries}


FILES = {
    "my run.txt": "topic1 Q0 d1 1 2.0 t\ntopic2 Q0 d3 1 2.0 t\n",
    "r.jsonl": "".join(f'{{"query_id": "topic{n}", "doc_id": "d1", "score": 1}}\n' for n in (1, 2)),
    "r.csv": "query_id,doc_id,score\ntopic1,d1,1\ntopic2,d1,1\n",
    "r.json": '{"topic1": {"d1": 1.0}, "topic2": {"d1": 1.0}}',
}


def test_queries_that_never_match_are_an_error_with_an_id_of_each_side(tmp_path, monkeypatch, snapshots):
    """A file of lines gets the command that mends it."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    cases = {name: lambda name=name: assay.evaluate(JUDGED, name, "map") for name in FILES}
    cases |= {
        "another beginning": lambda: assay.evaluate(JUDGED, run_of("topic1", "topic2"), "map"),
        "zeros in front": lambda: assay.evaluate({"1": {"d": 1}}, {"01": {"d": 1.0}}, "map"),
        "other judgments": lambda: assay.evaluate(JUDGED, run_of("x"), "map"),
    }
    snapshots.check_errors("evaluate/query_ids", cases)


def test_one_query_in_common_is_enough():
    assert assay.evaluate(JUDGED, run_of("q1", "x"), "map").counts["extra"] == 1
    assert assay.evaluate(JUDGED, {}, "map")["map"] == 0
    dataset = BenchmarkDataset("small", queries={"q1": Query("q1", "words"), "q2": Query("q2", "words")})
    dataset.add_document(Document("d1", "text"))
    dataset.qrels["q1"] = {"d1": 1}
    assert assay.evaluate(dataset, {"q2": {"d1": 1.0}}, "map")["map"] == 0  # nobody judged q2, and it is no stranger
    with pytest.raises(DataError):
        assay.evaluate(dataset, {"x": {"d1": 1.0}}, "map")


def test_under_the_profile_of_a_tool_the_figure_is_that_of_the_tool():
    """trec_eval, told to count every query, gives such a run 0."""
    result = assay.evaluate(JUDGED, run_of("topic1", "topic2"), "map", profile="ir_measures")
    assert result["map"] == 0
    assert "'topic1' and 'q1'" in result.notes[0]


def test_documents_that_never_match_are_noted(snapshots):
    benchmark = BenchmarkDataset("b", queries={"q": Query("q", "text")}, qrels={"q": {"d1": 1}})
    for one in ("d1", "d2"):
        benchmark.add_document(Document(one, one))
    missed = assay.evaluate(benchmark, {"q": ["d2"]}, ["mrr"]).notes
    cases = {
        "another beginning": assay.evaluate(JUDGED, {"q1": {"doc-1": 2.0, "doc-2": 1.0}}, "map").notes,
        "names of files without extension": assay.evaluate({"q": {"cats.md": 1}}, {"q": ["cats", "dogs"]}, ["mrr"]).notes,
        "nothing alike": notes({"q0": {"x": 1.0}}),
        "other documents of the benchmark": missed,
        "no document of the benchmark": assay.evaluate(benchmark, {"q": ["x"]}, ["mrr"]).notes,
    }
    snapshots.check("evaluate/document_ids", as_text(cases))
    crossed = assay.evaluate({"q1": {"p1": 1}, "q2": {"p2": 1}}, {"q1": ["p2"], "q2": ["p1"]}, ["mrr"])
    assert crossed.notes == missed
    for policy in ({"judged_only": True}, {"rel": 9, "no_relevant": "skip"}):  # a condensed ranking is empty, the run is not
        assert notes({"q0": {"x": 1.0}}, policy=Policy(**policy)) == notes({"q0": {"x": 1.0}}), policy
