"""dense: the model in the wheel, models of sentence-transformers, and errors that name what is missing."""

from __future__ import annotations

import logging
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from assay.errors import ProviderError
from assay.model.records import Document, Query
from assay.providers.embeddings import FILE, WORDLLAMA, _identity, embed, load_model

from ._written import parse_provider

DOCUMENTS = [
    Document("fox", "a fox runs through the forest"),
    Document("bank", "interest rates and savings accounts"),
    Document("empty", " "),
    Document("long", "rain " * 20_000),
]


def ids(text, query, k=10):
    retriever = parse_provider(text).make()
    retriever.index(DOCUMENTS)
    return [hit.doc_id for hit in retriever.search([Query("q", query)], k)[0]]


def test_what_is_meant_is_found():
    assert ids("dense", "wild animals in the woods", 1) == ["fox"]
    assert ids("dense", "money", 1) == ["bank"]
    assert ids("dense", "storm weather", 9)[0] == "long"


def test_a_blank_document_is_never_found():
    assert sorted(ids("dense", "anything")) == ["bank", "fox", "long"]


def test_vectors_are_those_of_wordllama():
    import wordllama

    package = Path(wordllama.__file__).parent
    original = wordllama.WordLlama.load(cache_dir=package, disable_download=True)
    texts = ["a fox", "Straße 東京", "one two three four five", "x" * 500]
    assert np.allclose(embed(load_model(WORDLLAMA), texts), original.embed(texts, norm=True), atol=1e-6)


def test_a_vector_depends_on_its_text_alone():
    texts = [f"text {'word ' * number}number {number}" for number in range(40)]
    model = load_model(WORDLLAMA)
    alone = np.concatenate([embed(model, [text]) for text in texts])
    assert np.array_equal(embed(model, [*texts, texts[3], ""])[:40], alone)


def test_scores_are_cosines():
    retriever = parse_provider("dense").make()
    retriever.index(DOCUMENTS)
    (hits,) = retriever.search([Query("q", DOCUMENTS[0].text)], 10)
    assert hits[0].score == pytest.approx(1)
    assert all(-1.0001 <= hit.score <= 1.0001 for hit in hits)


def test_everybodys_logging_is_left_alone():
    code = (
        "import logging; from assay.providers.embeddings import load_model; load_model('wordllama');"
        "print(logging.getLogger().handlers, logging.getLogger().level)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"[] {logging.WARNING}"
    assert done.stderr == ""


def test_a_missing_package_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ProviderError, match=r"^dense needs wordllama: pip install 'assay\[dense\]'$"):
        parse_provider("dense").make()
    with pytest.raises(ProviderError, match=r"needs sentence-transformers: pip install 'assay\[sentence-transformers\]'$"):
        parse_provider("dense(model=intfloat/e5-small)").make()


@pytest.fixture
def stand_in(monkeypatch):
    """A package with the face of sentence-transformers; its vectors count letters. Returns the texts it was asked for."""
    asked = []

    class SentenceTransformer:
        def __init__(self, name):
            if name == "nowhere":
                raise OSError("no such model")
            self.name = name

        def encode(self, texts, convert_to_numpy, show_progress_bar):
            assert convert_to_numpy
            assert not show_progress_bar
            asked.extend(texts)
            rows = [[text.count(letter) for letter in "abcdefgh"] for text in texts]
            return np.array(rows, np.float64) * (np.nan if self.name == "broken" else 1)

    module = ModuleType("sentence_transformers")
    module.__spec__ = ModuleSpec("sentence_transformers", None)
    module.SentenceTransformer = SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    load_model.cache_clear()
    yield asked
    load_model.cache_clear()


def test_a_model_by_name_with_its_prefixes(stand_in):
    retriever = parse_provider("dense(model=my/model, query_prefix='query: ', document_prefix='passage: ')").make()
    retriever.index([Document("1", "aab"), Document("2", "ccc"), Document("3", "")])
    assert [hit.doc_id for hit in retriever.search([Query("q", "c")], 1)[0]] == ["2"]
    assert stand_in == ["passage: ccc", "passage: aab", "query: c"]


def test_a_model_that_cannot_be_loaded_or_gives_nonsense(stand_in):
    with pytest.raises(ProviderError, match="'nowhere' cannot be loaded: no such model"):
        parse_provider("dense(model=nowhere)").make().index(DOCUMENTS)
    with pytest.raises(ProviderError, match="not finite"):
        parse_provider("dense(model=broken)").make().index(DOCUMENTS)


def test_known_texts_are_not_embedded_again(stand_in, tmp_path):
    text = f"dense(model=my/model, cache='{tmp_path}')"
    first, second = parse_provider(text).make(), parse_provider(text).make()
    documents = [Document("1", "aab"), Document("2", "ccc"), Document("3", "aab")]
    first.index(documents)
    answers = first.search([Query("q", "abc")], 3)
    assert stand_in == ["aab", "ccc", "abc"]
    second.index(documents)
    assert second.search([Query("q", "abc")], 3) == answers
    assert stand_in == ["aab", "ccc", "abc"]
    other = parse_provider(f"dense(model=other, cache='{tmp_path}')").make()
    other.index(documents)
    assert len(stand_in) == 5


def test_a_damaged_cache_costs_time_only(stand_in, tmp_path):
    text = f"dense(model=my/model, cache='{tmp_path}')"
    for damage in (b"", b"no database at all " * 100):
        (tmp_path / FILE).write_bytes(damage)
        retriever = parse_provider(text).make()
        retriever.index([Document("1", "aab")])
        assert [hit.doc_id for hit in retriever.search([Query("q", "a")], 1)[0]] == ["1"]
    assert stand_in == ["aab", "a"] * 2
    parse_provider(text).make().index([Document("1", "aab")])
    assert stand_in == ["aab", "a"] * 2


def test_a_folder_that_was_trained_again_is_another_model(tmp_path):
    (tmp_path / "weights").write_text("1")
    before = _identity(str(tmp_path))
    (tmp_path / "weights").write_text("12")
    assert _identity(str(tmp_path)) != before
    assert _identity("some/name") == "some/name"
