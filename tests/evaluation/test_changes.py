"""Changes: what is not as it was, in words that people use."""

import pytest

from assay.execution.checkpoint import describe_changes, has_changed_files

BEFORE = {
    "plan": {
        "k": 100,
        "metrics": ["mrr", "map"],
        "providers": [{"provider": "bm25"}],
        "policy": {"rel": None},
        "graded": True,
    },
    "providers": ["bm25"],
    "files": {"slow1.py": "a1b2"},
    "datasets": {"small.json": {"queries": "1", "documents": "2"}},
    "versions": {"numpy": "1.0"},
}


@pytest.mark.parametrize(
    ("place", "change", "told"),
    [
        ("plan", {"k": 50}, "k was 100, is 50"),
        ("plan", {"metrics": ["mrr"]}, "metrics were mrr, map, are mrr"),
        ("plan", {"policy": {"rel": 2}}, "rel was not set, is 2"),
        ("plan", {"graded": False}, "graded was on, is off"),
        ("plan", {"chunkers": ["fixed_lines"]}, "chunkers were not set, are fixed_lines"),
        ("plan", {"providers": [{"provider": "bm25", "k1": 2}]}, "the settings of the providers have changed"),
        ("files", {"slow1.py": "c3d4"}, "slow1.py has changed since"),
        ("files", {"more.py": "c3d4"}, "more.py was not used before"),
        (
            "datasets",
            {"small.json": {"queries": "3", "documents": "4"}},
            "the queries and documents of small.json have changed since",
        ),
        ("versions", {"numpy": "2.0"}, "numpy was 1.0, is 2.0"),
    ],
)
def test_each_change_is_told_without_hashes_and_dumps(place, change, told):
    assert describe_changes(BEFORE, {**BEFORE, place: {**BEFORE[place], **change}}) == [told]


def test_providers_go_by_their_names():
    other = {**BEFORE, "plan": {**BEFORE["plan"], "providers": [{"provider": "dense"}]}, "providers": ["bm25", "dense"]}
    assert describe_changes(BEFORE, other) == ["providers were bm25, are bm25, dense"]


def test_what_is_the_same_is_not_told():
    assert describe_changes(BEFORE, BEFORE) == []


def test_a_file_that_is_not_there_any_more():
    assert describe_changes(BEFORE, {**BEFORE, "files": {}}) == ["slow1.py is not used any more"]
    assert has_changed_files(BEFORE, {**BEFORE, "files": {}})
    assert not has_changed_files(BEFORE, {**BEFORE, "providers": []})
