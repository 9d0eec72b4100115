"""Judgments from clicks: a grade for each query and document with enough evidence, with its interval and its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.files import write_qrels
from assay.logs.click_counts import ClickCounts, click_rates, count_examined, count_positions
from assay.logs.click_models import Estimates, clicks_over_expected, position_based, simplified_dbn
from assay.logs.click_tails import read_tails
from assay.logs.dynamic_bayesian import full_dbn
from assay.logs.impressions import create_impressions
from assay.logs.log_table import OpenLog, named_columns, open_log
from assay.logs.propensities import read_propensities
from assay.logs.record_tables import TABLE_SUFFIXES, check_suffix, write_records
from assay.logs.row_columns import Shape
from assay.logs.searches import create_searches
from assay.model import Qrels, is_finite_number
from assay.text import counted

MODELS: Mapping[str, str] = {
    "pbm": "position-based model: the probability of a click if users look at the document",
    "dbn": "dynamic Bayesian network: the probability that a document satisfies users who look at it",
    "sdbn": "simplified dynamic Bayesian network: how often the document was clicked and ended the search",
    "coec": "clicks over expected clicks: 1 is an average document at the same ranks",
}
LEVELS: Mapping[str, tuple[float, ...]] = {
    "pbm": (0.1, 0.3, 0.6),
    "dbn": (0.05, 0.2, 0.5),
    "sdbn": (0.05, 0.2, 0.5),
    "coec": (0.5, 1.0, 2.0),
}
"""Model → the estimates from which the grade is 1, 2 and 3."""
FEWEST_SHOWN = 10
EXAMINED = ("sdbn", "dbn")
"""Models that count the impressions at which users looked."""
TREC_SUFFIXES = (".txt", ".qrels", ".qrel", ".trec")


@dataclass(frozen=True, eq=False)
class ClickJudgments:
    """The judgments of a model, one row for each pair of query and document."""

    model: str
    queries: tuple[str, ...]
    documents: tuple[str, ...]
    estimates: Estimates
    grades: Floats
    level: float
    provenance: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @cached_property
    def qrels(self) -> Qrels:
        """The grades, as every other command reads them."""
        by_query: dict[str, dict[str, float]] = {}
        for query, document, grade in zip(self.queries, self.documents, self.grades.tolist(), strict=True):
            by_query.setdefault(query, {})[document] = grade
        return Qrels(by_query)

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def judge(self) -> str:
        """The name of the judge: `clicks-pbm`."""
        return f"clicks-{self.model}"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Query, document, grade, estimate with its interval and its factors, evidence, and where the grade comes from."""
        estimates, names = self.estimates, list(self.estimates.parts)
        columns = (self.grades, estimates.value, estimates.low, estimates.high, estimates.shown, estimates.clicked)
        lists = [column.tolist() for column in (*columns, *estimates.parts.values())]
        seen = "examined impressions" if self.model in EXAMINED else "impressions"
        about = f"{seen}, log {self.provenance.get('digest', '')}"
        for query, document, grade, value, low, high, shown, clicked, *parts in zip(
            self.queries, self.documents, *lists, strict=True
        ):
            yield {
                "query_id": query,
                "doc_id": document,
                "grade": _short(grade),
                "estimate": round(value, 6),
                "low": round(low, 6),
                "high": round(high, 6),
                **{name: None if part != part else round(part, 6) for name, part in zip(names, parts, strict=True)},
                "shown": round(shown),
                "clicked": round(clicked),
                "judge": self.judge,
                "reason": f"{value:.3f} [{low:.3f}, {high:.3f}] from {shown:,.0f} {about}",
            }

    def write(self, path: str | Path) -> None:
        """Write the judgments: CSV, TSV or JSON lines with intervals and counts; TREC qrels have only the grades."""
        path = Path(path)
        suffix = check_judgment_file(path)
        if suffix in TREC_SUFFIXES:
            _check_trec(self, path)
            write_qrels(self.qrels, path)
        else:
            write_records(path, self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, without single judgments."""
        counts = np.unique(self.grades, return_counts=True)
        grades = {f"{_short(grade)}": int(n) for grade, n in zip(*(each.tolist() for each in counts), strict=True)}
        return {
            "model": self.model,
            "kind": "rule",
            "judge": self.judge,
            "judgments": len(self),
            "queries": len(self.qrels),
            "grades": grades,
            "level": self.level,
            **self.provenance,
            "notes": list(self.notes),
        }


def check_judgment_file(path: str | Path) -> str:
    """The file extension of judgments; an error if judgments cannot be written so."""
    return check_suffix(path, "judgments", (*TABLE_SUFFIXES, *TREC_SUFFIXES))


def _short(grade: float) -> float | int:
    return int(grade) if float(grade).is_integer() else round(grade, 6)


def _check_trec(judgments: ClickJudgments, path: Path) -> None:
    """Queries of a log are often texts, which TREC files cannot contain."""
    spaced = next((query for query in judgments.queries if query.split() != [query]), None)
    if spaced is not None:
        raise DataError(
            f"the query {spaced!r} contains spaces, which TREC files do not allow. Write {path.with_suffix('.csv').name}, "
            "or name the column with ids of queries: --columns query=NAME",
            source=path,
        )


def judge_clicks(
    log: Any,
    model: str = "pbm",
    *,
    least: int = FEWEST_SHOWN,
    grades: Sequence[float] | str | None = None,
    propensities: Any = None,
    persistence: float | None = None,
    level: float = 0.95,
    columns: Mapping[str, str] | str | None = None,
    first_rank: int = 1,
    most_per_hour: int | None = None,
) -> ClickJudgments:
    """Judgments from the clicks of a log: `pbm`, `dbn`, `sdbn` or `coec`.

    A pair of query and document that was seen less than `least` times gets no grade. Seen means shown for `coec`, examined
    for `sdbn`, and for `pbm` and `dbn` the sum of the probabilities that users looked at it.
    `grades` are the estimates from which the grade is 1, 2, 3 …, or `"estimate"` for the estimate itself as the grade.
    `propensities` are the probabilities that users look at the ranks: a mapping, a file with the columns rank and
    propensity, or `"column"` for the column of the log. Without them, `pbm` estimates them. `persistence` is how likely
    users who are not satisfied look at the next document. Without it, `dbn` estimates it. Users with more than
    `most_per_hour` searches in one hour are left out.
    """
    if model not in MODELS:
        raise UnknownName("click model", model, near_matches(model, MODELS), f"choose from {', '.join(MODELS)}")
    if isinstance(least, bool) or not isinstance(least, int) or least < 1:
        raise BadParameter(f"least must be a whole number of at least 1, not {least!r}")
    if propensities is not None and model != "pbm":
        raise BadParameter(f"propensities are for the model pbm, not for {model}")
    check_persistence(persistence, model)
    steps = parse_levels(grades, model)
    with named_columns(columns), open_log(log) as opened:
        shape = create_impressions(opened, (), first_rank)
        totals = create_searches(opened, shape, (), 0, most_per_hour)
        if model in EXAMINED:
            estimates, counts = _of_readers(opened, model, persistence, level, least)
        else:
            estimates, counts = _of_positions(opened, shape, model, propensities, level, least)
    return _judgments(model, counts, estimates, steps, least, level, totals.left_out)


def parse_levels(grades: Sequence[float] | str | None, model: str) -> tuple[float, ...] | None:
    """The estimates from which grades start; None if the estimate itself is the grade."""
    if grades is None:
        return LEVELS[model]
    if isinstance(grades, str):
        if grades == "estimate":
            return None
        try:
            grades = [float(part) for part in grades.split(",")]
        except ValueError:
            raise BadParameter(f"grades must be rising numbers such as 0.1,0.3,0.6, or estimate, not {grades!r}") from None
    steps = tuple(map(float, grades))
    if not steps or list(steps) != sorted(set(steps)) or not all(0 < step < np.inf for step in steps):
        raise BadParameter(f"grades must be rising numbers above 0, such as 0.1,0.3,0.6, not {grades!r}")
    return steps


def check_persistence(persistence: float | None, model: str) -> None:
    """Raise for a persistence that is not a probability, or that the model does not have."""
    if persistence is None:
        return
    if model != "dbn":
        raise BadParameter(f"a persistence is for the model dbn, not for {model}")
    if not is_finite_number(persistence) or not 0 < persistence <= 1:
        raise BadParameter(f"a persistence must be above 0 and at most 1, not {persistence!r}")


def _of_readers(
    log: OpenLog, model: str, persistence: float | None, level: float, least: int
) -> tuple[Estimates, ClickCounts]:
    """Estimates of the models in which users read from the top."""
    if model == "sdbn":
        examined, last = count_examined(log, least)
        return simplified_dbn(examined, last, level), examined
    tails = read_tails(log, least)
    if not tails.counts.n_pairs:
        raise _too_few(least)
    return full_dbn(tails, level, persistence), tails.counts


def _of_positions(
    log: OpenLog, shape: Shape, model: str, propensities: Any, level: float, least: int
) -> tuple[Estimates, ClickCounts]:
    """Estimates of the models in which only the rank matters."""
    is_column = propensities == "column"
    if is_column and not shape.has("propensity"):
        raise DataError("the log has no column with propensities", source=log.label)
    counts = count_positions(log, least, "p" if is_column else "r")
    if not counts.n_pairs:
        raise _too_few(least)
    if model == "coec":
        rates = click_rates(log)
        return clicks_over_expected(counts, np.array([rates[rank] for rank in counts.positions.tolist()]), level), counts
    if is_column:
        _check_probabilities(counts.positions, log.label)
        return position_based(counts, level, counts.positions), counts
    known = None if propensities is None else read_propensities(propensities, counts.positions)
    return position_based(counts, level, known), counts


def _too_few(least: int) -> DataError:
    times = counted(least, "time")
    return DataError(f"no document was seen at least {times} for a query, so nothing can be graded. Lower --least")


def _check_probabilities(values: Floats, label: str) -> None:
    wrong = values[(values <= 0) | (values > 1)]
    if len(wrong):
        raise DataError(f"a propensity must be above 0 and at most 1, found {wrong[0]:g}", source=label)


def _judgments(
    model: str,
    counts: ClickCounts,
    estimates: Estimates,
    steps: tuple[float, ...] | None,
    least: int,
    level: float,
    n_bots: int,
) -> ClickJudgments:
    is_enough = evidence_of(model, estimates) >= least
    kept = np.flatnonzero(is_enough).tolist()
    some = estimates.where(is_enough)
    grades = some.value if steps is None else np.searchsorted(np.array(steps), some.value, side="right").astype(float)
    n_left_out = counts.n_seen - len(kept)
    about = {
        "digest": counts.digest,
        "least_shown": least,
        "users_left_out": n_bots,
        "pairs": counts.n_seen,
        "left_out": n_left_out,
        "impressions": int(counts.shown.sum()),
        "clicks": int(counts.clicked.sum()),
        "grades_from": "estimate" if steps is None else list(steps),
        "bias": estimates.bias,
        **({} if estimates.persistence is None else {"persistence": estimates.persistence}),
    }
    if not kept:
        raise _too_few(least)
    return ClickJudgments(
        model,
        tuple(counts.query[number] for number in kept),
        tuple(counts.document[number] for number in kept),
        some,
        grades,
        level,
        about,
        _notes(model, counts, n_left_out, least, some, steps),
    )


def evidence_of(model: str, estimates: Estimates) -> Floats:
    """How often each document was seen: for `pbm`, each impression counts with the probability that users look at it."""
    return estimates.expected if model == "pbm" else estimates.shown


def _notes(
    model: str, counts: ClickCounts, n_left_out: int, least: int, some: Estimates, steps: tuple[float, ...] | None
) -> tuple[str, ...]:
    notes = []
    if n_left_out:
        examined = "were examined (down to the lowest click)"
        looked = "were probably looked at"
        verb = {"pbm": looked, "dbn": looked, "sdbn": examined}.get(model, "were shown")
        share = f"{n_left_out:,} of {counts.n_seen:,} pairs of query and document"
        notes.append(f"{share} {verb} less than {least} times and have no grade.")
    if model == "dbn" and (n_unknown := int(np.isnan(some.parts["satisfaction"][some.clicked > 0]).sum())):
        why = "were never clicked above another document, so clicks do not tell whether they satisfied"
        notes.append(f"{n_unknown:,} of {len(some.value):,} documents {why}. Their intervals are wide.")
    if steps is not None:
        first = np.searchsorted(np.array(steps), some.low, side="right")
        last = np.searchsorted(np.array(steps), some.high, side="right")
        n_open = int(np.count_nonzero(first != last))
        if n_open:
            notes.append(f"The intervals of {n_open:,} of {len(some.value):,} grades reach into another grade.")
    return tuple(notes)
