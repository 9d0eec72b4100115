"""The cached fingerprint of a corpus: always that of the documents as they are now."""

import json
import os

import pytest

from assay.datasets import load_dataset
from assay.errors import lenient_reading
from assay.execution import corpus_fingerprints
from assay.model import Document


@pytest.fixture(autouse=True)
def cached_at_any_size(monkeypatch):
    monkeypatch.setattr(corpus_fingerprints, "MIN_BYTES", 1)


@pytest.fixture
def corpus(tmp_path):
    """A BEIR folder with three documents; called with texts, it writes these."""
    folder = tmp_path / "bench"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "cat"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td0\t1\n")

    def write(*texts):
        lines = [json.dumps({"_id": f"d{number}", "text": text}) for number, text in enumerate(texts)]
        (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n")
        return folder

    write("cat", "dog", "cow")
    return write


def computed(folder):
    """The fingerprint without any cache."""
    return load_dataset(folder).fingerprint("documents")


def recalled(folder, cache, monkeypatch=None):
    """The fingerprint with the cache. With a monkeypatch, no document may be read."""
    dataset = load_dataset(folder)
    if monkeypatch is not None:
        with monkeypatch.context() as patch:
            patch.setattr(type(dataset.documents), "_stored", None)
            corpus_fingerprints.recall_fingerprints([dataset], cache)
            return dataset.fingerprint("documents")
    corpus_fingerprints.recall_fingerprints([dataset], cache)
    return dataset.fingerprint("documents")


def test_it_is_computed_once_for_equal_bytes(corpus, tmp_path, monkeypatch):
    folder, cache = corpus("cat", "dog"), tmp_path / "cache"
    expected = computed(folder)
    assert recalled(folder, cache) == expected
    assert recalled(folder, cache, monkeypatch) == expected


def test_a_file_with_other_bytes_and_the_same_size_and_time_has_another_fingerprint(corpus, tmp_path):
    folder, cache = corpus("cat", "dog"), tmp_path / "cache"
    file = folder / "corpus.jsonl"
    before, status = recalled(folder, cache), file.stat()
    corpus("cat", "cow")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    assert recalled(folder, cache) == computed(folder) != before


def test_a_dataset_notices_that_its_documents_change(corpus, tmp_path):
    dataset = load_dataset(corpus("cat", "dog", "cow"))
    corpus_fingerprints.recall_fingerprints([dataset], tmp_path / "cache")
    prints = [dataset.fingerprint("documents")]
    dataset.documents["d9"] = Document("d9", "owl")
    prints.append(dataset.fingerprint("documents"))
    del dataset.documents["d1"]
    prints.append(dataset.fingerprint("documents"))
    corpus_fingerprints.recall_fingerprints(
        [dataset], tmp_path / "cache"
    )  # the bytes of the file do not decide these documents
    assert dataset.fingerprint("documents") == prints[2]
    assert len(set(prints)) == 3
    dataset = load_dataset(corpus("cat", "dog", "cow"))
    first = dataset.fingerprint("documents")
    corpus("cat", "dog", "owl")
    assert dataset.fingerprint("documents") == computed(corpus("cat", "dog", "owl")) != first


def test_documents_that_were_left_out_are_not_cached(corpus, tmp_path):
    folder = corpus(*["cat"] * 300)
    with (folder / "corpus.jsonl").open("a") as file:
        file.write("broken\n")
    with lenient_reading():
        dataset = load_dataset(folder)
    corpus_fingerprints.recall_fingerprints([dataset], tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.slow
def test_a_damaged_or_unwritable_cache_only_costs_time(corpus, tmp_path):
    folder, cache = corpus("cat", "dog"), tmp_path / "cache"
    expected = recalled(folder, cache)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        assert recalled(folder, cache) == expected, at
        file.write_bytes(whole[:at])
        assert recalled(folder, cache) == expected, at
    assert recalled(folder, file) == expected  # a file where the folder should be
