"""Bands of a result: how far its summaries could move by ties, and how many queries have ties that matter."""

from dataclasses import replace

import pytest
from tests._variants import for_each

import assay
from assay.evaluation import OWN, Setting, evaluate_settings
from assay.metrics import find_metric

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 1, "b": 1}}
RUN = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"x": 2.0, "a": 1.0, "y": 1.0}, "q3": {"a": 1.0, "b": 1.0}}
"""q1: a or b first; q2: a second or third; q3: a and b are alike."""


def test_a_tie_band_by_hand():
    result = assay.evaluate(QRELS, RUN, ["mrr", "recall@2"], tie_band=True)
    assert result["mrr"] == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)
    lowest, mean, highest = (1 / 2 + 1 / 3 + 1) / 3, (3 / 4 + 5 / 12 + 1) / 3, (1 + 1 / 2 + 1) / 3
    band = result.to_dict()["tie_bands"]["mrr"]
    assert [band["min"], band["mean"], band["max"]] == pytest.approx([lowest, mean, highest], rel=1e-12)
    assert list(band) == ["min", "mean", "max", "method"]
    assert result.tie_bands["mrr"].width == pytest.approx(1 / 6 + 1 / 18 + 0, rel=1e-12)
    assert result.tie_bands["recall@2"].columns["min"].score.tolist() == [1, 0, 1]
    assert result.tie_bands["recall@2"].columns["max"].score.tolist() == [1, 1, 1]


def test_how_a_band_was_found_is_said(snapshots):
    names = ["mrr", "err", "yaap", "accuracy", "dcg(gain={1: 2, 2: 1})", "num_ret"]
    found = assay.evaluate(QRELS, RUN, [*names, "gm_map"], tie_band=True).tie_bands
    unjudged = assay.evaluate({"1": {"a": 1}, "2": {"z": 3}}, {"1": ["a", "u"], "2": ["z"]}, "q_measure", residuals=True)
    texts = [f"{name}: {band.method}" for name, band in (*found.items(), *unjudged.residuals.items())]
    snapshots.check("result/bands", "\n".join(texts))


@for_each("metric", ["err@10", "ndcg(gain=exp)@10"])
def test_a_figure_with_few_digits_lies_in_its_band(metric):
    """gdeval writes five decimals; bands of more would lie beside the figures they are about."""
    qrels = {"1": {"a": 1, "b": 3, "c": 2}, "2": {"a": 2, "b": 2}, "3": {"b": 3, "d": 1}}
    run = {"1": {"b": 1.0, "x": 1.0, "a": 0.5}, "2": {"y": 2.0, "a": 1.0, "b": 1.0}, "3": {"x": 3.0, "d": 2.0, "b": 1.0}}
    result = assay.evaluate(qrels, run, metric, profile="ir_measures", tie_band=True, residuals=True)
    columns = [*result.tie_bands[metric].columns.values(), *result.residuals[metric].columns.values()]
    scores = result.array(metric)
    for lowest, highest in ((columns[0], columns[2]), columns[3:]):
        assert ((lowest.score <= scores) & (scores <= highest.score)).all()
    exact = assay.evaluate(qrels, run, metric, policy=result.policies[metric]).array(metric)
    assert (exact[1:] != scores[1:]).all()  # so the digits did matter
    for column in columns:
        assert column.score.tolist() == [round(score, 5) for score in column.score.tolist()]


def ties(metrics, run=RUN, qrels=QRELS, **given):
    """What is said about the ties of a run."""
    return assay.evaluate(qrels, run, metrics, **given).ties


def test_a_metric_beside_adds_neither_queries_nor_cutoffs():
    profile = replace(OWN, policy=assay.Policy())
    asked, judged = Setting.of(find_metric("mrr"), profile), find_metric("judged@10")
    beside = Setting(judged, judged, profile.policy, is_beside=True)
    run = {"q2": {"y": 1.0, "b": 1.0} | {f"x{number}": 2.0 + number for number in range(9)}}
    qrels = assay.Qrels({"q2": {"a": 1, "b": 0}})
    both = evaluate_settings(qrels, assay.Run(run), [asked, beside], profile)
    assert both.ties == {"queries": 1, "undecided": 0, "in_top_10": 0, "at_cutoff": {}}
    assert evaluate_settings(qrels, assay.Run(run), [beside, asked], profile).ties == both.ties
    said = evaluate_settings(qrels, assay.Run(run), [Setting.of(judged, profile)], profile).ties
    assert said == {"queries": 1, "undecided": 1, "in_top_10": 1, "at_cutoff": {"10": 1}}


def test_only_ties_that_matter_are_near_the_top_or_across_a_cutoff():
    """a and b are alike, and tied at the top; c and x are not, at ranks 13 and 14."""
    ranked = {"a": 99.0, "b": 99.0} | {f"n{number}": 50.0 - number for number in range(10)} | {"c": 1.0, "x": 1.0}
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    found = ties(["map", "recall@13", "ndcg@13"], {"q": ranked}, qrels)
    assert found == {"queries": 1, "undecided": 1, "in_top_10": 0, "at_cutoff": {"13": 1}}
    assert ties("map@20", {"q": ranked}, qrels)["in_top_10"] == 0
    alike = ties(["recall@13", "map@1"], {"q": ranked}, qrels)
    assert alike["at_cutoff"] == {"1": 0, "13": 1}
