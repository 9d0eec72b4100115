"""Stores for the web tests: a usual one with nights, tags and a baseline, and one that means harm."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import assay
from assay.evaluation import Result, with_intervals
from assay.model import Query
from assay.store import Store

METRICS = ("ndcg@10", "mrr", "recall@5")
BEGIN = datetime(2026, 10, 1, 2, tzinfo=UTC)
HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "quotes": "\"'><svg onload=alert(3)>",
    "right-to-left": "\u202eevil\u202c \u2067abc\u2069",
    "emoji": "🧪👩‍🔬 retrieval 🇩🇪",
    "long": "w" * 10_000,
    "controls": "null \x00 bell \x07 escape \x1b[31m newline \n tab \t end",
    "formula": '=HYPERLINK("http://evil.example","x")',
    "template": "{{ 7 * 7 }} {% raw %}",
    "separators": "line \u2028 paragraph \u2029 </script>",
}


def result_of(seed: int, *, provider: str = "bm25", skill: float = 0.6, night: int = 0, n_queries: int = 60) -> Result:
    """A result whose rankings have the relevant document near the top, the more so the larger the skill."""
    rng = random.Random(seed)
    qrels, run, queries = {}, {}, {}
    for number in range(n_queries):
        query = f"q{number:03}"
        qrels[query] = {f"d{number}": 2, f"d{number + 1}": 1, f"d{number + 2}": 0}
        found = [doc for doc in qrels[query] if rng.random() < skill]
        others = [f"x{rng.randrange(500)}" for _ in range(9)]
        ranking = list(dict.fromkeys(found + others if rng.random() < skill else others[:3] + found + others[3:]))
        run[query] = {doc: 20.0 - rank for rank, doc in enumerate(ranking)}
        tags = {"language": ("de", "en", "fr")[number % 3], "difficulty": ("easy", "hard")[number % 2]}
        queries[query] = Query(query, f"what is thing {number} about", metadata=tags)
    scored = with_intervals(assay.evaluate(qrels, run, METRICS, name=provider), metrics=["ndcg@10"])
    started = (BEGIN + timedelta(days=night)).isoformat()
    described = {"name": "things", "version": "1.0", "format": "json", "fingerprints": {"queries": "aa"}}
    provenance = {
        "dataset": described,
        "provider": {"name": provider, "configuration": {"provider": provider}},
        "started": started,
    }
    return scored.with_fields(benchmark="things", run=run, queries=queries, provenance=provenance)


def saved(path: Path, *evaluations: list[Result]) -> Path:
    """A store of these evaluations."""
    with Store.open(path) as store:
        for results in evaluations:
            store.save(results)
    return path


class Results(dict[str, Result]):
    """Key → result, read when it is first asked for."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def __missing__(self, key: str) -> Result:
        name, place = key.split("/")
        with Store.open(self.path) as store:
            self.update({f"{name}/{number}": result for number, result in enumerate(store.find(name).results)})
        return self[f"{name}/{place}"]


class Stored:
    """What a store holds, as tests look it up: keys of results, the newest first, and the results."""

    def __init__(self, path: Path) -> None:
        with Store.open(path) as store:
            self.entries = store.list()
        self.results, self.providers = Results(path), {}
        for entry in self.entries:
            place = sum(key.startswith(f"{entry.evaluation}/") for key in self.providers)
            self.providers[f"{entry.evaluation}/{place}"] = entry.provider

    @property
    def keys(self) -> list[str]:
        """Of all results."""
        return list(self.providers)

    def of(self, provider: str) -> list[str]:
        """The keys of a provider's results."""
        return [key for key, name in self.providers.items() if name == provider]


def usual_store(path: Path, nights: int = 30) -> Path:
    """Every night two providers; from the twentieth on one of them is worse. The first is a baseline, one is tagged."""
    with Store.open(path) as store:
        for night in range(nights):
            worse = 0.35 if night >= 20 else 0.6
            results = [
                result_of(night, skill=worse, night=night),
                result_of(1000 + night, provider="dense", skill=0.8, night=night),
            ]
            name = store.save(results, started=(BEGIN + timedelta(days=night)).isoformat())
            if night == 0:
                store.bless(name, "main")
            if night == 3:
                store.tag(name, "release")
        last = result_of(7, provider="random_order", skill=0.1, night=nights).with_fields(
            failures={"q003": "TimeoutError: too slow"}
        )
        store.save([last, result_of(8, provider="hybrid", skill=0.82, night=nights)])
    return path


def hostile_store(path: Path) -> Path:
    """Everything that text can be: names, queries, documents, tags, notes and errors."""
    words = list(HOSTILE.values())
    with Store.open(path) as store:
        for number in range(2):
            run = {
                query: {f"{words[(place + rank) % len(words)]}{rank}": 9.0 - rank for rank in range(len(words))}
                for place, query in enumerate(words)
            }
            relevant = {query: {f"{words[place]}0": 2, "nobody <b>found</b> this": 1} for place, query in enumerate(words)}
            scored = assay.evaluate(relevant, run, METRICS, name=words[number] + str(number))
            queries = {query: Query(query, query, metadata={"kind": words[place % 2]}) for place, query in enumerate(words)}
            provenance = {"dataset": {"name": words[0], "version": words[1], "fingerprints": {words[0]: words[2]}}}
            result = scored.with_fields(
                benchmark=words[0],
                run=run,
                queries=queries,
                provenance=provenance,
                failures={words[5]: words[0]},
                notes=(words[0],),
            )
            name = store.save([result])
            store.tag(name, "safe-tag")
            store.note(name, words[0] + words[2])
    return path
