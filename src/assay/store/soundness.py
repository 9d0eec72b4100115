"""Soundness: whether a store holds what was put into it; every byte of it is read."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select, text

from assay.errors import AssayError, StoreError
from assay.store.listing import FigureRow
from assay.store.parcel import Figure
from assay.store.payload import LISTS_ALL
from assay.store.reading import EvaluationRow, read_evaluation_rows, read_shelves
from assay.store.rows import read_rows, store_prefix
from assay.store.tables import DATASETS, FIGURES, PAYLOADS, RESULTS
from assay.store.writing import EvaluationBundle, unused

MOST_FAULTS = 100


@dataclass(frozen=True)
class IntegrityReport:
    """What was looked at, and what is wrong with it."""

    n_evaluations: int
    n_results: int
    n_payloads: int
    faults: tuple[str, ...]
    n_unused: int = 0
    """Benchmarks and payloads that no result needs; no fault, `vacuum` removes them."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def check_integrity(connection: Connection) -> IntegrityReport:
    """The database by its own means, then every evaluation: it decodes, and says what its digest says."""
    faults = _faults_of_database(connection)
    evaluations = read_evaluation_rows(connection)
    n_results = 0
    for row in evaluations:
        try:
            n_results += _check_evaluation(connection, row, faults)
        except AssayError as error:
            said = str(error).removesuffix(LISTS_ALL)
            faults.append(said if isinstance(error, StoreError) else f"{row.id} cannot be read: {said}")
    payloads = connection.execute(select(PAYLOADS.c.digest)).scalars().all()
    n_unused = len(unused(connection, PAYLOADS)) + len(unused(connection, DATASETS))
    return IntegrityReport(len(evaluations), n_results, len(payloads), tuple(faults[:MOST_FAULTS]), n_unused)


def _faults_of_database(connection: Connection) -> list[str]:
    if connection.dialect.name != "sqlite":
        return []
    said = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
    lost = [
        f"a row of {row[0]} refers to one of {row[2]} that is gone"
        for row in connection.execute(text("PRAGMA foreign_key_check"))
    ]
    return [*(f"the database says: {line}" for line in said if line != "ok"), *lost]


def _check_evaluation(connection: Connection, row: EvaluationRow, faults: list[str]) -> int:
    """How many results it has; what is wrong is added to the faults."""
    shelves = read_shelves(connection, row.number, "", row.id)
    figures = _figures(connection, row.number)
    parcels = []
    for shelf in shelves:
        parcel, name = shelf.parcel(), shelf.address
        result = shelf.result()
        for mapping in (result.run, result.queries, result.relevant):
            len(mapping)  # opens it
        if parcel.digest != shelf.row.digest:
            faults.append(f"{name} does not say what it said when it was saved")
        if parcel.figures != figures.get(shelf.row.number, ()):
            faults.append(f"{name}: its summaries are not those of its scores")
        parcels.append(parcel)
    if EvaluationBundle(row.open_plan(store_prefix(connection)), tuple(parcels), row.saved).digest != row.digest:
        faults.append(f"{row.id} is not the evaluation that was saved: a result or its plan was changed")
    return len(shelves)


def _figures(connection: Connection, evaluation: int) -> dict[int, tuple[Figure, ...]]:
    """Result → its summaries, in order."""
    columns = (FIGURES.c[name] for name in ("result", *Figure._fields))
    wanted = select(*columns).join(RESULTS).where(RESULTS.c.evaluation == evaluation)
    found: dict[int, tuple[Figure, ...]] = {}
    for row in read_rows(connection, wanted.order_by(FIGURES.c.result, FIGURES.c.place), FigureRow):
        found[row.result] = (*found.get(row.result, ()), row.figure)
    return found
