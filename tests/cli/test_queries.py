"""assay queries: samples of search logs, and queries that a service writes for documents."""

import json
import random
import re
from collections import Counter

import pytest
from tests.judges._stub import Stub

from assay.datasets import allocate, folded, private_kind, sample_queries
from assay.errors import UsageError


def write_log(path, rows, head="user,query,intent,count"):
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")


ROWS = [
    (f"u{n}", f"{intent} number {n % size}", intent, 1 + n % 3)
    for intent, size in (("a", 60), ("b", 30), ("c", 2))
    for n in range(size)
]


def test_a_sample_keeps_the_text_the_stratum_the_count_and_the_probability(folder, assay):
    write_log(folder / "log.csv", ROWS)
    done = assay("queries", "sample", "log.csv", "-n", 20, "--by", "intent", "-o", "queries.jsonl")
    records = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    assert (
        done.code,
        len(records),
        "20 queries of 92 different ones in 92 lines written to queries.jsonl, seed 1\n" in done.out,
    ) == (0, 20, True)
    assert {tuple(record) for record in records} == {("query_id", "query", "intent", "frequency", "probability")}
    drawn = Counter(record["intent"] for record in records)
    assert drawn == {"a": 13, "b": 6, "c": 1}
    size = {"a": 60, "b": 30, "c": 2}
    assert all(
        record["probability"] == pytest.approx(drawn[record["intent"]] / size[record["intent"]]) for record in records
    )
    assert "assay eval --queries queries.jsonl --documents" in done.out
    assert "u1" not in (folder / "queries.jsonl").read_text().replace("number", "")
    assert all(record["frequency"] == 1 + int(record["query"].split()[-1]) % 3 for record in records)
    assert assay(
        "eval", "--queries", "queries.jsonl", "--documents", "log.csv", "--providers", "bm25", "-q", "--no-store"
    ).code in (0, 3)


def test_order_of_lines_and_seed(folder):
    write_log(folder / "log.csv", ROWS)
    one = sample_queries("log.csv", 20, "intent", 1)
    for seed in range(3):
        write_log(folder / "log.csv", random.Random(seed).sample(ROWS, len(ROWS)))
        assert sample_queries("log.csv", 20, "intent", 1) == one
    assert sample_queries("log.csv", 20, "intent", 2).queries != one.queries
    often = Counter(query.text for seed in range(2000) for query in sample_queries_of(one, seed))
    assert all(
        abs(often[text] / 2000 - p) < 4 * (p * (1 - p) / 2000) ** 0.5 + 1e-9 for text, p in probabilities(one).items()
    )


def sample_queries_of(sample, seed):
    """The draw alone, without reading the log again."""
    from assay.datasets import query_logs

    log = query_logs._LogQueries("intent", "", "")
    for user, text, intent, count in ROWS[60:]:
        log.take("", {"user": user, "query": text, "intent": intent, "count": count})
    return query_logs._drawn(log, 8, seed, "proportional").queries


def probabilities(sample):
    return {query.text: query.probability for query in sample_queries_of(sample, 0)}


def test_duplicates_are_one_query_with_its_most_frequent_spelling(folder):
    rows = [("x", "Café  menu", "a", 2), ("y", "CAFE MENU", "a", 1), ("z", "cafe menu", "b", 4), ("w", "other", "b", 1)]
    write_log(folder / "log.csv", rows)
    sample = sample_queries("log.csv", 2, "intent")
    assert [
        (query.text, query.stratum, query.frequency) for query in sorted(sample.queries, key=lambda query: query.text)
    ] == [
        ("cafe menu", "b", 7),
        ("other", "b", 1),
    ]
    assert folded("  ÉCOLE\tStraße ") == "ecole strasse"


def test_private_queries_are_left_out_and_counted(folder, assay):
    private = [
        "mail ana@example.org please",
        "call +41 79 123 45 67",
        "0176-5551234",
        "card 4111111111111111",
        "order 1234567",
    ]
    write_log(
        folder / "log.csv", [("u", text, "a", 1) for text in (*private, "red shoes 42", "iphone 15 pro 256", "2024 taxes")]
    )
    done = assay("queries", "sample", "log.csv", "-n", 9, "-o", "out.jsonl")
    kept = sorted(json.loads(line)["query"] for line in (folder / "out.jsonl").read_text().splitlines())
    assert kept == ["2024 taxes", "iphone 15 pro 256", "red shoes 42"]
    for sentence in (
        "1 line with what looks like an e-mail address is left out",
        "3 lines with what looks like a long number are left out",
    ):
        assert sentence in done.err
    assert "the log has only 3 different queries." in done.err
    assert [private_kind(text) != "" for text in private] == [True] * 5


