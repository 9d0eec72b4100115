"""The whole result as JSON."""

import json

import pytest

import assay

from ._results import HOSTILE, NOTHING, POOR, banded, hostile_results, pair, rendered, result


def read(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_schema():
    content = read(rendered("json", pair(["map", "relstring"])))
    assert list(content) == ["schema", "results"]
    assert content["schema"] == "assay.result/1"
    assert [list(entry) for entry in content["results"]] == [
        ["name", "summary", "counts", "policy", "missing", "notes", "ties", "fingerprints", "per_query"]
    ] * 2
    prints = content["results"][1].pop("fingerprints")
    assert prints.keys() == {"judgments", "rankings"}
    assert prints["judgments"] == content["results"][0]["fingerprints"]["judgments"]
    assert prints["rankings"] != content["results"][0]["fingerprints"]["rankings"]
    assert content["results"][1] == {
        "name": "poor",
        "summary": {"map": 0.125},
        "counts": {"judged": 2, "scored": 2, "missing": 1, "without_relevant": 0, "extra": 0, "constant": 0},
        "policy": {
            "ties": "docid_desc",
            "precision": "float64",
            "missing": "zero",
            "extra": "skip",
            "no_relevant": "zero",
            "rel": None,
            "judged_only": False,
            "negatives": "unjudged",
            "drop_self": False,
            "max_grade": 2.0,
            "duplicates": "error",
        },
        "missing": ["q2"],
        "notes": [],
        "ties": {"queries": 2, "undecided": 0, "in_top_10": 0, "at_cutoff": {}},
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


def test_rankings_have_a_line_each_and_lose_nothing():
    """A line for each document would be more blanks than content."""
    result = assay.run(assay.load_dataset("rag-template"), "bm25", ["mrr"])
    text = rendered("json", [result])
    plain = json.loads(text)["results"][0]
    assert plain["run"] == {query: dict(ranking) for query, ranking in result.run.items()}
    assert plain["relevant"] == {query: dict(result.relevant[query]) for query in result.query_ids}
    (line,) = [line for line in text.splitlines() if line.strip().startswith('"q01": {"')][:1]
    assert line.count(":") > 10
    assert len(text) < 0.8 * len(json.dumps(json.loads(text), indent=2, ensure_ascii=False))


def test_bands():
    tied, _ = read(rendered("json", banded()))["results"]
    mean = (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
    assert tied["tie_bands"] == {"mrr": {"min": 0.25, "mean": pytest.approx(mean), "max": 1.0, "method": "exact"}}
    assert tied["residuals"] == {"mrr": {"min": 0.25, "max": 1.0}}
    assert tied["ties"] == {"queries": 1, "undecided": 1, "in_top_10": 1, "at_cutoff": {}}
    tied, _ = read(rendered("json", banded(), digits=2))["results"]
    assert tied["tie_bands"]["mrr"]["mean"] == 0.52
    assert tied["per_query_bands"] == {
        "q": {"tie_bands": {"mrr": {"min": 0.25, "mean": 0.52, "max": 1.0}}, "residuals": {"mrr": {"min": 0.25, "max": 1.0}}}
    }


def test_bands_over_nothing_are_null():
    one = assay.evaluate({"q": {"a": 0}}, {}, "map", policy=NOTHING, tie_band=True, residuals=True)
    (entry,) = read(rendered("json", [one]))["results"]
    assert entry["tie_bands"]["map"]["mean"] is None
    assert entry["residuals"] == {"map": {"min": None, "max": None}}
    assert entry["per_query_bands"] == {}


def test_without_bands_there_is_no_key_for_them():
    (entry, _) = read(rendered("json", pair(["map"])))["results"]
    assert not {"tie_bands", "residuals", "per_query_bands"} & entry.keys()


def test_a_profile_and_what_it_does_otherwise():
    run = {"1": {"a": 1.0}}
    result = assay.evaluate({"1": {"a": 1}}, run, ["mrr@10", "map"], profile="beir", name="r")
    (entry,) = read(rendered("json", [result]))["results"]
    assert entry["profile"] == "beir"
    assert (entry["policies"]["mrr@10"]["ties"], entry["policies"]["map"]) == ("input_order", {})
