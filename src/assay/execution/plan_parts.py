"""Parts of a plan: its providers with values to try, relevance, statistics, and the options of domains."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from assay.catalog import find_entry
from assay.errors import BadParameter, UsageError
from assay.evaluation import MISSING_DOCUMENTS, Relevance, domain_keys
from assay.execution.plan_file import BOOLEAN_WORDS, PlanFaults, parse_flag, parse_list, parse_number
from assay.grammar import WrittenName
from assay.providers import BoundProvider, find_provider, parse_provider
from assay.relevance import parse_resolver
from assay.stats import parse_paired_test
from assay.text import is_file, printable

EXAMPLE_PROVIDER = "bm25"
LIST_PARAMETERS = ("weights",)
"""Parameters whose value is a list; a list for any other parameter has values to try."""
LABELLED_PROVIDER = re.compile(r"\s*(?P<label>[^=():]*?)\s*=(?P<provider>.*)", re.DOTALL)


class Variant(NamedTuple):
    """One combination of parameters of a provider, and the values to try that it uses."""

    content: Any
    tried: tuple[str, ...] = ()


def parse_providers(value: Any, where: str, faults: PlanFaults) -> tuple[BoundProvider, ...]:
    """All providers of a plan, in order, each once. Errors are collected."""
    listed = faults.attempt(parse_list, value, "providers", where, EXAMPLE_PROVIDER) or []
    if isinstance(value, Mapping) and "name" not in value:
        listed = [{name: settings} for name, settings in value.items()]
        if not listed:
            faults.add(
                BadParameter(f"{where}: providers is empty. Give at least one, for example providers: [{EXAMPLE_PROVIDER}]")
            )
    all_providers = [provider for entry in listed for provider in faults.attempt(expand_provider, entry) or ()]
    providers = {(provider.fingerprint, provider.label): provider for provider in all_providers}
    n_each = Counter((provider.fingerprint, provider.label) for provider in all_providers)
    faults.note_repeated("provider", [provider.name for key, provider in providers.items() for _ in range(n_each[key])])
    names: dict[str, BoundProvider] = {}
    for provider in providers.values():
        if provider.name in names:
            advice = (
                f"Give each its own label, for example {{name: {provider.provider.name}, label: mine}} "
                f"or 'mine={EXAMPLE_PROVIDER}'"
            )
            faults.add(BadParameter(f"{where}: two providers are called {provider.name}. {advice}"))
        names.setdefault(provider.name, provider)
    return tuple(providers.values())


def expand_provider(entry: Any) -> list[BoundProvider]:
    """The providers of an entry: several if a parameter of it, or of its parts, is a list of values to try."""
    if isinstance(entry, BoundProvider):
        return [entry]
    label, content = _split_label(entry)
    variants = list(_variants(content))
    if not label:
        return [parse_provider(variant.content) for variant in variants]
    return [
        replace(parse_provider(content), label=f"{label} ({', '.join(tried)})" if tried and len(variants) > 1 else label)
        for content, tried in variants
    ]


def _split_label(entry: Any) -> tuple[str, Any]:
    """`tuned=bm25(k1=0.9)` or `{name: bm25, label: tuned, k1: 0.9}` → the label, and the rest."""
    if isinstance(entry, str):
        shape = LABELLED_PROVIDER.fullmatch(entry)
        written = WrittenName if isinstance(entry, WrittenName) else str
        return (_parse_label(shape["label"]), written(shape["provider"])) if shape else ("", entry)
    content = _with_name(entry)
    if content.get("label") is None:
        return "", {name: value for name, value in content.items() if name != "label"}
    return _parse_label(content["label"]), {name: value for name, value in content.items() if name != "label"}


def _parse_label(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or printable(value) != value:
        raise BadParameter(f"a label must be text on one line, such as 'BM25 tuned', not {value!r}")
    return value.strip()


def _with_name(entry: Any) -> dict[str, Any]:
    """`{bm25: {k1: 0.9}}` as `{name: bm25, k1: 0.9}`."""
    if not isinstance(entry, Mapping):
        raise BadParameter(
            f"a provider must be a name such as {EXAMPLE_PROVIDER}, or a map with one name, not {_describe_value(entry)}"
        )
    if "name" in entry:
        return dict(entry)
    if len(entry) != 1:
        names = ", ".join(map(str, entry)) or "an empty map"
        advice = f"Write the parameters below the name and indent them, as in {{{EXAMPLE_PROVIDER}: {{k1: 0.9}}}}"
        raise BadParameter(f"a provider must be a name, or a map with one name, not {names}. {advice}")
    ((name, settings),) = entry.items()
    provider = find_provider(str(name))
    if not isinstance(settings, Mapping | None):
        first = provider.short_for or next((param.name for param in provider.params), "parameter")
        as_text = f". To write it as one text, leave out the space: {name}:…" if provider.short_for else ""
        raise BadParameter(
            f"the parameters of {name} must be a map such as {{{name}: {{{first}: …}}}}, "
            f"not {_describe_value(settings)}{as_text}"
        )
    return {**(settings or {}), "name": name}


def _describe_value(value: Any) -> str:
    """The value for a message; of strings and lists only the type, because they may contain a secret."""
    return "a string" if isinstance(value, str) else "a list" if isinstance(value, list) else repr(value)


def _variants(entry: Any) -> Iterator[Variant]:
    """Every combination of the values to try, as names and as maps without lists."""
    if isinstance(entry, str):
        yield Variant(entry)
        return
    content = _with_name(entry)
    name = content.pop("name")
    choices = [list(_choices(name, key, value)) for key, value in content.items()]
    for combination in itertools.product(*choices):
        settings = dict(zip(content, (value for value, _ in combination), strict=True))
        yield Variant({"name": name, **settings}, tuple(word for _, words in combination for word in words))


def _choices(name: str, key: str, value: Any) -> Iterator[Variant]:
    """The values of one parameter, one after the other."""
    if key == "providers":
        parts = [list(_variants(_check_unlabelled(name, part))) for part in _parse_choices(name, key, value, "bm25, dense")]
        for combination in itertools.product(*parts):
            yield Variant([part for part, _ in combination], tuple(word for _, words in combination for word in words))
    elif isinstance(value, list) and key not in LIST_PARAMETERS:
        for choice in _parse_choices(name, key, value, "0.9, 1.2"):
            yield Variant(choice, (f"{key}={choice}",))
    else:
        yield Variant(value)


def _parse_choices(name: str, key: str, value: Any, example: str) -> Sequence[Any]:
    """A list that is not empty."""
    return parse_list(value, key, name, example)


def _check_unlabelled(name: str, part: Any) -> Any:
    """A part of another provider; a BadParameter if it has a label."""
    if isinstance(part, Mapping) and "label" in _with_name(part):
        raise BadParameter(f"{name}: only the whole provider can have a label, not a part of it")
    return part


def parse_relevance(values: Mapping[str, Any], where: str) -> Relevance:
    """How relevance is decided: the resolver, the unit, the map of ids, and the rule for missing documents."""
    values = _flatten_relevance(values, where)
    by, unit, id_map = values.get("relevance", "auto"), values.get("unit", "as_retrieved"), values.get("id_map")
    if not isinstance(by, str) or not isinstance(unit, str) or not isinstance(id_map, str | Mapping | None):
        raise BadParameter(f"{where}: relevance and unit must be names, and id_map must be a file or a map")
    if by.strip() != "auto":
        parse_resolver(by)
    if isinstance(id_map, str) and not is_file(id_map):
        raise BadParameter(f"{where}: id_map: {id_map}: no such file. Expected a file that maps chunks to documents")
    missing_documents = values.get("missing_documents", MISSING_DOCUMENTS[0])
    if missing_documents not in MISSING_DOCUMENTS:
        allowed = " or ".join(MISSING_DOCUMENTS)
        raise BadParameter(f"{where}: missing_documents must be {allowed}, not {missing_documents!r}")
    return Relevance(by, unit, id_map, missing_documents=missing_documents)


def _flatten_relevance(values: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """The values of `relevance: {by: token, unit: document}` as separate keys, which is the other way to write them."""
    block = values.get("relevance")
    if not isinstance(block, Mapping):
        return values
    known = ("by", "unit", "id_map", "missing_documents")
    if strange := [str(key) for key in block if key not in known]:
        raise BadParameter(f"{where}: relevance: no key is called {strange[0]!r}.   (choose from {', '.join(known)})")
    if twice := [key for key in known[1:] if key in block and key in values]:
        raise BadParameter(f"{where}: {', '.join(twice)} is set twice: inside relevance and outside it. Keep one of them")
    others = {key: value for key, value in values.items() if key != "relevance"}
    return others | {"relevance" if key == "by" else key: value for key, value in block.items()}


def describe_relevance(relevance: Relevance) -> dict[str, Any]:
    """The relevance as plain values, for provenance."""
    id_map = relevance.id_map
    known = {} if id_map is None else {"id_map": dict(id_map) if isinstance(id_map, Mapping) else str(id_map)}
    files = {name: str(file) for name, file in relevance.domain_options.items() if name not in relevance.options}
    rule = relevance.missing_documents
    missing = {"missing_documents": rule} if rule != MISSING_DOCUMENTS[0] else {}
    return {"by": str(relevance.by), "unit": relevance.unit, **known, **missing, **files, **relevance.defaults}


def parse_options(values: Mapping[str, Any], where: str, faults: PlanFaults) -> dict[str, Any]:
    """Option of a domain → its value, for options in the plan. Errors are collected."""
    asked = {name: check for name, check in domain_keys().items() if name in values} if values else {}
    options = {name: faults.attempt(check, values[name], where) for name, check in asked.items()}
    return {name: value for name, value in options.items() if value is not None}


STATISTICS_KEYS = ("confidence_intervals", "significance_testing", "correct_metrics", "alpha_level")
INTERVAL_METHODS = ("auto", "bootstrap", "bca", "t", "wilson")
"""The methods for intervals; the first one is used if a plan only says true."""


@dataclass(frozen=True)
class Statistics:
    """The methods for intervals of all summaries and for tests between providers; None: no intervals, no tests."""

    confidence_intervals: str | None = INTERVAL_METHODS[0]
    significance_testing: str | None = "randomization"
    alpha: float = 0.05
    """The accepted rate of false positives."""
    correct_metrics: bool = False
    """Whether every metric is tested, with p corrected over all of them; otherwise only the first metric decides."""

    @property
    def level(self) -> float:
        """The confidence level of the intervals: 1 - alpha."""
        return 1 - self.alpha


def parse_statistics(values: Mapping[str, Any], where: str) -> Statistics:
    """The block `statistical_analysis` of a plan. `significance_testing: true` asks for a test of every metric."""
    alpha = parse_number(values.get("alpha_level", Statistics.alpha), "alpha_level", where)
    if alpha >= 1:
        raise BadParameter(f"{where}: alpha_level must be between 0 and 1, such as 0.05, not {values['alpha_level']!r}")
    intervals = _parse_method(values.get("confidence_intervals", True), "confidence_intervals", _parse_interval, where)
    asked = values.get("significance_testing")
    testing = _parse_method(True if asked is None else asked, "significance_testing", _parse_test, where)
    is_for_all = BOOLEAN_WORDS.get(str(asked).lower(), False)
    correct_metrics = parse_flag(values.get("correct_metrics", is_for_all), "correct_metrics", where)
    return Statistics(intervals, testing, alpha, correct_metrics)


def _parse_method(value: Any, name: str, parse: Callable[[str], str], where: str) -> str | None:
    """A method by its name; true means the default method."""
    try:
        return getattr(Statistics(), name) if parse_flag(value, name, where) else None
    except BadParameter:
        if not isinstance(value, str):
            raise
    try:
        return parse(value)
    except UsageError as error:
        raise BadParameter(f"{where}: {name} must be true, false or a name: {error}") from None


def _parse_interval(name: str) -> str:
    return find_entry("interval", name, {method: method for method in INTERVAL_METHODS})


def _parse_test(name: str) -> str:
    return parse_paired_test(name).name
