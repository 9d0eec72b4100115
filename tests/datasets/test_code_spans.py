"""code_spans: tasks whose ground truth is a stretch of a source file."""

import pytest

from assay import DataError
from assay.datasets import load_dataset

from ._faults import task
from ._files import put, put_all


def load(folder, tasks, sources):
    """A folder with tasks and sources."""
    return load_dataset(put_all(folder, {"tasks.jsonl": tasks, **sources}), "code_spans")


def test_the_query_is_the_end_of_the_prompt(tmp_path):
    prompt = "".join(f"line {number}\n\n" for number in range(100))
    metadata = {"fpath_tuple": ["r", "a.py"], "context_start_lineno": 0, "lineno": 200}
    (query,) = load(tmp_path / "in", [{"prompt": prompt, "metadata": metadata}], {"repos/r/a.py": prompt}).queries.values()
    assert query.text.splitlines() == [f"line {number}" for number in range(80, 100)]


def test_sources_are_found(tmp_path):
    for folder in ("repo", "repos", "repositories", "files", "src", "."):
        files = {"tasks.jsonl": [task("pkg/a.py")], f"{folder}/pkg/a.py": "x\n", f"{folder}/b.py": "y\n"}
        path = put_all(tmp_path / "in", files)
        for given in (path, path / "tasks.jsonl"):
            dataset = load_dataset(given)
            assert (sorted(dataset.documents), dataset.repairs) == (["b.py", "pkg/a.py"], []), given


def test_what_leads_out_of_the_folder_is_not_read(tmp_path):
    secret = put(tmp_path / "secret.py", "x\n")
    tasks = [task("../secret.py"), task("../../secret.py"), task(str(secret)), task("link.py"), task("a\0b")]
    path = put_all(tmp_path / "inner", {"tasks.jsonl": tasks, "repo/a.py": "x\n"})
    (path / "repo" / "link.py").symlink_to(secret)
    dataset = load_dataset(path)
    assert list(dataset.documents) == ["a.py"]
    assert sum(repair.is_loss for repair in dataset.repairs) == len(tasks)
    assert dataset.metadata["skipped_files"] == {"links": 1}


LARGE = "x" * 2_100_000


def test_only_sources_are_documents(tmp_path):
    names = ("a.py", "Makefile", ".hidden.py", ".git/config.txt", "node_modules/m.js", "__pycache__/c.py", "picture.png")
    sources = dict.fromkeys(names, "x\n") | {"nul.py": b"a\0b", "long.py": LARGE}
    dataset = load(tmp_path / "in", [task()], {f"repo/{name}": content for name, content in sources.items()})
    assert sorted(dataset.documents) == ["Makefile", "a.py"]
    skipped = {"hidden or third-party folders": 3, "binary": 1, "hidden": 1, "larger than 2 MB": 1, "other extensions": 1}
    assert dataset.metadata["skipped_files"] == skipped
    for name, content in {"odd.xyz": "x", ".github/ci.yml": "x", "noending": "x", "long.py": LARGE}.items():
        dataset = load(tmp_path / "in", [task(name)], {f"repo/{name}": content})  # for it has a span
        assert (list(dataset.documents), dataset.repairs) == ([name], []), name


@pytest.mark.slow
def test_too_many_files_are_refused(tmp_path):
    files = put_all(tmp_path / "in", {"tasks.jsonl": [task()], "repo/a.py": "x\n"}) / "repo"
    for number in range(50_001):
        (files / f"{number}.py").touch()
    with pytest.raises(DataError, match="more than 50,000 files"):
        load_dataset(tmp_path / "in")
