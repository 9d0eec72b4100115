"""Judgments by the dynamic Bayesian network: an estimate by hand, evidence, the report, what is wrong, simulated users."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.simulate_clicks import agreement, attractiveness, simulate

import assay
from assay.cli import main

from ._plain import HAND, repeated


def estimates(log, **settings):
    return assay.judge_clicks(log, "dbn", **{"least": 1, "grades": "estimate", **settings})


def test_the_estimate_by_hand():
    # a is always looked at: clicked in 20 of 80. If all users go on, b is looked at in the 60 searches without a click on a,
    # and clicked in 30 of them: its attractiveness is 1/2. After a click on a, b gets 5 clicks in 20 = (1 − s) / 2, so that
    # s = 1/2. The closed form says 15/80, because it takes each of the 15 users as satisfied.
    judged = estimates(HAND, persistence=1.0)
    parts = judged.estimates.parts
    assert judged.documents == ("a", "b")
    assert parts["attractiveness"] == pytest.approx([0.25, 0.5], abs=1e-3)
    assert parts["satisfaction"][0] == pytest.approx(0.5, abs=1e-3)
    assert judged.estimates.value[0] == pytest.approx(0.125, abs=1e-3)
    assert judged.estimates.shown == pytest.approx([80, 60 + 5 + 15 / 3], abs=0.05)
    assert judged.estimates.low[0] < 0.125 < judged.estimates.high[0]
    simple = assay.judge_clicks(HAND, "sdbn", least=1, grades="estimate")
    assert simple.estimates.value[0] == pytest.approx(15 / 80)
    assert simple.estimates.parts["attractiveness"].tolist() == pytest.approx([20 / 80, 35 / 65])


def test_satisfaction_at_the_end_of_lists_is_unknown():
    judged = estimates(HAND, persistence=1.0, grades=None)
    assert np.isnan(judged.estimates.parts["satisfaction"][1])
    assert (judged.estimates.low[1], judged.estimates.high[1]) == (0, 1)
    assert any("1 of 2 documents were never clicked above another document" in note for note in judged.notes)
    assert [row["satisfaction"] is None for row in judged.rows()] == [False, True]


def test_documents_that_were_shown_too_seldom_get_no_estimate():
    rare = [*repeated("q", "axb", ("a", 1)), *repeated("q", "yab", ("", 1)), *repeated("other", "xyz", ("z", 3))]
    judged = estimates([*HAND, *rare], least=10)
    assert judged.documents == ("a", "b")
    assert judged.provenance["left_out"] == 5


def test_the_report_and_the_file_say_what_the_grades_are_based_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(search) + "\n" for search in HAND))
    assert main(["log", "judgments", "log.jsonl", "--model", "dbn", "--persistence", "0.9", "-o", "clicks.csv"]) == 0
    out = capsys.readouterr().out
    assert "by dbn (dynamic Bayesian network" in out
    assert "with the probability 0.900" in out
    header, first, _ = (tmp_path / "clicks.csv").read_text().splitlines()
    assert header == "query_id,doc_id,grade,estimate,low,high,attractiveness,satisfaction,shown,clicked,judge,reason"
    assert "from 80 examined impressions, log" in first
    about = estimates(HAND, persistence=0.9).to_dict()
    assert (about["judge"], about["persistence"]) == ("clicks-dbn", 0.9)
    assert dict(assay.Qrels(tmp_path / "clicks.csv")) == dict(assay.judge_clicks(HAND, "dbn", persistence=0.9).qrels)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": "dbn", "persistence": 0}, "a persistence must be above 0 and at most 1, not 0"),
        ({"model": "dbn", "persistence": 1.5}, "a persistence must be above 0 and at most 1, not 1.5"),
        ({"model": "dbn", "persistence": "high"}, "a persistence must be above 0 and at most 1, not 'high'"),
        ({"model": "dbn", "persistence": float("nan")}, "a persistence must be above 0"),
        ({"model": "pbm", "persistence": 0.9}, "a persistence is for the model dbn, not for pbm"),
        ({"model": "dbn", "propensities": {1: 1}}, "propensities are for the model pbm, not for dbn"),
        ({"model": "dbn", "least": 1000}, "no document was seen at least 1,000 times"),
    ],
)
def test_settings_that_do_not_fit_are_errors(settings, message):
    with pytest.raises(assay.AssayError, match=message):
        assay.judge_clicks(HAND, **{"least": 1, **settings})


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["satisfaction", "attractiveness"])
def test_dbn_finds_the_order_of_users_who_stop_and_its_intervals_contain_the_truth(wanted):
    import pyarrow as pa

    columns, truth, known = simulate(300_000, 0, seed=5, cascade=True, persistence=0.9, wanted=wanted)
    table = pa.table(columns)
    judged, simple = (assay.judge_clicks(table, model, grades="estimate", least=50) for model in ("dbn", "sdbn"))
    is_product = wanted == "satisfaction"
    ours, closed = (agreement(each.qrels if is_product else attractiveness(each), truth) for each in (judged, simple))
    assert judged.provenance["persistence"] == pytest.approx(0.9, abs=0.02)
    assert ours > closed
    assert ours > agreement(known, truth) - 0.06
    if is_product:
        pairs = zip(judged.queries, judged.documents, judged.estimates.low, judged.estimates.high, strict=True)
        inside = [low <= truth[int(query[1:]), int(doc[1:])] <= high for query, doc, low, high in pairs]
        assert np.mean(inside) > 0.9
