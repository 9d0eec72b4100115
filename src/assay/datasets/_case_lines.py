"""Lines of cases: where in its files a dataset says what is wrong, as far as files have one record per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.datasets._columns import NAMES
from assay.datasets._corpus import FileDocuments
from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._finding import Case, Finding
from assay.datasets._record_files import suffix_of
from assay.datasets._source import FileSource
from assay.errors import AssayError

Key = tuple[str, ...]
"""A query, or a query and a document."""
QUERY = ("_id", "id", *NAMES["query"])
LINES = (".jsonl", ".ndjson", ".tsv", ".txt", ".qrels", ".qrel", ".trec", "")
"""Endings of files that may have a record per line."""
ABOUT_DATASET = ("query ", "document ", "judgment ")
"""How places begin that are no lines yet."""


def with_lines(findings: list[Finding], dataset: BenchmarkDataset) -> list[Finding]:
    """The same findings with `file:line` before each place that a file has a line for."""
    cases = [case for finding in findings for case in finding.cases if case.place.startswith(ABOUT_DATASET)]
    wanted = {key for case in cases if (key := _key(case))}
    places = _places(dataset, wanted) if wanted and dataset.path else {}
    return [replace(one, cases=tuple(_placed(case, dataset, places) for case in one.cases)) for one in findings]


def _key(case: Case) -> Key:
    if case.query is None:
        return ()
    return (case.query, case.document) if case.document is not None else (case.query,)


def _placed(case: Case, dataset: BenchmarkDataset, places: dict[Key, str]) -> Case:
    if not case.place.startswith(ABOUT_DATASET):
        return case
    place = places.get(_key(case))
    if case.query is None and case.document is not None and isinstance(dataset.documents, FileDocuments):
        place = dataset.documents.place_of(case.document)
    return replace(case, place=f"{place}, {case.place}") if place else case


def _places(dataset: BenchmarkDataset, wanted: set[Key]) -> dict[Key, str]:
    """`file:line` of queries and judgments; a query without a line of its own has that of its first judgment."""
    queries = {key for key in wanted if len(key) == 1}
    found: dict[Key, str] = {}
    by_role = _files(dataset)
    for file in by_role["judgments"]:
        for place, key in _rows(file, is_judgment=True):
            if key in wanted:
                found.setdefault(key, place)
            if key[:1] in queries:
                found.setdefault(key[:1], place)
            if len(found) == len(wanted):
                break
    for file in by_role["queries"] if queries else ():
        found |= {key: place for place, key in _rows(file, is_judgment=False) if key in queries}
    return found


def _files(dataset: BenchmarkDataset) -> dict[str, list[Path]]:
    """The files of a dataset that hold queries and judgments line by line, known by their names."""
    path = dataset.path
    found: dict[str, list[Path]] = {"queries": [], "judgments": []}
    if path is None or not path.exists():
        return found
    if path.is_file():
        found["judgments" if dataset.format == "trec" else "queries"].append(path)
    split = str(dataset.metadata.get("split", ""))
    inner = [file for file in sorted((path / "qrels").glob("*")) if file.name.partition(".")[0] == split]
    for file in [*sorted(path.glob("*")), *inner] if path.is_dir() else ():
        is_judgment = "qrel" in file.name.lower() or file.name.startswith("judgments") or file in inner
        if is_judgment or file.name.startswith(("queries", "topics")):
            found["judgments" if is_judgment else "queries"].append(file)
    return {role: [file for file in files if _has_lines(file)] for role, files in found.items()}


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
                key = _of_record(decode(line), is_judgment) if line[:1] == b"{" else _of_fields(line, is_judgment)
            except (ValueError, RecursionError):
                continue
            if key:
                yield f"{source.label}:{number}", key
    except AssayError:
        return


def _of_record(record: dict[str, Any], is_judgment: bool) -> Key:
    names: Iterable[tuple[str, ...]] = (NAMES["query"], NAMES["document"]) if is_judgment else (QUERY,)
    ids = [next((str(record[name]) for name in group if name in record), "") for group in names]
    return tuple(ids) if all(ids) else ()


def _of_fields(line: bytes, is_judgment: bool) -> Key:
    """TREC has query, iteration, document, grade; BEIR query, document, grade; a file of queries starts with the query."""
    fields = line.decode().rstrip("\r\n").split("\t") if b"\t" in line else line.decode().split()
    if not is_judgment:
        return (fields[0],)
    if len(fields) not in (3, 4):
        return ()
    return fields[0], fields[-2]
