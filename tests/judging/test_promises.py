"""What the page on judging promises about error rates, simulated with fewer experiments than its tables."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytestmark = pytest.mark.slow
REPEATS = 1_000


def grace(share: float) -> float:
    """Two standard errors of a simulated share."""
    return 2 * float(np.sqrt(share * (1 - share) / REPEATS))


@pytest.fixture
def simulation(monkeypatch):
    from benchmarks import simulate_judging

    monkeypatch.setattr(simulate_judging, "REPEATS", REPEATS)
    return simulate_judging


def coverages(table: str) -> list[list[float]]:
    """The cells with per cent of each row, as shares."""
    rows = [re.findall(r"(\d+\.\d) %", line) for line in table.splitlines()[2:]]
    return [[float(cell) / 100 for cell in row] for row in rows]


def test_spread_pairs_cover_the_truth(simulation):
    for *row, alike in coverages(simulation.pairs_table()):
        assert all(0.93 - grace(0.93) <= share <= 0.97 + grace(0.97) for share in row), row
        assert alike >= 0.93 - grace(0.93)  # systems that are nearly alike: the intervals may be too wide, but not too short


@pytest.mark.parametrize(
    ("kind", "lead"),
    [("families of systems", 0.1), ("some systems are unusual", 0.1), ("all systems are equally alike", 0.06)],
)
def test_spread_orders_systems_better_than_depth(simulation, monkeypatch, kind, lead):
    """Kendall's τ from 300 judgments of 16 systems on 100 queries."""
    monkeypatch.setattr(simulation, "CAMPAIGNS", 40)
    monkeypatch.setattr(simulation, "BUDGETS", (300,))
    outcomes = simulation._outcomes(kind)
    gap = (outcomes[simulation.ESTIMATOR] - outcomes["`depth`"])[0, 0]
    assert gap.mean() >= lead - 2 * gap.std(ddof=1) / np.sqrt(len(gap))


def test_whole_queries_cover_the_truth(simulation):
    table = simulation.queries_table()
    for line, row in zip(table.splitlines()[2:], coverages(table), strict=True):
        highest = 1.0 if "success" in line else 0.97 + grace(0.97)  # a good model on few 0/1 scores may cover more
        assert all(0.93 - grace(0.93) <= share <= highest for share in row), line


def test_equal_systems_are_rarely_called_different(simulation):
    for students_t, _ in coverages(simulation.tests_table()):
        assert students_t <= 0.06 + grace(0.06)
