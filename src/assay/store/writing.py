"""Writing: prepare results and their plan for the store, and write them in one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import PurePath
from typing import Any

from sqlalchemy import Connection, Table, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from assay.errors import BadParameter, UsageError
from assay.evaluation import QUERY, ROWS_ARE, Result
from assay.execution import EVALUATION, Plan
from assay.serialize import to_json
from assay.store.packing import compress, digest_of, pack_json, unpack_json
from assay.store.schema import (
    DATASETS,
    EVALUATIONS,
    FIGURES,
    PAYLOADS,
    RESULTS,
    comparable_of,
    documents_read_of,
    with_documents_read,
)
from assay.store.stored_result import StoredResult, to_stored
from assay.store.timestamps import now, parse_timestamp
from assay.text import printable, shortened, type_with_article

SHORTEST_DIGEST = 4
"""Digits of the digest at the end of an id; more if another evaluation has the same ones."""
LONGEST_NAME = 40


@dataclass(frozen=True)
class EvaluationBundle:
    """An evaluation that is ready to be written: all slow work is done before other writers have to wait."""

    plan: bytes
    results: tuple[StoredResult, ...]
    saved: str

    @cached_property
    def digest(self) -> str:
        """The digest of the evaluation: equal if the plan and the results are equal."""
        return digest_of(self.plan, *(stored_result.digest.encode() for stored_result in self.results))

    @cached_property
    def identity(self) -> str | None:
        """A digest that is equal if one evaluation was saved twice, because it was interrupted and then resumed.

        It is based on the evaluation that each result names, and on the queries, responses and scores, but not on times.
        None if results do not name an evaluation, or name several.
        """
        names = {stored_result.plain.get("provenance", {}).get(EVALUATION) for stored_result in self.results}
        (name, *others) = names or {None}
        if others or not isinstance(name, str):
            return None
        return digest_of(
            name.encode("utf-8", "replace"), self.plan, *(stored_result.content.encode() for stored_result in self.results)
        )

    @cached_property
    def started(self) -> str:
        """When it started, according to the plan or the earliest result; else when it was saved."""
        planned = parse_timestamp(unpack_json(self.plan).get("started"))
        return planned or min(
            (stored_result.started for stored_result in self.results if stored_result.started), default=self.saved
        )

    @cached_property
    def payloads(self) -> dict[str, dict[str, Any]]:
        """Digest → row, always in the same order, so that two writers never wait for each other."""
        every = {
            part
            for stored_result in self.results
            for part in (stored_result.scores, stored_result.rankings, stored_result.queries, stored_result.relevant)
            if part
        }
        by_digest = {digest_of(part): part for part in every}
        return {
            digest: {"digest": digest, "size": len(part), "data": compress(part)}
            for digest, part in sorted(by_digest.items())
        }

    @cached_property
    def records(self) -> list[bytes]:
        """The record of each result, compressed."""
        return [compress(stored_result.record) for stored_result in self.results]

    def id_of_length(self, digits: int) -> str:
        """An id such as `2026-11-15-rag-template-7f3a`: the day, the benchmark, and the beginning of the digest."""
        names = list(dict.fromkeys(stored_result.plain.get("benchmark", "") for stored_result in self.results))
        name = _slug(names[0] or str(self.results[0].plain["name"])) if names else ""
        more = f"-and-{len(names) - 1}-more" if len(names) > 1 else ""
        return f"{self.started[:10]}-{name or 'evaluation'}{more}-{self.digest[:digits]}"

    def prepare(self) -> None:
        """Do all work that does not need the database."""
        _ = self.digest, self.identity, self.started, self.payloads, self.records


def _slug(name: str) -> str:
    """The name of a benchmark, or of its file, in characters that need no quotes."""
    last = PurePath(name).name or name
    return re.sub(r"[^a-z0-9]+", "-", last.lower()).strip("-")[:LONGEST_NAME].strip("-")


def insert_bundle(
    connection: Connection, bundle: EvaluationBundle, preferred_id: str = "", *, is_saved_again: bool = True
) -> tuple[str, bool]:
    """The id of the evaluation, and whether it is new. An existing one does not change, but becomes the latest."""
    is_same = EVALUATIONS.c.digest == bundle.digest
    if bundle.identity is not None:
        is_same |= EVALUATIONS.c.identity == bundle.identity
    if existing := connection.execute(select(EVALUATIONS.c.number, EVALUATIONS.c.id).where(is_same)).first():
        if is_saved_again:
            connection.execute(update(EVALUATIONS).where(EVALUATIONS.c.number == existing.number).values(saved=now()))
        return str(existing.id), False
    name = _free_id(connection, bundle, preferred_id)
    if bundle.payloads:
        connection.execute(_insert_new(connection, PAYLOADS), list(bundle.payloads.values()))
    row = {"id": name, "digest": bundle.digest, "started": bundle.started, "saved": bundle.saved}
    number = _insert_row(connection, EVALUATIONS, {**row, "plan": compress(bundle.plan), "identity": bundle.identity})
    for place, stored_result in enumerate(bundle.results):
        _insert_result(connection, bundle, number, place, stored_result)
    return name, True


def _free_id(connection: Connection, bundle: EvaluationBundle, preferred_id: str) -> str:
    lengths = range(SHORTEST_DIGEST, len(bundle.digest) + 1)
    for name in chain([preferred_id] if preferred_id else [], map(bundle.id_of_length, lengths)):
        if not connection.execute(select(EVALUATIONS.c.number).where(EVALUATIONS.c.id == name)).first():
            return name
    raise AssertionError  # the whole digest is free, else the evaluation would have been found


def _insert_new(connection: Connection, table: Table) -> Any:
    """An insert that skips existing rows."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).on_conflict_do_nothing()


