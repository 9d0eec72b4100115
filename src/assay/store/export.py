"""The export file: evaluations as JSON lines, compressed with zstandard, to copy from one store to another.

The first line has the schema. Then comes each evaluation, followed by its results as `Result.to_dict` returns them, then the
judgments, undecided pairs and notes on queries; the last line has the number of evaluations. `zstd -dc file | head -1`
shows the first line. Secrets that became known after an evaluation was saved are masked.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from assay._version import __version__
from assay.atomic_write import atomic_write, is_stream
from assay.errors import BadParameter, DataError, StoreError, UsageError
from assay.evaluation import SavedResult, result_of
from assay.files import UnpackedFile, ZstdFile
from assay.masking import MASK, find_secret, has_secrets, mask, mask_nested
from assay.schema import Count, SchemaError, check_depth, convert_plain, parse_plain, schema_errors_in
from assay.store.annotation import check_tag
from assay.store.judgment import PEOPLE, Judgment, checked_judgment
from assay.store.packing import pack_json, report_damage, unpack_json
from assay.store.query_notes import NOTE, QueryNote, checked_note
from assay.store.reading import read_bundle
from assay.store.references import ID, check_baseline_name, resolve_part
from assay.store.stored_result import Note, StoredResult, stored_from_plain
from assay.store.timestamps import now, parse_timestamp
from assay.store.undecided import Undecided, checked_undecided
from assay.store.writing import SHORTEST_DIGEST, EvaluationBundle
from assay.text import printable, shortened

SCHEMA = "assay.export/1"
ENDING = ".zst"
LEVEL = 6
MASKED_TAG = "masked"
"""The replacement for a secret in the name of a baseline, which cannot have asterisks."""
KINDS = ("schema", "evaluation", "result", "judgment", "undecided", "query_note", "end")
"""The kinds of lines."""
AFTER_EVALUATIONS = ("judgment", "undecided", "query_note", "end")


class Exported(NamedTuple):
    """An evaluation with its tags, notes and baselines."""

    id: str
    bundle: EvaluationBundle
    tags: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    baselines: tuple[tuple[str, str], ...] = ()

    def lines(self) -> Iterator[dict[str, Any]]:
        """The evaluation, then its results."""
        about = {
            "id": self.id,
            "digest": self.bundle.digest,
            "saved": self.bundle.saved,
            "plan": unpack_json(self.bundle.plan),
            "tags": list(self.tags),
            "notes": [note._asdict() for note in self.notes],
            "baselines": [{"name": name, "part": part} for name, part in self.baselines],
            "results": len(self.bundle.results),
        }
        yield {"evaluation": about}
        for stored_result in self.bundle.results:
            yield {"result": stored_result.to_plain()}

    def masked(self, what: str) -> Exported:
        """The same without secrets; an id that contains a secret is replaced."""
        bundle = mask_bundle(self.bundle, self.id, what)
        return Exported(
            id=bundle.id_of_length(SHORTEST_DIGEST) if find_secret(self.id) else self.id,
            bundle=bundle,
            tags=tuple(dict.fromkeys(map(mask, self.tags))),
            notes=tuple(Note(note.written, mask(note.text)) for note in self.notes),
            baselines=tuple((mask(name).replace(MASK, MASKED_TAG), mask(part)) for name, part in self.baselines),
        )


def write_export(
    path: Path,
    evaluations: Iterable[Exported],
    judgments: Iterable[Judgment] = (),
    query_notes: Iterable[QueryNote] = (),
    undecided: Iterable[Undecided] = (),
) -> int:
    """Write all evaluations, or no file at all; returns how many. The file name must end in .zst."""
    import zstandard

    if path.suffix.lower() != ENDING and not path.is_dir() and not is_stream(path):
        raise BadParameter(f"an export is compressed, so name it {path.with_suffix('.jsonl.zst')}, not {path}")
    n_written = 0
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with atomic_write(path, is_text=False) as file, compressor.stream_writer(file, closefd=False) as out:
        out.write(_line({"schema": SCHEMA, "assay": __version__, "written": now()}))
        for evaluation in evaluations:
            out.write(b"".join(_masked_lines(evaluation)))
            n_written += 1
        for judgment in judgments:
            out.write(_line({"judgment": mask_nested(judgment.to_dict())}))
        for pair in undecided:
            out.write(_line({"undecided": mask_nested(pair.to_dict())}))
        for note in query_notes:
            out.write(_line({"query_note": mask_nested(note.to_dict())}))
        out.write(_line({"end": n_written}))
    return n_written


def _masked_lines(evaluation: Exported) -> list[bytes]:
    """The lines of an evaluation, without secrets that became known after it was saved."""
    lines = list(map(_line, evaluation.lines()))
    what = next(filter(None, (find_secret(line.decode("ascii")) for line in lines)), "") if has_secrets() else ""
    return list(map(_line, evaluation.masked(what).lines())) if what else lines


def _line(content: dict[str, Any]) -> bytes:
    return pack_json(content) + b"\n"


class BaselineRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A baseline: its name, and the part of the evaluation that it means."""

    name: str
    part: str


class NoteRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A note on an evaluation."""

    written: str
    text: str


class EvaluationRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An evaluation without its results."""

    id: str
    digest: str
    saved: str
    plan: dict[str, Any]
    tags: list[str]
    notes: list[NoteRecord]
    baselines: list[BaselineRecord]
    results: Count

    def __post_init__(self) -> None:
        """Limit the depth of the plan, which may have any content."""
        check_depth(self.plan, "plan")


class JudgmentRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A grade of a judge."""

    benchmark: str
    query: str
    document: str
    judge: str
    grade: float
    reason: str = ""
    judged: str = ""
    kind: str = PEOPLE
    text_digest: str = ""
    pool: str = ""
    probability: float | None = None
    is_settled: bool = False


class UndecidedRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A pair that a person could not grade."""

    benchmark: str
    query: str
    document: str
    judge: str
    reason: str = ""
    judged: str = ""
    text_digest: str = ""
    pool: str = ""


class QueryNoteRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A note or tag of a query."""

    benchmark: str
    query: str
    text: str
    author: str = ""
    kind: str = NOTE
    written: str = ""


class Line(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A line of the file: it has one of the kinds. The first line, with the schema, also has version and time."""

    schema: str | None = None
    assay: str = ""
    written: str = ""
    evaluation: EvaluationRecord | None = None
    result: SavedResult | None = None
    judgment: JudgmentRecord | None = None
    undecided: UndecidedRecord | None = None
    query_note: QueryNoteRecord | None = None
    end: Count | None = None


def read_export(path: Path) -> Iterator[Exported | Judgment | Undecided | QueryNote]:
    """Each evaluation, after it was read and checked, then judgments and notes on queries. An error names its line."""
    with _lines(path) as lines:
        head = _read_line(path, lines, "schema").line
        if head.schema != SCHEMA:
            raise DataError(f"expected the schema {SCHEMA}, found {head.schema}", source=path)
        n_read = 0
        while (read := _read_line(path, lines, "evaluation", *AFTER_EVALUATIONS)).line.evaluation is not None:
            yield _read_evaluation(path, read.line.evaluation, lines)
            n_read += 1
        while (judgment := read.line.judgment) is not None:
            with _import_errors(path, read.number, "a judgment"):
                yield checked_judgment(Judgment(**msgspec.structs.asdict(judgment)))
            read = _read_line(path, lines, *AFTER_EVALUATIONS)
        while (pair := read.line.undecided) is not None:
            with _import_errors(path, read.number, "an undecided pair"):
                yield checked_undecided(Undecided(**msgspec.structs.asdict(pair)))
            read = _read_line(path, lines, *AFTER_EVALUATIONS[1:])
        while (note := read.line.query_note) is not None:
            with _import_errors(path, read.number, "a note on a query"):
                yield checked_note(QueryNote(**msgspec.structs.asdict(note)))
            read = _read_line(path, lines, "query_note", "end")
        if read.line.end != n_read:
            raise DataError(f"expected {read.line.end} evaluations, found {n_read}", source=path)


Lines = Iterator[tuple[int, bytes]]


@contextmanager
def _lines(path: Path) -> Iterator[Lines]:
    import zstandard

    try:
        with io.BufferedReader(UnpackedFile(ZstdFile(path.open("rb")), path, str(path)), 1 << 20) as file:
            yield enumerate(file, start=1)
    except OSError as error:
        raise DataError(f"{error.strerror or error}", source=path) from None
    except (EOFError, zstandard.ZstdError):
        raise DataError(
            "this is not a complete export of a store. To write one: assay results export", source=path
        ) from None


class ParsedLine(NamedTuple):
    """A line that was read: checked, and as plain values."""

    number: int
    line: Line
    plain: dict[str, Any]


