"""Reading: what the user set for one call that reads data, and what the readers found out; every reader follows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import BadParameter, near_matches
from assay.files.column_names import TABLE_COLUMNS, fold, squash
from assay.model import Document

COLUMN_ROLES = tuple(dict.fromkeys(role for table in TABLE_COLUMNS.values() for role in table))
"""The words for roles of columns."""
NO_COLUMN = "none"
"""Instead of a column: no column has this role, whatever the names are."""


@dataclass
class Reading:
    """What the user set, the files that were opened, and what users should know about columns."""

    columns: Mapping[str, str] = field(default_factory=dict)
    """Role → the column that the user named for it."""
    documents_from: Any = None
    """Where documents come from, if not from the benchmark itself."""
    as_of: Any = None
    """The time as of which documents count: `query` or a time; None: documents of any time."""
    vectors: Any = None
    """Where the vectors of documents come from: a file or the name of a model; None: from the usual model."""
    popularity: Any = None
    """Where the popularity of documents comes from; None: from the documents."""
    is_time_used: bool = False
    """Whether a benchmark was read as of this time."""
    documents: MutableMapping[str, Document] | None = None
    """These documents, when they are read."""
    opened: set[Path] = field(default_factory=set)
    """Files and folders that readers used."""
    used: set[str] = field(default_factory=set)
    """Roles whose named column was found."""
    has_tables: bool = False
    """Whether any table was read."""
    notes: dict[tuple[str, ...], tuple[str, str, str]] = field(default_factory=dict)
    """Subject → place, text and kind of a note; each subject is noted once."""

    def note_once(self, subject: tuple[str, ...], place: str, what: str, *, code: str = "columns") -> None:
        """Note something about a whole table, which all its records would repeat."""
        self.notes.setdefault(subject, (place, what, code))

    def check_columns_used(self) -> None:
        """Raise for a column that the user named and no table has."""
        for role, column in self.columns.items():
            if role not in self.used and not self.is_unwanted(role):
                raise BadParameter(f"no table has a column called {column!r}, which was named as {role}={column}")

    def named_roles(self, table: str, columns: Iterable[str]) -> frozenset[tuple[str, str]]:
        """Pairs of column and role, for the columns that the user named and that this table has.

        The role is empty if the column would have a role that no column is to have.
        """
        self.has_tables = True
        if not self.columns:
            return frozenset()
        there = list(columns)
        pairs = ((self.named_column(role, there), role) for role in self.columns if role in TABLE_COLUMNS[table])
        named = {(column, role) for column, role in pairs if column is not None}
        return frozenset(named | {(column, "") for column in self._unwanted_columns(table, there)})

    def is_unwanted(self, role: str) -> bool:
        """Whether no column is to have this role."""
        return fold(self.columns.get(role, "")) == NO_COLUMN

    def _unwanted_columns(self, table: str, columns: Iterable[str]) -> Iterator[str]:
        """The columns whose names would give them a role that no column is to have."""
        roles = [role for role in TABLE_COLUMNS[table] if self.is_unwanted(role)]
        accepted = {squash(name) for role in roles for name in TABLE_COLUMNS[table][role]}
        yield from (column for column in columns if squash(column) in accepted)

    def named_column(self, role: str, columns: Collection[str]) -> str | None:
        """The column that the user named for a role, if it is one of these; else one whose name differs only in spelling."""
        name = self.columns.get(role)
        if name is None:
            return None
        column = name if name in columns else next((other for other in columns if fold(other) == fold(name)), None)
        if column is not None:
            self.used.add(role)
        return column


_READING: ContextVar[Reading | None] = ContextVar("reading", default=None)


@contextmanager
def reading_with(reading: Reading) -> Iterator[Reading]:
    """Let every reader follow these settings. The call around this one learns which columns were found."""
    outer = current_reading()
    token = _READING.set(reading)
    try:
        yield reading
    finally:
        _READING.reset(token)
        outer.used |= reading.used
        outer.has_tables |= reading.has_tables
        outer.is_time_used |= reading.is_time_used


def current_reading() -> Reading:
    """The settings of the present call; the defaults outside of one."""
    return _READING.get() or Reading()


def note_opened(path: Path) -> None:
    """Remember that a reader uses a file, or all files of a folder."""
    if (reading := _READING.get()) is not None:
        reading.opened.add(path)


def parse_columns(value: str | Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    """Role → column, from `query=q,text=body`, a list of such texts, or a mapping."""
    if value is None:
        return {}
    pairs = {str(role): str(column) for role, column in value.items()} if isinstance(value, Mapping) else _parse_pairs(value)
    return {_parse_role(role, column): column for role, column in pairs.items()}


def _parse_role(word: str, column: str) -> str:
    """The role that a word means: a role, or a column name that only one role has, such as `question`."""
    if word in COLUMN_ROLES:
        return word
    roles = {role for table in TABLE_COLUMNS.values() for role, names in table.items() if fold(word) in names}
    if len(roles) == 1:
        return roles.pop()
    if column in COLUMN_ROLES:
        raise BadParameter(f"no column has the role {word!r}. Write the role first: {column}={word}")
    near = near_matches(word, COLUMN_ROLES)
    question = f" Did you mean {near[0]}?" if near else ""
    raise BadParameter(f"no column has the role {word!r}.{question}   (choose from {', '.join(COLUMN_ROLES)})")


def _parse_pairs(value: str | Sequence[str]) -> dict[str, str]:
    texts = [value] if isinstance(value, str) else value
    parts = [part.partition("=") for text in texts for part in str(text).split(",") if part.strip()]
    if bad := ["".join(part) for part in parts if not part[1] or not part[0].strip() or not part[2].strip()]:
        raise BadParameter(f"columns must be given as role=column, such as query=q,text=body, not {bad[0]!r}")
    return {role.strip(): column.strip() for role, _, column in parts}
