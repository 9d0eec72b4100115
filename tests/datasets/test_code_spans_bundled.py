"""code-spans: the bundled benchmark of questions about assay's own source code, and the script that builds it."""

import gzip
import importlib.util
import json
from pathlib import Path

import pytest

import assay
from assay import DataError, Query, Span
from assay.datasets import PARTS, bundled, load_dataset

from ._benchmarks import assert_same

SCRIPT = Path(__file__).parents[2] / "examples" / "make_code_spans.py"
TAGS = {"difficulty": {"easy", "medium", "hard"}, "query_type": {"where", "how", "why", "what"}}


@pytest.fixture(scope="module")
def make():
    """examples/make_code_spans.py as a module."""
    spec = importlib.util.spec_from_file_location("make_code_spans", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def dataset():
    return load_dataset("code-spans")


def test_it_says_where_it_comes_from_and_its_gold_spans_score_1(dataset, make):
    assert (dataset.name, dataset.version, dataset.format, dataset.repairs) == ("code-spans", "1.0", "json", [])
    assert bundled()["code-spans"].name == "code-spans.json.gz"
    assert bundled()["code-spans"].stat().st_size < 400_000
    assert (dataset.metadata["commit"], dataset.metadata["folder"]) == (make.COMMIT, "src/assay")
    assert dataset.metadata["license"].startswith("MIT")
    perfect = {query: [f"{span.doc_id}:{span.start}-{span.end}" for span in spans] for query, spans in dataset.spans.items()}
    found = assay.evaluate(
        dataset, perfect, ["span_recall@3", "span_precision@3", "span_iou@3", "file_recall@3", "file_mrr"]
    )
    assert found.summary == dict.fromkeys(found.summary, 1.0)


def test_every_question_is_another_with_tags_and_one_to_three_tight_spans(dataset):
    texts = {" ".join(query.text.lower().split()) for query in dataset.queries.values()}
    assert len(texts) == len(dataset.queries) >= 70
    assert dataset.spans.keys() == dataset.qrels.keys() == dataset.queries.keys()
    for query_id, spans in dataset.spans.items():
        query = dataset.queries[query_id]
        folder, slash, _ = spans[0].doc_id.partition("/")
        assert (query.metadata, query.domain) == (None, folder if slash else "core"), query
        assert all(query.tags[name] in words for name, words in TAGS.items()), query
        assert 1 <= len(spans) <= 3, query
        assert dataset.qrels[query_id] == dict.fromkeys((span.doc_id for span in spans), 1), query
        assert all(span.unit == "lines" and 3 <= span.end - span.start + 1 <= 60 for span in spans), query
        lines = [(span.doc_id, line) for span in spans for line in range(span.start, span.end + 1)]
        assert len(set(lines)) == len(lines), query


@pytest.mark.slow
def test_building_it_again_gives_the_same(dataset, make, monkeypatch, tmp_path, capsys):
    try:
        sources = make.archived_sources()
    except DataError as error:
        pytest.skip(str(error))  # no checkout with its history
    assert {name: document.text for name, document in dataset.documents.items()} == sources
    built = make.build(sources)
    assert_same(built, dataset)
    assert all(built.fingerprint(part) == dataset.fingerprint(part) for part in PARTS)
    monkeypatch.setattr(make, "TARGET", tmp_path / "code-spans.json.gz")
    make.main()
    summary = "code-spans.json.gz: BenchmarkDataset(code-spans 1.0: 148 queries, 281 documents"
    assert capsys.readouterr().out.startswith(summary)
    assert gzip.decompress(make.TARGET.read_bytes()) == gzip.decompress(bundled()["code-spans"].read_bytes())


def test_the_script_on_a_small_file_and_on_wrong_questions(snapshots, make, monkeypatch, tmp_path):
    sources = {"waits.py": "import time\n\n\ndef wait(n):\n    time.sleep(2**n)\n    return n\n"}

    def build(**changed):
        task = {"id": "q1", "query": "Where does it wait?", "difficulty": "easy", "query_type": "where", "domain": "core"}
        task |= {"spans": [{"file": "waits.py", "start_line": 4, "end_line": 6}], **changed}
        monkeypatch.setattr(make, "QUESTIONS", tmp_path / "questions.jsonl")
        make.QUESTIONS.write_text(json.dumps(task) + "\n")
        return make.build(sources)

    built = build()
    assert built.queries == {"q1": Query("q1", "Where does it wait?", "where", "easy", "core")}
    assert built.spans == {"q1": [Span("waits.py", 4, 6, "lines")]}
    assert built.qrels == {"q1": {"waits.py": 1}}
    wrong = {
        "past the end": {"spans": [{"file": "waits.py", "start_line": 4, "end_line": 60}]},
        "no such file": {"spans": [{"file": "gone.py", "start_line": 1, "end_line": 3}]},
        "called hard": {"difficulty": "hard"},
        "called easy": {"query": "Why so slow?"},
    }
    cases = {case: lambda changed=changed: build(**changed) for case, changed in wrong.items()}
    snapshots.check_errors("datasets/make_code_spans", cases)
    monkeypatch.setattr(make, "COMMIT", "0" * 40)
    with pytest.raises(DataError, match="0000000"):
        make.archived_sources()
    for question, expected in {
        "How are ties broken?": "medium",  # tie is there, broken is not: 1 of 2
        "How is the band of ties found?": "easy",  # tie and band, not found: 2 of 3
        "How is it worked out?": "hard",
        "What is it?": "hard",  # no content word at all
        "Which BANDS?": "easy",
    }.items():
        assert make.difficulty(question, "def tie_band(metric: BoundMetric) -> TieBand:") == expected, question