def test_allocation():
    assert allocate({"a": 60, "b": 30, "c": 2}, 20) == {"a": 13, "b": 6, "c": 1}
    assert allocate({"a": 60, "b": 30, "c": 2}, 20, "equal") == {"a": 9, "b": 9, "c": 2}
    assert allocate({"a": 3, "b": 3}, 100) == {"a": 3, "b": 3}
    assert allocate({"a": 1000, "b": 1, "c": 1}, 3) == {"a": 1, "b": 1, "c": 1}
    for n in range(5, 50):
        sizes = {"a": 7, "b": 1, "c": 90, "d": 22, "e": 3}
        shares = allocate(sizes, n)
        assert sum(shares.values()) == n
        assert all(1 <= shares[name] <= sizes[name] for name in sizes)
    with pytest.raises(UsageError, match="3 strata need at least one query each, so n must be at least 3, not 2"):
        allocate({"a": 1, "b": 1, "c": 1}, 2)


def test_other_files_and_columns(folder, assay):
    (folder / "log.jsonl").write_text('{"q_text": "a b", "times": 3}\n{"q_text": "c d", "times": 1}\n')
    done = assay("queries", "sample", "log.jsonl", "-n", 2, "-o", "out.jsonl")
    assert (done.code, done.err.count("Name it with --text COLUMN")) == (3, 1), "one error, not one for each line"
    assert (
        assay("queries", "sample", "log.jsonl", "-n", 2, "--text", "q_text", "--count", "times", "-o", "out.jsonl").code == 0
    )
    assert sorted(json.loads(line)["frequency"] for line in (folder / "out.jsonl").read_text().splitlines()) == [1, 3]
    wrong = assay("queries", "sample", "log.jsonl", "-n", 2, "--text", "q_text", "--by", "tims", "-o", "out.jsonl")
    assert (wrong.code, wrong.err) == (
        2,
        "error: no column of log.jsonl is called 'tims'. Did you mean times?   (it has q_text times)\n",
    )
    assert assay("queries", "sample", "log.jsonl", "-n", 2).code == 2
    assert assay("queries", "sample", "log.jsonl", "-n", 2, "--send", "-o", "x").code == 2
    assert assay("queries", "smple", "log.jsonl", "-n", 2).code == 2


class Writer(Stub):
    """Writes two queries for each document, one of them the same for all, and grades odd documents as answers."""

    def answer(self, handler, body):
        content = body["messages"][0]["content"]
        with self.lock:
            self.bodies.append(body)
            self.keys.add(handler.headers.get("Authorization", ""))
        number = int(re.search(r"topic (\d+)", content)[1])
        if "<question>" in content:
            text = json.dumps({"grade": 2 if number % 2 else 0})
        elif number == 8:
            text = "I cannot do this."
        else:
            text = "```json\n" + json.dumps({"queries": [f"what is topic {number}?", "What is  THIS?"]}) + "\n```"
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return self.send(handler, 200, {"model": self.model, "choices": [choice], "usage": usage})


@pytest.fixture
def corpus(folder):
    """Ten documents in two folders."""
    for number in range(10):
        place = folder / "docs" / ("big" if number < 8 else "small")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"d{number}.md").write_text(f"This page explains topic {number} in enough words for a question about it.")
    (folder / "docs" / "big" / "stub.md").write_text("too short")
    return folder


def test_generated_queries(corpus, assay, monkeypatch):
    monkeypatch.setenv("STUB_KEY", "sk-writer-secret-0123456789")
    with Writer() as stub:
        service = f"openai(model=m, url={stub.url}, key='${{STUB_KEY}}')"
        words = ("queries", "generate", "docs", "-n", 20, "--with", service, "--price", 1, 2)
        dry = assay(*words, "--dry-run")
        assert (dry.code, stub.n_requests) == (0, 0), "a dry run sends nothing"
        assert "requests   10 to 127.0.0.1" in dry.out
        assert "at most 20 more requests" in dry.out
        assert "This page explains topic" in dry.out
        assert assay(*words).code == 0
        assert stub.n_requests == 0, "nor does a run without --send"
        done = assay(*words, "--send", "-o", "new.jsonl")
        records = [json.loads(line) for line in (corpus / "new.jsonl").read_text().splitlines()]
        assert done.code == 0
        by_text = {record["query"]: record for record in records}
        expected = {f"what is topic {n}?" for n in (1, 3, 5, 7, 9)}
        assert expected <= set(by_text) <= {*expected, "What is THIS?"}, "answered by their documents"
        assert all(record["origin"] == "synthetic" for record in records)
        assert by_text["what is topic 3?"]["generated_from"] == "big/d3.md"
        assert by_text["what is topic 3?"]["generated_by"] == stub.model
        assert "1: document: the reply is not one JSON object" in done.out
        assert "8: query is a duplicate" in done.out
        assert re.search(r"\d: query is not answered by its document", done.out)
        assert f"this run   {stub.n_requests} requests" in done.out
        n = stub.n_requests
        assert assay(*words, "--send", "-o", "again.jsonl").code == 0
        assert (stub.n_requests, (corpus / "again.jsonl").read_text()) == (n, (corpus / "new.jsonl").read_text())
    texts = [path.read_text(errors="replace") for path in corpus.rglob("*") if path.is_file()]
    assert not any("sk-writer-secret" in text for text in (*texts, dry.out, done.out, done.err))


