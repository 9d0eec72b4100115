"""Preflight of queries: check their ids, their texts, and whether they have ground truth."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.preflight.findings import Cases, Finding, finding_without_cases, how_many
from assay.model import Query, Time
from assay.text import counted, percent, shortened, words_of


def check_queries(dataset: BenchmarkDataset) -> Iterator[Finding]:
    """All findings about the queries alone."""
    if not dataset.queries:
        yield from finding_without_cases("no-queries", "the dataset has no queries")
        return
    yield from _ids(dataset)
    yield from _empty(dataset)
    yield from _mojibake(dataset.queries.values())
    yield from _near_duplicates(dataset.queries)
    yield from _check_expected(dataset.queries.values())
    yield from _ground_truth(dataset)


def _ids(dataset: BenchmarkDataset) -> Iterator[Finding]:
    mismatch = Cases("query-id-mismatch")
    for key, query in dataset.queries.items():
        if key != query.query_id:
            mismatch.about_query(key, f"its query_id is {query.query_id!r}")
    differ = how_many(mismatch, "query", "has a key other than its", "have keys other than their")
    yield from mismatch.finding(f"{differ} query_id")
    similar = Cases("similar-query-ids")
    first: dict[str, str] = {}
    for key in dataset.queries:
        if (other := first.setdefault(folded_id(key), key)) != key:
            similar.about_query(key, f"differs from query {other!r} only in case or surrounding spaces")
    differ = how_many(similar, "query id", "differs", "differ")
    yield from similar.finding(f"{differ} from another id only in case or surrounding spaces")


def folded_id(key: str) -> str:
    """An id without differences that are easy to overlook."""
    return key.strip().casefold()


def _empty(dataset: BenchmarkDataset) -> Iterator[Finding]:
    """Queries without text. If no query has one, this is right for judgments alone, because then only runs are scored."""
    empty = Cases("empty-query")
    for key, query in dataset.queries.items():
        if query.is_empty:
            empty.about_query(key)
    n = len(dataset.queries)
    if len(empty) < n:
        yield from empty.finding(f"{how_many(empty, 'query', 'has', 'have', of=n)} no text")
    elif has_place_for_texts(dataset):
        yield from empty.finding("the only query has no text" if n == 1 else f"none of the {n:,} queries has a text")


def queries_to_send(dataset: BenchmarkDataset) -> Mapping[str, Query]:
    """The queries with a text, an image or another file. If no query has one, all queries and judged ids, because then only
    runs are scored.
    """
    with_content = {key: query for key, query in dataset.queries.items() if not query.is_empty}
    return with_content or {**dataset.queries, **{key: Query(key) for key in dataset.qrels if key not in dataset.queries}}


QUERY_FILES = ("queries", "topics", "questions", "golden")
"""Words in the names of files that should have the texts of queries."""


def has_place_for_texts(dataset: BenchmarkDataset) -> bool:
    """Whether the benchmark should have texts: it has more than judgments or features, which know only ids of queries."""
    if dataset.features is not None:
        return False
    if any(query != Query(key) for key, query in dataset.queries.items()):
        return True
    path = dataset.path
    if path is None or (path.is_file() and dataset.format == "trec"):
        return False
    names = [file.name.lower() for file in path.iterdir()] if path.is_dir() else []
    return not path.is_dir() or any(word in name for word in QUERY_FILES for name in names)


def _mojibake(queries: Iterable[Query]) -> Iterator[Finding]:
    cases = Cases("mojibake-query")
    for query in queries:
        for what, text in (("", query.text), ("its expected answer has ", query.expected or "")):
            if wrong := find_mojibake(text):
                cases.about_query(query.query_id, what + describe_mojibake(*wrong))
                break
    yield from cases.finding(f"{how_many(cases, 'query', 'contains', 'contain')} wrongly decoded characters")


def describe_mojibake(garbled: str, meant: str) -> str:
    """The wrongly decoded characters, and what they should be."""
    return f"{garbled!r} instead of {meant!r}" if meant else f"{garbled!r} in place of a lost character"


def _near_duplicates(queries: dict[str, Query]) -> Iterator[Finding]:
    cases = Cases("near-duplicate-queries")
    for query, earlier, likeness in near_duplicates(queries.values()):
        share = "the same words as" if likeness == 1 else f"{percent(likeness)} of all words in common with"
        cases.about_query(query, f"{share} query {earlier}")
    yield from cases.finding(f"{how_many(cases, 'query', 'is', 'are')} nearly identical to an earlier query")


def _check_expected(queries: Iterable[Query]) -> Iterator[Finding]:
    cases = Cases("expected-empty")
    for query in queries:
        if query.expected is not None and not words_of(query.expected):
            cases.about_query(query.query_id, f"its expected answer is {shortened(query.expected)}")
    yield from cases.finding(f"{how_many(cases, 'query', 'has', 'have')} an expected answer without words")


def _ground_truth(dataset: BenchmarkDataset) -> Iterator[Finding]:
    without, nothing = Cases("query-without-judgments"), Cases("query-without-relevant")
    for key, query in dataset.queries.items():
        if not has_ground_truth(dataset, key, query):
            without.about_query(key)
        elif why := _nothing_to_find(dataset, key, query):
            nothing.about_query(key, why)
    if len(without) == len(dataset.queries):
        yield from finding_without_cases(
            "no-ground-truth", "none of the queries has judgments, evidence, an expected answer or spans"
        )
        return
    n = len(dataset.queries)
    what = "no judgments, evidence, expected answer or spans"
    yield from without.finding(f"{how_many(without, 'query', 'has', 'have', of=n)} {what}")
    yield from nothing.finding(f"{how_many(nothing, 'query', 'has', 'have', of=n)} nothing relevant to find")


def has_ground_truth(dataset: BenchmarkDataset, key: str, query: Query) -> bool:
    """Whether a query has ground truth, even if that says that nothing is relevant."""
    return key in dataset.qrels or query.evidence is not None or bool(query.expected) or bool(dataset.spans.get(key))


def _nothing_to_find(dataset: BenchmarkDataset, key: str, query: Query) -> str:
    """Why there is nothing to find. Judgments come before evidence, and evidence comes before text."""
    judged = dataset.qrels.get(key)
    if judged is not None:
        has_relevant = any(grade > 0 for grade in judged.values())
        if has_relevant:
            return ""
        return f"{counted(len(judged), 'judgment')}, no grade above 0" if judged else "judged to have nothing relevant"
    return "its evidence is empty" if query.evidence is not None and not query.evidence else ""


REPLACEMENT_CHARACTER = "\ufffd"
"""What decoders write in place of bytes that they cannot read."""
_FOLLOWING = "\x80-\xbf" + bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")
"""What bytes 80 … BF look like."""
_CLOSING = "’”»›…–—™®•·\xa0"
"""Those of these characters that may follow a capital letter with an accent: “CAFÉ”, IRMÃ…"""
_UNMISTAKABLE = (
    f"(?<=Ã)(?![{_CLOSING}])[{_FOLLOWING}]",
    "(?<=Â)[\xa0-\xac\xae-\xb6\xb8-\xba\xbc-\xbf]",
    "(?<=[ÄÅ])[ƒ‚„†‡ˆŠŒŽ¡¥¯±º¼¾]",
    f"(?<=â)[€„‚][{_FOLLOWING}]",
    "(?<=ï)»¿|(?<=ï)¿½",
    f"(?<=ð)Ÿ[{_FOLLOWING}]{{2}}",
    rf"(?<!\w[ÃÄÅ])(?<=[ÃÄÅ])[{_FOLLOWING}](?=[^\W\d_])",
    f"(?<=[a-zß-ÿ][ÂÃÄÅ])[{_FOLLOWING}]",
    r"(?<!\wÃ)(?<=Ã)\xa0",
)
_LETTER = f"(?:[Â-ß][{_FOLLOWING}]|[à-ï][{_FOLLOWING}]{{2}}|[ð-ô][{_FOLLOWING}]{{3}})"
_ANY_TWO = "|".join(
    f"(?<=[{leads}])[{_FOLLOWING}]{{{n_more}}}{_LETTER}+" for leads, n_more in (("Â-ß", 1), ("à-ï", 2), ("ð-ô", 3))
)
"""Two wrong characters in a row: other scripts."""
_SUSPECT = re.compile(f"[Â-ô](?=[{_FOLLOWING}])(?:{_ANY_TWO}|{'|'.join(_UNMISTAKABLE)})")
"""The pattern starts with one class of characters, which `re` finds quickly."""


def find_mojibake(text: str) -> tuple[str, str] | None:
    """The first wrong characters and what they should be (empty if that is lost); None for correct text.

    Only characters whose cp1252 bytes are valid UTF-8 count; a single capital letter before a closing quote does not.
    """
    if text.isascii():
        return None
    for match in _SUSPECT.finditer(text):
        try:
            return match[0], b"".join(map(_byte, match[0])).decode()
        except UnicodeDecodeError:
            continue
    return (REPLACEMENT_CHARACTER, "") if REPLACEMENT_CHARACTER in text else None


def _byte(letter: str) -> bytes:
    """The byte that was read as this character."""
    try:
        return letter.encode("cp1252")
    except UnicodeEncodeError:
        return letter.encode("latin-1")


MIN_OVERLAP = 9, 10
"""The smallest share of common words (Jaccard), as a fraction, for two queries to be nearly identical."""
MIN_WORDS = 9
"""With fewer words, only identical words reach this share."""
MAX_COMPARED = 50
"""The most queries that a query is compared with per rare word. Among thousands of similar queries, some are missed."""
Place = tuple[str | None, Time | None]
"""The scope and the time of a query."""


class Pair(NamedTuple):
    """A query, a similar earlier query, and the share of words that they have in common."""

    query: str
    earlier: str
    likeness: float


def near_duplicates(queries: Iterable[Query]) -> Iterator[Pair]:
    """Each query that is similar to an earlier query of its scope, once. Order and repetition of words do not matter.

    A question that is asked again at another time is another query, because its answer may be another one.
    """
    first: dict[tuple[Place, frozenset[str]], str] = {}
    for query in queries:
        key = (query.scope, query.time), frozenset(words_of(query.text))
        if not key[1]:
            continue
        earlier = first.setdefault(key, query.query_id)
        if earlier != query.query_id:
            yield Pair(query.query_id, earlier, 1.0)
    yield from _overlapping([(words, scope, query) for (scope, words), query in first.items() if len(words) >= MIN_WORDS])


def _overlapping(distinct: list[tuple[frozenset[str], Place, str]]) -> Iterator[Pair]:
    """Sets that share 90 % also share one of their rarest words, so only queries with such a common word are compared."""
    frequency = Counter(word for words, _, _ in distinct for word in words)
    holders: dict[tuple[Place, str], list[int]] = {}
    for number, (words, scope, query) in enumerate(distinct):
        n_rarest = len(words) - _min_common_words(len(words)) + 1
        keys = [(scope, word) for word in sorted(words, key=lambda word: (frequency[word], word))[:n_rarest]]
        candidates = {earlier for key in keys for earlier in holders.get(key, ())[-MAX_COMPARED:]}
        likest = max(((_jaccard(words, distinct[earlier][0]), -earlier) for earlier in candidates), default=(0.0, 0))
        if likest[0] * MIN_OVERLAP[1] >= MIN_OVERLAP[0]:
            yield Pair(query, distinct[-likest[1]][2], likest[0])
        for key in keys:
            holders.setdefault(key, []).append(number)


def _min_common_words(n_words: int) -> int:
    """How many words of a set must be in another set for the two to be similar."""
    return -(-n_words * MIN_OVERLAP[0] // MIN_OVERLAP[1])


def _jaccard(words: frozenset[str], other: frozenset[str]) -> float:
    n_common = len(words & other)
    return n_common / (len(words) + len(other) - n_common)
