"""assay score --dataset: which benchmark is scored, and who decides about relevance."""

import json
from pathlib import Path

import pytest

import assay as library
from assay import Document, Query, RelevanceJudgment
from assay.datasets import BenchmarkDataset

CAT, DOG = "Cats sleep twelve hours a day.", "Dogs bark at night."
RUN = ("--dataset", "pets.json", "--run", "a.run")


def made():
    """q1 has judgments, q2 an expected answer, q3 nothing."""
    dataset = BenchmarkDataset("Pets", "1.0")
    dataset.add_query(Query("q1", "cats?", expected=CAT))
    dataset.add_query(Query("q2", "dogs?", expected="Dogs bark"))
    dataset.add_query(Query("q3", "fish?"))
    for doc, text in {"d1": CAT, "d2": DOG, "d3": "Fish swim."}.items():
        dataset.add_document(Document(doc, text))
    dataset.add_judgment(RelevanceJudgment("q1", "d1", 2))
    return dataset


@pytest.fixture(autouse=True)
def pets(tmp_path, monkeypatch):
    """The working directory, with a benchmark and runs."""
    monkeypatch.chdir(tmp_path)
    made().save_json(Path("pets.json"))
    judged = made()
    judged.queries = {"q1": judged.queries["q1"]}
    judged.save_json(Path("judged.json"))
    hits = {"q1": [{"content": DOG}, {"content": CAT}], "q2": [{"content": DOG}]}
    texts = {
        "a.run": "q1 Q0 d2 1 2 a\nq1 Q0 d1 2 1 a\nq2 Q0 d2 1 2 a\n",
        "b.run": "q1 Q0 d1 1 2 b\nq2 Q0 d1 1 2 b\n",
        "chunks.run": "q1 Q0 d1#0 1 3 c\nq1 Q0 d1#1 2 2 c\nq1 Q0 d2#0 3 1 c\n",
        "twice.run": "q1 Q0 d1#0 1 3 c\nq1 Q0 d1#0 2 2 c\n",
        "map.tsv": "c1\td1\nc2\td1\n",
        "mapped.run": "q1 Q0 x 1 3 m\nq1 Q0 c1 2 2 m\nq1 Q0 c2 3 1 m\n",
        "hits.json": json.dumps(hits),
        "qrels.txt": "q1 0 d1 1\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text)


@pytest.fixture
def scored(assay):
    """The results of a command, as JSON."""

    def call(*words, metrics=("mrr",)):
        code, out, err = assay("score", *words, "-m", *metrics, "--format", "json")
        assert (code, err) == (0, "")
        return json.loads(out)["results"]

    return call


def test_a_run_is_scored_against_a_benchmark_however_it_is_written(scored):
    for words in (RUN, ("a.run", "--dataset", "pets.json"), (*RUN, "--dataset-format", "json", "--relevance", "auto")):
        (result,) = scored(*words)
        assert result["per_query"] == {"q1": {"mrr": 0.5}, "q2": {"mrr": 1.0}}, words
        assert result["relevance"]["strategy_counts"] == {"qrels": 1, "token-fallback": 1}, words
    for words in (("--run", "a.run", "b.run"), ("--run", "a.run", "--run", "b.run"), ("a.run", "--run", "b.run")):
        results = scored("--dataset", "pets.json", *words)
        assert [(one["name"], one["summary"]["mrr"]) for one in results] == [("a", 0.75), ("b", 0.5)], words
    results = scored("qrels.txt", "a.run", "--run", "b.run")
    assert [("relevance" in one, one["summary"]["mrr"]) for one in results] == [(False, 0.5), (False, 1.0)]


def test_a_bundled_benchmark_by_name(scored):
    dataset = library.load_dataset("rag-template")
    lines = [f"{query} Q0 {doc} 1 1 best\n" for query in dataset.queries for doc in dataset.get_relevant_docs(query)]
    Path("best.run").write_text("".join(lines))
    (result,) = scored("--dataset", "rag-template", "--run", "best.run", metrics=("recall", "map"))
    assert (result["summary"], result["relevance"]["strategy_used"]) == ({"recall": 1.0, "map": 1.0}, "qrels")


def test_who_decides(scored):
    resolvers = ("qrels", "token", "token(threshold=0.9)", "coverage", "substring", "lexical", "hybrid")
    for resolver in (*resolvers, "hybrid(method=weighted, threshold=0.9)"):
        (result,) = scored(*RUN, "--relevance", resolver)
        used = (result["per_query"]["q1"]["mrr"], result["relevance"]["strategy_used"])
        assert used == (0.5, resolver.partition("(")[0]), resolver
    (result,) = scored("--dataset", "pets.json", "--run", "hits.json", "--relevance", "token")
    assert result["per_query"] == {"q1": {"mrr": 0.5}, "q2": {"mrr": 1.0}}, "hits that bring their text"


def test_f1_threshold_is_the_threshold_of_token(scored):
    """Two expected words, four retrieved, two shared: F1 is 4/6."""
    for threshold, q2 in {"0.6": 1.0, "0.7": 0.0}.items():
        for flags in ((), ("--relevance", "token")):
            (result,) = scored(*RUN, "--f1-threshold", threshold, *flags)
            found = result["per_query"]["q2"]["mrr"], result["relevance"]["token_threshold"]
            assert found == (q2, float(threshold)), flags


def test_units_and_maps_of_ids(scored):
    units = {"": (0.0, 3), "--unit as-retrieved": (0.0, 3), "--unit chunk": (0.5, 3), "--unit document": (0.5, 2)}
    for flags, figures in units.items():
        words = ("--dataset", "judged.json", "--run", "chunks.run", *flags.split())
        (result,) = scored(*words, metrics=("precision@2", "num_ret"))
        assert tuple(result["summary"].values()) == figures, flags
    for flags in ((), ("--unit", "document"), ("--unit", "chunk")):
        words = ("--dataset", "judged.json", "--run", "mapped.run", "--id-map", "map.tsv", *flags)
        (result,) = scored(*words, metrics=("mrr", "recall"))
        assert result["summary"] == {"mrr": 0.5, "recall": 1.0}, flags


def test_the_figures_are_those_of_the_library(scored):
    (found,) = scored(*RUN, "--relevance", "coverage(threshold=0.5)", metrics=("ndcg@10", "map"))
    del found["intervals"]
    theirs = library.evaluate(made(), "a.run", ["ndcg@10", "map"], relevance="coverage(threshold=0.5)", name="a")
    assert found == theirs.to_dict()


def test_what_is_shown_and_refused(transcript):
    transcript("relevance/shown")
    transcript("relevance/refused")
