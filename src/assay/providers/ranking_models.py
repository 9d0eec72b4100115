"""Ranking models: models in files that score documents by their features, loaded by the library that wrote them.

A model file is data: only text and JSON models are read, never a pickle, which could run code.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.errors import DataError, ProviderError
from assay.grammar import REQUIRED, Param, one_of
from assay.model import Features, FeatureTable, Query, tags_of
from assay.providers.feature_scores import BY_FEATURES, FeatureScorer, ranked_rows
from assay.providers.loading import check_installed, describe_error, describe_library_error
from assay.providers.responses import Answers
from assay.providers.retriever import PermanentFailure
from assay.text import counted

TAG = re.compile(r"\{(\w+)\}")
"""A part of a path that is filled with a tag of the query: `models/{fold}.txt`."""
_whole: set[tuple[str, bytes]] = set()
"""Provider and SHA-256 of the contents that were checked and have no faults."""
ABSENT_VALUES = {"zero": 0.0, "missing": float("nan")}


@dataclass(frozen=True)
class LoadedModel:
    """A model that is ready to score."""

    n_features: int | None
    """The number of columns that it needs; None: it accepts any."""
    predict: Callable[[Features], Any]


@dataclass(frozen=True)
class ModelKind:
    """A library and how it loads a model from the content of a file.

    Libraries believe what a file says of its trees: a wrong child ends the process, or the search for a leaf never ends.
    So `check` comes before `load`.
    """

    provider: str
    package: str
    form: str
    """The form of a model file, for errors."""
    looks_right: Callable[[bytes], bool]
    check: Callable[[bytes], object]
    """Raises a DataError if the content is damaged."""
    load: Callable[..., LoadedModel]
    """Content and further settings → the model."""


class FeaturesForModel:
    """Arranges the features of a table as a model expects them."""

    def __init__(self, who: str, absent: str) -> None:
        self._who, self._absent = who, ABSENT_VALUES[absent]

    def n_skipped(self, table: FeatureTable, n_needed: int | None) -> int:
        """The number of empty columns before the first feature; an error if the model needs other features.

        Programs that read a file themselves use the number of a feature as its column, so the first column is empty if
        numbers begin at 1. Programs that get an array have no such column.
        """
        if n_needed is None or n_needed == table.n_features:
            return 0
        if n_needed == table.n_features + table.first:
            return table.first
        numbers = f"{table.numbers[0]} to {table.numbers[-1]}" if table.n_features else "none"
        raise PermanentFailure(
            f"{self._who} was trained with {counted(n_needed, 'feature')}, but the documents have "
            f"{table.n_features:,} ({numbers}). Use the data that belongs to the model"
        )

    def arranged(self, values: Features, n_skipped: int) -> Features:
        """The values with the empty columns, and with what absent features mean."""
        if not np.isnan(self._absent) and np.isnan(values).any():
            values = np.nan_to_num(values, nan=self._absent)
        if n_skipped:
            empty = np.full((len(values), n_skipped), self._absent, dtype=values.dtype)
            values = np.hstack((empty, values))
        return np.ascontiguousarray(values)


class ModelFile(FeatureScorer):
    """Scores documents with the model in a file. With a tag in its path, each query has the model of its value."""

    def __init__(self, kind: ModelKind, model: str, absent: str, **settings: Any) -> None:
        super().__init__()
        self._kind, self._path, self._settings = kind, model, settings
        self._shape = FeaturesForModel(f"{kind.provider}(model={model})", absent)
        self._models: dict[str, LoadedModel | PermanentFailure] = {}
        """The models by their path, or why they cannot be loaded; each file is read once."""

    def set_features(self, features: FeatureTable) -> None:
        """Set the features, and load the model unless its path depends on the query."""
        super().set_features(features)
        if not TAG.search(self._path):
            self._model(self._path, features)

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """For each query its documents by the score of the model."""
        by_path: dict[str | ProviderError, list[int]] = {}
        paths = [self._path_for(query) for query in queries]
        for place, path in enumerate(paths):
            by_path.setdefault(path, []).append(place)
        answers: Answers = [[] for _ in queries]
        for path, places in by_path.items():
            some = self._search(path, [queries[place] for place in places], k)
            for place, answer in zip(places, some, strict=True):
                answers[place] = answer
        return answers

    def _search(self, path: str | ProviderError, queries: Sequence[Query], k: int) -> Answers:
        table = self.table
        if isinstance(path, ProviderError):
            return [path for _ in queries]
        try:
            model, n_skipped = self._model(path, table)
        except PermanentFailure as error:
            return [error for _ in queries]
        return ranked_rows(table, queries, k, partial(self._score, model, n_skipped))

    def _score(self, model: LoadedModel, n_skipped: int, values: Features) -> Floats:
        with describe_library_error(self._kind.provider):
            return np.asarray(model.predict(self._shape.arranged(values, n_skipped)), dtype=np.float64)

    def _model(self, path: str, table: FeatureTable) -> tuple[LoadedModel, int]:
        if path not in self._models:
            try:
                self._models[path] = load_model(self._kind, path, **self._settings)
            except PermanentFailure as error:
                self._models[path] = error
        model = self._models[path]
        if isinstance(model, PermanentFailure):
            raise model
        return model, self._shape.n_skipped(table, model.n_features)

    def _path_for(self, query: Query) -> str | ProviderError:
        """The path with the tags of the query; an error if it lacks one."""
        tags = tags_of(query)
        if lacking := [name for name in TAG.findall(self._path) if name not in tags]:
            return PermanentFailure(f"query {query.query_id} has no tag {lacking[0]}, which is in the path {self._path}")
        return TAG.sub(lambda name: tags[name[1]], self._path)


def load_model(kind: ModelKind, path: str, **settings: Any) -> LoadedModel:
    """The model in a file; an error if the file is of another kind, or damaged."""
    content = _checked_content(kind, path)
    with _errors_of(kind, path):
        return kind.load(content, **settings)


def _checked_content(kind: ModelKind, path: str) -> bytes:
    """The content of a model file without faults. A content that was checked before is not checked again."""
    try:
        content = Path(path).expanduser().read_bytes()
    except OSError as error:
        raise PermanentFailure(f"{kind.provider}: {path} cannot be read: {error.strerror or error}") from None
    _check_content(kind, path, content)
    known = (kind.provider, hashlib.sha256(content).digest())
    if known not in _whole:
        with _errors_of(kind, path):
            kind.check(content)
        _whole.add(known)
    return content


@contextmanager
def _errors_of(kind: ModelKind, path: str) -> Iterator[None]:
    """Errors name the file."""
    try:
        yield
    except ProviderError:
        raise
    except Exception as error:
        what = error.what if isinstance(error, DataError) else describe_error(error)
        raise PermanentFailure(f"{kind.provider}: {path} cannot be loaded: {what}") from error


def _check_content(kind: ModelKind, path: str, content: bytes) -> None:
    """Raise if the start of a file is not that of a model."""
    if not kind.looks_right(content):
        raise PermanentFailure(f"{kind.provider}: {path} is not {kind.form}{_what_else(content)}")


def _what_else(content: bytes) -> str:
    """What a file is instead, if that is a usual mistake."""
    if not content:
        return "; the file is empty"
    if content[:1] == b"\x80":
        return "; it looks like a pickle, which is never loaded because it can run code"
    if content[:1] == b"{":
        return "; it looks like JSON"
    return "; it looks like a model of LightGBM" if content.startswith(b"tree\n") else ""


def check_model_file(kind: ModelKind, model: str, **_: Any) -> None:
    """Raise unless the library is installed and the file is whole. A path with a tag is checked when queries are sent."""
    check_installed(kind.provider, kind.package, f"pip install {kind.package}")
    if not TAG.search(model):
        file = Path(model).expanduser()
        if not file.is_file():
            what = "is a folder" if file.is_dir() else "does not exist"
            raise ProviderError(f"{kind.provider}: the model file {model} {what}")
        _checked_content(kind, model)


def model_files(model: str) -> list[Path]:
    """The file, or all files that fit a path with tags."""
    if not TAG.search(model):
        return [Path(model).expanduser()]
    path = Path(model).expanduser()
    pattern = "*".join(escape(part) for part in TAG.split(path.as_posix())[::2]).removeprefix("/")
    return sorted(Path(path.anchor or ".").glob(pattern))


def path_of_model(text: str) -> str:
    """The path of a file."""
    if not text.strip():
        raise ValueError("the path of a model file")
    return text


MODEL = Param(
    "model",
    path_of_model,
    REQUIRED,
    "path of the model file; {fold} in it is filled with the tag fold of each query, so that each fold has its own model",
    aliases=("file", "path"),
)


def absent_param(default: str) -> Param:
    """What an absent feature means to a model."""
    return Param(
        "absent", one_of("zero", "missing"), default, "the value of a feature that a line of the file does not have"
    )


def model_record(kind: ModelKind) -> dict[str, Any]:
    """The fields that the records of model files share."""
    return {
        **BY_FEATURES,
        "unless_set": ("model",),
        "short_for": "model",
        "check": partial(check_model_file, kind),
        "sources": lambda model, **_: model_files(model),
    }
