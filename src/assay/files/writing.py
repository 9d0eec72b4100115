"""Write judgments and runs as TREC files, and records as JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.atomic_write import atomic_write
from assay.errors import DataError, Hint
from assay.model import IGNORED, checked_grades, grade_word

WRITE_JSON = Hint("", "write JSON instead")
HALF_CHARACTER = "contains half a character (one half of a surrogate pair)"


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


class BadId(NamedTuple):
    """An id that a TREC file cannot contain."""

    id: str
    why: str
    """The end of the sentence `the id 'd 7' …`."""

    def __str__(self) -> str:
        return f"the id {self.id!r} {self.why}"


def why_not_trec(query: str, document: str) -> BadId | None:
    """The first of two ids that a TREC file cannot contain, and why; None if it can contain both."""
    faults = ((query, _fault_of_query(query)), (document, _fault_of_word(document)))
    return next((BadId(name, why) for name, why in faults if why), None)


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
    return _checked(text, _fault_of_query(text), path)


def _word(text: str, path: Path) -> str:
    """An id in a file whose columns are separated by spaces."""
    return _checked(text, _fault_of_word(text), path)


def _checked(text: str, fault: str, path: Path) -> str:
    if fault and fault != HALF_CHARACTER:  # the encoder reports it, with its place
        raise DataError(str(BadId(text, fault)), source=path, hint=WRITE_JSON)
    return text


def _fault_of_query(text: str) -> str:
    if text[:1] in ("{", "["):
        return f"starts with {text[0]}, so a TREC file would be read as JSON"
    return _fault_of_word(text)


def _fault_of_word(text: str) -> str:
    if not text or text.split() != [text]:
        return f"{'contains white space' if text else 'is empty'}, which TREC files do not allow"
    if text.startswith("#"):
        return "starts with #, so its line would be read as a comment"
    return HALF_CHARACTER if re.search("[\ud800-\udfff]", text) else ""
