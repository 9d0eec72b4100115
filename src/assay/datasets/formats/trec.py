"""trec: a TREC test collection, as a file of judgments, or as a folder with judgments, topics and documents."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.datasets.corpus import FileDocuments
from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries, subtopics_of
from assay.datasets.document_sources import read_documents
from assay.datasets.fields import filled_fields
from assay.datasets.folder_tables import read_card, read_queries, write_card
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.errors import DataError, Faults, UsageError
from assay.files import (
    BOM,
    COLUMN_NAMES,
    COMPRESSIONS,
    FileSource,
    is_header,
    new_folder,
    suffix_of,
    write_lines,
    write_qrels,
)
from assay.model import Document, Qrels, Query
from assay.text import some_of

TEXT = ("title", "query", "question", "desc", "description")
"""Tags for the text of a query, the most likely first."""
ID = ("num", "number", "identifier", "id", "qid")
TOPIC_FIELDS = {"desc": "description", "narr": "narrative", "dom": "domain", "smry": "summary", "con": "concepts"}
"""Tag → its full name."""
LABELS = {
    "num": "Number",
    "title": "Topic|Title",
    "query": "Query",
    "desc": "Description",
    "narr": "Narrative",
    "dom": "Domain",
    "smry": "Summary",
    "con": r"Concept\(s\)|Concepts?",
    "fac": r"Factor\(s\)",
    "def": r"Definition\(s\)",
}
"""Labels that repeat the tag before its content."""

HEADERS = [
    [name, text] for name in ("query_id", "qid", "query-id", "topic_id") for text in ("text", "query", "title", "query_text")
]
"""Headers of a TSV."""

Topic = Mapping[str, Any] | DataError
"""The fields of a topic, or its error."""


def read_topics(source: FileSource, notes: Notes) -> dict[str, Query]:
    """Read queries from topics. White space is normalised in SGML and XML; texts in TSV stay unchanged."""
    queries: dict[str, Query] = {}
    faults = Faults(source.label)
    for line, fields in _topics(source):
        try:
            query = _query(fields, f"{source.label}:{line}", notes)
            if query.query_id in queries:
                faults.add(line, f"query {query.query_id} appears twice")
            queries.setdefault(query.query_id, query)
        except DataError as error:
            faults.add(line, str(error))
        if faults.full:
            break
    faults.raise_if_any(len(queries) + len(faults))
    return queries


def _topics(source: FileSource) -> Iterator[tuple[int, Topic]]:
    content = source.content()
    start = content.lstrip()[:4096].lower()
    if start.startswith(b"<") and not re.search(rb"<top\b", start):
        return _xml(source, content)
    try:
        text = content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError("not valid UTF-8; save the topics as UTF-8", source=source.label, line=line) from None
    return _sgml(text) if start.startswith(b"<") else _tsv(text)


def _query(fields: Topic, place: str, notes: Notes) -> Query:
    """One topic. Without a title, its description is used as text, and this is noted."""
    if isinstance(fields, DataError):
        raise fields
    query_id = next((fields[name] for name in ID if fields.get(name)), "")
    if len(query_id.split()) != 1:
        raise DataError(f"expected one topic number, found {repr(query_id) if query_id else 'none'}")
    source = next((name for name in TEXT if fields.get(name)), None)
    if source in ("desc", "description"):
        notes.mend(place, f"topic {query_id} has no title; its description is used as the query text")
    others = {name: value for name, value in fields.items() if name not in ID and value}
    text = "" if source is None else others[source] if source.startswith("desc") else others.pop(source)
    named = {TOPIC_FIELDS.get(name, name): value for name, value in others.items()}
    domain, query_type = named.pop("domain", None), named.pop("type", None)
    return Query(query_id, text, query_type=query_type, domain=domain, metadata=named or None)


def _normalise_space(text: str) -> str:
    """The text on one line; character entities become characters."""
    return " ".join(re.sub(r"&#?\w+;", lambda match: html.unescape(match[0]), text).split())


def _sgml(text: str) -> Iterator[tuple[int, Topic]]:
    """Line and fields of `<top> <num> Number: 301 <title> …`, with or without closing tags."""
    starts = list(re.finditer(r"<top\b[^>]*>", text, re.IGNORECASE))
    for place, start in enumerate(starts):
        end = starts[place + 1].start() if place + 1 < len(starts) else len(text)
        block = re.split(r"</top>", text[start.end() : end], maxsplit=1, flags=re.IGNORECASE)[0]
        yield text.count("\n", 0, start.start()) + 1, _parse_fields(block)


def _parse_fields(block: str) -> dict[str, str]:
    """Tag → content, without the label that repeats the tag. The contents of a repeated tag are joined."""
    fields: dict[str, str] = {}
    tags = list(re.finditer(r"<([A-Za-z][\w-]*)\b[^<>]*>", block))
    for place, tag in enumerate(tags):
        end = tags[place + 1].start() if place + 1 < len(tags) else len(block)
        name = re.sub(r"^[a-z]{2}-", "", tag[1].lower())  # CLEF writes <EN-title>
        content = _normalise_space(re.sub(r"</[A-Za-z][\w-]*\s*>", " ", block[tag.end() : end]))
        content = re.sub(rf"^(?:{LABELS[name]})\s*:\s*", "", content, flags=re.IGNORECASE) if name in LABELS else content
        fields[name] = f"{fields[name]} {content}" if name in fields else content
    return fields


def _xml(source: FileSource, content: bytes) -> Iterator[tuple[int, Topic]]:
    """Line and fields of `<topic number="1"><query>…`. Subtopics are a list."""
    from xml.etree import ElementTree as ET

    if b"<!ENTITY" in content:
        raise DataError("topics that define XML entities are not supported; remove the definitions", source=source.label)
    try:
        root = ET.fromstring(content)  # noqa: S314 (entities are refused above)
    except ET.ParseError as error:
        raise DataError(f"not XML: {error}", source=source.label, line=error.position[0]) from None
    starts = re.finditer(rb"<topic\b", content)
    for topic, start in zip(root.iter("topic"), starts, strict=False):
        fields: dict[str, Any] = dict(topic.attrib)
        if own := _normalise_space(topic.text or ""):
            fields["title"] = own
        for child in topic:
            text, name = _normalise_space("".join(child.itertext())), child.tag.lower()
            if name == "subtopic":
                fields.setdefault("subtopics", []).append(text)
            else:
                fields[name] = f"{fields[name]} {text}" if name in fields else text
        yield content.count(b"\n", 0, start.start()) + 1, fields


def _tsv(text: str) -> Iterator[tuple[int, Topic]]:
    """Line and fields of `id<tab>text`; a header is skipped."""
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split("\t")
        if not line.strip() or (number == 1 and [cell.strip().lower() for cell in cells] in HEADERS):
            continue
        if len(cells) == 2:
            yield number, {"id": cells[0].strip(), "query": cells[1]}
        else:
            yield number, DataError(f"expected 2 columns (id, text) with a tab between them, found {len(cells)}")


EXAMPLE = """\
qrels.txt    301 0 FBIS3-10082 1
topics.txt   <top>
             <num> Number: 301
             <title> International Organized Crime
             <desc> Description: Identify organizations that participate in international criminal activity.
             <narr> Narrative: A relevant document must name the organization.
             </top>
