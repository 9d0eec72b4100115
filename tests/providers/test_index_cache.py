"""The cache of indexes: the same answers with and without it, never stale, and never a reason to fail."""

import errno
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import bm25s
import numpy as np
import pytest
import Stemmer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay import Document, Query, array_file
from assay.model import fingerprint
from assay.providers import CountedDocuments, index_cache, reporting_to
from assay.text import words_of

from ._asking import provider

WORDS = st.sampled_from(["cat", "cats", "dog", "the", "Straße", "東京", "running", "ran", "x\ud800", "e\u0301"])
TEXTS = st.lists(st.lists(WORDS, max_size=8).map(" ".join), min_size=1, max_size=12)
CHOICES = st.fixed_dictionaries(
    {
        "k1": st.sampled_from([0, 0.9, 1.5, 3]),
        "b": st.sampled_from([0, 0.4, 0.75, 1]),
        "method": st.sampled_from(["lucene", "robertson", "atire"]),
        "language": st.sampled_from(["en", "de", "zh"]),
        "stem": st.booleans(),
        "stopwords": st.booleans(),
    }
)
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def cached_at_any_size(monkeypatch):
    monkeypatch.setattr(index_cache, "MIN_DOCUMENTS", 1)


class Corpus(list):
    """Documents that count how often all of them are read."""

    def __init__(self, texts):
        super().__init__(Document(f"d{number}", text) for number, text in enumerate(texts))
        self.n_passes = 0

    def __iter__(self):
        self.n_passes += 1
        return super().__iter__()

    def fingerprint(self):
        return fingerprint((document.doc_id, document.content) for document in list.__iter__(self))

    @property
    def counted(self):
        return CountedDocuments(self, self.fingerprint)


class Noted:
    """Remembers notes on caches."""

    def __init__(self):
        self.notes = []

    def note_cache(self, what):
        self.notes.append(what)

    def count_documents(self, *_):
        pass


@contextmanager
def noting():
    noted = Noted()
    with reporting_to(noted):
        yield noted.notes


def written(name="bm25", **choices):
    return f"{name}({', '.join(f'{key}={value}'.lower() for key, value in choices.items())})"


def answers(text, documents, folder, queries):
    """The hits of a provider that caches in a folder; no folder: no cache."""
    retriever = provider(text).filled(cache=str(folder or "")).make()
    retriever.index(documents)
    found = retriever.search([Query(str(number), query) for number, query in enumerate(queries)], 100)
    return [[(hit.doc_id, hit.score) for hit in hits] for hits in found]


def indexes(folder):
    return sorted(path.name for path in Path(folder).iterdir() if path.suffix == ".index")


@FEW
@given(texts=TEXTS, choices=CHOICES, queries=TEXTS)
def test_answers_are_the_same_with_and_without_a_cache(texts, choices, queries, tmp_path_factory):
    folder, corpus = tmp_path_factory.mktemp("cache"), Corpus(texts)
    plain = answers(written(**choices), list(corpus), None, queries)
    built = answers(written(**choices), corpus.counted, folder, queries)
    n_passes = corpus.n_passes
    loaded = answers(written(**choices), corpus.counted, folder, queries)
    assert plain == built == loaded
    assert corpus.n_passes == n_passes  # a cached index needs no document
    assert len(indexes(folder)) == 1


STOP = {"en": bm25s.stopwords.STOPWORDS_EN, "de": bm25s.stopwords.STOPWORDS_GERMAN, "zh": bm25s.stopwords.STOPWORDS_CHINESE}
STEMS = {"en": Stemmer.Stemmer("english").stemWord, "de": Stemmer.Stemmer("german").stemWord, "zh": str}


def terms(text, choices):
    """The terms of a text, by the packages themselves."""
    language = choices["language"]
    stop = {folded[0] for word in STOP[language] if len(folded := words_of(word)) == 1} if choices["stopwords"] else ()
    stem = STEMS[language] if choices["stem"] else str
    return [stem(word) for word in words_of(text) if word not in stop]


@FEW
@given(texts=TEXTS, choices=CHOICES, query=st.lists(WORDS, max_size=5))
def test_every_score_is_that_of_bm25s_bit_for_bit(texts, choices, query):
    corpus = Corpus(texts)
    ordered = sorted(corpus, key=lambda document: document.doc_id, reverse=True)
    rows = [terms(document.content, choices) for document in ordered]
    numbers = {term: number for number, term in enumerate(dict.fromkeys(term for row in rows for term in row))}
    asked = [numbers[term] for term in terms(" ".join(query), choices) if term in numbers]
    expected = {}
    if asked:
        bare = bm25s.BM25(k1=choices["k1"], b=choices["b"], method=choices["method"], backend="numpy")
        numbered = [[numbers[term] for term in row] for row in rows]
        bare.index((numbered, numbers), create_empty_token=False, show_progress=False)
        scores = bare.get_scores_from_ids(asked)
        expected = {document.doc_id: float(score) for document, score in zip(ordered, scores, strict=True) if score > 0}
    (found,) = answers(written(**choices), corpus, None, [" ".join(query)])
    assert dict(found) == expected


