"""Formats of benchmarks: laws that hold for every format, driven by one table of samples and one of faults."""

import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from assay import BenchmarkDataset, DataError, Document, Query, RelevanceJudgment, Span, UsageError
from assay.datasets import Probe, check_target, describe_losses, detect_format, find_format, load_dataset

from ._benchmarks import SAMPLES, assert_same, assert_same_content, benchmarks, claims
from ._cases import BOM, PACKERS, write
from ._faults import FAULTS
from ._files import FOLDERS, put, put_benchmark
from ._readings import MORE_SAMPLES, READINGS, shown

SAMPLE_OF = {
    "beir": SAMPLES / "beir",
    "code_spans": SAMPLES / "code_spans",
    "cqadupstack": SAMPLES / "cqadupstack",
    "dpr": SAMPLES / "dpr" / "nq-dev.json",
    "golden": SAMPLES / "golden" / "golden.jsonl",
    "hotpotqa": SAMPLES / "hotpotqa" / "hotpot_dev_distractor.json",
    "image_captions": SAMPLES / "captions_val.json",
    "json": SAMPLES / "json" / "cats.json",
    "jsonl": SAMPLES / "jsonl",
    "locomo": SAMPLES / "locomo10.json",
    "longmemeval": SAMPLES / "longmemeval_s.json",
    "longmemeval_turns": SAMPLES / "longmemeval_s.json",
    "longmemeval_user": SAMPLES / "longmemeval_s.json",
    "longmemeval_user_turns": SAMPLES / "longmemeval_s.json",
    "miracl": SAMPLES / "miracl.jsonl",
    "queries": SAMPLES / "queries" / "queries.jsonl",
    "rag_records": SAMPLES / "rag_records" / "ragas.csv",
    "rag_template": SAMPLES / "rag_template.json",
    "squad": SAMPLES / "squad.json",
    "tables": SAMPLES / "tables",
    "trec": SAMPLES / "trec",
}
BY_NAME = {"longmemeval_turns", "longmemeval_user", "longmemeval_user_turns"}
"""Formats that are chosen by name alone."""
READ_ONLY = {
    *("code_spans", "cqadupstack", "dpr", "golden", "hotpotqa", "ir_datasets", "locomo", "longmemeval"),
    "image_captions",
    *("miracl", "mteb", "queries", "rag_records", "squad", "tables"),
} | BY_NAME
WRITTEN = ("beir", "json", "jsonl", "parquet", "rag_template", "trec")


def read(path, name=None):
    """A dataset, and all of its documents."""
    dataset = load_dataset(path, name)
    list(dataset.documents.items())
    return dataset


def target_of(folder, name):
    return folder / ("out" if name in FOLDERS else "out.json")


def small():
    dataset = BenchmarkDataset("Mine", queries={"q": Query("q", "x")}, documents={"d": Document("d", "y")})
    dataset.qrels["q"] = {"d": 1}
    return dataset


def content_of(path):
    return {str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()}


GUISES = {
    "as it is": (bytes, ""),
    "a mark in front": (BOM.__add__, ""),
    "carriage returns": (lambda content: content.replace(b"\n", b"\r\n"), ""),
    "blank lines": (lambda content: b"\n \n" + content + b"\n \n", ""),
    **{ending: (pack, f".{ending}") for ending, pack in PACKERS.items()},
    "a strange name": (None, "it's [1]*?"),
}


def dressed(path, target, change, ending):
    """A copy of a sample whose files were changed; sources of code stay as they are."""
    prefix, ending, change = ("", ending, change) if change else (ending, "", bytes)
    if path.is_file():
        return put(target / f"{prefix}{path.name}{ending}", change(path.read_bytes()))
    copy = target / (prefix or path.name)
    for name, content in content_of(path).items():
        is_source = name.startswith("repo") or name == "dataset.json"
        put(copy / f"{name}{'' if is_source else ending}", content if is_source else change(content))
    return copy


