"""code_spans: tasks whose ground truth is a stretch of a source file."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError
from assay.datasets import _source_tree, code_spans
from assay.datasets._format import Probe, all_formats, detect_format, load_dataset
from assay.datasets.code_spans import EXAMPLE, FORMAT, PROMPT_LINES
from assay.model.lines import count_lines
from assay.model.records import Span

from ._cases import BOM, packed, write

SAMPLES = Path(__file__).parent / "samples"
SAMPLE = SAMPLES / "code_spans"
REPO_EVAL = SAMPLES / "repo_eval"


def made(folder, tasks, sources, name="tasks.jsonl"):
    """A folder with tasks and sources."""
    lines = "\n".join(map(json.dumps, tasks)) if name.endswith("l") else json.dumps(tasks)
    for path, content in {name: lines, **sources}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write(folder / path, content)
    return folder


def task(file="a.py", start=1, end=1, **more):
    return {"query": "?", "file": file, "start": start, "end": end, **more}


def fault(folder, tasks, name="tasks.jsonl"):
    with pytest.raises(DataError) as raised:
        load_dataset(made(folder, tasks, {"repo/a.py": "x\n"}, name) / name, format="code_spans")
    return str(raised.value)


# --- the samples, checked by hand ------------------------------------------------------------------------------------


def test_the_sample_is_read_as_it_stands():
    dataset = load_dataset(SAMPLE)
    assert (dataset.name, dataset.format) == ("code_spans", "code_spans")
    assert list(dataset.queries) == ["t1", "q2", "lost", "long"]
    assert sorted(dataset.documents) == ["README.md", "src/names.js", "src/retry.py"]
    assert dataset.spans["t1"] == [Span("src/retry.py", 6, 13, "lines")]
    assert dataset.spans["q2"] == [Span("src/names.js", 9, 83, "characters"), Span("src/retry.py", 1, 1, "lines")]
    assert dataset.qrels["q2"] == {"src/names.js": 1, "src/retry.py": 1}
    assert dataset.queries["t1"].expected == "retry"
    assert dataset.queries["t1"].tags == {"difficulty": "easy", "language": "python"}


def test_spans_mean_what_they_say():
    documents = load_dataset(SAMPLE).documents
    function = documents["src/names.js"].text[9:83]
    assert (function[:22], function[-2:]) == ("export function isName", "\n}")
    lines = documents["src/retry.py"].text.splitlines()[6 - 1 : 13]
    assert (lines[0], lines[-1]) == ("def retry(action, times=3):", "    raise TimeoutError")


def test_what_is_not_there_is_reported_and_kept():
    dataset = load_dataset(SAMPLE)
    assert [(repair.place, repair.what, repair.is_loss) for repair in dataset.repairs] == [
        ("query lost", "src/cache.py is not among the source files", True),
        ("query long", "lines 3 to 4 are not in README.md, which has 3 lines", True),
    ]
    assert dataset.spans["lost"] == [Span("src/cache.py", 1, 2, "lines")]
    assert dataset.qrels["lost"] == {"src/cache.py": 1}


def test_repo_eval_counts_lines_from_nought():
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


def test_a_repo_eval_task_searches_its_repository():
    dataset = load_dataset(REPO_EVAL)
    assert list(dataset.in_scope(dataset.queries["acme_tool/0"])) == ["acme_tool/src/paths.py"]
    assert dataset.queries["acme_tool/1"].tags == {"repository": "acme_tool", "level": "line"}


def test_the_query_is_the_end_of_the_prompt(tmp_path):
    prompt = "".join(f"line {number}\n\n" for number in range(100))
    metadata = {"fpath_tuple": ["r", "a.py"], "context_start_lineno": 0, "lineno": 200}
    made(tmp_path, [{"prompt": prompt, "metadata": metadata}], {"repos/r/a.py": prompt})
    (query,) = load_dataset(tmp_path).queries.values()
    assert query.text.splitlines() == [f"line {number}" for number in range(100 - PROMPT_LINES, 100)]


def test_the_example_of_the_documentation_is_true(tmp_path):
    text = EXAMPLE.partition("repo/ ")[0].replace("tasks.jsonl", "").replace("\n               ", " ")
    dataset = load_dataset(write(tmp_path / "tasks.jsonl", text))
    assert list(dataset.queries) == ["t1", "q2", "acme_tool/0"]
    assert dataset.spans["acme_tool/0"] == [Span("acme_tool/src/paths.py", 1, 26, "lines")]


# --- detection -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [SAMPLE, SAMPLE / "tasks.jsonl", REPO_EVAL], ids=lambda path: path.name)
def test_nobody_else_claims_it(path):
    assert {name for name, one in all_formats().items() if one.detect(Probe(path))} == {"code_spans"}


@pytest.mark.parametrize(
    "content",
    [
        [{"query": "?", "relevant_ids": ["a.py"]}],
        [{"question": "?", "answer": "!", "contexts": ["x"]}],
        [{"question": "?", "answer": "!", "file": "manual.pdf"}],
        {"queries": {"q1": {"text": "?"}}, "spans": {}, "qrels": {}},
        {"questions": ["?"], "spans": {}},
    ],
)
def test_what_is_of_others_is_left_alone(tmp_path, content):
    path = write(tmp_path / "x.json", json.dumps(content))
    assert not FORMAT.detect(Probe(path))
    assert not FORMAT.detect(Probe(tmp_path))
    assert not FORMAT.detect(Probe(tmp_path / "nothing"))


def test_tasks_may_be_called_otherwise_and_be_a_list(tmp_path):
    made(tmp_path, [task()], {"repo/a.py": "x\n", "other.jsonl": '{"a": 1}'}, "benchmark.json")
    assert detect_format(tmp_path) is FORMAT
    assert list(load_dataset(tmp_path).queries) == ["q1"]


def test_of_several_files_the_one_called_tasks_is_read(tmp_path):
    made(tmp_path, [task(id="t")], {"repo/a.py": "x\n"})
    made(tmp_path, [task(id="u")], {}, "more.jsonl")
    assert list(load_dataset(tmp_path).queries) == ["t"]
    (tmp_path / "tasks.jsonl").rename(tmp_path / "line.jsonl")
    with pytest.raises(DataError, match=r"one file of tasks, found line\.jsonl, more\.jsonl"):
        load_dataset(tmp_path)


# --- where the sources are -------------------------------------------------------------------------------------------


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
    monkeypatch.setattr(_source_tree, "MAX_BYTES", 10)
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
    monkeypatch.setattr(_source_tree, "MAX_BYTES", 10)
    made(tmp_path, [task(name)], {f"repo/{name}": "x" * 11})
    dataset = load_dataset(tmp_path)
    assert list(dataset.documents) == [name]
    assert not dataset.repairs


@pytest.mark.parametrize("content", [b"a\0b", b"\xff\xfea\0b"], ids=["plain", "a mark alone"])
def test_a_binary_file_with_a_span_is_a_loss(tmp_path, content):
    made(tmp_path, [task()], {"repo/a.py": content})
    assert [repair.what for repair in load_dataset(tmp_path).repairs] == ["a.py is not among the source files"]


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_source_tree, "MAX_FILES", 2)
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


# --- spans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "span"),
    [
        ({"start": 2, "end": 3}, Span("a.py", 2, 3, "lines")),
        ({"start_line": 1, "end_line": 1}, Span("a.py", 1, 1, "lines")),
        ({"start_char": 0, "end_char": 4}, Span("a.py", 0, 4, "characters")),
        ({"start": 0, "end": 6, "unit": "characters"}, Span("a.py", 0, 6, "characters")),
        ({"start_char": 1, "end_char": 2, "start_line": 1, "end_line": 1}, Span("a.py", 1, 2, "characters")),
    ],
)
def test_a_stretch_may_be_lines_or_characters(tmp_path, fields, span):
    made(
        tmp_path,
        [{"query": "?", "file": "a.py", **fields}, {"text": "?", "spans": [{"path": "a.py", **fields}]}],
        {"repo/a.py": "a\nb\nc\n"},
    )
    dataset = load_dataset(tmp_path)
    assert dataset.spans == {"q1": [span], "q2": [span]}
    assert not dataset.repairs


@pytest.mark.parametrize(
    ("unit", "start", "end"),
    [("line", 0, 1), ("line", 3, 2), ("line", 1, 4), ("char", -1, 2), ("char", 2, 2), ("char", 0, 7)],
)
def test_a_stretch_outside_its_file_is_reported(tmp_path, unit, start, end):
    fields = {f"start_{unit}": start, f"end_{unit}": end}
    dataset = load_dataset(made(tmp_path, [{"query": "?", "file": "a.py", **fields}], {"repo/a.py": "a\nb\nc\n"}))
    assert [repair.is_loss for repair in dataset.repairs] == [True]
    assert (dataset.spans["q1"][0].start, dataset.spans["q1"][0].end) == (start, end)


def test_no_span_at_all_means_nothing_relevant(tmp_path):
    dataset = load_dataset(made(tmp_path, [{"query": "?", "spans": []}, task()], {"repo/a.py": "x\n"}))
    assert dataset.qrels == {"q1": {}, "q2": {"a.py": 1}}


def test_lines_that_a_character_span_makes_needless_are_metadata(tmp_path):
    fields = {"start_char": 0, "end_char": 1, "start_line": 1, "end_line": 1, "author": "x"}
    dataset = load_dataset(made(tmp_path, [{"query": "?", "file": "a.py", **fields}], {"repo/a.py": "x\n"}))
    assert dataset.queries["q1"].metadata == {"start_line": 1, "end_line": 1, "author": "x"}


# --- faults, and odd but legal files ---------------------------------------------------------------------------------

META = {"fpath_tuple": ["r", "a.py"], "context_start_lineno": 0, "lineno": 1}


@pytest.mark.parametrize(
    ("one", "said"),
    [
        ("text", "expected an object with a query and a file, found 'text'"),
        (5, "expected text or an object with 'query', found 5"),
        ({"file": "a.py", "start": 1, "end": 2}, "expected the query under query or question or text or prompt"),
        ({"query": "?", "start": 1, "end": 2}, "expected the path of a file under file or path or file_path, found None"),
        ({"query": "?", "file": "a.py"}, "expected start and end of the stretch of a.py: start_char, start_line, start"),
        ({"query": "?", "file": "a.py", "start": 1}, "start and end are whole numbers, not 1 and None"),
        ({"query": "?", "file": "a.py", "start": 1.5, "end": True}, "start and end are whole numbers, not 1.5 and True"),
        (task(unit="bytes"), "unit is lines or characters, not 'bytes'"),
        ({"query": "?", "spans": {"file": "a.py"}}, "spans is a list of objects with file, start and end"),
        (task(id=1.5), "an id is text or a whole number, not 1.5"),
        ({"prompt": "x", "metadata": {**META, "fpath_tuple": "r/a.py"}}, "fpath_tuple is a list of names, not 'r/a.py'"),
        (
            {"prompt": "x", "metadata": {**META, "lineno": None}},
            "context_start_lineno and lineno are whole numbers, not 0 and None",
        ),
        ({"metadata": META}, "expected the prompt under prompt, found nothing"),
    ],
)
def test_faults_say_where_and_what(tmp_path, one, said):
    assert f"tasks.jsonl:2: {said}" in fault(tmp_path, [task(), one])
    assert f"tasks.json, task:2: {said}" in fault(tmp_path, [task(), one], "tasks.json")


def test_tasks_of_one_name_are_refused(tmp_path):
    assert "tasks.jsonl:2: there is another task called q2" in fault(tmp_path, [task(id="q2"), task()])


def test_files_without_tasks_are_refused(tmp_path):
    assert "there is no query in it" in fault(tmp_path, [])
    assert "expected a list of tasks, found 5" in fault(tmp_path, 5, "tasks.json")
    with pytest.raises(DataError, match=r"tasks\.jsonl:2: not JSON"):
        load_dataset(write(tmp_path / "tasks.jsonl", '{"query": "?", "spans": []}\n{'))
    with pytest.raises(DataError, match="expected one file of tasks, found none"):
        code_spans.read_code_spans(SAMPLES / "code_spans" / "repo")


@pytest.mark.parametrize(
    "change",
    [
        lambda content: BOM + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: b"\n" + content + b" \n",
        packed,
    ],
    ids=["BOM", "CRLF", "blank lines", "gzip"],
)
def test_the_same_tasks_in_another_guise(tmp_path, change):
    content = change((SAMPLE / "tasks.jsonl").read_bytes())
    path = write(tmp_path / ("tasks.jsonl.gz" if change is packed else "tasks.jsonl"), content)
    plain, dressed = load_dataset(SAMPLE), load_dataset(path)
    assert dressed.queries == plain.queries
    assert dressed.spans == plain.spans
    assert detect_format(tmp_path) is FORMAT


# --- anything else must not happen -----------------------------------------------------------------------------------

KNOWN = [
    "id",
    "query",
    "file",
    "start",
    "end",
    "start_char",
    "end_char",
    "spans",
    "metadata",
    "fpath_tuple",
    "lineno",
    "prompt",
]
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.just(0.5) | st.sampled_from(["", "a.py", "../x", "/"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KNOWN), inner, max_size=5),
    max_leaves=12,
)
tasks = st.dictionaries(st.sampled_from(KNOWN), anything).map(lambda more: {**task(), **more})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return made(tmp_path_factory.mktemp("spans"), [], {"repo/a.py": "x\n"})


@given(anything | st.lists(tasks, max_size=3))
def test_any_json_is_read_or_refused(folder, content):
    path = write(folder / "any.json", json.dumps(content))
    try:
        dataset = load_dataset(path, format="code_spans")
    except DataError:
        return
    assert dataset.queries.keys() == dataset.spans.keys() == dataset.qrels.keys()


# --- stale labels ------------------------------------------------------------------------------------------------------

OLD = "def f():\n    return 1\n"


def stale(folder, source, **more):
    """A task that recorded lines 1 to 2, and the files as they are now."""
    files = source if isinstance(source, dict) else {"repo/a.py": source}
    return load_dataset(made(folder, [task(start=1, end=2, snippet=OLD, **more)], files), format="code_spans")


def test_a_stretch_is_moved_to_the_one_place_that_has_its_text(tmp_path):
    dataset = stale(tmp_path, f"import os\n\n{OLD}")
    assert dataset.spans["q1"] == [Span("a.py", 3, 4, "lines", OLD)]
    (repair,) = dataset.repairs
    assert (repair.place, repair.is_loss) == ("query q1", False)
    assert repair.what == "the text recorded for lines 1 to 2 of a.py is in lines 3 to 4 of a.py now"


def test_a_stretch_follows_its_text_to_another_file(tmp_path):
    dataset = stale(tmp_path, {"repo/new/a.py": f"# new\n{OLD}"})
    assert dataset.spans["q1"] == [Span("new/a.py", 2, 3, "lines", OLD)]
    assert dataset.qrels["q1"] == {"new/a.py": 1}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\ny = 2\n", "the text recorded for lines 1 to 2 of a.py is not there any more"),
        (f"#\n{OLD}{OLD}", "the text recorded for lines 1 to 2 of a.py is there 2 times, elsewhere"),
    ],
)
def test_a_stretch_whose_text_is_gone_or_there_more_than_once_is_lost_but_kept(tmp_path, source, said):
    dataset = stale(tmp_path, source)
    assert dataset.spans["q1"] == [Span("a.py", 1, 2, "lines", OLD)]
    assert [(repair.what, repair.is_loss) for repair in dataset.repairs] == [(said, True)]


def test_a_stretch_that_fits_stays_and_nothing_is_said(tmp_path):
    dataset = stale(tmp_path, OLD.replace("\n", "\r\n"), metadata={"by": "Ada"})
    assert dataset.spans["q1"] == [Span("a.py", 1, 2, "lines", OLD)]
    assert dataset.repairs == []
