"""Providers of a plan: names or maps, with lists of values to try, and labels."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from assay.errors import BadParameter
from assay.evaluation.plan_faults import PlanFaults
from assay.evaluation.plan_values import parse_list
from assay.grammar import WrittenName
from assay.providers import BoundProvider, find_provider, parse_provider
from assay.text import printable

EXAMPLE = "bm25"
WHOLE = ("weights",)
"""Parameters that are lists themselves, rather than values to try."""
LABELLED = re.compile(r"\s*(?P<label>[^=():]*?)\s*=(?P<provider>.*)", re.DOTALL)


class Variant(NamedTuple):
    """One way to set the parameters of a provider, and which of the values to try it has."""

    content: Any
    tried: tuple[str, ...] = ()


def parse_providers(given: Any, where: str, faults: PlanFaults) -> tuple[BoundProvider, ...]:
    """All providers of a plan, in order, each once; what is wrong with any of them is noted."""
    listed = faults.attempt(parse_list, given, "providers", where, EXAMPLE) or []
    if isinstance(given, Mapping) and "name" not in given:
        listed = [{name: settings} for name, settings in given.items()]
        if not listed:
            faults.add(BadParameter(f"{where}: providers is an empty map; give at least one, as in providers: [{EXAMPLE}]"))
    found = [provider for one in listed for provider in faults.attempt(expand, one) or ()]
    providers = {(provider.fingerprint, provider.label): provider for provider in found}
    n_each = Counter((provider.fingerprint, provider.label) for provider in found)
    faults.note_repeated("provider", [one.name for key, one in providers.items() for _ in range(n_each[key])])
    names: dict[str, BoundProvider] = {}
    for provider in providers.values():
        if provider.name in names:
            advice = f"give each a label of its own, as in {{name: {provider.provider.name}, label: …}} or 'label={EXAMPLE}'"
            faults.add(BadParameter(f"{where}: two providers are called {provider.name}; {advice}"))
        names.setdefault(provider.name, provider)
    return tuple(providers.values())


def expand(given: Any) -> list[BoundProvider]:
    """A provider; several where a parameter of it or of its parts is a list: each of the values is tried."""
    if isinstance(given, BoundProvider):
        return [given]
    label, content = _split_label(given)
    variants = list(_variants(content))
    if not label:
        return [parse_provider(variant.content) for variant in variants]
    return [
        replace(parse_provider(content), label=f"{label} ({', '.join(tried)})" if tried and len(variants) > 1 else label)
        for content, tried in variants
    ]


def _split_label(given: Any) -> tuple[str, Any]:
    """`tuned=bm25(k1=0.9)` or `{name: bm25, label: tuned, k1: 0.9}` → the label, and the rest."""
    if isinstance(given, str):
        shape = LABELLED.fullmatch(given)
        written = WrittenName if isinstance(given, WrittenName) else str
        return (_label(shape["label"]), written(shape["provider"])) if shape else ("", given)
    content = _with_name(given)
    if content.get("label") is None:
        return "", {name: value for name, value in content.items() if name != "label"}
    return _label(content["label"]), {name: value for name, value in content.items() if name != "label"}


def _label(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or printable(value) != value:
        raise BadParameter(f"a label is some text on one line, such as 'BM25 tuned', not {value!r}")
    return value.strip()


def _with_name(given: Any) -> dict[str, Any]:
    """`{bm25: {k1: 0.9}}` as `{name: bm25, k1: 0.9}`."""
    if not isinstance(given, Mapping):
        raise BadParameter(f"a provider is a name such as {EXAMPLE}, or a map with one name, not {_kind(given)}")
    if "name" in given:
        return dict(given)
    if len(given) != 1:
        names = ", ".join(map(str, given)) or "an empty one"
        advice = f"parameters are indented below it, as in {{{EXAMPLE}: {{k1: 0.9}}}}"
        raise BadParameter(f"a provider is a name, or a map with one name, not {names}; {advice}")
    ((name, settings),) = given.items()
    find_provider(str(name))
    if not isinstance(settings, Mapping | None):
        raise BadParameter(f"the parameters of {name} are a map, as in {{{name}: {{…}}}}, not {_kind(settings)}")
    return {**(settings or {}), "name": name}


def _kind(value: Any) -> str:
    """What was found in the place of something else; of text and lists only that, for they may hold a secret."""
    return "a text" if isinstance(value, str) else "a list" if isinstance(value, list) else repr(value)


def _variants(given: Any) -> Iterator[Variant]:
    """Every combination of the values to try, as names and maps without lists."""
    if isinstance(given, str):
        yield Variant(given)
        return
    content = _with_name(given)
    name = content.pop("name")
    choices = [list(_choices(name, key, value)) for key, value in content.items()]
    for combination in itertools.product(*choices):
        settings = dict(zip(content, (value for value, _ in combination), strict=True))
        yield Variant({"name": name, **settings}, tuple(word for _, words in combination for word in words))


def _choices(name: str, key: str, value: Any) -> Iterator[Variant]:
    """The values that one parameter takes in turn."""
    if key == "providers":
        parts = [list(_variants(_unlabelled(name, part))) for part in _some(name, key, value, "bm25, dense")]
        for combination in itertools.product(*parts):
            yield Variant([part for part, _ in combination], tuple(word for _, words in combination for word in words))
    elif isinstance(value, list) and key not in WHOLE:
        for one in _some(name, key, value, "0.9, 1.2"):
            yield Variant(one, (f"{key}={one}",))
    else:
        yield Variant(value)


def _some(name: str, key: str, value: Any, example: str) -> Sequence[Any]:
    """A list with something in it."""
    return parse_list(value, key, name, example)


def _unlabelled(name: str, part: Any) -> Any:
    """A part of another provider, which has no label of its own."""
    if isinstance(part, Mapping) and "label" in _with_name(part):
        raise BadParameter(f"{name}: a label belongs to the whole provider, not to a part of it")
    return part
