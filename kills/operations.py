"""The operations that are killed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kills.operation import Operation
from kills.states import (
    STORE,
    answers_state,
    embeddings_state,
    export_state,
    file_state,
    indexes_state,
    results_state,
    store_state,
)

DAY = "2026-01-{:02}T09:00:00+00:00"
RETRIEVER = """
import time, zlib

def search(text: str, k: int):
    time.sleep(0.002)
    docs = sorted((f"d{n}" for n in range(60)), key=lambda doc: zlib.crc32((text + doc).encode()))
    return [(doc, 10.0 - place) for place, doc in enumerate(docs[:k])]
"""
EVAL = ("eval", "--benchmarks", "small", "-m", "ndcg@10", "mrr", "recall@10", "-o", "out/result.json", "--quiet")
RULES = ("--rule", "ndcg@10 >= 0.0001", "--rule", "mrr drops <= 0.9", "--rule", "failed = 0")


def assay(*arguments: str) -> Callable[[], int]:
    """A command, as a person types it."""

    def run() -> int:
        from assay.cli import main

        return main(list(arguments))

    return run


def results_of(number: int) -> list[Any]:
    """Two results with rankings; another number gives others."""
    import assay as package

    chance = random.Random(number)
    qrels = {f"q{q}": {f"d{chance.randrange(60)}": chance.randint(1, 3) for _ in range(4)} for q in range(80)}
    made = []
    for name in ("one", "two"):
        run = {query: {f"d{d}": chance.random() for d in chance.sample(range(60), 20)} for query in qrels}
        result = package.evaluate(qrels, run, ["ndcg@10", "mrr", "recall@10"], name=name)
        about = {"dataset": {"name": "small", "version": "1", "format": "", "fingerprints": {"queries": "aa"}}}
        provenance = {**about, "started": DAY.format(1 + number % 28)}
        made.append(result.with_fields(benchmark="small", run=run, provenance=provenance))
    return made


def filled_store(n: int = 3) -> None:
    """A store with some evaluations, a baseline, a tag, a note and a judgment; and a file that names them."""
    from assay.store import Judgment, Store

    with Store.open(STORE) as store:
        ids = [store.save(results_of(number)) for number in range(n)]
        store.bless(ids[0], "main")
        store.tag(ids[1], "nightly")
        store.note(ids[1], "with the new index")
        store.judgments.give(Judgment("small", "q1", "d1", "somebody", 2.0))
    Path("earlier.json").write_text(json.dumps(ids))


def save_one() -> int:
    """Save an evaluation by the Python interface."""
    from assay.store import Store

    with Store.open(STORE) as store:
        store.save(results_of(50), {"seed": 1}, started=DAY.format(28))
    return 0


def benchmark() -> None:
    """A benchmark in BEIR's layout, and a retriever of one's own."""
    chance = random.Random(5)
    words = ["".join(chance.choices("abcdefgh", k=chance.randint(3, 8))) for _ in range(200)]
    folder = Path("small")
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": f"d{n}", "title": "", "text": " ".join(chance.choices(words, k=40))} for n in range(60)]
    queries = [{"_id": f"q{n}", "text": " ".join(chance.choices(words, k=5))} for n in range(40)]
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in corpus))
    (folder / "queries.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in queries))
    rows = [f"{one['_id']}\td{chance.randrange(60)}\t1\n" for one in queries]
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(rows))
    Path("mine.py").write_text(RETRIEVER)


def before_eval() -> None:
    """A benchmark, a store, and a result of before."""
    benchmark()
    filled_store()
    Path("out").mkdir()
    Path("out/result.json").write_text('{"schema": "old", "results": []}')


def before_import() -> None:
    """A store, and the export of another one that has evaluations in common with it."""
    from assay.store import Store

    with Store.open("other.db") as other:
        for number in (0, 60, 61, 62):
            other.save(results_of(number))
        other.bless("latest", "release")
        other.tag("latest", "taken-over")
        other.export("other.jsonl.zst")
    Path("other.db").unlink()
    filled_store()
    from assay.store.export import Exported, read_export

    names = [one.id for one in read_export(Path("other.jsonl.zst")) if isinstance(one, Exported)]
    earlier = json.loads(Path("earlier.json").read_text())
    Path("earlier.json").write_text(json.dumps(sorted({*earlier, *names})))


def before_export() -> None:
    """A store, and an export of before."""
    from assay.store import Store

    filled_store()
    with Store.open(STORE) as store:
        store.export("all.jsonl.zst", ["main"])


def before_delete() -> None:
    """A store, and the name of what shall go."""
    filled_store()
    Path("victim").write_text(json.loads(Path("earlier.json").read_text())[1])


def cached_index() -> int:
    """Evaluate with a cache even for the few documents here."""
    from assay.providers import index_cache

    index_cache.MIN_DOCUMENTS = 1
    return assay(*CACHED, "bm25")()


def delete() -> int:
    """Delete an evaluation by its id."""
    return assay("results", "delete", Path("victim").read_text())()


def before_migrate() -> None:
    """A store as the first layout had it."""
    import sqlite3

    filled_store(6)
    connection = sqlite3.connect(STORE, isolation_level=None)
    for column in ("comparable", "blessed"):
        connection.execute(f"ALTER TABLE assay_results DROP COLUMN {column}")
    connection.execute("DROP INDEX assay_evaluations_identity")
    connection.execute("ALTER TABLE assay_evaluations DROP COLUMN identity")
    connection.execute("DELETE FROM assay_schema WHERE version > 1")
    connection.close()


def before_gate() -> None:
    """A store, and what the gate said before."""
    filled_store()
    for name in ("gate.json", "gate.md"):
        Path(name).write_text("old")


def before_ontology() -> None:
    """An ontology that takes a while to read."""
    lines = ["format-version: 1.2", "data-version: small/1", ""]
    for number in range(3000):
        lines += ["[Term]", f"id: X:{number:07}", f"name: term {number} of fever", f'synonym: "word {number}" EXACT []']
        lines += [f"is_a: X:{number // 3:07}"] if number else []
        lines.append("")
    Path("small.obo").write_text("\n".join(lines))


def ontology_state() -> dict[str, str]:
    """Ontologies that are cached."""
    found = {}
    for path in sorted(Path("cache/ontologies").glob("*.bin")):
        found |= file_state(str(path))
    return found


def _operation(
    name: str, prepare: Callable[[], None], run: Callable[[], int], look: Callable[[], Any], **more: Any
) -> Operation:
    return Operation(name, prepare, run, **{"again": run, "look": look, **more})


CACHED = (*EVAL, "--no-store", "--providers")
GATE = assay("gate", "latest", "--baseline", "main", *RULES, "-o", "gate.json", "-o", "gate.md")
ALL = (
    _operation(
        "eval",
        before_eval,
        assay(*EVAL, "--providers", "tfidf_chars", "python:mine:search"),
        lambda: {**store_state(), **results_state("out/result.json")},
        again=assay(*EVAL, "--providers", "tfidf_chars", "python:mine:search", "--resume"),
        is_one=False,
    ),
    _operation("save", filled_store, save_one, store_state),
    _operation("first save", lambda: None, save_one, store_state, is_one=False),
    _operation(
        "export",
        before_export,
        assay("results", "export", "all.jsonl.zst"),
        lambda: {**store_state(), **export_state("all.jsonl.zst")},
    ),
    _operation("import", before_import, assay("results", "import", "other.jsonl.zst"), store_state, is_one=False),
    _operation("bless", filled_store, assay("bless", "latest", "--as", "main"), store_state),
    _operation("delete", before_delete, delete, store_state, codes=(0, 2)),
    _operation("migrate", before_migrate, assay("store", "check"), store_state),
    _operation(
        "answer cache",
        before_eval,
        assay(*CACHED, "bm25", "tfidf_chars"),
        lambda: {**store_state(), **results_state("out/result.json"), **answers_state()},
        is_one=False,
    ),
    _operation(
        "embedding cache",
        before_eval,
        assay(*CACHED, "dense"),
        lambda: {**store_state(), **results_state("out/result.json"), **embeddings_state()},
        is_one=False,
    ),
    _operation(
        "index cache",
        before_eval,
        cached_index,
        lambda: {**store_state(), **results_state("out/result.json"), **answers_state(), **indexes_state()},
        is_one=False,
    ),
    _operation(
        "ontology cache",
        before_ontology,
        assay("ontology", "search", "fever", "--ontology", "small.obo", "-f", "json"),
        ontology_state,
        prints=True,
    ),
    _operation(
        "gate",
        before_gate,
        GATE,
        lambda: {**store_state(), **file_state("gate.json"), **file_state("gate.md")},
        is_one=False,
        prints=True,
    ),
)
