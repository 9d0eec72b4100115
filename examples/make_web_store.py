"""Build the store of `make demo-web`: three months of nightly evaluations, in which one search got worse.

    python examples/make_web_store.py build/demo-web

The folder gets `store.db`. Every ranking comes from a real retriever. Only the times and the code versions are invented.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import assay
from assay.evaluation import Result
from assay.execution import ExecutionOptions, WrittenPlan, execute_plan, make_plan
from assay.store import Store

BEGIN = datetime(2026, 8, 24, 2, 30, tzinfo=UTC)
NIGHTS = range(0, 86, 2)
"""Days after the beginning on which everything is evaluated; the last is 16 November."""
BASELINE, IMPROVEMENT, SMALLER_INDEX, OUTAGE, FAULT = 40, 44, 64, 82, 84
"""The days on which a baseline is blessed, hybrid search gets better, an index gets smaller, a service stops, and the
tokenizer breaks.
"""
SEED = "b"
"""Of the noise: with this one, the smaller index is worse from its first night on."""
SUPPORT = Path(__file__).with_name("support.json")
"""Questions in Japanese, Greek and German, with answers."""
METRICS = ["ndcg@10", "recall@10", "mrr"]
LONG_NAME = "sentence-transformers/paraphrase-multilingual-mpnet-base-v2(pooling=mean, normalize=true, max_length={})"


def main() -> None:
    """Read the folder from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    build(parser.parse_args().folder)


def build(folder: Path) -> Path:
    """Write the store, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "store.db"
    for file in (path, path.with_name("store.db-wal"), path.with_name("store.db-shm")):
        file.unlink(missing_ok=True)
    with Store.open(path) as store:
        for day in NIGHTS:
            name = store.save([at(day, result) for result in nightly(day)])
            if day == BASELINE:
                store.bless(name, "main")
            if day == IMPROVEMENT:
                store.tag(name, "release-2.4")
                store.note(name, "Hybrid search weighs both retrievers since tonight.")
            if day % 7 == 0:
                store.save([at(day, result, minutes=20) for result in weekly(day)])
    return path


def at(day: int, result: Result, minutes: int = 0) -> Result:
    """The result as if it had been evaluated on that day, with the code of that day."""
    started = BEGIN + timedelta(days=day, minutes=minutes)
    releases = [release for release in (0, 18, IMPROVEMENT, SMALLER_INDEX, FAULT) if release <= day]
    commit = sha256(f"release {releases[-1]}".encode()).hexdigest()[:40]
    times = {"started": started.isoformat(), "finished": (started + timedelta(minutes=4)).isoformat()}
    return result.with_fields(provenance={**result.provenance, **times, "repository": {"commit": commit, "dirty": False}})


def nightly(day: int) -> list[Result]:
    """The results of one night on the bundled benchmark rag-template."""
    words = split_at_dots if day >= FAULT else lowercase_words
    hybrid = "hybrid(bm25, dense)" if day >= IMPROVEMENT else "bm25(stem=false)"
    results = [
        lexical_search(words),
        renamed(provider("rag-template", "dense"), "dense"),
        renamed(provider("rag-template", hybrid), "hybrid"),
        noisy_search(day),
    ]
    return [*results, vector_service()] if day >= OUTAGE else results


def weekly(day: int) -> list[Result]:
    """The results of the weekly evaluation: phrases of doctors, chunks of code, and answers in three languages."""
    results = [renamed(provider(name, "bm25"), "bm25") for name in ("hpo-de:small", "hpo-en:small")]
    results += chunked()
    results += [answered(LONG_NAME.format(length), day) for length in (256, 512)]
    return results


# rag-template: a search of our own whose tokenizer breaks, a search with noise, and a service that is down


@cache
def provider(benchmark: str, name: str) -> Result:
    """The result of a provider of assay."""
    return assay.run(benchmark, name, METRICS)


@cache
def lexical_search(words: Callable[[str], Iterable[str]]) -> Result:
    """The result of our own search with a tokenizer."""
    dataset = assay.load_dataset("rag-template")
    texts = {document: found.content for document, found in dataset.documents.items()}
    return recorded(assay.run(dataset, Lexical(texts, words).search, METRICS, name="site-search"), tokenizer=words.__name__)


def lowercase_words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return re.findall(r"\w+", text.lower())


def split_at_dots(text: str) -> list[str]:
    """The fault: words keep their capitals and the punctuation after them."""
    return text.split(" ")


class Lexical:
    """A small search by words: tf·idf with length normalisation."""

    def __init__(self, texts: dict[str, str], words: Callable[[str], Iterable[str]]) -> None:
        self.words = words
        self.counts = {document: Counter(words(text)) for document, text in texts.items()}
        self.frequency = Counter(word for counts in self.counts.values() for word in counts)

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Up to k documents with their scores, the best first."""
        asked = sorted(set(self.words(query)))
        scores = {document: self._score(asked, counts) for document, counts in self.counts.items()}
        hits = sorted(((doc, score) for doc, score in scores.items() if score > 0), key=lambda pair: (-pair[1], pair[0]))
        return hits[:k]

    def _score(self, asked: list[str], counts: Counter[str]) -> float:
        weights = (counts[word] * math.log(len(self.counts) / self.frequency[word]) for word in asked if word in counts)
        return sum(weights) / math.sqrt(sum(counts.values()))


