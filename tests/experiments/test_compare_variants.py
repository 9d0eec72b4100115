"""compare_variants: differences by hand and against SciPy and statsmodels, CUPED, sample ratio, and what is wrong."""

from __future__ import annotations

import re
from dataclasses import astuple
from datetime import date

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

import assay
from assay.errors import AssayError
from assay.experiments import ExperimentOptions, check_ratio, users_adjustment
from assay.logs import UserSums
from assay.stats import Ratio, ratio_difference

DAY = 86400


def searches(user, variant, clicks, *, day=0, shown=4):
    """One search of a user, with clicks on the first documents."""
    docs = [f"d{rank}" for rank in range(shown)]
    about = {"user": user, "variant": variant, "query": "q", "time": 1_770_000_000 + day * DAY + hash_of(user)}
    return {**about, "shown": docs, "clicks": docs[:clicks]}


def hash_of(user):
    return sum(map(ord, user)) % 1000


def experiment(n=120, lift=1, seed=0, days=range(1)):
    """Users with 1 to 3 searches; `days` before 0 are before the experiment, without a difference."""
    draw, log = np.random.default_rng(seed), []
    for number in range(n):
        variant, taste = ("control", "dense")[number % 2], draw.uniform(0, 0.5)
        for day in days:
            for _ in range(draw.integers(1, 4)):
                more = lift if variant == "dense" and day >= 0 and draw.random() < 0.7 else 0
                log.append(searches(f"u{number}", variant, min(int(draw.binomial(4, taste)) + more, 4), day=day))
    return log


def sums(log):
    """Variant → clicks and shown documents of each user."""
    users = {}
    for each in log:
        one = users.setdefault((each["variant"], each["user"]), [0, 0])
        one[0] += len(each["clicks"])
        one[1] += len(each["shown"])
    return {
        name: np.array([value for (variant, _), value in users.items() if variant == name], float).T
        for name in ("control", "dense")
    }


def test_the_delta_method_by_hand():
    """Control: users (1 of 4), (2 of 8), (3 of 4); without one of them, the ratio is 5/12, 4/8, 3/12 instead of 6/16."""
    log = [searches("a", "control", 1), *[searches("b", "control", 1)] * 2, searches("c", "control", 3)]
    log += [searches("d", "dense", 4), searches("e", "dense", 3), searches("f", "dense", 4)]
    (each,) = assay.compare_variants(log, "ctr@10").differences
    of_control = 2 / 3 * sum((left - 6 / 16) ** 2 for left in (5 / 12, 4 / 8, 3 / 12))
    of_dense = np.var([1, 3 / 4, 1], ddof=1) / 3  # all have seen as much, so it is a mean over users
    error = (of_control + of_dense) ** 0.5
    df = (of_control + of_dense) ** 2 / (of_control**2 / 2 + of_dense**2 / 2)
    assert (each.value_a, each.value_b, each.difference) == pytest.approx((6 / 16, 11 / 12, 11 / 12 - 6 / 16))
    half = stats.t.ppf(0.975, df) * error
    assert (each.low, each.high) == pytest.approx((each.difference - half, each.difference + half))
    assert each.p == pytest.approx(2 * stats.t.sf(each.difference / error, df))


def test_users_of_equal_size_have_the_welch_test_of_scipy():
    draw = np.random.default_rng(5)
    a, b = draw.normal(0, 1, 80), draw.normal(0.3, 2, 50)
    estimate = ratio_difference(Ratio.of(a, np.ones(80)), Ratio.of(b, np.ones(50)), 0.95)
    oracle = stats.ttest_ind(b, a, equal_var=False)
    interval = oracle.confidence_interval(0.95)
    assert estimate == pytest.approx((b.mean() - a.mean(), interval.low, interval.high, oracle.pvalue))


