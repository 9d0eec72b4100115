"""code-spans: the bundled benchmark of questions about assay's own source code, and the script that builds it."""

import ast
import gzip
import importlib.util
import json
from collections import Counter
from pathlib import Path

import pytest

import assay
from assay import DataError, Query, Span
from assay.datasets import bundled, load_dataset

from ._benchmarks import assert_same

EXAMPLES = Path(__file__).parents[2] / "examples"
PACKAGES = {
    *("cli", "compat", "conformance", "datasets", "evaluation"),
    *("metrics", "model", "providers", "relevance", "reports"),
}
TAGS = {
    "difficulty": {"easy", "medium", "hard"},
    "query_type": {"where", "how", "why", "what"},
    "domain": {"core", *PACKAGES},
}


def _script():
    """examples/make_code_spans.py as a module."""
    spec = importlib.util.spec_from_file_location("make_code_spans", EXAMPLES / "make_code_spans.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _script()


@pytest.fixture(scope="module")
def dataset():
    return load_dataset("code-spans")


def every_span(dataset):
    return [(query, span) for query, spans in dataset.spans.items() for span in spans]


# What comes with the package


def test_it_is_there_by_name_small_and_says_where_it_comes_from(dataset):
    assert bundled()["code-spans"].name == "code-spans.json.gz"
    assert (dataset.name, dataset.version, dataset.format, dataset.repairs) == ("code-spans", "1.0", "json", [])
    assert bundled()["code-spans"].stat().st_size < 400_000
    said = dataset.metadata
    assert (said["commit"], said["folder"]) == (make.COMMIT, "src/assay")
    assert len(said["commit"]) == 40
    assert said["license"].startswith("MIT")
    assert "description" in said


def test_there_are_enough_questions_and_no_two_are_the_same(dataset):
    texts = [" ".join(query.text.lower().split()) for query in dataset.queries.values()]
    assert len(texts) >= 70
    assert len(set(texts)) == len(texts)
    assert all(text.endswith("?") for text in texts)


def test_every_question_has_one_to_three_spans_and_its_files_are_judged(dataset):
    assert dataset.spans.keys() == dataset.qrels.keys() == dataset.queries.keys()
    for query, spans in dataset.spans.items():
        assert 1 <= len(spans) <= 3, query
        assert dataset.qrels[query] == dict.fromkeys((span.doc_id for span in spans), 1), query
        assert len(set(spans)) == len(spans), query


def test_every_span_is_a_tight_stretch_of_lines_in_its_file(dataset):
    for query, span in every_span(dataset):
        n_lines = len(dataset.documents[span.doc_id].text.splitlines())
        assert span.unit == "lines", query
        assert 1 <= span.start <= span.end <= n_lines, (query, span)
        assert 3 <= span.end - span.start + 1 <= 60, (query, span)
    for query, spans in dataset.spans.items():
        lines = [(span.doc_id, line) for span in spans for line in range(span.start, span.end + 1)]
        assert len(set(lines)) == len(lines), query


def test_every_span_holds_whole_statements_of_code(dataset):
    """By the parser's own line numbers: one begins at the first line, one ends at the last, and not all are docstrings."""
    trees = {name: ast.parse(dataset.documents[name].text) for name in {span.doc_id for _, span in every_span(dataset)}}
    for query, span in every_span(dataset):
        statements = [node for node in ast.walk(trees[span.doc_id]) if isinstance(node, ast.stmt)]
        inside = [node for node in statements if span.start <= _first_line(node) and node.end_lineno <= span.end]
        assert span.start in map(_first_line, inside), (query, span)
        assert span.end in {node.end_lineno for node in inside}, (query, span)
        assert any(not _is_docstring(node) for node in inside), (query, span)


def _first_line(node):
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def _is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_questions_are_spread_over_all_packages_and_many_files(dataset):
    files = {span.doc_id for _, span in every_span(dataset)}
    assert len(files) >= 45
    assert {file.partition("/")[0] for file in files if "/" in file} == PACKAGES
    folders = {name.partition("/")[0] for name in dataset.documents if "/" in name}
    assert folders == PACKAGES, "every folder of the corpus is asked about"
    most = Counter(span.doc_id for _, span in every_span(dataset)).most_common(1)[0][1]
    assert most <= 0.05 * len(every_span(dataset)), "no file is asked about over and over"


def test_tags_are_known_words_and_the_domain_is_that_of_the_first_span(dataset):
    for query in dataset.queries.values():
        assert query.metadata is None
        assert all(query.tags[name] in words for name, words in TAGS.items()), query
        folder, slash, _ = dataset.spans[query.query_id][0].doc_id.partition("/")
        assert query.domain == (folder if slash else "core"), query


def test_difficulties_are_as_measured_and_each_has_a_fifth_of_the_questions(dataset):
    counts = Counter(query.difficulty for query in dataset.queries.values())
    assert all(counts[name] >= 0.2 * len(dataset.queries) for name in ("easy", "medium", "hard"))
    assert make.mislabelled(dataset) == []


@pytest.mark.slow
def test_lexical_search_finds_easy_questions_and_not_hard_ones(dataset):
    """What the difficulty is for: BM25 over whole files, which can only find words that are there."""
    scores = assay.run(dataset, "bm25", "recall@10").scores("recall@10")
    means = {}
    for name in ("easy", "medium", "hard"):
        mine = [scores[query.query_id] for query in dataset.queries.values() if query.difficulty == name]
        means[name] = sum(mine) / len(mine)
    assert means["easy"] > 0.9
    assert means["easy"] > means["medium"] + 0.1 > means["hard"] + 0.3


def test_the_gold_spans_themselves_score_1(dataset):
    perfect = {query: [f"{span.doc_id}:{span.start}-{span.end}" for span in spans] for query, spans in dataset.spans.items()}
    found = assay.evaluate(
        dataset, perfect, ["span_recall@3", "span_precision@3", "span_iou@3", "file_recall@3", "file_mrr"]
    )
    assert found.summary == dict.fromkeys(found.summary, 1.0)


def test_it_survives_being_saved_and_loaded(dataset, tmp_path):
    dataset.save_json(tmp_path / "again.json")
    assert_same(load_dataset(tmp_path / "again.json"), dataset)


# The script that builds it


@pytest.fixture(scope="module")
def sources():
    """The sources out of git; where this is no checkout with its history, there is nothing to build from."""
    try:
        return make.archived_sources()
    except DataError as error:
        pytest.skip(str(error))


def test_building_it_again_gives_the_same(dataset, sources):
    built = make.build(sources)
    assert_same(built, dataset)
    assert (built.name, built.version, built.metadata) == (dataset.name, dataset.version, dataset.metadata)
    assert all(built.fingerprint(part) == dataset.fingerprint(part) for part in ("queries", "documents", "judgments"))


def test_the_corpus_is_every_python_file_of_the_commit(dataset, sources):
    assert {name: document.text for name, document in dataset.documents.items()} == sources
    assert all(name.endswith(".py") for name in sources)


def test_the_file_is_what_the_script_writes(sources, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(make, "TARGET", tmp_path / "code-spans.json.gz")
    make.main()
    assert capsys.readouterr().out.startswith(
        "code-spans.json.gz: BenchmarkDataset(code-spans 1.0: 148 queries, 281 documents"
    )
    assert gzip.decompress(make.TARGET.read_bytes()) == gzip.decompress(bundled()["code-spans"].read_bytes())


@pytest.fixture
def questions(monkeypatch, tmp_path):
    """Writes questions for the script to read, over one small file."""
    sources = {"waits.py": "import time\n\n\ndef wait(n):\n    time.sleep(2**n)\n    return n\n"}

    def build(**changed):
        task = {"id": "q1", "query": "Where does it wait?", "difficulty": "easy", "query_type": "where", "domain": "core"}
        task |= {"spans": [{"file": "waits.py", "start_line": 4, "end_line": 6}], **changed}
        monkeypatch.setattr(make, "QUESTIONS", tmp_path / "questions.jsonl")
        make.QUESTIONS.write_text(json.dumps(task) + "\n")
        return make.build(sources)

    return build


def test_a_small_one_worked_by_hand(questions):
    built = questions()
    assert built.queries == {"q1": Query("q1", "Where does it wait?", "where", "easy", "core")}
    assert built.spans == {"q1": [Span("waits.py", 4, 6, "lines")]}
    assert built.qrels == {"q1": {"waits.py": 1}}
    assert make.lines_of(built, built.spans["q1"][0]) == "def wait(n):\n    time.sleep(2**n)\n    return n"


def test_a_question_that_is_wrong_stops_it(snapshots, questions, monkeypatch):
    cases = {
        "past the end": {"spans": [{"file": "waits.py", "start_line": 4, "end_line": 60}]},
        "no such file": {"spans": [{"file": "gone.py", "start_line": 1, "end_line": 3}]},
        "called hard": {"difficulty": "hard"},
        "called easy": {"query": "Why so slow?"},
    }
    building = {case: lambda changed=changed: questions(**changed) for case, changed in cases.items()}
    snapshots.check_errors("datasets/make_code_spans", building)
    monkeypatch.setattr(make, "COMMIT", "0" * 40)
    with pytest.raises(DataError, match="git has no commit 0000000; fetch the whole history"):
        make.archived_sources()


def test_difficulty_by_shared_stems():
    for question, expected in {
        "How are ties broken?": "medium",  # tie is there, broken is not: 1 of 2
        "How is the band of ties found?": "easy",  # tie and band, not found: 2 of 3
        "How is it worked out?": "hard",
        "What is it?": "hard",  # no content word at all
        "Which BANDS?": "easy",
    }.items():
        assert make.difficulty(question, "def tie_band(metric: BoundMetric) -> TieBand:") == expected, question
    assert make.content_words("tie_band TieBand the of") == {"tie", "band"}
