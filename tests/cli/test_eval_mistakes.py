"""assay eval, asked for what cannot be: it is told before anything is asked."""

import pytest

from ._evaluations import FLAGS, asked


@pytest.mark.parametrize(
    ("flags", "code", "told"),
    [
        (("--metrics", "ncdg@10"), 2, "Did you mean ndcg@10"),
        (("--providers", "bm52"), 2, "Did you mean bm25"),
        (("--providers", "bm25(k=1)"), 2, "no parameter 'k'"),
        (("--benchmarks", "rag-templat"), 2, "Did you mean rag-template"),
        (("--relevance", "tokn"), 2, "Did you mean token"),
        (("-o", "r.xlsx"), 2, "the ending tells the format"),
        (("-o", "r"), 2, "the ending tells the format"),
        (("-o", "fine.json", "-o", "./fine.json"), 2, "-o fine.json: given twice"),
        (("-o", "mine.py/r.json"), 2, "-o mine.py/r.json: a file is needed; mine.py is no folder"),
        (("--dataset-format", "berr"), 2, "Did you mean beir"),
        (("-f", "tabel"), 2, "Did you mean table"),
        (("--range", "5"), 2, "--range 5: a range is written as start:end"),
        (("--where", "x"), 2, "--where x: a tag is chosen as name=value"),
        (("--limit", "0"), 2, "--limit: a whole number from 1 to"),
        (("--concurrency", "0"), 2, "--concurrency: a whole number from 1 to"),
        (("--timeout", "-1"), 2, "--timeout: a number of seconds above 0"),
        (("--timeout", "nan"), 2, "--timeout: a number of seconds above 0"),
        (("--index-timeout", "0"), 2, "--index-timeout: a number of seconds above 0"),
        (("--k", "0"), 2, "--k: a whole number from 1 to"),
        (("--test", "foo"), 2, "--test foo: no test is called 'foo'"),
        (("--retry-failed", "plan.yaml"), 2, "--retry-failed plan.yaml: that is no result; assay eval … -o result.json"),
        (("-o", "/no-such-folder/deep/r.json"), 2, "-o /no-such-folder/deep/r.json: there is no folder /no-such-folder"),
        (("--benchmarks", "gone.json"), 3, "error: gone.json: no such file\n"),
        (("--providers", "replay:gone.run"), 4, "gone.run: no such file"),
        (("--profile", "ranks"), 2, "Did you mean ranx"),
        (("--retry-failed", "gone.json"), 3, "error: gone.json: no such file\n"),
    ],
)
def test_what_is_wrong_is_told_first(place, assay, flags, code, told):
    done = assay("eval", "plan.yaml", *flags)
    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert asked(place) == []


EXAMPLE = "\n  for example: assay eval --benchmarks rag-template --providers bm25 --metrics ndcg@10 recall@10\n"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ((), "--benchmarks and --providers are missing: say whose queries to ask and which retrievers to ask"),
        (("--providers", "bm25"), "--benchmarks is missing: say whose queries to ask"),
        (("--benchmarks", "small.json"), "--providers is missing: say which retrievers to ask"),
    ],
)
def test_what_is_missing_is_told_with_an_example(place, assay, flags, told):
    done = assay("eval", *flags)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {told}, or name a plan.yaml that does{EXAMPLE}"


def test_the_example_works(place, assay):
    assert assay(*EXAMPLE.split()[3:], "--limit", "2", "--quiet").code == 0


def test_a_plan_that_is_not_there(place, assay):
    done = assay("eval", "gone.yaml")
    assert (done.code, done.err) == (3, "error: gone.yaml: no such file\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("rag-template", "bm25"), "  assay eval --benchmarks rag-template --providers bm25\n"),
        (("rag-template", "bm25", "dense"), "  assay eval --benchmarks rag-template --providers bm25 dense\n"),
        (("rag-template",), "  assay eval --benchmarks rag-template --providers bm25\n"),
        (("plan.yaml", "bm25"), "one plan at a time, and all else has a flag; found plan.yaml bm25\n"),
    ],
)
def test_benchmarks_and_providers_without_their_flags(place, assay, words, told):
    done = assay("eval", *words, "--limit", "2")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(told)


def test_a_plan_may_follow_flags(place, assay):
    assert assay("eval", "--quiet", "--limit", "2", "plan.yaml").code == 0


def test_the_format_of_a_benchmark_is_named(place, assay):
    flags = ("--benchmarks", "small.json", "--dataset-format", "json", "--providers", "oracle", "-m", "mrr")
    assert assay("eval", *flags).code == 0


def test_the_usual_metrics_where_none_are_named(place, assay):
    assert assay("eval", *FLAGS[:4]).code == 0


def test_a_store_that_may_not_be_changed_is_told_before_anything_is_asked(place, assay):
    assay("eval", *FLAGS, "--store", "old.db")
    done = assay("eval", *FLAGS, "--store", "sqlite:///old.db?mode=ro")
    assert (done.code, done.out) == (6, "")
    assert done.err.endswith("error: old.db: it is read-only; name another one with --store or ASSAY_STORE\n")
    assert "getting ready" not in done.err


def test_a_store_that_cannot_be_written_is_told_before_anything_is_asked(place, assay):
    (place / "broken.db").write_text("this is no store")
    done = assay("eval", *FLAGS, "--store", "broken.db")
    assert done.code == 6
    assert "broken.db" in done.err
    assert asked(place) == []
