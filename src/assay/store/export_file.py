"""The export file: evaluations as JSON lines, compressed with zstandard; one file to carry from store to store.

The first line names the layout. Then comes each evaluation, followed by its results as `Result.to_dict` writes them, and
then what people judged; the last line says how many evaluations there were. `zstd -dc file | head -1` shows it to anybody.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from assay._version import __version__
from assay.atomic_write import atomic_write, is_stream
from assay.datasets._limits import UnpackedFile
from assay.datasets._zstd import ZstdFile
from assay.errors import AssayError, BadParameter, DataError
from assay.store.annotation import check_tag
from assay.store.entries import Note
from assay.store.judgments import Judgment, checked_judgment
from assay.store.moments import now, read_moment
from assay.store.parcel import Parcel, parcel_of_plain
from assay.store.payload import pack_json, unpack_json
from assay.store.references import ID, check_baseline_name, chosen_places
from assay.store.writing import Bundle
from assay.text import printable

SCHEMA = "assay.export/1"
ENDING = ".zst"
LEVEL = 6


class Exported(NamedTuple):
    """An evaluation with all that is said about it."""

    id: str
    bundle: Bundle
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
            "results": len(self.bundle.parcels),
        }
        yield {"evaluation": about}
        for parcel in self.bundle.parcels:
            yield {"result": parcel.to_plain()}


def write_export(path: Path, evaluations: Iterable[Exported], judgments: Iterable[Judgment] = ()) -> int:
    """Write all of them, or no file at all; says how many evaluations. The file's name says that it is compressed."""
    import zstandard

    if path.suffix.lower() != ENDING and not path.is_dir() and not is_stream(path):
        raise BadParameter(f"an export is compressed: call it {path.with_suffix('.jsonl.zst')}, not {path}")
    n_written = 0
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with atomic_write(path) as file, compressor.stream_writer(file, closefd=False) as out:
        out.write(_line({"schema": SCHEMA, "assay": __version__, "written": now()}))
        for evaluation in evaluations:
            for line in evaluation.lines():
                out.write(_line(line))
            n_written += 1
        for judgment in judgments:
            out.write(_line({"judgment": judgment.to_dict()}))
        out.write(_line({"end": n_written}))
    return n_written


def _line(content: dict[str, Any]) -> bytes:
    return pack_json(content) + b"\n"


def read_export(path: Path) -> Iterator[Exported | Judgment]:
    """Each evaluation as soon as all of it was read and found whole, then the judgments; a fault names its line."""
    with _lines(path) as lines:
        head = _next(path, lines, "schema")
        if head["schema"] != SCHEMA:
            raise DataError(f"{path}: written as {head['schema']}, but this version reads {SCHEMA}")
        n_read = 0
        while "evaluation" in (line := _next(path, lines, "evaluation", "judgment", "end")):
            yield _evaluation(path, line["evaluation"], lines)
            n_read += 1
        while "judgment" in line:
            yield _checked(path, _judgment, line["judgment"], what="a judgment")
            line = _next(path, lines, "judgment", "end")
        if line["end"] != n_read:
            raise DataError(f"{path}: it should hold {line['end']} evaluations, but holds {n_read}")


Lines = Iterator[tuple[int, bytes]]


@contextmanager
def _lines(path: Path) -> Iterator[Lines]:
    import zstandard

    try:
        with io.BufferedReader(UnpackedFile(ZstdFile(path), path, str(path)), 1 << 20) as file:
            yield enumerate(file, start=1)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    except (EOFError, zstandard.ZstdError) as error:
        raise DataError(f"{path}: no export of a store, or one that was cut short ({error})") from None


def _next(path: Path, lines: Lines, *wanted: str) -> dict[str, Any]:
    number, text = next(lines, (0, b""))
    if not text:
        raise DataError(f"{path}: it ends too early: expected a line with {' or '.join(wanted)}")
    try:
        content = json.loads(text)
    except ValueError:
        content = None
    if not isinstance(content, dict) or not any(name in content for name in wanted):
        raise DataError(
            f"{path}:{number}: expected a line with {' or '.join(wanted)}; assay results export writes such files"
        )
    return content


def _evaluation(path: Path, about: dict[str, Any], lines: Lines) -> Exported:
    """The evaluation, put together again, if it is still what it was."""
    n_results = _checked(path, lambda: int(about["results"]))
    parcels = [_checked(path, parcel_of_plain, _next(path, lines, "result")["result"]) for _ in range(n_results)]
    exported = _checked(path, _put_together, about, parcels)
    if exported.bundle.digest != about.get("digest"):
        raise DataError(f"{path}: {about['id']} was changed after it was exported; nothing of it is imported")
    return exported


def _put_together(about: dict[str, Any], parcels: list[Parcel]) -> Exported:
    """What a file says about an evaluation is held to the same rules as what people type."""
    saved = read_moment(about["saved"])
    return Exported(
        id=_id(str(about["id"])),
        bundle=Bundle(pack_json(about["plan"]), tuple(parcels), saved or now()),
        tags=tuple(check_tag(str(tag)) for tag in about["tags"]),
        notes=tuple(Note(str(note["written"]), str(note["text"])) for note in about["notes"]),
        baselines=tuple(_baseline(str(one["name"]), str(one["part"]), parcels) for one in about["baselines"]),
    )


def _judgment(plain: dict[str, Any]) -> Judgment:
    return checked_judgment(Judgment(**plain))


def _id(name: str) -> str:
    if not ID.fullmatch(name):
        raise BadParameter(f"an id looks like 2026-11-15-rag-template-7f3a; found {name!r}")
    return name


def _baseline(name: str, part: str, parcels: list[Parcel]) -> tuple[str, str]:
    names = [(printable(one.plain.get("benchmark", "")), printable(one.plain["name"])) for one in parcels]
    chosen_places(part, names, "the evaluation")
    return check_baseline_name(name), part


def _checked(path: Path, function: Callable[..., Any], *arguments: Any, what: str = "an evaluation") -> Any:
    try:
        return function(*arguments)
    except AssayError as error:
        raise DataError(f"{path}: {what} in it cannot be taken over: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: {what} in it cannot be read ({error!r})") from None
