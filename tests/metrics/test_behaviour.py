"""What users did with results: the metrics of a search log, worked out by hand."""

from __future__ import annotations

import pytest

from assay import evaluate_log

QUIET = {"user": "u1", "query": "fish", "time": 1_000_010, "shown": [], "clicks": []}
LOG = [
    {
        "user": "ana",
        "query": "cats",
        "time": 1_000_000,
        "shown": ["d1", "d2", "d3"],
        "clicks": [{"doc": "d2", "time": 1_000_005, "dwell": 40}],
    },
    {"user": "ana", "query": "cats dogs", "time": 1_000_060, "shown": ["d1", "d2", "d3"], "clicks": []},
    QUIET,
    {
        "user": "eve",
        "query": "cats",
        "time": 1_000_020,
        "shown": ["d1", "d3"],
        "clicks": [{"doc": "d1", "time": 1_000_022, "dwell": 10}, {"doc": "d9", "time": 1_000_042, "dwell": 99}],
    },
]
"""Eight shown documents in three searches, and one search without results. d9 was not shown, so its click does not count."""
WORKED_OUT = [  # metric, value
    ("ctr@10", 2 / 8),
    ("ctr@1", 1 / 3),
    ("first_click_mrr", (1 / 2 + 1) / 3),
    ("clicked_rank", 3 / 2),
    ("abandonment", 1 / 3),
    ("zero_results", 1 / 4),
    ("reformulation", 1 / 4),
    ("reformulation(seconds=59)", 0),  # the next query came after 60 seconds
    ("satisfied_click@10", 1 / 3),
    ("satisfied_click@1", 0),
    ("satisfied_click(seconds=10)@1", 1 / 3),
    ("skip_rate", 1 / 3),  # ranks 1 and 2, of which 2 was clicked; and rank 1
    # dwell times of 10 and 40 seconds: the first fifth of 10…11, its end, and 80 % of the bin of 40
    ("dwell_p10", 10.2),
    ("dwell_p50", 11.0),
    ("dwell_p90", 20 * 1.05**14 * (1 + 0.8 * 0.05)),
    # first clicks after 2 and 5 seconds
    ("time_to_click_p50", 3.0),
    ("time_to_click_p90", 5.8),
]


@pytest.mark.parametrize(("metric", "value"), WORKED_OUT)
def test_by_hand(metric, value):
    assert evaluate_log(LOG, [metric])[metric] == pytest.approx(value)
