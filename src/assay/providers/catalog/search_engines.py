"""Search engines: OpenSearch, Elasticsearch, Vespa, Solr, Typesense, Meilisearch, Weaviate and Milvus, over HTTP.

Requests and responses are those of each engine's documentation; the page is named at its record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.grammar import Param, one_of
from assay.providers.http_retriever import Values
from assay.providers.response_shape import ResponseShape
from assay.providers.search_engines import PAGE, Engine, Target, engine_provider

Body = Mapping[str, Any]


def _quoted(text: Any) -> str:
    """A text in double quotes, with quotes and backslashes escaped, as query languages of engines write it."""
    whole = str(text).encode("utf-8", "replace").decode()
    return json.dumps(whole, ensure_ascii=False)


def elasticsearch_body(target: Target, values: Values) -> Body:
    """`match` for one field, `multi_match` for several; the scope is a `term` filter."""
    fields = target.fields
    match: Body = {"match": {fields[0]: values["query"]}}
    if len(fields) > 1 or re.search(r"[*^]", fields[0]):
        match = {"multi_match": {"query": values["query"], "fields": list(fields)}}
    group = target.group(values)
    query = match if group is None else {"bool": {"must": [match], "filter": [{"term": {target.scope: group}}]}}
    page = {"from": values["offset"], "size": values["size"]}
    return {**page, "query": query, "_source": target.shown_fields, **target.more}


def elasticsearch_shape(target: Target) -> ResponseShape:
    """Hits are in `hits.hits`. If a shard failed, its hits are missing, so that is an error."""
    return ResponseShape(
        "hits.hits",
        f"_source.{target.id}" if target.id else "_id",
        "_score",
        f"_source.{target.text}",
        ("error.reason", "error", "_shards.failures[0].reason.reason"),
        ("hits.total.value", "hits.total"),
    )


def vespa_body(target: Target, values: Values) -> Body:
    """YQL with `userInput`, so that the text of a query is never parsed as YQL.

    After the default timeout of 0.5 s, Vespa returns the hits that it has, as if there were no others.
    """
    where = f'({{defaultIndex: "{target.fields[0]}"}}userInput(@text))'
    group = target.group(values)
    where += "" if group is None else f" and {target.scope} contains {_quoted(group)}"
    page = {"hits": values["size"], "offset": values["offset"], "timeout": "10s"}
    yql = f"select * from {target.place} where {where}"  # noqa: S608 (YQL; names are the user's own, values are quoted)
    return {"yql": yql, "text": values["query"], **page, **target.more}


def vespa_id(doc: Any) -> Any:
    """The last part of a document id, `id:namespace:type::part`, which is the id that the user gave."""
    shape = re.fullmatch(r"id:[^:]*:[^:]*:[^:]*:(.+)", doc, re.DOTALL) if isinstance(doc, str) else None
    return shape[1] if shape else doc


def vespa_shape(target: Target) -> ResponseShape:
    """Hits are in `root.children`, which is missing if there are none."""
    return ResponseShape(
        "root.children",
        f"fields.{target.id}" if target.id else "id",
        "relevance",
        f"fields.{target.text}",
        ("root.errors[0].message", "root.errors[0].summary"),
        ("root.fields.totalCount",),
        omits_empty=True,
        read_id=None if target.id else vespa_id,
    )


def solr_body(target: Target, values: Values) -> Body:
    """The JSON Request API with the query parser `edismax`. `uf=-*`: a word before a colon is not the name of a field."""
    group = target.group(values)
    filters = {} if group is None else {"filter": [f"{{!term f={target.scope} v=$searched_group}}"]}
    params = {"defType": "edismax", "qf": " ".join(target.fields), "uf": "-*", "wt": "json"}
    return {
        "query": values["query"],
        "limit": values["size"],
        "offset": values["offset"],
        "fields": list(dict.fromkeys([target.id or "id", *target.shown_fields, "score"])),
        **filters,
        "params": params if group is None else {**params, "searched_group": group},
        **target.more,
    }


def solr_shape(target: Target) -> ResponseShape:
    """Hits are in `response.docs`."""
    return ResponseShape("response.docs", target.id or "id", "score", target.text, ("error.msg",), ("response.numFound",))


def typesense_body(target: Target, values: Values) -> Body:
    """One search of `multi_search`, because the address of a plain search must not be longer than 4,000 characters."""
    search = {
        "collection": target.place,
        "q": values["query"],
        "query_by": ",".join(target.fields),
        "page": values["page"],
        "per_page": values["size"],
    }
    group = target.group(values)
    filters = {} if group is None else {"filter_by": f"{target.scope}:=`{str(group).replace('`', '')}`"}
    return {"searches": [{**search, **filters, **target.more}]}


def typesense_shape(target: Target) -> ResponseShape:
    """The order counts: `text_match` is a whole number with more digits than a float has."""
    document = f"document.{target.id or 'id'}"
    return ResponseShape(
        "results[0].hits",
        document,
        None,
        f"document.{target.text}",
        ("results[0].error", "message"),
        ("results[0].found",),
    )


def meilisearch_body(target: Target, values: Values) -> Body:
    """All searchable attributes are searched unless fields are set."""
    group = target.group(values)
    fields = {"attributesToSearchOn": list(target.fields)} if target.fields else {}
    filters = {} if group is None else {"filter": f"{target.scope} = {_quoted(group)}"}
    return {"q": values["query"], "limit": values["size"], "offset": values["offset"], **fields, **filters, **target.more}


def meilisearch_shape(target: Target) -> ResponseShape:
    """The order counts: ranking rules decide it one after the other, and the ranking score does not tell them apart."""
    return ResponseShape("hits", target.id or "id", None, target.text, ("message",), ("estimatedTotalHits", "totalHits"))


SEARCHES = {
    "bm25": "bm25: {{query: {text}, properties: {fields}}}",
    "hybrid": "hybrid: {{query: {text}, properties: {fields}}}",
    "near_text": "nearText: {{concepts: [{text}]}}",
}
"""Mode → search operator of Weaviate."""


def weaviate_body(target: Target, values: Values) -> Body:
    """A GraphQL query. GraphQL has the quotes of JSON, so the text of a query stays inside them."""
    fields = json.dumps(list(target.fields))
    search = SEARCHES[target.mode].format(text=_quoted(values["query"]), fields=fields)
    group = target.group(values)
    equals = f'path: ["{target.scope}"], operator: Equal, valueText: {_quoted(group)}'
    where = "" if group is None else f", where: {{{equals}}}"
    page = f"limit: {values['size']}, offset: {values['offset']}"
    score = "distance" if target.mode == "near_text" else "score"
    shown = " ".join([*target.shown_fields, f"_additional {{ id {score} }}"])
    return {"query": f"{{ Get {{ {target.place}({search}{where}, {page}) {{ {shown} }} }} }}", **target.more}


def weaviate_shape(target: Target) -> ResponseShape:
    """A score is a number in quotes. A distance is negated."""
    return ResponseShape(
        f"data.Get.{target.place}",
        target.id or "_additional.id",
        "_additional.distance" if target.mode == "near_text" else "_additional.score",
        target.text,
        ("errors[0].message", "error[0].message", "message"),
        read_score=_number_in_quotes,
    )


def _number_in_quotes(score: Any) -> Any:
    try:
        return float(score) if isinstance(score, str) else score
    except ValueError:
        return score


def milvus_body(target: Target, values: Values) -> Body:
    """Full-text search: the field is the sparse vector that a BM25 function fills, and the text of the query is the data."""
    group = target.group(values)
    filters = {} if group is None else {"filter": f"{target.scope} == {_quoted(group)}"}
    return {
        "collectionName": target.place,
        "data": [values["query"]],
        "annsField": target.fields[0],
        "limit": values["size"],
        "offset": values["offset"],
        "outputFields": list(dict.fromkeys([target.id or "id", *target.shown_fields])),
        **filters,
        **target.more,
    }


def milvus_shape(target: Target) -> ResponseShape:
    """The order counts: `distance` is a similarity or a distance, whichever the index has."""
    return ResponseShape("data", target.id or "id", None, target.text, ("message",))


_WINDOW = 10_000
"""The default of index.max_result_window: offset and size together."""
_elastic = partial(
    Engine,
    place="index",
    path="/{place}/_search",
    body=elasticsearch_body,
    shape=elasticsearch_shape,
    url="http://127.0.0.1:9200",
    max_size=_WINDOW,
    deepest=_WINDOW,
)

OPENSEARCH = engine_provider(_elastic("opensearch", "an OpenSearch index"))
"""OpenSearch documentation: Search API, Paginate results, Match query."""

ELASTICSEARCH = engine_provider(_elastic("elasticsearch", "an Elasticsearch index"))
"""Elasticsearch reference: Run a search, Paginate search results, Match query."""

VESPA = engine_provider(
    Engine(
        "vespa",
        "a Vespa application",
        "schema",
        "/search/",
        vespa_body,
        vespa_shape,
        "http://127.0.0.1:8080",
        max_size=400,
        deepest=1000,
        field="default",
        has_one_field=True,
        text="text",
    )
)
"""Vespa documentation: Query API Reference (maxHits 400, maxOffset 1000), Default JSON Result Format, Query Language."""

SOLR = engine_provider(
    Engine(
        "solr",
        "a Solr collection",
        "collection",
        "/solr/{place}/select",
        solr_body,
        solr_shape,
        "http://127.0.0.1:8983",
    )
)
"""Solr Reference Guide: JSON Request API, Extended DisMax Query Parser, Common Query Parameters."""

TYPESENSE = engine_provider(
    Engine(
        "typesense",
        "a Typesense collection",
        "collection",
        "/multi_search",
        typesense_body,
        typesense_shape,
        "http://127.0.0.1:8108",
        pages=PAGE,
        max_size=250,
    )
)
"""Typesense API: Search (250 hits per page), Federated / Multi Search."""

MEILISEARCH = engine_provider(
    Engine(
        "meilisearch",
        "a Meilisearch index",
        "index",
        "/indexes/{place}/search",
        meilisearch_body,
        meilisearch_shape,
        "http://127.0.0.1:7700",
        field="",
        text="text",
    )
)
"""Meilisearch API reference: Search in an index with POST, Error codes."""

WEAVIATE = engine_provider(
    Engine(
        "weaviate",
        "a Weaviate collection",
        "collection",
        "/v1/graphql",
        weaviate_body,
        weaviate_shape,
        "http://127.0.0.1:8080",
        max_size=_WINDOW,
        deepest=_WINDOW,
        params=(Param("mode", one_of(*SEARCHES), "bm25", "kind of search: bm25, hybrid or near_text (by vectors)"),),
    )
)
"""Weaviate documentation: GraphQL API, Search operators, Additional properties (QUERY_MAXIMUM_RESULTS 10,000)."""

MILVUS = engine_provider(
    Engine(
        "milvus",
        "a Milvus collection with full-text search",
        "collection",
        "/v2/vectordb/entities/search",
        milvus_body,
        milvus_shape,
        "http://127.0.0.1:19530",
        max_size=16_383,
        deepest=16_383,
        field="sparse",
        has_one_field=True,
        text="text",
    )
)
"""Milvus documentation: Full Text Search; RESTful API v2, Search (limit and offset together below 16,384)."""
