"""Reading: lists of what is there, and evaluations with their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from assay.errors import StoreError
from assay.evaluation.result import Result
from assay.store.entries import Note, StoredEvaluation
from assay.store.pairs import Unopened, unpack_pairs
from assay.store.parcel import Parcel, assembled, figures_of, unpack_queries
from assay.store.payload import decompressed, unpack_json
from assay.store.references import Target, chosen_places
from assay.store.score_payload import unpack_scores
from assay.store.tables import BASELINES, DATASETS, EVALUATIONS, NOTES, PAYLOADS, RESULTS, TAGS
from assay.store.writing import Bundle

PARTS = ("scores", "rankings", "queries", "relevant")


class Sealed(NamedTuple):
    """A payload as it came from the database."""

    digest: str
    data: bytes
    what: str

    def open(self) -> bytes:
        """What it says, checked."""
        return decompressed(self.data, self.what, self.digest)


@dataclass(frozen=True)
class Shelf:
    """One result as it came from the database; nothing of it is opened yet."""

    row: Row[Any]
    parts: Mapping[str, Sealed]

    @property
    def plain(self) -> dict[str, Any]:
        """The record."""
        plain: dict[str, Any] = unpack_json(decompressed(self.row.record, f"a result of {self.row.provider}"))
        return plain

    def result(self) -> Result:
        """The result. Rankings and queries are read when somebody looks at them."""
        return assembled(
            self.plain,
            self.parts["scores"].open(),
            run=self._unopened("rankings", _pairs),
            queries=self._unopened("queries", _queries),
            relevant=self._unopened("relevant", _pairs),
        )

    def _unopened(self, kind: str, read: Callable[[Sealed], Mapping[str, Any]]) -> Mapping[str, Any]:
        sealed = self.parts.get(kind)
        return Unopened(partial(read, sealed)) if sealed else {}

    def parcel(self) -> Parcel:
        """Everything, opened and checked."""
        opened = {name: sealed.open() for name, sealed in self.parts.items()}
        record = decompressed(self.row.record, f"a result of {self.row.provider}")
        figures = figures_of(unpack_json(record), unpack_scores(opened["scores"])[1])
        return Parcel(record, figures=figures, **opened)


def _pairs(sealed: Sealed) -> dict[str, dict[str, float]]:
    return unpack_pairs(sealed.open())


def _queries(sealed: Sealed) -> Mapping[str, Any]:
    return unpack_queries(sealed.open())


def read_shelves(connection: Connection, evaluation: int, part: str, name: str) -> list[Shelf]:
    """The results of an evaluation, or of a part of it, in their order."""
    wanted = select(RESULTS, DATASETS.c.queries).join(DATASETS).where(RESULTS.c.evaluation == evaluation)
    rows = connection.execute(wanted.order_by(RESULTS.c.place)).all()
    chosen = [rows[place] for place in chosen_places(part, [(row.benchmark, row.provider) for row in rows], name)]
    digests = {getattr(row, kind) for row in chosen for kind in PARTS} - {None}
    found = connection.execute(select(PAYLOADS.c.digest, PAYLOADS.c.data).where(PAYLOADS.c.digest.in_(sorted(digests))))
    data = {digest: bytes(content) for digest, content in found}
    return [Shelf(row, _sealed(row, data, name)) for row in chosen]


def _sealed(row: Row[Any], data: Mapping[str, bytes], name: str) -> dict[str, Sealed]:
    """Kind → payload, as far as the result has it."""
    wanted = {kind: digest for kind in PARTS if (digest := getattr(row, kind)) is not None}
    about = f"{name}#{row.benchmark}/{row.provider}"
    if lost := [kind for kind, digest in wanted.items() if digest not in data]:
        raise StoreError(f"{about}: its {lost[0]} are not in the store any more; assay store check lists all such")
    return {kind: Sealed(digest, data[digest], f"{about}: {kind}") for kind, digest in wanted.items()}


class About(NamedTuple):
    """What is said about an evaluation beside its results."""

    id: str
    digest: str
    started: str
    saved: str
    plan: bytes
    tags: tuple[str, ...]
    notes: tuple[Note, ...]
    baselines: tuple[tuple[str, str], ...]
    """Names, each with the part that it means."""


def read_about(connection: Connection, number: int) -> About:
    """Plan, tags, notes and baselines."""
    row = connection.execute(select(EVALUATIONS).where(EVALUATIONS.c.number == number)).one()
    tags = select(TAGS.c.tag).where(TAGS.c.evaluation == number).order_by(TAGS.c.tag)
    notes = select(NOTES.c.written, NOTES.c.text).where(NOTES.c.evaluation == number).order_by(NOTES.c.number)
    baselines = select(BASELINES.c.name, BASELINES.c.part).where(BASELINES.c.evaluation == number).order_by(BASELINES.c.name)
    return About(
        *(row.id, row.digest, row.started, row.saved, decompressed(row.plan, f"{row.id}: its plan")),
        tags=tuple(connection.execute(tags).scalars()),
        notes=tuple(Note(*note) for note in connection.execute(notes)),
        baselines=tuple((one.name, one.part) for one in connection.execute(baselines)),
    )


def read_evaluation(connection: Connection, target: Target) -> StoredEvaluation:
    """An evaluation, or a part of it."""
    about = read_about(connection, target.number)
    shelves = read_shelves(connection, target.number, target.part, target.id)
    return StoredEvaluation(
        id=about.id,
        started=about.started,
        saved=about.saved,
        plan=unpack_json(about.plan),
        results=tuple(shelf.result() for shelf in shelves),
        tags=about.tags,
        notes=about.notes,
        baselines=tuple(name for name, _ in about.baselines),
    )


def read_bundle(connection: Connection, number: int) -> tuple[About, Bundle]:
    """An evaluation as it was written, everything opened and checked."""
    about = read_about(connection, number)
    shelves: Sequence[Shelf] = read_shelves(connection, number, "", about.id)
    return about, Bundle(about.plan, tuple(shelf.parcel() for shelf in shelves), about.saved)
