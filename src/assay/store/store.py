"""Store: save evaluations, find them, and list values over time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, func, select

from assay.errors import UsageError
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.store.annotation import (
    Blessed,
    add_notes,
    add_tags,
    address,
    bless,
    check_tag,
    delete_unused,
    deletion_work,
    remove_tags,
    unbless_work,
)
from assay.store.database import MAX_WAIT, Database, state_of
from assay.store.export import Exported, read_export, read_exported, write_export
from assay.store.guards import GuardBook
from assay.store.judgment import Judgment
from assay.store.judgments import JudgmentBook, list_judgments
from assay.store.listing import Filter, list_benchmarks, list_entries, list_failed, list_points, stored_metric
from assay.store.location import StoreLocation, parse_location
from assay.store.newest import NewestBook
from assay.store.query_notes import QueryNote, QueryNoteBook, list_notes
from assay.store.query_scores import QueryScores, ScoreColumn, in_parts, read_provenances
from assay.store.reading import IntegrityReport, check_integrity, read_evaluation
from assay.store.references import Target, check_baseline_name, resolve, resolve_part, resolve_whole
from assay.store.rows import read_rows
from assay.store.schema import BASELINES, EVALUATIONS, NOTES, RESULTS
from assay.store.stored_result import Entry, Note, Point, StoredEvaluation
from assay.store.timestamps import now, parse_since
from assay.store.undecided import Undecided, list_undecided
from assay.store.writing import bundle_of, insert_bundle


class Imported(NamedTuple):
    """The outcome of an import: ids of new and of existing evaluations, and new baselines."""

    new: tuple[str, ...]
    known: tuple[str, ...]
    baselines: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Baselines that mean another evaluation in this store, and do not change."""
    n_judgments: int = 0
    """Judgments that are new, or newer than the existing ones."""
    n_query_notes: int = 0
    """Notes and tags of queries that are new."""


