"""Changes in series: marked on their night, told from noise, and said to hold beyond the queries only if a test shows it."""

import math

import numpy as np
import pytest
import scipy.stats
from benchmarks.simulate_steps import (
    drift,
    flat,
    flat_hits,
    neutral_changes,
    normal_times,
    simulate,
    simulate_times,
    slower_times,
    step,
)
from hypothesis import given
from hypothesis import strategies as st

from assay.comparison import decide
from assay.metrics import find_metric
from assay.model import Column
from assay.monitoring import Measured, watch_series

HITS = Measured(n_queries=50, width=1.0)


def hits(n_hits):
    """50 queries: so many hits, then misses, and the last one with 0.6."""
    return np.array([1.0] * n_hits + [0.0] * (49 - n_hits) + [0.6])


def watched(nights, measured=HITS, **more):
    return watch_series([float(np.nanmean(night)) for night in nights], nights, measured, **more)


def test_a_drop_is_marked_on_its_night():
    """0.732 to 0.592 after eight equal nights: seven of 50 queries are lost. Seven signs are equal in 2 of 2⁷ cases."""
    nights = [hits(36)] * 8 + [np.where(np.arange(50) < 7, 0.0, hits(36))]
    (alarm,) = watched(nights).alarms
    assert (alarm.place, alarm.earlier, alarm.kind) == (8, 7, "step")
    assert (alarm.before, alarm.after) == pytest.approx((0.732, 0.592))
    assert alarm.p == pytest.approx(2 / 2**7 * 0.05 / 0.03)
    assert alarm.is_shown
    assert alarm.differences.tolist() == [-1.0] * 7 + [0.0] * 43
    assert watched([*nights, nights[-1], nights[-1]]).alarms[0][:4] == alarm[:4], "later nights change nothing"


def test_each_further_look_within_60_nights_spends_less():
    """The second look has a quarter of the first: ten signs, 2/2¹⁰ · 5/3 · 4."""
    before, after, last = hits(40), hits(30), hits(20)
    first, second = watched([before] * 5 + [after] * 5 + [last]).alarms
    assert first.p == pytest.approx(2 / 2**10 * 5 / 3)
    assert second.p == pytest.approx(2 / 2**10 * 5 / 3 * 4)
    _, late = watched([before] * 5 + [after] * 60 + [last]).alarms
    assert late.p == pytest.approx(2 / 2**10 * 5 / 3), "the first look is 60 nights old"


def test_a_change_of_one_query_is_seen_but_not_shown():
    (alarm,) = watched([hits(36)] * 5 + [hits(35)] * 3).alarms
    assert (alarm.place, alarm.p, alarm.is_shown) == (5, 1.0, False)
    assert (alarm.before, alarm.after) == pytest.approx((0.732, 0.712))
    assert watched([hits(36)] * 5 + [hits(36) + 1e-13] * 3).alarms == (), "rounding is no change"


def test_small_changes_in_one_direction_add_up():
    """Each change loses two queries. One of them is shown: against the mean since the last step, not against last night."""
    nights = [hits(n) for n in (40, 38, 36, 34, 32, 30, 28) for _ in range(6)]
    shown = [alarm for alarm in watched(nights).alarms if alarm.is_shown]
    assert [alarm.kind for alarm in shown] == ["step"]
    assert shown[0].before > np.mean(nights[shown[0].earlier])


def test_one_night_and_back_is_a_spike():
    (alarm,) = watched([hits(36)] * 8 + [hits(20)] + [hits(36)] * 8).alarms
    assert (alarm.place, alarm.kind) == (8, "spike")
    noisy = [0.80, 0.81, 0.79, 0.80, 0.82, 0.81, 0.80, 0.79, 0.80]
    (alarm,) = watch_series([*noisy, 0.3, *noisy], measured=HITS).alarms
    assert (alarm.place, alarm.kind, alarm.after) == (9, "spike", 0.3)


