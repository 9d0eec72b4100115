"""A folder with tables of queries, documents and judgments, and dataset.json for everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.datasets.corpus import FileDocuments
from assay.datasets.dataset import BenchmarkDataset, Notes, Repair, require_queries
from assay.datasets.fields import (
    Record,
    document_id,
    document_of,
    filled_fields,
    judgment_of,
    names_document,
    query_of,
)
from assay.errors import DataError
from assay.files import BOM, CARD, COMPRESSIONS, FileSource, decode_file, each_record, suffix_of
from assay.model import Document, Query, RelevanceJudgment, Span

TABLES = ("queries", "documents", "judgments")
LINES = (".jsonl", *(f".jsonl{packed}" for packed in COMPRESSIONS), ".ndjson")
ENDINGS = (*LINES, ".parquet")


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
    """Add who judged, and when. A grade that differs from the judgments is a fault."""
    notes = Notes(place)
    for judgment in judgments:
        grade = dataset.qrels.get(judgment.query_id, {}).get(judgment.doc_id)
        if grade != judgment.relevance_grade:
            difference = "do not contain this document" if grade is None else f"have grade {grade:g}"
            pair = f"grade {judgment.relevance_grade:g} to document {judgment.doc_id} for query {judgment.query_id}"
            whose = f"{judgment.judge or 'the judge'} gave {pair}"
            notes.fault("", f"{whose}, but the judgments {difference}; fix one of them")
        dataset.judgments[judgment.query_id, judgment.doc_id] = judgment
    notes.raise_if_any()


def judges_of(dataset: BenchmarkDataset) -> list[dict[str, Any]]:
    """Judgments that record who judged, or when, as plain fields."""
    return [
        filled_fields(judgment)
        for judgment in judgment_rows(dataset)
        if judgment.judge is not None or judgment.timestamp is not None
    ]


def read_tables(path: Path) -> BenchmarkDataset:
    """Read queries, documents and judgments from the tables that exist. Without queries, the judged queries are used."""
    files = {table: file for table in TABLES if (file := _find(path, table))}
    dataset = BenchmarkDataset(path.resolve().name)
    if "queries" in files:
        read_queries(dataset, files["queries"])
    if "documents" in files:
        dataset.documents = read_documents(files["documents"])
    if "judgments" in files:
        _read_judgments(dataset, files["judgments"])
    read_card(dataset, path)
    if "queries" not in files:
        dataset.queries = {query: Query(query) for query in dataset.qrels}
    return require_queries(dataset, str(files.get("queries", path)))


def _find(path: Path, table: str) -> Path | None:
    """The file of a table. Several files are an error, because the choice would be a guess."""
    files = [path / f"{table}{ending}" for ending in ENDINGS if (path / f"{table}{ending}").exists()]
    if len(files) > 1:
        names = ", ".join(file.name for file in files)
        raise DataError(f"expected one file of {table}, found {len(files)}: {names}; keep one of them", source=path)
    return files[0] if files else None


def read_queries(dataset: BenchmarkDataset, file: Path) -> None:
    """Read queries, one per record, with their ground truth if they have any."""
    places: dict[str, str] = {}
    notes = Notes(str(file))

    def take(place: str, record: Record) -> None:
        query, judged = query_of(record, len(places) + 1, place, notes)
        if query.query_id in places:
            first = f"first at {places[query.query_id]}"
            raise DataError(f"query {query.query_id} appears twice ({first}); list all its documents in one record")
        places[query.query_id] = place
        dataset.add_query(query)
        if judged is not None:
            dataset.qrels[query.query_id] = judged

    each_record(file, take)
    dataset.repairs += notes.repairs


def _read_judgments(dataset: BenchmarkDataset, file: Path) -> None:
    """Read judgments, one per record. A document judged twice for a query is a fault."""
    unused: dict[str, str] = {}

    def take(place: str, record: Record) -> None:
        judgment, useless = judgment_of(record)
        if judgment.doc_id in dataset.qrels.get(judgment.query_id, ()):
            raise DataError(f"document {judgment.doc_id} is judged twice for query {judgment.query_id}")
        dataset.add_judgment(judgment)
        for name in useless:
            unused.setdefault(name, place)

    each_record(file, take, json_decoder())
    dataset.repairs += [Repair(place, f"the field {name!r} is not used", is_loss=True) for name, place in unused.items()]


def json_decoder() -> Callable[[bytes], Any]:
    """A fast decoder for large files."""
    import msgspec

    return msgspec.json.Decoder().decode


def read_documents(
    file: Path,
    made: Callable[[Record], Document] = document_of,
    id_of: Callable[[Record], str] = document_id,
    may_be_id: Callable[[str], bool] = names_document,
) -> Any:
    """Documents, one per record. Documents in JSON lines stay in their file until they are needed."""
    if suffix_of(file.name) != ".parquet":
        decode = json_decoder()
        return FileDocuments(
            FileSource.at(file),
            _id_decoder(id_of, may_be_id, has_usual=id_of is not document_id),
            lambda line: made(_object(decode(line.removeprefix(BOM)))),
        )
    documents: dict[str, Document] = {}

    def take(_: str, record: Record) -> None:
        document = made(record)
        if document.doc_id in documents:
            raise DataError(f"document {document.doc_id} appears twice")
        documents[document.doc_id] = document

    each_record(file, take)
    return documents


def _object(record: Any) -> Record:
    if not isinstance(record, dict):
        raise DataError("expected a JSON object")
    return record


def _id_decoder(
    id_of: Callable[[Record], str], may_be_id: Callable[[str], bool], *, has_usual: bool
) -> Callable[[bytes], str]:
    """A decoder for the id of a line, which decodes only fields that may contain the id.

    If the id is usually in `_id`, as in BEIR, that field is tried first, because this is fastest.
    """
    import msgspec

    decode, value_of = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode, json_decoder()
    usual = msgspec.json.Decoder(msgspec.defstruct("Usual", [("_id", Any, None)])).decode

    def id_of_line(line: bytes) -> str:
        line = line.removeprefix(BOM)
        if has_usual and type(line_id := usual(line)._id) is str and line_id:  # type: ignore[attr-defined]
            return line_id
        fields = decode(line)
        return id_of({name: value_of(value) if may_be_id(name) else None for name, value in fields.items()})

    return id_of_line


def judgment_rows(dataset: BenchmarkDataset) -> Iterator[RelevanceJudgment]:
    """Every judgment as a record, with judge and timestamp."""
    for query, judged in dataset.qrels.items():
        for doc, grade in judged.items():
            more = dataset.judgments.get((query, doc))
            yield RelevanceJudgment(query, doc, grade, more.judge if more else None, more.timestamp if more else None)


def has_tables(names: frozenset[str], endings: tuple[str, ...]) -> bool:
    """Whether a folder contains queries or judgments with one of these extensions, and no files of BEIR or TREC."""
    is_foreign = any(name.partition(".")[0] in ("corpus", "qrels") for name in names)
    return not is_foreign and any(f"{table}{ending}" in names for table in ("queries", "judgments") for ending in endings)
