"""Runs in every format, read strictly and quickly: both accept the same, refuse the same and give the same numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any
from unittest import mock

from assay import AssayError, Qrels, evaluate
from assay.datasets import _tables
from fuzz.component import Component, SilentDifference
from fuzz.components._database import share_database
from fuzz.components._documents import RUN_NAMES, RUN_ROWS, columns, json_lines, nested, parquet, records, table, trec_run
from fuzz.files import write_file

METRICS = ["map", "mrr", "dcg", "num_ret", "num_rel_ret"]
TOKENS = tuple(b"q1 7 d1 Q0 score rank query_id doc_id docno run 9e99 0.5".split())


share_database()


@cache
def _judged() -> Qrels:
    return Qrels({"q1": {"d1": 2, "d#2": 1, "x": 1}, "7": {"9": 1, "d1": 0}, "q2": {"a": 1}})


def _outcome(path: Any, least: int) -> Any:
    """What people see: scores and counts, or the error."""
    with mock.patch.multiple(_tables, LARGE_FILE=least, LARGE_FRAME=least):
        try:
            return evaluate(_judged(), path, METRICS).to_dict()
        except AssayError as error:
            return error


def check_both(name: str) -> Callable[[bytes], object]:
    """A check that reads a file of that name both ways."""

    def check(data: bytes) -> object:
        path = write_file(name, data)
        strict, quick = _outcome(path, 1 << 60), _outcome(path, 0)
        if isinstance(strict, AssayError) != isinstance(quick, AssayError) or _plain(strict) != _plain(quick):
            raise SilentDifference(f"strict and quick: {_plain(strict)!r:.500} and {_plain(quick)!r:.500}")
        if isinstance(strict, AssayError):
            raise strict
        return strict

    return check


def _plain(outcome: Any) -> Any:
    return str(outcome) if isinstance(outcome, AssayError) else json.dumps(outcome, sort_keys=True, default=str)


def _json_seeds() -> list[bytes]:
    values = (nested(RUN_ROWS), records(RUN_ROWS, RUN_NAMES), columns(RUN_ROWS, RUN_NAMES), {"run": nested(RUN_ROWS)})
    pairs = {query: list(ranking.items()) for query, ranking in nested(RUN_ROWS).items()}
    return [json.dumps(value, ensure_ascii=False).encode() for value in (*values, RUN_ROWS, pairs)]


def _trec_seeds() -> list[bytes]:
    text = trec_run()
    three = b"q1\td1\t1\nq1\t9\t2\n7\td1\t1\n7\t9\t2\n"
    return [text, text.replace(b" ", b"\t"), text.replace(b"\n", b"\r\n"), b"# by hand\n" + text, text.rstrip(b"\n"), three]


def _table_seeds(delimiter: str) -> list[bytes]:
    turned = [row[::-1] for row in RUN_ROWS]
    seeds = [table(RUN_ROWS, RUN_NAMES, delimiter), table(turned, ("sim", "docno", "qid"), delimiter)]
    return [*seeds, seeds[0].replace(b"d1", b'"d1"'), seeds[0].replace(b"\n", b"\r\n")]


COMPONENTS = (
    Component("run_trec", check_both("run.txt"), _trec_seeds, tokens=TOKENS),
    Component("run_csv", check_both("run.csv"), lambda: _table_seeds(","), tokens=TOKENS),
    Component("run_tsv", check_both("run.tsv"), lambda: _table_seeds("\t"), tokens=TOKENS),
    Component("run_json", check_both("run.json"), _json_seeds, "json", tokens=TOKENS),
    Component("run_jsonl", check_both("run.jsonl"), lambda: [json_lines(RUN_ROWS, RUN_NAMES)], "jsonl", tokens=TOKENS),
    Component("run_parquet", check_both("run.parquet"), lambda: [parquet(RUN_ROWS, RUN_NAMES)], "bytes"),
)