TEXT = ["a cat", "a dog and a cat", "the dog runs", "nothing else"]
QUERIES = ["cat", "dogs running", "nobody"]


def test_whatever_decides_an_index_changes_its_name(tmp_path, monkeypatch):
    corpus = Corpus(TEXT)

    def changed(text="bm25", documents=corpus):
        before = set(indexes(tmp_path)) if tmp_path.exists() else set()
        answers(text, documents.counted, tmp_path, QUERIES)
        return len(set(indexes(tmp_path)) - before)

    assert changed() == 1
    assert changed() == 0
    for text in ("k1=0.9", "b=0.5", "method=atire", "language=de", "stem=false", "stopwords=false"):
        assert changed(f"bm25({text})") == 1, text
    assert changed(documents=Corpus([*TEXT[:3], "nothing else!"])) == 1
    assert changed(documents=Corpus(TEXT[:3])) == 1
    monkeypatch.setattr(index_cache, "__version__", "99")
    assert changed() == 1
    monkeypatch.setattr("assay.providers.catalog.bm25.installed_version", lambda name: f"{name} 99")
    assert changed() == 1
    assert changed() == 0


def test_a_small_corpus_and_documents_without_a_fingerprint_are_not_cached(tmp_path, monkeypatch):
    corpus = Corpus(TEXT)
    answers("bm25", CountedDocuments(corpus), tmp_path, QUERIES)
    answers("bm25", list(corpus), tmp_path, QUERIES)
    monkeypatch.setattr(index_cache, "MIN_DOCUMENTS", 5)
    answers("bm25", corpus.counted, tmp_path, QUERIES)
    assert list(tmp_path.iterdir()) == []