class Store:
    """A store of evaluations: `with Store.open() as store:` … Each call is one transaction: all of it is done, or nothing.

    A reference is `latest`, `latest~1`, an id, the beginning or the end of an id, or a baseline; `#benchmark/provider` after
    it means one result.
    """

    def __init__(self, database: Database, max_wait: float = MAX_WAIT) -> None:
        self._database, self._max_wait = database, max_wait

    @classmethod
    def open(cls, url: str | Path | StoreLocation | None = None, *, create: bool = True) -> Self:
        """Open the store at a path or URL; by default ASSAY_STORE, else ./.assay/assay.db. Creates it if it is missing."""
        database = Database(url if isinstance(url, StoreLocation) else parse_location(url))
        try:
            database.prepare(create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def place(self) -> StoreLocation:
        """The location; as text without passwords."""
        return self._database.place

    def within(self, seconds: float) -> Self:
        """The same store, in which `bless`, `note` and `tag` wait at most this long while others write."""
        return type(self)(self._database, seconds)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({str(self.place)!r})"

    def refuse_read_only(self) -> None:
        """Raise a StoreError if nothing can be saved."""
        self._database.check_writable()

    def save(self, results: Result | Iterable[Result], plan: Any = None, *, started: str | None = None) -> str:
        """Save one evaluation and return its id. Equal results of the same plan are saved once, and become the latest.

        `started` distinguishes evaluations whose results have no times. Rankings are saved if results have them: results of
        `assay.run` do, results of `assay.evaluate` do not.
        """
        bundle = bundle_of(results, plan, started)
        return self._database.write(lambda connection: insert_bundle(connection, bundle))[0]

    def find(self, reference: str) -> StoredEvaluation:
        """An evaluation with its results, or with the result that the reference names."""
        return self._database.read(lambda connection: read_evaluation(connection, resolve(connection, reference)))

    def latest(self) -> StoredEvaluation:
        """The evaluation that was saved last."""
        return self.find("latest")

    def id_of(self, reference: str) -> str:
        """The id that a reference means."""
        return self._database.read(lambda connection: resolve(connection, reference)).id

    def parts_of(self, reference: str) -> tuple[str, Sequence[str]]:
        """The id that a reference means, and `benchmark/provider` of its results, without reading them."""

        def work(connection: Connection) -> tuple[str, Sequence[str]]:
            target = resolve(connection, reference)
            return target.id, [f"{benchmark}/{provider}" for benchmark, provider in _names(connection, target)]

        return self._database.read(work)

    def list(
        self,
        benchmark: str | None = None,
        provider: str | None = None,
        since: str | None = None,
        tag: str | None = None,
        limit: int | None = None,
    ) -> list[Entry]:
        """Stored results, newest first; `since` is an age such as 30d, or a day."""
        chosen = Filter(benchmark, provider, parse_since(since) if since else None, tag, limit)
        return self._database.read(lambda connection: list_entries(connection, chosen))

    def history(
        self, metric: str, benchmark: str | None = None, provider: str | None = None, since: str | None = None
    ) -> Sequence[Point]:
        """The summaries of a metric over time, oldest first, filtered by benchmark and provider; None: all."""
        name = self.metric(metric).name
        chosen = Filter(benchmark, provider, parse_since(since) if since else None)
        return self._database.read(lambda connection: list_points(connection, name, chosen))

    def query_scores(self, metric: str, results: Sequence[int]) -> Iterator[QueryScores | None]:
        """The scores of the queries by one metric, for each of these results (`Point.result`), read as they are needed.

        None if a result has no numbers for the metric, or is no longer in the store.
        """
        column = ScoreColumn(metric)
        for part in in_parts(results):
            yield from self._database.read(partial(column.read, results=part))

    def provenances(self, results: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
        """Result (`Point.result`) → its provenance."""
        return {
            number: provenance
            for part in in_parts(results)
            for number, provenance in self._database.read(partial(read_provenances, results=part)).items()
        }

    def metric(self, name: str) -> BoundMetric:
        """The metric of that name: from the catalog, else from stored results. No code is imported for a name."""
        return self._database.read(lambda connection: stored_metric(connection, name))

    def count(self) -> int:
        """The number of stored results."""
        number: int = self._database.read(
            lambda connection: connection.execute(select(func.count()).select_from(RESULTS)).scalar_one()
        )
        return number

    def baselines(self) -> Mapping[str, str]:
        """Name → the evaluation that it means, or the part of it."""
        statement = select(BASELINES.c.name, EVALUATIONS.c.id, BASELINES.c.part).join(EVALUATIONS).order_by(BASELINES.c.name)
        rows = self._database.read(lambda connection: read_rows(connection, statement, tuple[str, str, str]))
        return {name: address(evaluation, part) for name, evaluation, part in rows}

    def bless(self, reference: str, name: str, *, force: bool = False) -> Blessed:
        """Make an evaluation the baseline of that name, until another one is blessed.

        Results of providers that failed on every query are blessed only with `force`, because any result would be better.
        """
        check_baseline_name(name)

        def work(connection: Connection) -> Blessed:
            target = resolve(connection, reference)
            places = resolve_part(target.part, _names(connection, target), target.id)
            if not force:
                _check_not_failed(connection, target, places)
            return bless(connection, target, name)

        return self._database.write(work, self._max_wait)

    def unbless(self, name: str) -> str:
        """Remove a baseline and return its evaluation, which is not deleted."""
        return self._database.write(unbless_work(name))

    def tag(self, reference: str, *tags: str, remove: bool = False) -> str:
        """Add or remove tags of an evaluation, and return its id."""
        words = [check_tag(tag) for tag in tags]
        change = remove_tags if remove else add_tags
        return self._about(reference, "tagged", lambda connection, number: change(connection, number, words))

    def note(self, reference: str, text: str) -> str:
        """Add a note to an evaluation, and return its id."""
        if not text.strip():
            raise UsageError("the note is empty. Write some text")
        note = Note(now(), text)
        return self._about(reference, "annotated", lambda connection, number: add_notes(connection, number, [note]))

    def notes(self, reference: str) -> Sequence[Note]:
        """The notes on an evaluation, without reading its results."""

        def work(connection: Connection) -> Sequence[Note]:
            target = resolve(connection, reference)
            mine = select(NOTES.c.written, NOTES.c.text).where(NOTES.c.evaluation == target.number)
            return read_rows(connection, mine.order_by(NOTES.c.written, NOTES.c.number), Note)

        return self._database.read(work)

    def _about(self, reference: str, done: str, change: Any) -> str:
        def work(connection: Connection) -> str:
            target = resolve_whole(connection, reference, done)
            change(connection, target.number)
            return target.id

        return self._database.write(work, self._max_wait)

    def delete(self, *references: str, force: bool = False) -> Sequence[str]:
        """Delete evaluations, all of them or none, and return their ids. Baselines are deleted only with `force`."""
        return self._database.write(deletion_work(references, force=force))

    def export(self, path: str | Path, references: Iterable[str] = ()) -> int:
        """Write evaluations to one file, all if none is named; returns how many."""

        def work(connection: Connection) -> int:
            every = select(EVALUATIONS.c.number).order_by(EVALUATIONS.c.saved, EVALUATIONS.c.number)
            named = [resolve_whole(connection, reference, "exported").number for reference in references]
            numbers = list(dict.fromkeys(named)) or connection.execute(every).scalars().all()
            benchmarks = list_benchmarks(connection, numbers) if named else None
            judgments, notes = list_judgments(connection, benchmarks), list_notes(connection, benchmarks)
            evaluations = (read_exported(connection, number) for number in numbers)
            return write_export(Path(path), evaluations, judgments, notes, list_undecided(connection, benchmarks))

        return self._database.read(work)

    def import_(self, path: str | Path) -> Imported:
        """Import the evaluations of a file. Existing ones do not change, so importing twice has no effect."""
        new: list[str] = []
        known: list[str] = []
        taken: list[str] = []
        unchanged: list[str] = []
        n_judgments, n_query_notes = 0, 0
        for exported in read_export(Path(path)):
            if isinstance(exported, Judgment):
                n_judgments += self.judgments.take_over([exported])
                continue
            if isinstance(exported, Undecided):
                self.judgments.take_over_undecided([exported])
                continue
            if isinstance(exported, QueryNote):
                n_query_notes += self.query_notes.take_over([exported])
                continue
            exported.bundle.prepare()
            name, is_new, baselines = self._database.write(partial(_import_evaluation, exported))
            (new if is_new else known).append(name)
            taken += [baseline.name for baseline in baselines if baseline.before is None]
            unchanged += [baseline.name for baseline in baselines if baseline.before not in (None, baseline.evaluation)]
        return Imported(tuple(new), tuple(known), tuple(taken), tuple(unchanged), n_judgments, n_query_notes)

    @property
    def newest(self) -> NewestBook:
        """The newest results of each benchmark and provider."""
        return NewestBook(self._database)

    @property
    def judgments(self) -> JudgmentBook:
        """The judgments about retrieved documents."""
        return JudgmentBook(self._database)

    @property
    def query_notes(self) -> QueryNoteBook:
        """The notes and tags of queries."""
        return QueryNoteBook(self._database)

    @property
    def guards(self) -> GuardBook:
        """The candidates that guards of gates have checked."""
        return GuardBook(self._database)

    def check(self) -> IntegrityReport:
        """Read every byte, and check that the store has what was saved."""
        return self._database.read(check_integrity)

    def state(self) -> Hashable:
        """A value that differs whenever the store has changed; cheap to compute."""
        return state_of(self._database)

    def size(self) -> int | None:
        """The size in bytes on disk; None for a server."""
        path = self.place.path
        if path is None:
            return None
        files = (path, path.with_name(f"{path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def vacuum(self) -> int:
        """Free unused space; returns how many unused benchmarks and payloads were deleted."""
        n_deleted = self._database.write(lambda connection: delete_unused(connection, None, None))
        self._database.execute_outside_transaction("VACUUM")
        if self.place.path is not None:
            self._database.execute_outside_transaction("PRAGMA wal_checkpoint(TRUNCATE)")
        return n_deleted


def _check_not_failed(connection: Connection, target: Target, places: Sequence[int]) -> None:
    """Raise a UsageError that names results whose queries all failed, and what could be blessed instead."""
    names, failed = _names(connection, target), list_failed(connection, target.number)
    if not (lost := [names[place] for place in places if place in failed]):
        return
    failed_names = ", ".join("/".join(filter(None, name)) for name in lost)
    sound = [provider for place, (_, provider) in enumerate(names) if place in places and place not in failed]
    instead = f"Bless another result ('{target.id}#{sound[0]}')" if sound else "Evaluate again"
    raise UsageError(
        f"{failed_names} failed on every query, so any result would be better than this baseline. {instead}, or add --force"
    )


def _names(connection: Connection, target: Target) -> Sequence[tuple[str, str]]:
    """The benchmark and provider of each result of an evaluation."""
    statement = select(RESULTS.c.benchmark, RESULTS.c.provider).where(RESULTS.c.evaluation == target.number)
    return read_rows(connection, statement.order_by(RESULTS.c.place), tuple[str, str])


def _import_evaluation(exported: Exported, connection: Connection) -> tuple[str, bool, list[Blessed]]:
    name, is_new = insert_bundle(connection, exported.bundle, exported.id, is_saved_again=False)
    number = connection.execute(select(EVALUATIONS.c.number).where(EVALUATIONS.c.id == name)).scalar_one()
    add_tags(connection, number, exported.tags)
    add_notes(connection, number, exported.notes)
    blessed = [bless(connection, Target(number, name, part), word, moves=False) for word, part in exported.baselines]
    return name, is_new, blessed
