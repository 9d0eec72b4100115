"""The export file: evaluations as JSON lines, compressed with zstandard; one file to carry from store to store.

The first line names the layout. Then comes each evaluation, followed by its results as `Result.to_dict` writes them, and
then what people judged; the last line says how many evaluations there were. `zstd -dc file | head -1` shows it to anybody.
Secrets that became known only after an evaluation was saved are masked.
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
from assay.store.judgments import Judgment, checked_judgment
from assay.store.packing import pack_json, report_damage, unpack_json
from assay.store.reading import read_bundle
from assay.store.references import ID, check_baseline_name, resolve_part
from assay.store.stored_result import Note, StoredResult, stored_from_plain
from assay.store.timestamps import now, parse_timestamp
from assay.store.writing import SHORTEST_DIGEST, EvaluationBundle
from assay.text import printable, shortened

SCHEMA = "assay.export/1"
ENDING = ".zst"
LEVEL = 6
MASKED_TAG = "masked"
"""What stands for a secret in the name of a baseline, which has letters only."""
KINDS = ("schema", "evaluation", "result", "judgment", "end")
"""What a line may be."""


class Exported(NamedTuple):
    """An evaluation with all that is said about it."""

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
        """The same without secrets, of which one is known to be in it; an id that holds one is made anew."""
        bundle = mask_bundle(self.bundle, self.id, what)
        return Exported(
            id=bundle.id_of_length(SHORTEST_DIGEST) if find_secret(self.id) else self.id,
            bundle=bundle,
            tags=tuple(dict.fromkeys(map(mask, self.tags))),
            notes=tuple(Note(note.written, mask(note.text)) for note in self.notes),
            baselines=tuple((mask(name).replace(MASK, MASKED_TAG), mask(part)) for name, part in self.baselines),
        )


def write_export(path: Path, evaluations: Iterable[Exported], judgments: Iterable[Judgment] = ()) -> int:
    """Write all of them, or no file at all; says how many evaluations. The file's name says that it is compressed."""
    import zstandard

    if path.suffix.lower() != ENDING and not path.is_dir() and not is_stream(path):
        raise BadParameter(f"an export is compressed: call it {path.with_suffix('.jsonl.zst')}, not {path}")
    n_written = 0
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with atomic_write(path, is_text=False) as file, compressor.stream_writer(file, closefd=False) as out:
        out.write(_line({"schema": SCHEMA, "assay": __version__, "written": now()}))
        for evaluation in evaluations:
            out.write(b"".join(_masked_lines(evaluation)))
            n_written += 1
        for judgment in judgments:
            out.write(_line({"judgment": mask_nested(judgment.to_dict())}))
        out.write(_line({"end": n_written}))
    return n_written


def _masked_lines(evaluation: Exported) -> list[bytes]:
    """The lines of an evaluation, without secrets that were not known yet when it was saved."""
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
    """What somebody wrote about an evaluation."""

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
        """Plans are open, but not without end."""
        check_depth(self.plan, "plan")


class JudgmentRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A grade that somebody gave."""

    benchmark: str
    query: str
    document: str
    judge: str
    grade: float
    note: str = ""
    judged: str = ""


class Line(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A line has one of these; the first, which has the schema, says who wrote it and when."""

    schema: str | None = None
    assay: str = ""
    written: str = ""
    evaluation: EvaluationRecord | None = None
    result: SavedResult | None = None
    judgment: JudgmentRecord | None = None
    end: Count | None = None


def read_export(path: Path) -> Iterator[Exported | Judgment]:
    """Each evaluation as soon as all of it was read and found whole, then the judgments; a fault names its line."""
    with _lines(path) as lines:
        head = _read_line(path, lines, "schema").line
        if head.schema != SCHEMA:
            raise DataError(f"written as {head.schema}, but this version reads {SCHEMA}", source=path)
        n_read = 0
        while (read := _read_line(path, lines, "evaluation", "judgment", "end")).line.evaluation is not None:
            yield _read_evaluation(path, read.line.evaluation, lines)
            n_read += 1
        while (judgment := read.line.judgment) is not None:
            with _import_errors(path, read.number, "a judgment"):
                yield checked_judgment(Judgment(**msgspec.structs.asdict(judgment)))
            read = _read_line(path, lines, "judgment", "end")
        if read.line.end != n_read:
            raise DataError(f"it should hold {read.line.end} evaluations, but holds {n_read}", source=path)


Lines = Iterator[tuple[int, bytes]]


@contextmanager
def _lines(path: Path) -> Iterator[Lines]:
    import zstandard

    try:
        with io.BufferedReader(UnpackedFile(ZstdFile(path), path, str(path)), 1 << 20) as file:
            yield enumerate(file, start=1)
    except OSError as error:
        raise DataError(f"{error.strerror or error}", source=path) from None
    except (EOFError, zstandard.ZstdError):
        raise DataError("this is not a complete export of a store; assay results export writes one", source=path) from None


