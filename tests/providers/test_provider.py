"""Provider: names, configurations without secrets, and fingerprints with them."""

import pytest

from assay import BadParameter
from assay.grammar import Param
from assay.providers._provider import BoundProvider, Provider, find_provider, parse_provider

PARAMS = (
    Param("url", str, "", ""),
    Param("api_key", str, "", ""),
    Param("max_tokens", int, 5, ""),
    Param("cache", str, "", ""),
)
SERVICE = Provider("service", "", dict, PARAMS)


def bound(**given):
    return BoundProvider(
        SERVICE, {param.name: given.get(param.name, param.default) for param in PARAMS}, given=frozenset(given)
    )


def test_secrets_are_neither_in_the_name_nor_in_the_configuration():
    one = bound(url="x", api_key="s3cr3t", max_tokens=7)
    assert one.name == "service(url=x, max_tokens=7)"
    assert one.configuration == {"provider": "service", "url": "x", "api_key": "…", "max_tokens": 7, "cache": ""}
    assert bound().configuration["api_key"] == ""


def test_secrets_do_make_a_difference():
    assert bound(api_key="a").fingerprint != bound(api_key="b").fingerprint
    one, other = (parse_provider(f"http(url='http://x/?key={key}')") for key in ("first-secret", "second-secret"))
    assert one.configuration == other.configuration
    assert one.fingerprint != other.fingerprint
    assert "secret" not in f"{one.name} {one.configuration}"


@pytest.mark.parametrize("text", ["bm25", "bm25(k1=0.9)", "hybrid(bm25, tfidf_chars)", "replay:a.run", "python:a.b:c.d"])
def test_a_name_reads_back(text):
    assert parse_provider(text).name == text
    assert parse_provider(parse_provider(text).name) == parse_provider(text)


def test_a_map_says_the_same():
    assert (
        parse_provider({"bm25": {"k1": 0.9}})
        == parse_provider({"name": "bm25", "k1": 0.9})
        == parse_provider("bm25(k1=0.9)")
    )
    parts = {"hybrid": {"providers": ["bm25", {"bm25": {"k1": 2}}]}}
    assert parse_provider(parts).name == "hybrid(bm25, bm25(k1=2))"


@pytest.mark.parametrize("text", ["", "()", "bm25:x", "python", "bm25(dense)", "bm25(k1=high)", "bm25(k1=1", "a b"])
def test_what_is_no_provider(text):
    with pytest.raises((BadParameter, LookupError)):
        parse_provider(text)


def test_a_folder_for_embeddings_is_given_where_it_is_taken_and_not_named():
    assert bound().keeping_in("here").params["cache"] == "here"
    assert bound(cache="mine").keeping_in("here").params["cache"] == "mine"
    whole = parse_provider("hybrid(bm25, dense)").keeping_in("here")
    assert [part.params.get("cache") for part in whole.parts] == [None, "here"]


def test_what_is_repeatable_is_so_in_all_its_parts():
    assert parse_provider("hybrid(bm25, tfidf_chars)").is_repeatable
    assert not parse_provider("hybrid(bm25, replay:a.run)").is_repeatable
    assert not find_provider("python").is_repeatable
