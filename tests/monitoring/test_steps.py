"""Steps and spikes in series: how often noise is taken for news, and how soon news is noticed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.monitoring import watch_series

NIGHTS = 60


def noise(n, seed, level=0.8, sd=0.01):
    return level + sd * np.random.default_rng(seed).standard_normal((n, NIGHTS))


@pytest.mark.parametrize(("level", "sd"), [(0.8, 0.01), (250.0, 20.0)])
def test_at_most_5_of_100_flat_series_raise_any_alarm(level, sd):
    raised = [bool(watch_series(series).alarms) for series in noise(1200, 1, level, sd).tolist()]
    assert np.mean(raised) <= 0.05


@pytest.mark.parametrize("sign", [1, -1])
def test_a_step_of_three_sigma_is_found_within_5_nights_in_95_of_100(sign):
    """At a random night from the 21st on; series in which noise alone has alarmed before are left out."""
    series = noise(700, 2)
    begins = np.random.default_rng(3).integers(20, 55, len(series))
    found, near = [], []
    for values, begin in zip(series, begins.tolist(), strict=True):
        values[begin:] += sign * 3 * 0.01
        steps = watch_series(values.tolist()).steps
        if any(step.noticed < begin for step in steps):
            continue
        soon = [step for step in steps if step.noticed < begin + 5]
        found.append(bool(soon))
        near += [abs(step.place - begin) for step in soon[:1]]
    assert np.mean(found) >= 0.95
    assert np.mean(np.array(near) <= 2) >= 0.95
    assert len(found) > 650


def test_nothing_is_known_later_than_it_was_noticed():
    """Cutting a series off after an alarm does not change the alarm: nothing looks ahead."""
    values = noise(1, 4)[0]
    values[30:] -= 0.04
    (step,) = watch_series(values.tolist()).steps
    assert watch_series(values[: step.noticed + 1].tolist()).steps[-1].place == step.place
    assert not watch_series(values[: step.noticed].tolist()).steps


def test_a_steady_series_that_moves():
    (step,) = watch_series([0.8] * 30 + [0.79] * 10).alarms
    assert (step.is_step, step.place) == (True, 30)
    assert (step.before, step.after) == (pytest.approx(0.8), pytest.approx(0.79))
    assert step.noticed <= 33


def test_one_wild_night_is_a_spike_and_no_step():
    (spike,) = watch_series([0.8, 0.81] * 15 + [0.4] + [0.8, 0.81] * 10).alarms
    assert (spike.is_step, spike.place, spike.after) == (False, 30, 0.4)


def test_several_steps():
    noisy = noise(1, 5)[0]
    noisy[20:] += 0.08
    noisy[40:] -= 0.12
    assert [step.place for step in watch_series(noisy.tolist()).steps] == [20, 40]


def test_changes_too_small_to_matter():
    assert watch_series([0.8] * 30 + [0.8005] * 30).alarms == ()


def test_gaps_are_passed_over():
    values = [0.8, math.nan, 0.8] * 10 + [math.nan] + [0.5] * 6
    (step,) = watch_series(values).alarms
    assert step.place == 31


@pytest.mark.parametrize("n", [0, 1, 9, 10])
def test_too_few_points_say_so(n):
    found = watch_series([0.5] * n)
    assert found.alarms == ()
    assert "at least 11 are needed" in found.doubt
    assert watch_series([0.5] * 11).doubt == ""


def test_what_least_may_be():
    with pytest.raises(BadParameter):
        watch_series([1.0] * 20, least=1)


@given(st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), max_size=80), st.floats(0.01, 100), st.booleans())
def test_any_series_is_survived_and_scale_does_not_matter(values, scale, is_reversed):
    found = watch_series(values)
    assert all(math.isfinite(values[alarm.place]) and alarm.place <= alarm.noticed for alarm in found.alarms)
    assert found.n == sum(map(math.isfinite, values))
