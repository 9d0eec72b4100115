"""Embedding models: the small model in a wheel, models of sentence-transformers, and your own functions."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.extras import install_command

WORDLLAMA = "wordllama"
"""The model that needs no network: it is part of the wheel of the extra `dense`."""


@dataclass(frozen=True, eq=False)
class EmbeddingModel:
    """A model that turns texts into vectors; `identity` changes whenever the vectors change."""

    identity: str
    vectors: Callable[[list[str]], Any]
    """Texts, none of them blank → one row of numbers per text."""


_registered: dict[str, EmbeddingModel] = {}
"""Models that were registered while the program runs, by name."""


def register_model(name: str, vectors: Callable[[list[str]], Sequence[Sequence[float]] | Any]) -> None:
    """Register your own function as an embedding model. A model that was registered under the same name is replaced.

    The function gets a list of texts and returns a row of numbers for each text, as a list or an array.
    """
    if not name.strip() or name == WORDLLAMA:
        raise UsageError(f"your embedding model cannot be called {name!r}. Choose another name")
    _registered[name] = EmbeddingModel(name, vectors)


def check_model(owner: str, model: str, written: str = "") -> None:
    """Raise unless the package that the model needs is installed; a file of vectors is not a model.

    `written` is how the user writes the model, for an error; by default as a parameter of its owner.
    """
    if model.lower().endswith((".npy", ".npz")):
        message = f"{owner}(model='{model}'): {model} contains vectors, not a model. To search vectors, use"
        raise UsageError(f"{message} vectors(documents={model}, queries=queries{Path(model).suffix})")
    if model == WORDLLAMA:
        _check_installed(owner, "wordllama", install_command("dense"))
    else:
        subject = written or f"{owner}(model='{model}')"
        _check_installed(subject, "sentence_transformers", install_command("sentence-transformers"))


def _check_installed(owner: str, package: str, install: str) -> None:
    """Raise an error with the install command unless the package is installed; it is not imported."""
    if find_spec(package) is None:
        raise UsageError(f"{owner} needs the package {package.replace('_', '-')}: {install}")


def load_model(owner: str, model: str) -> EmbeddingModel:
    """The model, loaded once per process."""
    check_model(owner, model)
    if model == WORDLLAMA:
        return _wordllama()
    try:
        return _sentence_transformer(model)
    except Exception as error:
        raise UsageError(f"{owner}: cannot load the model {model!r}: {error}") from error


def check_known(owner: str, model: str, written: str = "") -> None:
    """Raise unless the model is registered, or the package that it needs is installed."""
    if model not in _registered:
        check_model(owner, model, written)


def find_model(owner: str, model: str) -> EmbeddingModel:
    """The model that is registered under this name, or else the model that `load_model` loads."""
    return _registered[model] if model in _registered else load_model(owner, model)


@cache
def _wordllama() -> EmbeddingModel:
    """The model with 256 dimensions that is part of the wheel. The vector of a text is the mean of its token vectors."""
    package, loaded = _load_wordllama()
    table = loaded.embedding

    def vectors(texts: list[str]) -> Any:
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
        package: Any = importlib.import_module("wordllama")
        loaded = package.WordLlama.load(cache_dir=Path(package.__file__).parent, disable_download=True)
    loaded.tokenizer.no_padding()
    return package, loaded


def readable(text: str) -> str:
    """The text with question marks for characters that are not valid Unicode, which tokenizers refuse."""
    return text.encode("utf-8", "replace").decode()


@cache
def _sentence_transformer(model: str) -> EmbeddingModel:
    """A sentence-transformers model, by name or by path."""
    package: Any = importlib.import_module("sentence_transformers")
    loaded = package.SentenceTransformer(model)

    def vectors(texts: list[str]) -> Any:
        return np.asarray(loaded.encode(texts, convert_to_numpy=True, show_progress_bar=False), np.float32)

    return EmbeddingModel(_identity(model, loaded), vectors)


def _identity(model: str, loaded: Any) -> str:
    """The name of a model and its revision; for a folder its files, because the model may be trained again."""
    if not Path(model).is_dir():
        revision = _revision(loaded)
        return f"{model} {revision}" if revision else model
    files = sorted(file for file in Path(model).rglob("*") if file.is_file())
    return " ".join([model, *(f"{file.name} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files)])


def _revision(loaded: Any) -> str:
    """The commit from which a model was downloaded; empty if it is unknown."""
    try:
        revision = loaded[0].auto_model.config._commit_hash
    except (AttributeError, LookupError, TypeError):
        return ""
    return revision if isinstance(revision, str) else ""


@contextmanager
def _logging_left_alone() -> Iterator[None]:
    """Prevent a package from setting up logging for the whole process when it is imported."""
    root, stand_in = logging.getLogger(), logging.NullHandler()
    root.addHandler(stand_in)
    try:
        yield
    finally:
        root.removeHandler(stand_in)