docs.jsonl   {"id": "FBIS3-10082", "contents": "The Medellin cartel …"}

Topics may also be TSV (301<tab>International Organized Crime), XML (<topic number="301"><query>…), or JSON lines.
Documents may also be TSV (collection.tsv: id<tab>text)."""
JUDGMENT_ENDINGS = (".txt", ".qrels", ".qrel", ".trec")
"""Extensions of a file with judgments alone."""
LINES = (".jsonl", ".ndjson")


def read_trec(path: Path) -> BenchmarkDataset:
    """A single file contains judgments; its queries have only ids. In a folder, files are recognised by their names.

    Files with `qrels` in the name are judgments, and files with `topics` or `queries` are queries. Files called docs,
    documents, collection or corpus with the extension .tsv, and all other .jsonl files, are documents. Documents stay in
    their file until they are needed. If there are several files of one kind, assay reports an error that lists them. In a
    topic, the tag title becomes the text, desc the description and narr the narrative; other tags keep their names. A topic
    051 whose judgments use 51 gets the id 51. If judgments are per subtopic, as in diversity tasks, the grade of a document
    is its best grade.
    """
    files = _files(path) if path.is_dir() else {"judgments": path}
    dataset = BenchmarkDataset(path.resolve().name if path.is_dir() else FileSource(path).name)
    if "judgments" in files:
        _read_judgments(dataset, files["judgments"])
    if "topics" in files:
        _read_queries(dataset, files["topics"])
    else:
        dataset.queries = {query: Query(query) for query in dataset.qrels}
    if "documents" in files:
        dataset.documents = _documents(files["documents"])
    if path.is_dir():
        read_card(dataset, path)
    return require_queries(dataset, str(files.get("topics", path)))


def _kind(name: str) -> str | None:
    """What a file in the folder contains, by its name; None if it is not part of the collection."""
    stem, suffix = name.lower().partition(".")[0], suffix_of(name)
    if suffix in (".md", ".py", ".sh", ".pdf"):
        return None
    if "qrel" in name.lower():
        return "judgments"
    if "topics" in name.lower() or "queries" in name.lower():
        return "topics"
    if suffix in LINES or (suffix == ".tsv" and stem in ("collection", "docs", "documents", "corpus")):
        return "documents"
    return None


def _files(folder: Path) -> dict[str, Path]:
    """Judgments, topics and documents of a folder."""
    files_by_kind: dict[str, list[Path]] = {}
    judgments = folder / "qrels"
    for file in sorted((*folder.iterdir(), *(judgments.iterdir() if judgments.is_dir() else ()))):
        kind = "judgments" if file.parent == judgments else _kind(file.name)
        if kind and file.is_file() and not file.name.startswith("."):
            files_by_kind.setdefault(kind, []).append(file)
    for kind, files in files_by_kind.items():
        if len(files) > 1:
            names = ", ".join(file.name for file in files)
            message = f"expected one file of {kind}, found {len(files)}: {names}; keep one of them in the folder"
            raise DataError(message, source=folder)
    if not files_by_kind.keys() & {"judgments", "topics"}:
        raise DataError("expected judgments (qrels.txt) or topics (topics.txt) in this folder, found none", source=folder)
    return {kind: files[0] for kind, files in files_by_kind.items()}


def _read_judgments(dataset: BenchmarkDataset, file: Path) -> None:
    qrels = Qrels(str(file))
    dataset.qrels = {query: qrels[query] for query in qrels}
    dataset.subtopics = subtopics_of(qrels)


def _read_queries(dataset: BenchmarkDataset, file: Path) -> None:
    if suffix_of(file.name) in LINES:
        read_queries(dataset, file)
        return
    notes = Notes(str(file))
    queries = read_topics(FileSource.at(file), notes)
    renamed = {query: bare for query in queries if (bare := query.lstrip("0")) != query and query not in dataset.qrels}
    for query, bare in renamed.items():
        if bare in dataset.qrels and bare not in queries:
            notes.mend(str(file), f"topic {query} gets the id {bare}, as in its judgments")
            queries[query] = replace(queries[query], query_id=bare)
    dataset.queries = {query.query_id: query for query in queries.values()}
    dataset.repairs += notes.repairs


def _documents(file: Path) -> Any:
    if suffix_of(file.name) in LINES:
        return read_documents(file)
    return FileDocuments(FileSource.at(file), lambda line: _row(line)[0], lambda line: Document(*_row(line)))


def _row(line: bytes) -> tuple[str, str]:
    """Id and text of a line with a tab between them."""
    doc_id, tab, text = line.removeprefix(BOM).rstrip(b"\r\n").partition(b"\t")
    if not tab or not doc_id:
        raise DataError("expected an id, a tab and the text")
    return doc_id.decode(), text.decode()


def write_trec(dataset: BenchmarkDataset, path: Path) -> None:
    """Write a folder with qrels.txt, topics, docs.jsonl and dataset.json; or only the judgments, to a .txt or .qrels file.

    Topics go to topics.tsv if they have only ids and one-line texts, otherwise to topics.jsonl with every field.
    """
    if suffix_of(path.name) in JUDGMENT_ENDINGS and not path.is_dir():
        write_judgments(dataset, path)
        return
    docs = (doc for judged in dataset.qrels.values() for doc in judged)
    _check_words([*dataset.queries, *dataset.qrels], [*docs, *dataset.documents], path)
    topics = "topics.tsv" if all(map(_is_plain, dataset.queries.values())) else "topics.jsonl"
    parts = {"qrels.txt": any(dataset.qrels.values()), topics: dataset.queries, "docs.jsonl": dataset.documents}
    with new_folder(path, "trec", {name for name, there in parts.items() if there}, _kind) as folder:
        if parts["qrels.txt"]:
            write_qrels(dataset.qrels, folder / "qrels.txt", dataset.subtopics)
        if topics == "topics.jsonl":
            write_lines(folder / topics, map(filled_fields, dataset.queries.values()))
        elif dataset.queries:
            with atomic_write(folder / topics) as file:
                file.writelines(f"{query.query_id}\t{query.text}\n".encode() for query in dataset.queries.values())
        if dataset.documents:
            write_lines(folder / "docs.jsonl", map(_document_row, dataset.documents.values()))
        write_card(dataset, folder)


def write_judgments(dataset: BenchmarkDataset, path: Path) -> None:
    """Write only the judgments. A query judged to have nothing relevant would be lost, so it is an error."""
    if path.suffix in COMPRESSIONS:
        raise UsageError(f"{path}: files are written uncompressed; remove the extension {path.suffix}")
    empty = [query for query, judged in dataset.qrels.items() if not judged]
    if empty or not dataset.qrels:
        nothing = f"a qrels file cannot contain queries for which nothing is relevant (query {some_of(empty)})"
        raise DataError(f"{nothing if empty else 'the dataset has no judgments'}; write to a folder", source=path)
    _check_words(dataset.qrels, (doc for judged in dataset.qrels.values() for doc in judged), path)
    write_qrels(dataset.qrels, path, dataset.subtopics)


def _check_words(queries: Iterable[str], docs: Iterable[str], path: Path) -> None:
    """Raise for ids that TREC files cannot contain: empty, with white space, or at risk of being misread."""
    bad = [doc_id for doc_id in dict.fromkeys(docs) if doc_id.split() != [doc_id] or doc_id[0] in "#\ufeff"]
    bad += [query_id for query_id in dict.fromkeys(queries) if query_id.split() != [query_id] or query_id[0] in "#\ufeff{["]
    if bad:
        names = some_of([repr(bad_id) for bad_id in bad])
        raise DataError(
            f"ids in TREC files must not be empty, contain white space or start with # (query ids also not with {{ or [), "
            f"but the dataset has {names}; write json or jsonl instead",
            source=path,
        )


def _is_plain(query: Query) -> bool:
    """Whether the query has only an id and a text, and the text fits on a line."""
    has_more = not filled_fields(query).keys() <= {"query_id", "text"}
    return not has_more and not set("\t\r\n") & set(query.text) and not query.query_id.startswith("<")


def _document_row(document: Document) -> dict[str, Any]:
    fields = filled_fields(document)
    return {"id": fields.pop("doc_id"), "contents": fields.pop("text"), **fields}


def detect(probe: Probe) -> bool:
    """Judgments in four columns, as a table with a header, or as JSON; or a folder with judgments or topics."""
    if probe.names:
        return _is_collection(probe)
    lines = [line for line in probe.head.removeprefix(BOM).splitlines() if line.strip() and not line.startswith(b"#")]
    if probe.suffix == ".json":
        return probe.is_judgments
    if not lines or probe.suffix in (".parquet", *LINES):
        return False
    return _is_judgment(lines[0]) or (is_header(lines[0]) and _names_grades(lines[0]))


def _is_collection(probe: Probe) -> bool:
    """Whether a folder has judgments or topics that no other format reads. BEIR has a corpus, or no documents at all."""
    kinds = {name: _kind(name) for name in probe.names if (probe.path / name).is_file()}
    stems = {name.partition(".")[0] for name in probe.names}
    has_judgments = bool({"qrels.tsv", "qrels.parquet", "qrels"} & probe.names)
    if has_judgments and "queries" in stems and "corpus" not in stems and "documents" in kinds.values():
        return True
    if (probe.path / "qrels").is_dir():
        return False
    judgments = {name for name, kind in kinds.items() if kind == "judgments"} - {"qrels.tsv", "qrels.parquet"}
    topics = {
        name for name, kind in kinds.items() if kind == "topics" and not re.match(r"queries\.(jsonl|ndjson|parquet)", name)
    }
    return bool(judgments or topics)


def _is_judgment(line: bytes) -> bool:
    fields = line.split()
    try:
        return len(fields) == 4 and not any(field.endswith(b",") for field in fields) and float(fields[3]) is not None
    except ValueError:
        return False


def _names_grades(header: bytes) -> bool:
    names = header.decode("utf-8", "replace").lower().replace("-", "_").replace(",", "\t").split("\t")
    return bool({name.strip(' "') for name in names} & {*COLUMN_NAMES["grade"]})


FORMAT = Format(
    "trec",
    "judgments alone, or a folder with qrels.txt, topics and documents",
    read_trec,
    detect,
    write_trec,
    example=EXAMPLE,
    needs="a folder with qrels or topics, or one file of judgments: 4 columns, or CSV columns with a grade",
    rank=5,
)
