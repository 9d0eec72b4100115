"""Responses: what a provider returned for each query, and an append-only log that survives a killed process."""

from __future__ import annotations

import os
import re
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from assay.atomic_write import atomic_write
from assay.errors import DataError, UsageError
from assay.model import Hit
from assay.schema import Count, SchemaError, at_key, check_depth, check_plain
from assay.serialize import to_json
from assay.temporary_files import remove_abandoned, temporary_name
from assay.text import counted

SCHEMA = "assay.answers/1"
LOCK_ATTEMPTS, LOCK_PAUSE_SECONDS = 3, 0.02
"""How often to try a lock, and seconds in between: a process that cleans up holds it for a moment."""
LOCK_NAME = re.compile(r"\..+\.log\.lock")
"""Names of lock files."""
WRITE_ADVICE = "Free disk space, or work in another folder"


class Response(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The ranking for a query, or the error."""

    query: str
    docs: list[str] = []
    scores: list[float] = []
    ms: float = 0.0
    """Milliseconds that it took; in a batch, its share. Not a number if unknown."""
    error: str | None = None
    extra: dict[str, dict[str, Any]] | None = None
    """What the provider reports with its hits: texts, first-stage ranks, routes."""
    n_together: int = 1
    """How many queries were in the same call."""
    is_final: bool = False
    """Whether a retry would fail again."""
    said: dict[str, Any] | None = None
    """What the provider reports about the query as a whole, such as its answer."""

    @property
    def ranking(self) -> dict[str, float]:
        """Document → score."""
        return dict(zip(self.docs, self.scores, strict=True))

    @property
    def hits(self) -> list[Hit]:
        """The ranking with texts and metadata."""
        extra = self.extra or {}
        return [_hit(doc, score, extra.get(doc) or {}) for doc, score in zip(self.docs, self.scores, strict=True)]


def _hit(doc: str, score: float, more: dict[str, Any]) -> Hit:
    metadata = {name: value for name, value in more.items() if name != "text"}
    return Hit(doc, score, more.get("text"), metadata or None)


class Record(msgspec.Struct, frozen=True):
    """One line of a log: responses of one part of a plan."""

    part: str
    answers: list[Response]

    def __post_init__(self) -> None:
        """Check that every document has a score, and that texts are strings."""
        for answer in self.answers:
            if len(answer.docs) != len(answer.scores):
                raise SchemaError(
                    f"expected a score for each of {counted(len(answer.docs), 'document')}", at_key("", answer.query)
                )
            for more in (answer.extra or {}).values():
                if not isinstance(more.get("text"), str | None):
                    raise SchemaError("expected the text of a document to be a string", at_key("", answer.query))


class LogHeader(msgspec.Struct, frozen=True):
    """The fields of a log header that are read; the log of a cache has none of them."""

    schema: str
    plan: dict[str, Any] = {}
    providers: list[str] = []
    datasets: dict[str, dict[str, str]] = {}
    files: dict[str, str] = {}
    versions: dict[str, str] = {}
    queries: dict[str, Count] = {}

    def __post_init__(self) -> None:
        """Limit the depth of the plan, which may have any content."""
        check_depth(self.plan, "plan")


@dataclass
class ResponseLog:
    """An append-only log. Every line has a checksum, so that a line interrupted by a crash is detected and cut off."""

    path: Path

    @contextmanager
    def lock(self, *, waits: bool = False) -> Iterator[None]:
        """Hold the lock of this log. A UsageError if another process holds it, unless `waits`."""
        lock_path = self.path.with_name(f".{self.path.name}.lock")
        with self._open_lock(lock_path, waits=waits):
            try:
                yield
            finally:
                with suppress(OSError):
                    lock_path.unlink()

    def _open_lock(self, lock_path: Path, *, waits: bool) -> IO[bytes]:
        """The open lock file. If its last holder removed it in the meantime, it locks nothing, so it is opened again."""
        n_attempts = 0
        while True:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                lock = lock_path.open("ab")
            except OSError as error:
                raise _write_error(self.path, error) from None
            if not _try_lock(lock.fileno(), waits=waits):
                lock.close()
                n_attempts += 1
                if n_attempts < LOCK_ATTEMPTS:
                    time.sleep(LOCK_PAUSE_SECONDS)
                    continue
                raise UsageError(
                    f"the same evaluation is already running and writes {self.path}. Wait until it has finished"
                )
            with suppress(OSError):
                if os.path.samestat(os.fstat(lock.fileno()), lock_path.stat()):
                    return lock
            lock.close()

    def header(self) -> dict[str, Any]:
        """The header of the log; empty if there is none."""
        first = next(_intact_lines(self.path), None)
        return first.header if first is not None else {}

    def read(self) -> tuple[dict[str, Any], dict[str, dict[str, Response]]]:
        """The header, and part → query → response, from intact lines. Read-only, because another process may be writing."""
        header: dict[str, Any] = {}
        answers: dict[str, dict[str, Response]] = {}
        for line in _intact_lines(self.path):
            if line.record is None:
                header = line.header
            else:
                by_query = {answer.query: answer for answer in line.record.answers}
                answers.setdefault(line.record.part, {}).update(by_query)
        return header, answers

    def truncate_damage(self) -> None:
        """Cut off a line that was interrupted by a crash; only for the process that continues the log."""
        good = sum(line.size for line in _intact_lines(self.path))
        if self.path.exists() and good < self.path.stat().st_size:
            with self.path.open("r+b") as file:
                file.truncate(good)

    def begin(self, header: dict[str, Any]) -> None:
        """Start a new log. An earlier log is kept as a backup, because its responses may still be needed."""
        try:
            with atomic_write(self.path, is_text=False) as file:  # lines have checksums
                file.write(_encode_line(msgspec.json.encode({"schema": SCHEMA, **header})))
                file.flush()
                self._back_up()
        except DataError as error:
            raise DataError(f"{error}. {WRITE_ADVICE}") from None

    def _back_up(self) -> None:
        """Give the earlier log a second name, so that a log exists under the old name at every moment."""
        if not self.path.exists():
            return
        before, second = self.path.with_name(f"{self.path.name}.before"), temporary_name(self.path.parent)
        try:
            second.hardlink_to(self.path)
        except OSError:  # a file system without hard links
            self.path.replace(before)
        else:
            second.replace(before)

    def appender(self) -> Appender:
        """The writer of this log; close it after use."""
        try:
            return Appender(self.path, os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666))
        except OSError as error:
            raise _write_error(self.path, error) from None


class Appender:
    """Writes whole lines to a log, each in one call."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path, self._handle = path, handle
        self._encode = msgspec.json.Encoder(enc_hook=to_json).encode

    def append(self, part: str, answers: Iterable[Response]) -> None:
        """Add responses of a part. A response with half a surrogate pair, which cannot be written, is left out."""
        some = list(answers)
        try:
            content = _encode_line(self._encode(Record(part, some)))
        except UnicodeEncodeError:
            for answer in some if len(some) > 1 else ():
                self.append(part, [answer])
            return
        try:
            while content:
                content = content[os.write(self._handle, content) :]
        except OSError as error:
            raise _write_error(self._path, error) from None

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)


