"""Reading ranks: those that stand beside the scores of a run, for whoever orders equal scores by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from assay.datasets._listed import Row
from assay.datasets._rows import Roles, file_rows, memory_rows
from assay.datasets._source import FileSource
from assay.datasets._trec_lines import has_three, trec_rows
from assay.errors import DataError, Faults
from assay.model import Ranking, RankReader, parse_number, text_id

ROLES = Roles("ranks")
NEEDED = "ties=rank_column orders equal scores by the ranks beside them"


def rank_reader(source: Any) -> RankReader | None:
    """What reads the ranks of a source, when they are asked for; None where it can be read only once."""
    return None if isinstance(source, Iterator) else partial(_read_ranks, source)


def _read_ranks(source: Any) -> Mapping[str, Ranking]:
    """Query → document → rank; of a document that comes twice the better."""
    is_file = isinstance(source, FileSource)
    faults = Faults(source.label if is_file else "run, row")
    by_query: dict[str, Ranking] = {}
    try:
        for place, query, doc, value, _ in _rows(source, faults) if is_file else memory_rows(source, ROLES, faults):
            ranks, name = by_query.setdefault(text_id(query), {}), text_id(doc)
            try:
                rank = parse_number(value)
            except (TypeError, ValueError):
                faults.add(place, f"rank {value!r} is not a number")
            else:
                ranks[name] = min(rank, ranks.get(name, rank))
        faults.raise_if_any()
    except DataError as error:
        raise DataError(f"{NEEDED}: {error.message}", error.faults) from None
    return by_query


def _rows(source: FileSource, faults: Faults) -> Iterable[Row]:
    """The rows of a file, with ranks for values."""
    if source.kind != "trec":
        return file_rows(source, ROLES, faults)
    if has_three(source.first_line):
        rows = trec_rows(source, 3, "query document rank", faults)
        return ((number, fields[0].decode(), fields[1].decode(), fields[2].decode(), None) for number, fields in rows)
    rows = trec_rows(source, 6, "query Q0 document rank score tag", faults)
    return ((number, fields[0].decode(), fields[2].decode(), fields[3].decode(), None) for number, fields in rows)