def noisy_search(day: int) -> Result:
    """An approximate index: every night it ranks a little differently, and on some nights two queries time out."""
    exact = provider("rag-template", "dense")
    ef_search, noise = (16, 0.09) if day >= SMALLER_INDEX else (64, 0.03)

    def search(query: str, k: int) -> list[tuple[str, float]]:
        if day % 14 == 0 and query.endswith("?") and len(query) % 17 == 0:
            raise TimeoutError("no response after 2 s")
        rng = random.Random(f"{day} {query}{SEED}")  # noqa: S311 (example data, not secrets)
        ranking = exact.run[by_text()[query]]
        scores = {document: score + rng.gauss(0, noise) for document, score in ranking.items()}
        return sorted(scores.items(), key=lambda pair: -pair[1])[:k]

    return recorded(assay.run("rag-template", search, METRICS, name="approximate-index"), ef_search=ef_search)


@cache
def by_text() -> dict[str, str]:
    """Text of a query → its id."""
    return {query.text: query.query_id for query in assay.load_dataset("rag-template").queries.values()}


@cache
def vector_service() -> Result:
    """A service that answers no query."""
    dead = "http(url='http://127.0.0.1:9/search', body='{\"q\": \"{query}\"}')"
    plan = make_plan(
        WrittenPlan({"benchmarks": ["rag-template"], "providers": [dead], "metrics": METRICS, "retries": 0}), "demo"
    )
    return renamed(executed(plan)[0], "vector-service")


# Weekly: chunkers of code, and answers


@cache
def chunked() -> tuple[Result, ...]:
    """Two chunkers on the bundled questions about code."""
    written = {
        "benchmarks": ["code-spans"],
        "providers": ["bm25"],
        "chunkers": ["fixed_lines(size=800)", "recursive(size=800)"],
        "metrics": ["span_recall@10", "span_precision@10", "hit@10"],
    }
    return tuple(executed(make_plan(WrittenPlan(written), "demo")))


def executed(plan: Any) -> list[Result]:
    """The results of a plan, without a log."""
    import tempfile

    with tempfile.TemporaryDirectory() as home:
        return execute_plan(plan, ExecutionOptions(home=Path(home)))


def answered(name: str, day: int) -> Result:
    """A system that answers from the best document. From September on, the one with the longer input reads it all."""
    is_long = "512" in name
    return _answered(name, n_words=40 if is_long and day >= 21 else 9)


@cache
def _answered(name: str, n_words: int) -> Result:
    dataset = assay.load_dataset(str(SUPPORT))
    texts = {document: found.content for document, found in dataset.documents.items()}
    lexical = Lexical(texts, letter_pairs)

    def search(query: str, k: int) -> dict[str, Any]:
        hits = lexical.search(query, k)
        best = texts[hits[0][0]] if hits else ""
        return {"hits": hits, "answer": " ".join(best.split()[:n_words]), "confidence": hits[0][1] if hits else 0.0}

    return recorded(assay.run(dataset, search, ["answer_f1", "hit@3"], name=name), answer_words=n_words)


def letter_pairs(text: str) -> list[str]:
    """Pairs of neighbouring letters, which work without spaces between words."""
    plain = "".join(re.findall(r"\w", text.lower()))
    return [plain[place : place + 2] for place in range(len(plain) - 1)]


def renamed(result: Result, name: str) -> Result:
    """The result under a name that stays the same over time."""
    return result.with_fields(name=name)


def recorded(result: Result, **settings: Any) -> Result:
    """The result with these settings in the configuration of its provider."""
    about = result.provenance["provider"]
    configuration = {**about["configuration"], **settings}
    return result.with_fields(provenance={**result.provenance, "provider": {**about, "configuration": configuration}})


if __name__ == "__main__":
    main()
