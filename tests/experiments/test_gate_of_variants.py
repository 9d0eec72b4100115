"""A gate on the stored variants of an experiment: it has the difference, interval and p that the experiment decided."""

from __future__ import annotations

import json
import math
import random

import pytest
from scipy import stats
from tests.experiments._logs import DAY, START, interleaved, log_of

import assay
from assay.cli import main
from assay.errors import DataError
from assay.experiments import ExperimentOptions, decided_pair, outcome_of, results_of, shared_outcome
from assay.monitoring import gate


def lopsided(n: int = 300, seed: int = 3) -> list[dict]:
    """`new` clicks more than `control`, but its users clicked more before as well, so the adjustment turns the verdict."""
    draw, rows = random.Random(seed), []
    for number in range(n):
        variant, taste = ("control", "new")[number % 2], draw.uniform(0.1, 0.6)
        before = taste + (0.12 if variant == "new" else 0)
        for day, rate in ((-3, before), (-2, before), (-1, before), (1, before - (0.09 if variant == "new" else 0))):
            shown = [f"d{rank}" for rank in range(10)]
            clicks = [doc for doc in shown if draw.random() < rate]
            about = {"user": f"u{number}", "variant": variant, "query": "q", "time": START + day * DAY + number}
            rows.append({**about, "shown": shown, "clicks": clicks})
    return rows


def experiment_of(rows, metrics=("ctr@10", "abandonment"), **how):
    return assay.compare_variants(rows, list(metrics), ExperimentOptions(start="2026-02-02", **how), name="shop")


def one_verdict(outcome, rule, *, turned=False, by_name="new"):
    sides = {result.name: result for result in results_of(outcome)}
    before, now = sides[outcome.control], sides[by_name]
    if turned:
        before, now = now, before
    (verdict,) = gate(now, before, rule).verdicts
    return verdict


def test_the_gate_has_the_adjusted_difference_of_the_experiment():
    """Plain values are higher for `new`; adjusted for the period before, they are significantly lower."""
    outcome = experiment_of(lopsided())
    each = outcome.differences[0]
    assert each.unadjusted > 0 > each.difference
    assert each.better == "control"
    verdict = one_verdict(outcome, "ctr@10 not worse by 0.001")
    finding = verdict.finding
    assert verdict.status == "fail"
    assert (finding.before, finding.value, finding.difference) == (each.value_a, each.value_b, each.difference)
    assert (finding.low, finding.high, finding.n, finding.unit) == (each.low, each.high, each.n_b, "user")
    assert one_verdict(outcome, "ctr@10 drops <= 0.001").status == "fail"


def test_the_other_side_is_the_mirror_image():
    outcome = experiment_of(lopsided())
    each = outcome.differences[0]
    finding = one_verdict(outcome, "ctr@10 not worse by 0.001", turned=True).finding
    assert finding.status == "pass"
    assert (finding.before, finding.value, finding.difference) == (each.value_b, each.value_a, -each.difference)
    assert (finding.low, finding.high, finding.n) == (-each.high, -each.low, each.n_a)


def test_another_level_has_the_interval_of_student_at_that_level():
    outcome = experiment_of(lopsided())
    each = outcome.differences[0]
    finding = one_verdict(outcome, "ctr@10 not worse by 0.2 (99%)").finding
    error = (each.high - each.low) / 2 / stats.t.ppf(0.975, each.df)
    half = stats.t.ppf(0.995, each.df) * error
    assert (finding.low, finding.high) == pytest.approx((each.difference - half, each.difference + half))
    whole = experiment_of(lopsided(), alpha=0.01).differences[0]
    assert (finding.low, finding.high) == pytest.approx((whole.low, whole.high))


def test_a_change_has_the_level_of_the_experiment():
    outcome = experiment_of(lopsided(), alpha=0.1)
    finding = one_verdict(outcome, "ctr@10 drops <= 0.5").finding
    assert (finding.level, finding.low, finding.high) == (0.9, outcome.differences[0].low, outcome.differences[0].high)


def test_per_cent_refer_to_the_adjusted_value_of_the_control():
    outcome = experiment_of(lopsided())
    finding = one_verdict(outcome, "ctr@10 not worse by 10%").finding
    assert finding.limit == pytest.approx(outcome.differences[0].value_a / 10)


