"""Runs in every format, read strictly and quickly: both accept the same, refuse the same and give the same numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from assay import AssayError, Policy, Qrels, Run
from assay.files import as_source, block_runs, rank_blocks, rank_source, tables
from assay.views.grading import grade, settle
from fuzz.component import Component, SilentDifference
from fuzz.components._database import share_database
from fuzz.components._documents import RUN_NAMES, RUN_ROWS, columns, json_lines, nested, parquet, records, table, trec_run
from fuzz.files import write_file

TOKENS = tuple(b"q1 7 d1 Q0 score rank query_id doc_id docno run 9e99 0.5".split())

share_database()


@cache
def _judged() -> Qrels:
    return Qrels({"q1": {"d1": 2, "d#2": 1, "x": 1}, "7": {"9": 1, "d1": 0}, "q2": {"a": 1}})


def check_both(name: str) -> Callable[[bytes], object]:
    """A check that reads a file of that name both ways."""

    def check(data: bytes) -> object:
        return read_both(write_file(name, data))

    return check


def read_both(path: Path) -> object:
    """What the strict reader says; a difference where another one takes the file and says something else."""
    strict = _strict(path)
    for name, rank in (("quick", rank_source), ("block", rank_blocks)):
        other = _other(path, rank)
        if other is not None and other != strict:
            raise SilentDifference(f"strict and {name}: {strict!r:.600} and {other!r:.600}")
    if isinstance(strict, AssayError):
        raise strict
    return strict


def _strict(path: Path) -> Any:
    try:
        return _shown(grade(Run(path), _judged(), Policy()))
    except AssayError as error:
        return error


def _other(path: Path, rank: Callable[..., Any]) -> Any:
    """None where a reader leaves the file to the strict one, or refuses it with words of its own."""
    with mock.patch.multiple(tables, LARGE_FILE=0, LARGE_FRAME=0), mock.patch.multiple(block_runs, LEAST=0):
        try:
            ranked = rank(as_source(path), _judged(), [Policy().rank_rule])
            return None if ranked is None else _shown(settle(ranked[Policy().rank_rule], Policy()))
        except AssayError:
            return _refused(path)


def _refused(path: Path) -> None:
    """What another reader refuses, the strict one must refuse too."""
    if not isinstance(_strict(path), AssayError):
        raise SilentDifference("strict and quick: the quick one alone refuses")


def _shown(grading: Any) -> dict[str, Any]:
    """Everything a grading says, as plain values."""
    run = grading.run
    hits = (run.retrieved.query, run.retrieved.rank, run.retrieved.grade)
    return {
        "queries": run.query_ids,
        "hits": [column.tolist() for column in hits],
        "judgments": run.judgment.tolist(),
        "n_retrieved": run.n_retrieved.tolist(),
        "missing": grading.missing,
        "counts": grading.counts,
        "tag": run.tag,
        "ties": None if run.ties is None else [column.tolist() for column in run.ties],
    }


def _json_seeds() -> list[bytes]:
    values = (nested(RUN_ROWS), records(RUN_ROWS, RUN_NAMES), columns(RUN_ROWS, RUN_NAMES), {"run": nested(RUN_ROWS)})
    pairs = {query: list(ranking.items()) for query, ranking in nested(RUN_ROWS).items()}
    return [json.dumps(value, ensure_ascii=False).encode() for value in (*values, RUN_ROWS, pairs)]


def trec_seeds() -> list[bytes]:
    """TREC files with blanks, tabs, comments; and three columns."""
    text = trec_run()
    three = b"q1\td1\t1\nq1\t9\t2\n7\td1\t1\n7\t9\t2\n"
    return [text, text.replace(b" ", b"\t"), text.replace(b"\n", b"\r\n"), b"# by hand\n" + text, text.rstrip(b"\n"), three]


def _table_seeds(delimiter: str) -> list[bytes]:
    turned = [row[::-1] for row in RUN_ROWS]
    seeds = [table(RUN_ROWS, RUN_NAMES, delimiter), table(turned, ("sim", "docno", "qid"), delimiter)]
    return [*seeds, seeds[0].replace(b"d1", b'"d1"'), seeds[0].replace(b"\n", b"\r\n")]


def line_seeds() -> list[bytes]:
    """JSON lines."""
    turned = json_lines([row[::-1] for row in RUN_ROWS], ("sim", "docno", "qid"))
    return [json_lines(RUN_ROWS, RUN_NAMES), turned]


def _type_of(value: Any) -> str:
    return "stringValue" if isinstance(value, str) else "doubleValue"


def _trace_seeds() -> list[bytes]:
    """Export requests with one retriever span on each line, and spans as rows."""
    spans: list[dict[str, Any]] = []
    for number, (query, ranking) in enumerate(nested(RUN_ROWS).items()):
        fields: dict[str, Any] = {"openinference.span.kind": "RETRIEVER", "input.value": query}
        for place, (doc, score) in enumerate(ranking.items()):
            head = f"retrieval.documents.{place}.document"
            fields |= {f"{head}.id": doc, f"{head}.score": score, f"{head}.metadata": '{"chunk_id": 1}'}
        spans.append({"spanId": f"s{number}", "parentSpanId": "", "startTimeUnixNano": str(number), "attributes": fields})
    listed = [
        {
            **span,
            "attributes": [{"key": key, "value": {_type_of(value): value}} for key, value in span["attributes"].items()],
        }
        for span in spans
    ]
    requests = [{"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]} for span in listed]
    return ["".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in some).encode() for some in (requests, spans)]


COMPONENTS = (
    Component("run_traces", check_both("traces.jsonl"), _trace_seeds, "jsonl", tokens=TOKENS),
    Component("run_trec", check_both("run.txt"), trec_seeds, tokens=TOKENS),
    Component("run_csv", check_both("run.csv"), lambda: _table_seeds(","), tokens=TOKENS),
    Component("run_tsv", check_both("run.tsv"), lambda: _table_seeds("\t"), tokens=TOKENS),
    Component("run_json", check_both("run.json"), _json_seeds, "json", tokens=TOKENS),
    Component("run_jsonl", check_both("run.jsonl"), line_seeds, "jsonl", tokens=TOKENS),
    Component("run_parquet", check_both("run.parquet"), lambda: [parquet(RUN_ROWS, RUN_NAMES)], "bytes"),
)
