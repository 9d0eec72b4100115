"""Loading: read a benchmark by name or path, or from data frames and records."""

from __future__ import annotations

from collections.abc import Callable, Collection, MutableMapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.datasets.document_data.popularity import with_document_data
from assay.datasets.document_ids import DocumentIds
from assay.datasets.document_sources import load_documents
from assay.datasets.folder_files import unused_files
from assay.datasets.format import Format, all_formats, bundled, bundled_name, find_format, loader_of, near_names
from assay.datasets.frames import are_records, read_frame, read_frames
from assay.datasets.kinds import (
    BenchmarkSource,
    ColumnNames,
    DocumentSource,
    LenientShare,
    PopularitySource,
    QuerySource,
    VectorSource,
)
from assay.datasets.probe import Probe
from assay.datasets.query_table import notes_on_ids
from assay.datasets.recognition import detect_format
from assay.datasets.text_documents import TextDocuments
from assay.datasets.times.time_scope import AsOfSource, parse_as_of, with_as_of
from assay.errors import (
    BadParameter,
    DataError,
    Leniency,
    UnknownName,
    UsageError,
    current_leniency,
    lenient_reading,
    parse_share,
)
from assay.files import Reading, current_reading, missing_file, parse_columns, reading_with
from assay.model import DOCUMENT_FIELDS, Document, JudgmentSource
from assay.text import counted, shortened, some_of

ACCEPTED = (
    "the name of a benchmark, a path, a data frame (pandas, polars or Arrow), a list of records, or a BenchmarkDataset"
)


def load_dataset(
    source: BenchmarkSource,
    format: str | None = None,  # noqa: A002
    *,
    documents: DocumentSource | None = None,
    columns: ColumnNames | None = None,
    lenient: LenientShare | None = None,
    as_of: AsOfSource = None,
    vectors: VectorSource | None = None,
    popularity: PopularitySource | None = None,
) -> BenchmarkDataset:
    """Load a benchmark by name, by path, from a data frame or from a list of records. The format is detected or named.

    Some names accept a size, `name:tiny`, and some folders a split, `./scifact:dev`. An existing path that contains a colon
    is read as a path. `documents` are the documents if the benchmark has none: a file, a folder of .md or .txt files, a
    data frame, records, or id → text. `columns` names columns that are not recognised: `query=q,text=body`. `lenient` leaves
    out bad records instead of raising: up to 1 % of them, or up to this share. `as_of` leaves out documents that are younger
    than each query (`query`) or than a day, with their judgments. `vectors` and `popularity` are those of the documents, as
    for `with_document_data`.
    """
    if not isinstance(format, str | None):
        raise BadParameter("format must be the name of a format; for documents write documents=…")
    is_made = isinstance(source, BenchmarkDataset)
    moment = parse_as_of(as_of if as_of is not None else current_reading().as_of)
    current_reading().is_time_used = True
    dataset = _read(lambda: _load(source, format), documents, columns, lenient, is_made=is_made)
    return with_as_of(_with_data(dataset, vectors, popularity, columns), moment)


def _with_data(
    dataset: BenchmarkDataset,
    vectors: VectorSource | None = None,
    popularity: PopularitySource | None = None,
    columns: ColumnNames | None = None,
) -> BenchmarkDataset:
    """The benchmark with vectors and popularity of documents: the given ones, or those of the present call."""
    outer = current_reading()
    vectors = outer.vectors if vectors is None else vectors
    popularity = outer.popularity if popularity is None else popularity
    with reading_with(Reading(outer.columns if columns is None else parse_columns(columns))):
        return with_document_data(dataset, vectors, popularity)


def from_frames(
    queries: QuerySource,
    documents: DocumentSource | None = None,
    qrels: JudgmentSource | None = None,
    *,
    name: str = "dataset",
    columns: ColumnNames | None = None,
    lenient: LenientShare | None = None,
) -> BenchmarkDataset:
    """A benchmark from tables of queries, documents and judgments."""
    return with_as_of(_read(lambda: read_frames(queries, qrels, name), documents, columns, lenient), None)


