"""Writing: judgments and runs as TREC files, JSON lines, and files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from assay.errors import DataError
from assay.model.qrels import checked_grades


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write; it takes its name only when everything is in it."""
    if path.is_dir():
        raise DataError(f"{path}: cannot be written: there is a folder of that name")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "wb") as file, encodable(path):
            yield file
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def encodable(path: Path) -> Iterator[None]:
    """Text that UTF-8 cannot hold, half of a surrogate pair, becomes a DataError that shows where."""
    try:
        yield
    except UnicodeEncodeError as error:
        around = error.object[max(0, error.start - 20) : error.end + 20]
        said = f"{around!a} has half of a surrogate pair in it, which is no character; mend that text"
        raise DataError(f"{path}: cannot be written: {said}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """One JSON object per line."""
    import msgspec

    encode = msgspec.json.Encoder().encode
    with new_file(path) as file:
        file.writelines(encode(row) + b"\n" for row in rows)


def write_qrels(
    qrels: Mapping[str, Mapping[str, float]],
    path: Path,
    subtopics: Mapping[tuple[str, str], Mapping[str, float]] | None = None,
) -> None:
    """TREC judgments: query 0 document grade; with a line for each subtopic, in place of the 0, where there are some."""
    checked_grades(qrels)
    with new_file(path) as file:
        for query, judged in qrels.items():
            for doc, best in judged.items():
                for subtopic, grade in (subtopics or {}).get((query, doc), {"0": best}).items():
                    words = f"{_query(query, path)} {_word(subtopic, path)} {_word(doc, path)} {grade_text(grade)}\n"
                    file.write(words.encode())


def why_not_trec(query: str, document: str) -> str:
    """Why TREC files cannot hold a pair of ids; empty where they can."""
    try:
        f"{_query(query, Path())} {_word(document, Path())}".encode()
    except DataError as error:
        return str(error).removeprefix(f"{Path()}: ").partition("; ")[0]
    except UnicodeEncodeError:
        return f"the ids {query!a} and {document!a} have half of a surrogate pair in them"
    return ""


def grade_text(grade: float) -> str:
    """A grade as people write it, with every digit it has: 2, 0.5, 0.30000000000000004."""
    short = f"{grade:g}"
    return short if float(short) == grade else repr(float(grade))


def write_run(rankings: Mapping[str, Mapping[str, float]], path: Path, tag: str = "assay") -> None:
    """A TREC run: query Q0 document rank score tag, best first; equal scores keep their order."""
    with new_file(path) as file:
        for query, ranking in rankings.items():
            ranked = sorted(ranking.items(), key=lambda pair: pair[1], reverse=True)
            for rank, (doc, score) in enumerate(ranked, 1):
                line = f"{_query(query, path)} Q0 {_word(doc, path)} {rank} {float(score)!r} {_word(tag or 'assay', path)}\n"
                file.write(line.encode())


def _query(text: str, path: Path) -> str:
    """The id of a query, which begins a line."""
    if text[:1] in ("{", "["):
        raise DataError(f"{path}: the id {text!r} begins with {text[0]}, which TREC files take for JSON; write JSON instead")
    return _word(text, path)


def _word(text: str, path: Path) -> str:
    """An id in a file whose columns are separated by blanks."""
    if not text or text.split() != [text]:
        raise DataError(f"{path}: the id {text!r} has a blank in it, which TREC files cannot hold; write JSON instead")
    if text.startswith("#"):
        raise DataError(f"{path}: the id {text!r} begins with #, which TREC files take as a comment; write JSON instead")
    return text
