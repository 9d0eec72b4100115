"""Embeddings: models that turn texts into vectors of length 1, and a cache of these vectors on disk."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import ProviderError
from assay.extras import install_command
from assay.providers.loading import check_installed, import_package
from assay.providers.nearest import Vectors
from assay.providers.reporting import Report, report_nothing

WORDLLAMA = "wordllama"
TEXTS_AT_ONCE = 1024


@dataclass(frozen=True)
class EmbeddingModel:
    """A model that turns texts into vectors; `identity` changes whenever the vectors change."""

    identity: str
    vectors: Callable[[list[str]], Vectors]
    """Texts, none of them blank → one row per text."""


def check_model(owner: str, model: str) -> None:
    """Raise unless the package that the model needs is installed; a file of vectors is not a model."""
    if model.lower().endswith((".npy", ".npz")):
        message = f"{owner}(model='{model}'): {model} contains vectors, not a model. To search vectors, use"
        raise ProviderError(f"{message} vectors(documents={model}, queries=queries{Path(model).suffix})")
    if model == WORDLLAMA:
        check_installed(owner, "wordllama", install_command("dense"))
    else:
        check_installed(f"{owner}(model='{model}')", "sentence_transformers", install_command("sentence-transformers"))


@cache
def load_model(model: str) -> EmbeddingModel:
    """The model, loaded once per process."""
    check_model("dense", model)
    return _wordllama() if model == WORDLLAMA else _sentence_transformer(model)


def embed(
    model: EmbeddingModel, texts: Sequence[str], store: EmbeddingCache | None = None, report: Report = report_nothing
) -> Vectors:
    """A vector of length 1 per text, a zero vector for a blank text. Equal texts are embedded once, cached ones never."""
    valid = list(map(readable, texts))
    keys = {text: key_of(model.identity, text) for text in dict.fromkeys(valid) if text.strip()}
    known = store.read(list(keys.values())) if store else {}
    asked = [text for text, key in keys.items() if key not in known]
    for start in range(0, len(asked), TEXTS_AT_ONCE):
        report(len(texts) - len(asked) + start, len(texts))
        some = asked[start : start + TEXTS_AT_ONCE]
        new = dict(zip([keys[text] for text in some], _of_length_1(model.vectors(some)), strict=True))
        known |= new
        if store:
            store.write(new)
    report(len(texts), len(texts))
    width = len(next(iter(known.values()))) if known else 0
    nothing = np.zeros(width, np.float32)
    rows = [known[keys[text]] if text in keys else nothing for text in valid]
    return np.stack(rows) if rows else np.zeros((0, width), np.float32)


def _of_length_1(vectors: Vectors) -> Vectors:
    vectors = np.ascontiguousarray(vectors, np.float32)
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all():
        raise ProviderError("the embedding model returned a vector with a number that is not finite")
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _wordllama() -> EmbeddingModel:
    """The model with 256 dimensions that is part of the wheel. The vector of a text is the mean of its token vectors."""
    package, loaded = _load_wordllama()
    table = loaded.embedding

    def vectors(texts: list[str]) -> Vectors:
        from scipy.sparse import csr_matrix

        encoded = loaded.tokenizer.encode_batch(texts, add_special_tokens=False)
        tokens = [np.minimum(np.array(encoding.ids, np.int32), len(table) - 1) for encoding in encoded]
        ends = np.cumsum([0, *map(len, tokens)])
        flat = np.concatenate(tokens)
        counts = csr_matrix((np.ones(len(flat), np.float32), flat, ends), shape=(len(texts), len(table)))
        counts.sum_duplicates()
        return counts @ table

    return EmbeddingModel(f"{WORDLLAMA} {package.__version__} {table.shape[1]}", vectors)


def wordllama_tokens(text: str) -> list[str]:
    """The tokens into which the model in the wheel splits a text."""
    _, loaded = _load_wordllama()
    return list(loaded.tokenizer.encode(readable(text), add_special_tokens=False).tokens)


@cache
def _load_wordllama() -> tuple[Any, Any]:
    """The package and its model, loaded once per process."""
    with _logging_left_alone():
        package = import_package("dense", "wordllama", install_command("dense"))
        loaded = package.WordLlama.load(cache_dir=Path(package.__file__).parent, disable_download=True)
    loaded.tokenizer.no_padding()
    return package, loaded


def readable(text: str) -> str:
    """The text with question marks for characters that are not valid Unicode, which tokenizers refuse."""
    return text.encode("utf-8", "replace").decode()


def _sentence_transformer(model: str) -> EmbeddingModel:
    """A sentence-transformers model, by name or by path."""
    package: Any = import_package("dense", "sentence_transformers", install_command("sentence-transformers"))
    try:
        loaded = package.SentenceTransformer(model)
    except Exception as error:
        raise ProviderError(f"dense: cannot load the model {model!r}: {error}") from error

    def vectors(texts: list[str]) -> Vectors:
        return np.asarray(loaded.encode(texts, convert_to_numpy=True, show_progress_bar=False), np.float32)

    return EmbeddingModel(_identity(model), vectors)


def _identity(model: str) -> str:
    """The name of a model; for a folder also its files, because the model may be trained again."""
    if not Path(model).is_dir():
        return model
    files = sorted(file for file in Path(model).rglob("*") if file.is_file())
    return " ".join([model, *(f"{file.name} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files)])


@contextmanager
def _logging_left_alone() -> Iterator[None]:
    """Prevent a package from setting up logging for the whole process when it is imported."""
    root, stand_in = logging.getLogger(), logging.NullHandler()
    root.addHandler(stand_in)
    try:
        yield
    finally:
        root.removeHandler(stand_in)


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

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that are cached and undamaged."""
        vectors: dict[bytes, Vectors] = {}
        if not self.path.is_file():
            return vectors
        with suppress(*UNREADABLE), self._open() as database:
            for key in keys:
                row = database.execute("SELECT vector, digest FROM vectors WHERE key = ?", (key,)).fetchone()
                if row and _is_sound(key, *row):
                    vectors[key] = np.frombuffer(row[0], np.float32)
        return vectors

    def write(self, vectors: Mapping[bytes, Vectors]) -> None:
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
