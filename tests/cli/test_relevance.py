"""assay score --dataset: which benchmark is scored, and who decides about relevance."""

import json

import pytest

import assay as library
from assay import Document, Query, RelevanceJudgment
from assay.datasets import BenchmarkDataset

CAT, DOG = "Cats sleep twelve hours a day.", "Dogs bark at night."


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


@pytest.fixture
def pets(tmp_path, monkeypatch):
    """The working directory, with a benchmark and runs."""
    made().save_json(tmp_path / "pets.json")
    judged = made()
    judged.queries = {"q1": judged.queries["q1"]}
    judged.save_json(tmp_path / "judged.json")
    (tmp_path / "a.run").write_text("q1 Q0 d2 1 2 a\nq1 Q0 d1 2 1 a\nq2 Q0 d2 1 2 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 2 b\nq2 Q0 d1 1 2 b\n")
    (tmp_path / "chunks.run").write_text("q1 Q0 d1#0 1 3 c\nq1 Q0 d1#1 2 2 c\nq1 Q0 d2#0 3 1 c\n")
    (tmp_path / "map.tsv").write_text("c1\td1\nc2\td1\n")
    (tmp_path / "mapped.run").write_text("q1 Q0 x 1 3 m\nq1 Q0 c1 2 2 m\nq1 Q0 c2 3 1 m\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def scored(assay, pets):
    """The results of a command, as JSON."""

    def call(*arguments, metrics=("mrr",)):
        code, out, err = assay("score", *arguments, "-m", *metrics, "--format", "json")
        assert (code, err) == (0, "")
        return json.loads(out)["results"]

    return call


WAYS = {
    "--run": ("--dataset", "pets.json", "--run", "a.run"),
    "a file": ("--dataset", "pets.json", "a.run"),
    "the file first": ("a.run", "--dataset", "pets.json"),
    "a format": ("--dataset", "pets.json", "--dataset-format", "json", "--run", "a.run"),
    "auto": ("--dataset", "pets.json", "--run", "a.run", "--relevance", "auto"),
}


@pytest.mark.parametrize("arguments", WAYS.values(), ids=WAYS)
def test_a_run_is_scored_against_a_benchmark(scored, arguments):
    (result,) = scored(*arguments)
    assert result["per_query"] == {"q1": {"mrr": 0.5}, "q2": {"mrr": 1.0}}
    assert result["relevance"] == {
        "strategy_used": "mixed",
        "strategy_counts": {"qrels": 1, "token-fallback": 1},
        "queries_with_relevant": 2,
        "relevant_found": 2,
        "exact_matches_found": 1,
        "counted_over": {"judgments": 1, "scope": 1},
        "undecided": 1,
        "token_threshold": 0.3,
    }
    assert result["notes"] == [
        "relevance was decided by several means: qrels 1, token-fallback 1.",
        "1 query without ground truth, left out (q3).",
    ]


def test_several_runs_however_they_are_written(scored):
    for arguments in (
        ("--run", "a.run", "b.run"),
        ("--run", "a.run", "--run", "b.run"),
        ("a.run", "b.run"),
        ("a.run", "--run", "b.run"),
    ):
        results = scored("--dataset", "pets.json", *arguments)
        assert [(one["name"], one["summary"]["mrr"]) for one in results] == [("a", 0.75), ("b", 0.5)]


def test_judgments_and_more_runs(scored, pets):
    (pets / "qrels.txt").write_text("q1 0 d1 1\n")
    results = scored("qrels.txt", "a.run", "--run", "b.run")
    assert [one["summary"]["mrr"] for one in results] == [0.5, 1.0]
    assert all("relevance" not in one for one in results)


def test_a_bundled_benchmark_by_name(scored, pets):
    dataset = library.load_dataset("rag-template")
    lines = [f"{query} Q0 {doc} 1 1 best\n" for query in dataset.queries for doc in dataset.get_relevant_docs(query)]
    (pets / "best.run").write_text("".join(lines))
    (result,) = scored("--dataset", "rag-template", "--run", "best.run", metrics=("recall", "map"))
    assert result["summary"] == {"recall": 1.0, "map": 1.0}
    assert result["relevance"]["strategy_used"] == "qrels"


@pytest.mark.parametrize(
    ("relevance", "q1", "used"),
    [
        ("qrels", 0.5, "qrels"),
        ("token", 0.5, "token"),
        ("token(threshold=0.9)", 0.5, "token"),
        ("coverage", 0.5, "coverage"),
        ("substring", 0.5, "substring"),
        ("lexical", 0.5, "lexical"),
        ("hybrid", 0.5, "hybrid"),
        ("hybrid(method=weighted, threshold=0.9)", 0.5, "hybrid"),
    ],
)
def test_who_decides(scored, relevance, q1, used):
    (result,) = scored("--dataset", "pets.json", "--run", "a.run", "--relevance", relevance)
    assert result["per_query"]["q1"]["mrr"] == q1
    assert result["relevance"]["strategy_used"] == used


@pytest.mark.parametrize(("threshold", "q2"), [("0.3", 1.0), ("0.6", 1.0), ("0.7", 0.0), ("1", 0.0), ("0.1", 1.0)])
@pytest.mark.parametrize("relevance", [(), ("--relevance", "token"), ("--relevance", "auto")])
def test_f1_threshold_is_the_threshold_of_token(scored, threshold, q2, relevance):
    """Two expected words, four retrieved, two shared: F1 is 4/6."""
    (result,) = scored("--dataset", "pets.json", "--run", "a.run", "--f1-threshold", threshold, *relevance)
    assert result["per_query"]["q2"]["mrr"] == q2
    assert result["relevance"]["token_threshold"] == float(threshold)


def test_a_threshold_is_given_once(pets, assay):
    arguments = ("--relevance", "token(threshold=0.1)", "--f1-threshold", "1")
    code, _, err = assay("score", "--dataset", "pets.json", "--run", "a.run", *arguments)
    assert code == 2
    assert "both set the threshold; give one" in err


@pytest.mark.parametrize(
    ("flags", "precision"),
    [
        ((), 0.0),
        (("--unit", "as_retrieved"), 0.0),
        (("--unit", "as-retrieved"), 0.0),
        (("--unit", "chunk"), 0.5),
        (("--unit", "document"), 0.5),
    ],
)
def test_units(scored, flags, precision):
    (result,) = scored("--dataset", "judged.json", "--run", "chunks.run", *flags, metrics=("precision@2", "num_ret"))
    assert result["summary"]["precision@2"] == precision
    assert result["summary"]["num_ret"] == (2 if "document" in flags else 3)


@pytest.mark.parametrize(("flags", "rank"), [((), 2), (("--unit", "document"), 2), (("--unit", "chunk"), 2)])
def test_id_maps(scored, flags, rank):
    (result,) = scored(
        "--dataset", "judged.json", "--run", "mapped.run", "--id-map", "map.tsv", *flags, metrics=("mrr", "recall")
    )
    assert result["summary"] == {"mrr": 1 / rank, "recall": 1.0}


def test_chunk_ids_are_diagnosed(assay, pets):
    code, out, _ = assay("score", "--dataset", "judged.json", "--run", "chunks.run", "-m", "mrr")
    assert code == 0
    words = " ".join(out.split())
    assert "the run has ids like 'd1#0', the judgments like 'd1'. Chunks are rolled up with --unit document" in words


def test_hits_that_bring_their_text(scored, pets):
    hits = {"q1": [{"content": DOG}, {"content": CAT}], "q2": [{"content": DOG}]}
    (pets / "hits.json").write_text(json.dumps(hits))
    (result,) = scored("--dataset", "pets.json", "--run", "hits.json", "--relevance", "token")
    assert result["per_query"] == {"q1": {"mrr": 0.5}, "q2": {"mrr": 1.0}}
    assert result["relevance"]["counted_over"] == {"scope": 2}


@pytest.mark.parametrize("name", ["table", "csv", "markdown", "latex", "trec"])
def test_every_format_shows_it(assay, pets, name):
    code, out, err = assay("score", "--dataset", "pets.json", "--run", "a.run", "-m", "mrr", "--format", name)
    assert code == 0
    assert "0.75" in out
    assert ("without ground truth" in err) == (name in ("csv", "trec"))


def test_verbose_tells_what_was_read(assay, pets):
    conventions, read, *_ = assay("score", "--dataset", "pets.json", "--run", "a.run", "-m", "mrr", "-v").err.splitlines()
    assert conventions.startswith("policy: assay, level grade > 0, ")
    assert read.startswith(
        "pets.json: read, format json, BenchmarkDataset(Pets 1.0: 3 queries, 3 documents, 1 judgment) in "
    )


def test_the_figures_are_those_of_the_library(scored):
    (found,) = scored(
        "--dataset", "pets.json", "--run", "a.run", "--relevance", "coverage(threshold=0.5)", metrics=("ndcg@10", "map")
    )
    del found["intervals"]
    wanted = library.evaluate(made(), "a.run", ["ndcg@10", "map"], relevance="coverage(threshold=0.5)", name="a")
    assert found == wanted.to_dict()


# Misuse

DATASET = ("--dataset", "pets.json", "--run", "a.run")
MISUSE = {
    "no run": (("--dataset", "pets.json"), "at least one run is needed: assay score --dataset pets.json run.txt -m ndcg@10"),
    "neither": ((), "judgments and at least one run are needed"),
    "only more runs": (("--run", "a.run"), "judgments and at least one run are needed"),
    "an unknown benchmark": (
        ("--dataset", "rag-templat", "a.run"),
        "no benchmark is called 'rag-templat'. Did you mean rag-template?",
    ),
    "an unknown format": ((*DATASET, "--dataset-format", "jsn"), "no format is called 'jsn'. Did you mean json"),
    "an unknown resolver": ((*DATASET, "--relevance", "tokn"), "no resolver is called 'tokn'. Did you mean token?"),
    "a parameter of nobody": ((*DATASET, "--relevance", "token(level=1)"), "token has no parameter 'level'"),
    "a threshold of another": (
        (*DATASET, "--relevance", "coverage", "--f1-threshold", "0.5"),
        "--f1-threshold belongs to token, not to coverage; write --relevance 'coverage(threshold=…)'",
    ),
    "a threshold beyond 1": ((*DATASET, "--f1-threshold", "1.5"), "a number from 0 to 1, not '1.5'"),
    "a threshold that is none": ((*DATASET, "--f1-threshold", "nan"), "a number from 0 to 1, not 'nan'"),
    "an unknown unit": ((*DATASET, "--unit", "page"), "invalid choice: 'page'"),
    "a map that is not used": (
        (*DATASET, "--id-map", "map.tsv", "--unit", "as-retrieved"),
        "--id-map is for --unit chunk or document",
    ),
    "standard input twice": (("--dataset", "-", "--run", "-"), "standard input (-) can be read once only"),
    **{
        f"{flag} without --dataset": (
            ("a.run", "b.run", flag, value),
            f"{flag} needs --dataset; judgments in a file decide by ids alone",
        )
        for flag, value in {
            "--relevance": "token",
            "--f1-threshold": "0.5",
            "--unit": "chunk",
            "--id-map": "map.tsv",
            "--dataset-format": "json",
        }.items()
    },
}


@pytest.mark.usefixtures("pets")
@pytest.mark.parametrize(("arguments", "said"), MISUSE.values(), ids=MISUSE)
def test_misuse_exits_2_and_says_how(assay, arguments, said):
    code, out, err = assay("score", *arguments, "-m", "mrr")
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--relevance", "pack"), "none of the 3 queries has evidence that their format knows: q1 q2 q3"),
        (("--id-map", "none.tsv"), "none.tsv: no such file"),
        (("--id-map", "a.run"), "a.run:1: expected 2 columns (chunk document), found 6"),
    ],
)
def test_data_that_do_not_fit_exit_3(assay, pets, arguments, said):
    code, out, err = assay("score", *DATASET, *arguments, "-m", "mrr")
    assert (code, out) == (3, "")
    assert said in err


