"""The quick reader for large runs: the database parses and hashes, NumPy ranks, and no row becomes a Python object.

One pass over the data yields three numbers per row: hashes of the query and of the document, and the score.
Judged documents are recognised by their hash within the right query. A wrong match needs two documents of one query
with equal 64-bit hashes, about one chance in 10¹¹ for seven million rows. If anything is unusual (a malformed row, a
duplicate, a missing value), the strict reader takes over, and also explains what is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints, ScoreOrder, sort_order, sort_stretches, unordered_stretches
from assay.errors import DataError
from assay.files.database import LineIndex, connect, is_interrupt, is_wrong_statement
from assay.files.rows import trec_fields
from assay.files.streamed_runs import rank_streamed
from assay.files.tables import Table, is_large, table_of
from assay.model import Qrels, RankRule, Stretches, ranx_orders
from assay.views import Ranked, RetrievedJudgments, Ties

Hashes = NDArray[np.uint64]
FEW_LINES = 1000
"""Up to this number of tied documents, reading their lines is quicker than another database query."""


class Rows(NamedTuple):
    """What the database reads: hashes of query and document together, hashes of the query alone, and scores."""

    pair: Hashes
    query: Hashes
    score: Floats
    lines: LineIndex | None
    drops_self: bool = False


class NeedsStrictReader(Exception):
    """The strict reader must read this source."""


def rank_source(
    source: Any, qrels: Qrels, rules: Collection[RankRule], *, name_extra: bool = False
) -> dict[RankRule, Ranked] | None:
    """Rank a large file or frame by several rules; None if the strict reader must do it, for example to name queries."""
    if not is_large(source) or any(rule.ties == "rank_column" for rule in rules):
        return None
    import duckdb

    with connect() as connection:
        try:
            table = _table_of(connection, source)
            ranked = rank_streamed(connection, table, source, qrels, rules) if table else None
            if table and ranked is None:
                ranked = _rank_table(connection, table, qrels, rules)
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except RuntimeError as error:
            if not is_interrupt(error):
                raise
            raise KeyboardInterrupt from None
        except (MemoryError, duckdb.OutOfMemoryException):
            label = getattr(source, "label", "the run")
            raise DataError("there is not enough memory to read it", source=label) from None
        except (NeedsStrictReader, duckdb.Error) as error:  # the connection may be broken; the strict reader has its own
            if is_wrong_statement(error):
                raise
            return None
    needs_names = ranked and name_extra and any(answer.n_extra for answer in ranked.values())
    return None if needs_names else ranked


def _table_of(connection: Any, source: Any) -> Table | None:
    try:
        return table_of(connection, source)
    except ValueError:  # no such columns, not JSON …: the strict reader explains it better
        return None


def _rank_table(connection: Any, table: Table, qrels: Qrels, rules: Collection[RankRule]) -> dict[RankRule, Ranked]:
    ranked: dict[RankRule, Ranked] = {}
    for drops in sorted({rule.drop_self for rule in rules}, reverse=True):
        rows = _checked_rows(connection, table)
        chosen = _without_self(rows) if drops else rows
        retrieved = _find_judged(connection, table, qrels, chosen)
        drops_nothing = drops and chosen is rows
        ranked |= {rule: retrieved.ranked(rule) for rule in rules if drops_nothing or rule.drop_self == drops}
        if drops_nothing:
            break
    return ranked


def _without_self(rows: Rows) -> Rows:
    """The rows without documents that have the same id as their query."""
    is_self = rows.pair == _paired(rows.query, rows.query)
    if not is_self.any():
        return rows
    if len(np.unique(rows.query[~is_self])) < len(np.unique(rows.query)):
        raise NeedsStrictReader  # a ranking that became empty is not a missing query
    return Rows(rows.pair[~is_self], rows.query[~is_self], rows.score[~is_self], None, drops_self=True)


def _find_judged(connection: Any, table: Table, qrels: Qrels, rows: Rows) -> RetrievedJudgments:
    pair, query, score, lines, drops_self = rows
    start, end, names = _stretches(query)
    if len(np.unique(names)) != len(names):
        order = np.argsort(query, kind="stable")
        pair, query, score, lines = pair[order], query[order], score[order], None
        start, end, names = _stretches(query)
    if table.is_counted:
        _check_ranks_count_up(score, start, end)
        lines = None
    judged_query, judged_pair = _hashed_qrels(connection, qrels)
    places = _lookup(np.argsort(names), names, judged_query)
    row, judgment = _match(pair, judged_pair)
    in_query = places[qrels.query_of[judgment]]
    right = (in_query >= 0) & (start[in_query] <= row) & (row < end[in_query])
    row, judgment, place = row[right], judgment[right], in_query[right]
    sort_stretches(pair, start, end)
    _check_no_duplicates(pair, start)
    scores = score[row]
    negated = np.negative(score, out=score)
    order_of = ScoreOrder.of(negated.copy() if len(unordered_stretches(negated, start, end)) else negated, start, end)
    select = f"SELECT * FROM ({table.select}) WHERE d <> q" if drops_self else table.select
    breaker = _TieBreaker(connection, select, qrels, order_of, negated, lines, row, judgment, place)
    return RetrievedJudgments(qrels, order_of, judgment, scores, places, breaker.places, tag=table.tag)


@dataclass(frozen=True)
class _TieBreaker:
    """Counts the equal scores that rank before a tied document: by the order of the file, or by ids that are read again."""

    connection: Any
    select: str
    qrels: Qrels
    order: ScoreOrder
    negated: Floats
    """Negated scores in the order of the file, query by query."""
    lines: LineIndex | None
    row: Ints
    judgment: Ints
    place: Ints

    def places(self, rule: RankRule, tied: Ints, ties: Ties) -> Ints:
        """The counts for these tied rows."""
        if not rule.ties.startswith("docid"):
            return self._by_file_order(rule, tied, ties)
        start = self.order.start[self.place[tied]]
        is_in_place = self.order.was_sorted[self.place[tied]].all() and ties.equal.sum() <= FEW_LINES
        if is_in_place and self.lines and self.lines.n_lines == len(self.negated):
            docs = [self.qrels.docs[number] for number in self.judgment[tied].tolist()]
            return _read_places(self.lines, rule.ties, start + ties.better, ties.equal, docs)
        score = -self.negated[self.row[tied]]
        return _places_among_equals(self.connection, self.select, self.qrels, rule, self.judgment[tied], score)

    def _by_file_order(self, rule: RankRule, tied: Ints, ties: Ties) -> Ints:
        """The counts if the order of the file decides, so that no id is needed."""
        place = self.place[tied]
        start = self.order.start[place]
        if rule.ties == "input_order" and self.order.was_sorted[place].all():
            return self.row[tied] - start - ties.better
        ahead = np.empty(len(tied), dtype=np.int64)
        with np.errstate(over="ignore"):
            negated = self.negated.astype(rule.precision, copy=False)
        is_ranx = rule.ties == "ranx"
        orders = (
            ranx_orders(negated.__getitem__, Stretches(self.order.start, self.order.end), place, *ties) if is_ranx else {}
        )
        for number in np.unique(place).tolist():
            mine = np.flatnonzero(place == number)
            low, high = self.order.start[number], self.order.end[number]
            best_first = (
                orders[number] if is_ranx else sort_order(negated[low:high], is_reversed=rule.ties == "reverse_order")
            )
            rank = np.empty(len(best_first), dtype=np.int64)
            rank[best_first] = np.arange(len(best_first))
            ahead[mine] = rank[self.row[tied][mine] - low] - ties.better[mine]
        return ahead


def _checked_rows(connection: Any, table: Table) -> Rows:
    """The rows, while a second thread checks whether this reader can read the file correctly."""
    if table.check is None:
        return Rows(*_hashed_rows(connection, table), None)
    with ThreadPoolExecutor(1) as pool:
        check = pool.submit(table.check)
        rows = _hashed_rows(connection, table)
        lines = check.result()
    if lines is None:
        raise NeedsStrictReader
    return Rows(*rows, lines if table.has_rows_by_line else None)


def _hashed_rows(connection: Any, table: Table) -> tuple[Hashes, Hashes, Floats]:
    sql = f"SELECT CASE WHEN bad THEN NULL ELSE hash(d) END AS document, hash(q) AS query, s FROM ({table.select})"
    columns = connection.execute(sql).fetchnumpy()
    document, query, score = columns["document"], columns["query"], columns["s"]
    if not len(document) or any(map(np.ma.is_masked, (document, score))) or np.isnan(score).any():
        raise NeedsStrictReader
    query = np.ma.getdata(query)
    return _paired(query, np.ma.getdata(document)), query, np.ma.getdata(score)


def _paired(query: Hashes, document: Hashes) -> Hashes:
    """One hash for query and document together."""
    return query * np.uint64(0x9E3779B97F4A7C15) + document


def _hashed_qrels(connection: Any, qrels: Qrels) -> tuple[Hashes, Hashes]:
    query, document = _hashes(connection, qrels.query_ids), _hashes(connection, qrels.docs)
    return query, _paired(query[qrels.query_of], document)


def _hashes(connection: Any, texts: Sequence[str]) -> Hashes:
    connection.register("texts", {"text": np.array(texts, dtype=object)})
    return np.ma.getdata(connection.execute("SELECT hash(text::VARCHAR) AS h FROM texts").fetchnumpy()["h"])


def _stretches(query: Hashes) -> tuple[Ints, Ints, Hashes]:
    """Start, end and hash of each stretch of rows with the same query."""
    start = np.concatenate(([0], np.flatnonzero(query[1:] != query[:-1]) + 1))
    return start, np.append(start[1:], len(query)), query[start]


def _lookup(order: Ints, names: Hashes, sought: Hashes) -> Ints:
    """The index of each sought hash in the names, given the order that sorts them; -1 if it is not there."""
    ordered = names[order]
    if (ordered[1:] == ordered[:-1]).any():
        raise NeedsStrictReader  # two names with one hash
    if not len(names):
        return np.full(len(sought), -1)
    near = np.minimum(np.searchsorted(ordered, sought), len(names) - 1)
    return np.where(ordered[near] == sought, order[near], -1)


def _match(rows: Hashes, judged: Hashes) -> tuple[Ints, Ints]:
    """Rows whose hash equals that of a judgment, and which judgment: compared by 24 bits first, then by all 64."""
    bits = np.zeros(1 << 24, dtype=bool)
    bits[(judged >> np.uint64(40)).view(np.int64)] = True
    candidate = np.flatnonzero(bits[(rows >> np.uint64(40)).view(np.int64)])
    judgment = _lookup(np.argsort(judged), judged, rows[candidate])
    hit = judgment >= 0
    return candidate[hit], judgment[hit]


def _check_no_duplicates(pair: Hashes, start: Ints) -> None:
    """Two equal hashes in one query are almost certainly a document ranked twice. `pair` is sorted within queries."""
    twin = np.flatnonzero(pair[1:] == pair[:-1]) + 1
    if len(np.setdiff1d(twin, start)):
        raise NeedsStrictReader


def _check_ranks_count_up(score: Floats, start: Ints, end: Ints) -> None:
    """Ranks must count up from 1 in each query; if they do not, the strict reader reports where."""
    if (score != np.repeat(start, end - start) - np.arange(len(score)) - 1).any():
        raise NeedsStrictReader


def _read_places(lines: LineIndex, ties: str, first: Ints, n_equal: Ints, docs: list[str]) -> Ints:
    """How many documents with the same score come before each of these. For few ties: reads their lines again."""
    groups = [range(row, row + count) for row, count in zip(first.tolist(), n_equal.tolist(), strict=True)]
    texts = lines.read(chain.from_iterable(groups))
    ahead = []
    for group, doc in zip(groups, docs, strict=True):
        equals = [trec_fields(texts[row], 6)[2].decode() for row in group]
        equals.sort(reverse=ties == "docid_desc")
        ahead.append(equals.index(doc))
    return np.array(ahead)


def _places_among_equals(connection: Any, select: str, qrels: Qrels, rule: RankRule, judgment: Ints, score: Floats) -> Ints:
    """How many documents with the same score come before each of these. For many ties: queries the database again."""
    with np.errstate(over="ignore"):
        score = score.astype(rule.precision).astype(np.float64)
    sought = {
        "q": np.array(qrels.query_ids, dtype=object)[qrels.query_of[judgment]],
        "d": np.array(qrels.docs, dtype=object)[judgment],
        "s": score,
        "number": np.arange(len(judgment)),
    }
    connection.register("wanted", sought)
    direction = "DESC" if rule.ties == "docid_desc" else "ASC"
    s = "s" if rule.precision == "float64" else "s::FLOAT::DOUBLE AS s"
    answer = connection.execute(
        f"""
        WITH tied AS (SELECT DISTINCT q::VARCHAR AS q, s FROM wanted),
             read AS (SELECT q, d, {s} FROM ({select})),
             equals AS (SELECT r.q, r.s, r.d FROM read r SEMI JOIN tied ON r.q = tied.q AND r.s = tied.s),
             placed AS (SELECT q, d, row_number() OVER (PARTITION BY q, s ORDER BY d {direction}) - 1 AS ahead FROM equals)
        SELECT number, ahead FROM wanted JOIN placed ON wanted.q = placed.q AND wanted.d = placed.d
        """
    ).fetchnumpy()
    if len(answer["number"]) != len(judgment):
        raise NeedsStrictReader
    ahead = np.empty(len(judgment), dtype=np.int64)
    ahead[answer["number"]] = answer["ahead"]
    return ahead
