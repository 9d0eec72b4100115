"""Notes: what hints at a mistake in a run, and what a profile does otherwise."""

import pytest

import assay
from assay import Document, Query
from assay.datasets import BenchmarkDataset
from assay.evaluation import PROFILES, notes_on_unit

QRELS = {f"q{number}": {"a": 1, "b": 0} for number in range(4)}


def notes(run, metrics="mrr", **given):
    return assay.evaluate(QRELS, run, metrics, **given).notes


@pytest.mark.parametrize(("n_constant", "noted"), [(0, False), (1, False), (2, True), (4, True)])
def test_a_run_of_constant_scores_is_noted_from_half_of_its_queries_on(n_constant, noted):
    run = {query: {"a": 1.0, "b": 1.0 if place < n_constant else 2.0} for place, query in enumerate(QRELS)}
    found = notes(run)
    assert bool(found) == noted
    if noted:
        share = f"{n_constant} queries of 4 got one and the same score for all documents"
        assert found == (f"{share}: their order is the tie rule's, not the system's.",)


@pytest.mark.parametrize("run", [{}, {"q0": []}, {"q0": {}, "q3": {}}, []], ids=repr)
def test_a_run_without_any_ranking_is_noted(run):
    """A file without any is an error."""
    assert notes(run) == ("the run holds no rankings: nothing was retrieved for any query.",)


def test_a_run_without_any_ranking_is_noted_where_nothing_is_judged_either():
    assert assay.evaluate({}, {}, "map").notes == ("the run holds no rankings: nothing was retrieved for any query.",)


@pytest.mark.parametrize(
    ("run", "policy"),
    [
        ({"q0": {"a": 1.0}}, {"rel": 9, "no_relevant": "skip"}),
        ({"q0": {"a": 1.0}}, {"rel": 9, "no_relevant": "skip", "missing": "skip", "judged_only": True}),
        ({"q0": {"b": 1.0}}, {"judged_only": True}),
    ],
)
def test_queries_that_the_policy_leaves_out_were_retrieved_all_the_same(run, policy):
    assert notes(run, policy=assay.Policy(**policy)) == ()


@pytest.mark.parametrize("policy", [{}, {"judged_only": True}, {"rel": 9, "no_relevant": "skip"}])
def test_strange_ids_are_told_under_every_policy(policy):
    """A condensed ranking without any judged document is empty, which does not make the run so."""
    (note,) = notes({"q0": {"x": 1.0}}, policy=assay.Policy(**policy))
    assert note.startswith("not one retrieved document occurs in the judgments: the run has ids like 'x'")


def test_lists_where_others_have_a_tag_are_noted():
    queries = [Query("q0", metadata={"topic": "a", "codes": [1]}), Query("q1", metadata={"topic": ["a", "b"]}), Query("q2")]
    dataset = BenchmarkDataset("d", queries={query.query_id: query for query in queries}, qrels={"q0": {"a": 1}})
    found = assay.evaluate(dataset, {"q0": ["a"], "q1": ["a"]}, "mrr").notes
    assert "topic is a list in 1 query, which no slice by topic has: a tag is one value." in found
    assert not any("codes" in note for note in found)


def test_where_every_order_counts_none_is_the_rules():
    run = {query: {"a": 1.0, "b": 1.0} for query in QRELS}
    (note,) = notes(run, policy=assay.Policy(ties="expected"))
    assert note == "4 queries of 4 got one and the same score for all documents: every order counts alike."


def test_a_ranking_of_one_document_is_not_constant():
    assert notes({query: {"a": 1.0} for query in QRELS}) == ()


def test_missing_queries_do_not_make_a_run_less_constant():
    assert len(notes({"q0": {"a": 1.0, "b": 1.0}})) == 1


def test_a_level_that_does_not_reach_graded_metrics_is_noted():
    run = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
    (note,) = notes(run, ["ndcg@10", "map"], policy=assay.Policy(rel=2))
    assert note == "the level does not change ndcg@10, which weighs every grade; ndcg(rel=2)@10 does."
    assert notes(run, ["ndcg(rel=2)@10", "map"], policy=assay.Policy(rel=2)) == ()