def test_the_ratio_has_the_cluster_robust_error_of_statsmodels():
    """A weighted regression on the variant with HC3, which measures each user from the fit without this user."""
    log = experiment()
    (each,) = assay.compare_variants(log, "ctr@10").differences
    by_variant = sums(log)
    top, bottom = (np.concatenate([by_variant[name][side] for name in by_variant]) for side in (0, 1))
    side = np.repeat([0.0, 1.0], [by_variant[name].shape[1] for name in by_variant])
    fit = sm.WLS(top / bottom, sm.add_constant(side), weights=bottom).fit(cov_type="HC3")
    n = by_variant["control"].shape[1]
    assert each.difference == pytest.approx(fit.params[1])
    assert (each.high - each.low) / 2 / stats.t.ppf(0.975, each.df) == pytest.approx(
        fit.bse[1] * ((n - 1) / n) ** 0.5, rel=1e-9
    )


def test_better_and_worse_follow_the_direction_of_the_metric():
    log = experiment(lift=1)
    outcome = assay.compare_variants(log, ["ctr@10", "abandonment"], ExperimentOptions(correct_metrics=True))
    clicks, abandoned = outcome.differences
    assert clicks.difference > 0 > abandoned.difference
    assert clicks.better == abandoned.better == "dense"
    assert not outcome.is_worse
    swapped = assay.compare_variants(log, "ctr@10", ExperimentOptions(control="dense"))
    assert swapped.is_worse
    assert swapped.differences[0].difference == pytest.approx(-clicks.difference)
    assert swapped.verdict == assay.compare_variants(log, "ctr@10").verdict


def test_p_is_corrected_over_variants_and_metrics():
    log = experiment(lift=0) + [{**each, "user": f"v{each['user']}", "variant": "other"} for each in experiment(60, seed=4)]
    one = assay.compare_variants(log, ["ctr@10", "abandonment"])
    raw = [each.p for each in one.deciding]
    assert [each.metric for each in one.deciding] == ["ctr@10", "ctr@10"]
    assert [each.p_corrected for each in one.deciding] == pytest.approx(assay.stats.correct(raw).tolist())
    every = assay.compare_variants(log, ["ctr@10", "abandonment"], ExperimentOptions(correct_metrics=True))
    assert len(every.deciding) == 4
    assert "Holm over all 4 comparisons" in every.verdict


def test_cuped_keeps_the_difference_and_removes_variance():
    """With one search per user and day, it is the regression of statsmodels on the centred earlier values."""
    draw, log = np.random.default_rng(2), []
    taste = draw.integers(0, 4, 400)
    now = taste + (np.arange(400) % 2) * draw.integers(0, 2, 400)
    for number in range(400):
        for day, clicks in ((-1, taste[number]), (1, now[number])):
            log.append(searches(f"u{number}", ("control", "dense")[number % 2], int(clicks), day=day))
    plain = assay.compare_variants([each for each in log if each["time"] > 1_770_000_000], "ctr@10").differences[0]
    adjusted = assay.compare_variants(log, "ctr@10", ExperimentOptions(start="2026-02-02T02:40:00Z")).differences[0]
    side = np.arange(400) % 2
    fit = sm.OLS(now / 4, np.column_stack([np.ones(400), side, taste - taste.mean()])).fit()
    assert adjusted.unadjusted == pytest.approx(plain.difference)
    assert adjusted.difference == pytest.approx(fit.params[1])
    assert adjusted.variance_reduction > 0.7
    assert adjusted.high - adjusted.low == pytest.approx(2 * 1.96 * fit.bse[1], rel=0.02)
    assert adjusted.value_b - adjusted.value_a == pytest.approx(adjusted.difference)


def test_an_earlier_period_that_says_nothing_changes_nothing():
    constant = UserSums(np.zeros(6), np.ones(6))
    assert users_adjustment(UserSums(np.arange(6.0), np.ones(6)), constant, np.array([0, 1] * 3)) is None


def test_sample_ratio_is_the_chi_squared_test_of_scipy():
    users = {"a": 5120, "b": 4880, "c": 1000}
    ratio = check_ratio(users, {"a": 0.45, "b": 0.45, "c": 0.1})
    oracle = stats.chisquare(list(users.values()), [0.45 * 11000, 0.45 * 11000, 0.1 * 11000])
    assert (ratio.statistic, ratio.p) == pytest.approx((oracle.statistic, oracle.pvalue))