@pytest.mark.parametrize("name", SAMPLE_OF)
def test_a_sample_is_recognised_in_every_guise_and_kept_by_json(tmp_path, name):
    sample = SAMPLE_OF[name]
    plain = read(sample, name)
    assert (plain.format, plain.path, load_dataset(plain)) == (name, sample, plain)
    for guise, (change, ending) in GUISES.items():
        path = dressed(sample, tmp_path / guise, change, ending)
        if name not in BY_NAME:
            assert claims(path)[0] == name, guise
        found = read(path, name)
        assert_same_content(found, plain, guise)
        assert (found.spans, len(found.repairs)) == (plain.spans, len(plain.repairs)), guise
    plain.save_json(tmp_path / "d.json")
    again = load_dataset(tmp_path / "d.json")
    assert_same_content(again, plain)
    assert (again.spans, again.judgments, again.groups) == (plain.spans, plain.judgments, plain.groups)


def test_the_format_that_contributors_start_from_reads_every_guise(tmp_path):
    """The complete file in docs/architecture.md passes what the test above asks of a sample."""
    page = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")
    names = {}
    exec(re.search(r'^```python\n("""answer_lines.*?)^```$', page, re.MULTILINE | re.DOTALL)[1], names)
    answer_lines = names["ANSWER_LINES"]
    sample = put(tmp_path / "cats.answers", f"{answer_lines.example}\nwho roars?\td3\n".encode())
    plain = answer_lines.read(sample)
    assert plain.qrels == {"1": {"d1": 1, "d2": 1}, "2": {"d3": 1}}
    for guise, (change, ending) in GUISES.items():
        path = dressed(sample, tmp_path / guise, change, ending)
        assert answer_lines.detect(Probe(path)), guise
        assert_same_content(answer_lines.read(path), plain, guise)


@pytest.mark.parametrize("name", FAULTS)
def test_faults_say_where_and_what(snapshots, tmp_path, name):
    def refused(files):
        return lambda: read(put_benchmark(tmp_path / "data", name, files), name)

    snapshots.check_errors(f"datasets/faults_of_{name}", {case: refused(files) for case, files in FAULTS[name].items()})


@pytest.mark.parametrize("name", READINGS)
def test_what_is_read_from_samples_and_odd_files(snapshots, tmp_path, name):
    """Every record, and everything that was mended or lost."""

    def told(case, path):
        try:
            recognised = detect_format(path).name
        except DataError:
            recognised = "nothing"
        text = shown(read(path, name)).replace(f"{tmp_path}/data", "<data>").replace(str(SAMPLES), "<samples>")
        return f"## {case}{'' if recognised == name else f' (recognised as {recognised})'}\n{text}"

    samples = [*([SAMPLE_OF[name]] if name in SAMPLE_OF else []), *MORE_SAMPLES.get(name, [])]
    parts = [told(f"sample {path.name}", path) for path in samples]
    parts += [told(case, put_benchmark(tmp_path / "data", name, files)) for case, files in READINGS[name].items()]
    snapshots.check(f"datasets/readings_of_{name}", "\n".join(parts))


def test_the_examples_of_the_documentation_read(tmp_path):
    for name in ("dpr", "hotpotqa", "json", "locomo", "longmemeval", *BY_NAME, "miracl", "squad"):
        found = read(write(tmp_path / "example.json", find_format(name).example), name)
        assert found.queries, name
        assert not found.repairs or name in BY_NAME, name
    corpus, queries, header, row = find_format("beir").example.replace("<tab>", "\t").splitlines()
    files = {"corpus.jsonl": corpus.split(maxsplit=1)[1], "queries.jsonl": queries.split(maxsplit=1)[1]}
    files["qrels/test.tsv"] = f"{header.split(maxsplit=1)[1]}\n{row.strip()}\n".replace(" ", "\t")
    assert read(put_benchmark(tmp_path / "beir", "beir", files), "beir").qrels == {"q1": {"d1": 1}}
    text = find_format("code_spans").example.partition("repo/ ")[0].replace("tasks.jsonl", "")
    text = text.replace("\n               ", " ")
    assert list(load_dataset(write(tmp_path / "tasks.jsonl", text)).queries) == ["t1", "q2", "acme_tool/0"]
    whole, _, lines = find_format("rag_template").example.partition("\n\nJSON lines")
    assert load_dataset(write(tmp_path / "rag.json", whole), "rag_template").qrels == {"q1": {"p1": 3, "p2": 0}}
    found = load_dataset(write(tmp_path / "rag.jsonl", lines.partition("\n")[2]), "rag_template")
    assert found.queries["q1"].expected == "12 to 16 hours"


