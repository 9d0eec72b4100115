"""Search engines: what each is asked, page by page, and how its documented answers and errors are read."""

import re
import shlex
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from assay import Query
from assay.cli import main
from assay.errors import BadParameter, ProviderError

from ._asking import ids, provider
from ._engines import ENGINES, Search
from ._service import serving

HITS = [(f"d{n}", 1000.0 - n, f"text {n}") for n in range(900)]


def base(service):
    return service.url.removesuffix("/search")


@contextmanager
def engine(name, ranked=lambda text, scope: HITS, more="", script=None):
    """A retriever that asks the stub of an engine, and the stub."""
    stub = ENGINES[name]
    with serving(script or (lambda asked, handler: stub.answer(asked, handler, ranked))) as service:
        text = stub.text.format(url=base(service))
        retriever = provider(f"{text[:-1]}{more})").make()
        try:
            yield retriever, service
        finally:
            retriever.close()


@pytest.mark.parametrize("name", ENGINES)
def test_hits_come_in_the_order_of_the_engine_with_their_texts(name):
    texts = []

    def ranked(text, scope):
        texts.append((text, scope))
        return HITS[:3]

    hostile = 'say "hi" \\ to {k} ${HOME} `x`, title:x\nnaïve 🙂'
    with engine(name, ranked) as (retriever, service):
        (hits,) = retriever.search([Query("q", hostile, scope="ignored")], 10)
        assert retriever.search([Query("q", "x")], 2)[0] == hits[:2]
    assert ids(hits) == ["d0", "d1", "d2"]
    assert [hit.text for hit in hits] == ["text 0", "text 1", "text 2"]
    assert all(first.score > second.score for first, second in pairwise(hits))
    assert texts == [(hostile, None), ("x", None)]
    assert len(service.asked) == 2, "a short page is the last one"


