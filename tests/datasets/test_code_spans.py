"""code_spans: tasks whose ground truth is a stretch of a source file."""

import pytest

from assay import DataError, Span
from assay.datasets import detect_format, load_dataset

from ._benchmarks import SAMPLES
from ._cases import BOM
from ._faults import task
from ._files import put, put_all

REPO_EVAL = SAMPLES / "repo_eval"


def load(folder, tasks, sources, name="tasks.jsonl"):
    """A folder with tasks and sources."""
    return load_dataset(put_all(folder, {name: tasks, **sources}), "code_spans")


def test_the_sample():
    dataset = load_dataset(SAMPLES / "code_spans")
    assert list(dataset.queries) == ["t1", "q2", "lost", "long"]
    assert sorted(dataset.documents) == ["README.md", "src/names.js", "src/retry.py"]
    assert dataset.spans["t1"] == [Span("src/retry.py", 6, 13, "lines")]
    assert dataset.spans["q2"] == [Span("src/names.js", 9, 83, "characters"), Span("src/retry.py", 1, 1, "lines")]
    assert dataset.qrels["q2"] == {"src/names.js": 1, "src/retry.py": 1}
    assert dataset.queries["t1"].expected == "retry"
    assert dataset.queries["t1"].tags == {"difficulty": "easy", "language": "python"}
    function = dataset.documents["src/names.js"].text[9:83]
    assert (function[:22], function[-2:]) == ("export function isName", "\n}")
    lines = dataset.documents["src/retry.py"].text.splitlines()[6 - 1 : 13]
    assert (lines[0], lines[-1]) == ("def retry(action, times=3):", "    raise TimeoutError")
    assert [(repair.place, repair.what, repair.is_loss) for repair in dataset.repairs] == [
        ("query lost", "src/cache.py is not among the source files", True),
        ("query long", "lines 3 to 4 are not in README.md, which has 3 lines", True),
    ]
    assert dataset.spans["lost"] == [Span("src/cache.py", 1, 2, "lines")]  # reported and kept
    assert dataset.qrels["lost"] == {"src/cache.py": 1}


def test_repo_eval_counts_lines_from_nought():
    assert detect_format(REPO_EVAL).name == "code_spans"
    dataset = load_dataset(REPO_EVAL)
    assert dataset.spans == {
        "acme_tool/0": [Span("acme_tool/src/paths.py", 1, 6, "lines")],
        "acme_tool/1": [Span("acme_tool/src/paths.py", 4, 4, "lines")],
    }
    lines = dataset.documents["acme_tool/src/paths.py"].text.splitlines()
    for query in dataset.queries.values():
        (span,) = dataset.spans[query.query_id]
        shown = [line for line in lines[span.start - 1 : span.end] if line.strip()]
        assert query.text.splitlines() == shown  # the stretch is what the prompt shows …
        assert query.expected == lines[span.end]  # … and the line to complete comes behind it
    assert not dataset.repairs
    assert list(dataset.in_scope(dataset.queries["acme_tool/0"])) == ["acme_tool/src/paths.py"]
    assert dataset.queries["acme_tool/1"].tags == {"repository": "acme_tool", "level": "line"}


def test_the_query_is_the_end_of_the_prompt(tmp_path):
    prompt = "".join(f"line {number}\n\n" for number in range(100))
    metadata = {"fpath_tuple": ["r", "a.py"], "context_start_lineno": 0, "lineno": 200}
    (query,) = load(tmp_path / "in", [{"prompt": prompt, "metadata": metadata}], {"repos/r/a.py": prompt}).queries.values()
    shown = query.text.splitlines()
    assert len(shown) == 20
    assert shown == [f"line {number}" for number in range(100 - len(shown), 100)]


def test_the_file_of_tasks_is_found(tmp_path):
    path = put_all(tmp_path / "in", {"benchmark.json": [task()], "repo/a.py": "x\n", "other.jsonl": '{"a": 1}'})
    assert detect_format(path).name == "code_spans"
    assert list(load_dataset(path).queries) == ["q1"]
    files = {"more.jsonl": [task(id="u")], "repo/a.py": "x\n"}
    assert list(load(tmp_path / "in", [task(id="t")], files).queries) == ["t"]


# --- spans -----------------------------------------------------------------------------------------------------------


