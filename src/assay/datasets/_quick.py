"""The quick way for large runs: the database parses and hashes, NumPy ranks, nothing becomes a Python object per row.

One pass over the data yields three numbers per row: a hash of (query, document), a hash of the query, and the score.
Judged documents are recognised by the first hash within the right query: a wrong match needs two equal 64-bit hashes
within one query, about one chance in 10¹¹ for seven million rows. Where anything is out of the ordinary (a malformed
row, a duplicate, a missing value) the strict reader takes over, which also explains what is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.datasets._database import connect
from assay.datasets._source import FileSource
from assay.datasets._tables import Table, large_run
from assay.model.graded import graded_run
from assay.model.grading import Grading, rank_judged, settle
from assay.model.ordering import Floats, Ints, ScoreOrder, sort_stretches
from assay.model.policy import Policy
from assay.model.qrels import Qrels

Hashes = NDArray[np.uint64]


class OutOfTheOrdinary(Exception):
    """The strict reader must look at this."""


def grade_source(source: Any, qrels: Qrels, policy: Policy) -> Grading | None:
    """Grade a large file or frame; None where the strict reader should do it."""
    if not _may_be_large(source):
        return None
    import duckdb

    with connect() as connection:
        try:
            table = large_run(connection, source)
            return _grade_table(connection, table, qrels, policy) if table else None
        except (duckdb.Error, OutOfTheOrdinary):
            return None


def _may_be_large(source: Any) -> bool:
    return isinstance(source, FileSource) or hasattr(source, "column_names") or hasattr(source, "columns")


def _grade_table(connection: Any, table: Table, qrels: Qrels, policy: Policy) -> Grading:
    pair, query, score = _hashed_rows(connection, table)
    start, end, names = _stretches(query)
    if len(np.unique(names)) != len(names):
        order = np.argsort(query, kind="stable")
        pair, query, score = pair[order], query[order], score[order]
        start, end, names = _stretches(query)
    judged_query, judged_pair = _hashed_qrels(connection, qrels)
    places = _lookup(names, judged_query)
    row, judgment = _match(pair, judged_pair)
    in_query = places[qrels.query_of[judgment]]
    right = (in_query >= 0) & (start[in_query] <= row) & (row < end[in_query])
    row, judgment, place = row[right], judgment[right], in_query[right]
    sort_stretches(pair, start, end)
    _refuse_twins(pair, start)
    found = score[row]
    order_of = ScoreOrder.of(np.negative(score, out=score), start, end)

    def break_ties(tied: Ints, _before: Ints, _n_equal: Ints) -> Ints:
        return _places_among_equals(connection, table, qrels, policy.ties, judgment[tied], found[tied])

    rank = rank_judged(order_of, place, found, break_ties)
    n_retrieved = np.where(places >= 0, (end - start)[places], 0)
    graded = graded_run(qrels, judgment, rank, n_retrieved, table.tag)
    return settle(graded, policy, is_missing=places < 0, n_extra=len(names) - int((places >= 0).sum()))


def _hashed_rows(connection: Any, table: Table) -> tuple[Hashes, Hashes, Floats]:
    sql = f"SELECT CASE WHEN bad THEN NULL ELSE hash(q, d) END AS pair, hash(q) AS query, s FROM ({table.select})"
    columns = connection.execute(sql).fetchnumpy()
    pair, query, score = columns["pair"], columns["query"], columns["s"]
    if not len(pair) or any(map(np.ma.is_masked, (pair, score))) or np.isnan(score).any():
        raise OutOfTheOrdinary
    return np.ma.getdata(pair), np.ma.getdata(query), np.ma.getdata(score)


def _hashed_qrels(connection: Any, qrels: Qrels) -> tuple[Hashes, Hashes]:
    query_ids = np.array(qrels.query_ids, dtype=object)
    connection.register("judged_queries", {"q": query_ids})
    connection.register("judged", {"q": query_ids[qrels.query_of], "d": np.array(qrels.docs, dtype=object)})
    query = connection.execute("SELECT hash(q::VARCHAR) AS h FROM judged_queries").fetchnumpy()["h"]
    pair = connection.execute("SELECT hash(q::VARCHAR, d::VARCHAR) AS h FROM judged").fetchnumpy()["h"]
    if len(np.unique(pair)) != len(pair) or len(np.unique(query)) != len(query):
        raise OutOfTheOrdinary
    return np.ma.getdata(query), np.ma.getdata(pair)


def _stretches(query: Hashes) -> tuple[Ints, Ints, Hashes]:
    """Where each run of equal queries begins and ends, and its hash."""
    start = np.concatenate(([0], np.flatnonzero(query[1:] != query[:-1]) + 1))
    return start, np.append(start[1:], len(query)), query[start]


def _lookup(names: Hashes, wanted: Hashes) -> Ints:
    """The place of each wanted hash among the names; -1 where it is not."""
    order = np.argsort(names)
    near = np.minimum(np.searchsorted(names[order], wanted), len(names) - 1)
    return np.where(names[order][near] == wanted, order[near], -1)


def _match(rows: Hashes, judged: Hashes) -> tuple[Ints, Ints]:
    """Rows whose hash is that of a judgment, and which judgment: first by 24 bits of it, then by all 64."""
    bits = np.zeros(1 << 24, dtype=bool)
    bits[judged >> np.uint64(40)] = True
    candidate = np.flatnonzero(bits[rows >> np.uint64(40)])
    judgment = _lookup(judged, rows[candidate])
    hit = judgment >= 0
    return candidate[hit], judgment[hit]


def _refuse_twins(pair: Hashes, start: Ints) -> None:
    """Two equal hashes in one query: a document ranked twice, as good as certainly. `pair` is sorted within queries."""
    twin = np.flatnonzero(pair[1:] == pair[:-1]) + 1
    if len(np.setdiff1d(twin, start)):
        raise OutOfTheOrdinary


def _places_among_equals(connection: Any, table: Table, qrels: Qrels, ties: str, judgment: Ints, score: Floats) -> Ints:
    """How many documents with the same score come before each of these: a second look, at tied rows alone."""
    if ties == "input_order":
        raise OutOfTheOrdinary
    wanted = {
        "q": np.array(qrels.query_ids, dtype=object)[qrels.query_of[judgment]],
        "d": np.array(qrels.docs, dtype=object)[judgment],
        "s": score,
        "number": np.arange(len(judgment)),
    }
    connection.register("wanted", wanted)
    direction = "DESC" if ties == "docid_desc" else "ASC"
    answer = connection.execute(
        f"""
        WITH tied AS (SELECT DISTINCT q::VARCHAR AS q, s FROM wanted),
             equals AS (SELECT r.q, r.s, r.d FROM ({table.select}) r SEMI JOIN tied ON r.q = tied.q AND r.s = tied.s),
             placed AS (SELECT q, d, row_number() OVER (PARTITION BY q, s ORDER BY d {direction}) - 1 AS ahead FROM equals)
        SELECT number, ahead FROM wanted JOIN placed ON wanted.q = placed.q AND wanted.d = placed.d
        """
    ).fetchnumpy()
    if len(answer["number"]) != len(judgment):
        raise OutOfTheOrdinary
    ahead = np.empty(len(judgment), dtype=np.int64)
    ahead[answer["number"]] = answer["ahead"]
    return ahead