def remove_stale_files(folder: Path) -> None:
    """Remove locks and temporary files that killed processes left among logs."""
    remove_abandoned(folder, LOCK_NAME)


def _write_error(path: Path, error: OSError) -> DataError:
    """The error for a full disk or a folder without write permission. Earlier content is not lost."""
    return DataError(f"cannot be written: {error.strerror or error}. {WRITE_ADVICE}", source=path)


def _try_lock(handle: int, *, waits: bool) -> bool:
    """Whether the lock was acquired; always true if files cannot be locked."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return True
    return True


def _encode_line(payload: bytes) -> bytes:
    return b"%08x %b\n" % (zlib.crc32(payload), payload)


class _LogLine(NamedTuple):
    """A checked line of a log: the header, which is the first line, or responses."""

    size: int
    header: dict[str, Any]
    record: Record | None = None


def _intact_lines(path: Path) -> Iterator[_LogLine]:
    """The lines with a correct checksum and valid content, up to the first line that is damaged."""
    if not path.exists():
        return
    decode = msgspec.json.Decoder(Record).decode
    with path.open("rb") as file, suppress(ValueError, RecursionError):
        for number, line in enumerate(file):
            checksum, _, payload = line[:-1].partition(b" ")
            if not line.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(payload):
                return
            yield _LogLine(len(line), {}, decode(payload)) if number else _LogLine(len(line), _decode_header(payload))


def _decode_header(payload: bytes) -> dict[str, Any]:
    header = msgspec.json.decode(payload, type=dict[str, Any])
    check_plain(header, LogHeader, "")
    return header
