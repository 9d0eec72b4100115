"""Masking: what is a secret, and how it is found in whatever it is spelled."""

from __future__ import annotations

import html
import json
import os
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import DataError, UnknownName
from assay.masking import (
    add_environment,
    add_secret,
    add_variable,
    find_secret,
    forget_secrets,
    has_secrets,
    is_secret_name,
    mask,
    mask_nested,
)
from assay.text import shortened

WRITERS = {
    "plain": str,
    "address": quote,
    "address without slashes": lambda text: quote(text, safe=""),
    "form": quote_plus,
    "lower case": lambda text: "".join(quote(c, safe="").lower() if len(quote(c, safe="")) > 1 else c for c in text),
    "address twice": lambda text: quote(quote(text, safe=""), safe=""),
    "JSON": json.dumps,
    "JSON in Unicode": lambda text: json.dumps(text, ensure_ascii=False),
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "HTML": html.escape,
    "HTML twice": lambda text: html.escape(html.escape(text)),
    "Python": repr,
    "Python in ASCII": ascii,
    "Latin-1": lambda text: text.encode().decode("latin-1"),
}
MARK = "s3cret7"
LETTERS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=8)


@given(before=LETTERS, after=LETTERS)
def test_every_spelling_is_masked(before, after):
    forget_secrets()
    secret = f"{before}{MARK}{after}".strip()
    add_secret(secret, "a key")
    for way, write in WRITERS.items():
        masked = mask(f"<{write(secret)}>")
        assert MARK not in masked, way
        assert masked.strip("<>\"'\\") == "…", way


@given(st.text(), st.text(min_size=4))
def test_a_text_without_the_secret_is_left_alone(text, secret):
    forget_secrets()
    add_secret(f"{secret}{MARK}", "a key")
    assert mask(text) == text


@pytest.mark.parametrize(
    ("secrets", "text", "masked"),
    [
        (["abc", "abcd"], "xabcdx abc", "x…x abc"),
        (["abcd", "abcdefgh", "cdef-1234"], "abcdefgh abcd", "… …"),
        (["/+=é/&"], f"x /+=é/& {quote('/+=é/&', safe='')} y", "x … … y"),
        (["hush%2Fhush", 'say \\"hush\\"'], 'hush/hush say "hush"', "… …"),
    ],
    ids=["of three letters", "one in another", "without plain letters", "encoded"],
)
def test_secrets_of_a_kind(secrets, text, masked):
    for secret in secrets:
        add_secret(secret, "a key")
        assert has_secrets() == (len(secret) > 3)
    assert mask(text) == masked


def test_nested_values():
    add_secret("12345678", "the variable PIN")
    found = mask_nested({"a 12345678": ["12345678", 12345678, ("x", 1.5, None, True)], "b": {"c": "12345678x"}})
    assert found == {"a …": ["…", "…", ["x", 1.5, None, True]], "b": {"c": "…x"}}
    assert find_secret("doc-12345678") == "the variable PIN"
    assert find_secret("doc-1234567") == ""
    add_secret("1234", "the password")
    numbers = {"a": 0.1234, "b": 51234, "c": 1234, "d": "pin 1234"}
    assert mask_nested(numbers) == {**numbers, "c": "…", "d": "pin …"}, "some digits of a number are no secret"


def test_errors_are_masked_when_they_are_made_and_texts_before_they_are_cut():
    add_secret("hush-hush-hush", "a key")
    error = DataError("bad hush-hush-hush", ["line 1: hush-hush-hush"])
    assert (str(error), error.message, error.faults) == ("bad …\n  line 1: …", "bad …", ("line 1: …",))
    assert "hush" not in str(UnknownName("metric", "hush-hush-hush", ["hush-hush-hush"]))
    for pad in range(60):
        assert "hus" not in shortened("x" * pad + "hush-hush-hush" + "y" * 30)


def test_names_of_secrets():
    names = ("api_key", "X-Auth-Token", "accessKey", "OPENAI_API_KEY", "DB_PASSWORD", "Cookie", "sig")
    others = ("tokenizer", "author", "GIT_AUTHOR_NAME", "keyboard", "max_tokens", "monkey", "signal")
    assert [name for name in (*names, *others) if is_secret_name(name)] == list(names)


def test_secrets_of_the_environment(tmp_path):
    held = {
        "OWN_API_KEY": "hush-1-key",
        "DATABASE_URL": "postgresql://me:hush-2@host/db",
        "AUTH_METHOD": "kubernetes",
        "AUTH_SOCK": str(tmp_path),
        "SHORT_KEY": "hush-3",
        "N_TOKEN": "1234567890",
        "NAME": "hush-4-name",
    }
    add_environment(held)
    text = " ".join(held.values())
    hidden = text.replace("hush-1-key", "…").replace("hush-2", "…")
    assert mask(text) == hidden


PLAIN = ("8000", "localhost:8000", "search.example.org", "127.0.0.1:80", "http://127.0.0.1:8000/x", "elastic", os.sep)


def test_a_variable_is_a_secret_by_its_name_whatever_it_holds_or_unless_it_is_plainly_none():
    for value in PLAIN:
        add_variable("WHERE", value)
        assert mask(f"doc-{value}") == f"doc-{value}"
    add_variable("SEARCH_KEY", "word")
    add_variable("WHERE", "https://me:hush-hush@host/")
    add_variable("OTHER", "hush-5-hush")
    assert mask("word hush-hush hush-5-hush") == "… … …"
