"""Differences: why two results differ, in words and numbers, and the command or call that reproduces a value."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from assay.evaluation import PROFILES, Compared, Differences, Figure, flag_of, spelled
from assay.metrics import TREC_FAMILIES, TREC_GROUPS, BoundMetric
from assay.model import Policy
from assay.reports.layout import Style
from assay.reports.rendering import render_sections
from assay.reports.table import Cell, Mark, Paragraph, Section, Table, cells, columns, text_columns
from assay.serialize import to_json
from assay.text import counted, printable, some_of, with_minus


def render_differences(differences: Differences, asked: ExplanationOptions, style: Style) -> str:
    """The output of `assay why` for two results."""
    return render_sections(difference_sections(differences, asked), style=style)


def difference_sections(differences: Differences, asked: ExplanationOptions) -> tuple[Section, ...]:
    """The main reason first, then everything that differs, the values, and the queries that changed."""
    metrics = {metric.name: metric for metric in differences.first.metrics}
    parts: list[Any] = [Paragraph(_verdict(differences, asked)), *map(Paragraph, _redefinitions(differences, asked))]
    for matters, head in ((True, "what differs"), (False, "also different, without effect here")):
        rows = tuple(
            cells(finding.what, finding.first, finding.second)
            for finding in differences.findings
            if finding.matters is matters and finding.what != "definition"
        )
        if rows:
            parts.append(Table(text_columns(head, "first", "second", prose=True), rows))
    if differences.metrics:
        heads = columns(
            "metric",
            "first",
            "second",
            "difference",
            "first, on shared queries",
            "second, on shared queries",
            "queries changed",
        )
        rows = tuple(_compared_row(compared, metrics[compared.name], asked) for compared in differences.metrics)
        parts.append(Table(heads, rows))
    parts += [
        Paragraph(_moved_text(compared, metrics[compared.name], asked), Mark.MUTED)
        for compared in differences.metrics
        if compared.differs and compared.moved and asked.n_queries
    ]
    return (Section(parts=tuple(parts)),)


def _verdict(differences: Differences, asked: ExplanationOptions) -> str:
    first, second = (result.name or "run" for result in (differences.first, differences.second))
    if first == second and len(set(asked.files)) == 2:
        first, second = (f"{first} of {file}" for file in asked.files)
    names = f"{first} and {second}"
    changed = [compared for compared in differences.metrics if compared.differs]
    if not differences.metrics:
        return f"{names} have no metric in common.{_same_rankings(differences)}"
    if not changed:
        n = len(differences.metrics)
        values = "the same value for the shared metric" if n == 1 else f"the same values for all {n} shared metrics"
        although = _although(differences)
        return f"{names} have {values}{although}.{'' if although else _same_rankings(differences)}"
    which = (
        "The shared metric differs" if len(differences.metrics) == 1 else _how_many(len(changed), len(differences.metrics))
    )
    return f"{which} between {names}. {_reason(differences, changed)}{_same_rankings(differences)}"


def _how_many(n_changed: int, n_shared: int) -> str:
    return f"{n_changed} of {n_shared} shared metrics {'differ' if n_changed > 1 else 'differs'}"


def _although(differences: Differences) -> str:
    """What differs although the values are the same."""
    if differences.same_judgments is False:
        return ", although the judgments differ. Whether the rankings differ is unknown"
    return ", although the rankings differ" if differences.same_rankings is False else ""


def _same_rankings(differences: Differences) -> str:
    if differences.same_rankings:
        return " The rankings are the same: the judged documents have the same ranks in both."
    return ""


def _reason(differences: Differences, changed: list[Compared]) -> str:
    """What explains the difference, as far as the results show it."""
    by_queries = [compared for compared in changed if compared.is_explained_by_queries]
    if len(by_queries) == len(changed):
        return (
            f"Reason: different queries are scored. {_alone(by_queries[0])} On the shared queries the values are the same."
        )
    if differences.same_judgments is False:
        return "Reason: the judgments differ. Whether the rankings differ is unknown."
    if differences.same_rankings is False:
        return "Reason: the rankings differ."
    if words := [
        finding.what for finding in differences.findings if finding.matters and finding.what not in ("definition", "profile")
    ]:
        return f"Reason: {' and '.join(words) if len(words) < 3 else ', '.join(words)}."
    return "The results do not show the reason."


def _alone(compared: Compared) -> str:
    sentences = [
        f"{counted(len(queries), 'query')} {'is' if len(queries) == 1 else 'are'} only in the {where} result: "
        f"{some_of(queries)}."
        for where, queries in (("first", compared.only_first), ("second", compared.only_second))
        if queries
    ]
    return " ".join(sentences)


def _redefinitions(differences: Differences, asked: ExplanationOptions) -> list[str]:
    return [
        f"{pair.first.name} {asked.number(pair.first, pair.first_value)} and "
        f"{pair.second.name} {asked.number(pair.second, pair.second_value)} have different definitions ({pair.words})."
        for pair in differences.redefined
    ]


def _compared_row(compared: Compared, metric: BoundMetric, asked: ExplanationOptions) -> tuple[Cell, ...]:
    values = (
        compared.first,
        compared.second,
        compared.second - compared.first,
        compared.first_shared,
        compared.second_shared,
    )
    return cells(compared.name, *(asked.number(metric, value) for value in values), f"{len(compared.moved):,}")


def _moved_text(compared: Compared, metric: BoundMetric, asked: ExplanationOptions) -> str:
    moves = [
        f"{query} {asked.number(metric, a)} → {asked.number(metric, b)}" for query, a, b in compared.moved[: asked.n_queries]
    ]
    more = f" … and {len(compared.moved) - asked.n_queries:,} more" if len(compared.moved) > asked.n_queries else ""
    return f"Largest changes in {compared.name}: {', '.join(moves)}{more}"


def differences_to_dict(differences: Differences, asked: ExplanationOptions) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "first": differences.first.name,
        "second": differences.second.name,
        "verdict": _verdict(differences, asked),
        "findings": [
            {"what": finding.what, "first": finding.first, "second": finding.second, "matters": finding.matters}
            for finding in differences.findings
        ],
        "same_judgments": differences.same_judgments,
        "same_rankings": differences.same_rankings,
        "fingerprints": [dict(result.fingerprints) for result in (differences.first, differences.second)],
        "redefined": [
            {
                "first": pair.first.name,
                "second": pair.second.name,
                "values": [to_json(pair.first_value), to_json(pair.second_value)],
                "words": pair.words,
            }
            for pair in differences.redefined
        ],
        "metrics": {compared.name: _compared_to_dict(compared) for compared in differences.metrics},
    }


def _compared_to_dict(compared: Compared) -> dict[str, Any]:
    return {
        "first": to_json(compared.first),
        "second": to_json(compared.second),
        "first_shared": to_json(compared.first_shared),
        "second_shared": to_json(compared.second_shared),
        "only_first": list(compared.only_first),
        "only_second": list(compared.only_second),
        "moved": {query: [a, b] for query, a, b in compared.moved},
    }


@dataclass(frozen=True)
class ExplanationOptions:
    """The files, for commands that can be pasted (none if called from Python), and how much to show."""

    files: tuple[str, ...] = ()
    digits: int = 4
    n_queries: int = 5

    def number(self, metric: BoundMetric, value: float | None) -> str:
        """A value as text; counts have no decimals."""
        if value is None or math.isnan(value):
            return "–"
        is_count = metric.metric.aggregation.is_total and float(value).is_integer()
        return with_minus(str(int(value)) if is_count else f"{value:.{self.digits}f}")

    def flag(self, figure: Figure) -> str:
        """The option or argument that sets the one convention of a value."""
        (convention,) = figure.conventions
        if not convention.can_be_set:
            return "(no flag)"
        if not convention.policy:
            name = spelled(figure.setting.asked)
            return f"-m {shlex.quote(name)}" if self.files else repr(name)
        ((name, value),) = convention.policy.items()
        if not self.files:
            return f"{name}={value!r}"
        return flag_of(name, value) if _can_be_written(figure.profile, name, value) else "(no flag)"

    def way(self, figure: Figure) -> str | None:
        """The command or call that reproduces this value; None if there is none."""
        if figure.fault or not all(convention.can_be_set for convention in figure.conventions):
            return None
        name, profile, settings = spelled(figure.setting.asked), figure.profile, dict(figure.settings)
        can_say = all(_can_be_written(profile, *setting) for setting in settings.items())
        if profile and (profile not in PROFILES or (self.files and not can_say)):
            if figure.setting.digits is not None:
                return None
            name, profile = figure.setting.metric.name, ""
            settings = {setting.name: getattr(figure.setting.policy, setting.name) for setting in fields(Policy)}
        if not profile:
            settings = {field: value for field, value in settings.items() if value != getattr(Policy(), field)}
        if name in TREC_FAMILIES and profile in TREC_GROUPS:
            name = f"{name}()"  # without brackets, the name means all default cutoffs there
        return self._command(name, profile, settings) if self.files else _call(name, profile, settings)

    def _command(self, name: str, profile: str, settings: Mapping[str, Any]) -> str:
        flags = [f"--profile {profile}"] if profile else []
        flags += [flag_of(field, value) for field, value in settings.items() if not (value is None or value is False)]
        return " ".join(["assay score", printable(shlex.join(self.files)), "-m", shlex.quote(name), *flags])


def _can_be_written(profile: str, name: str, value: Any) -> bool:
    """Whether the command line can set this; a value without an option must be the default of the profile."""
    usual = PROFILES[profile].policy if profile in PROFILES else Policy()
    return not (value is None or value is False) or value == getattr(usual, name)


def _call(name: str, profile: str, settings: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{field}={value!r}" for field, value in settings.items())
    if profile:
        how = f", profile=assay.find_profile({profile!r}).adjusted({inside})" if inside else f", profile={profile!r}"
    else:
        how = f", policy=assay.Policy({inside})" if inside else ""
    return f"assay.evaluate(qrels, run, {name!r}{how})"
