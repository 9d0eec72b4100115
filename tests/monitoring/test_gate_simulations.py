"""The programs that simulate the gate use the functions of the gate, or give what these give."""

import numpy as np
import pytest
from benchmarks._gate_scenarios import EQUAL_SHAPES, SHAPES, draw
from benchmarks.simulate_gate import first_alarms

from assay.monitoring import BETS, weigh
from assay.stats import gaffke_p, sign_flip_p


@pytest.mark.parametrize("shape", SHAPES)
def test_many_experiments_at_once_are_single_ones(shape):
    experiments = draw(shape, 0.5, 0.05, 60, 40, 9)
    rows = [experiments.row(place) for place in range(40)]
    assert all(len(row) == 60 for row in rows)
    assert experiments.mean == pytest.approx([row.mean() for row in rows])
    assert experiments.gaffke(0.05) == pytest.approx([gaffke_p(row, 0.05) for row in rows], rel=1e-8)


@pytest.mark.parametrize("shape", EQUAL_SHAPES)
@pytest.mark.parametrize("alpha", [0.025, 0.0005])
@pytest.mark.parametrize(("n", "share"), [(12, 0.5), (60, 0.5), (150, 0.9)])
def test_a_quick_estimate_never_replaces_a_close_test(shape, alpha, n, share):
    experiments = draw(shape, share, min(0.2, 2 / n if alpha > 0.01 else 4 / n), n, 60, 10)
    expected = [sign_flip_p(experiments.row(place), "less") <= alpha for place in range(60)]
    assert experiments.is_shown_worse(alpha).tolist() == expected


@pytest.mark.parametrize("shape", SHAPES)
def test_scenarios_have_their_drop(shape):
    experiments = draw(shape, 0.9, 0.05, 200, 2000, 11)
    assert experiments.mean.mean() == pytest.approx(-0.05, abs=4 * experiments.mean.std() / np.sqrt(2000))


def test_the_evidence_of_nights_is_that_of_the_gate():
    """The first night at which `weigh` gives an alarm and a drop above the margin."""
    alarms = first_alarms(0.5, 0.05, 12, 5)
    for series in range(5):
        nights, found = [], np.inf
        for night in range(12):
            row = draw("reciprocal rank", 0.5, 0.05, 200, 5, 100 + night).row(series)
            logs = np.log1p(-np.outer(BETS, row)).sum(axis=1).tolist()
            nights.append((logs, float(row.sum()), 200))
            weighed = weigh(nights)
            if weighed.is_alarm and weighed.drop > 0.02:
                found = night + 1
                break
        assert alarms[series] == found
