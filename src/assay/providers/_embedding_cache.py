"""EmbeddingCache: vectors on disk by what they are vectors of; a fault of it costs time, never an answer."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np

from assay.providers._nearest import Vectors

FILE = "embeddings.sqlite"
TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, digest BLOB NOT NULL)"
UNREADABLE = (sqlite3.Error, OSError, UnicodeDecodeError)
"""What a damaged file raises; sqlite3 cannot even tell an error whose text is not UTF-8."""


def key_of(model: str, text: str) -> bytes:
    """A hash of the model and the text."""
    content = f"{len(model)}:{model}{text}"
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _digest(key: bytes, vector: bytes) -> bytes:
    return hashlib.blake2b(vector, key=key, digest_size=8).digest()


def _is_sound(key: bytes, vector: object, digest: object) -> bool:
    """Whether a row is as it was written."""
    return isinstance(vector, bytes) and len(vector) % 4 == 0 and _digest(key, vector) == digest


class EmbeddingCache:
    """One SQLite file: several processes may share it, a killed one leaves it whole, and each row is checksummed."""

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / FILE

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that are there and sound."""
        found: dict[bytes, Vectors] = {}
        if not self.path.is_file():
            return found
        with suppress(*UNREADABLE), self._open() as database:
            for key in keys:
                row = database.execute("SELECT vector, digest FROM vectors WHERE key = ?", (key,)).fetchone()
                if row and _is_sound(key, *row):
                    found[key] = np.frombuffer(row[0], np.float32)
        return found

    def write(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Keep these, if that can be done; a file that is no database any more is replaced."""
        rows = [(key, content := vector.tobytes(), _digest(key, content)) for key, vector in vectors.items()]
        with suppress(*UNREADABLE):
            try:
                self._write(rows)
            except sqlite3.OperationalError:
                return
            except (sqlite3.DatabaseError, UnicodeDecodeError):
                self.path.unlink()
                self._write(rows)

    def _write(self, rows: Sequence[tuple[bytes, bytes, bytes]]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._open() as database, database:
            database.execute(TABLE)
            database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=10)) as database:
            yield database
