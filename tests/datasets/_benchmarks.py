"""What the tests of formats share: small benchmarks, made up by hypothesis, and what it means that two are the same."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from assay import BenchmarkDataset, Document, Query, RelevanceJudgment, Span
from assay.datasets import PARTS, Probe, all_formats, detect_format

SAMPLES = Path(__file__).parent / "samples"

HEADERS = ["query", "doc", "query_id", "doc_id", "query-id", "corpus-id", "score", "0", "a,b"]
"""Words that head columns, or look like fillers of them, and are ids all the same."""
WORDS = st.text("abcXYZ0129_-.:äß日", min_size=1, max_size=6) | st.sampled_from(HEADERS)
"""Ids that every format can hold."""
OWN = [
    *("id", "_id", "query_id", "doc_id", "text", "title", "metadata", "query_type", "difficulty", "domain", "expected"),
    *("evidence", "scope", "source", "page_number", "section", "group", "name", "dataset_name", "version", "split"),
    *("relevantIds", "queries", "documents", "qrels", "judgments", "spans"),
]
"""Names of fields that records and datasets have of their own, and metadata may have as well."""
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.lists(TEXTS, max_size=2)
METADATA = st.none() | st.dictionaries(WORDS | st.sampled_from(OWN), VALUES, min_size=1, max_size=3)
MAYBE = st.none() | TEXTS
GRADES = st.integers(-1, 4) | st.floats(-1e6, 1e6, allow_nan=False)


def query(query_id: str) -> st.SearchStrategy[Query]:
    """A query with any fields."""
    evidence = st.none() | st.lists(WORDS, max_size=2)
    return st.builds(Query, st.just(query_id), TEXTS, MAYBE, MAYBE, MAYBE, METADATA, MAYBE, evidence, MAYBE)


def document(doc_id: str) -> st.SearchStrategy[Document]:
    """A document with any fields."""
    page = st.none() | st.integers(0, 10_000)
    return st.builds(Document, st.just(doc_id), TEXTS, MAYBE, page, MAYBE, METADATA, MAYBE, MAYBE)


@st.composite
def benchmarks(draw: st.DrawFn) -> BenchmarkDataset:
    """Queries, documents, judgments (some queries with none, some with nothing relevant), judges, spans."""
    dataset = BenchmarkDataset(draw(TEXTS), draw(TEXTS), draw(METADATA) or {})
    for query_id in draw(st.lists(WORDS, min_size=1, max_size=4, unique=True)):
        dataset.add_query(draw(query(query_id)))
    for doc_id in draw(st.lists(WORDS, max_size=4, unique=True)):
        dataset.add_document(draw(document(doc_id)))
    for query_id in draw(st.sets(st.sampled_from(list(dataset.queries)))):
        dataset.qrels[query_id] = {}
        for doc_id, grade in draw(st.dictionaries(WORDS, GRADES, max_size=3)).items():
            dataset.add_judgment(RelevanceJudgment(query_id, doc_id, grade, draw(MAYBE), draw(MAYBE)))
        if draw(st.booleans()):
            dataset.spans[query_id] = [Span(draw(WORDS), 0, 7, draw(st.sampled_from(["characters", "lines"])))]
    return dataset


def assert_same(found: BenchmarkDataset, made: BenchmarkDataset) -> None:
    """Everything that a benchmark holds, and its fingerprints."""
    assert (found.name, found.version, found.metadata) == (made.name, made.version, made.metadata)
    assert_same_content(found, made)
    assert found.judgments == made.judgments
    assert found.spans == made.spans


def assert_same_content(found: BenchmarkDataset, made: BenchmarkDataset, variant: str = "") -> None:
    """Queries, documents and judgments, and their fingerprints; the variant of the files is named if they differ."""
    assert found.queries == made.queries, variant
    assert dict(found.documents.items()) == dict(made.documents.items()), variant
    assert found.qrels == made.qrels, variant
    assert [one.tags for one in found.queries.values()] == [one.tags for one in made.queries.values()], variant
    assert [found.fingerprint(part) for part in PARTS] == [made.fingerprint(part) for part in PARTS], variant


def claims(path: Path) -> list[str]:
    """Every format that thinks it can read the path; the one that is chosen comes first."""
    chosen = detect_format(path).name
    others = [name for name, one in all_formats().items() if one.detect(Probe(path)) and name != chosen]
    return [chosen, *others]