def test_files_swallowed_by_metrics_are_told_with_a_dataset_too(assay, pets):
    code, _, err = assay("score", "--dataset", "pets.json", "-m", "mrr", "a.run")
    assert code == 2
    assert "what follows -m is taken as a metric: a.run. Put files first" in err


def test_duplicates_are_the_policys_business(assay, pets):
    (pets / "twice.run").write_text("q1 Q0 d1#0 1 3 c\nq1 Q0 d1#0 2 2 c\n")
    arguments = ("score", "--dataset", "judged.json", "--run", "twice.run", "--unit", "document", "-m", "mrr")
    code, _, err = assay(*arguments)
    assert code == 3
    assert "twice.run:2: document d1#0 appears twice for query q1 (first at line 1)" in err
    assert assay(*arguments, "--duplicates", "keep-best").code == 0


def test_the_one_at_fault_is_named(assay, tmp_path):
    """A benchmark without answers, a map that is none, documents that cannot be read: none of that is the run's fault."""
    qrels, run, wrong = tmp_path / "ok.qrels", tmp_path / "ok.run", tmp_path / "wrong.run"
    qrels.write_text("q1 0 d1 1\n")
    run.write_text("q1 Q0 d1 1 1.0 x\n")
    wrong.write_text("q1 Q0 d1 1 1.0 x\nq1 Q0 d1 1 1.0 x\n")
    without = assay("score", "--dataset", qrels, "--run", run, "--relevance", "token")
    assert (without.code, without.err) == (3, f"error: {qrels}: none of the 1 query has an expected answer: q1\n")
    assert assay("score", "--dataset", qrels, "--run", run, "--id-map", wrong).err.startswith(
        f"error: {wrong}:1: expected 2"
    )
    assert assay("score", "--dataset", qrels, "--run", wrong).err.startswith(f"error: {wrong}: 1 fault")
