"""http: pages; how a service is asked for more hits than it returns at once, and when that ends."""

from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest

from assay import Hit, Query
from assay.errors import BadParameter, ProviderError
from assay.providers import ReportedHits, RetryLater

from ._asking import Q, ids, provider
from ._service import serving

DOCS = [f"d{n}" for n in range(25)]


def scored(docs):
    return [{"id": doc, "score": 100 - int(doc[1:])} for doc in docs]


@contextmanager
def asking(script, path="", **settings):
    with serving(script) as service:
        bound = provider({"http": {"url": service.url + path, **settings}})
        bound.check()
        retriever = bound.make()
        try:
            yield retriever, service
        finally:
            service.released.set()
            retriever.close()


def ask(script, k=10, **settings):
    with asking(script, **settings) as (retriever, service):
        return retriever.search([Q], k)[0], service


def numbers(service):
    """The parameters of each request, from its address."""
    return [{name: values[0] for name, values in parse_qs(urlsplit(asked.path).query).items()} for asked in service.asked]


def by_offset(asked, _):
    start = int(parse_qs(urlsplit(asked.path).query)["from"][0])
    return {"results": scored(DOCS[start : start + 10])}


def by_page(asked, _):
    return {"results": scored(DOCS[(asked.body["page"] - 1) * 10 : asked.body["page"] * 10])}


def test_an_offset_counts_the_hits_that_came():
    hits, service = ask(by_offset, 23, path="?from={offset}&n={size}&k={k}", method="get")
    assert ids(hits) == DOCS[:23]
    counted = [(one["from"], one["n"], one["k"]) for one in numbers(service)]
    assert counted == [("0", "23", "23"), ("10", "13", "23"), ("20", "3", "23")], "k stays; no more is asked than is missing"
    hits, service = ask(by_offset, 99, path="?from={offset}", method="get")
    assert ids(hits) == DOCS
    assert [one["from"] for one in numbers(service)] == ["0", "10", "20", "25"], "until a page is empty"


def test_pages_are_counted_from_one_or_from_zero_and_have_one_size():
    body = '{"page": {page}, "zero": {page0}, "size": {size}}'
    hits, service = ask(by_page, 23, body=body, size=10)
    assert ids(hits) == DOCS[:23]
    bodies = [(asked.body["page"], asked.body["zero"], asked.body["size"]) for asked in service.asked]
    assert bodies == [(1, 0, 10), (2, 1, 10), (3, 2, 10)]


def test_without_a_placeholder_for_pages_there_is_one_request():
    hits, service = ask(lambda *_: {"results": scored(DOCS[:3])}, 9, body='{"n": {size}}')
    assert (len(hits), [asked.body for asked in service.asked]) == (3, [{"n": 9}])


def test_a_cursor_is_left_out_first_and_then_sent_as_it_came():
    """As `search_after` of OpenSearch: the sort values of the last hit."""

    def after(asked, _):
        start = DOCS.index(asked.body["search_after"][1]) + 1 if "search_after" in asked.body else 0
        return {"hits": [{"id": doc, "score": 1, "sort": [1.5, doc]} for doc in DOCS[start : start + 10]]}

    body = '{"size": {size}, "search_after": {cursor}}'
    hits, service = ask(after, 99, body=body, cursor="hits[-1].sort", size=10)
    assert ids(hits) == DOCS
    bodies = [asked.body for asked in service.asked]
    assert bodies[:2] == [{"size": 10}, {"size": 10, "search_after": [1.5, "d9"]}]
    assert len(bodies) == 4, "the last page is empty, so it has no cursor"


def test_a_cursor_may_be_a_text_or_have_a_first_value():
    """As `cursorMark` of Solr, which starts with `*` and at the end stays the same."""
    starts = {"*": 0, "": 0, "m10": 10, "m20": 20}

    def marked(asked, _):
        start = starts[parse_qs(urlsplit(asked.path).query, keep_blank_values=True)["c"][0]]
        return {"docs": scored(DOCS[start : start + 10]), "next": f"m{min(start + 10, 20)}"}

    for first, sent in (("*", "*"), ("", "")):
        settings = {"first_cursor": first} if first else {}
        hits, service = ask(marked, 99, path="?c={cursor}", method="get", cursor="next", **settings)
        assert ids(hits) == DOCS
        assert [urlsplit(asked.path).query for asked in service.asked[1:]] == ["c=m10", "c=m20"]
        assert numbers(service)[0].get("c", "") == sent
    quoted, service = ask(lambda *_: {"docs": scored(DOCS[:2]), "next": None}, body='{"c": "<{cursor}>"}', cursor="next")
    assert (len(quoted), [asked.body for asked in service.asked]) == (2, [{"c": "<>"}])


