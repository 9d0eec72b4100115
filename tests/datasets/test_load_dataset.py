"""load_dataset: a benchmark by name or path; its format is recognised by a look at the path."""

import gzip
from functools import partial

import pytest

from assay import DataError, UnknownName
from assay.datasets import bundled, detect_format, find_format, load_dataset

from ._benchmarks import SAMPLES, claims
from ._cases import BOM, write
from ._files import put, put_all

NEAR_MISSES = {
    "lines": ("golden.jsonl", '{"query_id": "q1", "query": "How long?", "relevantt_ids": ["d1"]}\n'),
    "a table": ("golden.csv", "query_id,query,relevnt_ids\nq1,How?,d1\n"),
    "within an object": ("squad.json", '{"version": "2", "data": [{"title": "C", "paragraphs_": []}]}'),
    "a field that is not there": ("q.jsonl", '{"query_id": "q1", "query": "How?", "gold_docs": 7}\n'),
    "half its name": ("cases.json", '[{"text": "seizure", "hpo_ids": ["HP:0001250"]}]'),
}


def test_what_cannot_be_loaded_says_why(snapshots, tmp_path):
    def loading(source, *given):
        return lambda: load_dataset(source, *given)

    write(tmp_path / "nonsense.json", "nonsense")
    path = write(tmp_path / "data.unknown", (SAMPLES / "json" / "cats.json").read_bytes())
    assert load_dataset(path, format="json").format == "json"
    cases = {
        "a format": loading(tmp_path / "nonsense.json", "jsn"),
        "no such file": loading(tmp_path / "none.json", "json"),
        "no such file, as text": loading(str(tmp_path / "none.json")),
        "a size": loading("code-spans:tiny"),
        "an ending that nobody knows": loading(path),
    }
    cases |= {case: loading(write(tmp_path / name, content)) for case, (name, content) in NEAR_MISSES.items()}
    snapshots.check_errors("datasets/not_loaded", cases)
    for near, ask in {"beir": partial(find_format, "bier"), "rag-template": partial(load_dataset, "rag-templat")}.items():
        with pytest.raises(UnknownName) as error:
            ask()
        assert error.value.near == (near,)
    assert all(name in error.value.hint for name in bundled())


LONG = [{"id": f"d{number}", "content": "x" * 1000, "doc_id": f"d{number}"} for number in range(280)]
TURNS = {"session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}]}
QA = [{"question": "x", "answer": "y", "evidence": ["D1:1"], "category": 1}]
FILES = {
    "documents.json": {"documents": {one["id"]: {"text": one["content"]} for one in LONG}, "queries": {"q": {}}},
    "judgments.json": {"qrels": {"q": {"d": 1}}},
    "contexts first.json": {"documents": LONG, "questions": [{"question": "x"}]},
    "observations first.json": [{"observation": ["x" * 1000] * 280, "conversation": TURNS, "qa": QA}],
    "one conversation.json": {"event_summary": ["x" * 1000] * 280, **TURNS, "qa": QA},
    "questions in metadata.json": {"queries": {"q": {"metadata": {"qa": 1, "question": 2, "evidence": 3}}}},
    "turns in metadata.json": {"questions": [{"question": "x", "metadata": {"dia_id": 1, "session_1": 2}}]},
    "no questions yet.json": {"questions": []},
    "question and answer.json": [{"question": "?", "answer": "!"}],
    "the second has contexts.json": [{"question": "?"}, {"question": "?", "contexts": []}],
    "deepeval.json": [{"input": "?", "expected_output": "!", "retrieval_context": ["x"]}],
    "a query with passages.json": {"query": "?", "passages": [{"text": "x"}]},
    "judgments in metadata.json": {"questions": [{"question": "?", "metadata": {"qrels": {}}}], "contexts": []},
    "contexts of ragas.json": [{"question": "Why?", "contexts": [], "relevant_ids": []}],
    "a question with a file.json": [{"question": "?", "answer": "!", "file": "manual.pdf"}],
    "a question with ids.json": {"questions": [{"question": "Why?", "relevant_ids": []}], "contexts": []},
    "a golden object.json": '{\n"query": "?",\n"relevant": []\n}',
    "a stretch of code.json": [{"question": "?", "expected": "!", "file": "a.py", "start": 1, "end": 2}],
    "a stretch of code.txt": '[{"question": "?", "expected": "!", "file": "a.py", "start": 1, "end": 2}]',
    "several stretches.json": [{"query": "?", "answer": "!", "spans": []}],
    "spans of queries.json": {"queries": {"q1": {"text": "?", "expected": "!"}}, "spans": {}, "qrels": {}},
    "spans of questions.json": {"questions": ["?"], "spans": {}},
    "queries.jsonl": [{"_id": "q1", "text": "Why?", "metadata": {"expected": "!"}}],
    "judgments.jsonl": [{"query_id": "q1", "doc_id": "d1", "relevance": 1}],
    "prompts.jsonl": [{"prompt": "?", "metadata": {"ground_truth": "!", "fpath_tuple": ["a"]}}],
    "a run.jsonl": [{"query": "?", "document": "d", "score": 1}],
    "table.csv": "query_id,doc_id,relevance\n1,2,1\n",
    "notes.txt": "query relevant_ids",
    **{
        f"nothing {n}.json": text
        for n, text in enumerate(("nonsense", "{}", "[]", "[1]", "[[1]]", '[{"x": 1}]', '{"b": ', ""))
    },
    **{f"nothing.{ending}": "nonsense" for ending in ("jsonl", "csv", "txt")},
}


def test_a_file_is_known_by_its_outermost_fields(snapshots, tmp_path):
    """Files first, with every format that claims them; then folders."""
    told = []
    for name, content in FILES.items():
        path = put(tmp_path / name, content)
        chosen = told_apart(path)
        for pack in (gzip.compress, BOM.__add__):
            if not chosen.startswith("the format was not recognised"):
                packed = write(tmp_path / f"packed {name}", pack(path.read_bytes()))
                assert detect_format(packed).name == chosen.split()[0], name
        told.append(f"{name}: {chosen}")
    folders = [
        ["queries.jsonl", "documents.jsonl", "qrels.tsv"],
        ["queries.tsv", "collection.tsv", "qrels/test.tsv"],
        ["queries.jsonl", "qrels/test.tsv"],
        ["queries.jsonl", "corpus.jsonl"],
        ["queries.jsonl", "judgments.parquet"],
        ["corpus/a.parquet", "queries/a.parquet"],
        [],
    ]
    for names in folders:
        path = put_all(tmp_path / "in", dict.fromkeys(names, "x"))
        told += [f"{' '.join(names) or 'an empty folder'}: {told_apart(path)}"]
    snapshots.check("datasets/recognised", "".join(f"{line}\n" for line in told))


def told_apart(path):
    try:
        return " ".join(claims(path))
    except DataError as error:
        return error.what.partition(":")[0].partition(";")[0]


def test_the_bundled_rag_template():
    dataset = load_dataset("rag-template")
    assert (dataset.format, dataset.path, dataset.repairs) == ("rag_template", bundled()["rag-template"], [])
    found = dataset.get_statistics()
    assert found["num_expected"] == found["num_judged_queries"] == found["num_queries"] >= 40
    assert (found["num_documents"] >= 200, set(found["tags"])) == (True, {"query_type", "difficulty"})
    assert {doc for grades in dataset.qrels.values() for doc in grades} <= set(dataset.documents)
    assert all(dataset.get_relevant_docs(query) for query in dataset.queries)
    assert all(0 in grades.values() for grades in dataset.qrels.values()), "every question has a hard negative"
