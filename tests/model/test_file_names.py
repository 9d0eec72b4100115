"""Names of files: the same file under other paths, and never one that might be another."""

import pytest

from assay.model.ids import FileNames, normal_path


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("a/b.py", "a/b.py"),
        ("./a/b.py", "a/b.py"),
        ("a\\b.py", "a/b.py"),
        (".\\a\\.\\b.py", "a/b.py"),
        ("a//b/../c.py", "a/c.py"),
        ("A/B.py", "A/B.py"),
        ("/a/b.py", "/a/b.py"),
        ("", ""),
    ],
)
def test_paths_are_written_alike(path, normal):
    assert normal_path(path) == normal


KNOWN = ["src/a/util.py", "src/b/util.py", "src/main.py", "readme.md"]


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("src/main.py", "src/main.py"),
        (".\\src\\main.py", "src/main.py"),
        ("main.py", "src/main.py"),
        ("/home/me/repo/src/main.py", "src/main.py"),
        ("a/util.py", "src/a/util.py"),
        ("repo/src/b/util.py", "src/b/util.py"),
        ("util.py", None),
        ("src/util.py", None),
        ("SRC/main.py", None),
        ("ain.py", None),
        ("main.pyc", None),
        ("docs/readme.md", "readme.md"),
        ("", None),
    ],
)
def test_a_path_means_a_file_where_only_one_can_be_meant(path, file):
    assert FileNames(KNOWN).match([path]) == {path: file}


def test_longer_paths_rule_each_other_out():
    assert FileNames(KNOWN).match(["docs/readme.md", "web/readme.md"]) == {"docs/readme.md": None, "web/readme.md": None}
    assert FileNames(KNOWN).match(["docs/readme.md", "readme.md"]) == {"docs/readme.md": None, "readme.md": "readme.md"}


def test_the_longest_ending_decides():
    assert FileNames(["c.py", "b/c.py"]).match(["x/b/c.py", "x/c.py"]) == {"x/b/c.py": "b/c.py", "x/c.py": "c.py"}


def test_names_come_back_as_they_are_known():
    assert FileNames([".\\a.py"]).match(["a.py"]) == {"a.py": ".\\a.py"}
    assert FileNames([]).match(["a.py"]) == {"a.py": None}
    assert (FileNames([]).n_files, FileNames(KNOWN).n_files) == (0, 4)


@pytest.mark.parametrize("other", ["./repo/src/a.py", "repo\\src\\a.py", "repo/x/../src/a.py"])
def test_two_spellings_of_one_path_are_one_claim(other):
    assert FileNames(["src/a.py"]).match(["repo/src/a.py", other]) == {"repo/src/a.py": "src/a.py", other: "src/a.py"}


def test_one_voice_that_has_both_tells_them_apart_and_two_that_have_one_each_do_not():
    both = {"a.py": "a.py", "repo/a.py": None}
    assert FileNames(["a.py"]).match(["a.py", "repo/a.py"]) == both
    assert FileNames(["a.py"]).match(["a.py"], ["repo/a.py"]) == {"a.py": "a.py", "repo/a.py": "a.py"}
    assert FileNames(["a.py"]).match(["x/a.py"], ["y/a.py"]) == {"x/a.py": None, "y/a.py": None}