def test_a_stretch_may_be_lines_or_characters(tmp_path):
    for fields, span in [
        ({"start": 2, "end": 3}, Span("a.py", 2, 3, "lines")),
        ({"start_line": 1, "end_line": 1}, Span("a.py", 1, 1, "lines")),
        ({"start_char": 0, "end_char": 4}, Span("a.py", 0, 4, "characters")),
        ({"start": 0, "end": 6, "unit": "characters"}, Span("a.py", 0, 6, "characters")),
        ({"start_char": 1, "end_char": 2, "start_line": 1, "end_line": 1}, Span("a.py", 1, 2, "characters")),
    ]:
        tasks = [{"query": "?", "file": "a.py", **fields}, {"text": "?", "spans": [{"path": "a.py", **fields}]}]
        dataset = load(tmp_path / "in", tasks, {"repo/a.py": "a\nb\nc\n"})
        assert dataset.spans == {"q1": [span], "q2": [span]}, fields
        assert not dataset.repairs


def test_a_stretch_outside_its_file_is_reported(tmp_path):
    stretches = [("line", 0, 1), ("line", 3, 2), ("line", 1, 4), ("char", -1, 2), ("char", 2, 2), ("char", 0, 7)]
    for unit, start, end in stretches:
        fields = {"query": "?", "file": "a.py", f"start_{unit}": start, f"end_{unit}": end}
        dataset = load(tmp_path / "in", [fields], {"repo/a.py": "a\nb\nc\n"})
        assert [repair.is_loss for repair in dataset.repairs] == [True], fields
        assert (dataset.spans["q1"][0].start, dataset.spans["q1"][0].end) == (start, end)


def test_no_span_at_all_means_nothing_relevant(tmp_path):
    dataset = load(tmp_path / "in", [{"query": "?", "spans": []}, task()], {"repo/a.py": "x\n"})
    assert dataset.qrels == {"q1": {}, "q2": {"a.py": 1}}
    fields = {"start_char": 0, "end_char": 1, "start_line": 1, "end_line": 1, "author": "x"}
    dataset = load(tmp_path / "in", [{"query": "?", "file": "a.py", **fields}], {"repo/a.py": "x\n"})
    assert dataset.queries["q1"].metadata == {"start_line": 1, "end_line": 1, "author": "x"}  # lines that are needless


OLD = "def f():\n    return 1\n"


def stale(folder, sources, **more):
    """A task that recorded lines 1 to 2, and the files as they are now."""
    dataset = load(folder / "in", [task(start=1, end=2, snippet=OLD, **more)], sources)
    return dataset, [(repair.place, repair.what, repair.is_loss) for repair in dataset.repairs]


def test_a_stretch_follows_its_text(tmp_path):
    dataset, repairs = stale(tmp_path, {"repo/a.py": f"import os\n\n{OLD}"})
    assert dataset.spans["q1"] == [Span("a.py", 3, 4, "lines", OLD)]
    assert repairs == [("query q1", "the text recorded for lines 1 to 2 of a.py is in lines 3 to 4 of a.py now", False)]
    dataset, _ = stale(tmp_path, {"repo/new/a.py": f"# new\n{OLD}"})
    assert dataset.spans["q1"] == [Span("new/a.py", 2, 3, "lines", OLD)]
    assert dataset.qrels["q1"] == {"new/a.py": 1}
    dataset, repairs = stale(tmp_path, {"repo/a.py": OLD.replace("\n", "\r\n")}, metadata={"by": "Ada"})
    assert (dataset.spans["q1"], repairs) == ([Span("a.py", 1, 2, "lines", OLD)], [])


def test_a_stretch_whose_text_is_gone_or_there_more_than_once_is_lost_but_kept(tmp_path):
    for source, what in {"x = 1\ny = 2\n": "is not there any more", f"#\n{OLD}{OLD}": "is there 2 times, elsewhere"}.items():
        dataset, repairs = stale(tmp_path, {"repo/a.py": source})
        assert dataset.spans["q1"] == [Span("a.py", 1, 2, "lines", OLD)]
        assert repairs == [("query q1", f"the text recorded for lines 1 to 2 of a.py {what}", True)]


# --- sources ---------------------------------------------------------------------------------------------------------


def test_sources_are_found(tmp_path):
    for folder in ("repo", "repos", "repositories", "files", "src", "."):
        files = {"tasks.jsonl": [task("pkg/a.py")], f"{folder}/pkg/a.py": "x\n", f"{folder}/b.py": "y\n"}
        path = put_all(tmp_path / "in", files)
        for given in (path, path / "tasks.jsonl"):
            dataset = load_dataset(given)
            assert (sorted(dataset.documents), dataset.repairs) == (["b.py", "pkg/a.py"], []), given
    dataset = load(tmp_path / "in", [task("src/a.py")], {"src/a.py": "x\n", "repo/other.py": "y\n", "notes.md": "n"})
    assert sorted(dataset.documents) == ["notes.md", "repo/other.py", "src/a.py"]
    dataset = load(tmp_path / "in", [task("gone.py")], {"private/letter.txt": "…"})
    assert not dataset.documents
    assert [repair.is_loss for repair in dataset.repairs] == [True]


