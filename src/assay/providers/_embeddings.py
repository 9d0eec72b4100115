"""Embeddings: models that turn texts into vectors of length 1."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import ProviderError
from assay.providers._embedding_cache import EmbeddingCache, key_of
from assay.providers._extras import check_installed, needed
from assay.providers._nearest import Vectors
from assay.text import install_command

WORDLLAMA = "wordllama"
TEXTS_AT_ONCE = 1024


@dataclass(frozen=True)
class EmbeddingModel:
    """What turns texts into vectors; `identity` changes where the vectors do."""

    identity: str
    vectors: Callable[[list[str]], Vectors]
    """Some texts, none of them blank → as many rows."""


def check_model(owner: str, model: str) -> None:
    """Raise one line unless the package that the model needs is there; files of vectors are no model."""
    if model.lower().endswith((".npy", ".npz")):
        said = f"{owner}(model='{model}'): a model turns texts into vectors, and this file holds vectors"
        raise ProviderError(f"{said}; vectors(documents={model}, queries=queries{Path(model).suffix}) searches them")
    if model == WORDLLAMA:
        check_installed(owner, "wordllama", install_command("dense"))
    else:
        check_installed(f"{owner}(model='{model}')", "sentence_transformers", install_command("sentence-transformers"))


@cache
def load_model(model: str) -> EmbeddingModel:
    """The model, loaded once per process."""
    check_model("dense", model)
    return _wordllama() if model == WORDLLAMA else _sentence_transformer(model)


def embed(model: EmbeddingModel, texts: Sequence[str], store: EmbeddingCache | None = None) -> Vectors:
    """A vector of length 1 per text, of length 0 for a blank one. Equal texts are embedded once, known ones not at all."""
    readable = [text.encode("utf-8", "replace").decode() for text in texts]
    keys = {text: key_of(model.identity, text) for text in dict.fromkeys(readable) if text.strip()}
    known = store.read(list(keys.values())) if store else {}
    asked = [text for text, key in keys.items() if key not in known]
    for start in range(0, len(asked), TEXTS_AT_ONCE):
        some = asked[start : start + TEXTS_AT_ONCE]
        new = dict(zip([keys[text] for text in some], _of_length_1(model.vectors(some)), strict=True))
        known |= new
        if store:
            store.write(new)
    width = len(next(iter(known.values()))) if known else 0
    nothing = np.zeros(width, np.float32)
    rows = [known[keys[text]] if text in keys else nothing for text in readable]
    return np.stack(rows) if rows else np.zeros((0, width), np.float32)


def _of_length_1(vectors: Vectors) -> Vectors:
    vectors = np.ascontiguousarray(vectors, np.float32)
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all():
        raise ProviderError("the embedding model gave a vector with a number that is not finite")
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _wordllama() -> EmbeddingModel:
    """The 256 dimensions inside the wheel. A text's vector is the mean of its tokens', so long ones need no more memory."""
    with _logging_left_alone():
        package = needed("dense", "wordllama", install_command("dense"))
        loaded = package.WordLlama.load(cache_dir=Path(package.__file__).parent, disable_download=True)
    loaded.tokenizer.no_padding()
    table = loaded.embedding

    def vectors(texts: list[str]) -> Vectors:
        from scipy.sparse import csr_matrix

        encoded = loaded.tokenizer.encode_batch(texts, add_special_tokens=False)
        tokens = [np.minimum(np.array(one.ids, np.int32), len(table) - 1) for one in encoded]
        ends = np.cumsum([0, *map(len, tokens)])
        flat = np.concatenate(tokens)
        counts = csr_matrix((np.ones(len(flat), np.float32), flat, ends), shape=(len(texts), len(table)))
        counts.sum_duplicates()
        return counts @ table

    return EmbeddingModel(f"{WORDLLAMA} {package.__version__} {table.shape[1]}", vectors)


def _sentence_transformer(model: str) -> EmbeddingModel:
    """A model of sentence-transformers, by name or by path."""
    package: Any = needed("dense", "sentence_transformers", install_command("sentence-transformers"))
    try:
        loaded = package.SentenceTransformer(model)
    except Exception as error:
        raise ProviderError(f"dense: the model {model!r} cannot be loaded: {error}") from error

    def vectors(texts: list[str]) -> Vectors:
        return np.asarray(loaded.encode(texts, convert_to_numpy=True, show_progress_bar=False), np.float32)

    return EmbeddingModel(_identity(model), vectors)


def _identity(model: str) -> str:
    """The name of a model; for a folder also which files it holds, for it may be trained again."""
    if not Path(model).is_dir():
        return model
    files = sorted(file for file in Path(model).rglob("*") if file.is_file())
    return " ".join([model, *(f"{file.name} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files)])


@contextmanager
def _logging_left_alone() -> Iterator[None]:
    """Keep a package that sets up everybody's logging when it is imported from doing so."""
    root, stand_in = logging.getLogger(), logging.NullHandler()
    root.addHandler(stand_in)
    try:
        yield
    finally:
        root.removeHandler(stand_in)
