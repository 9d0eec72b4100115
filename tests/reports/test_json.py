"""The whole result as JSON."""

import json

import assay
from assay.evaluation import read_results

from ._results import HOSTILE, NOTHING, banded, hostile_results, pair, rendered, result

THIRD = {"q1": {"d2": 3.0, "x": 2.0, "d1": 1.0}}


def read(results, **how):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(rendered("json", results, **how), parse_constant=refuse)


def test_the_schema(snapshots):
    snapshots.check("reports/json", rendered("json", pair(["map", "relstring"])) + rendered("json", banded(), digits=2))
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


def test_bands_read_back(tmp_path):
    (tmp_path / "r.json").write_text(rendered("json", banded()))
    for one, again in zip(banded(), read_results(tmp_path / "r.json"), strict=True):
        assert (again.summary, again.fingerprints) == (one.summary, one.fingerprints)


def test_bands_and_figures_over_nothing_are_null():
    (entry,) = read([assay.evaluate({"q": {"a": 0}}, {}, "map", policy=NOTHING, tie_band=True, residuals=True)])["results"]
    assert (entry["summary"], entry["per_query"]) == ({"map": None}, {})
    assert entry["tie_bands"]["map"]["mean"] is None
    assert entry["residuals"] == {"map": {"min": None, "max": None}}
    assert entry["per_query_bands"] == {}
