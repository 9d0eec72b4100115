"""The helper that compares texts with tests/snapshots."""

import os
import re
from collections import Counter

import pytest
from tests import _snapshots
from tests._snapshots import FOLDER, Snapshots, is_same

from assay.errors import UsageError


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A folder with one snapshot, whatever the run of the tests does with those of the repository."""
    monkeypatch.setattr(_snapshots, "IS_WRITING", False)
    (tmp_path / "score").mkdir()
    (tmp_path / "score" / "missing.txt").write_text("## case\nUsageError: no file <tmp>/a\n\n")
    return Snapshots(tmp_path, tmp_path)


def _raise(error):
    raise error


def test_a_text_is_compared_and_its_folder_masked(written, tmp_path):
    written.check_errors("score/missing", {"case": lambda: _raise(UsageError(f"no file {tmp_path}/a"))})
    with pytest.raises(pytest.fail.Exception):
        written.check_errors("score/missing", {"case": lambda: _raise(UsageError(f"no file {tmp_path}/b"))})


def test_what_is_not_there_fails(written):
    with pytest.raises(pytest.fail.Exception, match="no snapshot score/other"):
        written.check("score/other", "text")
    with pytest.raises(pytest.fail.Exception, match="no error"):
        written.check_errors("score/missing", {"case": lambda: None})


def test_only_the_last_digits_of_long_numbers_may_differ():
    assert is_same("a,0.9865595836219592,1.0\n", "a,0.986559583621959,1.0\n")
    assert is_same("a,1.0\n", "a,0.9999999999999998\n")
    assert not is_same("a,0.98655958362\n", "a,0.98655958361\n")
    assert not is_same("a,0.9865595836219592\n", "a,0.9865595846219592\n")
    assert not is_same("a,0.9865595836219592\n", "b,0.9865595836219592\n")
    assert not is_same("0.9865595836219592 0.9865595836219592", "0.9865595836219592")


def test_writing_makes_the_file(written, monkeypatch):
    monkeypatch.setattr(_snapshots, "IS_WRITING", True)
    written.check("compare/new", "text\n")
    assert (written.folder / "compare" / "new.txt").read_text() == "text\n"


def test_writing_keeps_digits_that_depend_on_the_processor(written, monkeypatch):
    """A change is reviewed by its diff, so that must have only what the change did; the new time marks the file as read."""
    monkeypatch.setattr(_snapshots, "IS_WRITING", True)
    file = written.folder / "score" / "figures.txt"
    file.write_text("map,0.9865595836219592\n")
    os.utime(file, (0, 0))
    written.check("score/figures", "map,0.986559583621959\n")
    assert (file.read_text(), file.stat().st_mtime > 0) == ("map,0.9865595836219592\n", True)
    written.check("score/figures", "map,0.9875595836219592\n")
    assert file.read_text() == "map,0.9875595836219592\n"


def test_a_snapshot_belongs_to_one_file_of_tests():
    """Two that write the same file would overwrite each other; and what none reads goes."""
    names = {str(file.relative_to(FOLDER).with_suffix("")) for file in FOLDER.rglob("*.txt")}
    texts = [file.read_text(encoding="utf-8") for file in FOLDER.parent.rglob("*.py")]
    shared = Counter(name for text in texts for name in names & set(re.findall(r'"([\w/-]+)"', text)))
    assert [name for name, count in shared.items() if count > 1] == []
    begun = tuple(begin for text in texts for begin in re.findall(r'f"(\w+/[\w-]*)\{', text))
    assert [name for name in names - shared.keys() if not name.startswith(begun)] == []