def test_a_recorded_change_is_marked_before_a_system_is_known_to_be_steady():
    nights = [hits(36), hits(35)]
    assert watched(nights).alarms == ()
    assert watched(nights, has_recorded_change=lambda before, now: (before, now) == (0, 1)).alarms[0].place == 1


@pytest.mark.parametrize(("n_equal", "least"), [(2, 4), (3, 4), (4, 4), (5, 1)])
def test_two_equal_nights_are_enough_for_a_change_of_four_queries(n_equal, least):
    """A single query is a change after five equal nights; before that it may be noise."""
    (alarm,) = watched([hits(36)] * n_equal + [hits(36 - least)]).alarms
    assert (alarm.place, alarm.kind, alarm.is_shown) == (n_equal, "step", False)
    assert np.count_nonzero(alarm.differences) == least
    assert watched([hits(36)] * n_equal + [hits(36 - least + 1)]).alarms == ()


def test_a_system_that_always_repeats_itself_is_marked_at_each_change():
    nights = [hits(36)] * 2 + [hits(32)] * 2 + [hits(36)] * 2
    assert [alarm.place for alarm in watched(nights).alarms] == [2, 4]
    assert [alarm.kind for alarm in watched([hits(36)] * 2 + [hits(32), hits(36)]).alarms] == ["spike"]


def test_two_nights_are_enough_for_a_large_change():
    """Eleven equal signs: p = 2/2¹¹ is below 0.001; ten are not enough. The correction is 50."""
    (alarm,) = watched([hits(40), hits(29)]).alarms
    assert alarm.p == pytest.approx(2 / 2**11 * 50)
    assert watched([hits(40), hits(30)]).alarms == ()


def limit(values, n_queries):
    """The chart of the docs, with scipy."""
    k = len(values)
    t = scipy.stats.t.ppf(1 - 0.025 / 118, k - 1)
    return t * math.sqrt(np.var(values, ddof=1) + (0.5 / n_queries) ** 2) * math.sqrt(1 + 1 / k)


@pytest.mark.parametrize("k", [8, 15, 40])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_chart_of_noisy_nights(k, sign):
    values = np.random.default_rng(k).normal(0.8, 0.01, k)
    edge = sign * limit(values, 50)
    for share, n_alarms in ((0.999, 0), (1.001, 1)):
        series = [*values, values.mean() + share * edge]
        alarms = watch_series(series, measured=HITS).alarms
        assert [alarm.place for alarm in alarms] == [k] * n_alarms
    assert alarms[0].before == pytest.approx(values.mean())
    assert watch_series([*values[:7], 0.1], measured=HITS).alarms == (), "eight nights are needed"


def test_a_slow_drift_is_one_alarm():
    rng = np.random.default_rng(4)
    values = 0.8 - 0.10 * np.arange(60) / 59 + rng.normal(0, 0.004, 60)
    (alarm,) = watch_series(values.tolist(), measured=Measured(200, 1.0)).alarms
    assert alarm.kind == "drift"
    assert alarm.after < alarm.before


def test_times_are_compared_by_their_logarithms():
    """One slow night may be chance; the second is not, and one that is ten times as slow is not either."""
    rng = np.random.default_rng(8)
    slow = 120 * np.r_[rng.lognormal(0, 0.05, 30), rng.lognormal(0.4, 0.05, 5)]
    (alarm,) = watch_series(slow.tolist(), measured=Measured(is_timing=True)).alarms
    assert (alarm.place, alarm.earlier) == (31, 30)
    assert alarm.before == pytest.approx(np.exp(np.log(slow[:30]).mean()))
    assert math.isnan(alarm.p)
    once = watch_series([*slow[:31], *slow[:5]], measured=Measured(is_timing=True))
    assert once.alarms == ()
    assert watch_series([*slow[:30], 1200.0], measured=Measured(is_timing=True)).alarms[0].place == 30
    assert watch_series([20.0] * 12 + [0.0], measured=Measured(is_timing=True)).alarms[0].after == 0.0, "no logarithm of 0"


