"""code_spans: tasks over a folder of source files, whose ground truth is a span of a file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.entries import QUERY_ID, Entry, in_field, is_text, is_whole, parse_line, read_entries
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.datasets.source_tree import SourceTree
from assay.errors import DataError
from assay.files import FileSource, decoded_lines, read_json
from assay.model import Document, Query, Span
from assay.relevance import Label, check_label
from assay.text import shortened
from assay.views import count_lines

EXAMPLE = """\
tasks.jsonl   {"id": "t1", "query": "where are retries counted?", "file": "src/client.py", "start": 10, "end": 24}
              {"query": "how is a name checked?", "spans": [{"file": "src/names.py", "start_char": 120, "end_char": 310}]}
              {"prompt": "import os\\n…", "metadata": {"task_id": "acme_tool/0", "ground_truth": "    return path",
               "fpath_tuple": ["acme_tool", "src", "paths.py"], "context_start_lineno": 0, "lineno": 26}}
repo/         the source files: repo/src/client.py, repo/src/names.py …"""
PROMPT_LINES = 20
"""How many of a prompt's last lines that are not blank form the query."""
TASKS = (".jsonl", ".ndjson", ".json")
FOLDERS = ("repo", "repos", "repositories", "files", "src")
"""Folders next to the tasks that may contain the sources; otherwise the sources are in the folder of the tasks."""
QUERY = ("query", "question", "text", "prompt")
FILE = ("file", "path", "file_path")
UNITS = (("start_char", "end_char", "characters"), ("start_line", "end_line", "lines"), ("start", "end", "lines"))
"""Field names for the start and end of a span, the most exact first."""
SNIPPET_FIELDS = ("snippet", "code")
"""Field names for the recorded text of a span."""
CHECKS = {"query_type": is_text, "difficulty": is_text, "domain": is_text}
MAX_TASK_FILES = 20
"""How many files of a folder are examined to find the tasks."""


def read_code_spans(path: Path) -> BenchmarkDataset:
    """A folder with a file of tasks, and the sources next to it or in `repo`, `repos`, `repositories`, `files` or `src`.

    The path may be the folder or the file of tasks.

    `start` and `end` are lines counted from 1, both included. `start_char` and `end_char` are characters of the decoded
    text, the end excluded. A file's name is its path below the sources, with `/`. A span that does not exist is reported as
    lost. It stays in the dataset, and its file counts as relevant.

    RepoEval counts lines from 0. The prompt of a task shows the lines from `context_start_lineno` up to, but not including,
    `lineno`, which is the line to complete. The gold span is what the prompt shows: lines context_start_lineno + 1 … lineno,
    counted from 1. The query is the last 20 lines of the prompt that are not blank. The query may search only its own
    repository, which is the first part of `fpath_tuple`.

    `snippet` or `code` next to a span may contain its text at the time it was marked. If the file has other text there now,
    the span moves to the only place that has the recorded text, and this is noted. If there is no such place, or more than
    one, the span is reported as lost.
    """
    tasks = path if path.is_file() else _tasks_file(path)
    source = FileSource.at(tasks)
    reader = _Reader(source, Notes(source.label))
    reader.read_tasks()
    reader.read_sources(tasks)
    reader.dataset.name = path.resolve().name if path.is_dir() else source.name
    return require_queries(reader.dataset, source.label)


def _tasks_file(folder: Path) -> Path:
    """The only file in a folder that contains tasks; a file called tasks is preferred."""
    files = list(_task_files(folder))
    named = [file for file in files if file.name.partition(".")[0] == "tasks"] or files
    if len(named) != 1:
        names = ", ".join(file.name for file in named) or "none"
        raise DataError(f"expected one file of tasks, found {names}; give the path of the file to read", source=folder)
    return named[0]


def _task_files(folder: Path) -> Iterator[Path]:
    candidates = (file for file in sorted(folder.iterdir()) if Probe(file).suffix in TASKS and file.is_file())
    for _, file in zip(range(MAX_TASK_FILES), candidates, strict=False):
        if _has_tasks(Probe(file)):
            yield file


def _has_tasks(probe: Probe) -> bool:
    keys = probe.outer_keys
    if "fpath_tuple" in probe.keys and keys >= {"prompt", "metadata"}:
        return True
    has_place = bool(keys & {*FILE}) and any(keys >= {start, end} for start, end, _ in UNITS)
    return bool(keys & {*QUERY}) and (has_place or "spans" in keys) and not keys & {"queries", "questions"}


