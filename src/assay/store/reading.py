"""Reading: read evaluations with their results; and the integrity check, which reads every byte."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, text

from assay.errors import AssayError, StoreError
from assay.evaluation import Result, SavedRecord
from assay.schema import check_depth, convert_plain
from assay.store.listing import FigureRow
from assay.store.packing import (
    CHECK_HINT,
    LazyMapping,
    decompress,
    report_damage,
    unpack_json,
    unpack_pairs,
    unpack_reruns,
    unpack_scores,
)
from assay.store.references import Target, resolve_part
from assay.store.rows import read_rows, store_prefix
from assay.store.schema import BASELINES, DATASETS, EVALUATIONS, FIGURES, NOTES, PAYLOADS, RESULTS, TAGS
from assay.store.stored_result import (
    Figure,
    Note,
    StoredEvaluation,
    StoredResult,
    assemble_result,
    figures_of,
    unpack_queries,
    unpack_record,
)
from assay.store.writing import EvaluationBundle, find_unused
from assay.text import printable

PARTS = ("scores", "rankings", "queries", "relevant")


class ResultRow(NamedTuple):
    """The row of a result, with the queries of its benchmark."""

    number: int
    benchmark: str
    provider: str
    digest: str
    record: bytes
    scores: str
    rankings: str | None
    relevant: str | None
    queries: str | None


class CompressedPayload(NamedTuple):
    """A payload from the database."""

    digest: str
    data: bytes
    what: str

    def open(self) -> bytes:
        """The decompressed and checked payload."""
        return decompress(self.data, self.what, self.digest)


@dataclass(frozen=True)
class PackedResult:
    """One result from the database, still compressed."""

    row: ResultRow
    parts: Mapping[str, CompressedPayload]
    address: str
    """The evaluation, the benchmark and the provider, for messages."""
    store: str
    """The name of the store and a colon, for the beginning of messages."""

    @property
    def what(self) -> str:
        """The store and the address, for messages."""
        return f"{self.store}{self.address}"

    def result(self) -> Result:
        """The result. Rankings and queries are read on first use."""
        scores = self.parts["scores"].open()
        record = self._record()[1]
        with report_damage(self.what):
            return assemble_result(
                record,
                scores,
                run=self._unopened("rankings", unpack_pairs),
                reruns=self._unopened("rankings", unpack_reruns) if record.repeats else {},
                queries=self._unopened("queries", unpack_queries),
                relevant=self._unopened("relevant", unpack_pairs),
            )

    def _record(self) -> tuple[bytes, SavedRecord]:
        """The record as written, and checked."""
        content = decompress(self.row.record, self.what)
        with report_damage(self.what):
            return content, unpack_record(content)

    def _unopened(self, kind: str, unpack: Callable[[bytes], Mapping[str, Any]]) -> Mapping[str, Any]:
        payload = self.parts.get(kind)
        return LazyMapping(partial(_unpack_payload, payload, unpack)) if payload else {}

    def unpack(self) -> StoredResult:
        """All parts, decompressed and checked."""
        opened = {name: payload.open() for name, payload in self.parts.items()}
        content, record = self._record()
        with report_damage(self.what):
            figures = figures_of(record, unpack_scores(opened["scores"])[1])
        return StoredResult(content, figures=figures, **opened)


def _unpack_payload(payload: CompressedPayload, unpack: Callable[[bytes], Mapping[str, Any]]) -> Mapping[str, Any]:
    content = payload.open()
    with report_damage(payload.what):
        return unpack(content)


def read_packed_results(connection: Connection, evaluation: int, part: str, name: str) -> list[PackedResult]:
    """The results of an evaluation, or of a part of it, in their order."""
    columns = (DATASETS.c.queries if field == "queries" else RESULTS.c[field] for field in ResultRow._fields)
    statement = select(*columns).select_from(RESULTS).join(DATASETS).where(RESULTS.c.evaluation == evaluation)
    rows = read_rows(connection, statement.order_by(RESULTS.c.place), ResultRow)
    chosen = [rows[place] for place in resolve_part(part, [(row.benchmark, row.provider) for row in rows], name)]
    digests = {getattr(row, kind) for row in chosen for kind in PARTS} - {None}
    payloads = select(PAYLOADS.c.digest, PAYLOADS.c.data).where(PAYLOADS.c.digest.in_(sorted(digests)))
    data = dict(read_rows(connection, payloads, tuple[str, bytes]))
    store = store_prefix(connection)
    return [
        PackedResult(row, _payloads_of(row, data, f"{store}{_address(row, name)}"), _address(row, name), store)
        for row in chosen
    ]


def _address(row: ResultRow, name: str) -> str:
    return f"{name}#{printable(row.benchmark)}/{printable(row.provider)}"


def _payloads_of(row: ResultRow, data: Mapping[str, bytes], about: str) -> dict[str, CompressedPayload]:
    """Kind → payload, for the parts that the result has."""
    digests = {kind: digest for kind in PARTS if (digest := getattr(row, kind)) is not None}
    if lost := [kind for kind, digest in digests.items() if digest not in data]:
        raise StoreError(f"{about}: the stored part {lost[0]!r} is missing", hint=CHECK_HINT)
    return {
        kind: CompressedPayload(digest, data[digest], f"{about}: the stored part {kind!r}")
        for kind, digest in digests.items()
    }


class EvaluationRow(NamedTuple):
    """The row of an evaluation."""

    number: int
    id: str
    digest: str
    started: str
    saved: str
    plan: bytes

    def open_plan(self, store: str) -> bytes:
        """The checked plan; errors begin with the name of the store."""
        what = f"{store}{self.id}: its plan"
        content = decompress(self.plan, what)
        with report_damage(what):
            plan = convert_plain(unpack_json(content), dict[str, Any], "plan")
            check_depth(plan, "")
        return content


def read_evaluation_rows(connection: Connection, number: int | None = None) -> list[EvaluationRow]:
    """All evaluations, or one, in the order in which they were saved."""
    statement = select(*(EVALUATIONS.c[field] for field in EvaluationRow._fields)).order_by(EVALUATIONS.c.number)
    return read_rows(
        connection, statement if number is None else statement.where(EVALUATIONS.c.number == number), EvaluationRow
    )


class EvaluationDetails(NamedTuple):
    """An evaluation without its results: plan, times, tags, notes and baselines."""

    id: str
    digest: str
    started: str
    saved: str
    plan: bytes
    tags: tuple[str, ...]
    notes: tuple[Note, ...]
    baselines: tuple[tuple[str, str], ...]
    """Names of baselines, each with its part."""


def read_details(connection: Connection, number: int) -> EvaluationDetails:
    """The plan, tags, notes and baselines of an evaluation."""
    rows = read_evaluation_rows(connection, number)
    if not rows:
        raise StoreError(f"evaluation {number} is damaged: its row is missing", hint=CHECK_HINT)
    row = rows[0]
    tags = select(TAGS.c.tag).where(TAGS.c.evaluation == number).order_by(TAGS.c.tag)
    notes = select(NOTES.c.written, NOTES.c.text).where(NOTES.c.evaluation == number).order_by(NOTES.c.number)
    baselines = select(BASELINES.c.name, BASELINES.c.part).where(BASELINES.c.evaluation == number).order_by(BASELINES.c.name)
    return EvaluationDetails(
        *(row.id, row.digest, row.started, row.saved, row.open_plan(store_prefix(connection))),
        tags=tuple(tag for (tag,) in read_rows(connection, tags, tuple[str])),
        notes=tuple(read_rows(connection, notes, Note)),
        baselines=tuple(read_rows(connection, baselines, tuple[str, str])),
    )


def read_evaluation(connection: Connection, target: Target) -> StoredEvaluation:
    """An evaluation, or a part of it."""
    about = read_details(connection, target.number)
    packed_results = read_packed_results(connection, target.number, target.part, target.id)
    return StoredEvaluation(
        id=about.id,
        started=about.started,
        saved=about.saved,
        plan=unpack_json(about.plan),
        results=tuple(packed_result.result() for packed_result in packed_results),
        tags=about.tags,
        notes=about.notes,
        baselines=tuple(name for name, _ in about.baselines),
    )


def read_bundle(connection: Connection, number: int) -> tuple[EvaluationDetails, EvaluationBundle]:
    """An evaluation as it was written, decompressed and checked."""
    about = read_details(connection, number)
    packed_results: Sequence[PackedResult] = read_packed_results(connection, number, "", about.id)
    return about, EvaluationBundle(
        about.plan, tuple(packed_result.unpack() for packed_result in packed_results), about.saved
    )


# Integrity: whether a store has what was saved in it

MAX_FAULTS = 100


@dataclass(frozen=True)
class IntegrityReport:
    """How much was checked, and what is wrong."""

    n_evaluations: int
    n_results: int
    n_payloads: int
    faults: tuple[str, ...]
    n_unused: int = 0
    """Benchmarks and payloads that no result uses; this is not an error, and `vacuum` removes them."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def check_integrity(connection: Connection) -> IntegrityReport:
    """Run the check of the database itself, then decode every evaluation and compare it with its digest."""
    faults = _faults_of_database(connection)
    evaluations = read_evaluation_rows(connection)
    n_results = 0
    for row in evaluations:
        try:
            n_results += _check_evaluation(connection, row, faults)
        except AssayError as error:
            message = str(error.hinting(None))
            faults.append(message if isinstance(error, StoreError) else f"{row.id} cannot be read: {message}")
    payloads = connection.execute(select(PAYLOADS.c.digest)).scalars().all()
    n_unused = len(find_unused(connection, PAYLOADS)) + len(find_unused(connection, DATASETS))
    return IntegrityReport(len(evaluations), n_results, len(payloads), tuple(faults[:MAX_FAULTS]), n_unused)