def test_a_mismatch_withholds_the_verdict():
    log = [each for each in experiment(200) if each["variant"] == "control" or int(each["user"][1:]) % 3]
    outcome = assay.compare_variants(log, "ctr@10")
    assert outcome.ratio.users == {"control": 100, "dense": 67}
    assert not outcome.withheld  # p = 0.011
    log = [each for each in experiment(400) if each["variant"] == "control" or int(each["user"][1:]) % 3]
    outcome = assay.compare_variants(log, "ctr@10")
    assert outcome.ratio.is_mismatch
    assert outcome.verdict.startswith("There is no verdict: the numbers of users do not fit the split: control 200 (60.1 %)")
    assert outcome.differences[0].p < 0.001
    assert outcome.differences[0].better is None
    fitting = assay.compare_variants(log, "ctr@10", ExperimentOptions(split="control=60,dense=40"))
    assert fitting.differences[0].better == "dense"


def test_users_with_several_variants_are_left_out_and_withhold_the_verdict_if_they_are_many():
    log = experiment(1000)
    few = [*log, *({**each, "variant": "dense"} for each in log if each["user"] in ("u0", "u2"))]
    outcome = assay.compare_variants(few, "ctr@10")
    assert (outcome.variants[0].users, outcome.withheld) == (498, "")
    assert outcome.notes[0] == "2 users saw several variants. They are left out."
    many = [*log, *({**each, "variant": "dense"} for each in log if each["user"].endswith("0"))]
    assert "100 of 1,000 users (10.0 %) saw several variants" in assay.compare_variants(many, "ctr@10").verdict


def test_searches_without_a_variant_are_left_out():
    log = experiment()
    outcome = assay.compare_variants([*log, searches("x", "", 4)], "ctr@10")
    assert list(map(astuple, outcome.differences)) == list(map(astuple, assay.compare_variants(log, "ctr@10").differences))
    assert "1 search without a variant are left out." in outcome.notes or any(
        "without a variant" in note for note in outcome.notes
    )


def test_the_order_of_lines_changes_nothing():
    log = experiment()
    for how in (ExperimentOptions(), ExperimentOptions(sequential=True, window=0.01)):
        assert (
            assay.compare_variants(log[::-1], "ctr@10", how).to_dict()
            == assay.compare_variants(log, "ctr@10", how).to_dict()
        )


def test_a_sequential_test_counts_searches_within_the_window():
    log = [*experiment(100), *({**each, "time": each["time"] + 5 * DAY, "clicks": []} for each in experiment(100, seed=1))]
    outcome = assay.compare_variants(log, "ctr@10", ExperimentOptions(sequential=True))
    first_day = sums(experiment(100))
    means = [float((first_day[name][0] / first_day[name][1]).mean()) for name in ("control", "dense")]
    each = outcome.differences[0]
    assert (each.value_a, each.value_b, each.method) == pytest.approx((*means, "betting"))
    assert each.low < each.difference < each.high
    late = [*log, searches("late", "dense", 4, day=5)]
    assert assay.compare_variants(late, "ctr@10", ExperimentOptions(sequential=True)).variants[1].users == 50


@pytest.mark.parametrize(
    ("log", "metrics", "how", "message"),
    [
        ([searches("a", "x", 1), searches("b", "x", 1)], "ctr@10", {}, "expected at least 2 variants, found only x"),
        ([searches("a", "x", 1), searches("b", "y", 1)], "ctr@10", {}, "the variant x has only 1 user"),
        ([searches("a", "", 1)], "ctr@10", {}, "no search in the experiment has a variant"),
        ([{"user": "a", "query": "q", "shown": ["d"], "clicks": []}], "ctr@10", {}, "found no column with the variant"),
        (experiment(20), "ndcg@10", {}, "ndcg@10 does not read search logs"),
        (experiment(20), "dwell_p50", {}, "a percentile of times"),
        (experiment(20), "clicked_rank", {"sequential": True}, "clicked_rank has no upper bound"),
        (experiment(20), "ctr@10", {"control": "dens"}, "Did you mean dense"),
        (experiment(20), "ctr@10", {"split": "50,25,25"}, "an unequal split must name the variants"),
        (experiment(20), "ctr@10", {"split": "50,50,50"}, "the split has 3 shares, but the log has the variants"),
        (experiment(20), "ctr@10", {"split": "control=50,x=50"}, "no user in the log has the variant x of the split"),
        (experiment(20), "ctr@10", {"split": "control=0,dense=1"}, "a number above 0 for each variant"),
        (experiment(20), "ctr@10", {"split": "half"}, "the split must"),
        (experiment(20), "ctr@10", {"start": "monday"}, "the start must be a time such as"),
        (experiment(20), "ctr@10", {"start": "2027-01-01"}, "no search in the experiment has a variant"),
        (experiment(20), "ctr@10", {"window": 0}, "the window must be a number of hours above 0"),
        (experiment(20), "ctr@10", {"alpha": 0}, "alpha must be a number between 0 and 1"),
    ],
)
def test_wrong_input(log, metrics, how, message):
    with pytest.raises(AssayError, match=message):
        assay.compare_variants(log, metrics, ExperimentOptions(**how))