class _Reader:
    """Reads one file of tasks and their sources."""

    def __init__(self, source: FileSource, notes: Notes) -> None:
        self.source, self.notes = source, notes
        self.is_lines = Probe(source.path).suffix != ".json"
        self.dataset = BenchmarkDataset(source.name, repairs=notes.repairs)

    def read_tasks(self) -> None:
        """Read queries, spans and judgments. All faults are raised together."""
        read_entries(self._values(), self.source.label, "" if self.is_lines else "task", self._read_task)

    def _values(self) -> Iterator[tuple[int, Any]]:
        """Line number, or position in the list, and task."""
        if self.is_lines:
            yield from decoded_lines(self.source.path, parse_line)
            return
        content = read_json(self.source)
        if not isinstance(content, list | dict):
            raise DataError(f"expected a list of tasks, found {shortened(content)}", source=self.source.label)
        yield from enumerate(content if isinstance(content, list) else [content], 1)

    def _read_task(self, number: int, place: str, value: Any) -> None:
        if isinstance(value, str):
            raise DataError(f"expected an object with a query and a file, found {shortened(value)}")
        entry = Entry.of(value, QUERY[0], place, self.notes)
        read = _repo_eval_task if "fpath_tuple" in entry.metadata else _generic_task
        query, spans = read(entry, f"q{number}")
        if query.query_id in self.dataset.queries:
            raise DataError(f"task {query.query_id} appears twice; give each task its own id")
        self.dataset.queries[query.query_id] = query
        self.dataset.spans[query.query_id] = spans
        self.dataset.qrels[query.query_id] = dict.fromkeys((span.doc_id for span in spans), 1)

    def read_sources(self, tasks: Path) -> None:
        """Read the documents, and check that every span exists."""
        expected_files = {span.doc_id for spans in self.dataset.spans.values() for span in spans}
        tree = self._tree(tasks.parent, expected_files)
        if tree is not None:
            documents = tree.documents(expected_files, besides={tasks})
            is_scoped = any(query.scope for query in self.dataset.queries.values())
            self.dataset.documents = {
                name: _with_group(document) if is_scoped else document for name, document in documents.items()
            }
            if skipped := {why: count for why, count in sorted(tree.skipped.items()) if count}:
                self.dataset.metadata["skipped_files"] = skipped
        for query, spans in self.dataset.spans.items():
            self.dataset.spans[query] = [self._place_span(query, span) for span in spans]
            self.dataset.qrels[query] = dict.fromkeys((span.doc_id for span in self.dataset.spans[query]), 1)

    def _place_span(self, query: str, span: Span) -> Span:
        """The span, moved to where its recorded text is now if there is only one such place."""
        label = check_label(span, self.dataset.documents) if self.dataset.documents else Label(span, fits=True)
        if label.moved_to is not None:
            self.notes.mend(f"query {query}", label.fault)
            return label.moved_to
        if reason := self._fault(span) or label.fault:
            self.notes.lose(f"query {query}", reason)
        return span

    def _tree(self, folder: Path, expected_files: set[str]) -> SourceTree | None:
        """The folder with most of the expected files; the folder of the tasks only if it has any of them."""
        there = [folder / name for name in FOLDERS if (folder / name).is_dir()]
        trees = [SourceTree(root, self.notes) for root in (*there, folder)]
        counts = [sum(tree.find(name) is not None for name in expected_files) for tree in trees]
        best = max(range(len(trees)), key=counts.__getitem__)
        return trees[best] if there or counts[best] else None

    def _fault(self, span: Span) -> str:
        """What is wrong with a span; empty if it exists."""
        document = self.dataset.documents.get(span.doc_id)
        if document is None:
            return f"{span.doc_id} is not among the source files"
        is_lines = span.unit == "lines"
        first, size = (1, count_lines(document.text)) if is_lines else (0, len(document.text))
        if first <= span.start <= span.end <= size and (is_lines or span.start < span.end):
            return ""
        return f"{span.unit} {span.start} to {span.end} are not a valid range of {span.doc_id}, which has {size} {span.unit}"


def _with_group(document: Document) -> Document:
    """A document in the group of its repository: the first part of its path."""
    return replace(document, group=document.doc_id.partition("/")[0])


