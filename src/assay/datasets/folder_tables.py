"""A folder with tables of queries, documents and judgments, and dataset.json for everything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.datasets.beir_tables import Tables, read_split
from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.document_sources import TABLE_ENDINGS, json_decoder, read_documents
from assay.datasets.fields import filled_fields, roles_of
from assay.datasets.folder_files import named_files
from assay.datasets.probe import Probe
from assay.datasets.query_table import JudgmentTable, QueryTable
from assay.datasets.text_documents import DOCUMENT_STEMS, TextDocuments, read_text_files, text_files
from assay.errors import DataError
from assay.files import (
    CARD,
    FileSource,
    current_reading,
    decode_file,
    each_numbered_record,
    each_record,
    is_header,
    suffix_of,
)
from assay.model import Qrels, Query, RelevanceJudgment, Span
from assay.text import counted

STEMS = {
    "queries": ("queries", "questions", "golden", "golden_set", "goldens", "testset", "eval_set"),
    "documents": DOCUMENT_STEMS,
    "judgments": ("judgments", "qrels"),
}
"""Part of a benchmark → names of its file, without extension."""
TABLES = tuple(STEMS)
JUDGMENT_ENDINGS = (".txt", ".qrels", ".trec")
"""Extensions of files with judgments in TREC's columns."""
ENDINGS_OF = {"judgments": (*TABLE_ENDINGS, *JUDGMENT_ENDINGS)}
NO_DOCUMENTS = frozenset({*(stem for stems in STEMS.values() for stem in stems), "topics", "requirements"})
"""Names of text files that are not documents if they lie beside the tables."""


@dataclass
class Card:
    """dataset.json: name, version and metadata, and everything that has no place in the other files."""

    name: str
    version: str = "1.0"
    metadata: dict[str, Any] = field(default_factory=dict)
    judged_empty: list[str] = field(default_factory=list)
    """Queries that were judged to have nothing relevant."""
    judgments: list[RelevanceJudgment] = field(default_factory=list)
    """Judgments with judge and timestamp, if the file of judgments cannot contain these."""
    spans: dict[str, list[Span]] = field(default_factory=dict)


def read_card(dataset: BenchmarkDataset, folder: Path) -> None:
    """Add what dataset.json contains. Without it, the dataset has the name of its folder."""
    if not (folder / CARD).exists():
        return
    card = decode_file(folder / CARD, Card)
    dataset.name, dataset.version, dataset.metadata = card.name, card.version, card.metadata
    dataset.spans = card.spans
    add_judges(dataset, card.judgments, str(folder / CARD))
    for query in card.judged_empty:
        dataset.qrels.setdefault(query, {})