def load_by(read: Callable[[], BenchmarkDataset]) -> BenchmarkDataset:
    """The benchmark that a function reads, with the documents, columns and leniency of the present call."""
    current_reading().is_time_used = True
    return with_as_of(_with_data(_read(read, None, None, None)), parse_as_of(current_reading().as_of))


def _read(
    read: Callable[[], BenchmarkDataset],
    documents: DocumentSource | None,
    columns: ColumnNames | None,
    lenient: LenientShare | None,
    *,
    is_made: bool = False,
) -> BenchmarkDataset:
    """Read a benchmark as the user set it, and add what the readers found out to its repairs."""
    outer = current_reading()
    reading = Reading(
        parse_columns(columns) if columns is not None else outer.columns,
        documents if documents is not None else outer.documents_from,
        outer.as_of,
    )
    leniency = parse_lenient(lenient) if lenient is not None else current_leniency()
    n_before = len(leniency.left_out) if leniency else 0
    with reading_with(reading), lenient_reading(leniency) if leniency else nullcontext():
        if reading.documents_from is not None:
            reading.documents = load_documents(reading.documents_from)
        dataset = read()
    dataset = _with_named_fields(dataset, reading)
    if reading.documents is not None:
        dataset = _with_documents(dataset, reading.documents)
    if not is_made:
        dataset.repairs += match_files(dataset)
    if columns is not None:
        reading.check_columns_used()
    if is_made:
        return dataset
    dataset.repairs += [Repair(place, what, code=code) for place, what, code in reading.notes.values()]
    dataset.repairs += _unused_files(dataset.path, reading.opened)
    faults = leniency.left_out[n_before:] if leniency else ()
    dataset.repairs += [Repair(fault.place, fault.what, is_loss=True, code="left-out") for fault in faults]
    return dataset


def _with_named_fields(dataset: BenchmarkDataset, reading: Reading) -> BenchmarkDataset:
    """The benchmark with the columns that the user named for tags and popularity of documents."""
    named = {role: column for role, column in reading.columns.items() if role in DOCUMENT_FIELDS}
    data = dataset.document_data
    return replace(dataset, document_data=replace(data, columns={**data.columns, **named})) if named else dataset


def match_files(dataset: BenchmarkDataset) -> list[Repair]:
    """Give judgments the ids of text files that they name without folder or extension; returns notes on that."""
    if not isinstance(dataset.documents, TextDocuments):
        return []
    documents = DocumentIds(dataset.documents)
    for query, judged in dataset.qrels.items():
        dataset.qrels[query] = {documents.find(doc): grade for doc, grade in judged.items()}
    return notes_on_ids(documents, dataset.name)


def parse_lenient(value: bool | float | str) -> Leniency | None:
    """The share of bad records that may be left out; None if none may."""
    if value is False:
        return None
    try:
        return Leniency(parse_share(value))
    except ValueError:
        what = f"lenient must be True or a share of records such as 0.05 or '5%', not {shortened(value)}"
        raise BadParameter(what) from None


def _with_documents(dataset: BenchmarkDataset, documents: MutableMapping[str, Document]) -> BenchmarkDataset:
    """The benchmark with other documents. Documents that it already has are replaced, and this is noted."""
    repairs = list(dataset.repairs)
    if dataset.documents:
        n_before = counted(len(dataset.documents), "document")
        repairs.append(
            Repair(dataset.name, f"{n_before} of the benchmark are replaced by the documents you named", code="documents")
        )
    return replace(dataset, documents=documents, repairs=repairs, _fingerprints={})


def _unused_files(path: Path | None, opened: Collection[Path]) -> list[Repair]:
    """A note on the files of a folder that no part of the benchmark uses."""
    files = unused_files(path, opened) if path is not None else []
    verb = "is" if len(files) == 1 else "are"
    what = f"{counted(len(files), 'file')} {verb} not part of the benchmark and {verb} not read: {some_of(files)}"
    return [Repair(str(path), what, code="unused-file")] if files else []