def _repo_eval_task(entry: Entry, name: str) -> tuple[Query, list[Span]]:
    metadata = entry.metadata
    parts = metadata.pop("fpath_tuple")
    if not isinstance(parts, list) or not parts or not all(map(is_text, parts)):
        raise DataError(f"fpath_tuple must be a list of names, not {shortened(parts)}")
    first, line = metadata.pop("context_start_lineno", None), metadata.pop("lineno", None)
    line = metadata.pop("line_no", None) if line is None else line
    if not is_whole(first) or not is_whole(line):
        raise DataError(f"context_start_lineno and lineno must be whole numbers, not {first!r} and {line!r}")
    prompt = entry.take_text(("prompt",), "the prompt")
    lines = [line for line in prompt.splitlines() if line.strip()]
    entry.fields |= {name: metadata.pop(name) for name in (*QUERY_ID, "ground_truth") if name in metadata}
    query_id, expected = entry.take_id(QUERY_ID) or name, entry.take_expected()
    metadata.setdefault("repository", parts[0])
    text = "\n".join(lines[-PROMPT_LINES:])
    time = entry.take_time("queries")
    query = Query(query_id, text, expected=expected, scope=parts[0], time=time, metadata=entry.rest())
    return query, [Span("/".join(parts), first + 1, line, "lines")]


def _generic_task(entry: Entry, name: str) -> tuple[Query, list[Span]]:
    query_id = entry.take_id(QUERY_ID) or name
    text = entry.take_text(QUERY, "the query")
    listed = entry.take(("spans",))
    if listed is None:
        spans = [_span(entry.fields, entry)]
    elif isinstance(listed, list) and all(isinstance(entry_, Mapping) for entry_ in listed):
        spans = [_span(dict(fields), entry) for fields in listed]
    else:
        raise DataError(f"spans must be a list of objects with file, start and end, not {shortened(listed)}")
    tags = {name: entry.fields.pop(name) for name, is_right in CHECKS.items() if is_right(entry.fields.get(name))}
    expected, time = entry.take_expected(), entry.take_time("queries")
    return Query(query_id, text, expected=expected, time=time, metadata=entry.rest(), **tags), spans


def _span(fields: dict[str, Any], entry: Entry) -> Span:
    """The span that some fields describe; these fields are removed."""
    file = next((value for name in FILE if (value := fields.pop(name, None)) is not None), None)
    if not isinstance(file, str) or not file:
        raise DataError(f"expected the path of a file {in_field(FILE)}, found {shortened(file)}")
    for start_name, end_name, unit in UNITS:
        if fields.get(start_name) is not None:
            start, end = fields.pop(start_name), fields.pop(end_name, None)
            if not is_whole(start) or not is_whole(end):
                raise DataError(f"{start_name} and {end_name} must be whole numbers, not {start!r} and {end!r}")
            chosen = fields.pop("unit", unit)
            if chosen not in ("lines", "characters"):
                raise DataError(f"unit must be lines or characters, not {chosen!r}")
            return Span(_posix(file, entry), start, end, chosen, _recorded_text(fields))
    names = [start for start, _, _ in UNITS]
    raise DataError(f"expected the start of the span of {file} {in_field(names)}, found none")


def _recorded_text(fields: dict[str, Any]) -> str | None:
    """The recorded text of a span; None if there is none."""
    texts = [value for name in SNIPPET_FIELDS if isinstance(value := fields.get(name), str)]
    return texts[0] if texts else None


def _posix(file: str, entry: Entry) -> str:
    """The path in the form of document ids: with `/`, without `./`."""
    name = posixpath.normpath(file.replace("\\", "/"))
    if name != file:
        entry.notes.mend(entry.place, f"the path {file} was read as {name}")
    return name


def detect(probe: Probe) -> bool:
    """Tasks with a file and a span of it; or a folder with such tasks."""
    if probe.path.is_dir():
        return any(_task_files(probe.path))
    return probe.suffix in TASKS and _has_tasks(probe)


FORMAT = Format(
    "code_spans",
    "tasks over a folder of source files, with spans as ground truth: JSON lines, a JSON list or RepoEval files",
    read_code_spans,
    detect,
    example=EXAMPLE,
    needs="JSON records with query, and file, start and end or spans; or a folder with such records",
    rank=30,
)
