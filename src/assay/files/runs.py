"""Read runs from TREC files, JSON, JSONL, CSV, TSV, Parquet, data frames, arrays and records."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from assay.errors import DataError, Faults, current_leniency, most_faults
from assay.files.columns import is_table
from assay.files.features.reader import is_feature_line
from assay.files.hits import NOTHING, RESULTS, Row, are_result_records, hits_of, is_listed, listed_rows
from assay.files.json_text import parse_json, read_json_records
from assay.files.rows import (
    FILE_ORDER,
    THREE,
    THREE_READ,
    Roles,
    file_rows,
    has_three,
    memory_rows,
    n_columns,
    record_rows,
    trec_fields,
    trec_ids,
    trec_rows,
)
from assay.files.source import NOT_UTF8, FileSource, as_source
from assay.files.traces import holds_traces, read_traces
from assay.model import (
    EMPTY_ID,
    Ranking,
    Rankings,
    RankReader,
    Run,
    as_rankings,
    is_truth_value,
    parse_number,
    rankings_of_mapping,
    text_id,
    thoroughly_checked,
    unpacked,
)

LAYOUT = "query Q0 document rank score tag"
RUN_ROLES = Roles("run")
NO_RANKINGS = "the file contains no rankings; it needs at least one query with one document"


@as_rankings.register(object)
def _read_run(source: Any, duplicates: str = "error") -> Rankings:
    """A run from a file, a data frame, an array or records."""
    source = as_source(source)
    if isinstance(source, FileSource):
        return _read_file(source, duplicates)
    return _read_memory(source, duplicates)


def _read_memory(source: Any, duplicates: str) -> Rankings:
    faults = Faults("run", "row")
    by_query = _collect(memory_rows(source, RUN_ROLES, faults), faults, duplicates)
    return Rankings(by_query, read_ranks=rank_reader(source))


FIRST_KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:')
"""The first key of a JSON object."""


def first_query(source: FileSource) -> str | None:
    """The first query of a run, for which little is read; None if the file has traces, in which any query may be first."""
    if holds_traces(source):
        return None
    if source.kind == "json":
        with source.reading() as file:
            key = FIRST_KEY.search(file.read(1 << 12))
        return key[1].decode("utf-8", "replace") if key else ""
    if source.kind == "trec":
        return (trec_ids(source.first_line) or ("",))[0]
    faults = Faults(source.label)
    try:
        rows = (
            record_rows([parse_json(source.first_line)], RUN_ROLES, faults)
            if source.kind == "jsonl"
            else file_rows(source, RUN_ROLES, faults)
        )
        return next((text_id(query) for _, query, *_ in rows), "")
    except ValueError:  # explained when the run is read
        return ""


@as_rankings.register(Mapping)
def _read_mapping(source: Mapping[Any, Any], duplicates: str = "error") -> Rankings:
    """A run from a nested mapping, a mapping to hits, a prepared Run, a mapping of columns, or a single record."""
    if isinstance(source, Run):
        return source.as_given()
    if is_table(source):
        return _read_memory(source, duplicates)
    if is_listed(source):
        return _read_memory([source], duplicates)
    if set(map(type, source.values())) <= {dict}:
        return rankings_of_mapping(source, duplicates)
    lists = {query: unpacked(ranking) for query, ranking in source.items()}
    hits = hits_of(lists)
    pairs = lists if hits is None else {query: [(hit.doc_id, hit.score) for hit in some] for query, some in hits.items()}
    return rankings_of_mapping(pairs, duplicates)


def _read_file(source: FileSource, duplicates: str) -> Rankings:
    faults = Faults(source.label)
    tag = ""
    if holds_traces(source):
        return _from_traces(source, duplicates)
    if source.kind == "json":
        return _from_json(source, duplicates)
    if source.kind == "trec":
        if is_feature_line(source.first_line):
            message = "expected a run, found documents with labels and features (LETOR)"
            raise DataError(message, source=source.label, hint=FILE_ORDER)
        if n_columns(source.first_line) == 4:
            message = f"expected a run (6 columns: {LAYOUT}), found what looks like judgments (4 columns)"
            raise DataError(message, source=source.label, hint=FILE_ORDER)
        tag = b" ".join(trec_fields(source.first_line, 6)[5:]).decode("utf-8", "replace")
        rows = _three_rows(source, faults) if has_three(source.first_line) else _trec_rows(source, faults)
    else:
        rows = file_rows(source, RUN_ROLES, faults)
    with source.left_out_noted():
        by_query = _collect(rows, faults, duplicates, source)
    if not by_query:
        raise DataError(NO_RANKINGS, source=source.label)
    return Rankings(by_query, tag, rank_reader(source), source.notes)


def _from_traces(source: FileSource, duplicates: str) -> Rankings:
    """The rankings of spans, which have no ranks besides their order."""
    faults = Faults(source.label)
    rows = (row for place, record in read_traces(source) for row in listed_rows(place, record))
    return Rankings(_collect(rows, faults, duplicates, source), notes=source.notes)


def _from_json(source: FileSource, duplicates: str) -> Rankings:
    content = read_json_records(source, "run")
    if isinstance(content, Mapping) and are_result_records(content.get(RESULTS)):
        content = content[RESULTS]
    try:
        rankings = thoroughly_checked(as_rankings(content, duplicates))
        Run.borrow(rankings).scores  # noqa: B018 (validates the scores while the file's name is known)
    except DataError as error:
        raise error.at(source.label) from None
    if not rankings.by_query:
        raise DataError(NO_RANKINGS, source=source.label)
    return rankings


def _trec_rows(source: FileSource, faults: Faults) -> Iterator[Row]:
    for number, fields in trec_rows(source, 6, LAYOUT, faults):
        try:
            yield number, fields[0].decode(), fields[2].decode(), fields[4].decode(), None
        except UnicodeDecodeError:
            faults.add(number, NOT_UTF8)


def _three_rows(source: FileSource, faults: Faults) -> Iterator[Row]:
    """Query, document and rank, as in MS MARCO. Ranks must count up from 1 in each query, so that no score passes as one."""
    source.note(THREE_READ)
    n_read: dict[bytes, int] = {}
    for number, (query, doc, *cells) in trec_rows(source, 3, THREE, faults):
        rank = n_read[query] = n_read.get(query, 0) + 1
        try:
            value = parse_number(b" ".join(cells).decode())
            if value == rank:
                yield number, query.decode(), doc.decode(), -value, None
                continue
        except UnicodeDecodeError:
            faults.add(number, NOT_UTF8)
            continue
        except ValueError:
            pass
        message = f"expected rank {rank} for query {query.decode('utf-8', 'replace')}, found"
        message = f"{message} {b' '.join(cells).decode('utf-8', 'replace')!r}. {WHERE_NO_RANKS}"
        faults.add(number, message)
        return


WHERE_NO_RANKS = (
    "Three columns without a header must be query, document and rank, and the ranks of each query must count up from 1. "
    "If they are something else, name them in a header, such as: query_id doc_id score"
)


def _collect(rows: Iterable[Row], faults: Faults, duplicates: str, source: FileSource | None = None) -> dict[str, Ranking]:
    """Rankings by query; each row that cannot be ranked is a fault. A query whose rows are all faults is not in the run."""
    by_query: dict[str, Ranking] = {}
    empty: set[str] = set()
    """Queries with an empty ranking."""
    repeated: list[tuple[int, str, str]] = []
    last: Any = object()
    name = ""
    ranking: Ranking = {}
    n_rows, most = 0, most_faults(current_leniency())
    for n_rows, (place, query, doc, value, _) in enumerate(rows, 1):  # noqa: B007
        try:
            if type(query) is not str or query != last:
                name = text_id(query)
                ranking = by_query.setdefault(name, {})
                last = query
            doc = doc if type(doc) is str else text_id(doc)
            if not name or not doc:
                raise DataError(EMPTY_ID)
            is_plain = type(value) is str and "_" not in value and value.isascii()  # the quick way for nearly all
            score = float(value) if is_plain else parse_number(value)
        except (TypeError, ValueError, OverflowError) as error:
            _note_row(faults, empty, place, (name, doc, value), error)
        else:
            if score != score:
                faults.add(place, f"the score must be a number, not {value!r}", code="score")
            elif doc not in ranking:
                ranking[doc] = score
            elif duplicates == "keep_best":
                ranking[doc] = max(score, ranking[doc])
            else:
                repeated.append((place, name, doc))
        if len(faults) + len(repeated) >= most:
            break
    _report_repeated(repeated, faults, source)
    faults.raise_if_any(max(n_rows, len(faults)))
    return _with_rows(by_query, empty)


def _with_rows(by_query: dict[str, Ranking], empty: Collection[str]) -> dict[str, Ranking]:
    """The rankings that have rows, and those that are meant to be empty."""
    return {query: ranking for query, ranking in by_query.items() if ranking or query in empty}


def _note_row(faults: Faults, empty: set[str], place: int, row: tuple[str, Any, Any], error: Exception) -> None:
    """Note what is wrong with a row; nothing is wrong if it means an empty ranking."""
    query, doc, value = row
    if doc is NOTHING:
        empty.add(query)
        return
    message = f"the score must be a number, not {'the truth value ' * is_truth_value(value)}{value!r}"
    is_ours = isinstance(error, DataError)
    faults.add(place, str(error) if is_ours else message, code="" if is_ours else "score")


def _report_repeated(repeated: list[tuple[int, str, str]], faults: Faults, source: FileSource | None) -> None:
    remedy = "add --duplicates keep-best" if source else "set duplicates='keep_best' in assay.Policy or assay.Run"
    first = _first_lines({(query, doc) for _, query, doc in repeated}, source) if repeated else {}
    for place, query, doc in repeated:
        before = f" (first at line {first[query, doc]})" if (query, doc) in first else ""
        faults.add(
            place,
            f"document {doc} appears twice for query {query}{before}; to use the better score, {remedy}",
            code="duplicate",
        )


def _first_lines(pairs: set[tuple[str, str]], source: FileSource | None) -> dict[tuple[str, str], int]:
    """The first line of each (query, document) pair. This reads the file again, because the first pass stores no lines."""
    first: dict[tuple[str, str], int] = {}
    if source is not None and source.kind == "trec":
        for number, query, doc, _, _ in _trec_rows(source, Faults(source.label)):
            if (query, doc) in pairs:
                first.setdefault((query, doc), number)
                if len(first) == len(pairs):
                    break
    return first


RANK_ROLES = Roles("ranks")
NEEDED = "ties=rank_column needs the rank of every document"


def rank_reader(source: Any) -> RankReader | None:
    """A function that reads the ranks of a source when they are needed; None if the source can be read only once."""
    return None if isinstance(source, Iterator) else partial(_read_ranks, source)


def _read_ranks(source: Any) -> Mapping[str, Ranking]:
    """Query → document → rank; the better rank of a document that appears twice."""
    is_file = isinstance(source, FileSource)
    faults = Faults(source.label) if is_file else Faults("run", "row")
    by_query: dict[str, Ranking] = {}
    try:
        for place, query, doc, value, _ in _rows(source, faults) if is_file else memory_rows(source, RANK_ROLES, faults):
            ranks, name = by_query.setdefault(text_id(query), {}), text_id(doc)
            try:
                rank = parse_number(value)
            except (TypeError, ValueError):
                faults.add(place, f"the rank must be a number, not {value!r}")
            else:
                ranks[name] = min(rank, ranks.get(name, rank))
        faults.raise_if_any()
    except DataError as error:
        raise DataError(f"{NEEDED}: {error.message}", error.faults) from None
    return by_query


def _rows(source: FileSource, faults: Faults) -> Iterable[Row]:
    """The rows of a file, with ranks as values."""
    if source.kind != "trec":
        return file_rows(source, RANK_ROLES, faults)
    if has_three(source.first_line):
        rows = trec_rows(source, 3, "query document rank", faults)
        return ((number, fields[0].decode(), fields[1].decode(), fields[2].decode(), None) for number, fields in rows)
    rows = trec_rows(source, 6, "query Q0 document rank score tag", faults)
    return ((number, fields[0].decode(), fields[2].decode(), fields[3].decode(), None) for number, fields in rows)
