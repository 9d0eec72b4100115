"""The cache of embeddings on disk: one SQLite file with a vector for each model and text."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

FILE = "embeddings.sqlite"
TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, digest BLOB NOT NULL)"
UNREADABLE = (sqlite3.Error, OSError, UnicodeDecodeError)
"""What a damaged file raises; sqlite3 raises UnicodeDecodeError if the text of its error is not UTF-8."""


def key_of(model: str, text: str) -> bytes:
    """A hash of the model and the text."""
    content = f"{len(model)}:{model}{text}"
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _digest(key: bytes, vector: bytes) -> bytes:
    return hashlib.blake2b(vector, key=key, digest_size=8).digest()


def _is_sound(key: bytes, vector: object, digest: object) -> bool:
    """Whether a row is unchanged since it was written."""
    return isinstance(vector, bytes) and len(vector) % 4 == 0 and _digest(key, vector) == digest


class EmbeddingCache:
    """One SQLite file. Several processes can share it, a killed process does not damage it, and each row has a checksum."""

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / FILE

    def read(self, keys: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        """The vectors that are cached and undamaged."""
        vectors: dict[bytes, npt.NDArray[np.float32]] = {}
        if not self.path.is_file():
            return vectors
        with suppress(*UNREADABLE), self._open() as database:
            for key in keys:
                row = database.execute("SELECT vector, digest FROM vectors WHERE key = ?", (key,)).fetchone()
                if row and _is_sound(key, *row):
                    vectors[key] = np.frombuffer(row[0], np.float32)
        return vectors

    def write(self, vectors: Mapping[bytes, npt.NDArray[np.float32]]) -> None:
        """Cache these vectors if possible; a damaged database is replaced."""
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
