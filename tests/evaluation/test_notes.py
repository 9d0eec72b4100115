"""Notes: what hints at a mistake in a run, and what a profile does otherwise."""

import pytest

import assay
from assay.model.profiles import PROFILES

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


def test_a_ranking_of_one_document_is_not_constant():
    assert notes({query: {"a": 1.0} for query in QRELS}) == ()


def test_missing_queries_do_not_make_a_run_less_constant():
    assert len(notes({"q0": {"a": 1.0, "b": 1.0}})) == 1


def test_a_level_that_does_not_reach_graded_metrics_is_noted():
    run = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
    (note,) = notes(run, ["ndcg@10", "map"], policy=assay.Policy(rel=2))
    assert note == "the level does not change ndcg@10, which weighs every grade; ndcg(rel=2)@10 does."
    assert notes(run, ["ndcg(rel=2)@10", "map"], policy=assay.Policy(rel=2)) == ()


def test_one_reason_is_given_once_for_all_its_metrics():
    run = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
    found = notes(run, ["mrr@10", "mrr@5", "ndcg@10"], profile="ir_measures")
    assert len(found) == 1
    assert found[0].startswith("mrr@10, mrr@5: with a cutoff the MS MARCO script scores it")


@pytest.mark.parametrize("profile", PROFILES)
def test_what_the_tool_does_not_have_is_noted(profile):
    run = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
    lacks = [name for name in ("map", "q_measure", "yaap") if name not in (PROFILES[profile].has or (name,))]
    wanted = f"{PROFILES[profile].tool} has no {', '.join(lacks)}: scored as by default, under its conventions."
    found = [note for note in notes(run, ["map", "q_measure", "yaap"], profile=profile) if "has no" in note]
    assert found == ([wanted] if lacks else [])


RANKED = {query: {"a": 2.0, "b": 1.0} for query in QRELS}


def test_a_run_that_ranks_needs_no_note():
    assert notes(RANKED) == ()


def test_queries_that_nobody_judged_do_not_make_a_run_constant():
    assert notes(RANKED | {f"x{number}": {"a": 1.0, "b": 1.0} for number in range(9)}) == ()
    assert notes({query: {} for query in QRELS}) == ()


def test_counts_hold_how_many_were_constant():
    run = RANKED | {query: {"a": 1.0, "b": 1.0} for query in list(QRELS)[:3]}
    assert assay.evaluate(QRELS, run, "map").counts["constant"] == 3


def test_the_gravest_note_comes_first():
    found = notes({"q0": {"x": 1.0, "y": 1.0}}, "ndcg", policy=assay.Policy(rel=2))
    assert [note.partition(" ")[0] for note in found] == ["not", "1", "the"]


@pytest.mark.parametrize(
    ("profile", "metrics", "note"),
    [
        ("beir", ["mrr@10", "hit@5", "ndcg@10"], "a script of its own: equals in the order given, missing queries score 0"),
        ("sentence-transformers", ["accuracy"], "what it calls accuracy is hit"),
        ("mteb", ["accuracy"], "what it calls accuracy is recall@1"),
    ],
)
def test_what_a_profile_does_otherwise_is_said_of_the_metrics_concerned(profile, metrics, note):
    concerned = [metric for metric in metrics if metric != "ndcg@10"]
    assert notes(RANKED, metrics, profile=profile) == (f"{', '.join(concerned)}: {note}.",)


@pytest.mark.parametrize("profile", ["trec_eval-9", "pytrec_eval", "mteb", "ranx"])
def test_a_profile_that_scores_as_we_do_needs_no_note(profile):
    assert notes(RANKED, ["map", "ndcg@10"], profile=profile) == ()


def test_grades_beyond_the_scale_are_told():
    found = assay.evaluate({"q0": {"a": 7}}, RANKED, "err", policy=assay.Policy(max_grade=4)).notes
    assert found == ("grades above 4, the largest allowed, count as 4.",)
