"""The whole result as JSON."""

import json

import pytest

from ._results import HOSTILE, POOR, hostile_results, pair, rendered, result


def read(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_schema():
    content = read(rendered("json", pair(["map", "relstring"])))
    assert list(content) == ["schema", "results"]
    assert content["schema"] == "assay.result/1"
    assert [list(entry) for entry in content["results"]] == [
        ["name", "summary", "counts", "policy", "missing", "notes", "per_query"]
    ] * 2
    assert content["results"][1] == {
        "name": "poor",
        "summary": {"map": 0.125},
        "counts": {"judged": 2, "scored": 2, "missing": 1, "without_relevant": 0, "extra": 0},
        "policy": {
            "ties": "docid_desc",
            "missing": "zero",
            "extra": "skip",
            "no_relevant": "zero",
            "rel": None,
            "judged_only": False,
            "max_grade": 2.0,
            "duplicates": "error",
        },
        "missing": ["q2"],
        "notes": [],
        "per_query": {"q1": {"map": 0.25, "relstring@10": "02"}, "q2": {"map": 0.0, "relstring@10": ""}},
    }


@pytest.mark.parametrize("per_query", [False, True])
def test_it_is_what_to_dict_says(per_query):
    results = pair(["all_trec"])
    assert read(rendered("json", results, per_query=per_query))["results"] == [result.to_dict() for result in results]


def test_numbers_keep_every_digit():
    run = {"q1": {"d2": 3.0, "x": 2.0, "d1": 1.0}}
    assert read(rendered("json", [result("r", run, ["map"])]))["results"][0]["summary"]["map"] == 1 / 3 / 2 / 2


def test_fewer_digits_where_they_are_asked_for():
    run = {"q1": {"d2": 3.0, "x": 2.0, "d1": 1.0}}
    (entry,) = read(rendered("json", [result("r", run, ["map", "relstring"])], digits=3))["results"]
    assert entry["summary"] == {"map": 0.083}
    assert entry["per_query"]["q1"] == {"map": 0.167, "relstring@10": "0-2"}


def test_nothing_scored_is_null():
    (entry,) = read(rendered("json", [result("r", POOR, ["map", "num_q"], rel=9, no_relevant="skip")]))["results"]
    assert entry["summary"] == {"map": None, "num_q": None}
    assert entry["per_query"] == {}


def test_hostile_text_reads_back_exactly():
    content = read(rendered("json", hostile_results()))
    assert [entry["name"] for entry in content["results"]] == list(HOSTILE)
    assert all(list(entry["per_query"]) == list(HOSTILE) for entry in content["results"])


def test_people_can_read_it_in_their_own_script():
    assert "東京タワー" in rendered("json", hostile_results())
