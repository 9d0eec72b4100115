"""assay chunk: files, folders and standard input, cut and shown."""

import json
from codecs import BOM_UTF16_LE, BOM_UTF32_BE

import pytest

SOURCE = "import os\n\n\nclass A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
ENCODED = {
    "utf-8": ("é\n".encode(), "é\n", ""),
    "byte-order mark": ("é\n".encode("utf-8-sig"), "é\n", "byte-order mark was removed"),
    "utf-16": ("é\n".encode("utf-16"), "é\n", "read as utf-16"),
    "utf-32": (BOM_UTF32_BE + "é\n".encode("utf-32-be"), "é\n", "read as utf-32"),
    "utf-16 with zeros": (BOM_UTF16_LE + "\0éa\n".encode("utf-16-le"), "\0éa\n", "read as utf-16"),
    "cp1252": ("é“\n".encode("cp1252"), "é“\n", "read as cp1252"),
    "latin-1": (b"\xe9\x81\n", "é\x81\n", "read as latin-1"),
    "zeros": (b"a\0b\r\n", "a\0b\r\n", ""),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "lib" / "inner").mkdir(parents=True)
    (tmp_path / "lib" / "inner" / "b.py").write_text("x = 1\n")
    (tmp_path / "lib" / "c.bin").write_bytes(b"\0\1")
    (tmp_path / "lib" / "d.txt").write_bytes("caf\xe9\n".encode("latin-1"))
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_what_it_shows(place, transcript):
    transcript("chunk/shown")


def test_standard_input(assay, stdin, transcript):
    stdin(SOURCE.encode())
    done = assay("chunk", "-", "--name", "z.py", "-c", "syntax_tree(size=30)", "-f", "json")
    assert ([one["title"] for one in json.loads(done.out)], "note" in done.err) == ([None, "A", "A.g"], False)
    stdin(b"text\n")
    transcript("chunk/piped")
    stdin(b"")
    transcript("chunk/empty")


def test_encodings_are_said_aloud(assay, stdin):
    for name, (content, text, note) in ENCODED.items():
        stdin(content)
        done = assay("chunk", "-", "-f", "json")
        assert (done.code, json.loads(done.out)[0]["text"]) == (0, text), name
        assert (note in done.err, "note" in done.err) == (True, bool(note)), name
