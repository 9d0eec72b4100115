"""Judgment files: grades as other tools write them, with the judge, the time and the reason if the file has these.

Nothing becomes a grade by accident: what cannot be read as a grade is left out, with the reason and its place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import BadParameter, DataError
from assay.files.column_names import COLUMN_NAMES, fold
from assay.files.json_text import read_json
from assay.files.record_files import TABLES, each_record, suffix_of
from assay.files.rows import trec_fields
from assay.files.source import FileSource
from assay.text import shortened

JUDGE_NAMES = ("judge", "judge_id", "annotator", "assessor", "rater", "user", "author", "completed_by")
TIME_NAMES = ("judged", "judged_at", "timestamp", "time", "date", "created_at", "updated_at")
REASON_NAMES = ("reason", "comment", "note", "notes", "explanation", "rationale")
FORM_NAMES = {"pair": ("pair",), "text_digest": ("text_digest",)}
"""Columns of a form of assay, which no other tool writes."""
GRADE_NAMES = tuple(name for name in COLUMN_NAMES["grade"] if name != "score")
LEADING_NUMBER = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)(?:\s*[-:.)(–]\s*\D.*|\s*)", re.DOTALL)
"""A grade with words after it, as labels often have it: `2 - relevant`."""


class FoundGrade(NamedTuple):
    """A grade in a file."""

    query: str
    """The id of a query, or its text if the file has no ids."""
    document: str
    grade: float
    judge: str = ""
    judged: str = ""
    reason: str = ""
    place: str = ""
    """Where it is in the file."""
    pair: str = ""
    """The key of the pair in a form of a pool."""
    text_digest: str = ""
    """The digest of the text that the judge saw, if the file has it."""
    pool: str = ""
    """The pool that the pair was drawn from, once it is known."""
    probability: float | None = None


@dataclass
class JudgmentFile:
    """The grades of a file, and what was left out."""

    shape: str
    grades: list[FoundGrade] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """The reason, once for each grade that was left out."""
    empty: set[str] = field(default_factory=set)
    """Those of the reasons that are about an empty grade."""

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges that the file names, sorted."""
        return tuple(sorted({grade.judge for grade in self.grades if grade.judge}))


Labels = Mapping[str, float]
"""Label → grade, for files that have words instead of numbers."""


def read_judgment_file(path: str | Path, shape: str | None = None, labels: Labels | None = None) -> JudgmentFile:
    """Read the grades of a file. Without a `shape`, it is recognised by the content. `labels` gives words a grade."""
    source = FileSource.at(path)
    if shape is not None and shape not in READERS:
        raise BadParameter(f"no shape of a judgment file is called {shape!r}. Choose from {', '.join(READERS)}")
    chosen = shape or _recognised(source)
    file = JudgmentFile(chosen)
    READERS[chosen](source, _Taker(file, dict(labels or {})))
    if not file.grades and not file.left_out:
        raise DataError("expected at least one judgment, found none", source=source.label)
    return file


@dataclass
class _Taker:
    """Takes what the readers find, one grade at a time."""

    file: JudgmentFile
    labels: dict[str, float]

    def take(self, place: str, query: Any, document: Any, value: Any, **more: Any) -> None:
        """Take one grade; a grade that cannot be read, or a pair without ids, is left out."""
        ids = [_text(query), _text(document)]
        if not all(ids):
            self.file.left_out.append(f"{place}: a judgment needs a query and a document")
            return
        grade = self._grade(value)
        if grade is None:
            is_empty = _text(value) == ""
            why = f"{place}: {'no grade' if is_empty else f'{shortened(_text(value))} is not a grade'}"
            self.file.left_out.append(why)
            self.file.empty.update([why] if is_empty else [])
            return
        self.file.grades.append(FoundGrade(ids[0], ids[1], grade, place=place, **more))

    def _grade(self, value: Any) -> float | None:
        text = _text(value)
        if text in self.labels:
            return self.labels[text]
        shape = LEADING_NUMBER.fullmatch(text)
        number = float(shape[1]) if shape else math.nan
        return number if math.isfinite(number) else None


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


# The shapes


def _recognised(source: FileSource) -> str:
    suffix = suffix_of(source.path.name)
    if suffix == ".json" or (suffix not in TABLES and source.first_line.lstrip()[:1] in (b"{", b"[")):
        content = _json(source)
        if _rating_lists(content):
            return "opensearch"
        if isinstance(content, list) and content and isinstance(content[0], Mapping) and "annotations" in content[0]:
            return "label_studio"
        return "table"
    if suffix in (".jsonl", ".ndjson", ".parquet"):
        return "table"
    names = _header(source) if suffix in TABLES else []
    if not names:
        return "trec"
    return "table" if _column(names, GRADE_NAMES) else "quepid"


def _json(source: FileSource) -> Any:
    try:
        return read_json(source)
    except DataError:
        if source.first_line.lstrip()[:1] == b"{":  # JSON lines
            return None
        raise


def _header(source: FileSource) -> list[str]:
    line = source.first_line.decode("utf-8-sig", "replace").strip()
    names = [name.strip().strip('"') for name in re.split(r"[\t,;]", line)]
    return names if _column(names, COLUMN_NAMES["query"]) and _column(names, COLUMN_NAMES["document"]) else []


def _column(names: Sequence[str], known: Sequence[str]) -> str:
    """The column with the likeliest of the known names; empty if there is none."""
    by_name = {fold(name): name for name in reversed(names)}
    return next((by_name[name] for name in known if name in by_name), "")


