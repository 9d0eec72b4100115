"""Documents that a provider returns and the benchmark does not have: when they are told of, and when they are not."""

import assay
from assay import Document, Query, RelevanceJudgment


def dataset(n_documents=5):
    data = assay.BenchmarkDataset("kb")
    for n in range(n_documents):
        data.add_document(Document(f"kb-{n}", f"text {n}"))
    for n in range(4):
        data.add_query(Query(f"q{n}", f"text {n}"))
        data.add_judgment(RelevanceJudgment(f"q{n}", f"kb-{n}", 1))
    return data


def notes(ids, data=None, word="not among the documents of the benchmark", **settings):
    def search(query, k):
        return ids[:k]

    result = assay.run(data or dataset(), search, metrics=["recall@10"], k=100, **settings)
    return [note for note in result.notes if word in note]


TEN = [f"kb-{n}" for n in range(10)]


def test_documents_that_the_benchmark_does_not_have_are_told_of_once():
    (note,) = notes(TEN)
    assert note.startswith("the provider returned 5 documents that are not among")
    assert "such as kb-5." in note
    assert len(notes(TEN, word="never returned more than 10 of 100 documents")) == 1, "it may have more"
    assert notes(TEN[:5]) == notes(TEN[:5], word="never returned") == []
    assert notes(TEN, dataset(9)) == [], "one of ten is few"
    (note,) = notes([*TEN[:3], "x"])
    assert "1 document that is not among" in note


def test_ids_that_match_nothing_are_told_of_by_another_note():
    assert notes(["x", "y"]) == []
    assert len(notes(["x", "y"], word="none of the retrieved documents is in the judgments")) == 1


def test_chunks_judged_documents_and_benchmarks_without_documents():
    chunks = [f"kb-{n}#{part}" for n in range(5) for part in range(3)]
    assert notes([*TEN[:5], *chunks]) == []
    assert notes([*TEN[:5], *(f"part {n}" for n in range(9))], unit="document") == []
    assert notes([*TEN[:5], *(f"part {n}" for n in range(9))], id_map={f"part {n}": "kb-1" for n in range(9)}) == []
    data = dataset()
    for n in range(4):
        for doc in TEN[5:]:
            data.add_judgment(RelevanceJudgment(f"q{n}", doc, 1))
    assert notes(TEN, data) == [], "judged documents are missing from the benchmark"
    data = dataset()
    data.documents.clear()
    assert notes(TEN, data) == []
