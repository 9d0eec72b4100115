"""Names as other tools read them, against assay's drop-in shells of these tools and against pytrec_eval itself."""

import pytest
import pytrec_eval

import assay
import assay.compat.ranx as ranx
from assay.metrics.parsing import TREC_FAMILIES, as_read_by

QRELS = {"q": {"a": 3, "b": 1, "c": 0, "d": 2, "e": 1, "n": 0}, "p": {"a": 1, "z": 0}}
RUN = {"q": {"b": 4.0, "x": 3.0, "a": 2.0, "c": 1.0}, "p": {"x": 2.0, "a": 1.0}}


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("rbp@95", "rbp(p=0.95, gain=grade)"),
        ("rbp.95", "rbp(p=0.95, gain=grade)"),
        ("rbp.8-l2", "rbp(p=0.8, rel=2, gain=grade)"),
        ("precision", "set_precision"),
        ("precision-l2", "set_precision(rel=2)"),
        ("precision@3", "precision@3"),
        ("f1", "set_f"),
        ("f1@3", "f1@3"),
        ("hits", "mean_rel_ret"),
        ("hits@3", "mean_rel_ret@3"),
        ("hits@3-l2", "mean_rel_ret(rel=2)@3"),
    ],
)
def test_ranx(text, canonical):
    result = assay.evaluate(QRELS, RUN, [text], profile="ranx")
    assert result.summary == {canonical: pytest.approx(ranx.evaluate(QRELS, RUN, text), rel=1e-12)}
    assert result[text] == result[canonical]
    assert not [note for note in result.notes if " has no " in note]


@pytest.mark.parametrize("family", TREC_FAMILIES)
@pytest.mark.parametrize("profile", ["trec_eval-9", "trec_eval-10", "pytrec_eval"])
def test_trec_eval(family, profile):
    theirs = pytrec_eval.RelevanceEvaluator(QRELS, {family}).evaluate(RUN)["q"]
    result = assay.evaluate(QRELS, RUN, family, profile=profile)
    ours = {metric.trec_name: result.scores(metric.name)["q"] for metric in result.metrics}
    if profile == "trec_eval-10" and family == "iprec_at_recall":
        assert len(ours) == len(theirs) == 11  # it rounds otherwise
    else:
        assert ours == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize(("text", "named"), [("ndcg_cut", "ndcg@10"), ("NDCG_cut", "ndcg@10"), ("map_cut", "map@10")])
@pytest.mark.parametrize("profile", [None, "ranx", "beir"])
def test_a_family_without_a_number_is_refused_elsewhere(text, named, profile):
    with pytest.raises(assay.BadParameter, match=f"several cutoffs; write one, as in {named}"):
        assay.evaluate(QRELS, RUN, text, profile=profile)
    assert list(assay.evaluate(QRELS, RUN, f"{text}_5").summary) == [f"{text.lower().removesuffix('_cut')}@5"]


def test_hits_means_two_things():
    with pytest.raises(assay.BadParameter, match=r"hits@3: write mean_rel_ret@3 for the number found \(ranx\), or hit@3"):
        assay.evaluate(QRELS, RUN, "hits@3")


@pytest.mark.parametrize(
    ("metrics", "said"), [("rbp@95", "rbp.95"), ("rbp@80", "rbp.80"), ("rbp@10", ""), ("rbp(p=0.5)@95", ""), ("rbp.95", "")]
)
def test_a_cutoff_that_looks_like_a_persistence_is_noted(metrics, said):
    notes = [note for note in assay.evaluate(QRELS, RUN, metrics).notes if note.startswith("rbp@")]
    assert bool(notes) == bool(said)
    assert all(note.endswith(f"write {said}.") for note in notes)


def test_names_of_one_list_are_each_read():
    result = assay.evaluate(QRELS, RUN, "hits@2, f1, ndcg@10", profile="ranx")
    assert list(result.summary) == ["mean_rel_ret@2", "set_f", "ndcg@10"]
    compared = assay.compare(QRELS, {"a": RUN, "b": RUN}, ["hits@2"], profile="ranx")
    assert [metric.name for metric in compared.metrics] == ["mean_rel_ret@2"]
    again = assay.compare(None, {"a": result, "b": result}, ["hits@2"])
    assert [metric.name for metric in again.metrics] == ["mean_rel_ret@2"]


@pytest.mark.parametrize("text", ["ndcg@10", "P", "hits", "rbp@95", "recall"])
def test_without_a_tool_every_name_stays(text):
    assert as_read_by("", text) == as_read_by("mteb", text) == text
