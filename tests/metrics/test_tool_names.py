"""Names as other tools read them, against assay's drop-in shells of these tools and against pytrec_eval itself."""

from itertools import product

import pytest
import pytrec_eval

import assay
import assay.compat.ranx as ranx
from assay.metrics import TREC_FAMILIES, parse_metrics

QRELS = {"q": {"a": 3, "b": 1, "c": 0, "d": 2, "e": 1, "n": 0}, "p": {"a": 1, "z": 0}}
RUN = {"q": {"b": 4.0, "x": 3.0, "a": 2.0, "c": 1.0}, "p": {"x": 2.0, "a": 1.0}}
AS_RANX = {
    "rbp@95": "rbp(p=0.95, gain=grade)",
    "rbp.8-l2": "rbp(p=0.8, rel=2, gain=grade)",
    "precision": "set_precision",
    "precision-l2": "set_precision(rel=2)",
    "precision@3": "precision@3",
    "f1": "set_f",
    "hits": "mean_rel_ret",
    "hits@3-l2": "mean_rel_ret(rel=2)@3",
}


def test_ranx():
    for text, canonical in AS_RANX.items():
        result = assay.evaluate(QRELS, RUN, [text], profile="ranx")
        assert result.summary == {canonical: pytest.approx(ranx.evaluate(QRELS, RUN, text), rel=1e-12)}, text
        assert result[text] == result[canonical]
        assert not [note for note in result.notes if " has no " in note]


def test_trec_eval():
    for profile, family in product(("trec_eval-9", "trec_eval-10"), TREC_FAMILIES.keys() - {"unj"}):
        theirs = pytrec_eval.RelevanceEvaluator(QRELS, {family}).evaluate(RUN)["q"]
        result = assay.evaluate(QRELS, RUN, family, profile=profile)
        ours = {metric.trec_name: result.scores(metric.name)["q"] for metric in result.metrics}
        if profile == "trec_eval-10" and family == "iprec_at_recall":
            assert len(ours) == len(theirs) == 11  # it rounds otherwise
        else:
            assert ours == pytest.approx(theirs, rel=1e-12), (profile, family)


def test_names_that_say_too_little_are_refused_elsewhere(snapshots):
    for text, name in (("ndcg_cut", "ndcg@5"), ("NDCG_cut", "ndcg@5"), ("map_cut", "map@5")):
        for profile in (None, "ranx", "beir"):
            with pytest.raises(assay.BadParameter):
                assay.evaluate(QRELS, RUN, text, profile=profile)
        assert list(assay.evaluate(QRELS, RUN, f"{text}_5").summary) == [name]
    snapshots.check_errors(
        "metrics/tool_names", {text: lambda text=text: parse_metrics(text) for text in ("ndcg_cut", "hits@3")}
    )


def test_a_cutoff_that_looks_like_a_persistence_is_noted():
    for text, told in {"rbp@95": "rbp.95", "rbp@80": "rbp.80", "rbp@10": "", "rbp(p=0.5)@95": "", "rbp.95": ""}.items():
        notes = [note for note in assay.evaluate(QRELS, RUN, text).notes if note.startswith("rbp@")]
        assert bool(notes) == bool(told), text
        assert all(note.endswith(f"write {told}.") for note in notes)


def test_names_of_one_list_are_each_read():
    result = assay.evaluate(QRELS, RUN, "hits@2, f1, ndcg@10", profile="ranx")
    assert list(result.summary) == ["mean_rel_ret@2", "set_f", "ndcg@10"]
    for compared in (
        assay.compare(QRELS, {"a": RUN, "b": RUN}, ["hits@2"], profile="ranx"),
        assay.compare(None, {"a": result, "b": result}, ["hits@2"]),
    ):
        assert [metric.name for metric in compared.metrics] == ["mean_rel_ret@2"]
    assert [one.name for one in parse_metrics("rbp@95, recall", "mteb")] == ["rbp(p=0.8)@95", "recall"]  # no tool's names
