"""retrievals_saved: number of retrievals that were rightly skipped."""

from hypothesis import given

from ._routing import FOUR, decisions, gate


def test_by_hand():
    assert gate("retrievals_saved", *FOUR)["retrievals_saved"] == 1


@given(decisions)
def test_counts_what_the_efficiency_is_a_percentage_of(rows):
    assert gate("retrievals_saved", *rows)["retrievals_saved"] == sum(skipped > needed for skipped, needed in rows)