def test_one_difference_is_told_once_for_all_its_metrics():
    run = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
    found = notes(run, ["mrr@10", "ndcg@10", "mrr@5"], profile="ir_measures")
    assert found == ("mrr@10, mrr@5: equal scores by ascending id; scores compared in double precision.",)


@pytest.mark.parametrize(
    ("profile", "lacks"),
    [
        ("trec_eval-9", "q_measure"),
        ("trec_eval-10", "q_measure"),
        ("pytrec_eval", "q_measure, yaap"),
        ("ranx", "q_measure, yaap"),
        ("ir_measures", "q_measure, yaap"),
        ("beir", "map, q_measure, yaap"),  # it has map@k
        ("mteb", "map, q_measure, yaap"),
        ("sentence-transformers", "map(norm=min), q_measure, yaap"),
    ],
)
def test_what_the_tool_does_not_have_is_noted(profile, lacks):
    run = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
    found = [note for note in notes(run, ["map", "map@5", "q_measure", "yaap"], profile=profile) if "has no" in note]
    assert found == [f"{PROFILES[profile].tool} has no {lacks}: scored as by default, under its conventions."]


RANKED = {query: {"a": 2.0, "b": 1.0} for query in QRELS}


def test_a_run_that_ranks_needs_no_note():
    assert notes(RANKED) == ()


def test_queries_that_nobody_judged_do_not_make_a_run_constant():
    assert notes(RANKED | {f"x{number}": {"a": 1.0, "b": 1.0} for number in range(9)}) == ()
    assert notes({query: {} for query in QRELS}) == ("the run holds no rankings: nothing was retrieved for any query.",)


def test_counts_hold_how_many_were_constant():
    run = RANKED | {query: {"a": 1.0, "b": 1.0} for query in list(QRELS)[:3]}
    assert assay.evaluate(QRELS, run, "map").counts["constant"] == 3


def test_the_gravest_note_comes_first():
    found = notes({"q0": {"x": 1.0, "y": 1.0}}, "ndcg", policy=assay.Policy(rel=2))
    assert [note.partition(" ")[0] for note in found] == ["not", "1", "the"]


BY_SCRIPT = (
    "equal scores in the order given; scores compared in double precision; queries missing from the run score 0; "
    "queries without judgments are an error"
)


@pytest.mark.parametrize(
    ("profile", "metrics", "found"),
    [
        ("beir", ["mrr@10", "ndcg@10", "hit@5"], [f"mrr@10, hit@5: {BY_SCRIPT}."]),
        ("beir", ["accuracy@5"], [f"accuracy@5: {BY_SCRIPT}; hit@5 under the name of accuracy@5."]),
        ("sentence-transformers", ["accuracy@5"], ["accuracy@5: hit@5 under the name of accuracy@5."]),
        ("sentence-transformers", ["ndcg@5"], ["ndcg@5: every relevant document is worth 1."]),
        ("mteb", ["accuracy"], ["accuracy: recall@1 under the name of accuracy."]),
        ("mteb", ["recall@1", "accuracy"], ["accuracy: recall@1 under the name of accuracy."]),
        ("mteb", ["accuracy", "recall@1"], ["accuracy: recall@1 under the name of accuracy."]),
        ("trec_eval-10", ["rbp"], ["rbp(p=0.8): p is 0.9; a grade is worth its share of the query's largest."]),
        ("trec_eval-10", ["rbp(p=0.5)"], ["rbp(p=0.5): a grade is worth its share of the query's largest."]),
        ("ranx", ["bpref", "map"], ["bpref: negative grades count as judged and not relevant."]),
        ("ir_measures", ["num_q"], ["num_q: queries missing from the run are left out."]),
    ],
)
def test_what_a_profile_does_otherwise_is_said_of_the_metrics_concerned(profile, metrics, found):
    assert notes(RANKED, metrics, profile=profile) == tuple(found)


