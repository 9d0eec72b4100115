"""Explanations: a metric with every tool and convention, and how to reproduce a number; as data, JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

from assay.datasets import GroundTruth
from assay.errors import UsageError
from assay.evaluation import Differences, Explanation, Figure, Moved, Profile, Result, Start, Target, differences_between
from assay.evaluation import why as explain
from assay.metrics import Given, written_metrics
from assay.model import Policy, RunSource
from assay.reports.layout import Style
from assay.reports.rendering import render_sections
from assay.reports.sections.differences import ExplanationOptions, render_differences
from assay.reports.table import Cell, Column, Mark, Notes, Paragraph, Section, Table, cells
from assay.serialize import to_json
from assay.text import counted

MAX_WAYS = 3
"""Ways to reproduce a number that are shown."""
MAX_NEAR = 8
"""Conventions that are shown if none gives the number."""


def render_why(explanations: Iterable[Explanation], asked: ExplanationOptions, style: Style) -> str:
    """The output of `assay why` for metrics."""
    return render_sections([why_section(explanation, asked) for explanation in explanations], style=style)


def why_section(explanation: Explanation, asked: ExplanationOptions) -> Section:
    """One metric: its value with each tool and convention, or what gives the expected number."""
    notes = map(Paragraph, explanation.notes)
    if explanation.target and explanation.matches:
        return Section(parts=(*notes, *_matched(explanation, explanation.target, asked)))
    if explanation.target and explanation.undefined:
        return Section(parts=(*notes, *_undecided(explanation, explanation.target, asked)))
    verdict = _unmatched(explanation, explanation.target, asked) if explanation.target else _surveyed(explanation, asked)
    singles = [_singles(explanation, asked)] if explanation.singles else []
    return Section(parts=(*notes, Paragraph(verdict), _tools(explanation, asked), *singles))


def _heads(first: str, metric: str, last: str) -> tuple[Column, ...]:
    return Column(first, kind="text"), Column(metric), Column(last, kind="prose")


def why_to_dict(explanation: Explanation, asked: ExplanationOptions) -> dict[str, Any]:
    """Plain JSON values."""
    target, nearest = explanation.target, explanation.nearest
    return {
        "metric": explanation.metric.name,
        "start": explanation.start,
        "value": to_json(explanation.ours.value),
        "expected": explanation.expected,
        "given": target.text if target else None,
        "matches": [_figure_to_dict(figure, explanation, asked) for figure in explanation.matches],
        "is_cut": explanation.is_cut,
        "is_coincidence": explanation.is_coincidence,
        "tie_band": [to_json(end) for end in explanation.undefined[0].ends or ()] if explanation.undefined else None,
        "nearest": _figure_to_dict(nearest, explanation, asked) if nearest else None,
        "tools": [_figure_to_dict(figure, explanation, asked) for figure in explanation.tools],
        "conventions": [_figure_to_dict(figure, explanation, asked) for figure in explanation.singles],
        "notes": list(explanation.notes),
    }


def _figure_to_dict(figure: Figure, explanation: Explanation, asked: ExplanationOptions) -> dict[str, Any]:
    moved = explanation.moved(figure) if figure.table else []
    return {
        "tool": figure.tool or None,
        "with_option": figure.with_option,
        "value": to_json(figure.value),
        "band": [to_json(end) for end in figure.ends] if figure.ends else None,
        "fault": figure.fault or None,
        "is_lacking": figure.is_lacking,
        "is_undefined": figure.is_undefined,
        "conventions": figure.reasons,
        "reproduce": asked.way(figure),
        "n_queries_changed": len(moved),
        "queries": [
            {"query": query.query, "ours": query.ours, "theirs": query.theirs}
            | ({} if query.highest is None else {"highest": query.highest})
            for query in moved[: asked.n_queries]
        ],
    }


def _surveyed(explanation: Explanation, asked: ExplanationOptions) -> str:
    """Our value, and how many tools agree."""
    ours = explanation.ours
    plain = [figure for figure in explanation.tools if not figure.with_option and not figure.is_lacking]
    n_other = sum(figure.differs(ours) for figure in plain)
    n_undefined = sum(figure.is_undefined for figure in plain)
    n_failing = sum(bool(figure.fault) for figure in plain) - n_undefined
    if not plain:
        tools_text = "No other tool has this metric"
    elif n_other:
        tools_text = f"{n_other} of {len(plain)} tools {'give' if n_other > 1 else 'gives'} another value"
    else:
        tools_text = "No tool gives another value"
    tools_text += f", {n_undefined} {'have' if n_undefined > 1 else 'has'} an undefined value" if n_undefined else ""
    tools_text += f", {n_failing} {'fail' if n_failing > 1 else 'fails'}" if n_failing else ""
    return f"{_own_figure_text(explanation, asked)} ({counted(len(ours.scores), 'query')}). {tools_text}."


def _own_figure_text(explanation: Explanation, asked: ExplanationOptions) -> str:
    name = explanation.metric.name
    return f"{name}: {explanation.start} gives {asked.number(explanation.metric, explanation.ours.value)}"


def _tools(explanation: Explanation, asked: ExplanationOptions) -> Table:
    ours = cells(explanation.start, asked.number(explanation.metric, explanation.ours.value), "")
    rows = (ours, *(_tool_row(figure, explanation, asked) for figure in explanation.tools))
    return Table(_heads("tool", explanation.metric.name, "what differs here"), rows)


def _tool_row(figure: Figure, explanation: Explanation, asked: ExplanationOptions) -> tuple[Cell, ...]:
    if figure.ends:
        return cells(figure.label, "undefined", f"{_range(figure, explanation, asked)}: {_changed(figure, explanation)}")
    if figure.fault:
        value = "–" if figure.is_lacking else "undefined" if figure.is_undefined else "fails"
        return cells(figure.label, value, figure.fault)
    words = _changed(figure, explanation) if figure.differs(explanation.ours) else ""
    return cells(figure.label, asked.number(explanation.metric, figure.value), words)


def _range(figure: Figure, explanation: Explanation, asked: ExplanationOptions) -> str:
    return " – ".join(asked.number(explanation.metric, end) for end in figure.ends or ())


def _changed(figure: Figure, explanation: Explanation) -> str:
    return f"{figure.words} ({_which(explanation.moved(figure))})"


def _which(moved: Sequence[Moved], most: int = 3) -> str:
    names = " ".join(query.query for query in moved[:most]) + (" …" if len(moved) > most else "")
    return f"{counted(len(moved), 'query')}: {names}"


def _singles(explanation: Explanation, asked: ExplanationOptions) -> Table:
    """Every convention that matters, or those closest to the number; tie rules with the same effect share a row."""
    target, singles = explanation.target, list(explanation.singles)
    if target:
        singles = sorted(singles, key=lambda figure: target.distance(figure.value))[:MAX_NEAR]
    groups: dict[Any, list[Figure]] = {}
    for place, figure in enumerate(singles):
        is_about_ties = list(figure.conventions[0].policy) == ["ties"]
        groups.setdefault(tuple(figure.scores.items()) if is_about_ties else place, []).append(figure)
    rows = []
    for figures in groups.values():
        first, *others = [asked.flag(figure) for figure in figures]
        flags = ", ".join([first, *(flag.removeprefix("--ties ").removeprefix("ties=") for flag in others)])
        words = "; ".join(figure.conventions[0].words for figure in figures)
        number = asked.number(explanation.metric, figures[0].value)
        rows.append(cells(flags, number, f"{words} ({_which(explanation.moved(figures[0]))})"))
    return Table(_heads("one convention changed", explanation.metric.name, "what it means"), tuple(rows))


def _matched(explanation: Explanation, target: Target, asked: ExplanationOptions) -> list[Paragraph | Notes | Table]:
    """The conventions that give the expected number."""
    first = explanation.matches[0]
    value_text = _own_figure_text(explanation, asked)
    number = target.echo(first.value)
    cut = f" This assumes that {number} was truncated, not rounded." if explanation.is_cut else ""
    ways = Notes(commands=tuple(_ways(explanation, asked)))
    if target.is_coarse and len({asked.number(explanation.metric, figure.value) for figure in explanation.matches}) > 1:
        digits = counted(target.n_digits, "digit").replace("1 ", "one ").replace("2 ", "two ")
        fits = f"{number} has only {digits}, so {len(explanation.matches)} explanations match.{cut}"
        return [Paragraph(f"{value_text}. {fits}"), _ladder(explanation, explanation.matches, asked), ways]
    if first is explanation.ours:
        return [Paragraph(f"{value_text}, which is your number.{cut}")]
    sentence = f"{value_text}. {_givers(explanation, number, asked)}.{cut}"
    reasons = Notes((sentence, *_reasons(explanation, first, asked)))
    return [reasons, _ladder(explanation, _alike(explanation), asked), ways]


def _givers(explanation: Explanation, number: str, asked: ExplanationOptions) -> str:
    tools = [figure.label for figure in explanation.matches if figure.tool]
    if tools:
        return f"{_listed(tools)} {'give' if len(tools) > 1 else 'gives'} {number}"
    if not explanation.is_coincidence:
        return f"No profile alone gives {number}"
    n = len(explanation.matches)
    text = (
        f"No single convention gives {number}, but {'a pair' if n == 1 else f'{n} pairs'} of conventions "
        f"{'does' if n == 1 else 'do'}. This may be a coincidence, because {explanation.n_pairs:,} pairs were tried. "
        "Give more digits of the number to rule it out"
    )
    return f"{text}. {_tie_band(explanation, asked)}" if explanation.undefined else text


def _tie_band(explanation: Explanation, asked: ExplanationOptions) -> str:
    """How far the order of ties changes the number."""
    figure = explanation.undefined[0]
    words = [convention.words for convention in figure.causes if "ties" not in convention.policy]
    start = (
        f"With the conventions of {figure.label}{f' ({_listed(words)})' if words else ''}, ties" if figure.tool else "Ties"
    )
    ends = _range(figure, explanation, asked).replace(" – ", " and ")
    return f"{start} leave the number undefined: it is between {ends}, depending on the order of documents with equal scores"


def _undecided(explanation: Explanation, target: Target, asked: ExplanationOptions) -> list[Notes | Table]:
    """A number that only the order of ties could give. No tool is named as its source, because none defines that order."""
    figure = explanation.undefined[0]
    number = target.echo(figure.ends[0] if figure.ends else 0.0)
    sentence = f"{_own_figure_text(explanation, asked)}. No tool, convention or pair of conventions gives {number}."
    lines = _query_lines(explanation, explanation.moved(figure), asked, about_ties=True)
    advice = "Break ties before you compare numbers, or report the range: assay score --tie-band."
    tied = [single for single in explanation.singles if "ties" in _decided(single)]
    ladder = _ladder(explanation, [explanation.ours, *tied, *(tool for tool in explanation.tools if not tool.fault)], asked)
    return [Notes((sentence, f"{_tie_band(explanation, asked)}.", *lines, advice)), ladder]


def _unmatched(explanation: Explanation, target: Target, asked: ExplanationOptions) -> str:
    nearest = explanation.nearest
    number = target.echo(nearest.value if nearest else 0.0)
    source = "these files" if asked.files else "these data"
    text = f"{_own_figure_text(explanation, asked)}. No tool, convention or pair of conventions gives {number} for {source}."
    if nearest and nearest is not explanation.ours:
        words = f"{nearest.label}: {nearest.words}" if nearest.tool and nearest.words else nearest.label or nearest.words
        text += f" The closest value is {asked.number(explanation.metric, nearest.value)} ({words})."
    elif nearest:
        text += " No other value is closer."
    return f"{text} Check that the number was computed from {source}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _reasons(explanation: Explanation, figure: Figure, asked: ExplanationOptions) -> list[str]:
    moved = explanation.moved(figure)
    n_scored = counted(len(explanation.ours.scores), "query")
    if not moved:
        return [f"Reason: {figure.words}. The scores of the queries do not change."]
    first = f"Reason: {figure.words}. This changes the scores of {len(moved):,} of {n_scored}."
    about_ties = any("ties" in convention.policy for convention in figure.causes or figure.conventions)
    return [first, *_query_lines(explanation, moved, asked, about_ties=about_ties)]


def _query_lines(
    explanation: Explanation, moved: Sequence[Moved], asked: ExplanationOptions, *, about_ties: bool
) -> list[str]:
    """The queries that change most."""
    lines = []
    for query in moved[: asked.n_queries]:
        ours, theirs, highest = (
            _counted_as(score, explanation, asked) for score in (query.ours, query.theirs, query.highest)
        )
        change = f"{ours} → {theirs}" if query.highest is None else f"{ours} → {theirs} – {highest}"
        tied = f"; {query.n_equal} documents have the same score" if about_ties and query.n_equal > 1 else ""
        lines.append(f"  query {query.query}: {change}{tied}")
    if len(moved) > asked.n_queries > 0:
        lines.append(f"  … and {len(moved) - asked.n_queries:,} more")
    return lines


def _counted_as(score: float | None, explanation: Explanation, asked: ExplanationOptions) -> str:
    return "not counted" if score is None else asked.number(explanation.metric, score)


def _alike(explanation: Explanation) -> list[Figure]:
    """The values of all tools, and of conventions about the same things as the matching conventions."""
    kinds = {name for figure in explanation.matches for name in _decided(figure)}
    alike = [figure for figure in explanation.singles if kinds & _decided(figure)]
    every = [explanation.ours, *alike, *(figure for figure in explanation.tools if not figure.fault)]
    return every + [figure for figure in explanation.matches if not any(figure is other for other in every)]


def _decided(figure: Figure) -> set[str]:
    """What the conventions of a value are about: fields of the policy, parameters, or the formula."""
    conventions = figure.causes or figure.conventions
    return {name for convention in conventions for name in (convention.policy or convention.params or ("formula",))}


def _ladder(explanation: Explanation, every: Iterable[Figure], asked: ExplanationOptions) -> Table:
    """Each different value once, with everything that gives it."""
    by_number: dict[str, list[Figure]] = {}
    for figure in sorted(every, key=lambda figure: (figure.value != figure.value, figure.value)):
        value = _range(figure, explanation, asked) if figure.ends else asked.number(explanation.metric, figure.value)
        by_number.setdefault(value, []).append(figure)
    rows = []
    for number, figures in by_number.items():
        is_wanted = any(figure is match for figure in figures for match in explanation.matches)
        names = [figure.label or ("" if figure.conventions else explanation.start) for figure in figures]
        words = list(dict.fromkeys(figure.words for figure in figures if figure.conventions and not figure.tool))
        more = ["…"] if len(words) > MAX_NEAR else []
        text = "; ".join([*filter(None, [", ".join(dict.fromkeys(filter(None, names)))]), *words[:MAX_NEAR], *more])
        wanted = Mark.BEST if is_wanted else Mark.NONE
        rows.append((Cell("→" if is_wanted else ""), Cell(number, mark=wanted), Cell(text)))
    return Table(_heads("", explanation.metric.name, "tool or convention"), tuple(rows))


def _ways(explanation: Explanation, asked: ExplanationOptions) -> list[str]:
    by_tool_first = sorted(explanation.matches, key=lambda figure: not figure.tool)
    ways = list(dict.fromkeys(way for figure in by_tool_first if (way := asked.way(figure))))
    return [f"{'Reproduce:' if number == 0 else '       or:'} {way}" for number, way in enumerate(ways[:MAX_WAYS])]


class Explanations(list[Explanation]):
    """One Explanation per metric; printed like the output of `assay why`, with calls instead of commands."""

    def __str__(self) -> str:
        return render_why(self, ExplanationOptions(), Style()).rstrip("\n")

    def _repr_html_(self) -> str:
        from assay.reports.notebook import sections_html

        return sections_html([why_section(explanation, ExplanationOptions()) for explanation in self])

    def __repr__(self) -> str:
        values = [f"{explanation.metric.name}={explanation.ours.value:.4f}" for explanation in self]
        n_matches = "".join(
            f"; {len(explanation.matches)} ways to {explanation.target.text}" for explanation in self if explanation.target
        )
        return f"Explanations({', '.join(values)}{n_matches})"


class Comparison(Differences):
    """Why two results differ; printed like the output of `assay why` for two result files."""

    def __str__(self) -> str:
        return render_differences(self, ExplanationOptions(), Style()).rstrip("\n")

    def __repr__(self) -> str:
        n_differing = sum(metric.differs for metric in self.metrics)
        return f"Comparison({n_differing} of {counted(len(self.metrics), 'shared metric')} differing)"


@overload
def why(qrels: Result, run: Result) -> Comparison:  # noqa: D418 (here all that is public is explained)
    """Explain why two results differ."""


@overload
def why(  # noqa: D418
    qrels: GroundTruth,
    run: RunSource,
    metrics: Given | Iterable[Given],
    expected: float | str | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
) -> Explanations:
    """Explain which conventions give a metric its value."""


def why(
    qrels: GroundTruth | Result,
    run: RunSource | Result,
    metrics: Given | Iterable[Given] | None = None,
    expected: float | str | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
) -> Explanations | Comparison:
    """Explain metrics of a run, and a number that another tool gave; or, for two results, why they differ.

    Settings of the policy that differ from the default apply to every tool.
    """
    if isinstance(qrels, Result) and isinstance(run, Result):
        if any(option is not None for option in (metrics, expected, policy, profile)):
            raise UsageError("two results are compared as they were scored. Leave out metrics, expected, policy and profile")
        differences = differences_between(qrels, run)
        return Comparison(**{name: getattr(differences, name) for name in Differences.__dataclass_fields__})
    if isinstance(qrels, Result) or isinstance(run, Result):
        raise UsageError("expected two results, or judgments and a run, found one result and something else")
    if metrics is None:
        raise UsageError("why needs a metric to explain: why(qrels, run, 'ndcg@10')")
    return Explanations(explain(qrels, run, written_metrics(metrics) or [], expected, Start.of(policy, profile)))
