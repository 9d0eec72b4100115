"""rag_template, written: what is written is read; what cannot be kept is refused."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError
from assay.datasets.dataset import PARTS, BenchmarkDataset
from assay.datasets.format import load_dataset
from assay.datasets.formats.rag_template import FORMAT
from assay.model.records import Document, Query, RelevanceJudgment, Span

from ._rag_template import LINES, SAMPLE

words = st.text('aé日 "\\\n\u2028', max_size=6)
ids = st.text("abc/é日", min_size=1, max_size=4)
maybe = st.none() | words
plain = st.none() | st.booleans() | st.integers(-9, 9) | words | st.lists(words, max_size=2)
metadata = st.none() | st.dictionaries(
    words | st.sampled_from(["source", "group", "scope", "evidence", "title", "id", "metadata"]),
    plain,
    min_size=1,
    max_size=3,
)
queries = st.builds(
    Query, ids, words, maybe, maybe, maybe, metadata, maybe, st.none() | st.lists(ids, max_size=2), st.none() | ids
)
documents = st.builds(Document, ids, words, maybe, st.none() | st.integers(0, 9), maybe, metadata, maybe, st.none() | ids)
grades = st.integers(-1, 3) | st.floats(-1, 3)
judged = st.dictionaries(ids, st.dictionaries(ids, grades, max_size=3), max_size=3)
about = st.dictionaries(words | st.sampled_from(["contexts", "qrels", "metadata", "name"]), plain, max_size=3)
judgments = st.lists(st.builds(RelevanceJudgment, ids, ids, st.just(1), maybe, maybe), max_size=2)
spans = st.dictionaries(ids, st.lists(st.builds(Span, ids, st.integers(0, 9), st.integers(0, 9)), max_size=2), max_size=2)


@st.composite
def datasets(draw):
    return BenchmarkDataset(
        draw(ids),
        draw(words),
        draw(about),
        {one.query_id: one for one in draw(st.lists(queries, min_size=1, max_size=4))},
        {one.doc_id: one for one in draw(st.lists(documents, max_size=4))},
        draw(judged),
        {(one.query_id, one.doc_id): one for one in draw(judgments)},
        draw(spans),
    )


@given(datasets())
def test_what_is_written_is_read(folder, dataset):
    path = folder / "rag.json"
    FORMAT.save(dataset, path)
    again = load_dataset(path)
    assert again.format == "rag_template"
    for part in ("name", "version", "metadata", "queries", "documents", "qrels", "judgments", "spans"):
        assert getattr(again, part) == getattr(dataset, part), part
    assert list(again.queries) == list(dataset.queries)
    assert [again.fingerprint(part) for part in PARTS] == [dataset.fingerprint(part) for part in PARTS]
    assert not any(repair.is_loss for repair in again.repairs)


@pytest.mark.parametrize("path", [SAMPLE, LINES], ids=lambda path: path.name)
def test_the_samples_survive_writing(tmp_path, path):
    dataset = load_dataset(path)
    FORMAT.save(dataset, tmp_path / "again.json")
    again = load_dataset(tmp_path / "again.json")
    assert again.queries == dataset.queries
    assert again.documents == dataset.documents
    assert again.qrels == dataset.qrels
    assert again.groups == dataset.groups


def test_the_form_written_is_that_of_the_bundled_file(tmp_path):
    FORMAT.save(load_dataset(SAMPLE), tmp_path / "x.json")
    written = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert list(written) == ["name", "version", "licence", "language", "description", "contexts", "questions"]
    assert written["contexts"][0] == {
        "id": "p1",
        "content": "The ferry leaves at 7:15 and at 18:40.",
        "metadata": {"topic": "ferry", "source": "ferry.md", "section": "Times"},
    }
    assert written["questions"][0] == {
        "id": "q1",
        "question": "When does the ferry leave?",
        "expected": "at 7:15 and at 18:40",
        "query_type": "factual",
        "difficulty": "easy",
        "metadata": {"qrels": {"p1": 3, "p4": 1, "p2": 0}},
    }


def test_metadata_that_would_be_read_as_ground_truth_are_refused(tmp_path):
    query = replace(Query("q1", "?"), metadata={"relevantIds": ["a"]})
    with pytest.raises(DataError, match="query q1: its metadata has 'relevantIds'"):
        FORMAT.save(BenchmarkDataset(queries={"q1": query}), tmp_path / "x.json")
    assert not list(tmp_path.iterdir())


def test_lines_are_not_written(tmp_path):
    with pytest.raises(DataError, match=r"ends in \.json"):
        FORMAT.save(load_dataset(SAMPLE), tmp_path / "x.jsonl")
