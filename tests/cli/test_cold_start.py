"""Evaluations without judgments: rankings, times and overlap are there, and everything else says what is missing."""

import json
import math
import re
from pathlib import Path

import pytest
from tests.web._clients import client_of

import assay as library
from assay.errors import BadParameter
from assay.evaluation import read_results, rejudge
from assay.store import Judgment, Store, combined

QUERIES = [("q1", "cats sleep a lot"), ("q2", "dogs swim far"), ("q3", "birds sing early")]
DOCUMENTS = {"d1": "cats sleep a lot", "d2": "dogs swim far", "d3": "birds sing early", "d4": "cats and dogs and birds"}
NEXT = "assay pool latest --pairs 300 -o pool.jsonl"


@pytest.fixture
def data(folder):
    """A file of queries, a folder of documents, and a BEIR folder without qrels."""
    (folder / "corpus").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "corpus" / f"{name}.txt").write_text(text)
    lines = [json.dumps({"query_id": query, "query": text, "intent": query[1:]}) for query, text in QUERIES]
    (folder / "queries.jsonl").write_text("\n".join(lines))
    (folder / "beir").mkdir()
    records = {"queries": QUERIES, "corpus": DOCUMENTS.items()}
    for name, rows in records.items():
        (folder / "beir" / f"{name}.jsonl").write_text("\n".join(json.dumps({"_id": a, "text": b}) for a, b in rows))
    return folder


EVAL = ("--documents", "corpus", "--metrics", "ndcg@10", "mrr")


def test_rankings_times_and_overlap(data, assay):
    done = assay("eval", "--queries", "queries.jsonl", *EVAL, "--providers", "bm25", "random_order", "-o", "result.json")
    assert done.code == 0
    assert "queries 1.0 (3 queries, 4 documents)\n3 queries without judgments" in done.out
    assert re.search(r"bm25 +– +– +[\d.]+\n", done.out), "metrics have a dash, times a number"
    assert (
        f"none of the 3 queries has judgments, so ndcg@10 and 1 other metric have no value. To choose what to judge: {NEXT}"
        in done.out
    )
    assert re.search(r"bm25 → random_order( +-?[\d.]+){4}\n", done.out)
    one, _ = read_results("result.json")
    assert (one.is_unjudged, list(one.run), math.isnan(one["ndcg@10"]), one["latency"] >= 0) == (
        True,
        ["q1", "q2", "q3"],
        True,
        True,
    )
    assert next(iter(one.run["q1"])) == "d1.txt"


@pytest.mark.parametrize(
    "words",
    [
        "--benchmarks beir",
        "--benchmarks queries.jsonl --documents corpus",
        "--benchmarks golden.csv --documents corpus",
        "--queries lines.txt --documents corpus",
        "plan.yaml",
    ],
)
def test_other_ways_to_give_queries(data, assay, words):
    (data / "golden.csv").write_text("query,relevant_ids\ncats sleep,\ndogs swim,\n")
    (data / "lines.txt").write_text("cats sleep\n\ndogs swim\n")
    (data / "plan.yaml").write_text("queries: queries.jsonl\ndocuments: corpus\nproviders: bm25\n")
    flags = () if words == "plan.yaml" else ("--providers", "bm25")
    done = assay("eval", *words.split(), *flags, "--quiet", "-f", "json")
    (result,) = json.loads(done.out)["results"]
    assert (done.code, result["counts"]["judged"], result["summary"]["ndcg@10"]) == (0, 0, None)
    assert len(result["run"]) == (2 if "golden" in words or "lines" in words else 3)
    assert any(NEXT in note for note in result["notes"])


def test_a_column_that_may_be_ground_truth_is_not_ignored(data, assay):
    (data / "typo.jsonl").write_text('{"query": "cats sleep", "relevent_docs": ["d1"]}\n')
    done = assay("eval", "--benchmarks", "typo.jsonl", "--documents", "corpus", "--providers", "bm25")
    assert (done.code, "the format was not recognised" in done.err) == (3, True)
    assert assay("eval", "--queries", "typo.jsonl", "--documents", "corpus", "--providers", "bm25", "-q").code == 0


def test_a_resolver_that_the_user_named_still_needs_its_data(data, assay):
    done = assay("eval", "--queries", "queries.jsonl", *EVAL, "--providers", "bm25", "--relevance", "token")
    assert (done.code, "has an expected answer" in done.err) == (3, True)
    assert assay("score", "--dataset", "beir", "beir/corpus.jsonl").code != 0