def several(rates):
    return log_of(60 * len(rates), rates, seed=11)


def test_p_is_corrected_as_in_the_experiment():
    """One of five variants is worse with p below 5 %, but not after Holm's correction: the gate does not fail it."""
    rates = {"control": 0.4, "b": 0.42, "c": 0.4, "d": 0.4, "worse": 0.34}
    outcome = experiment_of(several(rates), ["ctr@4", "abandonment"])
    each = next(one for one in outcome.deciding if one.b == "worse")
    assert each.p < 0.05 < each.p_corrected
    finding = one_verdict(outcome, "ctr@4 not worse by 0.001", by_name="worse").finding
    assert finding.status == "undecided"
    assert "after the correction for all comparisons of the experiment" in finding.reason
    alone = experiment_of(several(rates), ["ctr@4"], correction="none")
    assert one_verdict(alone, "ctr@4 not worse by 0.001", by_name="worse").status == "fail"


def test_a_metric_without_a_verdict_has_its_own_p():
    rates = {"control": 0.4, "b": 0.42, "c": 0.4, "d": 0.4, "worse": 0.34}
    outcome = experiment_of(several(rates), ["abandonment", "ctr@4"])
    each = next(one for one in outcome.differences if (one.b, one.metric) == ("worse", "ctr@4"))
    assert math.isnan(each.p_corrected)
    assert one_verdict(outcome, "ctr@4 not worse by 0.001", by_name="worse").status == "fail"


def test_two_variants_that_the_experiment_did_not_compare_are_compared_as_plain_values():
    outcome = experiment_of(several({"control": 0.4, "b": 0.45, "c": 0.2}), ["ctr@4"])
    _, b, c = results_of(outcome)
    report = gate(c, b, "ctr@4 not worse by 0.01", name="b")
    assert report.verdicts[0].finding.difference == pytest.approx(c["ctr@4"] - b["ctr@4"])
    assert any("did not compare c with b on ctr@4" in note for note in report.notes)


def test_one_variant_as_the_baseline_is_compared_with_all_others():
    outcome = experiment_of(several({"control": 0.4, "b": 0.45, "c": 0.2}), ["ctr@4"])
    results = results_of(outcome)
    report = gate(results, results[0], "ctr@4 not worse by 0.05", name="control")
    assert [(verdict.provider, verdict.against) for verdict in report.verdicts] == [("b", "control"), ("c", "control")]
    assert [verdict.finding.difference for verdict in report.verdicts] == [each.difference for each in outcome.differences]


def test_variants_of_two_experiments_are_compared_as_plain_values():
    first, second = experiment_of(lopsided()), experiment_of(lopsided(seed=4))
    report = gate(results_of(second)[1], results_of(first)[0], "ctr@10 not worse by 0.01", name="last week")
    plain = results_of(second)[1]["ctr@10"] - results_of(first)[0]["ctr@10"]
    assert report.verdicts[0].finding.difference == pytest.approx(plain)
    told = "the baseline last week is not of the same experiment, so the values without adjustment are compared"
    assert told in report.notes
    whole = gate(results_of(second), results_of(first), "ctr@10 not worse by 0.01", name="last week")
    assert whole.notes.count(told) == 1
    assert told not in gate(results_of(second), results_of(first), "ctr@10 >= 0.01", name="last week").notes


def test_notes_say_how_the_experiment_decided():
    outcome = experiment_of(lopsided(), correct_metrics=True)
    control, new = results_of(outcome)
    notes = gate(new, control, ["ctr@10 not worse by 0.01", "abandonment rises <= 0.5"]).notes
    adjusted = "delta method over users, adjusted for the period before the experiment"
    assert f"ctr@10, abandonment: as in the experiment shop ({adjusted})" in notes
    assert "ctr@10, abandonment: p is corrected for the 2 comparisons of the experiment" in notes


def test_a_rule_about_a_value_has_the_plain_value():
    outcome = experiment_of(lopsided())
    new = results_of(outcome)[1]
    (verdict,) = gate(new, None, "ctr@10 >= 0.1").verdicts
    assert verdict.finding.value == pytest.approx(new["ctr@10"])


