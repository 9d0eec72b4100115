"""wasted_retrievals: retrievals that nobody needed, as a percentage of all queries."""

import math

from ._routing import FOUR, gate


def test_by_hand():
    """One of four."""
    assert gate("wasted_retrievals", *FOUR).array("wasted_retrievals").tolist() == [0.0, 0.0, 100.0, 0.0]
    assert gate("wasted_retrievals", *FOUR)["wasted_retrievals"] == 25.0


def test_less_is_better_and_unreported_queries_do_not_count():
    found = gate("wasted_retrievals", (False, False), (None, False))
    assert found["wasted_retrievals"] == 100.0
    assert math.isnan(found.scores("wasted_retrievals")["q2"])
    assert not found.metrics[0].metric.higher_is_better
