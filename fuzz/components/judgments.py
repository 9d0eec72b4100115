"""Judgments in every format; those of TREC are read line by line and all at once, with the same result."""

from __future__ import annotations

import json
from codecs import BOM_UTF8 as BOM
from collections.abc import Callable

from assay import Qrels
from fuzz.component import Component
from fuzz.components._database import share_database
from fuzz.components._documents import (
    QRELS_NAMES,
    QRELS_ROWS,
    columns,
    json_lines,
    nested,
    parquet,
    records,
    table,
    trec_qrels,
)
from fuzz.components._same import same
from fuzz.files import write_file

TOKENS = tuple(
    b"q1 7 d1 0 1 2 -1 1.5 query_id doc_id relevance label query-id corpus-id score qrels subtopic iteration".split()
)
BEIR_NAMES = ("query-id", "corpus-id", "score")

share_database()


def _check(name: str) -> Callable[[bytes], object]:
    def check(data: bytes) -> object:
        qrels = Qrels(write_file(name, data))
        return len(qrels), {query: dict(qrels[query]) for query in qrels}

    return check


def _check_trec(data: bytes) -> object:
    """A comment before the first line makes every line be looked at by itself. A byte order mark stays in front of it."""
    first = _check("qrels.txt")
    mark = BOM if data.startswith(BOM) else b""
    commented = write_file("commented.txt", mark + b"# by line\n" + data.removeprefix(mark))
    return same("at once and by line", lambda: first(data)[1], lambda: {q: dict(g) for q, g in Qrels(commented).items()})


def _trec_seeds() -> list[bytes]:
    text = trec_qrels()
    return [
        text,
        text.replace(b" ", b"\t"),
        text.replace(b" 0 ", b" 1 ", 2),
        b"q1 1 d1 1\nq1 2 d1 0\n",
        b"q1\td1\t1\n7\t9\t2\n",
    ]


def _json_seeds() -> list[bytes]:
    grades = nested(QRELS_ROWS)
    values = (grades, records(QRELS_ROWS, QRELS_NAMES), columns(QRELS_ROWS, QRELS_NAMES), {"qrels": grades}, QRELS_ROWS)
    return [json.dumps(value, ensure_ascii=False).encode() for value in values]


def _seeds(delimiter: str) -> list[bytes]:
    return [table(QRELS_ROWS, QRELS_NAMES, delimiter), table(QRELS_ROWS, BEIR_NAMES, delimiter)]


COMPONENTS = (
    Component("judgments_trec", _check_trec, _trec_seeds, tokens=TOKENS),
    Component("judgments_csv", _check("qrels.csv"), lambda: _seeds(","), tokens=TOKENS),
    Component("judgments_tsv", _check("qrels.tsv"), lambda: _seeds("\t"), tokens=TOKENS),
    Component("judgments_json", _check("qrels.json"), _json_seeds, "json", tokens=TOKENS),
    Component(
        "judgments_jsonl", _check("qrels.jsonl"), lambda: [json_lines(QRELS_ROWS, QRELS_NAMES)], "jsonl", tokens=TOKENS
    ),
    Component("judgments_parquet", _check("qrels.parquet"), lambda: [parquet(QRELS_ROWS, QRELS_NAMES)], "bytes"),
)