def test_paging_ends_if_a_page_brings_nothing_new():
    same, service = ask(lambda *_: {"results": scored(DOCS[:3])}, 9, body='{"page": {page}}')
    assert (ids(same), len(service.asked)) == (DOCS[:3], 2)
    turns = iter(range(1, 10_000))
    slow, service = ask(lambda *_: {"results": scored(DOCS[:5]) + scored([f"d{next(turns) + 50}"])}, 9, body='{"p": {page}}')
    assert (len(slow), len(service.asked)) == (9, 4), "each page brings one more"
    none, service = ask(lambda *_: {"results": []}, 9, body='{"page": {page}}')
    assert (none, len(service.asked)) == ([], 1)


def test_of_a_document_on_two_pages_the_first_counts_but_twice_on_one_page_is_an_error():
    pages = [[["a", 9], ["b", 8]], [["b", 7], ["c", 6]], []]
    hits, _ = ask(lambda asked, _: {"results": pages[asked.body["p"]]}, 9, body='{"p": {page0}}')
    assert hits == [Hit("a", 9.0), Hit("b", 8.0), Hit("c", 6.0)]
    names = [["a", "b"], ["b", "c"], ["d"], []]
    hits, _ = ask(lambda asked, _: {"results": names[asked.body["p"]]}, 9, body='{"p": {page0}}')
    assert [(hit.doc_id, hit.score) for hit in hits] == [("a", 0.0), ("b", -1.0), ("c", -2.0), ("d", -3.0)]
    with pytest.raises(ProviderError, match="b occurs twice"):
        ask(lambda asked, _: {"results": [["a"], ["b", "b"]][asked.body["p"]]}, 9, body='{"p": {page0}}')
    with pytest.raises(ProviderError, match=r"^http://127\.0\.0\.1.* hit b has no score"):
        ask(lambda asked, _: {"results": [[["a", 1]], ["b"], []][asked.body["p"]]}, 9, body='{"p": {page0}}')


def test_what_is_reported_about_the_query_comes_from_the_first_page_that_has_it():
    pages = [{"results": ["a"], "answer": "42"}, {"results": ["b"], "answer": "43", "confidence": 0.5}, {"results": []}]
    hits, _ = ask(lambda asked, _: pages[asked.body["p"]], 9, body='{"p": {page0}}')
    assert isinstance(hits, ReportedHits)
    assert (ids(hits), hits.fields) == (["a", "b"], {"answer": "42", "confidence": 0.5})


def test_each_request_can_fail_and_has_its_own_time():
    def busy(asked, handler):
        return by_page(asked, handler) if asked.body["page"] == 1 else handler.say(429, b"later", Retry_After="7")

    with asking(busy, body='{"page": {page}}') as (retriever, _), pytest.raises(RetryLater) as caught:
        retriever.search([Q], 20)
    assert caught.value.retry_after == 7.0

    def hang(asked, handler):
        return by_page(asked, handler) if asked.body["page"] == 1 else handler.hang()

    expected = pytest.raises(ProviderError, match="no response within")
    with asking(hang, body='{"page": {page}}', timeout=0.2) as (retriever, _), expected:
        retriever.search([Query("q", "x")], 20)


def test_secrets_are_masked_on_every_page(monkeypatch):
    monkeypatch.setenv("PAGE_KEY", "K4nary-5512-page")

    def told(asked, handler):
        return by_page(asked, handler) if asked.body["page"] == 1 else handler.say(500, asked.headers["X-Key"].encode())

    settings = {"body": '{"page": {page}}', "headers": "X-Key: ${PAGE_KEY}"}
    with asking(told, **settings) as (retriever, _), pytest.raises(ProviderError) as caught:
        retriever.search([Q], 20)
    assert "HTTP 500" in str(caught.value)
    assert "K4nary" not in str(caught.value)


WRONG = {
    "size without {size}": {"size": 5},
    "cursor without {cursor}": {"cursor": "next"},
    "first_cursor without {cursor}": {"first_cursor": "*"},
    "{cursor} without cursor": {"body": '{"c": {cursor}}'},
}


@pytest.mark.parametrize("name", WRONG)
def test_parameters_that_belong_together(name):
    with pytest.raises(BadParameter, match="http: "):
        provider({"http": {"url": "http://h/s", **WRONG[name]}}).check()


def test_names_with_pages_read_back():
    for text in (
        "http(url='http://h/s?q={query}&p={page}&n={size}', method=get, size=20)",
        "http(url='http://h/s', body='{\"q\": \"{query}\", \"c\": {cursor}}', cursor='meta.next', first_cursor='*')",
    ):
        assert provider(provider(text).name) == provider(text), text