def test_a_metric_asked_for_twice_is_noted_once():
    once = "mrr@10: equal scores by ascending id; scores compared in double precision."
    assert notes(RANKED, ["mrr@10", "RR@10", "mrr@10"], profile="ir_measures") == (once,)


def test_only_what_differs_from_the_conventions_in_use_is_said():
    """A convention that was set by hand holds for all metrics, so it is no longer one metric's own."""
    profile = PROFILES["ir_measures"]
    assert notes(RANKED, "mrr@10", profile=profile.adjusted(ties="docid_asc")) == (
        "mrr@10: scores compared in double precision.",
    )
    assert notes(RANKED, "mrr@10", profile=profile.adjusted(ties="docid_desc", precision="float64")) == ()
    spelled_out = notes(RANKED, "ndcg(gain=linear)@5", profile="sentence-transformers")
    tool = PROFILES["sentence-transformers"].tool
    assert spelled_out == (f"{tool} has no ndcg@5: scored as by default, under its conventions.",)


def test_the_top_of_the_scale_is_told_where_the_tool_fixes_it():
    qrels, run = {"1": {"a": 2}}, {"1": {"a": 1.0}}
    profile = PROFILES["ir_measures"]
    assert assay.evaluate(qrels, run, "err", profile=profile).notes == (
        "err: scores compared in double precision; the top grade is 4.",
    )
    adjusted = profile.adjusted(max_grade=2, precision="float64")
    assert assay.evaluate(qrels, run, "err", profile=adjusted).notes == ()


@pytest.mark.parametrize("profile", ["trec_eval-9", "pytrec_eval", "mteb", "ranx"])
def test_a_profile_that_scores_as_we_do_needs_no_note(profile):
    assert notes(RANKED, ["map@10", "ndcg@10"], profile=profile) == ()


def test_grades_beyond_the_scale_are_told():
    found = assay.evaluate({"q0": {"a": 7}}, RANKED, "err", policy=assay.Policy(max_grade=4)).notes
    assert found == ("grades above 4, the largest allowed, count as 4.",)


def test_a_retriever_that_misses_has_no_strange_ids():
    told = "no query found anything that is judged: what was retrieved are other documents of the benchmark."
    benchmark = BenchmarkDataset("b", queries={"q": Query("q", "text")}, qrels={"q": {"d1": 1}})
    for one in ("d1", "d2"):
        benchmark.add_document(Document(one, one))
    assert assay.evaluate(benchmark, {"q": ["d2"]}, ["mrr"]).notes == (told,)
    assert "ids like 'x', the judgments like 'd1'" in assay.evaluate(benchmark, {"q": ["x"]}, ["mrr"]).notes[0]
    crossed = assay.evaluate({"q1": {"p1": 1}, "q2": {"p2": 1}}, {"q1": ["p2"], "q2": ["p1"]}, ["mrr"])
    assert crossed.notes == (told,)


def test_the_unit_is_told_of_providers_that_have_the_choice():
    assert notes_on_unit("chroma", "chunk") == ["chroma is judged by each chunk by itself; unit=document judges documents."]
    assert notes_on_unit("chroma", "document") == ["chroma is judged by documents, each by its best chunk."]
    assert notes_on_unit("bm25", None) == []


def test_a_second_column_that_is_taken_for_the_subtopic_is_told(tmp_path):
    path = tmp_path / "rounds.qrels"
    path.write_text("q 0.5 x 1\nq 1 y 1\n")
    told = "the second column of the judgments (0.5 1) is read as the subtopic."
    assert told in assay.evaluate(str(path), {"q": ["x", "y"]}, "alpha_ndcg@5").notes
    assert told not in assay.evaluate(str(path), {"q": ["x", "y"]}, "ndcg@5").notes
    path.write_text("q 1 x 1\nq 2 x 1\n")
    assert assay.evaluate(str(path), {"q": ["x", "y"]}, "alpha_ndcg@5").notes == ()
