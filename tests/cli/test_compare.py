"""assay compare, called in process; in a terminal where that matters."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from assay.cli.commands.compare import EXAMPLES as HELP
from assay.text import display_width

EXAMPLES = Path(__file__).parents[2] / "examples"
STYLE = re.compile(r"\x1b\[[0-9;]*m")

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def examples(files):
    """The example files in the working directory."""
    for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run", "rag-template.run"):
        (files / name).write_bytes((EXAMPLES / name).read_bytes())
    return files


@pytest.fixture
def saved(examples, assay):
    """Results of the examples: one in each file, and all in one."""
    for name in ("bm25", "dense", "hybrid"):
        Path(f"{name}.json").write_text(assay("score", "qrels.txt", f"{name}.run", "-m", "map", "mrr", "-f", "json").out)
    together = assay("score", "qrels.txt", "bm25.run", "dense.run", "-m", "map", "mrr", "-f", "json").out
    Path("all.json").write_text(together)
    return examples


def on_benchmarks(path, *benchmarks):
    """The results of a file, once for each benchmark."""
    content = json.loads(Path(path).read_text())
    content["results"] = [{**one, "benchmark": name} for name in benchmarks for one in content["results"]]
    Path(path).write_text(json.dumps(content))


def rows(out):
    return list(csv.DictReader(io.StringIO(out)))


# Judgments and runs


def test_two_runs_by_hand(assay):
    """map: 1 and 1 for good; 1/4 and 0 for poor."""
    code, out, err = assay("compare", "qrels.txt", "old=poor.run", "new=good.run", "-m", "map")
    assert (code, err) == (0, "")
    assert out == (
        "2 queries · randomization test, all permutations · 95 % intervals by bootstrap · seed 0\n"
        "\n"
        "  metric     old     new          Δ      95 % CI of Δ       p   effect   better/same/worse\n"
        "  map      0.125   1.000     +0.875   +0.750 … +1.000   0.500     4.95           2 / 0 / 0\n"
        "\n"
        "Whether new is better than old on map is not decisive: +0.875 [+0.750, +1.000], p = 0.500.\n"
        "No query got worse.\n"
        "old: 1 query missing from the run, scored as an empty ranking (q2).\n"
    )


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "json"])
def test_every_format_prints_and_writes_the_same(assay, form):
    command = ("compare", "qrels.txt", "bm25.run", "dense.run", "hybrid.run", "-m", "ndcg@10", "map", "--baseline", "bm25")
    code, out, err = assay(*command, "-f", form)
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    ending = {"table": "txt", "markdown": "md", "latex": "tex"}.get(form, form)
    shown, wrote = assay(*command, "-o", f"x.{ending}", "-o", f"deep/y.{ending}")[1:]
    assert shown == assay(*command).out
    assert wrote == f"wrote x.{ending}, deep/y.{ending}\n"
    assert Path(f"x.{ending}").read_text(encoding="utf-8") == Path(f"deep/y.{ending}").read_text(encoding="utf-8") == out


@pytest.mark.usefixtures("examples")
def test_the_figures_are_those_of_the_library(assay):
    from assay.comparison.comparison import compare

    flags = ("--test", "paired_t", "--correction", "bh", "--level", "0.9", "--ci", "bca", "--tolerance", "0.01", "--rope")
    out = assay(
        "compare", "qrels.txt", "a=bm25.run", "b=dense.run", "-m", "map", *flags, "0.02", "--seed", "7", "-f", "json"
    ).out
    how = {
        "test": "paired_t",
        "correction": "bh",
        "alpha": 0.1,
        "interval": "bca",
        "tolerance": 0.01,
        "rope": 0.02,
        "seed": 7,
    }
    theirs = compare("qrels.txt", {"a": "bm25.run", "b": "dense.run"}, "map", **how)
    (found,) = json.loads(out)["comparisons"]
    assert found["pairs"] == theirs.table()
    assert found["how"] == {**how, "baseline": None, "correction": "benjamini_hochberg"}
    assert found["intervals"]["a"]["map"]["level"] == 0.9


@pytest.mark.usefixtures("examples")
def test_conventions_are_those_of_score(assay):
    figures = []
    for flags in ((), ("--rel", "2"), ("--profile", "ranx", "--missing", "zero"), ("--judged-only",)):
        found = rows(assay("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "map", *flags, "-f", "csv").out)
        (score,) = rows(assay("score", "qrels.txt", "bm25.run", "-m", "map", *flags, "-f", "csv").out)
        assert found[0]["value_a"] == score[found[0]["metric"]]
        figures.append(found[0]["value_a"])
    assert len(set(figures)) > 2


def test_files_may_follow_flags_and_need_names_only_where_they_clash(assay, files):
    (files / "sub").mkdir()
    (files / "sub" / "good.run").write_bytes((files / "good.run").read_bytes())
    out = assay("compare", "qrels.txt", "-m", "map", "-f", "csv", "--run", "good.run", "sub/good.run").out
    assert [(row["a"], row["b"]) for row in rows(out)] == [("good.run", "sub/good.run")]
    (files / "a=b.run").write_bytes((files / "poor.run").read_bytes())
    out = assay("compare", "qrels.txt", "good.run", "a=b.run", "-f", "csv", "-m", "map").out
    assert (rows(out)[0]["b"], rows(out)[0]["value_b"]) == ("a=b", "0.125")


@pytest.mark.usefixtures("examples")
def test_a_benchmark_and_runs(assay):
    command = ("compare", "--dataset", "rag-template", "one=rag-template.run", "two=rag-template.run", "-m", "ndcg@10")
    code, out, _ = assay(*command)
    assert code == 0
    assert out.startswith("rag-template\n48 queries · ")
    assert "two and one have the same ndcg@10 on every query." in out
    assert assay(*command, "--relevance", "token").code == 0


# The queries that moved


def test_worst_and_best_with_both_rankings(assay):
    out = assay("compare", "qrels.txt", "good.run", "poor.run", "-m", "map", "--worst", "1", "--best", "1").out
    assert out.partition("The query that")[2] == (
        " lost most on map from good to poor\n"
        "\n"
        "q2  1.000 → 0.000 (−1.000)\n"
        "  rank   good       poor\n"
        "     1   ✓ d4 (1)\n"
        "\n"
        "poor retrieved nothing\n"
        "\n"
        "No query gained on map from good to poor\n"
    )
    found = json.loads(assay("compare", "qrels.txt", "good.run", "poor.run", "--worst", "5", "-f", "json").out)
    assert [one["query"] for one in found["comparisons"][0]["movers"]] == ["q2", "q1"]


def test_ties_stand_as_they_were_scored(assay, files):
    (files / "tied.run").write_text("q1 Q0 d1 1 5 t\nq1 Q0 d3 1 5 t\nq1 Q0 d9 1 5 t\nq2 Q0 d4 1 1 t\n")
    shown = {}
    for ties in ("docid_desc", "docid_asc"):
        out = assay("compare", "qrels.txt", "good.run", "tied.run", "-m", "hit@1", "map", "--ties", ties, "--worst", "1").out
        shown[ties] = re.findall(r"^ +(\d) .* (d\d)(?: \(\d\))?$", out, re.MULTILINE)
    assert shown["docid_desc"] == [("1", "d9"), ("2", "d3"), ("3", "d1")]


@pytest.mark.usefixtures("examples")
def test_words_of_a_benchmark_and_chunks_rolled_up(assay):
    chunks = "\n".join(
        f"{query} Q0 {doc}#{rank} {rank} {score} t"
        for query, _, doc, rank, score, _ in map(str.split, Path("rag-template.run").read_text().splitlines())
    )
    Path("chunks.run").write_text(chunks + "\n")
    Path("nothing.run").write_text("q01 Q0 nobody 1 1 t\n")
    command = ("compare", "--dataset", "rag-template", "chunks.run", "nothing.run", "-m", "ndcg@10", "--unit", "document")
    out = assay(*command, "--worst", "2").out
    assert re.search(r'^q\d\d "[A-Z].*\?"  1\.000 → 0\.000 \(−1\.000\)$', out, re.MULTILINE)
    assert re.search(r"^     1   ✓ p\d{3} \(\d\)", out, re.MULTILINE)


# Saved results


@pytest.mark.usefixtures("saved")
def test_saved_results(assay):
    files = rows(assay("compare", "bm25.json", "new=dense.json", "-f", "csv").out)
    assert [(row["metric"], row["a"], row["b"]) for row in files] == [("map", "bm25", "new"), ("mrr", "bm25", "new")]
    runs = rows(assay("compare", "qrels.txt", "bm25.run", "new=dense.run", "-m", "map", "mrr", "-f", "csv").out)
    assert files == runs
    together = rows(assay("compare", "all.json", "-m", "mrr", "-f", "csv").out)
    assert [(row["a"], row["b"], row["p"]) for row in together] == [("bm25", "dense", runs[1]["p"])]
    picked = rows(assay("compare", "all.json#dense", "hybrid.json", "-f", "csv").out)
    assert {(row["a"], row["b"]) for row in picked} == {("dense", "hybrid")}


@pytest.mark.usefixtures("saved")
def test_names_that_clash_get_the_stem_of_the_file(assay):
    out = assay("compare", "all.json", "bm25.json", "-m", "map", "-f", "json").out
    assert json.loads(out)["comparisons"][0]["systems"] == ["all/bm25", "dense", "bm25/bm25"]
    Path("sub").mkdir()
    Path("sub/bm25.json").write_bytes(Path("bm25.json").read_bytes())
    out = assay("compare", "bm25.json", "sub/bm25.json", "-m", "map", "-f", "json").out
    assert json.loads(out)["comparisons"][0]["systems"] == ["bm25.json/bm25", "sub/bm25.json/bm25"]
    out = assay("compare", "x=all.json", "hybrid.json", "-m", "map", "-f", "json").out
    assert json.loads(out)["comparisons"][0]["systems"] == ["x/bm25", "x/dense", "hybrid"]


@pytest.mark.usefixtures("saved")
def test_one_comparison_for_each_benchmark(assay):
    on_benchmarks("all.json", "first", "second")
    on_benchmarks("hybrid.json", "third")
    code, out, err = assay("compare", "all.json", "hybrid.json", "-m", "map", "-f", "csv")
    assert [(row["benchmark"], row["a"], row["b"]) for row in rows(out)] == [
        ("first", "bm25", "dense"),
        ("second", "bm25", "dense"),
    ]
    assert (code, err) == (0, "note: third: hybrid alone was run on it, so it is left out\n")
    (row,) = rows(assay("compare", "all.json#second", "-m", "map", "-f", "csv").out)
    assert row["benchmark"] == "second"
    (row,) = rows(assay("compare", "a=all.json#second/bm25", "b=all.json#second/dense", "-m", "map", "-f", "csv").out)
    assert (row["a"], row["b"]) == ("a", "b")
    text = assay("compare", "all.json").out
    assert text.startswith("first\n")
    assert "\n\nsecond\n" in text


@pytest.mark.usefixtures("saved")
def test_different_data_are_refused_and_intersected_on_request(assay):
    Path("some.txt").write_text("".join(Path("qrels.txt").read_text().splitlines(keepends=True)[:60]))
    Path("some.json").write_text(assay("score", "some.txt", "dense.run", "-m", "map", "--rel", "2", "-f", "json").out)
    code, out, err = assay("compare", "bm25.json", "some.json", "-m", "map")
    assert (code, out) == (3, "")
    for said in ("different judgments", "rel is None for bm25 and 2.0 for dense", "only in bm25", "--intersect"):
        assert said in err
    code, out, _ = assay("compare", "bm25.json", "some.json", "-m", "map", "--intersect")
    assert code == 0
    assert out.count("Not the same: ") == 3


@pytest.mark.usefixtures("saved")
def test_results_of_different_benchmarks_are_named(assay):
    on_benchmarks("bm25.json", "first")
    on_benchmarks("dense.json", "second")
    code, _, err = assay("compare", "bm25.json", "dense.json")
    assert code == 3
    assert "bm25 and dense are about different benchmarks, first and second" in err


def test_rankings_of_an_evaluation_are_shown(assay):
    done = assay(
        *(
            "eval",
            "--benchmarks",
            "rag-template",
            "--providers",
            "bm25",
            "tfidf_chars",
            "-m",
            "mrr",
            "-o",
            "x.json",
            "--quiet",
        )
    )
    assert done.code == 0
    out = assay("compare", "x.json#rag-template/bm25", "x.json#tfidf_chars", "--worst", "1").out
    assert out.startswith("rag-template 1.0\n")
    assert re.search(r'^q\d\d ".+"  \d', out, re.MULTILINE)
    assert re.search(r"^     \d   ✓ p\d{3} \(\d\)", out, re.MULTILINE)  # the file knows what is relevant
    assert re.search(r"^     5 +p\d{3} +(✓ )?p\d{3}", out, re.MULTILINE)


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize("level", ["95", "95%", "0.95"])
def test_a_level_may_be_a_percentage(assay, level):
    (found,) = json.loads(assay("compare", "bm25.json", "dense.json", "--level", level, "-f", "json").out)["comparisons"]
    assert found["how"]["alpha"] == 0.05


@pytest.mark.usefixtures("saved")
def test_the_metrics_asked_for_decide(assay):
    for words in (("bm25.json", "dense.json"), ("qrels.txt", "bm25.run", "dense.run")):
        (found,) = json.loads(assay("compare", *words, "-m", "mrr", "-f", "json").out)["comparisons"]
        assert found["metrics"] == ["mrr"]


@pytest.mark.usefixtures("examples")
def test_a_profile_may_rename_what_was_asked_for(assay):
    done = assay("compare", "qrels.txt", "bm25.run", "hybrid.run", "-m", "accuracy", "map", "--profile", "mteb", "-f", "csv")
    assert done.code == 0, done.err


# What is wrong


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("--dataset rag-template bm25.run", 2, "assay compare --dataset rag-template bm25.run dense.run"),
        ("bm25.json", 2, "at least two systems are needed for a comparison, and here is one, bm25"),
        ("x=qrels.txt bm25.run dense.run", 2, "judgments come first, and without a name"),
        ("qrels.txt x= dense.run", 2, "after the name there must be a file"),
        ("qrels.txt a=bm25.run a=dense.run", 2, "two systems are called a; give them names"),
        ("qrels.txt bm25.run bm25.run", 2, "two systems are called bm25.run"),
        ("qrels.txt - -", 2, "standard input (-) can be read once only"),
        ("qrels.txt bm25.run nope.run", 3, "nope.run: no such file"),
        ("bm25.json nope.json#x", 3, "nope.json#x: no such file"),
        ("bm25.json 'nope.json#bm25(k1=0.9)'", 3, "nope.json#bm25(k1=0.9): no such file"),
        ("bm25.json 'all.json#bm25(k1=0.9)'", 2, "no result of all.json is called 'bm25(k1=0.9)'"),
        ("bm25.json all.json#bm52", 2, "no result of all.json is called 'bm52'. Did you mean bm25?"),
        ("bm25.json dense.run", 2, "bm25.json is a result, dense.run is not"),
        ("--dataset rag-template bm25.json dense.json", 2, "bm25.json is a saved result, which needs no --dataset"),
        ("bm25.json dense.json --ties docid_asc", 2, "results are taken as they were scored: --ties has no place here"),
        ("bm25.json dense.json --profile beir", 2, "--profile has no place here"),
        ("bm25.json dense.json -m ndcg@10", 2, "ndcg@10 was not scored for bm25 dense; bm25 has map mrr"),
        ("bm25.json dense.json -m ncdg@10", 2, "Did you mean ndcg@10"),
        (
            "bm25.json dense.json --baseline bm52",
            2,
            "no system is called 'bm52'. Did you mean bm25?   (there are bm25, dense)",
        ),
        ("qrels.txt bm25.run dense.run --baseline bm52", 2, "no system is called 'bm52'. Did you mean bm25?"),
        ("qrels.txt bm25.run dense.run --test wilcoxn", 2, "no test is called 'wilcoxn'. Did you mean wilcoxon?"),
        (
            "qrels.txt bm25.run dense.run --correction hlom",
            2,
            "no correction is called 'hlom'. Did you mean holm or hommel?",
        ),
        ("qrels.txt bm25.run dense.run --ci bcaa", 2, "no interval is called 'bcaa'. Did you mean bca?"),
        ("qrels.txt bm25.run dense.run -f tabel", 2, "Did you mean table?"),
        ("qrels.txt bm25.run dense.run -f trec", 2, "no format of comparisons is called 'trec'"),
        ("qrels.txt bm25.run dense.run -o x.trec", 2, "the ending tells the format"),
        ("qrels.txt bm25.run dense.run --alpha 2", 2, "alpha is a number between 0 and 1"),
        ("qrels.txt bm25.run dense.run --alpha x", 2, "a number, not 'x'"),
        ("qrels.txt bm25.run dense.run --level 0.9 --alpha 0.1", 2, "say the same thing"),
        ("qrels.txt bm25.run dense.run --worst x", 2, "a whole number from 0"),
        ("qrels.txt bm25.run dense.run --unit document", 2, "--unit needs --dataset"),
        ("-m map qrels.txt bm25.run dense.run", 2, "what follows -m is taken as a metric"),
        ("bm25.run qrels.txt dense.run", 3, "bm25.run"),
    ],
)
def test_mistakes_say_what_to_do(assay, words, code, said):
    found = assay("compare", *shlex.split(words))
    assert (found.code, found.out) == (code, "")
    assert said in found.err


@pytest.mark.usefixtures("examples")
def test_a_misspelt_baseline_is_told_before_runs_are_read(assay):
    Path("broken.run").write_text("q1 Q0 d1 1 high tag\n")
    assert "no system is called 'bm52'" in assay("compare", "qrels.txt", "bm25.run", "broken.run", "--baseline", "bm52").err
    broken = assay("compare", "qrels.txt", "bm25.run", "broken.run")
    assert broken.code == 3
    assert "broken.run:1" in broken.err


def test_what_the_help_shows_can_be_read(assay):
    from assay.cli.program import build_parser

    for line in HELP.splitlines():
        program, *words = shlex.split(line)
        assert program == "assay"
        assert build_parser().parse_args(words).run
    assert "--baseline" in assay("compare", "--help").out


# In a terminal


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("columns", [80, 120])
def test_it_fits_the_terminal(terminal, columns):
    shown = terminal(
        "compare", "qrels.txt", "bm25.run", "dense.run", "-m", "ndcg@10", "map", "--worst", "1", columns=columns
    )
    assert shown.code == 0
    assert "\x1b[1;32m0.470 ▲\x1b[0m" in shown.out
    assert max(display_width(line) for line in STYLE.sub("", shown.out).splitlines()) <= columns
    plain = terminal("compare", "qrels.txt", "bm25.run", "dense.run", columns=columns, env={"NO_COLOR": "1"}).out
    assert "\x1b" not in plain


@pytest.mark.usefixtures("examples")
def test_what_is_piped_is_plain_and_stable(process):
    first, second = (process("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "map") for _ in range(2))
    assert first == second
    assert first.code == 0
    assert "\x1b" not in first.out


# Several chunkers


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize(("chunkers", "is_told"), [(("lines", "tree"), True), (("tree", "tree"), False)])
def test_metrics_that_count_chunks_are_told_of(assay, chunkers, is_told):
    """Of several chunkers, which make chunks of their own."""
    content = json.loads(Path("all.json").read_text())
    for one, chunker in zip(content["results"], chunkers, strict=True):
        one["relevance"] = {"strategy_used": "span", "strategy_counts": {"span": 40}}
        one["provenance"] = {**one.get("provenance", {}), "chunks": {"chunker": chunker, "n": 1, "seconds": 0.0}}
    Path("all.json").write_text(json.dumps(content))
    for arguments, name in ((["all.json"], "map"), (["all.json", "-m", "mrr"], "mrr")):
        code, out, err = assay("compare", *arguments)
        assert code == 0
        assert name in out
        assert err.startswith(f"note: {name} counts chunks, and each chunker makes its own") == is_told
