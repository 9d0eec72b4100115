"""Bands of a result: how far its summaries could move by ties, and how many queries have ties that matter."""

import pytest

import assay
from assay.metrics._bands import N_SAMPLED, SEED

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 1, "b": 1}}
RUN = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"x": 2.0, "a": 1.0, "y": 1.0}, "q3": {"a": 1.0, "b": 1.0}}
"""q1: a or b first; q2: a second or third; q3: a and b are alike."""


def test_a_tie_band_by_hand():
    result = assay.evaluate(QRELS, RUN, ["mrr", "recall@2"], tie_band=True)
    assert result["mrr"] == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)
    low, mean, high = (1 / 2 + 1 / 3 + 1) / 3, (3 / 4 + 5 / 12 + 1) / 3, (1 + 1 / 2 + 1) / 3
    band = result.to_dict()["tie_bands"]["mrr"]
    assert [band["low"], band["expected"], band["high"]] == pytest.approx([low, mean, high], rel=1e-12)
    assert list(band) == ["low", "expected", "high", "method"]
    assert result.tie_bands["mrr"].width == pytest.approx(1 / 6 + 1 / 18 + 0, rel=1e-12)
    assert result.tie_bands["recall@2"].low.score.tolist() == [1, 0, 1]
    assert result.tie_bands["recall@2"].high.score.tolist() == [1, 1, 1]


def test_bands_are_there_only_when_asked_for():
    plain = assay.evaluate(QRELS, RUN, "mrr")
    assert (plain.tie_bands, plain.residuals) == ({}, {})
    assert not {"tie_bands", "residuals"} & plain.to_dict().keys()


def test_the_band_does_not_depend_on_the_tie_rule():
    bands = [
        assay.evaluate(QRELS, RUN, "map", policy=assay.Policy(ties=ties), tie_band=True).tie_bands["map"].summary()
        for ties in ("docid_desc", "docid_asc", "input_order", "expected", "ranx")
    ]
    assert bands == [bands[0]] * 5


def test_how_a_band_was_found_is_said():
    names = ["mrr", "err", "accuracy", "dcg(gain={1: 2, 2: 1})", "num_ret"]
    found = assay.evaluate(QRELS, RUN, names, tie_band=True).tie_bands
    sampled = f"over {N_SAMPLED} sampled orders, seed {SEED}"
    assert {name: band.method for name, band in found.items()} == {
        "mrr": "exact",
        "err": f"ends exact, mean {sampled}",
        "accuracy": sampled,
        "dcg(gain={1: 2, 2: 1})": f"mean exact, ends {sampled}",
        "num_ret": "exact",  # no order changes it
    }


def test_sums_and_geometric_means_of_a_band():
    found = assay.evaluate(QRELS, RUN, ["num_rel_ret@1", "gm_map"], tie_band=True).tie_bands
    assert found["num_rel_ret@1"].summary()["low"] == 1
    assert found["num_rel_ret@1"].summary()["high"] == 2
    assert found["gm_map"].low.summary() == pytest.approx((1 / 2 * 1 / 3 * 1) ** (1 / 3))
    assert found["gm_map"].high.summary() == pytest.approx((1 * 1 / 2 * 1) ** (1 / 3))


def test_text_has_no_band():
    result = assay.evaluate(QRELS, RUN, ["relstring", "mrr"], tie_band=True, residuals=True)
    assert list(result.tie_bands) == list(result.residuals) == ["mrr"]


def test_queries_with_ties_that_matter_are_counted():
    """q3 is tied too, but its two documents are alike."""
    ties = assay.evaluate(QRELS, RUN, ["mrr", "recall@1,2,3"]).to_dict()["ties"]
    assert (ties["queries"], ties["undecided"]) == (3, 2)
    assert ties["at_cutoff"] == {"1": 1, "2": 1, "3": 0}


def test_ties_below_every_cutoff_do_not_count():
    assert assay.evaluate(QRELS, RUN, "recall@1").ties["undecided"] == 1
    assert assay.evaluate(QRELS, {"q1": {"a": 1.0}}, "recall@1").ties["undecided"] == 0


def test_near_scores_are_ties_where_the_policy_compares_in_float32():
    run = {"q1": {"a": 1.0, "b": 1.00000001}}
    for precision, low in (("float64", 1 / 2), ("float32", 1 / 2)):
        policy = assay.Policy(precision=precision, missing="skip")
        result = assay.evaluate(QRELS, run, "mrr", policy=policy, tie_band=True)
        assert result.tie_bands["mrr"].low.summary() == low
        assert result.tie_bands["mrr"].width == (0.5 if precision == "float32" else 0)
