"""Plan: what an evaluation does; benchmarks, providers, metrics and how to ask. From a file or from flags."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.evaluation.asking import Patience
from assay.evaluation.judging import Relevance
from assay.evaluation.runner import DEFAULT_DEPTH
from assay.evaluation.selection import Selection, parse_range, parse_where
from assay.metrics._metric import BoundMetric
from assay.metrics._parse import parse_metrics
from assay.model.policy import Policy
from assay.model.profile import OWN, Profile
from assay.model.profiles import find_profile
from assay.providers._provider import BoundProvider, parse_provider
from assay.relevance._resolver import parse_resolver

KEYS = (
    *("benchmarks", "providers", "metrics", "k", "relevance", "unit", "id_map", "profile", "policy", "selection"),
    *("concurrency", "timeout", "retries", "batch_size", "cache", "strict", "outputs", "seed", "retrieval_metrics"),
)
LATE = ("http",)
"""Providers that read variables of the environment themselves, when they ask."""
WHOLE = ("providers", "weights")
"""Parameters that are lists themselves, rather than values to try."""
SELECTION_KEYS = ("limit", "sample", "seed", "where", "range")
SEED_KEYS = ("enabled_metrics", "graded_relevance", "statistical_analysis", "performance")
STATISTICS_KEYS = ("confidence_intervals", "significance_testing", "alpha_level")
PERFORMANCE_KEYS = ("batch_size", "caching_enabled", "parallel_processing")


@dataclass(frozen=True)
class Plan:
    """Everything is parsed: a wrong name fails before anything is asked."""

    benchmarks: tuple[str, ...]
    providers: tuple[BoundProvider, ...]
    metrics: tuple[BoundMetric, ...]
    k: int = DEFAULT_DEPTH
    relevance: Relevance = field(default_factory=Relevance)
    profile: Profile = OWN
    selection: Selection = field(default_factory=Selection)
    patience: Patience = field(default_factory=Patience)
    batch_size: int | None = None
    """Queries asked at once, where the provider does not know better."""
    cache: bool = True
    is_graded: bool = True
    """Whether grades count; if not, every relevant document is as good as any other."""
    strict: bool = False
    outputs: tuple[str, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)
    """Kept for the statistics of a comparison: intervals, tests, alpha."""

    def describe(self) -> dict[str, Any]:
        """What decides about answers and scores, as plain values; how quickly they come is left out."""
        return {
            "benchmarks": list(self.benchmarks),
            "providers": [provider.configuration for provider in self.providers],
            "metrics": [metric.name for metric in self.metrics],
            "k": self.k,
            "relevance": _described(self.relevance),
            "profile": self.profile.name,
            "policy": self.profile.policy.to_dict(),
            "selection": self.selection.to_dict(),
            "graded": self.is_graded,
        }


def _described(relevance: Relevance) -> dict[str, Any]:
    id_map = relevance.id_map
    known = {} if id_map is None else {"id_map": dict(id_map) if isinstance(id_map, Mapping) else str(id_map)}
    return {"by": relevance.by, "unit": relevance.unit, **known, **relevance.defaults}


def make_plan(content: Mapping[str, Any], where: str = "plan") -> Plan:
    """A plan out of plain values, as YAML has them. Keys that nobody knows are errors."""
    _refuse_unknown(content, KEYS, where)
    content = {name: value for name, value in content.items() if value is not None}
    from_seed = _seed_block(content.get("retrieval_metrics"), where)
    metrics = parse_metrics(_texts(content.get("metrics", from_seed.get("metrics")), "metrics", where) or None)
    benchmarks = dict.fromkeys(_texts(content.get("benchmarks"), "benchmarks", where))
    providers = [one for given in _list(content.get("providers")) for one in expand(given)]
    if not benchmarks or not providers:
        raise BadParameter(f"{where}: benchmarks and providers are needed")
    return Plan(
        benchmarks=tuple(benchmarks),
        providers=tuple({provider.fingerprint: provider for provider in providers}.values()),
        metrics=tuple(metrics),
        k=_depth(content.get("k"), metrics, where),
        relevance=_relevance(content, where),
        profile=_profile(content, where),
        selection=_selection(content, where),
        patience=_patience(content, from_seed, where),
        batch_size=_whole(content.get("batch_size", from_seed.get("batch_size")), "batch_size", where),
        cache=_flag(content.get("cache", from_seed.get("cache", True)), "cache", where),
        is_graded=_flag(from_seed.get("is_graded", True), "graded_relevance", where),
        strict=_flag(content.get("strict", False), "strict", where),
        outputs=tuple(_texts(content.get("outputs", ()), "outputs", where)),
        statistics=from_seed.get("statistics", {}),
    )


def read_plan(path: Path) -> dict[str, Any]:
    """The content of a YAML file, with ${NAME} replaced from the environment."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        line = f":{place.line + 1}" if place else ""
        raise DataError(f"{path}{line}: no YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(content, Mapping):
        raise DataError(f"{path}: a plan is a map of benchmarks, providers and metrics")
    filled: dict[str, Any] = _with_environment(dict(content), str(path))
    return filled


def _with_environment(value: Any, place: str, *, late: bool = False) -> Any:
    """Text with ${NAME} filled in. Services read their variables late, so that no secret gets into a plan or a result:
    for them it is only seen to that the variable is there.
    """
    if isinstance(value, Mapping):
        is_service = value.get("name") in LATE
        return {
            name: _with_environment(one, f"{place}: {name}", late=late or is_service or name in LATE)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_with_environment(one, place, late=late) for one in value]
    if not isinstance(value, str):
        return value
    reads_late = late or value.strip().startswith(tuple(f"{name}(" for name in LATE))

    def known(shape: re.Match[str]) -> str:
        name, default = shape[1], shape[2]
        if name in os.environ:
            return f"${{{name}}}" if reads_late else os.environ[name]
        if default is None:
            raise BadParameter(f"{place}: the environment has no {name}; ${{{name}:-default}} would give one")
        return default

    return re.sub(r"\$\{(\w+)(?::-([^}]*))?\}", known, value)


def expand(given: Any) -> list[BoundProvider]:
    """A provider; several where a parameter is a list: each of its values is tried."""
    if not isinstance(given, Mapping):
        return [parse_provider(str(given))]
    if "name" not in given:
        if len(given) != 1:
            raise BadParameter(f"a provider is a name, or a map with one name, not {sorted(map(str, given))}")
        ((name, settings),) = given.items()
        if not isinstance(settings, Mapping | None):
            raise BadParameter(f"the parameters of {name} are a map, not {settings!r}")
        return expand({"name": name, **(settings or {})})
    listed = {key: value for key, value in given.items() if isinstance(value, list) and key not in WHOLE}
    every = itertools.product(*listed.values())
    return [parse_provider({**given, **dict(zip(listed, values, strict=True))}) for values in every]


def _seed_block(block: Any, where: str) -> dict[str, Any]:
    """The `retrieval_metrics:` block: metrics, graded or not, statistics, and how to ask."""
    if block is None:
        return {}
    place = f"{where}: retrieval_metrics"
    _refuse_unknown(block, SEED_KEYS, place)
    performance = block["performance"] if block.get("performance") is not None else {}
    statistics = block["statistical_analysis"] if block.get("statistical_analysis") is not None else {}
    _refuse_unknown(performance, PERFORMANCE_KEYS, f"{place}.performance")
    _refuse_unknown(statistics, STATISTICS_KEYS, f"{place}.statistical_analysis")
    found = {
        "metrics": block.get("enabled_metrics"),
        "is_graded": block.get("graded_relevance"),
        "statistics": dict(statistics),
        "batch_size": performance.get("batch_size"),
        "cache": performance.get("caching_enabled"),
        "parallel": performance.get("parallel_processing"),
    }
    return {name: value for name, value in found.items() if value is not None}


def _refuse_unknown(content: Any, known: Sequence[str], where: str) -> None:
    if not isinstance(content, Mapping):
        raise BadParameter(f"{where} is a map with {', '.join(known)}")
    for name in content:
        if name not in known:
            raise UnknownName(f"key of {where}", str(name), near_matches(str(name), known), f"there are {', '.join(known)}")


def _list(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, list | tuple) else [value]


def _texts(value: Any, name: str, where: str) -> list[str]:
    texts = _list(value)
    if wrong := [one for one in texts if not isinstance(one, str)]:
        raise BadParameter(f"{where}: {name} are names, not {wrong[0]!r}")
    return texts


def _number(value: Any, name: str, where: str) -> float:
    """A number above 0; text is fine, for ${NAME} gives nothing else."""
    try:
        number = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        number = float("nan")
    if not number > 0:
        raise BadParameter(f"{where}: {name} is a number above 0, not {value!r}")
    return number


def _flag(value: Any, name: str, where: str) -> bool:
    known = {"true": True, "false": False}
    if str(value).lower() not in known:
        raise BadParameter(f"{where}: {name} is true or false, not {value!r}")
    return known[str(value).lower()]


def _whole(value: Any, name: str, where: str, least: int = 1) -> int | None:
    if value is None:
        return None
    text = str(value)
    if not (text.isascii() and text.isdecimal()) or len(text) > 18 or int(text) < least:
        raise BadParameter(f"{where}: {name} is a whole number from {least} up, not {value!r}")
    return int(text)


def _depth(given: Any, metrics: Sequence[BoundMetric], where: str) -> int:
    deepest = max((metric.params.get("k") or 0 for metric in metrics), default=0)
    return _whole(given, "k", where) or max(DEFAULT_DEPTH, deepest)


def _profile(content: Mapping[str, Any], where: str) -> Profile:
    profile = find_profile(str(content["profile"])) if content.get("profile") else OWN
    policy = content["policy"] if content.get("policy") is not None else {}
    _refuse_unknown(policy, [one.name for one in fields(Policy)], f"{where}: policy")
    return profile.adjusted(**policy)


def _relevance(content: Mapping[str, Any], where: str) -> Relevance:
    by, unit, id_map = content.get("relevance", "auto"), content.get("unit", "as_retrieved"), content.get("id_map")
    if not isinstance(by, str) or not isinstance(unit, str) or not isinstance(id_map, str | Mapping | None):
        raise BadParameter(f"{where}: relevance and unit are names, and id_map is a file or a map")
    if by.strip() != "auto":
        parse_resolver(by)
    return Relevance(by, unit, id_map)


def _selection(content: Mapping[str, Any], where: str) -> Selection:
    given = {} if content.get("selection") is None else content["selection"]
    _refuse_unknown(given, SELECTION_KEYS, f"{where}: selection")
    return Selection(
        where=_tags(given.get("where"), where),
        range=parse_range(str(given["range"])) if given.get("range") is not None else None,
        sample=_whole(given.get("sample"), "sample", where),
        seed=_whole(given.get("seed", content.get("seed")), "seed", where, least=0) or 0,
        limit=_whole(given.get("limit"), "limit", where),
    )


def _tags(given: Any, where: str) -> dict[str, list[str]]:
    """`{language: de}`, `{language: [de, en]}`, or as on the command line: `language=de`."""
    if isinstance(given, Mapping):
        return {str(name): [str(one) for one in _list(value)] for name, value in given.items()}
    return parse_where(_texts(given, "tags", f"{where}: selection"))


def _patience(content: Mapping[str, Any], from_seed: Mapping[str, Any], where: str) -> Patience:
    usual = Patience()
    is_parallel = _flag(from_seed.get("parallel", True), "parallel_processing", where)
    retries = _whole(content.get("retries"), "retries", where, least=0)
    return Patience(
        timeout=_number(content.get("timeout", usual.timeout), "timeout", where),
        retries=usual.retries if retries is None else retries,
        concurrency=_whole(content.get("concurrency"), "concurrency", where) or (usual.concurrency if is_parallel else 1),
    )