def _insert_row(connection: Connection, table: Table, row: dict[str, Any]) -> int:
    key = connection.execute(insert(table).values(**row)).inserted_primary_key
    return int(key[0]) if key else 0


def _insert_result(
    connection: Connection, bundle: EvaluationBundle, evaluation: int, place: int, stored_result: StoredResult
) -> None:
    plain = stored_result.plain
    dataset = _dataset_row(stored_result)
    connection.execute(_insert_new(connection, DATASETS), [dataset])
    row = {
        "evaluation": evaluation,
        "place": place,
        "digest": stored_result.digest,
        "benchmark": printable(plain.get("benchmark", "")),
        "provider": printable(plain["name"]),
        "started": stored_result.started or bundle.started,
        "n_queries": int(plain["counts"].get("scored", 0)),
        "n_failed": len(plain.get("failures", {})),
        "record": bundle.records[place],
        "dataset": dataset["digest"],
        "scores": digest_of(stored_result.scores),
        "rankings": stored_result.rankings and digest_of(stored_result.rankings),
        "relevant": stored_result.relevant and digest_of(stored_result.relevant),
        "comparable": comparability_of(stored_result),
        "rows_are": str(plain.get("provenance", {}).get(ROWS_ARE, QUERY)),
    }
    number = _insert_row(connection, RESULTS, row)
    figures = [
        {
            "result": number,
            "place": at,
            **figure._asdict(),
            "documents_read": documents_read_of(plain, figure.metric),
        }
        for at, figure in enumerate(stored_result.figures)
    ]
    if figures:
        connection.execute(insert(FIGURES), figures)


def comparability_of(stored_result: StoredResult, metric: str = "") -> str:
    """A digest that is equal if the values of two results, by this metric if there is one, can be compared."""
    comparable = comparable_of(stored_result.plain, _dataset_row(stored_result)["digest"])
    return with_documents_read(comparable, documents_read_of(stored_result.plain, metric))


def _dataset_row(stored_result: StoredResult) -> dict[str, Any]:
    """The benchmark of a result as a row."""
    plain = stored_result.plain
    about = plain.get("provenance", {}).get("dataset") or {"name": plain.get("benchmark", "")}
    description = pack_json(about)
    queries = stored_result.queries and digest_of(stored_result.queries)
    return {
        "digest": digest_of(description, (queries or "").encode()),
        "name": printable(str(about.get("name", ""))),
        "description": description.decode("ascii"),
        "queries": queries,
    }


def find_unused(connection: Connection, table: Table, among: Sequence[str] | None = None) -> list[str]:
    """Digests of benchmarks or payloads that no result uses; among all, or among some."""
    users = (
        (RESULTS.c.dataset,)
        if table is DATASETS
        else (RESULTS.c.scores, RESULTS.c.rankings, RESULTS.c.relevant, DATASETS.c.queries)
    )
    statement = select(table.c.digest)
    for user in users:
        statement = statement.where(~select(user).where(user == table.c.digest).exists())
    if among is not None:
        statement = statement.where(table.c.digest.in_(among))
    return list(connection.execute(statement).scalars())


def bundle_of(results: Result | Iterable[Result], plan: Any = None, started: str | None = None) -> EvaluationBundle:
    """An evaluation that is ready to be written."""
    every = [results] if isinstance(results, Result) else list(results) if isinstance(results, Iterable) else [results]
    if wrong := [value for value in every if not isinstance(value, Result)]:
        raise BadParameter(f"only results of assay.run and assay.evaluate can be saved, not {shortened(wrong[0])}")
    stored_results = tuple(map(to_stored, every))
    if not stored_results:
        raise UsageError("there is no result to save")
    described = describe_plan(plan)
    if started is not None:
        moment = parse_timestamp(started)
        if moment is None:
            raise BadParameter(f"started must be a time such as 2026-11-15T09:30:00+00:00, not {started!r}")
        described["started"] = moment
    bundle = EvaluationBundle(pack_json(described), stored_results, now())
    bundle.prepare()
    return bundle


def describe_plan(plan: Any) -> dict[str, Any]:
    """A plan as plain values: what affects responses and scores, and how they are shown."""
    if plan is None:
        return {}
    if isinstance(plan, Plan):
        return {**plan.describe(), "statistics": to_json(plan.statistics), "by": list(plan.by)}
    if isinstance(plan, Mapping):
        return dict(plan)
    raise BadParameter(f"a plan must be a Plan or a mapping, not {type_with_article(plan)}")