def test_undefined_scores_and_gaps():
    """A query that becomes undefined is a change; a night without a value is skipped."""
    nights = [hits(36)] * 6
    undefined = np.where(np.arange(50) == 3, np.nan, hits(36))
    (alarm,) = watched([*nights, undefined]).alarms
    assert np.isnan(alarm.differences[3])
    assert watched([*nights, undefined, undefined]).alarms[0].place == 6
    gap = [*nights, np.full(50, np.nan), hits(20)]
    (alarm,) = watch_series([0.732] * 6 + [math.nan, 0.412], gap, HITS).alarms
    assert (alarm.place, alarm.earlier) == (7, 5)


def test_without_a_mean_there_is_no_test():
    nights = [hits(36)] * 4 + [hits(20)]
    (alarm,) = watched(nights, Measured(is_mean=False)).alarms
    assert math.isnan(alarm.p)
    assert not alarm.is_shown


def test_the_test_is_that_of_every_comparison():
    rng = np.random.default_rng(3)
    before, now = 1 / rng.geometric(0.6, 48), 1 / rng.geometric(0.5, 48)
    (alarm,) = watched([before] * 6 + [now], Measured(48, 1.0)).alarms
    metric = find_metric("mrr")
    pair = decide(metric, *(Column.of(scores, metric.metric.aggregation) for scores in (before, now)))
    assert alarm.p == pytest.approx(min(1.0, pair.p * 5 / 3))


def test_what_cannot_be_detected_yet_is_said():
    assert watch_series([0.5]).doubt == "1 point, but detecting a change needs at least 2"
    assert watch_series([0.5, 0.6, 0.5]).doubt == "3 points, but detecting a change needs at least 9"
    noisy = "3 points; the system did not repeat itself, so small changes can be detected from 9 points on"
    assert watched([hits(20), hits(21), hits(20)]).doubt == noisy
    equal = "2 points, all equal; a change of fewer than 4 queries can be detected after 5 equal points"
    assert watched([hits(20)] * 2).doubt == equal
    for series in ([hits(20)] * 5, [hits(20), hits(21)] * 4, [hits(40), hits(20)]):
        assert watched(series).doubt == "", "steady, or nine points, or a change was marked"


@given(st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), max_size=80))
def test_any_series_is_survived(values):
    outcome = watch_series(values)
    assert all(math.isfinite(values[alarm.place]) and alarm.earlier < alarm.place for alarm in outcome.alarms)
    assert outcome.n == sum(map(math.isfinite, values))


def share(alarms_of_series, counts=lambda alarm: True):
    return np.mean([any(map(counts, alarms)) for alarms in alarms_of_series])


@pytest.mark.slow
@pytest.mark.parametrize("n", [48, 200])
def test_flat_series_rarely_alarm(n):
    """At most 5 %, with two standard errors of grace for 1,000 series."""
    assert share(simulate(flat(0), n, 100)) == 0
    assert share(simulate(neutral_changes, n, 1000), lambda alarm: alarm.is_shown) <= 0.064
    for noise in (0.05, 0.2):
        assert share(simulate(flat(noise), n, 1000)) <= 0.064, noise
        assert share(simulate(flat_hits(noise), n, 1000)) <= 0.064, noise
    assert share(simulate_times(normal_times, 1000)) <= 0.064
    assert share(simulate_times(slower_times, 1000), lambda alarm: alarm.place >= 30) >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize(("n", "least"), [(48, 0.75), (200, 0.95)])
def test_steps_are_found_on_their_night(n, least):
    for noise in (0.0, 0.05, 0.2):
        assert share(simulate(step(noise, 0.14), n, 300), lambda alarm: alarm.place == 30) >= least, noise


@pytest.mark.slow
def test_a_drift_is_found_and_raises_one_alarm():
    for noise in (0.05, 0.2):
        series = simulate(drift(noise, 0.10), 200, 200)
        assert share(series) >= 0.95
        assert np.mean([len(alarms) for alarms in series]) <= 1.3
