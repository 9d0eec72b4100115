"""Findings of the preflight: cases, and the lines of the cases in files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from assay.datasets.corpus import StoredDocuments
from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.preflight.codes import CODES
from assay.errors import AssayError
from assay.files import COLUMN_NAMES, FileSource, suffix_of
from assay.text import counted

Key = tuple[str, ...]
"""A query, or a query and a document."""
QUERY = ("_id", "id", *COLUMN_NAMES["query"])
LINES = (".jsonl", ".ndjson", ".tsv", ".txt", ".qrels", ".qrel", ".trec", "")
"""Extensions of files that may have one record per line."""
ABOUT_DATASET = ("query ", "document ", "judgment ")
"""The start of a place that has no line yet."""


def with_lines(findings: list[Finding], dataset: BenchmarkDataset) -> list[Finding]:
    """The same findings, with `file:line` before each place that has a line in a file."""
    cases = [case for finding in findings for case in finding.cases if case.place.startswith(ABOUT_DATASET)]
    keys = {key for case in cases if (key := _key(case))}
    places = _places(dataset, keys) if keys and dataset.path else {}
    return [
        replace(finding, cases=tuple(_with_place(case, dataset, places) for case in finding.cases)) for finding in findings
    ]


def _key(case: Case) -> Key:
    if case.query is None:
        return ()
    return (case.query, case.document) if case.document is not None else (case.query,)


def _with_place(case: Case, dataset: BenchmarkDataset, places: dict[Key, str]) -> Case:
    if not case.place.startswith(ABOUT_DATASET):
        return case
    place = places.get(_key(case))
    if case.query is None and case.document is not None and isinstance(dataset.documents, StoredDocuments):
        place = dataset.documents.place_of(case.document)
    return replace(case, place=f"{place}, {case.place}") if place else case


def _places(dataset: BenchmarkDataset, keys: set[Key]) -> dict[Key, str]:
    """`file:line` of queries and judgments. A query without its own line gets the line of its first judgment."""
    queries = {key for key in keys if len(key) == 1}
    places: dict[Key, str] = {}
    by_role = _files(dataset)
    for file in by_role["judgments"]:
        for place, key in _rows(file, is_judgment=True):
            if key in keys:
                places.setdefault(key, place)
            if key[:1] in queries:
                places.setdefault(key[:1], place)
            if len(places) == len(keys):
                break
    for file in by_role["queries"] if queries else ():
        places |= {key: place for place, key in _rows(file, is_judgment=False) if key in queries}
    return places


def _files(dataset: BenchmarkDataset) -> dict[str, list[Path]]:
    """The files of a dataset with queries and judgments line by line, recognised by their names."""
    path = dataset.path
    by_role: dict[str, list[Path]] = {"queries": [], "judgments": []}
    if path is None or not path.exists():
        return by_role
    if path.is_file():
        by_role["judgments" if dataset.format == "trec" else "queries"].append(path)
    split = str(dataset.metadata.get("split", ""))
    inner = [file for file in sorted((path / "qrels").glob("*")) if file.name.partition(".")[0] == split]
    for file in [*sorted(path.glob("*")), *inner] if path.is_dir() else ():
        is_judgment = "qrel" in file.name.lower() or file.name.startswith("judgments") or file in inner
        if is_judgment or file.name.startswith(("queries", "topics")):
            by_role["judgments" if is_judgment else "queries"].append(file)
    return {role: [file for file in files if _has_lines(file)] for role, files in by_role.items()}


def _has_lines(file: Path) -> bool:
    return file.is_file() and suffix_of(file.name) in LINES


def _rows(file: Path, *, is_judgment: bool) -> Iterator[tuple[str, Key]]:
    """`file:line` and ids of every line that can be understood."""
    import msgspec

    decode = msgspec.json.Decoder(dict[str, Any]).decode
    source = FileSource(file)
    try:
        for number, line in source.lines():
            try:
                key = _key_of_record(decode(line), is_judgment) if line[:1] == b"{" else _key_of_fields(line, is_judgment)
            except (ValueError, RecursionError):
                continue
            if key:
                yield f"{source.label}:{number}", key
    except AssayError:
        return


def _key_of_record(record: dict[str, Any], is_judgment: bool) -> Key:
    names: Iterable[tuple[str, ...]] = (COLUMN_NAMES["query"], COLUMN_NAMES["document"]) if is_judgment else (QUERY,)
    ids = [next((str(record[name]) for name in group if name in record), "") for group in names]
    return tuple(ids) if all(ids) else ()


def _key_of_fields(line: bytes, is_judgment: bool) -> Key:
    """TREC has query, iteration, document, grade; BEIR has query, document, grade; a file of queries starts with the id."""
    fields = line.decode().rstrip("\r\n").split("\t") if b"\t" in line else line.decode().split()
    if not is_judgment:
        return (fields[0],)
    if len(fields) not in (3, 4):
        return ()
    return fields[0], fields[-2]


MAX_CASES = 20
"""How many cases of a code are kept; the rest is only counted."""


@dataclass(frozen=True, slots=True)
class Case:
    """One place where something is wrong, and what was found there."""

    place: str
    """`file:line` if known, otherwise a description: query q7, document d3, judgment q7/d3, run, query q7."""
    found: str = ""
    query: str | None = None
    document: str | None = None

    def to_dict(self) -> dict[str, str]:
        """Plain values; unknown ones are left out."""
        named = {"place": self.place, "found": self.found, "query": self.query, "document": self.document}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class Finding:
    """All cases of one code: what is wrong, how often, the first places, and what to do."""

    code: str
    message: str
    count: int = 1
    cases: tuple[Case, ...] = ()
    """At most the first twenty."""

    @property
    def severity(self) -> str:
        """`error`: scores would be wrong or cannot be computed; `warning`: worth checking."""
        return CODES[self.code].severity

    @property
    def advice(self) -> str:
        """What to do."""
        return CODES[self.code].advice

    @property
    def places(self) -> tuple[str, ...]:
        """The places, at most twenty."""
        return tuple(case.place for case in self.cases)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "count": self.count,
            "cases": [case.to_dict() for case in self.cases],
            "advice": self.advice,
        }


class Cases:
    """Counts the cases of one code, and keeps the first twenty."""

    def __init__(self, code: str) -> None:
        self.code, self.count = code, 0
        self.kept: list[Case] = []

    def __len__(self) -> int:
        return self.count

    def add(self, case: Case) -> None:
        """Add one case."""
        self.count += 1
        if len(self.kept) < MAX_CASES:
            self.kept.append(case)

    def about_query(self, query: str, what: str = "") -> None:
        """Add a case about a query."""
        self.add(Case(f"query {query}", what, query=query))

    def about_document(self, document: str, what: str = "") -> None:
        """Add a case about a document."""
        self.add(Case(f"document {document}", what, document=document))

    def about_judgment(self, query: str, document: str, what: str = "") -> None:
        """Add a case about the ground truth of a query for a document."""
        self.add(Case(f"judgment {query}/{document}", what, query, document))

    def about_run(self, query: str, what: str = "", document: str | None = None) -> None:
        """Add a case about the ranking of a query in a run."""
        self.add(Case(f"run, query {query}", what, query, document))

    def finding(self, message: str) -> list[Finding]:
        """The finding; none if there was no case."""
        return [Finding(self.code, message, self.count, tuple(self.kept))] if self.count else []


def how_many(cases: Cases, noun: str, singular: str, plural: str, *, of: int | None = None) -> str:
    """Count, noun and the verb that fits: `1 query has`, `2 queries have`; with a total `1 of 12 queries has`."""
    subject = counted(cases.count, noun) if of is None else f"{cases.count:,} of {counted(of, noun)}"
    return f"{subject} {singular if cases.count == 1 else plural}"


def finding_without_cases(code: str, message: str, count: int = 1) -> list[Finding]:
    """A finding about the dataset or run as a whole."""
    return [Finding(code, message, count)]


def first_ids(ids: Iterable[str], most: int = 3) -> str:
    """A few ids, in quotes, and an ellipsis if there are more."""
    some = list(islice(ids, most + 1))
    return ", ".join(map(repr, some[:most])) + (" …" if len(some) > most else "")
