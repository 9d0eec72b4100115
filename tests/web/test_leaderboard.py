"""The leaderboard: the newest of each provider, the best first, and what cannot be told apart."""

import re

import pytest

from assay.comparison import compare_results
from assay.evaluation import evaluate
from assay.execution import ExecutionOptions, execute_plan, make_plan

from ._boards import failed_result
from ._clients import client_of, keys_of, rows_of, words_of
from ._stores import result_of, saved


def board(client, query=""):
    return rows_of(client.get(f"/leaderboard?{query}").text, "Leaderboard")


def test_ties_are_what_no_test_tells_apart_and_less_may_be_better(tmp_path):
    names = {"a": 0.8, "b": 0.8, "c": 0.2}
    results = [result_of(seed, provider=name, skill=skill) for seed, (name, skill) in enumerate(names.items())]
    apart = {frozenset((pair.a, pair.b)) for pair in compare_results(results, metrics=["ndcg@10"]).pairs if pair.better}
    assert apart == {frozenset("ac"), frozenset("bc")}
    rows = board(client_of(saved(tmp_path / "s.db", results)))
    assert [(row[0], row[2]) for row in rows] == [("1", "a"), ("2", "a"), ("3", "b")]
    qrels = {f"q{n}": {"d": 1, "e": 0} for n in range(5)}
    runs = {"b": {"d": 2.0, "x": 1.0}, "a": {"d": 2.0, "e": 1.0}}  # x nobody judged
    results = [
        evaluate(qrels, dict.fromkeys(qrels, ranked), ["unjudged@10"], name=name).with_fields(benchmark="small")
        for name, ranked in runs.items()
    ]
    rows = board(client_of(saved(tmp_path / "less.db", results)), "metric=unjudged@10")
    assert [row[1] for row in rows] == ["a", "b"]
    assert float(rows[0][3].split()[0]) < float(rows[1][3].split()[0])


def test_a_doubt_about_the_verdict_is_shown_as_on_the_page_of_a_comparison(tmp_path):
    qrels = {f"q{n}": {"r": 1, "n": 0} for n in range(12)}
    runs = {"a": {"r": 2.0, "n": 1.0}, "b": {"u": 2.0, "v": 1.0}}  # u and v nobody judged
    results = [
        evaluate(qrels, dict.fromkeys(qrels, ranked), ["precision@2"], name=name).with_fields(benchmark="small")
        for name, ranked in runs.items()
    ]
    assert compare_results(results).doubts[0].startswith("This could be reversed by the 24 unjudged results")
    html = client_of(saved(tmp_path / "s.db", results)).get("/leaderboard").text
    unknown = "It is unknown whether unjudged documents could change this: the rankings of a are not stored in its result."
    assert unknown in html


@pytest.mark.slow
def test_chunkers_are_ranked_by_what_is_fair_to_them(tmp_path):
    """ndcg@10 counts chunks, of which every chunker makes its own; metrics of spans count places in files."""
    content = {
        "benchmarks": ["code-spans"],
        "chunkers": ["fixed_lines", "fixed_chars"],
        "providers": ["bm25"],
        "metrics": ["ndcg@10", "span_recall@10"],
        "selection": {"limit": 12},
        "cache": False,
    }
    results = execute_plan(make_plan(content, "test"), ExecutionOptions(home=tmp_path))
    client = client_of(saved(tmp_path / "s.db", results))
    html = client.get("/leaderboard?benchmark=code-spans").text
    assert "span_recall@10" in re.search(r'class="verdict[^>]*>([^<]*)', html)[1]
    unfair = "/leaderboard?benchmark=code-spans&metric=ndcg@10"
    assert "ndcg@10 counts chunks, and each chunker creates different chunks" in client.get(unfair).text
    board = client.get("/api/v1/leaderboard?benchmark=code-spans").json()
    assert (board["metric"], board["notes"], "counts chunks" in html) == ("span_recall@10", [], False)
    assert "counts chunks" in client.get(f"/api/v1{unfair}").json()["notes"][0]
    assert "reaches span_recall@10 " in client.get(f"/result/{board['rows'][0]['key']}").text


def test_other_data_under_the_same_name_stay_out(tmp_path):
    """The data that most providers have count: a quick try on a few queries does not empty the board."""
    small = result_of(9, provider="c", night=5, n_queries=1)
    other = {**small.provenance, "dataset": {**small.provenance["dataset"], "fingerprints": {"queries": "bb"}}}
    small = small.with_fields(provenance=other)
    nights = [[result_of(night, provider=name, night=night)] for night, name in enumerate("ab")]
    client = client_of(saved(tmp_path / "s.db", *nights, [small]))
    html = client.get("/leaderboard").text
    assert {row[1] for row in rows_of(html, "Leaderboard")} == {"a", "b"}
    assert "1 result of 1 provider on different data with the same name" in html
    data = re.search(r'<option value="(\w+)">1 query, 1 provider', html)[1]
    assert [row[1] for row in board(client, f"data={data}")] == ["c"]
    rows = client.get("/api/v1/leaderboard?benchmark=things").json()["rows"]
    assert {row["provider"] for row in rows} == {"a", "b"}