def test_what_leads_out_of_the_folder_is_not_read(tmp_path):
    secret = put(tmp_path / "secret.py", "x\n")
    tasks = [task("../secret.py"), task("../../secret.py"), task(str(secret)), task("link.py"), task("a\0b")]
    path = put_all(tmp_path / "inner", {"tasks.jsonl": tasks, "repo/a.py": "x\n"})
    (path / "repo" / "link.py").symlink_to(secret)
    dataset = load_dataset(path)
    assert list(dataset.documents) == ["a.py"]
    assert sum(repair.is_loss for repair in dataset.repairs) == len(tasks)
    assert dataset.metadata["skipped_files"] == {"links": 1}


def test_paths_of_windows_are_paths(tmp_path):
    dataset = load(tmp_path / "in", [task(".\\pkg\\a.py")], {"repo/pkg/a.py": "x\n"})
    assert dataset.qrels == {"q1": {"pkg/a.py": 1}}
    assert [(one.what, one.is_loss) for one in dataset.repairs] == [("the file .\\pkg\\a.py is written pkg/a.py", False)]


LARGE = "x" * 2_100_000


def test_only_sources_are_documents(tmp_path):
    sources = {
        "a.py": "x\n",
        "Makefile": "all:",
        ".hidden.py": "x",
        ".git/config.txt": "x",
        "node_modules/m.js": "x",
        "__pycache__/c.py": "x",
        "picture.png": "x",
        "nul.py": b"a\0b",
        "long.py": LARGE,
    }
    dataset = load(tmp_path / "in", [task()], {f"repo/{name}": content for name, content in sources.items()})
    assert sorted(dataset.documents) == ["Makefile", "a.py"]
    assert dataset.metadata["skipped_files"] == {
        "binary": 1,
        "folders hidden or of others": 3,
        "hidden": 1,
        "larger than 2 MB": 1,
        "other endings": 1,
    }
    for name, content in {"odd.xyz": "x", ".github/ci.yml": "x", "noending": "x", "long.py": LARGE}.items():
        dataset = load(tmp_path / "in", [task(name)], {f"repo/{name}": content})  # for it has a span
        assert (list(dataset.documents), dataset.repairs) == ([name], []), name
    for content in (b"a\0b", b"\xff\xfea\0b"):
        dataset = load(tmp_path / "in", [task()], {"repo/a.py": content})
        assert [repair.what for repair in dataset.repairs] == ["a.py is not among the source files"]


@pytest.mark.slow
def test_too_many_files_are_refused(tmp_path):
    files = put_all(tmp_path / "in", {"tasks.jsonl": [task()], "repo/a.py": "x\n"}) / "repo"
    for number in range(50_001):
        (files / f"{number}.py").touch()
    with pytest.raises(DataError, match="more than 50,000 files"):
        load_dataset(tmp_path / "in")


def test_old_encodings_are_read_and_noted(tmp_path):
    for content, text, what in [
        ("Größe\r\n".encode(), "Größe\r\n", None),
        ("Größe\n".encode("cp1252"), "Größe\n", "not valid UTF-8; read as cp1252"),
        (b"\x81\xe9\n", "\x81é\n", "not valid UTF-8; read as latin-1"),
        ("Größe\n".encode("utf-16"), "Größe\n", "not valid UTF-8; read as utf-16"),
        ("\ufeffGröße\n".encode("utf-16-be"), "Größe\n", "not valid UTF-8; read as utf-16"),
        ("Größe\n".encode("utf-32"), "Größe\n", "not valid UTF-8; read as utf-32"),
        ("\ufeffGröße\n".encode("utf-32-be"), "Größe\n", "not valid UTF-8; read as utf-32"),
        (BOM + b"x\n", "x\n", "its byte-order mark was left out; characters are counted without it"),
        (b"", "", "lines 1 to 1 are not in a.py, which has 0 lines"),
    ]:
        dataset = load(tmp_path / "in", [task()], {"repo/a.py": content})
        assert dataset.documents["a.py"].text == text
        assert [repair.what for repair in dataset.repairs] == ([what] if what else []), content