def test_documents_that_change_while_they_are_indexed_are_not_cached(tmp_path):
    corpus = Corpus(TEXT)
    prints = iter(["before", "after"])
    answers("bm25", CountedDocuments(corpus, lambda: next(prints)), tmp_path, QUERIES)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_noted_and_built_again(tmp_path):
    corpus = Corpus(TEXT)
    expected = answers("bm25", corpus.counted, tmp_path, QUERIES)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    used = np.flatnonzero(np.frombuffer(whole, np.uint8))  # bytes between arrays are 0, and do not matter
    places = np.random.default_rng(0).choice(used, 60).tolist()
    flips = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in places]
    cuts = [whole[:at] for at in (0, 1, 20, 40, len(whole) // 2, len(whole) - 1)]
    for content in (*flips, *cuts, whole + b"x", b"assay arrays 1\nffffffff 00000000\n", b"{}" * 100):
        path.write_bytes(content)
        with noting() as notes:
            assert answers("bm25", corpus.counted, tmp_path, QUERIES) == expected
        assert notes == [f"the cached index {path} is damaged, so it is built again"]
        assert path.read_bytes() == whole


def test_a_file_of_another_index_is_not_used(tmp_path):
    corpus, other = Corpus(TEXT), Corpus(["cat cat", *TEXT[1:]])
    expected = answers("bm25", corpus.counted, tmp_path, QUERIES)
    (path,) = tmp_path.iterdir()
    answers("bm25", other.counted, tmp_path / "other", QUERIES)
    (theirs,) = (tmp_path / "other").iterdir()
    path.write_bytes(theirs.read_bytes())
    assert answers("bm25", corpus.counted, tmp_path, QUERIES) == expected


def test_a_cache_that_cannot_be_written_costs_only_the_cache(tmp_path, monkeypatch):
    corpus = Corpus(TEXT)
    expected = answers("bm25", corpus.counted, None, QUERIES)
    (tmp_path / "file").write_text("not a folder")
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    for folder in (tmp_path / "file", *([] if os.access(locked, os.W_OK) else [locked])):
        with noting() as notes:
            assert answers("bm25", corpus.counted, folder, QUERIES) == expected
        assert len(notes) == 1
        assert notes[0].startswith("the index is not cached, because the cache cannot be written (")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(array_file, "_bytes_of", full)
    with noting() as notes:
        assert answers("bm25", corpus.counted, tmp_path / "full", QUERIES) == expected
    assert "No space left on device" in notes[0]


def test_duplicate_ids_are_an_error_and_not_cached(tmp_path):
    corpus = Corpus(TEXT)
    corpus.append(corpus[0])
    with pytest.raises(Exception, match="two documents have the id d0"):
        answers("bm25", corpus.counted, tmp_path, QUERIES)
    assert list(tmp_path.iterdir()) == []


def build_together(folder, barrier, queue):
    index_cache.MIN_DOCUMENTS = 1
    corpus = Corpus([*TEXT, *(f"word{number}" for number in range(2000))])
    barrier.wait()
    queue.put(answers("bm25", corpus.counted, folder, QUERIES))


@pytest.mark.slow
def test_processes_that_build_at_once_agree(tmp_path):
    context = get_context("spawn")
    barrier, queue = context.Barrier(2), context.Queue()
    processes = [context.Process(target=build_together, args=(tmp_path, barrier, queue)) for _ in range(2)]
    for process in processes:
        process.start()
    first, second = queue.get(timeout=120), queue.get(timeout=120)
    for process in processes:
        process.join()
    assert first == second
    assert [process.exitcode for process in processes] == [0, 0]
    assert [path.name for path in tmp_path.iterdir()] == indexes(tmp_path)
    assert len(indexes(tmp_path)) == 1


KILLED = """
import os, signal
from assay import array_file
from assay.providers import index_cache
from tests.providers.test_index_cache import QUERIES, TEXT, Corpus, answers

index_cache.MIN_DOCUMENTS = 1
plain, n_calls = array_file._bytes_of, iter(range(1000))

def bytes_of(array):
    if next(n_calls) == {at}:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(array)

array_file._bytes_of = bytes_of
answers("bm25", Corpus(TEXT).counted, {folder!r}, QUERIES)
"""


@pytest.mark.parametrize("at", [pytest.param(8, marks=pytest.mark.slow), 11, pytest.param(15, marks=pytest.mark.slow)])
def test_a_process_that_is_killed_while_it_writes_leaves_no_index(at, tmp_path):
    """The first eight calls compute checksums, the others write."""
    code = KILLED.format(at=at, folder=str(tmp_path))
    killed = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert indexes(tmp_path) == []
    assert [path.suffix for path in tmp_path.iterdir()] == [".tmp"]
    corpus = Corpus(TEXT)
    assert answers("bm25", corpus.counted, tmp_path, QUERIES) == answers("bm25", corpus.counted, None, QUERIES)
    assert [path.name for path in tmp_path.iterdir()] == indexes(tmp_path)


def test_parts_of_a_provider_are_cached_too(tmp_path):
    """The second time no part reads a document."""
    corpus = Corpus(TEXT)
    text = "hybrid(bm25, bm25(k1=0.9))"
    expected = answers(text, list(corpus), None, QUERIES)
    assert answers(text, corpus.counted, tmp_path, QUERIES) == expected
    n_passes = corpus.n_passes
    assert answers(text, corpus.counted, tmp_path, QUERIES) == expected
    assert (corpus.n_passes, len(indexes(tmp_path))) == (n_passes, 2)


def test_vectors_of_all_documents_are_cached(tmp_path, monkeypatch):
    corpus = Corpus([*TEXT, "", "  "])
    expected = answers("dense", list(corpus), None, QUERIES)
    for _ in range(2):
        assert answers("dense", corpus.counted, tmp_path, QUERIES) == expected
    assert len(indexes(tmp_path)) == 1
    n_passes = corpus.n_passes
    (path,) = tmp_path.glob("*.index")
    path.write_bytes(path.read_bytes()[:-9])
    with noting() as notes:
        assert answers("dense", corpus.counted, tmp_path, QUERIES) == expected
    assert "is damaged" in notes[0]
    assert corpus.n_passes > n_passes
    answers("dense(document_prefix='text: ')", corpus.counted, tmp_path, QUERIES)
    answers("dense(query_prefix='query: ')", corpus.counted, tmp_path, QUERIES)  # decides nothing about documents
    assert len(indexes(tmp_path)) == 2
    monkeypatch.setattr("assay.providers.catalog.dense.model_identity", lambda *_: "another revision")
    answers("dense", corpus.counted, tmp_path, QUERIES)
    assert len(indexes(tmp_path)) == 3


def test_a_cached_index_without_any_word(tmp_path):
    for texts in (["", " "], ["the", "of the"]):
        corpus = Corpus(texts)
        for _ in range(2):
            assert answers("bm25", corpus.counted, tmp_path, ["cat", ""]) == [[], []]
            assert answers("dense", Corpus(["", " "]).counted, tmp_path, ["cat"]) == [[]]
