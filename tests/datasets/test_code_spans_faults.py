"""code_spans: faults, odd but legal files, and labels that have gone stale."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError
from assay.datasets.format import detect_format, load_dataset
from assay.datasets.formats import code_spans
from assay.datasets.formats.code_spans import FORMAT
from assay.model.records import Span

from ._cases import BOM, packed, write
from ._code_spans import SAMPLE, SAMPLES, made, task


def fault(folder, tasks, name="tasks.jsonl"):
    with pytest.raises(DataError) as raised:
        load_dataset(made(folder, tasks, {"repo/a.py": "x\n"}, name) / name, format="code_spans")
    return str(raised.value)


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