def test_the_verdict_is_about_the_top_and_letters_are_what_the_comparison_decided(tmp_path):
    skills = {"good": 0.85, "fine": 0.8, "tuned": 0.75, "poor": 0.3, "worst": 0.02}
    results = [result_of(seed, provider=name, skill=skill) for seed, (name, skill) in enumerate(skills.items())]
    compared = compare_results(results, metrics=["ndcg@10"])
    html = client_of(saved(tmp_path / "s.db", results)).get("/leaderboard").text
    verdict = words_of(re.search(r'class="verdict">(.*?)</p>', html, re.DOTALL)[1])
    best = compared.best("ndcg@10")
    assert verdict.startswith(
        f"{best} leads on ndcg@10 with {compared.value(best, 'ndcg@10'):.3f}. It is not told apart from "
    )
    letters = {row[1]: set(row[2]) for row in rows_of(html, "Leaderboard")}
    for pair in compared.pairs:
        assert bool(letters[pair.a] & letters[pair.b]) == (not pair.better), pair
        if best in (pair.a, pair.b):
            other = pair.b if pair.a == best else pair.a
            beats = verdict.split("It beats ")[1]
            assert (other in beats) == (pair.better == best)
    rows = rows_of(html, "Leaderboard")
    assert f"/compare?r={keys_of(html)[1]}&amp;r={keys_of(html)[0]}&amp;baseline={keys_of(html)[1]}" in html
    assert client_of(tmp_path / "s.db").get("/api/v1/leaderboard?benchmark=things").json()["verdict"] == verdict
    assert len(rows) == 5


def test_the_best_alone_and_nobody_alone(tmp_path):
    clear = [
        result_of(seed, provider=name, skill=skill) for seed, (name, skill) in enumerate({"a": 1, "b": 0.4, "c": 0}.items())
    ]
    html = client_of(saved(tmp_path / "clear.db", clear)).get("/leaderboard").text
    assert (
        "a is the best on ndcg@10 with 1.000: it beats both other systems (Holm over all 3 pairs). The nearest is b, by"
        in html
    )
    alike = [result_of(seed, provider=name, skill=0.6, n_queries=12) for seed, name in enumerate("abc")]
    html = client_of(saved(tmp_path / "alike.db", alike)).get("/leaderboard").text
    assert re.search(
        r"No system is shown to be the best on ndcg@10: [abc] leads with 0.\d+, but it is not told apart from", html
    )


def test_columns_and_slices_are_the_values_on_their_queries(tmp_path):
    results = [
        result_of(seed, provider=name, skill=skill) for seed, (name, skill) in enumerate({"a": 0.8, "b": 0.4}.items())
    ]
    client = client_of(saved(tmp_path / "s.db", results))
    html = client.get("/leaderboard?slice=language:de&column=mrr&column=recall@5").text
    german = [query for query, record in results[0].queries.items() if record.tags["language"] == "de"]
    for row, result in zip(rows_of(html, "Leaderboard"), results, strict=True):
        part = result.subset(queries=german)
        shown = [float(cell.split()[0]) for cell in row[3:6]]
        assert shown == [round(part[metric], 4) for metric in ("ndcg@10", "mrr", "recall@5")]
        assert row[6] == "20"
    compared = compare_results([result.subset(queries=german) for result in results], metrics=["ndcg@10"])
    assert compared.verdict in html
    assert "The tests are not corrected for the choice of this slice" in html
    api = client.get("/leaderboard?slice=language:de&column=mrr&csv=board").text
    assert api.splitlines()[0].startswith("place,provider,group,ndcg@10,ndcg@10 low,ndcg@10 high,mrr")


def test_a_provider_that_failed_on_every_query_has_no_place_and_is_listed_with_its_error(tmp_path):
    results = [result_of(1, provider="works"), result_of(2, provider="too", skill=0.9), failed_result("dead")]
    client = client_of(saved(tmp_path / "s.db", results))
    html = client.get("/leaderboard").text
    assert {row[1] for row in rows_of(html, "Leaderboard")} == {"works", "too"}
    assert [row[:3] for row in rows_of(html, "Failed providers")] == [["dead", "RuntimeError: no route to the index", "60"]]
    verdict = re.search(r'class="verdict">(.*?)</p>', html, re.DOTALL)[1]
    assert "dead" not in verdict
    for picture in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        assert "dead" not in picture
    assert "dead" not in str(client.get("/api/v1/leaderboard?benchmark=things").json()["rows"])
    alone = client_of(saved(tmp_path / "alone.db", [failed_result("dead")])).get("/leaderboard")
    assert (alone.status_code, "No provider has a value yet" in alone.text) == (200, True)
    assert "no route to the index" in alone.text
