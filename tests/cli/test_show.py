"""assay show: a stored evaluation as it was printed, and one query of it."""

import json
import re
from pathlib import Path

import pytest

from assay.evaluation import read_results
from assay.metrics import parse_metric
from assay.store import Store

from ._stored import differences, result_of, saved_and_read

DAY = "2026-11-15T09:30:00+00:00"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The id of an evaluation of two providers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    with Store.open() as store:
        return store.save([result_of(0, started=DAY), result_of(2, provider="dense", started=DAY)])


def test_the_table_of_the_evaluation_comes_again_with_what_it_rests_on(assay, kept):
    done = assay("show", "latest")
    assert (done.code, done.err) == (0, "")
    first, *rest = done.out.splitlines()
    assert first.startswith(f"{kept} · saved 20")
    assert "small 1.0" in rest
    assert any(line.startswith("  bm25") and f"{result_of(0)['ndcg@10']:.4f}   0.100 – 0.900" in line for line in rest)
    assert "  benchmark   small 1.0 (queries aa)" in rest
    assert "  dense       (number=2)" in rest


@pytest.mark.parametrize(("dirty", "said"), [(True, "abc with changes"), (False, "abc"), (None, "abc (changes unknown)")])
def test_whether_files_differed_from_the_commit_is_told(assay, kept, dirty, said):
    result = result_of(1, started=DAY)
    origin = {**result.provenance, "repository": {"commit": "abc", "dirty": dirty}}
    with Store.open() as store:
        store.save([result.with_fields(provenance=origin)])
    assert f"  commit      {said}\n" in assay("show", "latest").out
    assert assay("report", "latest", "-o", "page.html").code == 0
    assert f">{said}<" in Path("page.html").read_text()


def test_what_was_said_about_it_is_shown(assay, kept):
    with Store.open() as store:
        store.bless("latest", "main")
        store.tag("latest", "nightly")
        store.note("latest", "new index")
    shown = assay("show", "main").out
    assert "UTC · baseline main · tag nightly\n" in shown
    assert "  note        new index (20" in shown


def test_a_file_of_it_is_the_saved_result(assay, kept, tmp_path):
    (tmp_path / "r.json").write_text(assay("show", kept[:-2], "-f", "json").out)
    first, second = read_results("r.json")
    assert differences(first, saved_and_read(result_of(0, started=DAY))) == {}
    assert second.name == "dense"
    assert assay("show", "latest#dense", "-f", "csv").out.count("dense") > 0
    assert assay("show", "latest#dense", "-f", "trec").code in (0, 2)


def test_one_query_with_its_words_rankings_and_grades(assay, kept):
    done = assay("show", "--query", "q1", "--top", "3")
    assert done.out == (
        "q1: words of q1\n"
        "language de\n"
        "\n"
        "small/bm25\n"
        "ndcg@10 0.8597 · mrr 1.0000 · num_ret 4.0000 · relstring@10 12--\n"
        "  rank   document   score   grade\n"
        "     1   d1           9.5       1\n"
        "     2   d2           8.5       2\n"
        "     3   d3           7.5\n"
        "… and 1 more document; --top 0 shows all\n"
        "\n"
        "small/dense\n"
        "ndcg@10 0.0000 · mrr 0.0000 · num_ret 4.0000 · relstring@10 ----\n"
        "  rank   document   score   grade\n"
        "     1   d3         9.498\n"
        "     2   d4         8.498\n"
        "     3   d5         7.498\n"
        "… and 1 more document; --top 0 shows all\n"
        "relevant, but not retrieved: d2 (grade 2), d1 (grade 1)\n"
    )


def test_a_judged_0_is_told_from_what_nobody_judged(assay, kept):
    import assay as library

    with Store.open() as store:
        store.save(library.run("rag-template", "dense", metrics=["ndcg@10"]))
    done = assay("show", "latest", "--query", "q01", "--top", "0", "-f", "json")
    ranking = json.loads(done.out)["results"][0]["ranking"]
    grades = {hit["document"]: hit["grade"] for hit in ranking}
    assert {doc: grade for doc, grade in grades.items() if grade is not None} == {"p001": 3.0, "p014": 0.0, "p028": 0.0}
    lines = assay("show", "latest", "--query", "q01", "--top", "0").out.splitlines()
    (line,) = [line for line in lines if " p028 " in line]
    assert line.split()[-1] == "0"
    assert "relevant, but further down: p0" not in "".join(lines)


def test_a_query_that_failed_says_so(assay, kept):
    assert (
        "failed: TimeoutError: it took too long\nrelevant, but not retrieved: d3 (grade 2), d2 (grade 1)\n"
        in assay("show", "--query", "q2").out
    )


