"""assay chunk: files, folders and standard input, cut and shown."""

import io
import json
import sys
from codecs import BOM_UTF16_LE, BOM_UTF32_BE

import pytest

SOURCE = "import os\n\n\nclass A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(SOURCE)
    return tmp_path


@pytest.fixture
def given(monkeypatch):
    """What standard input holds."""

    def give(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


def test_as_json(assay, place):
    done = assay("chunk", "a.py", "--chunker", "syntax_tree(size=30)", "--format", "json")
    assert done.code == 0
    found = json.loads(done.out)
    assert [(one["id"], one["title"]) for one in found] == [
        ("a.py:1-3", None),
        ("a.py:4-7", "A"),
        ("a.py:8-9", "A.g"),
    ]
    for one in found:
        assert SOURCE[one["start"] : one["end"]] == one["text"]
        assert (one["start_line"], one["end_line"]) == (
            SOURCE.count("\n", 0, one["start"]) + 1,
            SOURCE.count("\n", 0, one["end"] - 1) + 1,
        )
    assert done.err.startswith("3 chunks of 1 file · characters: median")


def test_as_a_table_by_default(assay, place):
    done = assay("chunk", "a.py")
    assert done.code == 0
    assert done.out.splitlines()[1].split() == ["a.py:1-9", "0", "90", "14"]
    assert done.out.splitlines()[-1] == (
        "1 chunk of 1 file · characters: median 90, mean 90, 5–95 % 90–90, largest 90"
        " · words: median 14, mean 14, 5–95 % 14–14, largest 14"
    )


def test_as_text(assay, place):
    done = assay("chunk", "a.py", "-c", "syntax_tree(size=30)", "-f", "text")
    assert done.out.startswith(
        "=== a.py:1-3\nimport os\n\n=== a.py:4-7  A\nclass A:\n    def f(self):\n        return 1\n\n==="
    )


def test_several_files_and_folders_each_once(assay, place):
    (place / "lib" / "inner").mkdir(parents=True)
    (place / "lib" / "inner" / "b.py").write_text("x = 1\n")
    (place / "lib" / "c.bin").write_bytes(b"\0\1")
    (place / "lib" / "d.txt").write_bytes("caf\xe9\n".encode("latin-1"))
    done = assay("chunk", "lib", "a.py", "./a.py", "-f", "json")
    assert [one["doc_id"] for one in json.loads(done.out)] == ["lib/d.txt", "lib/inner/b.py", "a.py"]
    assert "note: lib: left out: other endings (1)\n" in done.err
    assert "note: lib/d.txt: not valid UTF-8; read as cp1252\n" in done.err


def test_files_behind_options(assay, place):
    (place / "b.py").write_text("x = 1\n")
    done = assay("chunk", "a.py", "-f", "json", "b.py")
    assert [one["doc_id"] for one in json.loads(done.out)] == ["a.py", "b.py"]


def test_standard_input_with_a_name(assay, given):
    given(SOURCE.encode())
    done = assay("chunk", "-", "--name", "z.py", "-c", "syntax_tree(size=30)", "-f", "json")
    assert [one["title"] for one in json.loads(done.out)] == [None, "A", "A.g"]
    assert "note" not in done.err


def test_standard_input_without_a_name(assay, given):
    given(b"text\n")
    done = assay("chunk", "-", "-c", "syntax_tree", "-f", "json")
    assert json.loads(done.out)[0]["id"] == "stdin:1-1"
    assert "note: 1 file: no grammar for files without an ending: cut into lines, as fixed_lines does\n" in done.err


@pytest.mark.parametrize(
    ("content", "text", "notes"),
    [
        ("é\n".encode(), "é\n", []),
        ("é\n".encode("utf-8-sig"), "é\n", ["byte-order mark was left out"]),
        ("é\n".encode("utf-16"), "é\n", ["read as utf-16"]),
        ("é\n".encode("utf-32"), "é\n", ["read as utf-32"]),
        (BOM_UTF32_BE + "é\n".encode("utf-32-be"), "é\n", ["read as utf-32"]),
        (BOM_UTF16_LE + "\0éa\n".encode("utf-16-le"), "\0éa\n", ["read as utf-16"]),
        ("é“\n".encode("cp1252"), "é“\n", ["read as cp1252"]),
        (b"\xe9\x81\n", "é\x81\n", ["read as latin-1"]),
        (b"\xff\xfe\n", None, ["read as"]),
        (b"a\0b\r\n", "a\0b\r\n", []),
    ],
)
def test_encodings_are_said_aloud(assay, given, content, text, notes):
    given(content)
    done = assay("chunk", "-", "-f", "json")
    assert done.code == 0
    if text is not None:
        assert json.loads(done.out)[0]["text"] == text
    assert ("note" in done.err) == bool(notes)
    assert all(note in done.err for note in notes)


def test_an_empty_file_has_no_chunk(assay, given):
    given(b"")
    done = assay("chunk", "-")
    assert (done.code, done.out) == (0, "0 chunks of 1 file\n")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "say what to cut"),
        (["-", "-"], 2, "read once only"),
        (["a.py", "--name", "b.py"], 2, "--name is for standard input"),
        (["nowhere.py"], 3, "nowhere.py: no such file"),
        (["a.py/b"], 3, "a.py/b: cannot be read: Not a directory"),
        (["a.py", "-c", "lines"], 2, "no chunker is called 'lines'"),
        (["a.py", "-c", "fixed_lines(size=x)"], 2, "a whole number from 1 up"),
        (["empty"], 3, "empty: no source files in this folder"),
    ],
)
def test_what_is_wrong_is_said(assay, place, words, code, said):
    (place / "empty").mkdir()
    done = assay("chunk", *words)
    assert done.code == code
    assert said in done.err
    assert done.out == ""


def test_a_missing_package_is_one_line_before_anything_is_read(assay, place, monkeypatch):
    from assay.chunkers import chunker

    monkeypatch.setattr(chunker, "find_spec", lambda name: None)
    done = assay("chunk", "nowhere.py", "-c", "syntax_tree")
    assert (done.code, done.err) == (2, "error: syntax_tree needs tree-sitter: pip install 'assay[chunkers]'\n")


def test_a_terminal_is_not_harmed(terminal, place):
    (place / "evil.txt").write_text("a\x1b[2Jb\tc\r\n")
    shown = terminal("chunk", "evil.txt", "-f", "text").out
    assert "\x1b[2J" not in shown
    assert "a\\x1b[2Jb\tc\n" in shown


def test_a_process_hands_on_every_character(process, place):
    content = "a\x1b[2Jb\tc é\n"
    (place / "evil.txt").write_text(content, encoding="utf-8")
    assert content in process("chunk", "evil.txt", "-f", "text", cwd=place).out


def test_the_summary_fits_a_terminal(terminal, place):
    shown = terminal("chunk", "a.py", columns=60)
    assert shown.code == 0
    assert max(map(len, shown.out.splitlines())) <= 60
    assert "largest 14" in shown.out
