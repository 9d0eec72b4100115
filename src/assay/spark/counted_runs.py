"""Counted runs: what workers return about judged documents, and how the driver puts it together.

A worker returns a row for a part of a run: numbers of judgments, each with how many rows are better, how many are equal, and
how many equal rows have a higher id. That is all that ranking needs, so nothing else is collected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Ints
from assay.files import CountedJudgments, Placed
from assay.model import Qrels, RankRule
from assay.spark.faults import RowFault, raise_first
from assay.spark.run_table import RunTable
from assay.views import Ranked

EXAMPLES = 6
"""Ids of queries without judgments that a part returns; errors show up to five of them."""
FAULT = ("fault", "fault_query", "fault_document")
PART_COLUMNS = {
    "run": "string",
    "precision": "string",
    "drop_self": "boolean",
    **dict.fromkeys(("query", "length", "judgment", "better", "equal", "above"), "array<bigint>"),
    "n_constant": "bigint",
    "n_extra": "bigint",
    "extra": "array<string>",
    **dict.fromkeys(FAULT, "string"),
}
"""The columns of what workers return, with their types."""
PART_SCHEMA = ", ".join(f"{name} {kind}" for name, kind in PART_COLUMNS.items())


class Scanned(NamedTuple):
    """What decides which rows of a ranking are compared, and how: a rank rule without the order of equal scores."""

    precision: str
    drop_self: bool

    @classmethod
    def all_of(cls, rules: Collection[RankRule]) -> tuple[Scanned, ...]:
        """Those of several rules, each once."""
        return tuple(dict.fromkeys(cls(rule.precision, rule.drop_self) for rule in rules))


class Part(NamedTuple):
    """What one worker counted in one part of a run."""

    scanned: Scanned
    query: Ints
    """The judged queries of the part."""
    length: Ints
    """For each of them, the number of its documents."""
    judgment: Ints
    placed: Placed
    n_constant: int
    n_extra: int
    extra: tuple[str, ...]
    """The ids of some queries without judgments."""

    def row(self, run: str) -> dict[str, Any]:
        """The part as a row of a table."""
        better, equal, above = self.placed.better, self.placed.equal, self.placed.above
        arrays = {"query": self.query, "length": self.length, "judgment": self.judgment, "better": better, "equal": equal}
        numbers = {"n_constant": self.n_constant, "n_extra": self.n_extra, "extra": list(self.extra)}
        return {"run": run, **self.scanned._asdict(), **arrays, "above": above, **numbers, **dict.fromkeys(FAULT)}

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Part:
        """The part in a row."""
        better, equal, above = row["better"], row["equal"], row["above"]
        placed, scanned = Placed(better, equal, above, np.zeros_like(above)), Scanned(row["precision"], row["drop_self"])
        arrays = row["query"], row["length"], row["judgment"]
        return cls(scanned, *arrays, placed, row["n_constant"], row["n_extra"], tuple(row["extra"]))


def fault_row(fault: RowFault) -> dict[str, Any]:
    """A row that says what is wrong with the data, and where."""
    none: Ints = np.zeros(0, dtype=np.int64)
    empty = Part(Scanned("", False), none, none, none, Placed(none, none, none, none), 0, 0, ())
    return empty.row(fault.run) | dict(zip(FAULT, (fault.what, fault.query, fault.document), strict=True))


@dataclass(frozen=True)
class CountedRun:
    """All parts of one run."""

    parts: Sequence[Part]

    def ranked(self, qrels: Qrels, rules: Collection[RankRule], tag: str) -> dict[RankRule, Ranked]:
        """The run ranked by several rules."""
        counted = {scanned: self._counted(qrels, scanned) for scanned in Scanned.all_of(rules)}
        extra = tuple(sorted({query for part in self.parts for query in part.extra}))
        ranked = {rule: counted[Scanned(rule.precision, rule.drop_self)].ranked(qrels, rule, tag) for rule in rules}
        return {rule: replace(some, extra=extra) for rule, some in ranked.items()}

    def _counted(self, qrels: Qrels, scanned: Scanned) -> CountedJudgments:
        parts = [part for part in self.parts if part.scanned == scanned]
        length = np.full(len(qrels), -1, dtype=np.int64)
        for part in parts:
            length[part.query] = part.length
        judgment = np.concatenate([np.zeros(0, dtype=np.int64), *(part.judgment for part in parts)])
        placed = Placed.joined([part.placed for part in parts])
        n_constant, n_extra = (sum(getattr(part, name) for part in parts) for name in ("n_constant", "n_extra"))
        return CountedJudgments(judgment, {scanned.precision: placed}, length, n_constant, n_extra)


def collected_runs(rows: Iterable[Mapping[str, Any]], table: RunTable) -> dict[str, CountedRun]:
    """Run → its parts, from the rows that workers returned; an error if one of them found a fault in the data."""
    parts: dict[str, list[Part]] = {}
    faults: list[RowFault] = []
    for row in rows:
        what, query, document = (row[name] for name in FAULT)
        if what is None:
            parts.setdefault(row["run"], []).append(Part.of(row))
        else:
            faults.append(RowFault(row["run"], query, document, what))
    raise_first(faults, table)
    return {run: CountedRun(parts[run]) for run in sorted(parts)}


def arrow_of_rows(rows: list[dict[str, Any]], text: Any) -> Any:
    """Rows of parts as a table of Arrow, with exactly the types that Spark expects; `text` is its type of text."""
    import pyarrow as pa

    kinds = {"string": text, "boolean": pa.bool_(), "bigint": pa.int64()}
    kinds |= {f"array<{name}>": pa.list_(kind) for name, kind in kinds.items()}
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, kinds[kind]) for name, kind in PART_COLUMNS.items()]))


def rows_of_arrow(table: Any) -> list[dict[str, Any]]:
    """The rows of a collected table, with lists of numbers as arrays."""
    columns = {name: table.column(name).combine_chunks() for name in table.column_names}
    return [{name: _value(column[number]) for name, column in columns.items()} for number in range(table.num_rows)]


def _value(scalar: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_list(scalar.type) or pa.types.is_large_list(scalar.type):
        values = scalar.values
        if pa.types.is_integer(values.type):
            return values.to_numpy(zero_copy_only=False).astype(np.int64)
        return values.to_pylist()
    return scalar.as_py()
