"""Differences: why two tools or settings give different figures, as text and JSON, with the command that repeats it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from assay.evaluation import PROFILES, Compared, Differences, Figure, Finding, flag_of, spelled
from assay.metrics import BoundMetric
from assay.model import Policy
from assay.reports.table import Cell, Table
from assay.reports.text_layout import DIM, Style, fitted, with_prose
from assay.text import counted, printable, some_of, with_minus

ALL_LEFT = frozenset({0, 1, 2})


def render_differences(found: Differences, asked: Asked, style: Style) -> str:
    """The reason that matters first, then all that is not shared, the figures, and the queries that moved."""
    metrics = {metric.name: metric for metric in found.first.metrics}
    parts = [style.wrapped(printable(_verdict(found, asked)))]
    parts += [style.wrapped(line) for line in _redefinitions(found, asked)]
    for matters, head in ((True, "what differs"), (False, "also different, without effect here")):
        rows = [_finding_row(one) for one in found.findings if one.matters is matters and one.what != "definition"]
        if rows:
            parts.append(with_prose(Table([head, "first", "second"], rows, ALL_LEFT), style))
    if found.metrics:
        heads = ["metric", "first", "second", "difference", "first, shared", "second, shared", "queries moved"]
        rows = [_compared_row(one, metrics[one.name], asked) for one in found.metrics]
        parts.append("\n\n".join(fitted(Table(heads, rows), style)))
    parts += [line for one in found.metrics if one.differs for line in _moved_lines(one, metrics[one.name], asked, style)]
    return "\n\n".join(parts) + "\n"


def _verdict(found: Differences, asked: Asked) -> str:
    first, second = (result.name or "run" for result in (found.first, found.second))
    if first == second and len(set(asked.files)) == 2:
        first, second = (f"{first} of {file}" for file in asked.files)
    names = f"between {first} and {second}"
    changed = [one for one in found.metrics if one.differs]
    if not found.metrics:
        return f"no metric is shared {names}.{_same_rankings(found)}"
    if not changed:
        figures = "the figure is" if len(found.metrics) == 1 else f"all {len(found.metrics)} shared figures are"
        although = _although(found)
        return f"{figures} the same {names}{although}.{'' if although else _same_rankings(found)}"
    which = "the shared metric differs" if len(found.metrics) == 1 else _how_many(len(changed), len(found.metrics))
    return f"{which} {names}. {_reason(found, changed)}{_same_rankings(found)}"


def _how_many(n_changed: int, n_shared: int) -> str:
    return f"{n_changed} of {n_shared} shared metrics {'differ' if n_changed > 1 else 'differs'}"


def _although(found: Differences) -> str:
    """What differs all the same."""
    if found.same_judgments is False:
        return ", although the judgments differ; whether the rankings do cannot be told"
    return ", although the rankings differ" if found.same_rankings is False else ""


def _same_rankings(found: Differences) -> str:
    if found.same_rankings:
        return " The rankings are the same: judged documents stand at the same places in both."
    return ""


def _reason(found: Differences, changed: list[Compared]) -> str:
    """What explains the difference, as far as the results tell."""
    by_queries = [one for one in changed if one.is_explained_by_queries]
    if len(by_queries) == len(changed):
        return f"Reason: other queries count. {_alone(by_queries[0])} Over the queries of both the figures are the same."
    if found.same_judgments is False:
        return "Reason: the judgments differ; whether the rankings do cannot be told."
    if found.same_rankings is False:
        return "Reason: the rankings differ."
    if words := [one.what for one in found.findings if one.matters and one.what not in ("definition", "profile")]:
        return f"Reason: {' and '.join(words) if len(words) < 3 else ', '.join(words)}."
    return "The results do not say why."


def _alone(one: Compared) -> str:
    said = [
        f"{counted(len(queries), 'query')} only in the {where}: {some_of(queries)}."
        for where, queries in (("first", one.only_first), ("second", one.only_second))
        if queries
    ]
    return " ".join(said)


def _redefinitions(found: Differences, asked: Asked) -> list[str]:
    return [
        f"{one.first.name} {asked.number(one.first, one.first_value)} against "
        f"{one.second.name} {asked.number(one.second, one.second_value)}: another definition ({one.words})."
        for one in found.redefined
    ]


def _finding_row(one: Finding) -> list[Cell]:
    return [Cell(one.what), Cell(printable(one.first)), Cell(printable(one.second))]


def _compared_row(one: Compared, metric: BoundMetric, asked: Asked) -> list[Cell]:
    values = (one.first, one.second, one.second - one.first, one.first_shared, one.second_shared)
    return [Cell(one.name), *(Cell(asked.number(metric, value)) for value in values), Cell(f"{len(one.moved):,}")]


def _moved_lines(one: Compared, metric: BoundMetric, asked: Asked, style: Style) -> list[str]:
    if not one.moved or not asked.n_queries:
        return []
    moves = [
        f"{printable(query)} {asked.number(metric, a)} → {asked.number(metric, b)}"
        for query, a, b in one.moved[: asked.n_queries]
    ]
    more = f" … and {len(one.moved) - asked.n_queries:,} more" if len(one.moved) > asked.n_queries else ""
    return [style.styled(style.wrapped(f"{one.name} moved most: {', '.join(moves)}{more}"), DIM)]


def differences_to_dict(found: Differences, asked: Asked) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "first": found.first.name,
        "second": found.second.name,
        "verdict": _verdict(found, asked),
        "findings": [
            {"what": one.what, "first": one.first, "second": one.second, "matters": one.matters} for one in found.findings
        ],
        "same_judgments": found.same_judgments,
        "same_rankings": found.same_rankings,
        "fingerprints": [dict(result.fingerprints) for result in (found.first, found.second)],
        "redefined": [
            {
                "first": one.first.name,
                "second": one.second.name,
                "values": [_plain(one.first_value), _plain(one.second_value)],
                "words": one.words,
            }
            for one in found.redefined
        ],
        "metrics": {one.name: _compared_to_dict(one) for one in found.metrics},
    }


def _compared_to_dict(one: Compared) -> dict[str, Any]:
    return {
        "first": _plain(one.first),
        "second": _plain(one.second),
        "first_shared": _plain(one.first_shared),
        "second_shared": _plain(one.second_shared),
        "only_first": list(one.only_first),
        "only_second": list(one.only_second),
        "moved": {query: [a, b] for query, a, b in one.moved},
    }


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


@dataclass(frozen=True)
class Asked:
    """The files, for commands that can be pasted (none: it was asked in Python), and how much to show."""

    files: tuple[str, ...] = ()
    digits: int = 4
    n_queries: int = 5

    def number(self, metric: BoundMetric, value: float | None) -> str:
        """A figure as people read it; counts have no decimals."""
        if value is None or math.isnan(value):
            return "–"
        is_count = metric.metric.aggregation.is_total and float(value).is_integer()
        return with_minus(str(int(value)) if is_count else f"{value:.{self.digits}f}")

    def flag(self, figure: Figure) -> str:
        """How the one convention of a figure is asked for, beside the metric or instead of it."""
        (convention,) = figure.conventions
        if not convention.policy:
            name = spelled(figure.setting.asked)
            return f"-m {shlex.quote(name)}" if self.files else repr(name)
        ((name, value),) = convention.policy.items()
        if not self.files:
            return f"{name}={value!r}"
        return flag_of(name, value) if _can_be_written(figure.profile, name, value) else "(no flag)"

    def way(self, figure: Figure) -> str | None:
        """The command, or the call, that gives this figure; None where there is none."""
        if figure.fault:
            return None
        name, profile, settings = spelled(figure.setting.asked), figure.profile, dict(figure.settings)
        can_say = all(_can_be_written(profile, *setting) for setting in settings.items())
        if profile and (profile not in PROFILES or (self.files and not can_say)):
            if figure.setting.digits is not None:
                return None
            name, profile = figure.setting.metric.name, ""
            settings = {one.name: getattr(figure.setting.policy, one.name) for one in fields(Policy)}
        if not profile:
            settings = {field: value for field, value in settings.items() if value != getattr(Policy(), field)}
        return self._command(name, profile, settings) if self.files else _call(name, profile, settings)

    def _command(self, name: str, profile: str, settings: Mapping[str, Any]) -> str:
        flags = [f"--profile {profile}"] if profile else []
        flags += [flag_of(field, value) for field, value in settings.items() if not (value is None or value is False)]
        return " ".join(["assay score", printable(shlex.join(self.files)), "-m", shlex.quote(name), *flags])


def _can_be_written(profile: str, name: str, value: Any) -> bool:
    """Whether the command line can say so: what no flag sets is what the profile has without one."""
    usual = PROFILES[profile].policy if profile in PROFILES else Policy()
    return not (value is None or value is False) or value == getattr(usual, name)


def _call(name: str, profile: str, settings: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{field}={value!r}" for field, value in settings.items())
    if profile:
        how = f", profile=assay.find_profile({profile!r}).adjusted({inside})" if inside else f", profile={profile!r}"
    else:
        how = f", policy=assay.Policy({inside})" if inside else ""
    return f"assay.evaluate(qrels, run, {name!r}{how})"