def test_synthetic_queries_are_never_mixed_in_silence(corpus, assay):
    (corpus / "queries.jsonl").write_text('{"query": "topic 1", "origin": "synthetic"}\n{"query": "what is topic 2"}\n')
    done = assay(
        "eval",
        "--queries",
        "queries.jsonl",
        "--documents",
        "docs",
        "--providers",
        "bm25",
        "-q",
        "--by",
        "origin",
        "--no-store",
    )
    assert "1 of 2 queries is synthetic. To see both kinds separately, add --by origin." in done.out
    assert re.search(r"synthetic +1 ", done.out)
    (corpus / "golden.csv").write_text("query,relevant_ids,origin\nwhat is topic 1,big/d1.md,synthetic\n")
    done = assay("eval", "--benchmarks", "golden.csv", "--documents", "docs", "--providers", "bm25", "-q", "--no-store")
    assert "all queries are synthetic" in done.out


def test_synthetic_and_real_queries_are_separated_wherever_they_are_scored(corpus, assay):
    """Estimates, comparisons and gates say so too, and rules can be about one kind."""
    rows = [{"query": f"what is topic {n}", "relevant_ids": f"big/d{n}.md"} for n in range(6)]
    for row in rows[:2]:
        row |= {"origin": "synthetic", "generated_from": row["relevant_ids"], "generated_by": "writer-2026-01"}
    (corpus / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = (
        "--benchmarks",
        "golden.jsonl",
        "--documents",
        "docs",
        "--providers",
        "bm25",
        "tfidf_chars",
        "-m",
        "precision@5",
    )
    done = assay("eval", *words, "-q")
    sentence = "2 of 6 queries are synthetic. To see both kinds separately, "
    assert f"{sentence}add --by origin." in done.out
    assert "relevant=generated_from" not in done.out, "the document is not a judgment"
    assert f"{sentence}add --by origin." in assay("compare", "latest").out
    assert assay("pool", "latest", "--pairs", 60, "-m", "precision@5", "-o", "pool.jsonl").code == 0
    drawn = [json.loads(line) for line in (corpus / "pool.jsonl").read_text().splitlines()[1:]]
    (corpus / "qrels.txt").write_text("".join(f"{row['query']} 0 {row['document']} 1\n" for row in drawn))
    assert assay("judgments", "import", "qrels.txt", "--judge", "Ana", "--benchmark", "golden").code == 0
    layer = ("--judgments", "people", "--pool", "pool.jsonl")
    assert f"{sentence}add --by origin." in assay("compare", "latest", *layer).out
    rule = "precision@5 >= 0.01"
    for more in ((), layer):
        said = assay("gate", "latest", "--rule", rule, *more)
        assert f"golden: {sentence}write rules with 'where origin=synthetic' and 'where origin=(none)'." in said.out
    for value, n in (("synthetic", 2), ("(none)", 4)):
        said = assay("gate", "latest", "--rule", f"{rule} where origin={value}")
        assert f", {n} queries" in said.out
        shown = assay("eval", *words, "-q", "--no-store", "--where", f"origin={value}", "-f", "json")
        assert (shown.code, shown.out.count('"text": "what is topic')) == (0, 2 * n)
    assert assay("gate", "latest", "--rule", f"{rule} where origin=real").code == 2
    assert assay("gate", "latest", "--rule", f"{rule} where orgin=(none)").code == 2
    shown = assay(
        "judge", "pool.jsonl", "--dataset", "golden.jsonl", "--documents", "docs", "--with", "openai(model=writer)"
    )
    assert "note: the judge writer also wrote queries of the benchmark." in shown.err
    shown = assay("judge", "pool.jsonl", "--dataset", "golden.jsonl", "--documents", "docs", "--with", "openai(model=other)")
    assert "also wrote" not in shown.err


def test_what_generation_refuses(corpus, assay):
    for words, what in {
        (): "generate needs --with",
        ("--with", "words"): "words cannot write queries",
        ("--with", "openai(model=m, url=http://127.0.0.1:1/v1)", "--send"): "--send needs -o",
        (
            "--with",
            "openai(model=m, url=http://127.0.0.1:1/v1)",
            "--by",
            "x",
        ): "--by is not an option of assay queries generate",
    }.items():
        done = assay("queries", "generate", "docs", "-n", 2, *words)
        assert (done.code, what in done.err) == (2, True), done.err
    dead = ("--with", "openai(model=m, url=http://127.0.0.1:1/v1)", "--send", "-o", "x.jsonl", "--retries", 0)
    assert assay("queries", "generate", "docs", "-n", 2, *dead).code == 4
    assert not (corpus / "x.jsonl").exists()
