"""wrongly_skipped: queries that needed retrieval and were denied it, as a percentage of all queries."""

import math

from ._routing import FOUR, gate


def test_by_hand():
    """One of four."""
    assert gate("wrongly_skipped", *FOUR).array("wrongly_skipped").tolist() == [0.0, 100.0, 0.0, 0.0]
    assert gate("wrongly_skipped", *FOUR)["wrongly_skipped"] == 25.0


def test_who_did_not_report_is_neither_praised_nor_blamed():
    found = gate("wrongly_skipped", (True, True), (None, True))
    assert found["wrongly_skipped"] == 100.0
    assert math.isnan(found.scores("wrongly_skipped")["q2"])
