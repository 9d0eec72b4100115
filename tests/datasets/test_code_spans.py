"""code_spans: tasks whose ground truth is a stretch of a source file."""

import json

import pytest

from assay import DataError
from assay.datasets.format import Probe, all_formats, detect_format, load_dataset
from assay.datasets.formats.code_spans import EXAMPLE, FORMAT, PROMPT_LINES
from assay.model.records import Span

from ._cases import write
from ._code_spans import SAMPLE, SAMPLES, made, task

REPO_EVAL = SAMPLES / "repo_eval"

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
