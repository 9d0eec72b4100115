"""Parsing: find the metric for any of its spellings, including those of other tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NoReturn, Protocol

from assay.errors import BadParameter, UnknownName, UsageError, near_matches
from assay.grammar import REQUIRED, Param, WrittenName, parse_setting, split_arguments
from assay.masking import mask
from assay.metrics.custom import ONLY_WRITTEN, PREFIX, is_import, load_metric
from assay.metrics.definition import BoundMetric, Metric
from assay.metrics.measure_names import as_named_here
from assay.metrics.registry import (
    DEFAULT_GROUP,
    GROUPS,
    all_metrics,
    fold,
    known_spellings,
    n_registered,
    plug_in_names,
    register,
    spellings_without_plug_ins,
)
from assay.metrics.trec_eval import TREC_GROUPS, with_default_cuts

_WHOLE = re.compile(
    r"""(?P<name>[^\s@()]+?) \s* (?:\( (?P<args>.*) \))? \s*
        (?:@ \s* (?P<cut>[^()@]*?))? (?:-l (?P<level>\d+(?:\.\d+)?))?""",
    re.VERBOSE,
)


_PARAMETER = re.compile(r"-?[\d.]|\w+=")
_NAME_AND_DIGITS = re.compile(r"(?P<name>[^\d]+)(?P<cut>[1-9]\d*)")
"""`ndcg10`: a name without digits, directly followed by a number."""
_GAIN_OF_GRADE = re.compile(r"[\d.]+=")
"""`ndcg_1=3,2=9`, as trec_eval prints a map from grade to gain."""
Spellings = Mapping[str, tuple[Metric, Mapping[str, Any]]]
"""Spelling → the metric, and the parameters that the spelling sets."""


class Measure(Protocol):
    """A measure of ir_measures."""

    @property
    def SUPPORTED_PARAMS(self) -> Mapping[str, Any]:  # noqa: N802 (its name in ir_measures)
        """The parameters that it can have."""


WrittenMetric = WrittenName | BoundMetric | Metric | Measure
"""A metric as the user gives it: a name that the user wrote, or a metric object."""
Given = str | BoundMetric | Metric | Measure
"""The same as a Python program passes it, before `written_metrics` marks names as written."""
LONGEST = 1000
"""Largest number of characters of a name that is looked up; names in data can have any length."""
LONGEST_SHOWN = 40
"""Number of characters that a message shows of a longer name."""
SHORTEST = 3
"""Spellings with at most this many characters are similar to too many others to be suggested."""
_MINUS = re.compile(r"(?P<metric>(?:ndcg|map|pre|precision)(?:@\d+)?)-", re.ASCII)
"""`ndcg@10-`, as XGBoost writes it."""
FAMILIES = {"ndcg_cut": "ndcg", "map_cut": "map"}
"""Measures of trec_eval that need a number → our metric without the cutoff."""


def written_metrics(metrics: Given | Iterable[Given] | None) -> WrittenMetric | list[WrittenMetric] | None:
    """Metrics that a Python program passes, marked as written by the user. For public functions, never for names in data."""
    if isinstance(metrics, str):
        return WrittenName(metrics)
    if metrics is None or isinstance(metrics, BoundMetric | Metric) or not isinstance(metrics, Iterable):
        return metrics
    return [WrittenName(metric) if isinstance(metric, str) else metric for metric in metrics]


def parse_metrics(asked: WrittenMetric | Iterable[WrittenMetric] | None, profile: str = "") -> list[BoundMetric]:
    """The metrics that the user named by spellings and groups, in order, each once. None means the default group.

    `python:module:name` imports the module, so a name that is not marked as written is only looked up. Names are read as the
    tool of the profile reads them. Profiles do not change a parameter that is set explicitly, so a metric with such a
    parameter differs from one without it, even if the value is the default.
    """
    return bound_metrics(asked, profile)


def parse_metric(asked: WrittenMetric, profile: str = "") -> BoundMetric:
    """The one metric that the spelling of the user means."""
    return only_one(asked, parse_metrics(asked, profile))


def bound_metrics(asked: Any, profile: str) -> list[BoundMetric]:
    """Metrics for names and metric objects, each once. Only a name that is marked as written may import code."""
    if asked is None:
        asked = [DEFAULT_GROUP]
    if isinstance(asked, str | BoundMetric | Metric) or not isinstance(asked, Iterable):
        asked = [asked]
    metrics: dict[tuple[str, frozenset[str]], BoundMetric] = {}
    for name in asked:
        for metric in _parse_asked(name, profile):
            metrics.setdefault((metric.name, metric.given), metric)
    if not metrics:
        raise BadParameter("no metric is given. Write at least one, such as ndcg@10")
    return list(metrics.values())


def only_one(asked: Any, metrics: list[BoundMetric]) -> BoundMetric:
    """The only metric; more than one is an error."""
    if len(metrics) != 1:
        raise BadParameter(
            f"{asked!r} means {len(metrics)} metrics ({metrics[0]}, {metrics[1]} …), but only one is allowed here"
        )
    return metrics[0]


def parse_name(text: str) -> Metric:
    """The definition for a name. A cutoff or parameters after the name are allowed and ignored."""
    name = re.split(r"[@(]", text.strip())[0]
    known = _spellings_for(name)
    if fold(name) not in known:
        name = _split_suffix(name, known)[0]
    if fold(name) not in known:
        raise _unknown(text, name)
    return known[fold(name)][0]


def _spellings_for(name: str) -> Spellings:
    """The spellings in which to look up a name; with plug-ins only if the name may belong to one."""
    known = spellings_without_plug_ins()
    if fold(name) in known or (fold(name) not in plug_in_names() and fold(_split_suffix(name, known)[0]) in known):
        return known
    return known_spellings()


def _parse_asked(asked: Any, profile: str) -> Iterator[BoundMetric]:
    if isinstance(asked, BoundMetric):
        yield asked
    elif isinstance(asked, Metric):
        register(asked)
        yield _bind(asked.name, asked, {})
    else:
        yield from _parse_text(asked, profile)


def _parse_text(text: Any, profile: str) -> Iterator[BoundMetric]:
    if _is_measure(text):
        text = str(text)
    is_written = isinstance(text, WrittenName)
    if not isinstance(text, str):
        raise BadParameter(f"a metric must be a name or an object made by assay.metric, not {text!r}")
    if not is_written and len(text) > LONGEST:
        raise UnknownName("metric", f"{mask(text)[:LONGEST_SHOWN]}…")
    if is_import(text):
        yield from _parse_parts(text, profile, is_written=is_written)
    else:
        yield from _parse_known(str(text), profile, n_registered())


@lru_cache(maxsize=1024)
def _parse_known(text: str, profile: str, n_registered: int) -> tuple[BoundMetric, ...]:  # noqa: ARG001 (a part of the key)
    """The metrics of a text that imports nothing; remembered until another metric is registered."""
    return tuple(_parse_parts(text, profile, is_written=False))


def _parse_parts(text: str, profile: str, *, is_written: bool) -> Iterator[BoundMetric]:
    for part in _split_outside_brackets(text):
        read = as_named_here(as_read_by(profile, part))
        if (group := fold(read)) in GROUPS:
            for member in _members(group, profile):
                yield from _parse_one(member)
        elif read.startswith(PREFIX):
            yield from _parse_one(load_metric(WrittenName(read)) if is_written else _fail_not_written(read))
        else:
            yield from _parse_one(read)


def _members(group: str, profile: str) -> Iterable[str]:
    """The metrics of a group; trec_eval's own groups differ between its versions."""
    measures = TREC_GROUPS.get(profile, {}).get(group)
    return GROUPS[group] if measures is None else map(with_default_cuts, measures)


