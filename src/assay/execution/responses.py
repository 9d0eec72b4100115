"""Responses: what a provider returned for each query, and an append-only log of them that survives a killed process."""

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
"""How often a lock is tried, and seconds in between: whoever tidies up holds it for an instant."""
LOCK_NAME = re.compile(r"\..+\.log\.lock")
"""Names of locks."""
WRITE_ADVICE = "make room, or work in another folder"


class Response(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The ranking a query got, or the error it got instead."""

    query: str
    docs: list[str] = []
    scores: list[float] = []
    ms: float = 0.0
    """How long it took; in a batch, its share. Not a number where nobody knows."""
    error: str | None = None
    extra: dict[str, dict[str, Any]] | None = None
    """What the provider reports with its hits: texts, first-stage ranks, routes."""
    n_together: int = 1
    """How many queries were answered by the same call."""
    is_final: bool = False
    """Whether it failed in a way that asking again would not mend."""
    said: dict[str, Any] | None = None
    """What the provider says about the query as a whole, beside its hits: its answer in words."""

    @property
    def ranking(self) -> dict[str, float]:
        """Document → score."""
        return dict(zip(self.docs, self.scores, strict=True))

    @property
    def hits(self) -> list[Hit]:
        """The ranking with what came along."""
        extra = self.extra or {}
        return [_hit(doc, score, extra.get(doc) or {}) for doc, score in zip(self.docs, self.scores, strict=True)]


def _hit(doc: str, score: float, more: dict[str, Any]) -> Hit:
    metadata = {name: value for name, value in more.items() if name != "text"}
    return Hit(doc, score, more.get("text"), metadata or None)


class Record(msgspec.Struct, frozen=True):
    """One line of a log: answers of one part of a plan."""

    part: str
    answers: list[Response]

    def __post_init__(self) -> None:
        """Every document has a score, and what came along is text where it is read as one."""
        for answer in self.answers:
            if len(answer.docs) != len(answer.scores):
                raise SchemaError(
                    f"expected a score for each of {counted(len(answer.docs), 'document')}", at_key("", answer.query)
                )
            for more in (answer.extra or {}).values():
                if not isinstance(more.get("text"), str | None):
                    raise SchemaError("expected a text beside a document", at_key("", answer.query))


class LogHeader(msgspec.Struct, frozen=True):
    """What is read of the header of a log; the log of a cache has none of it."""

    schema: str
    plan: dict[str, Any] = {}
    providers: list[str] = []
    datasets: dict[str, dict[str, str]] = {}
    files: dict[str, str] = {}
    versions: dict[str, str] = {}
    queries: dict[str, Count] = {}

    def __post_init__(self) -> None:
        """Plans are open, but not without end."""
        check_depth(self.plan, "plan")


@dataclass
class ResponseLog:
    """Append-only. Every line has a checksum, so what was being written when the process died is seen and cut off."""

    path: Path

    @contextmanager
    def lock(self, *, waits: bool = False) -> Iterator[None]:
        """Nobody else holds it meanwhile; an error where somebody does, unless one waits."""
        lock_path = self.path.with_name(f".{self.path.name}.lock")
        with self._open_lock(lock_path, waits=waits):
            try:
                yield
            finally:
                with suppress(OSError):
                    lock_path.unlink()

    def _open_lock(self, lock_path: Path, *, waits: bool) -> IO[bytes]:
        """The open file that is the lock. One that its last holder has removed meanwhile locks nobody out: another try."""
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
                raise UsageError(f"the same evaluation is running already and writes {self.path}; wait until it is done")
            with suppress(OSError):
                if os.path.samestat(os.fstat(lock.fileno()), lock_path.stat()):
                    return lock
            lock.close()

    def header(self) -> dict[str, Any]:
        """What it was begun with; nothing where there is none."""
        first = next(_intact_lines(self.path), None)
        return first.header if first is not None else {}

    def read(self) -> tuple[dict[str, Any], dict[str, dict[str, Response]]]:
        """The header, and part → query → answer, as far as lines are whole. Nothing is written: another may be writing."""
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
        """Cut off what was being written when a process died; only for who goes on writing."""
        good = sum(line.size for line in _intact_lines(self.path))
        if self.path.exists() and good < self.path.stat().st_size:
            with self.path.open("r+b") as file:
                file.truncate(good)

    def begin(self, header: dict[str, Any]) -> None:
        """A new log; one of before is kept beside it, for its answers may be wanted after all."""
        try:
            with atomic_write(self.path, is_text=False) as file:  # its lines have checksums
                file.write(_encode_line(msgspec.json.encode({"schema": SCHEMA, **header})))
                file.flush()
                self._back_up()
        except DataError as error:
            raise DataError(f"{error}; {WRITE_ADVICE}") from None

    def _back_up(self) -> None:
        """A second name for the log of before, so that there is one under the old name at every instant."""
        if not self.path.exists():
            return
        before, second = self.path.with_name(f"{self.path.name}.before"), temporary_name(self.path.parent)
        try:
            second.hardlink_to(self.path)
        except OSError:  # a system without such names
            self.path.replace(before)
        else:
            second.replace(before)

    def appender(self) -> Appender:
        """What writes to it; close it when done."""
        try:
            return Appender(self.path, os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666))
        except OSError as error:
            raise _write_error(self.path, error) from None


class Appender:
    """Writes whole lines, each in one call."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path, self._handle = path, handle
        self._encode = msgspec.json.Encoder(enc_hook=to_json).encode

    def append(self, part: str, answers: Iterable[Response]) -> None:
        """Add answers of a part; one with half a letter in it, which no file can hold, is left out."""
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
        """Let go of the file."""
        os.close(self._handle)


def remove_stale_files(folder: Path) -> None:
    """Remove locks and temporary files that killed processes left among logs."""
    remove_abandoned(folder, LOCK_NAME)


def _write_error(path: Path, error: OSError) -> DataError:
    """What to say of a full disk or a folder of somebody else; what was kept before is still there."""
    return DataError(f"cannot be written: {error.strerror or error}; {WRITE_ADVICE}", source=path)


def _try_lock(handle: int, *, waits: bool) -> bool:
    """Whether the lock could be had; always, where files cannot be locked."""
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
    """A line of a log, checked: the header, which is the first, or answers."""

    size: int
    header: dict[str, Any]
    record: Record | None = None


def _intact_lines(path: Path) -> Iterator[_LogLine]:
    """Lines whose checksum is right and that hold what a log holds; nothing after the first that is not so."""
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
