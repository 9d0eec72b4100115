"""Letters for any number of systems."""

import pytest

from assay.comparison.comparison import beaten_by, compare_results, letter, letters_of
from assay.comparison.options import ComparisonOptions

from ._systems import ladder


@pytest.mark.parametrize(
    ("number", "text"), [(0, "a"), (25, "z"), (26, "aa"), (27, "ab"), (51, "az"), (52, "ba"), (701, "zz"), (702, "aaa")]
)
def test_letters_go_on_after_z(number, text):
    assert letter(number) == text


def test_no_two_systems_share_a_letter():
    assert len({letter(number) for number in range(2000)}) == 2000


@pytest.mark.parametrize(
    ("numbers", "n_systems", "text"),
    [
        ((), 3, ""),
        ((0, 1), 3, "ab"),
        ((0, 1, 2), 5, "abc"),
        ((0, 1, 2, 3), 5, "a–d"),
        ((0, 1, 2, 3, 6), 8, "a–d,g"),
        ((3, 0), 5, "ad"),
        ((0, 26), 30, "a,aa"),
        (tuple(range(29)), 30, "a–ac"),
    ],
)
def test_stretches_and_commas(numbers, n_systems, text):
    assert letters_of(numbers, n_systems) == text


def test_thirty_systems_each_beat_all_before():
    comparison = compare_results(ladder(30, 60), ComparisonOptions(test="paired_t"))
    assert len(comparison.pairs) == 435
    assert beaten_by(comparison, "map") == {f"s{number + 1}": tuple(range(number)) for number in range(30)}


def test_what_is_not_shown_has_no_letter():
    comparison = compare_results(ladder(3, 2))
    assert set(beaten_by(comparison, "map").values()) == {()}
