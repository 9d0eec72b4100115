"""The whole result as JSON."""

import json

import pytest

import assay
from assay.evaluation import read_results

from ._results import HOSTILE, NOTHING, banded, hostile_results, pair, rendered, result

THIRD = {"q1": {"d2": 3.0, "x": 2.0, "d1": 1.0}}


def read(results, **how):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(rendered("json", results, **how), parse_constant=refuse)


def test_the_schema():
    content = read(pair(["map", "relstring"]))
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
    run = {"1": {"a": 1.0}}
    (entry,) = read([assay.evaluate({"1": {"a": 1}}, run, ["mrr@10", "map"], profile="beir", name="r")])["results"]
    assert entry["profile"] == "beir"
    assert (entry["policies"]["mrr@10"]["ties"], entry["policies"]["map"]) == ("input_order", {})


def test_it_is_what_to_dict_says_with_every_digit_or_fewer():
    results = pair(["all_trec"])
    for per_query in (False, True):
        assert read(results, per_query=per_query)["results"] == [result.to_dict() for result in results]
    one = [result("r", THIRD, ["map", "relstring"])]
    assert read(one)["results"][0]["summary"]["map"] == 1 / 3 / 2 / 2
    content = read(one, digits=3, more={"beside": 1})
    assert (content["beside"], content["results"][0]["summary"]) == (1, {"map": 0.083})
    assert content["results"][0]["per_query"]["q1"] == {"map": 0.167, "relstring@10": "0-2"}


def test_hostile_text_reads_back_exactly_in_its_own_script():
    content = read(hostile_results())
    assert [entry["name"] for entry in content["results"]] == list(HOSTILE)
    assert all(list(entry["per_query"]) == list(HOSTILE) for entry in content["results"])
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


def test_bands(tmp_path):
    tied, _ = read(banded())["results"]
    mean = (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
    assert tied["tie_bands"] == {"mrr": {"min": 0.25, "mean": pytest.approx(mean), "max": 1.0, "method": "exact"}}
    assert tied["residuals"] == {"mrr": {"min": 0.25, "max": 1.0}}
    assert tied["ties"] == {"queries": 1, "undecided": 1, "in_top_10": 1, "at_cutoff": {}}
    tied, _ = read(banded(), digits=2)["results"]
    assert tied["tie_bands"]["mrr"]["mean"] == 0.52
    assert tied["per_query_bands"] == {
        "q": {"tie_bands": {"mrr": {"min": 0.25, "mean": 0.52, "max": 1.0}}, "residuals": {"mrr": {"min": 0.25, "max": 1.0}}}
    }
    (tmp_path / "r.json").write_text(rendered("json", banded()))
    for one, again in zip(banded(), read_results(tmp_path / "r.json"), strict=True):
        assert (again.summary, again.fingerprints) == (one.summary, one.fingerprints)


def test_bands_and_figures_over_nothing_are_null():
    (entry,) = read([assay.evaluate({"q": {"a": 0}}, {}, "map", policy=NOTHING, tie_band=True, residuals=True)])["results"]
    assert (entry["summary"], entry["per_query"]) == ({"map": None}, {})
    assert entry["tie_bands"]["map"]["mean"] is None
    assert entry["residuals"] == {"map": {"min": None, "max": None}}
    assert entry["per_query_bands"] == {}