def _read_trec(source: FileSource, taker: _Taker) -> None:
    """Four columns: query, iteration, document, grade."""
    with source.reading_lines() as file:
        for number, line in enumerate(file, 1):
            place = f"{source.label}:{number}"
            fields = trec_fields(line, 4) if line.strip() else []
            if fields and len(fields) != 4:
                taker.file.left_out.append(f"{place}: expected 4 columns (query 0 document grade), found {len(fields)}")
            elif fields:
                words = [word.decode("utf-8", "replace") for word in fields]
                taker.take(place, words[0], words[2], words[3])


def _read_table(source: FileSource, taker: _Taker) -> None:
    """A column each for query, document and grade; judge, time and reason are optional."""

    def take(place: str, record: Mapping[str, Any]) -> None:
        names = list(record)
        query, document = _column(names, COLUMN_NAMES["query"]), _column(names, COLUMN_NAMES["document"])
        grade = _column(names, GRADE_NAMES)
        if not (query and document and grade):
            missing = [word for word, name in (("query", query), ("document", document), ("grade", grade)) if not name]
            raise DataError(f"found no column for {' and '.join(missing)} among {', '.join(map(repr, names))}")
        more = {"judge": JUDGE_NAMES, "judged": TIME_NAMES, "reason": REASON_NAMES, **FORM_NAMES}
        others = {role: _text(record.get(_column(names, known))) for role, known in more.items()}
        taker.take(place, record[query], record[document], record[grade], **others)

    each_record(source.path, take)


def _read_quepid(source: FileSource, taker: _Taker) -> None:
    """The book export of Quepid: query, docid, and a column for each judge with the grades."""

    def take(place: str, record: Mapping[str, Any]) -> None:
        names = list(record)
        query, document = _column(names, COLUMN_NAMES["query"]), _column(names, COLUMN_NAMES["document"])
        if not (query and document):
            raise DataError(f"expected the columns query, docid and one for each judge, found {', '.join(map(repr, names))}")
        for judge in (name for name in names if name not in (query, document)):
            if record[judge] is not None:
                taker.take(place, record[query], record[document], record[judge], judge=judge)

    each_record(source.path, take)


def _read_opensearch(source: FileSource, taker: _Taker) -> None:
    """A judgment list of the OpenSearch Search Relevance Workbench, or the answer to a search for such lists."""
    lists = _rating_lists(read_json(source))
    if not lists:
        raise DataError("expected judgmentRatings with a query and ratings of docId and rating", source=source.label)
    for judged in lists:
        for number, entry in enumerate(judged, 1):
            query = entry.get("query") if isinstance(entry, Mapping) else None
            ratings = entry.get("ratings") if isinstance(entry, Mapping) else None
            place = f"{source.label}, query {number}"
            if not isinstance(ratings, list):
                taker.file.left_out.append(f"{place}: no list of ratings")
                continue
            for rating in ratings:
                known = rating if isinstance(rating, Mapping) else {}
                taker.take(place, query, known.get("docId"), known.get("rating"))


def _rating_lists(content: Any) -> list[list[Any]]:
    """The lists of ratings in a request, in a stored list, or in the answer to a search."""
    if isinstance(content, Mapping):
        if isinstance(ratings := content.get("judgmentRatings"), list):
            return [ratings]
        return [ratings for name in ("hits", "_source", "judgments") for ratings in _rating_lists(content.get(name))]
    if isinstance(content, list):
        return [ratings for entry in content if isinstance(entry, Mapping) for ratings in _rating_lists(entry)]
    return []


def _read_label_studio(source: FileSource, taker: _Taker) -> None:
    """Tasks with data and annotations; the grade is a choice, a rating or a number. Cancelled annotations are left out."""
    for number, task in enumerate(read_json(source), 1):
        data = task.get("data") if isinstance(task, Mapping) else None
        place = f"{source.label}, task {task.get('id', number) if isinstance(task, Mapping) else number}"
        if not isinstance(data, Mapping):
            taker.file.left_out.append(f"{place}: no data")
            continue
        query = data.get(_column(list(data), COLUMN_NAMES["query"]))
        document = data.get(_column(list(data), COLUMN_NAMES["document"]))
        for annotation in task.get("annotations") or ():
            if annotation.get("was_cancelled"):
                taker.file.left_out.append(f"{place}: the annotation was cancelled")
                continue
            values = list(_label_values(annotation.get("result")))
            if len(values) != 1:
                taker.file.left_out.append(f"{place}: expected one grade in the annotation, found {len(values)}")
                continue
            when = _text(annotation.get("updated_at") or annotation.get("created_at"))
            taker.take(place, query, document, values[0], judge=_annotator(annotation.get("completed_by")), judged=when)


def _label_values(results: Any) -> Iterator[Any]:
    """The choices, ratings and numbers of an annotation."""
    for result in results if isinstance(results, list) else ():
        value = result.get("value") if isinstance(result, Mapping) else None
        for name in ("choices", "rating", "number"):
            if isinstance(value, Mapping) and name in value:
                yield from value[name] if isinstance(value[name], list) else [value[name]]


def _annotator(who: Any) -> str:
    """The name of an annotator: an id, or the id in an object with more about a person, which is not kept.

    Without an id, it is the e-mail address.
    """
    if isinstance(who, Mapping):
        who = next((who[name] for name in ("id", "email") if who.get(name) not in (None, "")), None)
    name = _text(who)
    return name if "@" in name or not name else f"annotator {name}"


READERS: dict[str, Callable[[FileSource, _Taker], None]] = {
    "trec": _read_trec,
    "table": _read_table,
    "quepid": _read_quepid,
    "opensearch": _read_opensearch,
    "label_studio": _read_label_studio,
}
JUDGMENT_SHAPES = tuple(READERS)
"""The shapes of judgment files."""
