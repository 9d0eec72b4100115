"""The contract for providers whose answers are somebody else's: here all of them ask one small ranking, each in its way."""

from __future__ import annotations

import json
import shlex
import sys
from types import ModuleType

import pytest

import assay.datasets  # noqa: F401 (teaches runs to read files)
from assay.errors import ProviderError
from assay.model.records import Document, Hit, Query
from assay.providers.provider import all_providers

from ._service import serving
from ._written import parse_provider
from .test_contract import DOCUMENTS, ELSEWHERE, QUERIES

RANKING = """
def ranked(documents, text, k):
    words = set(text.casefold().split())
    scores = {doc: float(len(words & set(content.casefold().split()))) for doc, content in documents.items()}
    best = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)
    return [[doc, scores[doc]] for doc in best if scores[doc]][:k]
"""
PROGRAM = (
    RANKING
    + """
import json, sys
documents = {}
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "document":
        documents[asked["id"]] = asked.get("title", "") + " " + asked["text"]
    elif asked["type"] == "search":
        print(json.dumps({"id": asked["id"], "hits": ranked(documents, asked["query"], asked["k"])}), flush=True)
"""
)
RANKED = {}
exec(RANKING, RANKED)  # the same lines that the program runs


def contents(documents):
    return {document.doc_id: f"{document.title or ''} {document.text}" for document in documents}


def expected(documents, queries, k):
    ranked = RANKED["ranked"]
    return [[Hit(doc, score) for doc, score in ranked(contents(documents), query.text, k)] for query in queries]


class Retriever:
    documents: dict

    def index(self, documents):
        self.documents = contents(documents)

    def search(self, queries, k):
        return [RANKED["ranked"](self.documents, query.text, k) for query in queries]


@pytest.fixture
def retrievers(tmp_path, monkeypatch):
    """Makes each provider ready over some documents, or leaves it without."""
    module = ModuleType("contract_elsewhere")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    (tmp_path / "program.py").write_text(PROGRAM)
    made = []

    def replay(documents):
        file = tmp_path / "run.json"
        hits = zip(QUERIES, expected(documents, QUERIES, 1000), strict=True)
        file.write_text(json.dumps({query.query_id: {hit.doc_id: hit.score for hit in found} for query, found in hits}))
        return f"replay:{file}"

    def http(documents):
        module.documents = contents(documents)
        return f"http(url='{service.url}', timeout=10)"

    def command(_):
        return f"command(command='{shlex.quote(sys.executable)} -S {tmp_path / 'program.py'}', timeout=10)"

    def function(documents):
        module.documents = contents(documents)
        module.search = lambda text, k: RANKED["ranked"](module.documents, text, k)
        return "python:contract_elsewhere:search"

    def with_class(_):
        module.Retriever = Retriever
        return "python:contract_elsewhere:Retriever"

    builders = {"replay": replay, "http": http, "command": command, "function": function, "class": with_class}

    def ready(kind, documents=DOCUMENTS, *, has_index=True):
        retriever = parse_provider(builders[kind](documents)).make()
        made.append(retriever)
        if has_index:
            retriever.index(iter(documents))
        return retriever

    def answer(asked, _):
        return {"results": RANKED["ranked"](module.documents, asked.body["query"], asked.body["k"])}

    ready.name = lambda kind: builders[kind](DOCUMENTS)
    with serving(answer) as service:
        yield ready
        for retriever in made:
            getattr(retriever, "close", lambda: None)()


KINDS = ["replay", "http", "command", "function", "class"]
GIVEN_DOCUMENTS = ["command", "class"]


def test_every_provider_elsewhere_is_here(retrievers):
    assert {parse_provider(retrievers.name(kind)).provider.name for kind in KINDS} == ELSEWHERE
    assert set(all_providers()) >= ELSEWHERE


@pytest.mark.parametrize("kind", KINDS)
def test_up_to_k_known_hits_best_first(kind, retrievers):
    retriever = retrievers(kind)
    for k in (1, 3, 100):
        answers = retriever.search(QUERIES, k)
        assert answers == expected(DOCUMENTS, QUERIES, k)
        assert all(type(hit) is Hit and type(hit.score) is float for hits in answers for hit in hits)


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_has_the_same_answer_alone_and_in_company(kind, retrievers):
    retriever = retrievers(kind)
    together = retriever.search(QUERIES, 5)
    assert [retriever.search([query], 5)[0] for query in QUERIES] == together
    assert retriever.search(QUERIES[::-1], 5) == together[::-1]
    assert retriever.search([], 5) == []


@pytest.mark.parametrize("kind", KINDS)
def test_few_documents_or_none(kind, retrievers):
    if kind != "replay":
        assert retrievers(kind, []).search(QUERIES, 5) == [[] for _ in QUERIES]
    assert [hit.doc_id for hit in retrievers(kind, DOCUMENTS[1:2]).search(QUERIES[:1], 5)[0]] == ["d2"]


@pytest.mark.parametrize("kind", GIVEN_DOCUMENTS)
def test_a_search_before_the_index_is_an_error(kind, retrievers):
    with pytest.raises(ProviderError):
        retrievers(kind, has_index=False).search(QUERIES, 5)


@pytest.mark.parametrize("kind", GIVEN_DOCUMENTS)
def test_an_index_can_be_made_anew(kind, retrievers):
    retriever = retrievers(kind)
    retriever.index([Document("new", "lazy")])
    assert retriever.search([Query("q", "lazy")], 5) == [[Hit("new", 1.0)]]


@pytest.mark.parametrize("kind", KINDS)
def test_names_read_back_and_configurations_can_be_written_down(kind, retrievers):
    bound = parse_provider(retrievers.name(kind))
    again = parse_provider(bound.name)
    assert (again.name, again.configuration, again.fingerprint) == (bound.name, bound.configuration, bound.fingerprint)
    assert json.loads(json.dumps(bound.configuration)) == bound.configuration
    assert not bound.is_repeatable
