"""Short answers: a provider that never returns as many documents as were requested, and those that rightly return few."""

import json
import re
from pathlib import Path

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


def marks(command, *words):
    """The metrics that the only result marks."""
    assert main([*command, *words, "-f", "json", "-o", "marked.json"]) == 0
    (result,) = json.loads(Path("marked.json").read_text())["results"]
    cutoffs = {name: int(name.partition("@")[2]) for name in result["summary"] if name.startswith(("ndcg", "recall"))}
    longest = result.get("provenance", {}).get("longest_ranking")
    return {name for name, cutoff in cutoffs.items() if longest is not None and cutoff > longest}


def eval_and_score(benchmark, run, *metrics):
    """What is marked if a run is replayed, and if it is scored."""
    replayed = ["eval", "--benchmarks", benchmark, "--providers", f"replay:{run}", "--no-store", "-q"]
    scored = ["score", "--dataset", benchmark, run]
    return [marks(command, "-m", *metrics) for command in (replayed, scored)]


def write_run(lengths, ids=lambda query, rank: f"d{rank}"):
    lines = [
        f"q{n} Q0 {ids(f'q{n}', rank)} {rank} {-rank} x\n" for n, length in enumerate(lengths) for rank in range(length)
    ]
    Path("a.run").write_text("".join(lines))
    return "a.run"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("here")
def test_eval_and_score_mark_the_same_values():
    dataset().save_json("trees.json")
    bare = dataset()
    bare.documents = {}
    bare.save_json("bare.json")
    dataset(60, 6, scopes=["a", "b"]).save_json("scopes.json")
    for lengths, is_marked in (
        ((10,) * 6, True),
        ((10, 10, 10, 10, 10, 9), True),
        ((10, 10, 10, 1, 2, 3), True),
        ((10, 10, 0, 10), True),
        ((10, 10, 9, 8, 7, 6), False),
        ((30,) * 6, False),
        ((60,) * 6, False),
    ):
        for benchmark in ("trees.json", "bare.json"):
            found = eval_and_score(benchmark, write_run(lengths), "recall@20", "ndcg@10")
            assert found == [{"recall@20"} if is_marked else set()] * 2, (benchmark, lengths)
    run = write_run((30,) * 6, lambda query, rank: f"d{2 * rank + int(query[1:]) % 2}")
    assert eval_and_score("scopes.json", run, "recall@50") == [set(), set()], "each scope has thirty documents"
    assert eval_and_score("trees.json", run, "recall@50") == [{"recall@50"}] * 2
    chunks = write_run((30,) * 6, lambda query, rank: f"d{rank // (3 + int(query[1:]))}#{rank}")
    flags = ("recall@50", "recall@20", "--unit", "document")
    assert eval_and_score("trees.json", chunks, *flags) == [{"recall@50"}] * 2, "thirty chunks of fewer documents"


@pytest.mark.usefixtures("here")
def test_a_ranking_of_all_paragraphs_of_a_question_is_not_short():
    questions = [
        {
            "_id": f"q{n}",
            "question": f"Which tree is number {n}?",
            "answer": "oak",
            "supporting_facts": [["t0", 0]],
            "context": [[f"t{place}", [f"Tree {place} of {n}."]] for place in range(3)],
        }
        for n in range(5)
    ]
    Path("hotpot.json").write_text(json.dumps(questions))
    for length, is_marked in ((3, False), (2, True)):
        run = write_run([length] * 5, lambda query, rank: f"{query}/t{rank}")
        assert eval_and_score("hotpot.json", run, "ndcg@10") == [{"ndcg@10"} if is_marked else set()] * 2


@pytest.mark.usefixtures("here")
def test_shares_of_the_retrieved_documents_are_not_marked(capsys):
    dataset().save_json("trees.json")
    words = ["-m", "precision(over=retrieved)@20", "judged@20", "precision@20", "--digits", "4"]
    assert main(["score", "--dataset", "trees.json", write_run((10,) * 6), *words]) == 0
    out = capsys.readouterr().out
    assert "the run has at most 10 documents per query; precision@20 is computed from these (†)." in out
    assert out.count("†") == 2


@pytest.mark.usefixtures("here")
def test_a_rag_tool_chooses_its_number_of_contexts(capsys):
    texts = [f"A fact about tree {n}." for n in range(12)]
    rows = [
        {"user_input": f"q{n}", "retrieved_contexts": texts[n : n + 2], "reference_contexts": [texts[n]]} for n in range(5)
    ]
    Path("ragas.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert main(["score", "ragas.jsonl", "-m", "recall@10", "ndcg@5"]) == 0
    out = capsys.readouterr().out
    assert "the run has at most 2 documents per query; recall@10, ndcg@5 are computed from these." in out
    assert "†" not in out
    again = assay.evaluate(assay.load_dataset("ragas.jsonl"), metrics=["recall@10"])
    assert "longest_ranking" not in again.provenance