def test_a_missing_earlier_period_is_noted_and_nothing_is_adjusted():
    log = experiment()
    outcome = assay.compare_variants(log, "ctr@10", ExperimentOptions(start="2020-01-01"))
    assert list(map(astuple, outcome.differences)) == list(map(astuple, assay.compare_variants(log, "ctr@10").differences))
    assert "No user of the experiment has a search before 2020-01-01, so no value is adjusted." in outcome.notes


def test_a_metric_without_data_is_not_tested():
    outcome = assay.compare_variants(experiment(40), "satisfied_click@5")
    assert outcome.verdict == "satisfied_click@5 of dense cannot be compared, because the log does not have what it needs."


def test_a_user_who_saw_all_results_has_no_error():
    """Without this user there is no ratio, so nothing is known about how much it varies."""
    alone = Ratio.of(np.array([3.0, 0.0]), np.array([10.0, 0.0]))
    assert alone.value == 0.3
    estimate = ratio_difference(alone, Ratio.of(np.array([1.0, 2.0]), np.array([10.0, 10.0])), 0.95)
    assert estimate.value == pytest.approx(-0.15)
    assert np.isnan([estimate.low, estimate.high, estimate.p]).all()


def test_the_note_on_the_adjustment_names_variants_if_there_are_several():
    log = experiment(days=range(-1, 1))
    more = [{**each, "user": f"v{each['user']}", "variant": "other"} for each in log if each["variant"] == "control"]
    how = ExperimentOptions(start="2026-02-02")
    alone, several = (assay.compare_variants(rows, "ctr@10", how).notes for rows in (log, log + more))
    assert any(re.search(r"removes variance: ctr@10 \d+ %\.$", note) for note in alone)
    assert any(re.search(r"ctr@10 of dense \d+ %, ctr@10 of other \d+ %\.$", note) for note in several)


def test_searches_without_a_variant_may_be_the_control():
    log = [{**each, "variant": "" if each["variant"] == "control" else "dense"} for each in experiment()]
    with pytest.raises(AssayError, match=r"found only dense; .* searches without a variant are left out\. If these are the"):
        assay.compare_variants(log, "ctr@10")


def test_a_start_may_be_a_date():
    log = experiment(days=range(-1, 1))
    as_text, as_date = (ExperimentOptions(start=start) for start in ("2026-02-02", date(2026, 2, 2)))
    assert as_date.start_time == as_text.start_time
    dated, written = (assay.compare_variants(log, "ctr@10", how).to_dict() for how in (as_date, as_text))
    assert dated == written
    assert as_date.to_dict()["start"] == "2026-02-02"
    with pytest.raises(AssayError, match="the start must be a time such as"):
        ExperimentOptions(start=20260202)


def test_an_experiment_in_a_notebook_is_its_verdict():
    outcome = assay.compare_variants(experiment(), "ctr@10")
    assert repr(outcome) == f"Experiment({outcome.verdict})"


def test_few_users_have_a_note_unless_the_interval_holds_for_any_number():
    assert any("fewer than 200 users" in note for note in assay.compare_variants(experiment(), "ctr@10").notes)
    sequential = assay.compare_variants(experiment(), "ctr@10", ExperimentOptions(sequential=True, window=0.01))
    assert not any("fewer than" in note for note in sequential.notes)
