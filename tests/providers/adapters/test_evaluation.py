"""A whole evaluation over real stores: several queries at once, chunks or documents judged."""

import pytest

import assay

from ._corpus import CHUNKS, QUERIES, cosines, document_of
from ._kinds import KINDS


@pytest.fixture
def benchmark():
    """Each query's best chunk and its document are relevant; there are no documents, for the stores have them."""
    dataset = assay.BenchmarkDataset("adapters", "1")
    for number in range(20):
        for name, text in QUERIES.items():
            query = f"{name}-{number}"
            dataset.add_query(assay.Query(query, text))
            best = next(iter(cosines(text)))
            for doc in (best, document_of(best)):
                dataset.add_judgment(assay.RelevanceJudgment(query, doc, 1))
    return dataset


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", ["chunk", "document"])
def test_the_best_chunk_or_document_is_found_first(kind, unit, app, tmp_path, required, benchmark):
    text = KINDS[kind](app, tmp_path, required, CHUNKS).format(f", unit={unit}")
    result = assay.run(benchmark, text, ["mrr@5", "hit@1"])
    assert (result["mrr@5"], result["hit@1"]) == (1.0, 1.0)
