"""Write judgments and runs as TREC files, and records as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.errors import DataError, Hint
from assay.model import IGNORED, checked_grades, grade_word

WRITE_JSON = Hint("", "write JSON instead")


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write one JSON object per line."""
    import msgspec

    encode = msgspec.json.Encoder().encode
    with atomic_write(path) as file:
        file.writelines(encode(row) + b"\n" for row in rows)


def write_qrels(
    qrels: Mapping[str, Mapping[str, float]],
    path: Path,
    subtopics: Mapping[tuple[str, str], Mapping[str, float]] | None = None,
) -> None:
    """Write TREC judgments: query 0 document grade. With subtopics, one line per subtopic, which replaces the 0."""
    if (checked_grades(qrels) == IGNORED).any():
        what = "some judgments say that a document is ignored, which TREC files cannot say"
        raise DataError(what, source=path, hint=WRITE_JSON)
    with atomic_write(path) as file:
        for query, judged in qrels.items():
            for doc, best in judged.items():
                for subtopic, grade in (subtopics or {}).get((query, doc), {"0": best}).items():
                    words = f"{_query(query, path)} {_word(subtopic, path)} {_word(doc, path)} {grade_text(grade)}\n"
                    file.write(words.encode())


def why_not_trec(query: str, document: str) -> str:
    """Why a TREC file cannot contain these two ids; empty if it can."""
    try:
        f"{_query(query, Path())} {_word(document, Path())}".encode()
    except DataError as error:
        return error.what
    except UnicodeEncodeError:
        return f"one of the ids {query!a} and {document!a} contains half a character (one half of a surrogate pair)"
    return ""


def grade_text(grade: float) -> str:
    """A grade in its shortest form, without loss: 2, 0.5, 0.30000000000000004; `ignore` for a document that is ignored."""
    short = grade_word(grade)
    return short if grade == IGNORED or float(short) == grade else repr(float(grade))


def write_run(rankings: Mapping[str, Mapping[str, float]], path: Path, tag: str = "assay") -> None:
    """Write a TREC run: query Q0 document rank score tag, best first. Equal scores keep their order."""
    with atomic_write(path) as file:
        for query, ranking in rankings.items():
            ranked = sorted(ranking.items(), key=lambda pair: pair[1], reverse=True)
            for rank, (doc, score) in enumerate(ranked, 1):
                line = f"{_query(query, path)} Q0 {_word(doc, path)} {rank} {float(score)!r} {_word(tag or 'assay', path)}\n"
                file.write(line.encode())


def _query(text: str, path: Path) -> str:
    """The id of a query, as the first word of a line."""
    if text[:1] in ("{", "["):
        raise DataError(
            f"the id {text!r} starts with {text[0]}, so a TREC file would be read as JSON", source=path, hint=WRITE_JSON
        )
    return _word(text, path)


def _word(text: str, path: Path) -> str:
    """An id in a file whose columns are separated by spaces."""
    if not text or text.split() != [text]:
        what = "contains white space" if text else "is empty"
        raise DataError(f"the id {text!r} {what}, which TREC files do not allow", source=path, hint=WRITE_JSON)
    if text.startswith("#"):
        raise DataError(
            f"the id {text!r} starts with #, so its line would be read as a comment", source=path, hint=WRITE_JSON
        )
    return text