@given(name=st.sampled_from(WRITTEN), made=benchmarks())
def test_what_is_written_reads_back(tmp_path_factory, name, made):
    if name == "beir":
        made.documents = {doc: replace(one, title=one.title or None) for doc, one in made.documents.items()}
    folder = tmp_path_factory.mktemp(name)
    path = target_of(folder, name)
    check_target(find_format(name), path)
    try:
        find_format(name).save(made, path)
    except DataError:
        if name != "rag_template":
            raise
        reject()  # metadata that would be read as ground truth
    found = load_dataset(path)
    assert found.format == name
    assert_same(found, made)
    assert describe_losses(made, found) == []
    assert not any(one.is_loss for one in found.repairs)
    shutil.rmtree(folder)


def rich():
    """Everything that a benchmark may hold."""
    made = BenchmarkDataset("Rich", "2", {"split": "../../etc", "a": [1]})
    clashes = {"difficulty": 5, "scope": "s", "evidence": None, "expected": "x", "title": "t"}
    made.add_query(Query("q", "ä\n\u2028", "t", "d", "o", clashes, "e", ["d"], "s"))
    made.add_query(Query("r", evidence=[]))
    made.add_document(Document("d", "y", "s", 1, "c", {"source": "x", "page_number": 7}, "t", "s"))
    made.add_judgment(RelevanceJudgment("q", "d", 0.1 + 0.2, "ann", "today"))
    made.qrels |= {"r": {}, "nobody": {}}
    made.spans["q"] = [Span("d", 1, 2, "lines")]
    return made


def test_everything_is_kept_and_what_a_format_loses_is_named(snapshots, tmp_path):
    for name in WRITTEN:
        path = target_of(tmp_path / name, name)
        path.parent.mkdir()
        find_format(name).save(rich(), path)
        assert_same(load_dataset(path), rich())
        assert [*path.parent.iterdir()] == [path]
    snapshots.check("datasets/losses", "".join(f"{loss}\n" for loss in describe_losses(rich(), BenchmarkDataset())))


@pytest.mark.parametrize("name", WRITTEN)
def test_a_failure_leaves_everything_as_it_was(tmp_path, name):
    bad = small()
    bad.documents["d"] = Document("d", "new", page_number="iv") if name == "parquet" else Document("d", "new \ud800")
    path = target_of(tmp_path, name)
    for is_there in (False, True):
        if is_there:
            find_format(name).save(small(), path)
        before = content_of(tmp_path)
        with pytest.raises(DataError):
            find_format(name).save(bad, path)
        assert (content_of(tmp_path), path.exists()) == (before, is_there)


def test_a_folder_is_written_over_itself_but_over_no_other(tmp_path):
    other = put(tmp_path / "json" / "dataset.json", "{}").parent
    small().save_json(other / "dataset.json")
    for old in FOLDERS:
        path = tmp_path / old
        write(put(path / "README.md", "x").parent / ".corpus.swp", "x")
        find_format(old).save(small(), path)
        before = content_of(path)
        others = [(name, folder) for name in FOLDERS for folder in (path, other) if (name, folder) != (old, path)]
        for name, in_the_way in others:
            with pytest.raises(DataError):
                find_format(name).save(small(), in_the_way)
        assert content_of(path) == before, old
        find_format(old).save(small(), path)
        assert_same(load_dataset(path), small())
        assert content_of(path).keys() == before.keys()
        for file in ("out.json", "out.jsonl.gz", "out.tsv", "out.parquet"):
            with pytest.raises(UsageError):
                find_format(old).save(small(), other / file)
    assert list(content_of(other)) == ["dataset.json"]


def test_old_files_without_a_successor_go(tmp_path):
    find_format("beir").save(small(), tmp_path / "out")
    find_format("beir").save(BenchmarkDataset(queries={"q": Query("q")}), tmp_path / "out")
    assert (load_dataset(tmp_path / "out").qrels, "qrels/test.tsv" in content_of(tmp_path / "out")) == ({}, False)


