"""assay eval: chunks rolled up to documents, by flags or by a plan."""

import json

import pytest

CHUNKS = """
def search(text, k):
    return [(f"d{n}#{part}", 10.0 - n) for n in range(3) for part in range(2)][:k]
"""


@pytest.fixture
def chunked(place):
    """A retriever of chunks, `d0#0` and on, where documents are judged."""
    (place / "chunks.py").write_text(CHUNKS)
    return (
        "eval",
        "--benchmarks",
        "small.json",
        "--providers",
        "python:chunks:search",
        "-m",
        "mrr",
        "--no-store",
        "--quiet",
    )


def mrr(assay, *arguments):
    done = assay(*arguments, "-f", "json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)["results"][0]["summary"]["mrr"]


def test_a_hint_to_roll_up_chunks_can_be_followed(assay, chunked):
    assert mrr(assay, *chunked) == 0
    rolled = mrr(assay, *chunked, "--unit", "document")
    assert rolled > 0
    assert mrr(assay, *chunked, "--unit", "chunk") > 0


def test_a_map_of_ids_is_read_and_means_documents(assay, chunked, place):
    (place / "ids.tsv").write_text("".join(f"d{n}#{part}\td{n}\n" for n in range(3) for part in range(2)))
    assert mrr(assay, *chunked, "--id-map", "ids.tsv") == mrr(assay, *chunked, "--unit", "document")


def test_a_map_of_ids_needs_a_unit_that_reads_it(assay, chunked, place):
    (place / "ids.tsv").write_text("d0#0\td0\n")
    done = assay(*chunked, "--id-map", "ids.tsv", "--unit", "as-retrieved")
    assert done.code == 2
    assert "--id-map is for --unit chunk or document" in done.err


@pytest.mark.parametrize(
    "block",
    [
        "relevance: {unit: document}",
        "relevance: {by: qrels, unit: document}",
        "unit: document",
        "relevance: qrels\nunit: document",
    ],
)
def test_a_plan_has_the_unit_beside_relevance_or_in_it(assay, chunked, place, block):
    (place / "p.yaml").write_text(f"benchmarks: small.json\nproviders: python:chunks:search\nmetrics: mrr\n{block}\n")
    plan = ("eval", "p.yaml", "--no-store", "--quiet")
    assert mrr(assay, *plan) == mrr(assay, *chunked, "--unit", "document")
    assert mrr(assay, *plan, "--unit", "as_retrieved") == 0
    assert mrr(assay, *plan, "--relevance", "qrels") == mrr(assay, *plan)


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("relevance: {units: document}", "relevance: units is not known; there are by, unit, id_map"),
        ("relevance: {unit: document}\nunit: chunk", "unit stands beside relevance and in it; write it once"),
        ("relevance: [token]", "relevance and unit are names"),
        ("relevance: {unit: page}", "unit is one of as_retrieved, chunk, document, not 'page'"),
    ],
)
def test_what_a_plan_cannot_mean_is_told(assay, chunked, place, block, words):
    (place / "p.yaml").write_text(f"benchmarks: small.json\nproviders: python:chunks:search\nmetrics: mrr\n{block}\n")
    done = assay("eval", "p.yaml", "--no-store", "--quiet")
    assert done.code == 2
    assert words in done.err
