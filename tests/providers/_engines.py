"""Search engines on loopback: each answers as its documentation shows, and refuses what it would refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

Ranked = Callable[[str, Any], list[tuple[str, float, str]]]
"""The text of a query and its scope → id, score and text of every match, best first."""


class Search(NamedTuple):
    """What an engine was asked."""

    text: str
    offset: int
    size: int
    scope: Any = None


@dataclass(frozen=True)
class Engine:
    """How a request is read and an answer is written."""

    text: str
    """The provider, as a user writes it; {url} is the address."""
    path: str
    read: Callable[[Any], Search]
    write: Callable[[list[tuple[str, float, str]], int], Any]
    """The hits of a page, and the number of all matches → an answer."""
    most: int
    """Hits per page at most; more is refused."""
    refusal: tuple[int, Any]
    """Status and body for an index that does not exist."""
    says: str
    """What a user must see of it."""
    cap: int = 1_000_000
    """Hits on a page, however many are requested."""

    def answer(self, asked: Any, handler: Any, ranked: Ranked) -> Any:
        """The answer to a request, or the refusal."""
        if asked.path != self.path or asked.method != "POST":
            return handler.say(404, b'{"error": "no handler"}')
        search = self.read(asked.body)
        if search.size > self.most or search.size < 1:
            return handler.say(400, b'{"error": "too many hits"}')
        matches = ranked(search.text, search.scope)
        return self.write(matches[search.offset : search.offset + min(search.size, self.cap)], len(matches))

    def refuse(self, handler: Any) -> None:
        """Answer as if there were no such index."""
        handler.say(self.refusal[0], json.dumps(self.refusal[1]).encode())


def elastic_search(body: Any) -> Search:
    query, scope = body["query"], None
    if "bool" in query:
        (clause,) = query["bool"]["filter"]
        scope = clause["term"]["group"]
        (query,) = query["bool"]["must"]
    assert body["_source"] == ["text"]
    return Search(query["match"]["text"], body["from"], body["size"], scope)


def elastic_answer(hits: Any, total: int) -> Any:
    listed = [{"_index": "docs", "_id": doc, "_score": score, "_source": {"text": text}} for doc, score, text in hits]
    found = {"value": total, "relation": "eq"}
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    best = hits[0][1] if hits else None
    return {"took": 5, "timed_out": False, "_shards": shards, "hits": {"total": found, "max_score": best, "hits": listed}}


NO_INDEX = {"type": "index_not_found_exception", "reason": "no such index [docs]", "index": "docs"}
ELASTIC_REFUSAL = (404, {"error": {"root_cause": [NO_INDEX], **NO_INDEX}, "status": 404})


def vespa_search(body: Any) -> Search:
    shape = re.fullmatch(
        r'select \* from docs where \(\{defaultIndex: "default"\}userInput\(@text\)\)(?: and group contains (".*"))?',
        body["yql"],
        re.DOTALL,
    )
    assert body["offset"] + body["hits"] <= 1000
    assert body["timeout"] == "10s"
    return Search(body["text"], body["offset"], body["hits"], json.loads(shape[1]) if shape[1] else None)


def vespa_answer(hits: Any, total: int) -> Any:
    children = [
        {
            "id": f"id:mine:docs::{doc}",
            "relevance": score,
            "source": "content",
            "fields": {"sddocname": "docs", "documentid": f"id:mine:docs::{doc}", "text": text},
        }
        for doc, score, text in hits
    ]
    root = {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": total}, "coverage": {"coverage": 100}}
    return {"root": {**root, "children": children} if children else root}


def solr_search(body: Any) -> Search:
    params = body["params"]
    assert (params["defType"], params["qf"], params["uf"]) == ("edismax", "text", "-*")
    assert body["fields"] == ["id", "text", "score"]
    assert body.get("filter") in (None, ["{!term f=group v=$searched_group}"])
    return Search(body["query"], body["offset"], body["limit"], params["searched_group"] if "filter" in body else None)


def solr_answer(hits: Any, total: int) -> Any:
    docs = [{"id": doc, "text": text, "score": score} for doc, score, text in hits]
    found = {"numFound": total, "start": 0, "maxScore": 1.0, "numFoundExact": True, "docs": docs}
    return {"responseHeader": {"status": 0, "QTime": 1}, "response": found}


def typesense_search(body: Any) -> Search:
    (search,) = body["searches"]
    assert (search["collection"], search["query_by"]) == ("docs", "text")
    scope = re.fullmatch(r"group:=`(.*)`", search["filter_by"])[1] if "filter_by" in search else None
    return Search(search["q"], (search["page"] - 1) * search["per_page"], search["per_page"], scope)


def typesense_answer(hits: Any, total: int) -> Any:
    """All scores are equal for a float."""
    listed = [
        {"document": {"id": doc, "text": text}, "highlights": [], "text_match": 578730123365711993 - place}
        for place, (doc, _, text) in enumerate(hits)
    ]
    about = {"facet_counts": [], "found": total, "out_of": 8, "page": 1, "search_time_ms": 1}
    return {"results": [{**about, "hits": listed}]}


def meilisearch_search(body: Any) -> Search:
    assert "attributesToSearchOn" not in body
    scope = json.loads(re.fullmatch(r"group = (\".*\")", body["filter"])[1]) if "filter" in body else None
    return Search(body["q"], body["offset"], body["limit"], scope)


def meilisearch_answer(hits: Any, total: int) -> Any:
    listed = [{"id": doc, "text": text} for doc, _, text in hits]
    return {"hits": listed, "query": "x", "processingTimeMs": 1, "limit": 20, "offset": 0, "estimatedTotalHits": total}


GRAPHQL = (
    r'\{ Get \{ Docs\(bm25: \{query: (?P<text>".*"), properties: \["text"\]\}'
    r'(?:, where: \{path: \["group"\], operator: Equal, valueText: (?P<scope>".*")\})?'
    r", limit: (?P<size>\d+), offset: (?P<offset>\d+)\) \{ text _additional \{ id score \} \} \} \}"
)


def weaviate_search(body: Any) -> Search:
    shape = re.fullmatch(GRAPHQL, body["query"], re.DOTALL)
    scope = json.loads(shape["scope"]) if shape["scope"] else None
    return Search(json.loads(shape["text"]), int(shape["offset"]), int(shape["size"]), scope)


def weaviate_answer(hits: Any, _: int) -> Any:
    listed = [
        {"_additional": {"id": doc, "score": f"{score:.7f}"}, "text": text, "doc_id": doc} for doc, score, text in hits
    ]
    return {"data": {"Get": {"Docs": listed}}}


def milvus_search(body: Any) -> Search:
    assert (body["collectionName"], body["annsField"], body["outputFields"]) == ("docs", "sparse", ["id", "text"])
    scope = json.loads(re.fullmatch(r"group == (\".*\")", body["filter"])[1]) if "filter" in body else None
    (text,) = body["data"]
    return Search(text, body["offset"], body["limit"], scope)


def milvus_answer(hits: Any, _: int) -> Any:
    """The `distance` of BM25 is a similarity."""
    return {"code": 0, "cost": 0, "data": [{"distance": score, "id": doc, "text": text} for doc, score, text in hits]}


NO_CLASS = 'Cannot query field "Docs" on type "GetObjectsObj".'
ENGINES = {
    "opensearch": Engine(
        "opensearch(url={url}, index=docs)",
        "/docs/_search",
        elastic_search,
        elastic_answer,
        10_000,
        ELASTIC_REFUSAL,
        "no such index [docs]",
    ),
    "elasticsearch": Engine(
        "elasticsearch(url={url}, index=docs)",
        "/docs/_search",
        elastic_search,
        elastic_answer,
        10_000,
        ELASTIC_REFUSAL,
        "no such index [docs]",
    ),
    "vespa": Engine(
        "vespa(url={url}, schema=docs)",
        "/search/",
        vespa_search,
        vespa_answer,
        400,
        (
            400,
            {
                "root": {
                    "id": "toplevel",
                    "relevance": 1.0,
                    "fields": {"totalCount": 0},
                    "errors": [
                        {
                            "code": 4,
                            "summary": "Invalid query parameter",
                            "source": "content",
                            "message": "Could not resolve source ref 'docs'.",
                        }
                    ],
                }
            },
        ),
        "Could not resolve source ref 'docs'.",
    ),
    "solr": Engine(
        "solr(url={url}, collection=docs)",
        "/solr/docs/select",
        solr_search,
        solr_answer,
        100_000,
        (400, {"responseHeader": {"status": 400, "QTime": 0}, "error": {"msg": "undefined field text", "code": 400}}),
        "undefined field text",
    ),
    "typesense": Engine(
        "typesense(url={url}, collection=docs)",
        "/multi_search",
        typesense_search,
        typesense_answer,
        250,
        (200, {"results": [{"code": 404, "error": "Not found."}]}),
        "Not found.",
    ),
    "meilisearch": Engine(
        "meilisearch(url={url}, index=docs)",
        "/indexes/docs/search",
        meilisearch_search,
        meilisearch_answer,
        100_000,
        (
            404,
            {
                "message": "Index `docs` not found.",
                "code": "index_not_found",
                "type": "invalid_request",
                "link": "https://docs.meilisearch.com/errors#index_not_found",
            },
        ),
        "Index `docs` not found.",
    ),
    "weaviate": Engine(
        "weaviate(url={url}, collection=Docs)",
        "/v1/graphql",
        weaviate_search,
        weaviate_answer,
        10_000,
        (200, {"data": None, "errors": [{"locations": [{"column": 9, "line": 1}], "message": NO_CLASS, "path": None}]}),
        NO_CLASS,
    ),
    "milvus": Engine(
        "milvus(url={url}, collection=docs)",
        "/v2/vectordb/entities/search",
        milvus_search,
        milvus_answer,
        16_383,
        (200, {"code": 100, "message": "can't find collection[database=default][collection=docs]"}),
        "can't find collection",
    ),
}
"""Provider → a stub of its engine."""
