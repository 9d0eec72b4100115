"""assay compare: formats, saved results, slices, queries that moved, mistakes; and the terminal."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

import assay as library
from assay.text import display_width

EXAMPLES = Path(__file__).parents[2] / "examples"
STYLE = re.compile(r"\x1b\[[0-9;]*m")
FORMATS = {"table": "txt", "markdown": "md", "latex": "tex", "csv": "csv", "json": "json"}

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def examples(files):
    """The example files in the working directory."""
    for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run", "rag-template.run"):
        (files / name).write_bytes((EXAMPLES / name).read_bytes())
    return files


@pytest.fixture
def saved(examples, assay):
    """Results of the examples: one in each file, and two in one."""
    for name in ("bm25", "dense", "hybrid"):
        assert assay("score", "qrels.txt", f"{name}.run", "-m", "map", "mrr", "-f", "json", "-o", f"{name}.json").code == 0
    assert assay("score", "qrels.txt", "bm25.run", "dense.run", "-m", "map", "mrr", "-o", "all.json").code == 0
    return examples


@pytest.fixture(scope="module")
def tagged(tmp_path_factory):
    """Two evaluations of rag-template, whose queries have tags."""
    folder = tmp_path_factory.mktemp("tagged")
    dataset = library.load_dataset("rag-template")
    for name in ("bm25", "tfidf_chars"):
        result = library.run(dataset, name, ["ndcg@10", "mrr"])
        content = {"schema": "assay.result/1", "results": [result.to_dict()]}
        (folder / f"{name}.json").write_text(json.dumps(content))
        lines = [f"{q} Q0 {doc} 1 {score} {name}" for q, run in result.run.items() for doc, score in run.items()]
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")
    return folder


def on_benchmarks(path, *benchmarks):
    """The results of a file, once for each benchmark."""
    content = json.loads(Path(path).read_text())
    content["results"] = [{**one, "benchmark": name} for name in benchmarks for one in content["results"]]
    Path(path).write_text(json.dumps(content))


def rows(out):
    return list(csv.DictReader(io.StringIO(out)))


def systems(out):
    return json.loads(out)["comparisons"][0]["systems"]


def test_two_runs_by_hand(told):
    """map: 1 and 1 for good; 1/4 and 0 for poor."""
    told(
        "compare/by_hand",
        """
        compare qrels.txt old=poor.run new=good.run -m map
        compare qrels.txt good.run poor.run -m map --worst 1 --best 1
        compare qrels.txt good.run poor.run -m map --by language
        > tied.run q1 Q0 d1 1 5 t\\nq1 Q0 d3 1 5 t\\nq1 Q0 d9 1 5 t\\nq2 Q0 d4 1 1 t\\n
        compare qrels.txt good.run tied.run -m hit@1 map --ties docid_desc --worst 1
        """,
    )


@pytest.mark.usefixtures("examples")
def test_every_format_prints_and_writes_the_same(assay, told):
    words = "compare qrels.txt bm25.run dense.run hybrid.run -m ndcg@10 map --baseline bm25"
    told("compare/formats", "\n".join(f"{words} -f {form}" for form in FORMATS if form != "json"))
    shown = assay(*words.split()).out
    for form, ending in FORMATS.items():
        out = assay(*words.split(), "-f", form).out
        done = assay(*words.split(), "-o", f"x.{ending}", "-o", f"deep/y.{ending}")
        assert (done.out, done.err) == (shown, f"wrote x.{ending}, deep/y.{ending}\n"), form
        assert Path(f"x.{ending}").read_text() == Path(f"deep/y.{ending}").read_text() == out, form
        assert assay(*words.split(), "-o", f"x.{ending}", "--quiet").err == "", form


@pytest.mark.usefixtures("examples")
def test_the_figures_are_those_of_the_library(assay):
    how = {
        "test": "paired_t",
        "correction": "bh",
        "alpha": 0.1,
        "interval": "bca",
        "tolerance": 0.01,
        "rope": 0.02,
        "seed": 7,
    }
    flags = "--test paired_t --correction bh --level 0.9 --ci bca --tolerance 0.01 --rope 0.02 --seed 7 -f json"
    (found,) = json.loads(assay("compare", "qrels.txt", "a=bm25.run", "b=dense.run", "-m", "map", *flags.split()).out)[
        "comparisons"
    ]
    theirs = library.compare("qrels.txt", {"a": "bm25.run", "b": "dense.run"}, "map", **how)
    assert found["pairs"] == theirs.table()
    assert found["how"] == {**how, "baseline": None, "correction": "benjamini_hochberg"}
    assert found["intervals"]["a"]["map"]["level"] == 0.9
    for level in ("95", "95%", "0.95"):
        one = json.loads(assay("compare", "qrels.txt", "bm25.run", "dense.run", "--level", level, "-f", "json").out)
        assert one["comparisons"][0]["how"]["alpha"] == 0.05, level


@pytest.mark.usefixtures("examples")
def test_conventions_are_those_of_score(assay):
    figures = []
    for flags in ((), ("--rel", "2"), ("--profile", "ranx", "--missing", "zero"), ("--judged-only",)):
        found = rows(assay("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "map", *flags, "-f", "csv").out)
        (score,) = rows(assay("score", "qrels.txt", "bm25.run", "-m", "map", *flags, "-f", "csv").out)
        assert found[0]["value_a"] == score[found[0]["metric"]], flags
        figures.append(found[0]["value_a"])
    assert len(set(figures)) > 2
    done = assay("compare", "qrels.txt", "bm25.run", "hybrid.run", "-m", "accuracy", "map", "--profile", "mteb", "-f", "csv")
    assert done.code == 0, done.err


def test_files_may_follow_flags_and_need_names_only_where_they_clash(assay, files):
    (files / "sub").mkdir()
    (files / "sub" / "good.run").write_bytes((files / "good.run").read_bytes())
    (files / "a=b.run").write_bytes((files / "poor.run").read_bytes())
    out = assay("compare", "qrels.txt", "-m", "map", "-f", "json", "--run", "good.run", "sub/good.run").out
    assert systems(out) == ["good.run", "sub/good.run"]
    assert systems(assay("compare", "qrels.txt", "good.run", "a=b.run", "-f", "json", "-m", "map").out) == ["good", "a=b"]


@pytest.mark.usefixtures("examples")
def test_a_benchmark_with_words_and_chunks_that_are_rolled_up(assay, told):
    lines = [line.split() for line in Path("rag-template.run").read_text().splitlines()]
    Path("chunks.run").write_text("".join(f"{q} Q0 {doc}#{rank} {rank} {score} t\n" for q, _, doc, rank, score, _ in lines))
    Path("nothing.run").write_text("q01 Q0 nobody 1 1 t\n")
    told(
        "compare/benchmark",
        """
        compare --dataset rag-template one=rag-template.run two=rag-template.run -m ndcg@10
        compare --dataset rag-template one=rag-template.run two=rag-template.run -m ndcg@10 --relevance token
        compare --dataset rag-template chunks.run nothing.run -m ndcg@10 --unit document --worst 1
        """,
    )


@pytest.mark.usefixtures("saved")
def test_saved_results(assay, told):
    runs = rows(assay("compare", "qrels.txt", "bm25.run", "new=dense.run", "-m", "map", "mrr", "-f", "csv").out)
    assert rows(assay("compare", "bm25.json", "new=dense.json", "-f", "csv").out) == runs
    Path("sub").mkdir()
    Path("sub/bm25.json").write_bytes(Path("bm25.json").read_bytes())
    names = {
        "all.json": ["bm25", "dense"],
        "all.json#dense hybrid.json": ["dense", "hybrid"],
        "all.json bm25.json": ["all/bm25", "dense", "bm25/bm25"],
        "bm25.json sub/bm25.json": ["bm25.json/bm25", "sub/bm25.json/bm25"],
        "x=all.json hybrid.json": ["x/bm25", "x/dense", "hybrid"],
    }
    for words, expected in names.items():
        assert systems(assay("compare", *words.split(), "-m", "map", "-f", "json").out) == expected, words
    Path("some.txt").write_text("".join(Path("qrels.txt").read_text().splitlines(keepends=True)[:60]))
    assert assay("score", "some.txt", "dense.run", "-m", "map", "--rel", "2", "-o", "some.json").code == 0
    told(
        "compare/other_data",
        """
        compare bm25.json some.json -m map
        compare bm25.json some.json -m map --intersect
        """,
    )


@pytest.mark.usefixtures("saved")
def test_one_comparison_for_each_benchmark(assay, told):
    on_benchmarks("all.json", "first", "second")
    on_benchmarks("hybrid.json", "third")
    on_benchmarks("dense.json", "second")
    told(
        "compare/benchmarks",
        """
        compare all.json hybrid.json -m map -f csv
        compare all.json#second -m map -f csv
        compare a=all.json#second/bm25 b=all.json#second/dense -m map
        compare hybrid.json dense.json -m map
        """,
    )
    shown = assay("compare", "all.json").out
    assert (shown.startswith("first\n"), "\n\nsecond\n" in shown) == (True, True)


def test_rankings_of_an_evaluation_are_shown(tagged, told, monkeypatch):
    monkeypatch.chdir(tagged)
    told("compare/rankings", "compare bm25.json tfidf_chars.json#rag-template/tfidf_chars -m mrr --worst 1 --digits 2")


def test_slices_and_agreement(tagged, assay, told, monkeypatch):
    monkeypatch.chdir(tagged)
    told(
        "compare/slices",
        """
        compare bm25.json tfidf_chars.json -m ndcg@10 --by difficulty type*length
        compare bm25.json tfidf_chars.json -m ndcg@10 --slices
        compare bm25.json tfidf_chars.json -m ndcg@10 --agreement
        compare bm25.json tfidf_chars.json -m mrr --by category -f csv
        compare --dataset rag-template bm25.run tfidf_chars.run -m ndcg@10 --agreement --by type
        compare bm25.json tfidf_chars.json --by dificulty
        compare bm25.json tfidf_chars.json --slices -f csv
        compare bm25.json tfidf_chars.json --agreement -o x.csv
        compare bm25.json tfidf_chars.json --by difficulty bm25.json
        compare bm25.json tfidf_chars.json --by ,
        """,
    )
    both = ("compare", "bm25.json", "tfidf_chars.json", "-m", "mrr", "--by", "type", "--slices", "--agreement")
    done = assay(*both, "-f", "json", "-o", "report.md", "-o", "all.json")
    (one,) = json.loads(done.out)["comparisons"]
    assert {"pairs", "slices", "worst_slices", "agreement"} <= one.keys()
    assert {row["by"] for row in one["slices"]["slices"]} == {"query_type"}, "data keep the name that the tag has"
    assert json.loads(Path("all.json").read_text())["comparisons"] == [one]
    assert "by slice" in Path("report.md").read_text()


@pytest.mark.usefixtures("saved")
def test_mistakes_say_what_to_do(assay, told):
    Path("broken.run").write_text("q1 Q0 d1 1 high tag\n")
    flags = "--baseline bm52|--test wilcoxn|--correction hlom|--ci bcaa|-f tabel|-f trec|-o x.trec|--alpha 2|--alpha x"
    flags += "|--level 0.9 --alpha 0.1|--worst x|--unit document"
    lines = [f"compare qrels.txt bm25.run broken.run {flag}" for flag in flags.split("|")]
    told("compare/refused", "\n".join(lines))
    for line in lines:
        assert assay(*shlex.split(line))[:2] == (2, ""), line
    told(
        "compare/mistakes",
        """
        compare qrels.txt bm25.run broken.run
        compare qrels.txt x= dense.run
        compare bm25.json nope.json#x
        compare bm25.json 'nope.json#bm25(k1=0.9)'
        compare bm25.json 'all.json#bm25(k1=0.9)'
        compare bm25.json all.json#bm52
        compare bm25.json dense.json --profile beir
        compare bm25.json dense.json -m ndcg@10
        compare bm25.json dense.json -m ncdg@10
        compare bm25.json dense.json --baseline bm52
        compare bm25.run qrels.txt dense.run
        """,
    )


@pytest.mark.usefixtures("examples")
def test_it_fits_the_terminal_and_is_plain_in_a_pipe(terminal, process):
    words = ("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "ndcg@10", "map", "--worst", "1")
    for columns in (80, 120):
        shown = terminal(*words, columns=columns)
        assert (shown.code, "\x1b[1;32m0.470 ▲\x1b[0m" in shown.out) == (0, True)
        assert max(display_width(line) for line in STYLE.sub("", shown.out).splitlines()) <= columns
    assert "\x1b" not in terminal(*words, env={"NO_COLOR": "1"}).out
    first, second = (process(*words) for _ in range(2))
    assert (first, first.code, "\x1b" in first.out) == (second, 0, False)


@pytest.mark.usefixtures("saved")
def test_metrics_that_count_chunks_are_noted_where_chunkers_differ(assay):
    content = json.loads(Path("all.json").read_text())
    for chunkers, is_noted in ((("lines", "tree"), True), (("tree", "tree"), False)):
        for one, chunker in zip(content["results"], chunkers, strict=True):
            one["relevance"] = {"strategy_used": "span", "strategy_counts": {"span": 40}}
            one["provenance"] = {**one.get("provenance", {}), "chunks": {"chunker": chunker, "n": 1, "seconds": 0.0}}
        Path("all.json").write_text(json.dumps(content))
        for words, name in ((["all.json"], "map"), (["all.json", "-m", "mrr"], "mrr")):
            code, out, err = assay("compare", *words)
            assert (code, name in out, err.startswith(f"note: {name} counts chunks")) == (0, True, is_noted)