def test_one_query_as_json(assay, kept):
    plain = json.loads(assay("show", "latest#bm25", "--query", "q1", "-f", "json").out)
    assert (plain["query"], plain["text"], plain["tags"]) == ("q1", "words of q1", {"language": "de"})
    (one,) = plain["results"]
    assert one["ranking"][1] == {"rank": 2, "document": "d2", "score": 8.5, "grade": 2.0}
    assert one["scores"]["mrr"] == 1.0
    assert one["not_retrieved"] == {}


def test_grades_that_nobody_knows_are_not_shown(assay, kept):
    with Store.open() as store:
        store.save([saved_and_read(result_of(5)).with_fields(relevant={})])
    assert "grade" not in assay("show", "--query", "q1").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--query", "q11"], "no query is called 'q11'. Did you mean q1?"),
        (["latest~1"], "no stored evaluation is called 'latest~1'"),
        (["latest#bm26"], "Did you mean bm25"),
        (["--query", "q1", "-f", "csv"], "--query is shown as table or json"),
    ],
)
def test_what_is_not_there_is_told(assay, kept, words, said):
    done = assay("show", *words)
    assert done.code == 2
    assert said in done.err


def test_a_file_is_told_with_the_command_that_shows_it(assay, kept, tmp_path):
    path = tmp_path / "r.json"
    path.write_text("{}")
    for reference in (path, f"{path}#bm25"):
        done = assay("show", reference)
        assert done.code == 2
        assert done.err == (
            f"error: {path} is a file, and show takes a stored evaluation such as latest; "
            f"for a file: assay report {path} -o report.html\n"
        )


def test_hostile_text_does_no_harm(assay, kept):
    evil = "\x1b[2J\nowned"
    with Store.open() as store:
        store.save([result_of(1, evil, evil).with_fields(run={"q1": {evil: 1.0}}, failures={"q2": evil})], {evil: evil})
        store.note("latest", evil)
    for words in (["show"], ["show", "--query", "q1"], ["show", "--query", "q2"], ["results"], ["results", "-f", "csv"]):
        done = assay(*words)
        assert done.code == 0
        assert "\x1b" not in done.out + done.err
        assert "\nowned" not in done.out


def test_relevant_documents_below_the_cut_are_named_with_their_ranks(assay, kept):
    run = {"q1": {f"x{rank:02}": 100.0 - rank for rank in range(40)} | {"d2": 64.5}, "q0": {"d0": 1.0}}
    with Store.open() as store:
        store.save([result_of(3).with_fields(run=run)])
    shown = assay("show", "--query", "q1", "--top", "5").out
    assert shown.endswith(
        "… and 36 more documents; --top 0 shows all\n"
        "relevant, but further down: d2 at 37 (grade 2)\n"
        "relevant, but not retrieved: d1 (grade 1)\n"
    )
    whole = assay("show", "--query", "q1", "--top", "0").out
    assert "further down" not in whole
    assert "  37   d2" in whole


def test_many_are_counted(assay, kept):
    run = {"q1": {f"d{rank:02}": 100.0 - rank for rank in range(30)}}
    relevant = {"q1": {f"d{rank:02}": 1.0 for rank in range(30)} | {f"n{number:02}": 2.0 for number in range(12)}}
    with Store.open() as store:
        store.save([result_of(3).with_fields(run=run, relevant=relevant)])
    shown = assay("show", "--query", "q1").out
    assert "further down: d10 at 11 (grade 1), d11 at 12 (grade 1)" in shown
    assert "d19 at 20 (grade 1) and 10 more\n" in shown
    assert "n09 (grade 2) and 2 more\n" in shown


def test_whether_nothing_was_retrieved_or_nothing_kept(assay, kept):
    with Store.open() as store:
        store.save([result_of(1).with_fields(run={"q0": {"d0": 1.0}}, failures={})])
        assert assay("show", "--query", "q1").out.splitlines()[-1] == "nothing was retrieved"
        store.save([result_of(2).with_fields(run={}, failures={})])
    assert assay("show", "--query", "q1").out.splitlines()[-1] == (
        "rankings were not kept: results of assay.evaluate have none, those of assay.run and assay eval do"
    )


def test_a_query_that_follows_the_evaluation_is_shown_the_option(assay, kept):
    outcome = assay("show", "latest", "q 1")
    assert (outcome.code, outcome.out) == (2, "")
    assert "error: 'q 1' is one word too many: one query is shown with assay show latest --query 'q 1'\n" in outcome.err


def test_what_an_id_ends_in_is_enough(assay, kept):
    assert assay("show", kept[-4:]).out.startswith(kept)


def test_times_have_their_unit(assay, kept):
    from assay.model import ScoreTable

    result = result_of(1)
    columns = {**result.table.columns, "latency": result.table.columns["mrr"]}
    metrics = (*result.metrics, parse_metric("latency"))
    with Store.open() as store:
        store.save([result.with_fields(table=ScoreTable(result.query_ids, columns), metrics=metrics)])
    shown = assay("show", "--query", "q0").out
    assert re.search(r"ndcg@10 \d\.\d{4} · .* · latency \d\.\d+ ms", shown)
