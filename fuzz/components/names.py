"""Names with parameters: metrics, providers, chunkers, fusions, resolvers, similarities, tests, rules; and policies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from random import Random
from typing import Any

from assay import Policy
from assay.chunkers.chunker import all_chunkers, parse_chunker
from assay.evaluation import find_profile
from assay.execution.selection import parse_range, parse_where
from assay.fusion.fusion import all_fusions, parse_fusion
from assay.grammar import WrittenName
from assay.metrics.lookup import find_metric, recorded_metric
from assay.metrics.parsing import parse_metric, parse_metrics
from assay.metrics.registry import all_spellings
from assay.model.policy import CHOICES
from assay.monitoring.rule_file import parse_rule
from assay.ontology.similarity import all_similarities, parse_similarity
from assay.providers.provider import all_providers, parse_provider
from assay.relevance.resolver import all_resolvers, parse_resolver
from assay.stats.significance import all_tests, parse_test
from fuzz.component import Component, SilentDifference

VALUES = (
    *(
        "0",
        "1",
        "-1",
        "0.5",
        "10",
        "1e9",
        "1e999",
        "nan",
        "inf",
        "true",
        "false",
        "none",
        "'a b'",
        '"x"',
        "''",
        "exp",
        "9" * 30,
    ),
    *(
        "(",
        ")",
        "min_max",
        "rrf",
        "tokens=5",
        "[1, 2]",
        "a=b",
        "é",
        "\x00",
        "..",
        "python:canary:run",
        "canary.run",
        "1_0",
        "٣",
    ),
)
CUTS = ("", "@10", "@0", "@-1", "@1e9", "@tokens=20", "_5", ".5", "@5-l2", "@", "@@", "@10,20", "_at_3", "@９")


def _text(parse: Callable[[str], Any]) -> Callable[[bytes], Any]:
    def check(data: bytes) -> Any:
        return parse(data.decode("utf-8", "surrogateescape" if b"\xff" in data else "replace"))

    return check


def _catalog(all_of: Callable[[], dict[str, Any]], nested: bool = False) -> Callable[[Random], bytes]:
    """Makes names of a catalog with parameters, right ones and wrong ones."""

    @cache
    def known() -> list[tuple[str, tuple[str, ...]]]:
        return [(name, tuple(one.name for one in getattr(entry, "params", ()))) for name, entry in all_of().items()]

    def make(random: Random, depth: int = 0) -> bytes:
        return call(random, depth).encode("utf-8", "surrogatepass")

    def call(random: Random, depth: int) -> str:
        name, params = random.choice(known())
        if random.random() < 0.05:
            name = random.choice((name.upper(), name[:-1], f" {name}", name.replace("_", "-"), "", f"{name}x"))
        parts = []
        for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
            inner = nested and depth < 4 and random.random() < 0.4
            value = call(random, depth + 1) if inner else random.choice(VALUES)
            key = random.choice((*params, "nothing", "")) if params or random.random() < 0.5 else ""
            parts.append(f"{key}={value}" if key and random.random() < 0.8 else value)
        inside = f"({', '.join(parts)})" if parts or random.random() < 0.2 else ""
        return f"{name}{inside}"

    return make


@cache
def _metrics() -> list[tuple[str, tuple[str, ...]]]:
    return [(name, tuple(one.name for one in metric.params)) for name, (metric, _) in all_spellings().items()]


def _make_metric(random: Random) -> bytes:
    name, params = random.choice(_metrics())
    parts = [
        f"{random.choice((*params, 'rel', 'x'))}={random.choice(VALUES)}" for _ in range(random.choice((0, 0, 0, 1, 2)))
    ]
    inside = f"({', '.join(parts)})" if parts else ""
    return f"{name}{inside}{random.choice(CUTS)}".encode("utf-8", "surrogatepass")


def _metric(text: str) -> Any:
    """Every metric of a name; a canonical name reads back as itself."""
    found = parse_metrics([WrittenName(text)])
    for one in found:
        again = parse_metric(WrittenName(one.name)).name
        if again != one.name:
            raise SilentDifference(f"canonical metric: {one.name!r} reads as {again!r}")
    return found


def _looked_up(text: str) -> Any:
    """A name of data: it is known, or it stands for itself; nothing is imported."""
    recorded_metric(text)
    return find_metric(text)


def _provider(text: str) -> Any:
    return parse_provider(WrittenName(text))


def _rule_texts() -> list[bytes]:
    texts = (
        *("ndcg@10 >= 0.42", "mrr not worse than baseline by 0.02 (95%)", "recall@10 drops <= 0.01", "ndcg@10 ratchet"),
        *("failed = 0", "no query drops from hit to miss in tag=critical", "latency_p95 <= 200", "ndcg@10 drops <= 2%"),
    )
    return [text.encode() for text in texts]


def _policy(data: bytes) -> Any:
    """A policy out of plain values, as a result records it."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return None
    known = {field.name for field in fields(Policy)}
    return Policy(**given) if isinstance(given, dict) and known.issuperset(given) else None


def _policies() -> list[bytes]:
    seeds = [{name: choice} for name, choices in CHOICES.items() for choice in choices]
    return [json.dumps(seed).encode() for seed in (*seeds, {"ties": "expected", "rel": 2.0})]


def _make_profile(random: Random) -> bytes:
    names = ("trec_eval-9", "trec_eval-10", "ranx", "beir", "mteb", "pytrec_eval", "ir_measures", "sentence-transformers")
    return random.choice(names).encode()


def _make_selection(random: Random) -> bytes:
    return random.choice((b"1:10", b"language=de", b"5:", b":5", b"a=b,c", b"-1:3", b"10:1", b"=", b"difficulty=easy,hard"))


def _selection(text: str) -> Any:
    return (parse_range(text), parse_where([text])) if ":" in text else parse_where([text])


def _names(known: Iterable[str]) -> list[bytes]:
    return [name.encode() for name in known]


MORE = ("hybrid(bm25, dense, method=rrf)", "bm25(k1=0.9, b=0.4)", "rerank(bm25, by=dense, depth=50)", "replay(file=a.run)")

COMPONENTS = (
    Component("name_metric", _text(_metric), lambda: _names(all_spellings()), make=_make_metric, may_run=True),
    Component(
        "name_recorded_metric", _text(_looked_up), lambda: _names([*all_spellings(), "python:canary:run"]), make=_make_metric
    ),
    Component(
        "name_provider",
        _text(_provider),
        lambda: _names([*all_providers(), *MORE]),
        make=_catalog(all_providers, nested=True),
        may_run=True,
    ),
    Component("name_chunker", _text(parse_chunker), lambda: _names(all_chunkers()), make=_catalog(all_chunkers)),
    Component("name_fusion", _text(parse_fusion), lambda: _names(all_fusions()), make=_catalog(all_fusions)),
    Component("name_resolver", _text(parse_resolver), lambda: _names(all_resolvers()), make=_catalog(all_resolvers)),
    Component(
        "name_similarity", _text(parse_similarity), lambda: _names(all_similarities()), make=_catalog(all_similarities)
    ),
    Component("name_test", _text(parse_test), lambda: _names(all_tests()), make=_catalog(all_tests)),
    Component(
        "name_rule",
        _text(parse_rule),
        _rule_texts,
        tokens=tuple(b"baseline ndcg@10 >= <= % drops within [a=b] -".split()),
        may_run=True,
    ),
    Component("name_policy", _policy, _policies, "json"),
    Component("name_profile", _text(find_profile), tuple, make=_make_profile),
    Component("name_selection", _text(_selection), tuple, make=_make_selection),
)
