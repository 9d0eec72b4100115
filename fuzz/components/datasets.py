"""Every format of benchmarks: read as what it is called and as what it looks like, looked at whole, and written again."""

from __future__ import annotations

import json
import shutil
import sys
import types
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assay import Document, Query
from assay.datasets import BenchmarkDataset, Format, all_formats, load_dataset
from fuzz.component import Component, SilentDifference
from fuzz.components._database import share_database
from fuzz.files import join_files, read_folder, scratch, split_files, write_file, write_folder

PARTS = ("queries", "documents", "judgments")

share_database()


def _small() -> BenchmarkDataset:
    """Two queries, three documents, with everything that a format may keep."""
    about = {"query_type": "factual", "difficulty": "easy", "language": "en"}
    return BenchmarkDataset(
        "cats",
        queries={
            "q1": Query("q1", "How long do cats sleep?", metadata=about),
            "q2": Query("q2", "Können Katzen schwimmen?", metadata={"language": "de"}),
        },
        documents={
            "d1": Document("d1", "Cats sleep 12 to 16 hours a day.", metadata={"source": "cats.md", "page_number": 3}),
            "d2": Document("d2", "Kittens sleep more.", title="Kittens"),
            "d3": Document("d3", "Some cats like water."),
        },
        qrels={"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}},
        version="1.0",
    )


def _use(dataset: BenchmarkDataset) -> BenchmarkDataset:
    """Look at everything that is read when somebody asks for it."""
    for part in PARTS:
        dataset.fingerprint(part)
    for documents in (dataset.documents, dataset.files or {}):
        for _ in zip(documents.items(), range(50), strict=False):
            pass
    return dataset


def _check(one: Format, place: Callable[[bytes], Path]) -> Callable[[bytes], object]:
    def check(data: bytes) -> object:
        path = place(data)
        if zlib.crc32(data) % 4 == 0:
            return _use(load_dataset(path))
        dataset = _use(load_dataset(path, one.name))
        if one.write is not None and zlib.crc32(data) % 8 == 1:
            _written_again(one, dataset)
        return dataset

    return check


def _written_again(one: Format, dataset: BenchmarkDataset) -> None:
    """What was written reads back as the same."""
    path = scratch() / f"again-{one.name}{_ending(one)}"
    shutil.rmtree(path, ignore_errors=True)
    one.save(dataset, path)
    again = load_dataset(path, one.name)
    for part in ("judgments",):
        if again.fingerprint(part) != dataset.fingerprint(part):
            raise SilentDifference(f"{part} written and read: {dataset.qrels!r:.300} and {again.qrels!r:.300}")


def _ending(one: Format) -> str:
    return SINGLE.get(one.name, "")


JSON_FILES = (
    *("json", "golden", "queries", "squad", "locomo", "rag_template", "hpo_cases", "dpr", "hotpotqa", "miracl"),
    "image_captions",
    *("longmemeval", "longmemeval_turns", "longmemeval_user", "longmemeval_user_turns"),
)
SINGLE = {**dict.fromkeys(JSON_FILES, ".json")}
"""Formats that are one file, with its extension."""
RAG_ROWS = [
    {"user_input": "How?", "retrieved_contexts": ["a", "b"], "reference_contexts": ["b"], "reference": "b", "response": "c"},
    {"input": "How?", "retrieval_context": "a|b", "context": ["a"], "expected_output": "b", "actual_output": "c"},
    {"question": "How?", "contexts": "['a' 'b']", "answer": "c", "ground_truth": "b"},
    {"record_id": "r1", "app_id": "a", "input": "How?", "output": "c", "Context_calls": [{"args": {"context": "a"}}]},
    {
        "inputs": {"question": "How?"},
        "outputs": {"documents": [{"page_content": "a"}]},
        "reference_outputs": {"answer": "b"},
    },
    {"attributes.input.value": "How?", "attributes.retrieval.documents": [{"document.id": "d1", "document.content": "a"}]},
    {"vars": {"query": "How?"}, "response": {"output": "c", "metadata": {"context": ["a"]}}, "testCase": {"assert": []}},
]
RAG_TABLE = (
    b"user_input,retrieved_contexts,reference_contexts,reference\n"
    b"How?,\"['a', 'b']\",\"['b']\",b\nWhy?,\"[Document(id='d1', page_content='c')]\",\"['a' 'd']\",c\n"
)
"""Records of every RAG tool, and a table with lists in every spelling."""


def _single(one: Format) -> Component:
    seeds = [_example(one)]
    if one.name == "rag_template":
        seeds = [one.example.partition("\n\nJSON lines")[0].encode()]
    return Component(
        f"dataset_{one.name}",
        _check(one, lambda data: write_file(f"{one.name}{_ending(one)}", data)),
        lambda: [*seeds, *_written(one)],
        "json" if _ending(one) == ".json" else "text",
        tokens=_words(one),
        covers=(f"format {one.name}",),
    )


def _example(one: Format) -> bytes:
    return one.example.encode()


def _written(one: Format) -> list[bytes]:
    """The small dataset in this format, where it can be written."""
    if one.write is None or one.name == "hpo_cases":
        return []
    path = scratch() / f"seed-{one.name}{_ending(one)}"
    one.save(_small(), path)
    return [read_folder(path) if path.is_dir() else path.read_bytes()]


def _folder(one: Format, more: Callable[[], Sequence[bytes]] = tuple) -> Component:
    return Component(
        f"dataset_{one.name}",
        _check(one, lambda data: write_folder(f"folder-{one.name}", data)),
        lambda: [*_written(one), *more()],
        "folder",
        tokens=_words(one),
        covers=(f"format {one.name}",),
    )


def _words(one: Format) -> tuple[bytes, ...]:
    letters = "".join(letter if letter.isalnum() or letter in "_-." else " " for letter in one.example)
    return tuple(dict.fromkeys(word.encode() for word in letters.split() if len(word) < 30))


TASKS = [
    {"id": "t1", "query": "where are retries counted?", "file": "src/client.py", "start": 1, "end": 2},
    {"query": "how is a name checked?", "spans": [{"file": "src/names.py", "start_char": 0, "end_char": 10}]},
    {
        "prompt": "import os",
        "metadata": {
            "task_id": "repo/0",
            "ground_truth": "    return path",
            "fpath_tuple": ["repo", "src", "names.py"],
            "context_start_lineno": 0,
            "lineno": 2,
        },
    },
]


def _code_spans() -> list[bytes]:
    sources = {
        "repo/src/client.py": b"retries = 0\nretries += 1\n",
        "repo/src/names.py": b"def check(name):\n    return path\n",
    }
    lines = "".join(json.dumps(task) + "\n" for task in TASKS).encode()
    return [join_files({"tasks.jsonl": lines, **sources}), join_files({"tasks.json": json.dumps(TASKS).encode(), **sources})]


def _trec_more() -> list[bytes]:
    topics = "<top>\n<num> Number: 301\n<title> Crime\n<desc> Description: Identify.\n<narr> Narrative: A.\n</top>\n"
    xml = '<topics><topic number="301"><query>crime</query><question>what?</question></topic></topics>'
    qrels = {"qrels.txt": b"301 0 FBIS3-1 1\n301 0 FBIS3-2 0\n"}
    docs = {"docs.jsonl": b'{"id": "FBIS3-1", "contents": "The cartel"}\n'}
    sgml = b"<DOC>\n<DOCNO> FBIS3-1 </DOCNO>\n<HL>A &amp; B</HL><DATE>May</DATE><TEXT>The <F P=1>cartel</F></TEXT>\n</DOC>\n"
    article = b"<top>\n<num> Number: 301 </num>\n<docid>FBIS3-1</docid>\n<url>https://example.org<url>\n</top>\n"
    ntcir = b"<TOPIC q=301>\n<TITLE>crime</TITLE><NARR><BACK>long</BACK></NARR></TOPIC>\n"
    www = b"<queries><query><qid>301</qid><content>crime</content></query></queries>"
    return [
        join_files({**qrels, "topics.txt": article, "docs.trec": sgml}),
        join_files({**qrels, "topics.txt": ntcir, "docs/1": sgml, "docs/2": sgml.replace(b"-1", b"-\xe9")}),
        join_files({**qrels, "topics.xml": www, "a.trectext": sgml}),
        join_files({**qrels, "topics.txt": b"301:crime\n302: law\n"}),
        join_files({**qrels, "topics.json": b'[{"id": 301, "title": "crime"}]'}),
        join_files({**qrels, "topics.json": b'{"301": "crime", "302": {"title": "law"}}'}),
        join_files({**qrels, "topics.txt": topics.encode(), **docs}),
        join_files({**qrels, "topics.xml": xml.encode(), "collection.tsv": b"FBIS3-1\tThe cartel\n"}),
        join_files({**qrels, "topics.tsv": b"301\tcrime\n"}),
        join_files({**qrels, "topics.jsonl": b'{"query_id": "301", "text": "crime"}\n'}),
    ]


def _tables() -> list[bytes]:
    corpus = b"doc_id,title,text\nd1,Cats,Cats sleep.\nd2,Lions,Lions roar.\n"
    golden = b'question,answer,doc_id,relevance\nWho sleeps?,cats,"d1, d2",1\nWho roars?,lions,d2,2\n'
    queries = b'{"query_id": 1, "question": "Who sleeps?", "relevant_ids": ["d1"]}\n{"qid": 2, "query": "Who roars?"}\n'
    qrels = b"query_id\tdoc_id\trelevance\n1\td1\t1\n2\td2\t0\n"
    return [
        join_files({"corpus.csv": corpus, "golden.csv": golden}),
        join_files({"chunks.jsonl": b'{"id": "a", "doc_id": "d", "text": "x"}\n' * 2, "questions.jsonl": queries}),
        join_files({"documents.csv": corpus, "queries.jsonl": queries, "qrels.tsv": qrels}),
        join_files({"questions.csv": b"question,source\nWho sleeps?,cats\n", "docs/cats.md": b"# Cats\n", "x.csv": b"x\n"}),
    ]


BEIR = {
    "corpus.jsonl": b'{"_id": "d1", "title": "", "text": "Cats sleep."}\n',
    "queries.jsonl": b'{"_id": "q1", "text": "Do cats sleep?"}\n',
    "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
}


def _forums() -> list[bytes]:
    """Two forums, each of which is like BEIR."""
    return [join_files({f"{forum}/{name}": content for forum in ("android", "tex") for name, content in BEIR.items()})]


def _subsets() -> list[bytes]:
    """One subset by the names of its folders, and one by its folder."""
    qrels = b'{"query-id": "q1", "corpus-id": "d1", "score": 1}\n'
    tables = {"corpus": BEIR["corpus.jsonl"], "queries": BEIR["queries.jsonl"], "qrels": qrels}
    named = {f"en-{stem}/test.jsonl": content for stem, content in tables.items()}
    return [join_files(named), join_files({f"en/{name}": content for name, content in BEIR.items()})]


def _check_package(data: bytes) -> object:
    """The ir_datasets package, in whose place stands one that says what the input says."""
    files = split_files(data)
    try:
        records = {name: json.loads(content) for name, content in files.items() if name.endswith(".json")}
        name = files.get("name", b"beir/x").decode()
    except (ValueError, RecursionError):
        return None
    package = types.ModuleType("ir_datasets")
    package.load = lambda _: _Package(records)  # type: ignore[attr-defined]
    package.registry = {"beir/x": None, "beir/y": None}  # type: ignore[attr-defined]
    sys.modules["ir_datasets"] = package
    return _use(load_dataset(f"ir_datasets:{name}"))


class _Package:
    """One dataset of the package."""

    def __init__(self, records: dict[str, Any]) -> None:
        self._records = records

    def _iter(self, name: str) -> Any:
        records = self._records.get(f"{name}.json") or []
        return iter([_named(record) for record in records] if isinstance(records, list) else [])

    def has_queries(self) -> bool:
        return "queries.json" in self._records

    def has_qrels(self) -> bool:
        return "qrels.json" in self._records

    def has_docs(self) -> bool:
        return "docs.json" in self._records

    def queries_iter(self) -> Any:
        return self._iter("queries")

    def qrels_iter(self) -> Any:
        return self._iter("qrels")

    def docs_iter(self) -> Any:
        return self._iter("docs")

    def docs_count(self) -> int:
        return len(self._records.get("docs.json") or [])


def _named(record: Any) -> Any:
    """A record as the package gives it, with attributes; a name that cannot be one is left out."""
    plain = record if isinstance(record, dict) else {}
    fields = {name: value for name, value in plain.items() if name.isidentifier() and not name.startswith("_")}
    return _Record(**fields)


class _Record(SimpleNamespace):
    """What a named tuple of the package offers."""

    @property
    def _fields(self) -> tuple[str, ...]:
        return tuple(vars(self))

    def _asdict(self) -> dict[str, Any]:
        return dict(vars(self))


def _package_seeds() -> list[bytes]:
    queries = [{"query_id": "q1", "text": "cats?"}, {"query_id": "q2", "title": "dogs", "description": "all about dogs"}]
    docs = [{"doc_id": "d1", "text": "Cats."}, {"doc_id": "d2", "title": "Dogs", "body": "Dogs."}]
    qrels = [{"query_id": "q1", "doc_id": "d1", "relevance": 1, "iteration": "0"}]
    files = {"queries.json": queries, "docs.json": docs, "qrels.json": qrels}
    return [join_files({"name": b"beir/x", **{name: json.dumps(value).encode() for name, value in files.items()}})]


def _rag_records(one: Format) -> Component:
    """The files of the folder are read, each as its extension says; the first that can be read is used."""
    lines = [json.dumps(row).encode() for row in RAG_ROWS]
    results = json.dumps({"results": {"stats": {}, "results": RAG_ROWS[-1:]}}).encode()
    seeds = [*({"r.jsonl": line} for line in lines), {"r.csv": RAG_TABLE}, {"r.json": results}]

    def check(data: bytes) -> object:
        files = sorted(path for path in write_folder(f"folder-{one.name}", data).rglob("*") if path.is_file())
        return [_use(load_dataset(path, one.name if zlib.crc32(data) % 4 else None)) for path in files[:1]]

    return Component(
        f"dataset_{one.name}",
        check,
        lambda: [join_files(seed) for seed in seeds],
        "folder",
        tokens=(*_words(one), b"['", b"' '", b"Document(page_content='", b"\n\n", b"|", b";"),
        covers=(f"format {one.name}",),
    )


def _components() -> tuple[Component, ...]:
    more = {
        "code_spans": _code_spans,
        "cqadupstack": _forums,
        "mteb": _subsets,
        "tables": _tables,
        "trec": _trec_more,
    }
    found = []
    for name, one in all_formats().items():
        if name == "ir_datasets":
            package = Component(f"dataset_{name}", _check_package, _package_seeds, "folder", covers=(f"format {name}",))
            found.append(package)
        elif name == "letor":  # features.py has it, read in two ways
            continue
        elif name == "rag_records":
            found.append(_rag_records(one))
        else:
            found.append(_single(one) if name in SINGLE else _folder(one, more.get(name, tuple)))
    return tuple(found)


COMPONENTS = _components()
