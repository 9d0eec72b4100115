"""Kept: what the checks of a session measured, one result for each benchmark and provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from assay.evaluation import Result

KEPT: pytest.StashKey[Kept] = pytest.StashKey()


class Kept:
    """Results by benchmark and provider; of the same answers, the metrics of all checks are put together."""

    def __init__(self) -> None:
        self.results: dict[tuple[str, str], Result] = {}

    def add(self, result: Result) -> tuple[Result, str]:
        """The result under the name that it is kept by, and a note where that is not its own."""
        from dataclasses import replace

        number, key = 1, (result.benchmark, result.name)
        while key in self.results and not _is_same(self.results[key], result):
            number += 1
            key = (result.benchmark, f"{result.name}-{number}")
        named = replace(result, name=key[1])
        self.results[key] = _together(self.results[key], named) if key in self.results else named
        about = f"{result.name} retrieved something else in another check, so this one is {key[1]}; name= names it"
        return named, about if number > 1 else ""

    def to_json(self) -> str:
        """For another process."""
        from assay.store import pack_json

        return pack_json([result.to_dict() for result in self.results.values()]).decode()

    def add_json(self, text: str) -> None:
        """Take over what another process measured."""
        from assay.evaluation import result_from_dict
        from assay.store import unpack_json

        for plain in unpack_json(text.encode()):
            self.add(result_from_dict(plain))

    def save(self, place: str | None, baseline: str = "main") -> str:
        """Save all of it as one evaluation; says how it can be blessed, under the name that checks compare with."""
        from assay.evaluation import now
        from assay.store import is_baseline_name, keep

        saved = keep(list(self.results.values()), {"command": "pytest", "started": now()}, place)
        name = baseline if is_baseline_name(baseline) else "main"
        return f"kept as {saved}; assay bless latest --as {name} makes it the baseline"


def kept_of(config: pytest.Config) -> Kept:
    """What the session has kept so far."""
    return config.stash.setdefault(KEPT, Kept())


def _is_same(one: Result, other: Result) -> bool:
    """Whether two checks saw the same answers to the same queries, and judged them by the same rules."""
    alike = (one.fingerprints, one.policy, one.profile) == (other.fingerprints, other.policy, other.profile)
    docs = [{query: set(ranking) for query, ranking in result.run.items()} for result in (one, other)]
    return alike and one.query_ids == other.query_ids and docs[0] == docs[1]


def _together(one: Result, other: Result) -> Result:
    """The first result with the metrics of the second besides."""
    from dataclasses import replace

    from assay.model import ScoreTable

    new = [metric for metric in other.metrics if metric.name not in one.table.columns]
    asked = {metric.name for metric in other.metrics} - set(other.beside)
    return replace(
        one,
        table=ScoreTable(one.query_ids, {**other.table.columns, **one.table.columns}),
        metrics=(*one.metrics, *new),
        settings=(*one.settings, *(setting for setting in other.settings if setting not in one.settings)),
        intervals={**other.intervals, **one.intervals},
        tie_bands={**other.tie_bands, **one.tie_bands},
        residuals={**other.residuals, **one.residuals},
        beside=tuple(name for name in dict.fromkeys((*one.beside, *other.beside)) if name not in asked),
    )
