"""What every provider promises, held by each adapter over the real package; the oracle is a cosine worked out by NumPy."""

import json
from itertools import pairwise

import pytest

from assay import Hit, Query
from assay.grammar import mark_written
from assay.providers import parse_provider

from ._corpus import CHUNKS, QUERIES, cosines, documents
from ._kinds import KINDS, fill_postgres

ASKED = [Query(name, text) for name, text in QUERIES.items()]
RANKED_ONLY = {"langchain"}
"""Retrievers that give an order and no scores."""
DISTANCES = {"chroma", "chroma_object", "lancedb", "lancedb_object", "pgvector"}
"""Stores that give cosine distances: 1 minus the cosine."""


def ids(answers):
    return [[hit.doc_id for hit in hits] for hits in answers]


@pytest.fixture(params=[*KINDS, "pgvector"])
def kind(request):
    return request.param


@pytest.fixture
def ready(kind, app, tmp_path, required, request, monkeypatch):
    """Makes the retriever of this kind, over all chunks or some."""
    made = []

    def name(texts=CHUNKS, settings=""):
        if kind != "pgvector":
            return KINDS[kind](app, tmp_path, required, texts).format(settings)
        address = request.getfixturevalue("postgres")
        monkeypatch.setenv("ADAPTERS_DSN", address)
        with required("psycopg").connect(address, autocommit=True) as connection:
            fill_postgres(connection, texts)
        return f"pgvector(dsn='${{ADAPTERS_DSN}}', table=docs, embed='adapters_app:embed'{settings})"

    def ready(texts=CHUNKS, settings=""):
        bound = parse_provider(mark_written(name(texts, settings)))
        bound.check()
        retriever = bound.make()
        made.append(retriever)
        assert not retriever.indexes
        return retriever

    ready.name = name
    yield ready
    for retriever in made:
        retriever.close()


def test_the_oracle_leaves_no_doubt_about_the_order():
    for query in QUERIES.values():
        scores = list(cosines(query).values())
        assert min(one - other for one, other in pairwise(scores)) > 1e-5


def test_chunks_best_first_with_scores_texts_and_both_ids(ready, kind):
    answers = ready().search(ASKED, 4)
    assert len(answers) == len(ASKED)
    for query, hits in zip(ASKED, answers, strict=True):
        expected = cosines(query.text)
        assert [hit.doc_id for hit in hits] == list(expected)[:4]
        assert [hit.text for hit in hits] == [CHUNKS[hit.doc_id] for hit in hits]
        assert [hit.metadata["doc_id"] for hit in hits] == [hit.doc_id.partition("#")[0] for hit in hits]
        assert [hit.metadata["chunk_id"] for hit in hits] == [hit.doc_id for hit in hits]
        assert all(type(hit) is Hit and type(hit.score) is float for hit in hits)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        if kind not in RANKED_ONLY:
            shift = 1 if kind in DISTANCES else 0
            assert [hit.score + shift for hit in hits] == pytest.approx(list(expected.values())[:4], abs=1e-5)


def test_documents_by_the_best_of_their_chunks(ready):
    retriever = ready(settings=", unit=document")
    for k in (1, 2, 4, 5, 20):
        for query, hits in zip(ASKED, retriever.search(ASKED, k), strict=True):
            assert [hit.doc_id for hit in hits] == documents(query.text)[:k]


def test_documents_are_found_behind_many_chunks_of_another(ready):
    crowd = {f"d1#{place}": f"lazy dog {'dog ' * place}" for place in range(40)}
    retriever = ready({**crowd, "d2#0": "dog", "d3#0": "nothing of the kind"}, ", unit=document")
    assert [hit.doc_id for hit in retriever.search([Query("q", "lazy dog")], 3)[0]] == ["d1", "d2", "d3"]


def test_up_to_k_hits_the_same_alone_and_in_company(ready):
    retriever = ready()
    every = ids(retriever.search(ASKED, 100))
    assert [len(found) for found in every] == [len(CHUNKS)] * len(ASKED)
    for k in (1, 3, 7):
        assert ids(retriever.search(ASKED, k)) == [found[:k] for found in every]
    together = retriever.search(ASKED, 5)
    alone = [retriever.search([query], 5)[0] for query in ASKED]
    assert ids(alone) == ids(together) == ids(retriever.search(ASKED[::-1], 5)[::-1])
    scores = [[hit.score for hits in answers for hit in hits] for answers in (alone, together)]
    assert scores[0] == pytest.approx(scores[1], rel=1e-6)  # local stores differ in the last bits from call to call
    assert retriever.search([], 5) == []
    assert retriever.search([Query("b1", ""), Query("b2", " \n\t")], 3) == [[], []]


def test_one_chunk_alone_is_found(ready):
    assert ids(ready({"d9#0": "dog"}).search(ASKED[:1], 5)) == [["d9#0"]]


def test_an_empty_store_finds_nothing(ready):
    assert ready({}).search(ASKED, 5) == [[] for _ in ASKED]


def test_names_read_back_and_configurations_can_be_written_down(ready):
    bound = parse_provider(mark_written(ready.name()))
    again = parse_provider(mark_written(bound.name))
    assert (again.name, again.configuration, again.fingerprint) == (bound.name, bound.configuration, bound.fingerprint)
    assert json.loads(json.dumps(bound.configuration)) == bound.configuration
    assert not bound.is_repeatable
    assert not bound.provider.indexes
    assert not bound.heeds_scope