def sequential():
    return assay.compare_variants(
        log_of(400, {"control": 0.2, "dense": 0.4}), ["ctr@4"], ExperimentOptions(start="2026-02-02", sequential=True)
    )


def test_a_confidence_sequence_is_never_replaced_by_an_interval_for_one_look():
    outcome = sequential()
    (each,) = outcome.differences
    finding = one_verdict(outcome, "ctr@4 not worse by 0.5", by_name="dense").finding
    assert (finding.low, finding.high, finding.value) == (each.low, each.high, each.value_b)
    lower = one_verdict(outcome, "ctr@4 not worse by 0.5 (90%)", by_name="dense").finding
    assert (lower.low, lower.high) == (each.low, each.high)
    with pytest.raises(DataError, match="confidence sequence of the experiment experiment is at 95 %"):
        one_verdict(outcome, "ctr@4 not worse by 0.5 (99%)", by_name="dense")


@pytest.mark.parametrize("test", ["t", "sign"])
def test_interleaved_rankings_have_the_test_of_their_outcome(test):
    outcome = assay.score_interleaving(interleaved(), test=test, names=["bm25", "dense"], name="mix")
    a, b = results_of(outcome)
    (verdict,) = gate(b, a, "wins not worse by 0").verdicts
    ends = (2 * outcome.low - 1, 2 * outcome.high - 1)
    assert (verdict.finding.low, verdict.finding.high) == pytest.approx(ends)
    assert verdict.finding.difference == pytest.approx(2 * outcome.share - 1)
    assert (verdict.status, outcome.better) == ("pass", "dense")
    (other,) = gate(a, b, "wins not worse by 0").verdicts
    assert other.status == "fail"
    assert (other.finding.low, other.finding.high) == pytest.approx((-ends[1], -ends[0]))
    pair = decided_pair(shared_outcome(a, b), "wins", a, b)
    assert (pair.p, pair.better) == (pytest.approx(outcome.p), "dense")


def test_large_experiments_count_users_and_not_groups(monkeypatch):
    from assay.experiments import outcome_results

    monkeypatch.setattr(outcome_results, "MOST_ROWS", 30)
    verdict = one_verdict(experiment_of(lopsided()), "ctr@10 not worse by 0.001")
    assert (verdict.finding.n, verdict.finding.unit) == (150, "user")


def test_a_gate_refuses_variants_whose_outcome_cannot_be_read():
    control, new = results_of(experiment_of(lopsided()))
    damaged = [each.with_fields(provenance={**each.provenance, "experiment": {"schema": "x"}}) for each in (control, new)]
    assert shared_outcome(*damaged) is None
    with pytest.raises(assay.DataError, match="the experiment is damaged"):
        gate(damaged[1], damaged[0], "ctr@10 drops <= 0.5")


def test_the_command_and_the_stored_variants_say_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ab.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lopsided()))
    compare = ["experiment", "compare", "ab.jsonl", "-m", "ctr@10", "--start", "2026-02-02", "--save", "-q", "-f", "json"]
    assert main(compare) == 0
    (said,) = json.loads(capsys.readouterr().out)["differences"]
    gated = ["gate", "latest#new", "--baseline", "latest#control", "--rule", "ctr@10 not worse by 0.001", "-f", "json"]
    assert main(gated) == 1
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    names = ("difference", "low", "high")
    assert [verdict[name] for name in names] == [said[name] for name in names]
    assert (verdict["before"], verdict["value"], verdict["unit"]) == (said["value_a"], said["value_b"], "user")


def test_what_is_stored_has_the_degrees_of_freedom():
    outcome = experiment_of(lopsided())
    read = outcome_of(results_of(outcome)[1])
    assert [each.df for each in read.differences] == [each.df for each in outcome.differences]
    assert 2 < outcome.differences[0].df <= 298
    assert math.isnan(sequential().differences[0].df)


def test_interleaving_without_clicks_breaks_the_gate():
    outcome = assay.score_interleaving([{**row, "clicks": []} for row in interleaved(20)])
    assert outcome.withheld == "no interleaved search has a click"
    a, b = results_of(outcome)
    with pytest.raises(DataError, match="the experiment has no verdict: no interleaved search has a click"):
        gate(b, a, "wins not worse by 0.05")
