"""trec: a TREC test collection, as a file of judgments, or as a folder with judgments, topics and documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
from assay.datasets.trec.sgml_documents import has_documents, read_sgml_documents
from assay.datasets.trec.topics import ARTICLE, add_articles, check_texts, read_topics
from assay.errors import DataError, UsageError
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
from assay.text import counted, some_of

EXAMPLE = """\
qrels.txt    301 0 FBIS3-10082 1
topics.txt   <top>
             <num> Number: 301
             <title> International Organized Crime
             <desc> Description: Identify organizations that participate in international criminal activity.
             <narr> Narrative: A relevant document must name the organization.
             </top>
docs.trec    <DOC><DOCNO> FBIS3-10082 </DOCNO><HEADLINE>Cartels</HEADLINE><TEXT>The Medellin cartel …</TEXT></DOC>

Topics may also be lines (301<tab>International Organized Crime, or 301:International Organized Crime), XML
(<topic number="301"><query>…, <TOPIC><NUM>301</NUM><TITLE>…, <query><qid>301</qid><content>…), JSON lines, a JSON list
([{"id": 301, "title": …}]) or a JSON object ({"301": "International Organized Crime"}).
Topics for background linking name an article of the documents (<docid>…</docid>).
Documents may also be a folder of such files (docs/, documents/, corpus/ or collection/), JSON lines (docs.jsonl) or TSV
(collection.tsv: id<tab>text)."""
JUDGMENT_ENDINGS = (".txt", ".qrels", ".qrel", ".trec")
"""Extensions of a file with judgments alone."""
LINES = (".jsonl", ".ndjson")
SGML = (".sgml", ".sgm", ".trectext", ".trecweb")
"""Extensions of files with documents in SGML."""
DOCUMENT_STEMS = ("collection", "docs", "documents", "corpus")
"""Names of a file, or of a folder of SGML files, with documents."""


def read_trec(path: Path) -> BenchmarkDataset:
    """A single file contains judgments; its queries have only ids. In a folder, files are recognised by their names.

    Files with `qrels` in the name are judgments, and files with `topics` or `queries` are queries. Files called docs,
    documents, collection or corpus with the extension .tsv or .trec, files with the extension .sgml, .sgm, .trectext or
    .trecweb, and all other .jsonl files, are documents. A folder called docs, documents, collection or corpus may contain
    files with SGML documents. Documents stay in their files until they are needed. If there are several files of one kind,
    assay reports an error that lists them; only SGML documents may be in several files.

    In a topic, the tag title becomes the text, desc the description and narr the narrative; other tags keep their names. A
    topic that names an article with docid, as in the background linking task of the TREC News track, gets the title and the
    text of that article as its text. The article itself is not an answer to its query. A topic without a text is noted as a
    loss. A topic 051 whose judgments use 51 gets the id 51. If judgments are per subtopic, as in diversity tasks, the grade
    of a document is its best grade.

    In a document, HEADLINE, TITLE, HL, TTL, HEAD or TI is the title, and TEXT is the text; other tags become metadata.
    """
    notes = Notes(str(path))
    files = _files(path, notes) if path.is_dir() else {"judgments": [path]}
    dataset = BenchmarkDataset(path.resolve().name if path.is_dir() else FileSource(path).name)
    if "judgments" in files:
        _read_judgments(dataset, files["judgments"][0])
    if "documents" in files:
        dataset.documents = _documents(files["documents"], notes)
    dataset.repairs += notes.repairs
    if "topics" in files:
        _read_queries(dataset, files["topics"][0])
    else:
        dataset.queries = {query: Query(query) for query in dataset.qrels}
    if path.is_dir():
        read_card(dataset, path)
    return require_queries(dataset, str(files.get("topics", [path])[0]))


def _kind(name: str) -> str | None:
    """What a file in the folder contains, by its name; None if it is not part of the collection."""
    stem, suffix = name.lower().partition(".")[0], suffix_of(name)
    if suffix in (".md", ".py", ".sh", ".pdf"):
        return None
    if "qrel" in name.lower():
        return "judgments"
    if "topics" in name.lower() or "queries" in name.lower():
        return "topics"
    if suffix in LINES or suffix in SGML or (suffix in (".tsv", ".trec") and stem in DOCUMENT_STEMS):
        return "documents"
    return None


def _files(folder: Path, notes: Notes) -> dict[str, list[Path]]:
    """Judgments, topics and documents of a folder. Only documents in SGML may be several files."""
    files_by_kind: dict[str, list[Path]] = {}
    judgments = folder / "qrels"
    for file in sorted((*folder.iterdir(), *(judgments.iterdir() if judgments.is_dir() else ()))):
        kind = "judgments" if file.parent == judgments else _kind(file.name)
        if kind and file.is_file() and not file.name.startswith("."):
            files_by_kind.setdefault(kind, []).append(file)
    if documents := [file for stem in DOCUMENT_STEMS for file in _sgml_files(folder / stem, notes)]:
        files_by_kind.setdefault("documents", []).extend(documents)
    for kind, files in files_by_kind.items():
        if len(files) > 1 and not (kind == "documents" and all(map(_is_sgml, files))):
            names = some_of([f"{file.relative_to(folder)}," for file in files]).rstrip(",")
            message = f"expected one file of {kind}, found {len(files)}: {names}; keep one of them in the folder"
            raise DataError(message, source=folder)
    if not files_by_kind.keys() & {"judgments", "topics"}:
        raise DataError("expected judgments (qrels.txt) or topics (topics.txt) in this folder, found none", source=folder)
    return files_by_kind


def _is_sgml(file: Path) -> bool:
    """Whether a file of documents is SGML: not JSON lines and not a table."""
    return suffix_of(file.name) not in (*LINES, ".tsv")


def _sgml_files(folder: Path, notes: Notes) -> list[Path]:
    """The files of a folder of documents that contain `<DOC>`; the others are noted as losses if any file does."""
    if not folder.is_dir():
        return []
    inside = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    files = [file for file in inside if _is_sgml(file) and has_documents(file)]
    for file in inside if files else ():
        if file not in files:
            notes.lose(str(file), "contains no <DOC> and is not used")
    return files


def _read_judgments(dataset: BenchmarkDataset, file: Path) -> None:
    qrels = Qrels(str(file))
    dataset.qrels = {query: qrels[query] for query in qrels}
    dataset.subtopics = subtopics_of(qrels)


def _read_queries(dataset: BenchmarkDataset, file: Path) -> None:
    if suffix_of(file.name) in LINES:
        read_queries(dataset, file)
        return
    notes = Notes(str(file))
    queries = add_articles(read_topics(FileSource.at(file), notes), dataset.documents)
    renamed = {query: bare for query in queries if (bare := query.lstrip("0")) != query and query not in dataset.qrels}
    for query, bare in renamed.items():
        if bare in dataset.qrels and bare not in queries:
            notes.mend(str(file), f"topic {query} gets the id {bare}, as in its judgments")
            queries[query] = replace(queries[query], query_id=bare)
    dataset.queries = {query.query_id: query for query in queries.values()}
    check_texts(dataset.queries.values(), str(file), notes)
    dataset.repairs += notes.repairs


def _documents(files: Sequence[Path], notes: Notes) -> Any:
    file = files[0]
    if _is_sgml(file):
        return read_sgml_documents(files, notes)
    if suffix_of(file.name) in LINES:
        return read_documents(file)
    return FileDocuments(FileSource.at(file), lambda line: _row(line)[0], lambda line: Document(*_row(line)), "trec")


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
    """Whether the query has only an id and a text, and the text is not empty and fits on a line."""
    has_more = not filled_fields(query).keys() <= {"query_id", "text"}
    is_line = bool(query.text.strip()) and not set("\t\r\n") & set(query.text)
    return not has_more and is_line and not query.query_id.startswith("<")


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
    if (probe.path / "qrels").is_dir() or any(
        kind == "topics" and suffix_of(name) == ".csv" for name, kind in kinds.items()
    ):
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
    """Whether a header has a column of grades; a column of ranks means a run."""
    listed = header.decode("utf-8", "replace").lower().replace("-", "_").replace(",", "\t").split("\t")
    names = {name.strip(' "\r\n') for name in listed}
    return bool(names & {*COLUMN_NAMES["grade"]}) and not names & {*COLUMN_NAMES["rank"]}


def notes_on_articles(dataset: BenchmarkDataset) -> list[str]:
    """A note if queries are articles of the corpus, as in background linking: a retriever may return them."""
    named = [(query.metadata or {}).get(ARTICLE) for query in dataset.queries.values()]
    if n_articles := sum(isinstance(doc_id, str) and doc_id in dataset.documents for doc_id in named):
        verb = "is an article" if n_articles == 1 else "are articles"
        reason = "The article itself is not an answer, so it counts as not relevant if a provider returns it."
        return [f"{counted(n_articles, 'query')} {verb} of the corpus (background linking). {reason}"]
    return []


FORMAT = Format(
    "trec",
    "judgments alone, or a folder with qrels.txt, topics and documents",
    read_trec,
    detect,
    write_trec,
    example=EXAMPLE,
    needs="a folder with qrels or topics, or one file of judgments: 4 columns, or CSV columns with a grade",
    rank=5,
    notes=notes_on_articles,
)