def _read_line(path: Path, lines: Lines, *expected: str) -> ParsedLine:
    number, text = next(lines, (0, b""))
    if not text:
        raise DataError(
            f"the file is incomplete: expected another line with {' or '.join(expected)}. Export it again", source=path
        )
    source = f"{path}:{number}"
    plain = parse_plain(text, source)
    if not isinstance(plain, dict) or not any(name in plain for name in expected):
        raise DataError(
            f"expected a line with {' or '.join(expected)}. To write such a file: assay results export", source=source
        )
    if expected == ("schema",) and plain["schema"] != SCHEMA:
        raise DataError(f"expected the schema {SCHEMA}, found {printable(str(plain['schema']))[:60]}", source=path)
    line: Line = convert_plain(plain, Line, source)
    if sum(getattr(line, name) is not None for name in KINDS) != 1:
        raise DataError(f"expected one of {', '.join(KINDS)}, found {', '.join(plain)}", source=source)
    return ParsedLine(number, line, plain)


def _read_evaluation(path: Path, about: EvaluationRecord, lines: Lines) -> Exported:
    """The evaluation with its results; a DataError if it was changed."""
    results = [_read_result(path, _read_line(path, lines, "result")) for _ in range(about.results)]
    with _import_errors(path, 0, "an evaluation"):
        exported = _assemble(about, results)
    if exported.bundle.digest != about.digest:
        raise DataError(f"{about.id} was changed after it was exported, so it is not imported", source=path)
    return exported


def _read_result(path: Path, read: ParsedLine) -> StoredResult:
    """The result of a line; an error if it is not valid."""
    with schema_errors_in(f"{path}:{read.number}", "result"):
        if read.line.result is None:
            raise SchemaError("is null")
        result_of(read.line.result)
    return stored_from_plain(read.plain["result"])


def _assemble(about: EvaluationRecord, results: list[StoredResult]) -> Exported:
    """The evaluation of a record. Its values are checked like values that users type."""
    return Exported(
        id=_check_id(about.id),
        bundle=EvaluationBundle(pack_json(about.plan), tuple(results), parse_timestamp(about.saved) or now()),
        tags=tuple(map(check_tag, about.tags)),
        notes=tuple(Note(note.written, note.text) for note in about.notes),
        baselines=tuple(_check_baseline(baseline.name, baseline.part, results) for baseline in about.baselines),
    )


def _check_id(name: str) -> str:
    if not ID.fullmatch(name):
        raise BadParameter(f"an id must look like 2026-11-15-rag-template-7f3a, not {shortened(name, 100)}")
    return name


def _check_baseline(name: str, part: str, results: list[StoredResult]) -> tuple[str, str]:
    names = [
        (printable(stored_result.plain.get("benchmark", "")), printable(stored_result.plain["name"]))
        for stored_result in results
    ]
    resolve_part(part, names, "the evaluation")
    return check_baseline_name(name), part


@contextmanager
def _import_errors(path: Path, number: int, what: str) -> Iterator[None]:
    """Turn errors about values into a DataError with the file."""
    try:
        yield
    except UsageError as error:
        place = f"{path}:{number}" if number else str(path)
        raise DataError(f"{what} cannot be imported: {error}", source=place) from None


# Masking


def mask_bundle(bundle: EvaluationBundle, name: str, what: str) -> EvaluationBundle:
    """The same with every text masked; the digest is that of the masked content, so that it can be imported.

    A StoreError if ids would no longer differ, because values would be lost.
    """
    try:
        plan, results = _mask_values(unpack_json(bundle.plan)), tuple(map(_mask_result, bundle.results))
    except (SchemaError, ValueError):
        raise StoreError(
            f"{name} cannot be exported: it contains {what}, and without this secret its ids or numbers are not unique. "
            f"Delete it with assay results delete {name}, or rename what contains the secret and evaluate again"
        ) from None
    return replace(bundle, plan=pack_json(plan), results=results)


def _mask_result(stored_result: StoredResult) -> StoredResult:
    return stored_from_plain(_mask_values(stored_result.to_plain()))


def _mask_values(value: Any) -> Any:
    """Plain values masked; a ValueError if two names become equal."""
    if isinstance(value, Mapping):
        masked = {mask(name): _mask_values(content) for name, content in value.items()}
        if len(masked) != len(value):
            raise ValueError
        return masked
    return [_mask_values(content) for content in value] if isinstance(value, list) else mask_nested(value)


def read_exported(connection: Connection, number: int) -> Exported:
    """An evaluation in the form of the export: results of an older assay are packed again, so that digests match."""
    about, bundle = read_bundle(connection, number)
    with report_damage(about.id):
        renewed = replace(
            bundle, results=tuple(stored_from_plain(stored_result.to_plain()) for stored_result in bundle.results)
        )
    return Exported(about.id, renewed, about.tags, about.notes, about.baselines)