@pytest.mark.parametrize("name", ENGINES)
def test_pages_are_asked_until_there_are_k_hits(name):
    most = {"vespa": 400, "typesense": 250}.get(name, 600)
    with engine(name) as (retriever, service):
        assert ids(retriever.search([Query("q", "x")], 600)[0]) == [doc for doc, *_ in HITS[:600]]
        assert len(service.asked) == -(-600 // most)
    with engine(name, more=", size=7") as (retriever, service):
        assert ids(retriever.search([Query("q", "x")], 20)[0]) == [doc for doc, *_ in HITS[:20]]
        assert len(service.asked) == 3
    with engine(name, lambda *_: []) as (retriever, service):
        assert retriever.search([Query("q", "x")], 20) == [[]]
        assert len(service.asked) == 1


@pytest.mark.parametrize("name", ["opensearch", "elasticsearch", "vespa", "solr", "typesense", "meilisearch"])
def test_a_short_page_is_not_the_last_one_if_the_engine_says_that_more_documents_match(name):
    """An engine or a proxy may put fewer hits on a page than requested."""
    stub = replace(ENGINES[name], cap=10)

    def script(asked, handler):
        return stub.answer(asked, handler, lambda *_: HITS[:39])

    for k, n_requests in ((100, 4), (25, 3), (39, 4), (8, 1)):
        with engine(name, script=script) as (retriever, service):
            assert ids(retriever.search([Query("q", "x")], k)[0]) == [doc for doc, *_ in HITS[: min(k, 39)]], k
            assert len(service.asked) == n_requests, k


def test_a_total_that_is_never_reached_ends_with_a_page_that_brings_nothing():
    with engine("opensearch", script=lambda *_: ENGINES["opensearch"].write(HITS[:3], 500)) as (retriever, service):
        assert ids(retriever.search([Query("q", "x")], 100)[0]) == ["d0", "d1", "d2"]
        assert len(service.asked) == 2


def test_what_an_engine_cannot_return_is_not_asked():
    with engine("vespa", lambda *_: HITS * 2) as (retriever, service):
        assert len(retriever.search([Query("q", "x")], 5000)[0]) == 900
    assert [(asked.body["offset"], asked.body["hits"]) for asked in service.asked] == [(0, 400), (400, 400), (800, 200)]
    many = [(f"d{n}", float(-n), "") for n in range(12_000)]
    with engine("opensearch", lambda *_: many, more=", size=4000") as (retriever, service):
        assert len(retriever.search([Query("q", "x")], 20_000)[0]) == 10_000
    assert [(asked.body["from"], asked.body["size"]) for asked in service.asked] == [(0, 4000), (4000, 4000), (8000, 2000)]


@pytest.mark.parametrize("name", ENGINES)
def test_a_scope_is_a_filter_if_its_field_is_set(name):
    scopes = []

    def ranked(text, scope):
        scopes.append(scope)
        return HITS[:1]

    with engine(name, ranked, more=", scope=group") as (retriever, _):
        for scope in ("a b", None):
            retriever.search([Query("q", "x", scope=scope)], 3)
        if name != "typesense":  # which has no way to write a backtick
            retriever.search([Query("q", "x", scope='"\\')], 3)
            assert scopes.pop() == '"\\'
    assert scopes == ["a b", None]
    text = ENGINES[name].text.format(url="http://h")
    assert [provider(one).heeds_scope for one in (text, f"{text[:-1]}, scope=group)")] == [False, True]


@pytest.mark.parametrize("name", ENGINES)
def test_an_error_shows_what_the_engine_says(name):
    expected = pytest.raises(ProviderError, match=re.escape(ENGINES[name].says))
    with engine(name, script=lambda _, handler: ENGINES[name].refuse(handler)) as (retriever, _), expected as caught:
        retriever.search([Query("q", "x")], 3)
    message = str(caught.value)
    assert "body=" not in message, "engines have no such parameter"
    assert "{" not in message, "the message is taken out of the JSON"
    assert ("check url= and index=" in message) == ("HTTP 404" in message)


def test_hits_of_some_shards_are_not_taken_for_all():
    reason = {"type": "query_shard_exception", "reason": "failed to create query"}
    shards = {"total": 2, "successful": 1, "failed": 1, "failures": [{"shard": 0, "index": "docs", "reason": reason}]}
    answer = {"timed_out": False, "_shards": shards, "hits": {"hits": [{"_id": "a", "_score": 1}]}}
    expected = pytest.raises(ProviderError, match="failed to create query")
    with engine("elasticsearch", script=lambda *_: answer) as (retriever, _), expected:
        retriever.search([Query("q", "x")], 3)


def test_ids_can_be_in_a_field_of_their_own():
    answers = {
        "opensearch": {"hits": {"hits": [{"_id": "x", "_score": 1, "_source": {"key": "a", "body": "t"}}]}},
        "vespa": {"root": {"children": [{"id": "x", "relevance": 1, "fields": {"key": "a", "body": "t"}}]}},
        "solr": {"response": {"docs": [{"key": "a", "score": 1, "body": "t"}]}},
        "typesense": {"results": [{"hits": [{"document": {"id": "x", "key": "a", "body": "t"}}]}]},
        "meilisearch": {"hits": [{"key": "a", "body": "t"}]},
        "weaviate": {"data": {"Get": {"Docs": [{"key": "a", "body": "t", "_additional": {"score": "1"}}]}}},
        "milvus": {"code": 0, "data": [{"key": "a", "body": "t", "distance": 1}]},
    }
    for name, answer in answers.items():
        with engine(name, more=", id=key, text=body", script=lambda *_, answer=answer: answer) as (retriever, _):
            ((hit,),) = retriever.search([Query("q", "x")], 3)
        assert (hit.doc_id, hit.text) == ("a", "t"), name


def test_fields_modes_and_further_members_are_sent():
    def body(text, answer):
        with serving(lambda *_: answer) as service:
            retriever = provider(text.format(url=base(service))).make()
            retriever.search([Query("q", "cats")], 3)
            retriever.close()
        return service.asked[0].body

    elastic = {"hits": {"hits": []}}
    sent = body("""elasticsearch(url={url}/es, index='a,b*', field='title^2,text', more='{{"explain": true}}')""", elastic)
    assert sent["query"] == {"multi_match": {"query": "cats", "fields": ["title^2", "text"]}}
    assert sent["explain"] is True
    assert body("""vespa(url={url}, schema=docs, more='{{"ranking": "bm25"}}')""", {"root": {}})["ranking"] == "bm25"
    nothing = {"data": {"Get": {"Docs": []}}}
    for mode, operator in (
        ("hybrid", 'hybrid: {query: "cats", properties: ["text"]}'),
        ("near_text", "nearText: {concepts: ["),
    ):
        assert operator in body(f"weaviate(url={{url}}, collection=Docs, mode={mode})", nothing)["query"]
    near = {"data": {"Get": {"Docs": [{"text": "t", "_additional": {"id": "a", "distance": 0.25}}]}}}
    with engine("weaviate", more=", mode=near_text", script=lambda *_: near) as (retriever, _):
        assert retriever.search([Query("q", "x")], 3)[0][0].score == -0.25


WRONG = [
    "opensearch(index=docs)",
    "opensearch(url=http://h:9200)",
    "opensearch(url='http://h:9200?x=1', index=docs)",
    "opensearch(url=ftp://h, index=docs)",
    "opensearch(url=http://h, index='a b')",
    "opensearch(url=http://h, index=docs, field='')",
    "opensearch(url=http://h, index=docs, more='[1]')",
    "vespa(url=http://h, schema=docs, field='title,text')",
    "weaviate(url=http://h, collection=Docs, mode=dense)",
    "milvus(url=http://h, collection=docs, size=0)",
]


def test_wrong_parameters_are_refused_at_once(snapshots):
    errors = {}
    for text in WRONG:
        with pytest.raises(BadParameter) as caught:
            provider(text)
        errors[text] = caught.value
    snapshots.check("providers/search_engines", "".join(f"## {text}\n{error}\n\n" for text, error in errors.items()))


def test_keys_come_from_the_environment_and_are_not_shown(monkeypatch):
    monkeypatch.setenv("SEARCH_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("SEARCH_KEY", "K4nary-8811-hidden")
    text = "opensearch(url='${SEARCH_URL}', index=docs, headers='Authorization: ApiKey ${SEARCH_KEY}')"
    provider(text).check()
    literal = provider("""opensearch(url=http://h, index=docs, more='{"api_key": "K5nary-77-hidden"}')""")
    assert "K5nary" not in f"{literal.name} {literal.configuration}"
    with engine("opensearch", more=", headers='Authorization: ApiKey ${SEARCH_KEY}'") as (retriever, service):
        retriever.search([Query("q", "x")], 3)
    assert service.asked[0].headers["Authorization"] == "ApiKey K4nary-8811-hidden"
    monkeypatch.delenv("SEARCH_KEY")
    with pytest.raises(ProviderError, match="SEARCH_KEY"):
        provider(text).check()


KEYS = {
    "typesense": ("X-TYPESENSE-API-KEY", "K4nary-typesense-1"),
    "meilisearch": ("Authorization", "Bearer K4nary-meili-1"),
}
PAGE = Path(__file__).parents[2] / "docs" / "your-retriever.md"


def test_the_commands_of_the_page_evaluate_each_engine(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TYPESENSE_KEY", "K4nary-typesense-1")
    monkeypatch.setenv("MEILI_KEY", "K4nary-meili-1")
    lines = re.findall(r"^assay (eval .*\b(?:index|schema|collection)=.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    commands = {line.partition('--providers "')[2].partition("(")[0]: line.replace("\\$", "$") for line in lines}
    assert commands.keys() == ENGINES.keys()
    listed = [(f"p{n:03}", 100.0 - n, "text") for n in range(1, 6)]
    for name, command in commands.items():
        stub = replace(ENGINES[name], read=lambda _: Search("", 0, 100))
        with serving(lambda asked, handler, stub=stub: stub.answer(asked, handler, lambda *_: listed)) as service:
            words = shlex.split(re.sub(r"http://127\.0\.0\.1:\d+", base(service), command))
            assert main([*words, "--metrics", "hit@5", "--limit", "3", "--no-store", "--format", "csv"]) == 0, name
        header, row = capsys.readouterr().out.splitlines()[:2]
        assert "hit@5" in header, name
        assert row.startswith("rag-template,"), name
        assert len(service.asked) == 3, name
        header, key = KEYS.get(name, ("X-Other", None))
        assert {asked.headers.get(header) for asked in service.asked} == {key}, name
