"""assay pool: the file that it writes, what it expects from judgments, and what is refused."""

import json
import shlex
from pathlib import Path

import pytest

import assay as library
from assay.judging import plan_judging, pool_from_lines
from assay.store import Judgment, Store


@pytest.fixture(scope="module")
def systems():
    return [library.run("rag-template", name, metrics=["precision@10", "ndcg@10"]) for name in ("bm25", "tfidf_chars")]


@pytest.fixture
def stored(folder, systems):
    with Store.open() as store:
        store.save(systems)
    return folder


def read(name):
    return pool_from_lines(Path(name).read_bytes().splitlines(), name)


@pytest.mark.usefixtures("stored")
def test_pools_plans_and_designs(transcript, systems):
    transcript("pool/shown")
    assert read("pool.jsonl") == library.pool(systems, pairs=40)
    assert read("whole.jsonl") == library.pool(systems, how="whole(queries=3)")
    assert read("one.jsonl") == library.pool(systems[:1], pairs=40, metric="dcg@5")


@pytest.mark.usefixtures("stored")
def test_judges_share_a_pool_and_read_its_guidelines(transcript, systems):
    """The draw and its id are the same as without judges."""
    Path("rules.txt").write_text("Only facts count.\n")
    transcript("pool/judges")
    plain, shared = library.pool(systems, pairs=40), read("shared.jsonl")
    assert (shared.id, shared.pairs) == (plain.id, plain.pairs)
    assert (shared.judges, shared.overlap, shared.guidelines) == (("Ana", "Ben"), 0.2, "Only facts count.")
    assert read(f".assay/pools/{plain.id}.jsonl") == shared


@pytest.mark.usefixtures("stored")
def test_what_is_refused(transcript, assay):
    assay("show", "latest#bm25", "-f", "json", "-o", "whole.json")
    saved = json.loads(Path("whole.json").read_text())
    for result in saved.get("results", [saved]):
        result.pop("run", None)
    Path("scores.json").write_text(json.dumps(saved))
    transcript("pool/refused")
    assert not Path("pool.jsonl").exists()


TEXTS = [
    ((), "assay serve --datasets DATASET, then open /queue/"),
    (("--documents", "my docs"), "assay serve --datasets QUERIES --documents 'my docs', then open /queue/"),
    (("--dataset", "q.csv", "--documents", "my docs"), "assay serve --datasets q.csv --documents 'my docs', then open"),
]


@pytest.mark.parametrize(("flags", "command"), TEXTS)
def test_the_next_command_shows_the_texts(folder, assay, flags, command):
    """Without the texts, judges would see ids of documents."""
    (folder / "my docs").mkdir()
    (folder / "my docs" / "a b.md").write_text("cats sleep")
    (folder / "q.csv").write_text("query_id,query\nq1,cats\n")
    assert assay("eval", "--queries", "q.csv", "--documents", "my docs", "--providers", "bm25", "-q").code == 0
    done = assay("pool", "latest", "-o", "pool.jsonl", *flags)
    assert done.code == 0
    assert command in done.out
    assert ("DATASET is the file or folder with the texts" in done.out) == (not flags)


def test_of_run_files_the_next_commands_store_the_runs(folder, assay):
    """Grades belong to results in a store: every command that is printed runs as it is printed, with the names filled in."""
    for name, documents in (("a", "xyz"), ("b", "yzw")):
        lines = [f"{query} Q0 {doc} {rank} {9 - rank} t\n" for query in "12" for rank, doc in enumerate(documents, 1)]
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "QUERIES").write_text('{"query_id": "1", "query": "one"}\n{"query_id": "2", "query": "two"}\n')
    lines = assay("pool", "a.run", "new=b.run", "-m", "precision@2", "-o", "pool.jsonl").out.splitlines()
    commands = [shlex.split(line[line.index("assay ") :])[1:] for line in lines if "assay " in line]
    assert [command[0] for command in commands] == ["eval", "judgments", "compare"]
    (folder / "GRADES").write_text("".join(f"{pair.query} 0 {pair.document} 1\n" for pair in read("pool.jsonl").drawn))
    Path("QUERIES").rename("QUERIES.jsonl")
    for command in commands:
        done = assay(*(word.replace("QUERIES", "QUERIES.jsonl") for word in command))
        assert done.code == 0, done.err
    assert "new is not shown to differ from a on precision@2" in done.out


def test_the_draw_is_that_of_python_for_results_and_for_run_files(stored, assay, systems):
    for result in systems:
        rows = [f"{q} Q0 {d} 0 {s!r} x" for q, docs in result.run.items() for d, s in docs.items()]
        Path(f"{result.name}.run").write_text("\n".join(rows))
    flags = ["--pairs", 60, "--seed", 7, "--depth", 5]
    assert assay("pool", "latest", *flags, "-o", "stored.jsonl").code == 0
    assert assay("pool", "bm25.run", "tfidf_chars.run", *flags, "-o", "runs.jsonl").code == 0
    expected = library.pool(systems, pairs=60, seed=7, depth=5)
    assert read("stored.jsonl") == expected
    assert read("runs.jsonl").pairs == expected.pairs
    assert read("runs.jsonl").benchmark == ""


def test_json_has_the_plan_and_what_only_one_system_retrieves(stored, assay, systems):
    content = json.loads(assay("pool", "latest", "-o", "pool.jsonl", "--pairs", 60, "-f", "json").out)
    expected = plan_judging(systems).expected(60)
    assert content["expected"] == {
        "pairs": 60,
        "value": pytest.approx(expected.value),
        "difference": pytest.approx(expected.difference),
        "minutes": 7.0,
    }
    tops = [{(query, doc) for query in result.run for doc in list(result.run[query])[:10]} for result in systems]
    assert content["shares_alone"] == {
        "bm25": pytest.approx(len(tops[0] - tops[1]) / len(tops[0])),
        "tfidf_chars": pytest.approx(len(tops[1] - tops[0]) / len(tops[1])),
    }
    assert content["pool"]["id"] == read("pool.jsonl").id
    assert content["pool"]["never_eligible"] == {"bm25": 0.0, "tfidf_chars": 0.0}


def test_a_plan_takes_the_share_of_relevant_documents_from_the_grades_so_far(stored, assay):
    with Store.open() as store:
        store.judgments.give_all([Judgment("rag-template", "q01", f"d{n}", "Ana", int(n < 10)) for n in range(40)])
    shown = assay("pool", "latest", "--plan")
    assert "25 % of the documents are relevant (as in the grades so far)" in shown.out