def _faults_of_database(connection: Connection) -> list[str]:
    if connection.dialect.name != "sqlite":
        return []
    lines = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
    lost = [
        f"a row of {row[0]} refers to a missing row of {row[2]}"
        for row in connection.execute(text("PRAGMA foreign_key_check"))
    ]
    return [*(f"the database reports: {line}" for line in lines if line != "ok"), *lost]


def _check_evaluation(connection: Connection, row: EvaluationRow, faults: list[str]) -> int:
    """The number of results; errors are added to the faults."""
    packed_results = read_packed_results(connection, row.number, "", row.id)
    figures = _figures(connection, row.number)
    stored_results = []
    for packed_result in packed_results:
        stored_result, name = packed_result.unpack(), packed_result.address
        result = packed_result.result()
        for mapping in (result.run, result.queries, result.relevant):
            len(mapping)  # reads it
        if stored_result.digest != packed_result.row.digest:
            faults.append(f"{name} has changed since it was saved")
        if stored_result.figures != figures.get(packed_result.row.number, ()):
            faults.append(f"{name}: its summaries do not match its scores")
        stored_results.append(stored_result)
    if EvaluationBundle(row.open_plan(store_prefix(connection)), tuple(stored_results), row.saved).digest != row.digest:
        faults.append(f"{row.id} has changed since it was saved: a result or the plan is different")
    return len(packed_results)


def _figures(connection: Connection, evaluation: int) -> dict[int, tuple[Figure, ...]]:
    """Result → its summaries, in order."""
    columns = (FIGURES.c[name] for name in ("result", *Figure._fields))
    statement = select(*columns).join(RESULTS).where(RESULTS.c.evaluation == evaluation)
    by_result: dict[int, tuple[Figure, ...]] = {}
    for row in read_rows(connection, statement.order_by(FIGURES.c.result, FIGURES.c.place), FigureRow):
        by_result[row.result] = (*by_result.get(row.result, ()), row.figure)
    return by_result