def _fail_not_written(text: str) -> NoReturn:
    raise UnknownName("metric", text, hint=ONLY_WRITTEN)


def _is_measure(thing: Any) -> bool:
    """Whether this is a measure of ir_measures. Its text, such as `nDCG@10`, can be parsed here."""
    return not isinstance(thing, type) and isinstance(getattr(thing, "SUPPORTED_PARAMS", None), Mapping)


def _split_outside_brackets(text: str) -> list[str]:
    """Split `ndcg@10, map` at commas outside brackets that come before a letter, so `recall@5,10` stays whole."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0 and text[place + 1 :].lstrip()[:1].isalpha():
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip().rstrip(",")]


def _parse_one(text: str) -> Iterator[BoundMetric]:
    shape = _WHOLE.fullmatch(text)
    if not shape:
        raise BadParameter(f"{text!r} is not a metric. Write name@k or name(parameter=value)@k, such as ndcg@10")
    _check_unambiguous(text, shape)
    name, cut, dotted = shape["name"], shape["cut"], False
    known = _spellings_for(name)
    if fold(text) in known:
        metric, preset = known[fold(text)]
        yield _bind(text, metric, preset)
        return
    if fold(name) not in known and cut is None:
        name, cut, dotted = _split_suffix(name, known)
    if fold(name) not in known:
        raise _unknown(text, name)
    metric, preset = known[fold(name)]
    params = dict(preset)
    level = _set(text, metric, "rel", shape["level"]) if shape["level"] else {}
    for more in (_arguments(text, metric, shape["args"]), level):
        _check_not_twice(text, params, more)
        params |= more
    for settings in _cutoffs(text, metric, cut, dotted):
        _check_not_twice(text, params, settings)
        bound = _bind(text, metric, {**params, **settings})
        yield replace(bound, texts=_texts(settings, cut)) if dotted and cut else bound


def _check_unambiguous(text: str, shape: re.Match[str]) -> None:
    """Refuse names that tools read differently, or that mean a list of cutoffs in a tool."""
    name, at = fold(shape["name"]), f"@{shape['cut']}" if shape["cut"] else ""
    if fold(text) in FAMILIES:
        ours = FAMILIES[fold(text)]
        instead = f"Write one, as in {ours}@10 or {name}_10, or use --profile trec_eval-9 for all of them"
        raise BadParameter(f"{text} means several cutoffs. {instead}")
    if shape_of_xgboost := _MINUS.fullmatch(text):
        raise BadParameter(
            f"{text} is XGBoost's name for a mean in which queries without relevant documents score 0. Write "
            f'{shape_of_xgboost["metric"]} and add --no-relevant zero, in Python no_relevant="zero"'
        )
    if name == "hits":
        raise BadParameter(
            f"{text} is ambiguous. Write mean_rel_ret{at} for the number of relevant documents (as in ranx), or hit{at} for "
            "whether there is one"
        )


def _split_suffix(name: str, known: Spellings) -> tuple[str, str | None, bool]:
    """`ndcg_cut_10` → ndcg_cut, 10, not by a dot. The longest known name wins; without one, the text stays whole."""
    for place in range(len(name) - 1, 0, -1):
        head, rest = name[:place], name[place:]
        joint = next((joint for joint in ("_at_", "_", ".") if rest.startswith(joint)), None)
        if joint and fold(head) in known and _PARAMETER.match(rest, len(joint)):
            return head, rest.removeprefix(joint), joint == "."
    shape = _NAME_AND_DIGITS.fullmatch(name)
    if shape and _has_plain_cutoff(shape["name"], shape["cut"], known):
        return shape["name"], shape["cut"], False
    return name, None, False


def _has_plain_cutoff(name: str, cut: str, known: Spellings) -> bool:
    """Whether a number directly after the name can only be a cutoff: not in `f15` (f1@5?), nor in `rbp95` (p=0.95?)."""
    if fold(name) not in known or fold(name + cut[0]) in known:
        return False
    metric = known[fold(name)][0]
    return metric.at is not None and metric.name != "rbp"


def _arguments(text: str, metric: Metric, args: str | None) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for part in split_arguments(args or ""):
        name, equals, value = part.partition("=")
        if not equals:
            raise BadParameter(f"{text}: write parameters as name=value, not {part!r}")
        setting = _set(text, metric, name.strip(), value.strip())
        _check_not_twice(text, settings, setting)
        settings |= setting
    return settings


def _check_not_twice(text: str, settings: Mapping[str, Any], more: Mapping[str, Any]) -> None:
    for name in more:
        if name in settings:
            raise BadParameter(f"{text}: {name} is set twice")


def _cutoffs(text: str, metric: Metric, cut: str | None, dotted: bool) -> Iterator[dict[str, Any]]:
    """One setting per cutoff in a list; a single setting for parameters that accept the whole list."""
    if cut is None:
        yield {}
        return
    by_dot = next((param for param in metric.params if param.dot), None)
    is_for_dot = dotted and ("=" in cut or metric.name == "rbp")
    if by_dot and (not metric.at or is_for_dot or _GAIN_OF_GRADE.match(cut)):
        yield _set(text, metric, by_dot.name, _dotted_value(by_dot, cut))
        return
    if "=" in cut:
        name, _, value = cut.partition("=")
        is_budget = any(param.budget and name.strip().lower() in (param.name, *param.aliases) for param in metric.params)
        for part in value.split(",") if is_budget else (value,):
            yield _set(text, metric, name.strip(), part.strip())
        return
    if metric.at is None:
        raise BadParameter(f"{text}: {metric.name} has no cutoff. Write {metric.name}")
    for part in cut.split(","):
        yield _set(text, metric, metric.at.name, part.strip())


def _texts(settings: Mapping[str, Any], cut: str) -> dict[str, str]:
    """Parameters exactly as written after a dot, because trec_eval prints them like this: `.25,.5` in `11pt_avg..25,.5`."""
    return {name: cut.removeprefix(f"{name}=") for name in settings if name != "p" or "=" in cut}


def _dotted_value(param: Param, cut: str) -> str:
    """The value in `rbp.95` (p=0.95, as ranx writes it) or `rbp.p=0.5` (as trec_eval writes it)."""
    cut = cut.removeprefix(f"{param.name}=")
    return f"0.{cut}" if param.name == "p" and cut.isdecimal() else cut


def _set(text: str, metric: Metric, name: str, value: str) -> dict[str, Any]:
    return parse_setting(text, metric.name, metric.params, name, value)


def _bind(text: str, metric: Metric, settings: Mapping[str, Any]) -> BoundMetric:
    bound = metric.bind(**settings)
    for param in metric.params:
        if bound.params[param.name] is REQUIRED:
            if not param.at:
                example = f"{metric.name}({param.name}={_example(param)})"
                raise BadParameter(f"{text}: the parameter {param.name} is required, as in {example}")
            instead = (
                " For the precision of all retrieved documents, use set_precision." if metric.name == "precision" else ""
            )
            name = next(iter(metric.titles), metric.name)
            raise BadParameter(f"{text}: {name} needs {param.name}, as in {name}@{_example(param)}.{instead}")
    return bound


def _example(param: Param) -> str:
    return "10" if param.name == "k" else "0.5"


def _unknown(text: str, name: str) -> UnknownName:
    """The error for an unknown name, with suggestions that keep the cutoff and the parameters."""
    shape = re.fullmatch(r"(?P<word>.+?)(?:_at_|_|\.|(?<=[^\d]))(?P<cut>\d[\d,]*)", name)
    word, rest = (shape["word"], f"@{shape['cut']}") if shape else (name, text[len(name) :])
    spellings = [spelling for spelling in known_spellings() if len(spelling) > SHORTEST]
    near = [*near_matches(word, all_metrics()), *near_matches(word, spellings)]
    meant = (suggestion for name in near if (suggestion := _suggestion(known_spellings()[fold(name)][0], rest)))
    return UnknownName("metric", text, list(dict.fromkeys(meant))[:2], f"assay metrics lists all {len(all_metrics())}")


def _suggestion(metric: Metric, rest: str) -> str:
    """The metric with what followed the name, or with the part of it that is valid; empty if nothing is."""
    name = metric.name if len(metric.name) > 1 else next(iter(metric.titles), metric.name)
    cut = f"@{rest.partition('@')[2]}" if "@" in rest else ""
    example = f"@{_example(metric.at)}" if metric.at else ""
    return next((text for text in (name + rest, name + cut, name, name + example) if _is_metric(text)), "")


def _is_metric(text: str) -> bool:
    try:
        return bool(list(_parse_one(text)))
    except UsageError:
        return False


_RANX = (
    (re.compile(r"rbp[.@](\d+)((?:-l\d+)?)", re.ASCII), r"rbp(p=0.\1)\2"),
    (re.compile(r"precision((?:-l\d+)?)", re.ASCII), r"set_precision\1"),
    (re.compile(r"f1((?:-l\d+)?)", re.ASCII), r"set_f\1"),
    (re.compile(r"hits((?:@\d+)?(?:-l\d+)?)", re.ASCII), r"mean_rel_ret\1"),
)
"""Spelling of ranx → ours. The number after `rbp@` is p. Without a cutoff, all retrieved documents count."""
_XGBOOST = (
    (re.compile(r"pre@(\d+)", re.ASCII), r"precision@\1"),
    (re.compile(r"pre"), "set_precision"),
)
"""Spelling of XGBoost → ours."""
_SPELLINGS = {"ranx": _RANX, "xgboost": _XGBOOST}


def as_read_by(profile: str, text: str) -> str:
    """Our spelling for what the tool of a profile means by a metric; the text itself if both agree or no tool is named."""
    if profile in TREC_GROUPS:
        return with_default_cuts(text)
    return next((shape.sub(ours, text) for shape, ours in _SPELLINGS.get(profile, ()) if shape.fullmatch(text)), text)
