"""The cache of embeddings: what goes in comes out, and no fault of it is fatal."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np

from assay.providers.embeddings import FILE, EmbeddingCache, key_of


def rows(n, start=0):
    return {key_of("m", str(number)): np.full(4, number, np.float32) for number in range(start, start + n)}


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def test_what_goes_in_comes_out(tmp_path):
    cache = EmbeddingCache(tmp_path / "new" / "folder")
    assert cache.read([b"x"]) == {}
    cache.write(rows(5))
    cache.write(rows(3, 4))
    assert same(cache.read([*rows(7), b"unknown"]), rows(7))


def test_keys_tell_models_and_texts_apart():
    keys = {key_of("a", "bc"), key_of("ab", "c"), key_of("", "abc"), key_of("a", "b"), key_of("a", "\ud800")}
    assert len(keys) == 5


def test_a_changed_row_is_not_believed(tmp_path):
    cache = EmbeddingCache(tmp_path)
    cache.write(rows(2))
    with closing(sqlite3.connect(cache.path)) as database, database:
        database.execute("UPDATE vectors SET vector = ? WHERE key = ?", (b"\x00" * 16, key_of("m", "1")))
    assert same(cache.read(list(rows(2))), rows(1))


def test_a_damaged_file_is_ignored_then_replaced(tmp_path):
    cache = EmbeddingCache(tmp_path)
    cache.write(rows(200))
    content = bytearray(cache.path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    cache.path.write_bytes(bytes(content))
    assert cache.read(list(rows(200))) == {}
    cache.write(rows(2))
    cache.write(rows(2))
    assert same(cache.read(list(rows(2))), rows(2))


def test_a_place_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = EmbeddingCache(tmp_path / "file")
    cache.write(rows(1))
    assert cache.read(list(rows(1))) == {}
    (tmp_path / FILE).mkdir()
    EmbeddingCache(tmp_path).write(rows(1))
    assert EmbeddingCache(tmp_path).read(list(rows(1))) == {}


def test_several_processes_may_write_at_once(tmp_path):
    code = (
        "import sys, numpy as np; from assay.providers.embeddings import EmbeddingCache, key_of;"
        "start = int(sys.argv[2]); cache = EmbeddingCache(sys.argv[1]);"
        "[cache.write({key_of('m', str(n)): np.full(4, n, np.float32)}) for n in range(start, start + 20)]"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(20 * n)]) for n in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert same(EmbeddingCache(tmp_path).read(list(rows(60))), rows(60))
