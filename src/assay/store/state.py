"""State: whether a store has changed since somebody looked, without reading what is in it."""

from __future__ import annotations

from collections.abc import Hashable

from sqlalchemy import text

from assay.store.database import Database
from assay.store.tables import METADATA

NEVER_ALONE = {"assay_payloads", "assay_figures", "assay_datasets"}
"""Tables in which nothing changes unless something changes in another one."""


def state_of(database: Database) -> Hashable:
    """Of a file, when and how large it and its log are; of a server, the last change to each table that is listed."""
    path = database.place.path
    if path is None:
        return _state_of_server(database)
    found = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            stat = file.stat()
        except FileNotFoundError:
            found.append((0, 0, 0))
        else:
            found.append((stat.st_mtime_ns, stat.st_size, stat.st_ino))
    return tuple(found)


def _state_of_server(database: Database) -> Hashable:
    parts = [
        f"SELECT '{name}', count(*), max(xmin::text::bigint) FROM {name}"  # noqa: S608 (names of our own tables)
        for name in METADATA.tables
        if name not in NEVER_ALONE
    ]
    wanted = text(" UNION ALL ".join(parts) + " ORDER BY 1")
    return database.read(lambda one: tuple(tuple(row) for row in one.execute(wanted)))
