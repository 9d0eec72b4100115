"""http: how it is named, what is kept secret, and what is refused at once."""

from __future__ import annotations

import json

import pytest

from assay.errors import BadParameter
from assay.providers.catalog.http import parse_body, parse_headers, parse_url

from ._asking import Q, two
from ._service import serving
from ._written import parse_provider

NAMES = [
    "http(url='http://127.0.0.1:8000/search')",
    "http(url='https://h/s?q={query}&n={k}', method=get)",
    'http(url=\'http://h/s\', body=\'{"q": "{query}", "n": {k}}\', results=hits.hits, id=_id, score=_score)',
    "http(url='http://h/s', results='data[*].docs', headers='Authorization: Bearer ${KEY}; X-Two: 2', timeout=2.5)",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_reads_back(name):
    bound = parse_provider(name)
    assert parse_provider(bound.name) == bound


SECRETS = {
    "a header": "http(url='http://h/s', headers='Authorization: Bearer hush-hush; X-Plain: open')",
    "headers as JSON": """http(url='http://h/s', headers='{"x-api-key": "hush-hush"}')""",
    "a cookie": "http(url='http://h/s', headers='Cookie: a=hush-hush')",
    "an address": "http(url='http://h/s?q={query}&api_key=hush-hush&n=5')",
    "a password": "http(url='http://me:hush-hush@h/s')",
    "a body": """http(url='http://h/s', body='{"q": "{query}", "apiKey": "hush-hush"}')""",
}


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_secrets_are_not_shown(text):
    bound = parse_provider(text)
    assert "hush" not in bound.name + json.dumps(bound.configuration) + repr(bound.params) + repr(bound)
    assert "…" in bound.name
    with pytest.raises(BadParameter, match="left out"):
        parse_provider(bound.name)


def test_secrets_are_used_all_the_same():
    with serving(two) as service:
        retriever = parse_provider(f"http(url='{service.url}?token=hush-hush', headers='X-Key: hush; X-B: 1')").make()
        retriever.search([Q], 5)
        retriever.close()
    assert service.asked[0].path == "/search?token=hush-hush"
    assert service.asked[0].headers["X-Key"] == "hush"


def test_a_map_of_headers_as_yaml_has_it():
    bound = parse_provider({"http": {"url": "http://h/s", "headers": {"X-One": "1", "X-Two": "2"}}})
    assert bound.params["headers"] == "X-One: 1; X-Two: 2"


@pytest.mark.parametrize(
    "text",
    [
        "http",
        "http(url=ftp://h/s)",
        "http(url=search)",
        "http(url='http://{scope}.h/s')",
        "http(url='http://h:99999999/')",
        "http(url='http://h/s', method=delete)",
        "http(url='http://h/s', body='{query')",
        "http(url='http://h/s', results='a..b')",
        "http(url='http://h/s', headers='nonsense')",
        "http(url='http://h/s', timeout=0)",
    ],
)
def test_what_cannot_be_is_refused_at_once(text):
    with pytest.raises(BadParameter):
        parse_provider(text)


def test_plain_settings_are_plain():
    assert type(parse_url("http://h/s")) is type(parse_body('{"q": {query}}')) is type(parse_headers("A: 1")) is str
