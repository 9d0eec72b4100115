"""Short answers: a provider that never returns as many documents as were requested, and those that rightly return few."""

import json
import re

import pytest

import assay
from assay.cli import main

WORDS = ("ash", "birch", "cedar", "fir", "gum", "hazel", "larch", "maple", "oak", "pine", "rowan", "spruce", "teak", "yew")


def dataset(n_documents=60, n_queries=6, scopes=None):
    """Documents that share words with queries, of which each document number % 7 decides."""
    data = assay.BenchmarkDataset("trees")
    for n in range(n_documents):
        text = " ".join(WORDS[place] for place in range(14) if (n + place) % (3 + place % 5) == 0)
        data.add_document(assay.Document(f"d{n}", text or "none", group=scopes[n % len(scopes)] if scopes else None))
    for n in range(n_queries):
        scope = scopes[n % len(scopes)] if scopes else None
        data.add_query(assay.Query(f"q{n}", " ".join(WORDS[n : n + 2]), scope=scope))
        data.add_judgment(assay.RelevanceJudgment(f"q{n}", f"d{n}", 1))
    return data


class Capped:
    """Returns at most so many documents for each query."""

    def __init__(self, *lengths):
        self.lengths = lengths

    def index(self, documents):
        self.ids = [document.doc_id for document in documents]

    def search(self, queries, k):
        lengths = [self.lengths[int(query.query_id[1:]) % len(self.lengths)] for query in queries]
        return [self.ids[: min(k, length)] for length in lengths]


def notes(provider, data=None, k=50, metrics=("recall@50", "ndcg@10")):
    result = assay.run(data or dataset(), provider, metrics=list(metrics), k=k)
    return [note for note in result.notes if "never returned" in note]


def test_a_limit_is_told_once_with_the_metrics_that_it_concerns():
    (note,) = notes(Capped(10))
    assert "never returned more than 10 of 50 documents; recall@50 is computed from these" in note
    assert "ndcg@10" not in note
    (note,) = notes(Capped(5))
    assert "recall@50, ndcg@10 are" in note
    (note,) = notes(Capped(10), metrics=["mrr"])
    assert "never returned more than 10 of 50 documents." in note
    assert notes(Capped(10, 10, 3)) == notes(Capped(10)), "most queries have as many; some have fewer matches"
    (note,) = notes(Capped(10), dataset(30))
    assert "10 of 30" in note, "there are no more documents"
    assert notes(Capped(10), dataset(120, 12, scopes=["a", "b"])) == notes(Capped(10))


@pytest.mark.parametrize(
    "lengths",
    [(50,), (60,), (10, 50), (12, 11, 10, 9, 8, 7), (12, 12, 3, 4, 5, 6), (0,), (10, 0, 0), (60, 10, 10, 10, 10, 10)],
)
def test_answers_of_different_lengths_are_not_limited(lengths):
    assert notes(Capped(*lengths)) == []


def test_small_collections_scopes_and_few_queries_are_not_limited():
    assert notes(Capped(10), dataset(10)) == []
    assert notes(Capped(10), dataset(7)) == []
    assert notes(Capped(10), dataset(60, 2)) == [], "two queries may agree by chance"
    assert notes(Capped(10), dataset(40, 8, scopes=list("abcd"))) == [], "each scope has ten documents"


def test_providers_of_assay_itself_return_all_that_fits():
    for text in ("bm25", "tfidf_chars", "dense", "hybrid", "oracle", "random_order", "hybrid(bm25, tfidf_chars, depth=5)"):
        assert notes(text) == [], text
        assert notes(text, "rag-template", k=300, metrics=["recall@200"]) == [], text
        assert notes(text, dataset(4, 3)) == [], text


def test_failed_queries_do_not_count():
    class Failing(Capped):
        def search(self, queries, k):
            return [ValueError("no") if query.query_id < "q4" else self.ids[:10] for query in queries]

    assert notes(Failing()) == [], "only two queries are left"


@pytest.fixture
def service(tmp_path, monkeypatch):
    (tmp_path / "short_service.py").write_text("def search(query, k):\n    return [f'p{n:03}' for n in range(1, 11)][:k]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return "svc=python:short_service:search"


ARGUMENTS = ["--benchmarks", "rag-template", "--metrics", "recall@50", "ndcg@10", "--k", "50", "--limit", "8"]


def test_marks_are_in_every_output(service, capsys, tmp_path):
    outputs = ["-o", "r.json", "-o", "r.md", "-o", "r.csv"]
    assert main(["eval", *ARGUMENTS, "--providers", service, "bm25", *outputs]) == 0
    table = capsys.readouterr().out
    rows = {row.split()[0]: row for row in table.splitlines() if row.split()[:1] in (["svc"], ["bm25"])}
    assert ("†" in rows["svc"], "†" in rows["bm25"]) == (True, False)
    assert rows["svc"].count("†") == 1
    assert "svc: the provider never returned more than 10 of 50 documents; recall@50 is computed from these (†)." in table
    (row,) = [row for row in (tmp_path / "r.md").read_text().splitlines() if row.startswith("| svc ")]
    assert row.count("†") == 1
    assert "†" not in (tmp_path / "r.csv").read_text()
    svc, bm25 = sorted(json.loads((tmp_path / "r.json").read_text())["results"], key=lambda result: result["name"] == "bm25")
    assert (svc["provenance"]["longest_ranking"], "longest_ranking" in bm25["provenance"]) == (10, False)
    assert main(["report", "latest", "-o", "page.html"]) == 0
    page = (tmp_path / "page.html").read_text()
    assert "never returned more than 10 of 50" in page
    assert re.search(r"<td[^>]*>[^<]*0\.\d+ †", page), "the value itself is marked"


def test_a_run_file_with_rankings_of_one_length(tmp_path, capsys):
    def write(name, *lengths):
        lines = [f"q{n} Q0 d{rank} {rank} {-rank} x" for n, length in enumerate(lengths) for rank in range(length)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        return str(tmp_path / name)

    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"q{n} 0 d{place} 1\n" for n in range(4) for place in range(0, 60, 5)))
    assert main(["score", str(qrels), write("short.run", 10, 10, 10, 10), "-m", "recall@50", "P_5"]) == 0
    out = capsys.readouterr().out
    assert "the run has at most 10 documents per query; recall@50 is computed from these (†)." in out
    assert out.count("†") == 2
    for lengths in ((10, 10, 10, 9), (60, 60, 60, 60), (12, 12, 12, 12)):
        assert main(["score", str(qrels), write("long.run", *lengths), "-m", "recall@50", "P_5"]) == 0
        assert "†" not in capsys.readouterr().out, lengths
    assert main(["score", str(qrels), write("short.run", 10, 10, 10, 10), "-m", "recall@10", "map"]) == 0
    assert "†" not in capsys.readouterr().out
