"""Chunks in place of documents: how many are asked for, what is noted where they were too few, and what counts."""

from assay import BenchmarkDataset, Document, Query, Span
from assay.execution import ExecutionOptions, execute_plan, make_plan

from ._retrievers import own

LINES = "".join(f"apple pie number {number}\n" for number in range(40))
DOCUMENTS = {name: Document(name, LINES) for name in ("a.py", "b.py", "c.py")}
QUERIES = {name: Query(name, "apple pie") for name in ("q", "r")}
JUDGED = BenchmarkDataset("judged", queries=QUERIES, documents=DOCUMENTS, qrels={query: {"a.py": 1} for query in QUERIES})
SPANNED = BenchmarkDataset(
    "spanned", queries=QUERIES, documents=DOCUMENTS, spans={query: [Span("a.py", 1, 2, "lines")] for query in QUERIES}
)
CHUNKERS = ["fixed_lines(size=20, overlap=0)"]


class Cut:
    """Finds, for q alone, what a function of all chunks says."""

    def __init__(self, found=lambda chunks: chunks):
        self.found = found

    def index(self, documents):
        self.chunks = [document.doc_id for document in documents]

    def search(self, queries, k):
        return [list(self.found(self.chunks))[:k] if query.query_id == "q" else [] for query in queries]


def result_of(folder, dataset, found=lambda chunks: chunks, **content):
    dataset.save_json(folder / "b.json")
    usual = {"benchmarks": [str(folder / "b.json")], "providers": [own(Cut(found))], "metrics": ["mrr"]}
    asked = {name: value for name, value in {**usual, "chunkers": CHUNKERS, **content}.items() if value}
    (result,) = execute_plan(make_plan(asked), ExecutionOptions(home=folder))
    return result


def test_more_chunks_are_asked_for_where_they_are_rolled_up(tmp_path):
    for dataset, chunkers, k in ((JUDGED, CHUNKERS, 500), (SPANNED, CHUNKERS, 100), (JUDGED, [], 100)):
        result = result_of(tmp_path, dataset, chunkers=chunkers, k=100)
        assert result.provenance["k"] == k, (dataset.name, chunkers)


def test_too_few_chunks_are_noted(tmp_path, snapshots):
    def of_one(n):
        return lambda chunks: [chunk for chunk in chunks if chunk.startswith("a.py")][:n]

    spans = ["span_recall@tokens=5", "span_recall@tokens=2000", "recall@10"]
    few = result_of(tmp_path, JUDGED, of_one(10), k=2)
    budget = result_of(tmp_path, SPANNED, k=2, metrics=spans)
    snapshots.check("execution/notes_on_chunks", "".join(f"{note}\n" for note in (*few.notes, *budget.notes)))
    assert result_of(tmp_path, JUDGED, of_one(9), k=2).notes == ()  # all that was found
    assert result_of(tmp_path, JUDGED, k=100).notes == ()  # all there is


def test_metrics_of_spans_are_refused_before_anybody_is_asked(tmp_path, snapshots):
    cases = {"no spans": lambda: result_of(tmp_path, JUDGED, metrics=["span_iou", "mrr", "file_mrr"])}
    snapshots.check_errors("execution/chunks", cases)
    assert not (tmp_path / "runs").exists()


def test_as_many_documents_count_as_were_asked_for(tmp_path):
    """Five chunks are asked for in place of each document, but the documents they come from do not count five times."""
    texts = {f"d{number}": Document(f"d{number}", "apple " * (9 - number) + "pear " * number) for number in range(9)}
    fruit = BenchmarkDataset("fruit", queries={"q": Query("q", "apple")}, documents=texts, qrels={"q": {"d4": 1}})
    content = {"providers": ["tfidf_chars"], "metrics": ["mrr", "num_ret"]}
    for name, chunkers, n_found in (("whole", [], 3), ("cut", ["fixed_lines(size=500, overlap=0)"], 9)):
        few, many = (result_of(tmp_path, fruit, **content, chunkers=chunkers, k=k) for k in (3, 7))
        assert (few["mrr"], few["num_ret"], many["mrr"], many["num_ret"]) == (0.0, 3, 1 / 5, 7), name
        assert len(few.run["q"]) == n_found, name  # the ranking of chunks is kept whole