def _load(source: Any, format: str | None) -> BenchmarkDataset:  # noqa: A002
    """The benchmark of a name, path, frame or list of records."""
    if isinstance(source, BenchmarkDataset):
        return source
    if are_records(source):
        return read_frame(source, lambda path: _load_path(path, format))
    if not isinstance(source, str | Path):
        raise DataError(f"a benchmark must be {ACCEPTED}, not {shortened(source)}")
    return _load_path(source, format)


def _load_path(source: str | Path, format: str | None) -> BenchmarkDataset:  # noqa: A002
    _check_path(Path(source))
    source = source if Path(source).exists() else bundled_name(str(source))
    path = bundled().get(str(source)) or Path(source)
    if (sized := _load_size(str(source), format)) is not None:
        return sized
    if (part := _load_split(str(source), format)) is not None:
        return part
    if not path.exists():
        by_other_means = [format_ for format_ in all_formats().values() if format_.detect(Probe(path))]
        if not by_other_means and _looks_like_a_path(Path(source)):
            raise missing_file(source)
        if not by_other_means:
            known = f"choose from {', '.join(bundled())}, or give a path" if bundled() else "give a path"
            raise UnknownName("benchmark", str(source), near_names(str(source)), known)
    chosen = _choose_format(path, format)
    dataset = chosen.read(path)
    dataset.format, dataset.path = chosen.name, path
    return dataset


def _choose_format(path: Path, format: str | None) -> Format:  # noqa: A002
    """The format by name, or the one that the path looks like. Files that are only looked at do not count as used."""
    if format:
        return find_format(format)
    reading = current_reading()
    before = set(reading.opened)
    chosen = detect_format(path)
    reading.opened = before
    return chosen


def load_bundled(name: str) -> BenchmarkDataset:
    """A bundled benchmark by name and size, without documents that would have to be created."""
    format_ = loader_of(name.partition(":")[0])
    return load_dataset(name) if format_ is None or format_.load is None else format_.load(name, documents=False)


def has_own_documents(name: str) -> bool:
    """Whether the file of a bundled benchmark contains its documents."""
    return bundled_name(name) in bundled() and loader_of(name) is None


def _looks_like_a_path(path: Path) -> bool:
    """Whether the user means a file or folder and not a name: it has folders or an extension."""
    return len(path.parts) > 1 or bool(path.suffix)


def _check_path(path: Path) -> None:
    """Raise if no file can have this name."""
    try:
        path.exists()
    except OSError as error:
        raise DataError(f"no such file: {error.strerror or error}", source=shortened(str(path))) from None


def _load_split(source: str, format: str | None) -> BenchmarkDataset | None:  # noqa: A002
    """One split of a benchmark in a folder; None for anything else. A split of a format without splits is an error."""
    place, colon, split = source.rpartition(":")
    path = Path(place)
    if not colon or not place or Path(source).exists() or not path.exists():
        return None
    if any(format_.detect(Probe(Path(source))) for format_ in all_formats().values()):  # ir_datasets:beir/scifact
        return None
    chosen = _choose_format(path, format)
    if chosen.read_split is None:
        raise UsageError(f"{source}: the format {chosen.name} has no splits; write {place}")
    if not split:
        raise UsageError(f"{source}: expected a split after the colon, such as {place}:dev")
    dataset = chosen.read_split(path, split)
    dataset.format, dataset.path = chosen.name, path
    return dataset


def _load_size(source: str, format: str | None) -> BenchmarkDataset | None:  # noqa: A002
    """A bundled benchmark that has sizes; None for any other. A size for a benchmark without sizes is an error."""
    name, colon, _ = source.partition(":")
    if name not in bundled() or (colon and Path(source).exists()):
        return None
    loader = loader_of(name)
    if loader is not None and loader.load is not None and format in (None, loader.name):
        return loader.load(source)
    if colon:
        raise UsageError(f"{source}: {name} has only one size; write {name}")
    return None