class ParsedLine(NamedTuple):
    """A line that was read: checked, and as it was written."""

    number: int
    line: Line
    plain: dict[str, Any]


def _read_line(path: Path, lines: Lines, *expected: str) -> ParsedLine:
    number, text = next(lines, (0, b""))
    if not text:
        raise DataError(f"it ends too early: expected a line with {' or '.join(expected)}", source=path)
    source = f"{path}:{number}"
    plain = parse_plain(text, source)
    if not isinstance(plain, dict) or not any(name in plain for name in expected):
        raise DataError(
            f"expected a line with {' or '.join(expected)}; assay results export writes such files", source=source
        )
    if expected == ("schema",) and plain["schema"] != SCHEMA:
        raise DataError(f"written as {printable(str(plain['schema']))[:60]}, but this version reads {SCHEMA}", source=path)
    line: Line = convert_plain(plain, Line, source)
    if sum(getattr(line, name) is not None for name in KINDS) != 1:
        raise DataError(f"expected one of {', '.join(KINDS)}, found {', '.join(plain)}", source=source)
    return ParsedLine(number, line, plain)


def _read_evaluation(path: Path, about: EvaluationRecord, lines: Lines) -> Exported:
    """The evaluation, put together again, if it is still what it was."""
    results = [_read_result(path, _read_line(path, lines, "result")) for _ in range(about.results)]
    with _import_errors(path, 0, "an evaluation"):
        exported = _assemble(about, results)
    if exported.bundle.digest != about.digest:
        raise DataError(f"{about.id} was changed after it was exported; nothing of it is imported", source=path)
    return exported


def _read_result(path: Path, read: ParsedLine) -> StoredResult:
    """The result of a line, if it could be shown."""
    with schema_errors_in(f"{path}:{read.number}", "result"):
        if read.line.result is None:
            raise SchemaError("is null")
        result_of(read.line.result)
    return stored_from_plain(read.plain["result"])


def _assemble(about: EvaluationRecord, results: list[StoredResult]) -> Exported:
    """What a file says about an evaluation is held to the same rules as what people type."""
    return Exported(
        id=_check_id(about.id),
        bundle=EvaluationBundle(pack_json(about.plan), tuple(results), parse_timestamp(about.saved) or now()),
        tags=tuple(map(check_tag, about.tags)),
        notes=tuple(Note(note.written, note.text) for note in about.notes),
        baselines=tuple(_check_baseline(baseline.name, baseline.part, results) for baseline in about.baselines),
    )


def _check_id(name: str) -> str:
    if not ID.fullmatch(name):
        raise BadParameter(f"an id looks like 2026-11-15-rag-template-7f3a; found {shortened(name, 100)}")
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
    """Values that are refused where people type them are refused here too, with the file."""
    try:
        yield
    except UsageError as error:
        place = f"{path}:{number}" if number else str(path)
        raise DataError(f"{what} in it cannot be taken over: {error}", source=place) from None


# Masking


def mask_bundle(bundle: EvaluationBundle, name: str, what: str) -> EvaluationBundle:
    """The same with every text masked; its digest is that of what it says now, so that it can be imported.

    Where ids would no longer differ, nothing is exported: figures would be lost.
    """
    try:
        plan, results = _mask_values(unpack_json(bundle.plan)), tuple(map(_mask_result, bundle.results))
    except (SchemaError, ValueError):
        raise StoreError(
            f"{name} cannot be exported: {what} is in it, and without that secret its ids or numbers cannot be told apart; "
            f"delete it with assay results delete {name}, or rename what holds the secret and evaluate again"
        ) from None
    return replace(bundle, plan=pack_json(plan), results=results)


def _mask_result(stored_result: StoredResult) -> StoredResult:
    return stored_from_plain(_mask_values(stored_result.to_plain()))


def _mask_values(value: Any) -> Any:
    """Plain values masked; a ValueError where two names become one."""
    if isinstance(value, Mapping):
        masked = {mask(name): _mask_values(content) for name, content in value.items()}
        if len(masked) != len(value):
            raise ValueError
        return masked
    return [_mask_values(content) for content in value] if isinstance(value, list) else mask_nested(value)


def read_exported(connection: Connection, number: int) -> Exported:
    """As the file will be read: what an older assay saved is packed as this one does, so that its digest is the same."""
    about, bundle = read_bundle(connection, number)
    with report_damage(about.id):
        renewed = replace(
            bundle, results=tuple(stored_from_plain(stored_result.to_plain()) for stored_result in bundle.results)
        )
    return Exported(about.id, renewed, about.tags, about.notes, about.baselines)
