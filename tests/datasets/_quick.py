"""One logical run in every format the database reads, and both ways to read it."""

import pandas as pd
import polars as pl
import pyarrow as pa
import zstandard
from hypothesis import strategies as st

import assay
from assay import DataError, Qrels, Run
from assay.files import as_source, rank_source
from assay.model.policy import CHOICES, RankRule
from assay.views.grading import grade, settle

from ._cases import columns, delimited, jsonl, packed, parquet, trec_run, write
from ._sizes import sizes

NAMES = ("query_id", "doc_id", "score")


def shown(grading):
    """Everything a grading says, as plain values."""
    run = grading.run
    return {
        "queries": run.query_ids,
        "hits": list(
            zip(*(column.tolist() for column in (run.retrieved.query, run.retrieved.rank, run.retrieved.grade)), strict=True)
        ),
        "judgments": run.judgment.tolist(),
        "n_retrieved": run.n_retrieved.tolist(),
        "missing": grading.missing,
        "counts": grading.counts,
        "tag": run.tag,
        "max_grade": run.max_grade,
        "level": run.level,
        "ties": None if run.ties is None else [column.tolist() for column in run.ties],
    }


def taken(source, qrels, policy):
    """The quick grading, or None where it is left to the strict reader."""
    ranked = rank_source(source, qrels, [policy.rank_rule], name_extra=policy.extra == "error")
    return None if ranked is None else settle(ranked[policy.rank_rule], policy)


def quick(source, qrels, policy):
    """The quick grading, which must have been taken."""
    grading = taken(as_source(source), qrels, policy)
    assert grading is not None
    return shown(grading)


def strict(source, qrels, policy):
    return shown(grade(Run(source), qrels, policy))


def outcome(source, qrels, policy, least):
    """What people see: scores and counts, or the message of the error."""
    with sizes(least):
        try:
            return assay.evaluate(
                qrels, source, ["map", "mrr", "dcg", "num_ret", "num_rel_ret", "runid"], policy=policy
            ).to_dict()
        except DataError as error:
            return str(error)


WRITERS = {
    "blanks": lambda path, rows: write(path / "run.txt", trec_run(rows)),
    "tabs": lambda path, rows: write(path / "run.txt", trec_run(rows).replace(" ", "\t")),
    "CRLF": lambda path, rows: write(path / "run.txt", trec_run(rows).replace("\n", "\r\n")),
    "gzip": lambda path, rows: write(path / "run.gz", packed(trec_run(rows).encode())),
    "zstd": lambda path, rows: write(path / "run.zst", zstandard.compress(trec_run(rows).encode())),
    "CSV": lambda path, rows: write(path / "run.csv", delimited(rows, NAMES)),
    "CSV, CRLF": lambda path, rows: write(path / "run.csv", delimited(rows, NAMES).replace("\n", "\r\n")),
    "CSV, other order": lambda path, rows: write(
        path / "run.csv", delimited([(s, d, 1, q) for q, d, s in rows], ("sim", "docno", "n", "qid"))
    ),
    "CSV zstd": lambda path, rows: write(path / "run.csv.zst", zstandard.compress(delimited(rows, NAMES).encode())),
    "TSV": lambda path, rows: write(path / "run.tsv", delimited(rows, NAMES, "\t")),
    "TSV gzip": lambda path, rows: write(path / "run.tsv.gz", packed(delimited(rows, NAMES, "\t").encode())),
    "JSONL": lambda path, rows: write(path / "run.jsonl", jsonl(rows, NAMES)),
    "JSONL gzip": lambda path, rows: write(path / "run.jsonl.gz", packed(jsonl(rows, NAMES).encode())),
    "Parquet": lambda path, rows: parquet(path / "run.parquet", rows, NAMES),
    "pandas": lambda path, rows: pd.DataFrame(columns(rows, NAMES)),
    "polars": lambda path, rows: pl.DataFrame(columns(rows, NAMES)),
    "pyarrow": lambda path, rows: pa.table(columns(rows, NAMES)),
}
DOCS = st.sampled_from(["a", "b", "B", "a1", "a10", "a2", "d#", "é", "日", "😀", "x.y-z_9", "NULL", "007"])
SCORES = st.sampled_from([-1.0, -0.0, 0.0, 0.1, 0.30000000000000004, 0.5, 1.0, 1e-300, 1e300])
QUERIES = st.sampled_from(["q1", "q2", "q3", "7"])
ROWS = st.lists(st.tuples(QUERIES, DOCS, SCORES), min_size=1, max_size=25, unique_by=lambda row: row[:2])
"""Queries come in any order and interleaved, scores with and without ties, sorted and not."""
RULES = [
    RankRule(ties, precision, drop_self)
    for ties in ("docid_desc", "docid_asc", "input_order", "ranx")
    for precision in CHOICES["precision"]
    for drop_self in (False, True)
]
JUDGED = Qrels({"q1": {"b": 2, "x": 1}, "q2": {"a": 1}, "q9": {"a": 1}})