def write_card(dataset: BenchmarkDataset, folder: Path, *, has_judges: bool = False) -> None:
    """Write dataset.json. `has_judges` means that the file of judgments already says who judged."""
    import msgspec

    card: dict[str, Any] = {"name": dataset.name, "version": dataset.version, "metadata": dataset.metadata}
    if empty := [query for query, judged in dataset.qrels.items() if not judged]:
        card["judged_empty"] = empty
    if not has_judges and (judges := judges_of(dataset)):
        card["judgments"] = judges
    if dataset.spans:
        card["spans"] = {query: [filled_fields(span) for span in spans] for query, spans in dataset.spans.items()}
    with atomic_write(folder / CARD) as file:
        file.write(msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n")


def add_judges(dataset: BenchmarkDataset, judgments: Iterable[RelevanceJudgment], place: str) -> None:
    """Add who judged, and when, and judgments that hold only for a time. A grade that differs is a fault."""
    notes = Notes(place)
    for judgment in judgments:
        if judgment.has_interval:
            dataset.add_judgment(judgment)
            continue
        grade = dataset.qrels.get(judgment.query_id, {}).get(judgment.doc_id)
        if grade != judgment.relevance_grade:
            difference = "do not contain this document" if grade is None else f"have grade {grade:g}"
            pair = f"grade {judgment.relevance_grade:g} to document {judgment.doc_id} for query {judgment.query_id}"
            whose = f"{judgment.judge or 'the judge'} gave {pair}"
            notes.fault("", f"{whose}, but the judgments {difference}; fix one of them")
        dataset.judgments[judgment.query_id, judgment.doc_id] = judgment
    notes.raise_if_any()


def judges_of(dataset: BenchmarkDataset) -> list[dict[str, Any]]:
    """Judgments that record who judged, or when, or that hold only for a time, as plain fields."""
    return [
        filled_fields(judgment)
        for judgment in judgment_rows(dataset)
        if judgment.judge is not None or judgment.timestamp is not None or judgment.has_interval
    ]


def read_tables(path: Path) -> BenchmarkDataset:
    """Queries, documents and judgments are read from the tables that exist. Without queries, the judged queries are used.

    Columns are found by their names; `assay datasets formats` lists the names, and `--columns` names others. Relevant ids
    may be in the table of queries: one id, a list, or text with `;`, `|` or `,` between the ids. Without a table of
    documents, the .md and .txt files of a folder called docs, documents or corpus are the documents, or those of the
    folder itself; their ids are their paths.
    """
    files = {part: file for part in STEMS if (file := _only(path, part))}
    dataset = BenchmarkDataset(path.resolve().name)
    if "documents" in files:
        dataset.documents = read_documents(files["documents"])
    elif (folder := text_folder(path)) is not None:
        dataset.documents = _read_text_files(path, folder)
    has_splits = "judgments" not in files and (path / "qrels").is_dir()
    if "queries" in files:
        read_queries(dataset, files["queries"], has_judgments="judgments" in files or has_splits)
    if "judgments" in files:
        _read_judgments(dataset, files["judgments"])
    elif has_splits:
        read_split(dataset, Tables(path), None)
    read_card(dataset, path)
    if "queries" not in files:
        dataset.queries = {query: Query(query) for query in dataset.qrels}
    return require_queries(dataset, str(files.get("queries", path)))


def tables_in(path: Path) -> dict[str, list[Path]]:
    """Part of a benchmark → the files of a folder that may be its table. Case does not matter.

    A .tsv or .json file of queries or documents must have known columns, because those of TREC have none.
    """
    files = {part: named_files(path, stems, ENDINGS_OF.get(part, TABLE_ENDINGS)) for part, stems in STEMS.items()}
    return {part: [file for file in some if part == "judgments" or _is_table(file, part)] for part, some in files.items()}


def _is_table(file: Path, part: str) -> bool:
    if suffix_of(file.name) not in (".tsv", ".json"):
        return True
    names = Probe(file).first_record
    return bool(roles_of(part, names, current_reading().named_roles(part, names)).keys() & {"query", "doc_id", "text"})


def _only(path: Path, part: str) -> Path | None:
    """The table of a part; two are an error, because the choice would be a guess."""
    files = tables_in(path)[part]
    if len(files) > 1:
        names = ", ".join(file.name for file in files)
        raise DataError(f"expected one file of {part}, found {len(files)}: {names}; keep one of them", source=path)
    return files[0] if files else None


def text_folder(path: Path) -> Path | None:
    """The folder of text files that are the documents: `docs`, `corpus`, … in a folder of tables, or the folder itself."""
    inner = next((folder for stem in DOCUMENT_STEMS if next(text_files(folder := path / stem), None)), None)
    return inner or (path if next(text_files(path, NO_DOCUMENTS), None) else None)


def _read_text_files(path: Path, folder: Path) -> TextDocuments:
    """The text files as documents. If they are in the folder of the tables itself, a note says so."""
    if folder != path:
        return read_text_files(folder)
    documents = read_text_files(folder, NO_DOCUMENTS)
    what = f"the text files of the folder are the documents ({counted(len(documents), 'file')})"
    current_reading().note_once(("documents", "folder"), str(path), what)
    return documents


def read_queries(dataset: BenchmarkDataset, file: Path, *, has_judgments: bool = False) -> None:
    """Read queries, one per record, with their ground truth if they have any. `has_judgments`: another file has some."""
    table = QueryTable(dataset, str(file))
    each_numbered_record(file, table.take)
    table.finish(has_judgments=has_judgments)


def _read_judgments(dataset: BenchmarkDataset, file: Path) -> None:
    """Read judgments: one per record of a table, or any other file of judgments."""
    if not _has_records(file):
        qrels = Qrels(str(file))
        dataset.qrels |= {query: qrels[query] for query in qrels}
        return
    table = JudgmentTable(dataset)
    each_record(file, table.take, json_decoder())
    table.finish()


def _has_records(file: Path) -> bool:
    """Whether a file of judgments has one record with named fields per line or row."""
    suffix = suffix_of(file.name)
    return suffix in (".jsonl", ".ndjson", ".parquet") or (suffix != ".json" and is_header(FileSource.at(file).first_line))


def judgment_rows(dataset: BenchmarkDataset) -> Iterator[RelevanceJudgment]:
    """Every judgment as a record, with judge and timestamp; those that hold only for a time with their intervals."""
    for query, judged in dataset.qrels.items():
        for doc, grade in judged.items():
            if (query, doc) in dataset.intervals:
                continue
            more = dataset.judgments.get((query, doc))
            yield RelevanceJudgment(query, doc, grade, more.judge if more else None, more.timestamp if more else None)

    for judgments in dataset.intervals.values():
        yield from judgments


def has_tables(names: frozenset[str], endings: tuple[str, ...]) -> bool:
    """Whether a folder contains queries or judgments with one of these extensions, and no files of BEIR or TREC."""
    is_foreign = any(name.partition(".")[0] in ("corpus", "qrels") for name in names)
    return not is_foreign and any(f"{table}{ending}" in names for table in ("queries", "judgments") for ending in endings)