TABLE_IDS = ["a\tb", "a\nb", "a\rb", "#a", 'a"b', "", " a", "a "]
TREC_IDS = ["a b", "", "\ta", "#1", "a\u00a0b"]


def test_ids_that_a_format_cannot_hold_are_refused(tmp_path):
    cases = [("beir", "out", qrels) for bad in TABLE_IDS for qrels in ({bad: {"d": 1}}, {"q": {bad: 1}})]
    cases += [("trec", target, {"1": {bad: 1}}) for bad in TREC_IDS for target in ("out", "out.qrels")]
    cases += [("trec", "out.qrels", {query: {"d": 1}}) for query in ("{", "[1]", '{"a"')]
    for name, target, qrels in cases:
        with pytest.raises(DataError):
            find_format(name).save(BenchmarkDataset(qrels=qrels), tmp_path / target)
        assert not list(tmp_path.iterdir()), (name, target, qrels)
    for bad in TREC_IDS:
        with pytest.raises(DataError):
            find_format("trec").save(BenchmarkDataset(queries={bad: Query(bad)}), tmp_path / "out")


def test_what_cannot_be_written_says_why(snapshots, tmp_path):
    """One message of every kind; the laws above go through the variants."""
    judged = BenchmarkDataset(qrels={"1": {"a": 1}, "2": {}})
    surrogate = BenchmarkDataset(queries={"q": Query("q", "x\udc80y")})
    meta = BenchmarkDataset(queries={"q1": Query("q1", "?", metadata={"relevantIds": ["a"]})})
    write(tmp_path / "file", "x")
    for old in ("qrels", "qrels/dev.tsv", "qrels/test.tsv.gz", "qrels.tsv", "corpus.parquet", "topics.txt"):
        put(tmp_path / old.replace("/", "-") / old, "x")
    (tmp_path / "inside" / "queries.jsonl").mkdir(parents=True)

    def saved(name, dataset, target):
        return lambda: find_format(name).save(dataset, tmp_path / target)

    for name in READ_ONLY:
        with pytest.raises(UsageError):
            find_format(name).save(small(), tmp_path / "out")
    cases = {
        "a format that is only read": saved("squad", small(), "out"),
        "a folder that is a file": saved("beir", small(), "file"),
        "a folder in place of a file": saved("jsonl", small(), "inside"),
        "a folder with the name of a file": saved("jsonl", small(), "out.jsonl"),
        "an id of a table": saved("beir", BenchmarkDataset(qrels={"a\tb": {"d": 1}}), "out"),
        "an id of TREC": saved("trec", BenchmarkDataset(qrels={"a b": {"d": 1}}), "out"),
        "an id like JSON": saved("trec", BenchmarkDataset(qrels={"[1]": {"d": 1}}), "out.qrels"),
        "save_trec_qrels: an id": lambda: BenchmarkDataset(qrels={"q 1": {"d": 1}}).save_trec_qrels(tmp_path / "x.txt"),
        "save_trec_qrels: nothing relevant": lambda: judged.save_trec_qrels(tmp_path / "x.txt"),
        "judgments alone: nothing relevant": saved("trec", judged, "out.qrels"),
        "judgments alone: none": saved("trec", BenchmarkDataset(), "out.qrels"),
        "judgments alone: compressed": saved("trec", small(), "out.qrels.gz"),
        "half a letter": saved("json", surrogate, "out.json"),
        "metadata that would be ground truth": saved("rag_template", meta, "out.json"),
        "lines of rag_template": saved("rag_template", small(), "out.jsonl"),
    }
    for old in ("qrels", "qrels/dev.tsv", "qrels/test.tsv.gz", "qrels.tsv", "corpus.parquet", "topics.txt"):
        cases[f"in the way: {old}"] = saved("beir", small(), old.replace("/", "-"))
    for name in ("json", "rag_template"):
        for target in ("out", "out.txt", "out.jsonl", "out.json.gz"):
            cases[f"{name} as {target}"] = partial(check_target, find_format(name), tmp_path / target)
    snapshots.check_errors("datasets/not_written", cases)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".*"))
