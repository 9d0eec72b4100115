"""Columns: find out which column of a table holds the query, the document, the score or the grade."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from assay.errors import DataError
from assay.files.column_names import COLUMN_NAMES, USER_WORDS, fold
from assay.files.reading import current_reading

MAX_COLUMNS = 1000
"""A mapping with more keys than this is not a table: its keys are queries."""


def find_columns(columns: Sequence[str], roles: Sequence[str], optional: Sequence[str] = ()) -> dict[str, str]:
    """Role → its column. If no column fits a required role, the error lists the columns that exist."""
    current_reading().has_tables = True
    folded = {fold(column): column for column in reversed(columns)}
    matches = {}
    for role in (*roles, *optional):
        match = _named_column(role, columns) or next((folded[name] for name in COLUMN_NAMES[role] if name in folded), None)
        if match is not None:
            matches[role] = match
        elif role in roles:
            raise DataError(
                f"found no {role} column among {', '.join(map(repr, columns))}; accepted names: "
                f"{', '.join(COLUMN_NAMES[role])}; or name the column: --columns {USER_WORDS.get(role, role)}=NAME"
            )
    return matches


INTERVAL_ROLES = ("valid_from", "valid_to")
"""Roles of columns that say when a judgment holds."""


def refuse_intervals(roles: Mapping[str, str]) -> None:
    """Raise for judgments that hold only for a time, where the times of queries are not known."""
    if columns := [roles[role] for role in INTERVAL_ROLES if role in roles]:
        what = f"judgments with {' and '.join(columns)} hold only for a time, so they need the times of queries"
        raise DataError(f"{what}. Put them into a benchmark: a folder with queries.csv and judgments.csv, or one JSON file")


def _named_column(role: str, columns: Collection[str]) -> str | None:
    """The column that the user named for a role, if this table has it."""
    return current_reading().named_column(USER_WORDS.get(role, role), columns)


def find_run_columns(columns: Sequence[str]) -> dict[str, str]:
    """Columns of a run: query, document and score, or rank if there is no score."""
    roles = find_columns(columns, ("query", "document"), ("score", "rank"))
    if "score" not in roles and "rank" not in roles:
        names = ", ".join((*COLUMN_NAMES["score"], *COLUMN_NAMES["rank"]))
        raise DataError(f"found no score or rank column among {', '.join(map(repr, columns))}; accepted names: {names}")
    return roles


def is_header(line: bytes) -> bool:
    """Whether a line of text is a header. A TREC line is not: it has a number in the fourth column."""
    words = line.split()
    if len(words) >= 4 and _is_number(words[3]):
        return False
    return is_table([field.decode("utf-8", "replace") for field in re.split(rb"[\t,; ]+", line.strip())])


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def is_table(columns: object) -> bool:
    """Whether these names include a query and a document column."""
    if not isinstance(columns, Sequence | Mapping) or isinstance(columns, str) or not 1 < len(columns) <= MAX_COLUMNS:
        return False
    names = [column for column in columns if isinstance(column, str)]
    folded = {fold(name) for name in names}
    return all(folded & {*COLUMN_NAMES[role]} or _named_column(role, names) for role in ("query", "document"))