def test_python(data):
    queries = [{"query_id": query, "query": text} for query, text in QUERIES]
    result = library.run(queries, "bm25", ["ndcg@10", "latency"], documents=DOCUMENTS)
    assert (result.is_unjudged, len(result.run), math.isnan(result["ndcg@10"])) == (True, 3, True)
    judged = rejudge(result, {"q1": {"d1": 3, "d4": 0}, "q2": {"d1": 1}})
    assert judged.result.scores("ndcg@10")["q1"] == 1
    assert judged.result.scores("ndcg@10")["q2"] == 0, "judged, and not found"
    assert math.isnan(judged.result.scores("ndcg@10")["q3"])
    assert (judged.result["ndcg@10"], judged.result.is_unjudged, judged.result.counts["judged"]) == (0.5, False, 2)


@pytest.fixture
def stored(data, assay):
    """A store with two evaluations without judgments."""
    for providers in (("bm25",), ("bm25", "random_order")):
        assay("eval", "--queries", "queries.jsonl", *EVAL, "--providers", *providers, "-q", "--store", "s.db")
    return data


def test_a_gate_does_not_pass(stored, assay):
    store = ("--store", "s.db")
    for rule in ("ndcg@10 >= 0.1", "ndcg@10 drops <= 0.5", "no query drops from hit to miss by mrr"):
        done = assay("gate", "latest", "--rule", rule, *store)
        assert (done.code, "needs judgments" in done.err, NEXT in done.err) == (3, True, True), rule
    assert assay("gate", "latest", "--rule", "failed = 0", "--rule", "latency <= 10000", *store).code == 0
    percentile = assay("gate", "latest", "--rule", "latency_p95 <= 10000", *store)
    assert "needs judgments" not in percentile.err, "times need no judgments"
    assert (percentile.code, "queries were sent in batches" in percentile.out) == (0, True)


def test_everything_else_says_it_in_words(stored, assay):
    store = ("--store", "s.db")
    shown = assay("show", "latest", *store)
    assert (shown.code, NEXT in shown.out) == (0, True)
    compared = assay("compare", "latest", *store)
    assert compared.code == 0
    assert "ndcg@10 cannot be compared: the queries have no judgments." in compared.out
    assert ("bm25 → random_order" in compared.out, NEXT in compared.out) == (True, True)
    assert json.loads(assay("compare", "latest", "-f", "json", *store).out)["comparisons"][0]["agreement"]
    for file in ("report.md", "report.html"):
        assert assay("report", "latest", "-o", file, *store).code == 0
        assert NEXT in Path(file).read_text()
    assert "agreement of rankings" in Path("report.md").read_text()
    assert assay("history", *store).code == 0


def test_web_pages_have_no_figure(stored):
    client = client_of(stored / "s.db")
    waiting, seen = ["/", "/results", "/leaderboard", "/history", "/judgments", "/datasets"], set()
    while waiting:
        page = waiting.pop()
        if page in seen or page.startswith(("/metrics", "/static", "/events", "/export")):
            continue
        seen.add(page)
        answer = client.get(page)
        assert answer.status_code < 400, page
        if "html" in answer.headers.get("content-type", ""):
            words = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", answer.text, flags=re.DOTALL)
            assert not re.search(r"\bnan\b", words), page
            waiting += [link.replace("&amp;", "&") for link in re.findall(r'href="(/[^"#]*)', answer.text)][:40]
        if len(seen) > 60:
            break
    assert len(seen) > 20


def test_the_layers_of_a_pair_are_never_mixed(folder):
    with Store.open("s.db") as store:
        store.save(library.run([{"query_id": "q1", "query": "cats"}], "bm25", documents={"d1": "cats"}))
        name = store.list()[0].benchmark
        for judge, grade, kind in (("Ana", 0, "people"), ("first", 3, "model"), ("second", 3, "model")):
            store.judgments.give(Judgment(name, "q1", "d1", judge, grade, kind=kind))
        given = store.judgments.find(name)
        with pytest.raises(BadParameter, match="model and people, which are never mixed"):
            combined(given)
        assert combined(given, "people") == {"q1": {"d1": 0}}
        assert combined(given, "model") == {"q1": {"d1": 3}}
        assert combined(given, "rule") == {}
