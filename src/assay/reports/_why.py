"""What `assay why` says: a verdict, the metric under every tool and convention, and how to reproduce a number."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.evaluation.conventions import flag_of, flags_of
from assay.evaluation.differences import Compared, Differences
from assay.evaluation.why import SAME, Explanation, Figure, Moved
from assay.grammar import show
from assay.metrics._metric import BoundMetric
from assay.model.profiles import PROFILES
from assay.reports._cells import Cell, Table
from assay.reports._layout import DIM, Style, fitted, with_prose
from assay.text import counted, printable

MOST_WAYS = 3
"""Ways to reproduce a number that are shown."""


@dataclass(frozen=True)
class Asked:
    """How the question was put: the files, for commands that can be pasted, and how much to show."""

    files: tuple[str, ...]
    digits: int = 4
    n_queries: int = 5

    def number(self, value: float | None) -> str:
        """A figure as people read it."""
        return "–" if value is None or math.isnan(value) else f"{value:.{self.digits}f}"


def render_why(explanations: Sequence[Explanation], asked: Asked, style: Style) -> str:
    """One part per metric."""
    parts = [
        _matched(one, asked, style) if one.expected is not None else _surveyed(one, asked, style) for one in explanations
    ]
    return "\n\n".join(parts) + "\n"


def why_to_dict(explanation: Explanation, asked: Asked) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "metric": explanation.metric.name,
        "value": _plain(explanation.ours.value),
        "expected": explanation.expected,
        "matches": [_figure_to_dict(figure, explanation, asked) for figure in explanation.matches],
        "tools": [_figure_to_dict(figure, explanation, asked) for figure in explanation.tools],
        "conventions": [_figure_to_dict(figure, explanation, asked) for figure in explanation.singles],
    }


def _figure_to_dict(figure: Figure, explanation: Explanation, asked: Asked) -> dict[str, Any]:
    moved = [] if figure.fault else explanation.moved(figure)
    return {
        "tool": figure.tool or None,
        "value": _plain(figure.value),
        "fault": figure.fault or None,
        "conventions": figure.reasons,
        "reproduce": None if figure.fault else _command(figure, asked),
        "n_queries_changed": len(moved),
        "queries": [{"query": one.query, "ours": one.ours, "theirs": one.theirs} for one in moved[: asked.n_queries]],
    }


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def _surveyed(explanation: Explanation, asked: Asked, style: Style) -> str:
    """Every tool, then every single convention that matters here."""
    ours, name = explanation.ours, explanation.metric.name
    plain = [figure for figure in explanation.tools if not figure.with_option and not figure.is_lacking]
    n_other = sum(not figure.fault and abs(figure.value - ours.value) > SAME for figure in plain)
    n_failing = sum(bool(figure.fault) for figure in plain)
    verdict = f"{name}: assay says {asked.number(ours.value)} ({counted(len(ours.scores), 'query')})"
    said = f"{n_other} of {len(plain)} tools say something else" if n_other else "so does every tool that scores it"
    said += f", {n_failing} {'fail' if n_failing > 1 else 'fails'}." if n_failing else "."
    rows = [[Cell("assay"), Cell(asked.number(ours.value)), Cell("")]]
    rows += [_tool_row(figure, explanation, asked) for figure in explanation.tools]
    parts = [style.wrapped(f"{verdict}; {said}"), with_prose(Table(["tool", name, "what differs here"], rows, LEFT), style)]
    if explanation.singles:
        rows = [_single_row(figure, explanation, asked) for figure in explanation.singles]
        table = Table(["one convention changed", name, "what it means"], rows, LEFT)
        parts.append(with_prose(table, style))
    return "\n\n".join(parts)


LEFT = frozenset({0, 2})


def _tool_row(figure: Figure, explanation: Explanation, asked: Asked) -> list[Cell]:
    if figure.fault:
        return [Cell(figure.label), Cell("–" if figure.is_lacking else "fails"), Cell(printable(figure.fault))]
    moved = explanation.moved(figure)
    words = f"{figure.words} ({_which(moved)})" if moved else ""
    return [Cell(figure.label), Cell(asked.number(figure.value)), Cell(words)]


def _single_row(figure: Figure, explanation: Explanation, asked: Asked) -> list[Cell]:
    convention = figure.conventions[0]
    flag = convention.flags or f"-m {shlex.quote(figure.setting.metric.name)}"
    return [Cell(flag), Cell(asked.number(figure.value)), Cell(f"{convention.words} ({_which(explanation.moved(figure))})")]


def _which(moved: Sequence[Moved], most: int = 3) -> str:
    names = " ".join(printable(one.query) for one in moved[:most]) + (" …" if len(moved) > most else "")
    return f"{counted(len(moved), 'query')}: {names}"


def _matched(explanation: Explanation, asked: Asked, style: Style) -> str:
    """Which conventions give the expected number."""
    ours, name = asked.number(explanation.ours.value), explanation.metric.name
    if not explanation.matches:
        return f"{style.wrapped(_unmatched(explanation, asked))}\n\n{_surveyed(explanation, asked, style)}"
    if explanation.matches[0] is explanation.ours:
        return style.wrapped(f"{name}: assay says {ours}: that is your number.")
    tools = [figure.label for figure in explanation.matches if figure.tool]
    number = f"{explanation.expected:.12g}"
    given = (
        f"{number} is what {_listed(tools)} {'give' if len(tools) > 1 else 'gives'}."
        if tools
        else f"No tool gives {number} by itself."
    )
    parts = [
        style.wrapped(f"{name}: assay says {ours}. {given}"),
        *(style.wrapped(line) for line in _reasons(explanation, explanation.matches[0], asked)),
        "",
        with_prose(_ladder(explanation, asked), style),
        "",
        *_ways(explanation, asked),
    ]
    return "\n".join(parts)


def _unmatched(explanation: Explanation, asked: Asked) -> str:
    wanted = explanation.expected or 0.0
    said = f"{explanation.metric.name}: assay says {asked.number(explanation.ours.value)}. No tool, no convention and no two"
    said += f" conventions together give {wanted:.12g} for these files."
    nearest = min(explanation.singles, key=lambda figure: abs(figure.value - wanted), default=None)
    if nearest:
        said += f" Nearest: {asked.number(nearest.value)} ({nearest.words})."
    return f"{said} Are these the files that number came from?"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _reasons(explanation: Explanation, figure: Figure, asked: Asked) -> list[str]:
    moved = explanation.moved(figure)
    lines = [f"Reason: {figure.words}. It changes {counted(len(moved), 'query')} of {len(explanation.ours.scores):,}."]
    about_ties = any("ties" in convention.policy for convention in figure.causes or figure.conventions)
    for one in moved[: asked.n_queries]:
        change = f"{_counted_as(one.ours, asked)} → {_counted_as(one.theirs, asked)}"
        tied = f"; {one.n_equal} documents share a score" if about_ties and one.n_equal > 1 else ""
        lines.append(f"  query {printable(one.query)}: {change}{tied}")
    if len(moved) > asked.n_queries:
        lines.append(f"  … and {len(moved) - asked.n_queries:,} more")
    return lines


def _counted_as(score: float | None, asked: Asked) -> str:
    return "not counted" if score is None else asked.number(score)


def _ladder(explanation: Explanation, asked: Asked) -> Table:
    """Each different figure once, with all that leads to it."""
    kinds = {name for figure in explanation.matches for name in _decided(figure)}
    alike = [figure for figure in explanation.singles if kinds & _decided(figure)]
    every = [explanation.ours, *alike, *(figure for figure in explanation.tools if not figure.fault)]
    every += [figure for figure in explanation.matches if figure not in every]
    by_number: dict[str, list[Figure]] = {}
    for figure in sorted(every, key=lambda figure: figure.value):
        by_number.setdefault(asked.number(figure.value), []).append(figure)
    wanted = {asked.number(figure.value) for figure in explanation.matches}
    rows = []
    for number, figures in by_number.items():
        names = list(dict.fromkeys(figure.label or ("" if figure.conventions else "assay") for figure in figures))
        words = list(dict.fromkeys(figure.words for figure in figures if figure.conventions and not figure.tool))
        text = "; ".join([*filter(None, [", ".join(filter(None, names))]), *words])
        rows.append([Cell("→" if number in wanted else ""), Cell(number, is_best=number in wanted), Cell(text)])
    return Table(["", explanation.metric.name, "who, or with what"], rows, LEFT)


def _decided(figure: Figure) -> set[str]:
    """What its conventions are about: fields of the policy, or the formula."""
    conventions = figure.causes or figure.conventions
    return {name for one in conventions for name in (one.policy or ("formula",))}


def _ways(explanation: Explanation, asked: Asked) -> list[str]:
    by_tool_first = sorted(explanation.matches, key=lambda figure: not figure.tool)
    commands = list(dict.fromkeys(_command(figure, asked) for figure in by_tool_first))
    return [f"{'Reproduce:' if number == 0 else '       or:'} {way}" for number, way in enumerate(commands[:MOST_WAYS])]


def _command(figure: Figure, asked: Asked) -> str:
    """The command that prints this figure."""
    policy = figure.setting.policy
    name, flags = figure.setting.metric.name, flags_of(policy)
    if figure.tool:
        options = {"duplicates": policy.duplicates} if policy.duplicates != "error" else {}
        options |= PROFILES[figure.tool].option.settings if figure.with_option else {}
        name = _spelled_out(figure.setting.asked)
        flags = [f"--profile {figure.tool}", *(flag_of(name, value) for name, value in options.items())]
    return " ".join(["assay score", printable(shlex.join(asked.files)), "-m", shlex.quote(name), *flags])


def _spelled_out(metric: BoundMetric) -> str:
    """Its name with every parameter that was given, for a profile would set those that are not."""
    at = metric.metric.at
    given = [name for name in metric.given if not at or name != at.name]
    if all(metric.params[param.name] != param.default for param in metric.metric.params if param.name in given):
        return metric.name
    inside = ", ".join(f"{name}={show(metric.params[name])}" for name in sorted(given))
    cutoff = f"@{show(metric.params[at.name])}" if at and metric.params[at.name] is not None else ""
    return f"{metric.metric.name}({inside}){cutoff}"


def render_differences(found: Differences, asked: Asked, style: Style) -> str:
    """Why two results differ."""
    names = [printable(result.name) or "run" for result in (found.first, found.second)]
    changed = [one for one in found.metrics if one.differs]
    n_shared = len(found.metrics)
    which = f"{len(changed)} of {n_shared} shared metrics differ" if n_shared > 1 else "the shared metric differs"
    verdict = f"{which if changed or n_shared > 1 else 'nothing differs'} between {names[0]} and {names[1]}."
    if found.same_rankings:
        verdict += " The rankings are the same: judged documents stand at the same places in both."
    parts = [style.wrapped(verdict)]
    if found.findings:
        rows = [[Cell(one.what), Cell(printable(one.first)), Cell(printable(one.second))] for one in found.findings]
        parts.append(with_prose(Table(["what differs", "first", "second"], rows, frozenset({0, 1, 2})), style))
    if found.metrics:
        heads = ["metric", "first", "second", "difference", "first, shared", "second, shared", "queries moved"]
        rows = [_compared_row(one, asked) for one in found.metrics]
        parts.append("\n\n".join(fitted(Table(heads, rows), style)))
    parts += [line for one in changed for line in _moved_lines(one, asked, style)]
    return "\n\n".join(parts) + "\n"


def _compared_row(one: Compared, asked: Asked) -> list[Cell]:
    values = (one.first, one.second, one.second - one.first, one.first_shared, one.second_shared)
    return [Cell(one.name), *(Cell(asked.number(value)) for value in values), Cell(f"{len(one.moved):,}")]


def _moved_lines(one: Compared, asked: Asked, style: Style) -> list[str]:
    if not one.moved:
        return []
    moves = [f"{printable(query)} {asked.number(a)} → {asked.number(b)}" for query, a, b in one.moved[: asked.n_queries]]
    more = f" … and {len(one.moved) - asked.n_queries:,} more" if len(one.moved) > asked.n_queries else ""
    return [style.styled(style.wrapped(f"{one.name} moved most: {', '.join(moves)}{more}"), DIM)]


def differences_to_dict(found: Differences) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "first": found.first.name,
        "second": found.second.name,
        "findings": [{"what": one.what, "first": one.first, "second": one.second} for one in found.findings],
        "same_rankings": found.same_rankings,
        "metrics": {
            one.name: {
                "first": _plain(one.first),
                "second": _plain(one.second),
                "first_shared": _plain(one.first_shared),
                "second_shared": _plain(one.second_shared),
                "moved": {query: [a, b] for query, a, b in one.moved},
            }
            for one in found.metrics
        },
    }
