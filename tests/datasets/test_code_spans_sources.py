"""code_spans: where the sources of tasks are looked for, and which of them become documents."""

import pytest

from assay import DataError
from assay.datasets import source_tree
from assay.datasets.format import load_dataset
from assay.views.chunk_locations import count_lines

from ._cases import BOM, write
from ._code_spans import made, task


@pytest.mark.parametrize("folder", ["repo", "repos", "repositories", "files", "src", "."])
@pytest.mark.parametrize("by_file", [True, False], ids=["file", "folder"])
def test_sources_are_found(tmp_path, folder, by_file):
    made(tmp_path, [task("pkg/a.py")], {f"{folder}/pkg/a.py": "x\n", f"{folder}/b.py": "y\n"})
    dataset = load_dataset(tmp_path / "tasks.jsonl" if by_file else tmp_path)
    assert sorted(dataset.documents) == ["b.py", "pkg/a.py"]
    assert not dataset.repairs


def test_the_folder_that_has_the_files_is_the_one(tmp_path):
    made(tmp_path, [task("src/a.py")], {"src/a.py": "x\n", "repo/other.py": "y\n", "notes.md": "n"})
    assert sorted(load_dataset(tmp_path).documents) == ["notes.md", "repo/other.py", "src/a.py"]


def test_without_any_source_nothing_is_taken_for_one(tmp_path):
    made(tmp_path, [task("gone.py")], {"private/letter.txt": "…"})
    dataset = load_dataset(tmp_path)
    assert not dataset.documents
    assert [repair.is_loss for repair in dataset.repairs] == [True]


def test_what_leads_out_of_the_folder_is_not_read(tmp_path):
    write(tmp_path / "secret.py", "x\n")
    inner = tmp_path / "inner"
    tasks = [task("../secret.py"), task("../../secret.py"), task(str(tmp_path / "secret.py")), task("link.py"), task("a\0b")]
    made(inner, tasks, {"repo/a.py": "x\n"})
    (inner / "repo" / "link.py").symlink_to(tmp_path / "secret.py")
    dataset = load_dataset(inner)
    assert list(dataset.documents) == ["a.py"]
    assert sum(repair.is_loss for repair in dataset.repairs) == len(tasks)
    assert dataset.metadata["skipped_files"] == {"links": 1}


def test_paths_of_windows_are_paths(tmp_path):
    made(tmp_path, [task(".\\pkg\\a.py")], {"repo/pkg/a.py": "x\n"})
    dataset = load_dataset(tmp_path)
    assert dataset.qrels == {"q1": {"pkg/a.py": 1}}
    assert [(repair.what, repair.is_loss) for repair in dataset.repairs] == [
        ("the file .\\pkg\\a.py is written pkg/a.py", False)
    ]


def test_only_sources_are_documents(tmp_path, monkeypatch):
    monkeypatch.setattr(source_tree, "MAX_BYTES", 10)
    sources = {
        "a.py": "x\n",
        "Makefile": "all:",
        ".hidden.py": "x",
        ".git/config.txt": "x",
        "node_modules/m.js": "x",
        "__pycache__/c.py": "x",
        "picture.png": "x",
        "nul.py": b"a\0b",
        "long.py": "x" * 11,
    }
    made(tmp_path, [task()], {f"repo/{name}": content for name, content in sources.items()})
    dataset = load_dataset(tmp_path)
    assert sorted(dataset.documents) == ["Makefile", "a.py"]
    assert dataset.metadata["skipped_files"] == {
        "binary": 1,
        "folders hidden or of others": 3,
        "hidden": 1,
        "larger than 2 MB": 1,
        "other endings": 1,
    }


@pytest.mark.parametrize("name", ["odd.xyz", ".github/ci.yml", "noending", "long.py"])
def test_a_file_with_a_span_is_a_document(tmp_path, monkeypatch, name):
    monkeypatch.setattr(source_tree, "MAX_BYTES", 10)
    made(tmp_path, [task(name)], {f"repo/{name}": "x" * 11})
    dataset = load_dataset(tmp_path)
    assert list(dataset.documents) == [name]
    assert not dataset.repairs


@pytest.mark.parametrize("content", [b"a\0b", b"\xff\xfea\0b"], ids=["plain", "a mark alone"])
def test_a_binary_file_with_a_span_is_a_loss(tmp_path, content):
    made(tmp_path, [task()], {"repo/a.py": content})
    assert [repair.what for repair in load_dataset(tmp_path).repairs] == ["a.py is not among the source files"]


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(source_tree, "MAX_FILES", 2)
    made(tmp_path, [task()], {f"repo/{name}.py": "x\n" for name in "abc"})
    with pytest.raises(DataError, match="more than 2 files"):
        load_dataset(tmp_path)


@pytest.mark.parametrize(
    ("content", "text", "said"),
    [
        ("Größe\r\n".encode(), "Größe\r\n", None),
        ("Größe\n".encode("cp1252"), "Größe\n", "not valid UTF-8; read as cp1252"),
        (b"\x81\xe9\n", "\x81é\n", "not valid UTF-8; read as latin-1"),
        ("Größe\n".encode("utf-16"), "Größe\n", "not valid UTF-8; read as utf-16"),
        ("\ufeffGröße\n".encode("utf-16-be"), "Größe\n", "not valid UTF-8; read as utf-16"),
        ("Größe\n".encode("utf-32"), "Größe\n", "not valid UTF-8; read as utf-32"),
        ("\ufeffGröße\n".encode("utf-32-be"), "Größe\n", "not valid UTF-8; read as utf-32"),
        (BOM + b"x\n", "x\n", "its byte-order mark was left out; characters are counted without it"),
        (b"", "", "lines 1 to 1 are not in a.py, which has 0 lines"),
    ],
    ids=["UTF-8", "cp1252", "Latin-1", "UTF-16", "UTF-16 BE", "UTF-32", "UTF-32 BE", "BOM", "empty"],
)
def test_old_encodings_are_read_and_noted(tmp_path, content, text, said):
    dataset = load_dataset(made(tmp_path, [task()], {"repo/a.py": content}))
    assert dataset.documents["a.py"].text == text
    assert [repair.what for repair in dataset.repairs] == ([said] if said else [])


@pytest.mark.parametrize(
    ("text", "n_lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\r\nb\x0c\u2028\r\n", 2)]
)
def test_lines_end_in_line_feeds(text, n_lines):
    assert count_lines(text) == n_lines
