"""Provider: names, configurations without secrets, and fingerprints with them."""

from dataclasses import replace

import pytest

from assay import BadParameter
from assay.grammar import Param
from assay.providers.provider import BoundProvider, Provider, all_providers, find_provider

from ._written import parse_provider

PARAMS = (
    Param("url", str, "", ""),
    Param("api_key", str, "", ""),
    Param("max_tokens", int, 5, ""),
    Param("cache", str, "", ""),
)
SERVICE = Provider("service", "", dict, PARAMS)


def bound(**given):
    return BoundProvider(
        SERVICE, {param.name: given.get(param.name, param.default) for param in PARAMS}, explicit_params=frozenset(given)
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


def test_values_are_given_where_they_are_taken_and_not_set():
    assert bound().filled(cache="here", timeout=5).params == {"url": "", "api_key": "", "max_tokens": 5, "cache": "here"}
    assert bound(cache="mine").filled(cache="here").params["cache"] == "mine"
    whole = parse_provider("hybrid(bm25, dense, http(url='http://h/s'))").filled(cache="here", timeout=5)
    assert [part.params.get("cache") for part in whole.parts] == [None, "here", None]
    assert [part.params.get("timeout") for part in whole.parts] == [None, None, 5]


def test_a_label_is_the_name_and_changes_nothing_else():
    plain = parse_provider("bm25(k1=0.9)")
    labelled = replace(plain, label="tuned")
    assert (labelled.name, plain.name) == ("tuned", "bm25(k1=0.9)")
    assert (labelled.configuration, labelled.fingerprint) == (plain.configuration, plain.fingerprint)
    assert labelled == plain


def test_what_is_repeatable_is_so_in_all_its_parts():
    assert parse_provider("hybrid(bm25, tfidf_chars)").is_repeatable
    assert not parse_provider("hybrid(bm25, replay:a.run)").is_repeatable
    assert not find_provider("python").is_repeatable


def test_who_keeps_the_first_ranking():
    assert {name for name, one in all_providers().items() if one.keeps_first} == {"rerank"}
