"""TurnIds: evidence is mended where one turn alone can be meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.formats.locomo import TurnIds

TURNS = TurnIds(["D1:3", "D11:26", "D30:5", "intro", "D7:1", "D7:01", "D 9:9"])


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (["D1:3"], ["D1:3"]),
        (["D1:3; D30:5"], ["D1:3", "D30:5"]),
        (["D1:3 D30:5 D11:26"], ["D1:3", "D30:5", "D11:26"]),
        (["D1:3,D30:5"], ["D1:3", "D30:5"]),
        (["D:11:26"], ["D11:26"]),
        (["D30:05"], ["D30:5"]),
        (["d1:3"], ["D1:3"]),
        (["1:3"], ["D1:3"]),
        (["(D1:3)"], ["D1:3"]),
        ([" D1:3\n"], ["D1:3"]),
        (["D1 : 3"], ["D1:3"]),
        ([[["D1:3"]], "intro"], ["D1:3", "intro"]),
        ("D1:3", ["D1:3"]),
        (["D7:01"], ["D7:01"]),
        (["D 9:9"], ["D 9:9"]),
        (["D1:3", "D1:3"], ["D1:3"]),
    ],
)
def test_what_can_only_mean_one_turn_is_found(value, found):
    evidence = TURNS.read(value)
    assert (evidence.turns, evidence.lost) == (found, [])
    assert bool(evidence.mended) == (value != found)


@pytest.mark.parametrize("value", ["D", "D2:2", "D7:001", "", " ", "D1:3x", "D" + "9" * 5000 + ":1", "D1:²"])
def test_what_means_no_turn_or_several_is_lost(value):
    evidence = TURNS.read([value])
    assert (evidence.turns, evidence.mended) == ([], [])
    assert len(evidence.lost) == 1


@pytest.mark.parametrize("value", [7, None, {"id": "D1:3"}, True])
def test_what_is_no_text_is_lost(value):
    assert TURNS.read([value]).lost == [f"{value!r} in the evidence is no id"]


def test_a_part_that_is_lost_does_not_take_the_rest_with_it():
    evidence = TURNS.read(["D1:3; D2:2"])
    assert evidence.turns == ["D1:3"]
    assert evidence.lost == ["evidence 'D2:2' names no turn of the conversation"]


def test_lists_in_lists_without_end_are_read():
    value = ["D1:3"]
    for _ in range(5000):
        value = [value]
    assert TURNS.read(value).turns == ["D1:3"]


@given(st.lists(st.text(alphabet="Dd:;, 0123\n", max_size=12)))
def test_only_known_turns_are_found_and_every_item_counts(items):
    evidence = TURNS.read(items)
    assert set(evidence.turns) <= {"D1:3", "D11:26", "D30:5", "intro", "D7:1", "D7:01", "D 9:9"}
    assert len(evidence.turns) + len(evidence.mended) + len(evidence.lost) >= len(items)


@pytest.mark.parametrize("item", ["D1:1/D1:2", "D1:1&D1:2", "D1:1 & D1:2", "D1:1-D1:2", "1:1-1:2"])
def test_pairs_that_can_mean_nothing_else(item):
    found = TurnIds(["D1:1", "D1:2", "D1:3"]).read([item])
    assert (found.turns, found.lost, len(found.mended)) == (["D1:1", "D1:2"], [], 1)


@pytest.mark.parametrize("item", ["D1:1-D1:3", "D1:1/D9:9", "D1:1-D2:1", "D1:2-D1:1", "/", "-"])
def test_pairs_that_may_mean_more_are_lost(item):
    found = TurnIds(["D1:1", "D1:2", "D1:3", "D2:1"]).read([item])
    assert (found.turns, len(found.lost)) == ([], 1)
