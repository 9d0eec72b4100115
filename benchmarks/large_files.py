"""Files that are larger than memory should be: time in proportion to the rows, and memory that does not grow."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks._timing import Costs, Row, describe, take_turns_as_processes, within
from benchmarks._trec_files import Shape, make_trec_files
from benchmarks.files import FIVE_MILLION, score_command

DEEP = Shape(FIVE_MILLION, n_docs=10_000)
WIDE = Shape(10 * FIVE_MILLION)


def measure() -> Iterator[Row]:
    """Fifty million rows: with the queries of the smaller file, ten times deeper; and with ten times the queries."""
    small, deep = _cost(Shape(FIVE_MILLION), 3), _cost(DEEP, 1)
    more = describe(deep, small)
    yield within("assay score, 50 M rows, ten times deeper, CPU", "itself at 5 M rows", deep.cpu, small.cpu, 11, more=more)
    yield within("… peak memory", "itself at 5 M rows", deep.megabytes, small.megabytes, 1.3, "MB")
    wide = _cost(WIDE, 1)
    yield within("assay score, 50 M rows, ten times the queries: peak memory", "600 MB", wide.megabytes, 600, 1, "MB")
    yield within("… CPU", "itself at 5 M rows", wide.cpu, small.cpu, 11, more=describe(wide, small))


def _cost(shape: Shape, tries: int) -> Costs:
    qrels, run = make_trec_files(shape)
    return take_turns_as_processes(score_command(qrels, [run]), tries=tries)[0]
