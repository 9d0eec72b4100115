"""Ids and paths: ids of queries and documents as text, and files that are named by different paths."""

from __future__ import annotations

import operator
import posixpath
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import numpy as np

from assay.errors import DataError


def normal_path(path: str) -> str:
    """The normalised path, with `/` as separator. Case is kept, because it distinguishes files."""
    return posixpath.normpath(path.replace("\\", "/")) if path else path


class FileNames:
    """Known files, to find the file that a path means.

    `repo/a/b/c.py` and `a/b/c.py` are the same file if the match is unambiguous.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = {normal_path(path): path for path in known}
        self._by_last: dict[str, list[str]] = {}
        for path in self._known:
            self._by_last.setdefault(_last(path), []).append(path)

    @property
    def n_files(self) -> int:
        """How many files are known."""
        return len(self._known)

    def match(self, *voices: Iterable[str]) -> dict[str, str | None]:
        """Path → the known file it means; None if there is no such file or several fit.

        Each of `voices` is a source of paths that names files in its own way. Different spellings of one path count once.
        """
        spoken = [{path: normal_path(path) for path in voice} for voice in voices]
        normal_paths = {path: normal for voice in spoken for path, normal in voice.items()}
        files = {path: self._known.get(normal) for path, normal in normal_paths.items()}
        beyond: dict[str, set[str]] = {}
        for path, normal in normal_paths.items():
            if files[path] is None:
                longer = [name for name in self._alike(normal) if name.endswith(f"/{normal}")]
                if longer:
                    files[path] = self._known[longer[0]] if len(longer) == 1 else None
                elif shorter := [name for name in self._alike(normal) if normal.endswith(f"/{name}")]:
                    beyond.setdefault(max(shorter, key=len), set()).add(normal)
        names_by_voice = [set(voice.values()) for voice in spoken]
        meant = {}
        for name, claimants in beyond.items():  # `x/c.py` may be `c.py`, unless `y/c.py` is there, or one voice has both
            if len(claimants) == 1 and not any({name} | claimants <= voice for voice in names_by_voice):
                meant[next(iter(claimants))] = self._known[name]
        return {path: name or meant.get(normal_paths[path]) for path, name in files.items()}

    def _alike(self, normal: str) -> list[str]:
        return self._by_last.get(_last(normal), [])


def _last(path: str) -> str:
    return path.rpartition("/")[2]


EMPTY_ID = "the id of a query or document is empty; fill it in"


def text_id(value: object) -> str:
    """An id as text. 7 and np.int64(7) become "7", a UUID or path becomes its text.

    A float, bytes or None is an error, because it would match nothing.
    """
    if isinstance(value, str | UUID):
        return str(value)
    to_path = getattr(value, "__fspath__", None)
    if callable(to_path) and isinstance(path := to_path(), str):
        return path
    if isinstance(value, bool | np.bool_):  # NumPy 2.0 reads its truth values as 0 and 1
        raise DataError(f"an id must be text or a whole number, not {value!r}")
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        raise DataError(f"an id must be text or a whole number, not {value!r}") from None


def key_id(value: object) -> str:
    """An id to look up. What cannot be an id raises KeyError."""
    try:
        return text_id(value)
    except DataError:
        raise KeyError(value) from None


def all_text(ids: Iterable[object]) -> bool:
    """Whether every id is exactly `str` already."""
    return set(map(type, ids)) <= {str}


def sorted_ids(ids: list[str], *, reverse: bool) -> list[str]:
    """Ids in bytewise order. (Python compares text by code point, which gives the same order as its bytes in UTF-8.)"""
    try:
        return sorted(ids, reverse=reverse)
    except TypeError:  # one of them is a whole number that has not been converted yet
        return sorted(map(text_id, ids), reverse=reverse)


def with_text_keys(mapping: Mapping[Any, Any], where: str) -> dict[str, Any]:
    """The same mapping with text ids. Two ids that become the same (7 and "7") are an error."""
    renamed = {text_id(key): value for key, value in mapping.items()}
    if len(renamed) != len(mapping):
        raise DataError("two ids are the same when written as text, such as 7 and '7'. Rename or remove one", source=where)
    return renamed


IDS = ("doc_id", "document_id", "chunk_id", "id", "_id", "docid", "docno")
TEXTS = ("content", "text", "page_content", "body", "chunk", "passage")
SCORES = ("score", "similarity", "relevance_score", "relevance")
