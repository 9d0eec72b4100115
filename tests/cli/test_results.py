"""assay results: what is stored is listed, tagged, deleted, exported and imported."""

import json
import re

import pytest

from assay.store import Store

from ._stored import result_of

DAY = "2026-11-15T09:30:00+00:00"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    return tmp_path


@pytest.fixture
def kept(folder):
    """Ids of two evaluations, the first of them a baseline."""
    with Store.open() as store:
        first = store.save([result_of(1, started=DAY)])
        second = store.save([result_of(2, started=DAY), result_of(3, "large", "dense", started=DAY)])
        store.bless(first, "main")
        store.tag(first, "nightly")
    return first, second


def test_the_newest_come_first(assay, kept):
    first, second = kept
    done = assay("results")
    assert (done.code, done.err) == (0, "")
    head, *rows, _, foot = done.out.splitlines()
    assert head.split() == [
        "evaluation",
        "started",
        "benchmark",
        "provider",
        "metric",
        "value",
        "interval",
        "queries",
        "failed",
    ]
    assert [row.split()[0] for row in rows] == [second, second, first]
    assert rows[2].split("   ")[-1] == "baseline main · nightly"
    assert f"ndcg@10   {result_of(1)['ndcg@10']:.4f}   0.100 – 0.900" in rows[2]
    assert foot == "3 results of 2 evaluations in .assay/assay.db. Look: assay show latest"


@pytest.mark.parametrize(
    ("flags", "n"),
    [
        (["--benchmark", "small"], 2),
        (["--provider", "dense"], 1),
        (["--tag", "nightly"], 1),
        (["--since", "2026-11-15"], 3),
        (["--limit", "1"], 1),
        (["--limit", "0"], 3),
    ],
)
def test_lists_can_be_filtered(assay, kept, flags, n):
    plain = json.loads(assay("results", *flags, "-f", "json").out)
    assert (plain["schema"], len(plain["results"])) == ("assay.results/1", n)


def test_a_list_that_is_cut_says_so(assay, kept):
    assert assay("results", "--limit", 2).out.endswith(
        "the newest 2 results of 1 evaluation in .assay/assay.db; --limit 0 shows all. Look: assay show latest\n"
    )


def test_another_metric_can_be_shown(assay, kept):
    assert re.search(rf"mrr +{result_of(1)['mrr']:.4f}", assay("results", "-m", "MRR").out)
    done = assay("results", "-m", "map")
    assert (done.code, done.err) == (
        2,
        "error: no metric of these results is called 'map'.   (they have ndcg@10, mrr, num_ret)\n",
    )


def test_csv_has_a_row_for_each_metric(assay, kept):
    head, *rows = assay("results", "-f", "csv").out.splitlines()
    assert head.endswith("tags,baselines,metric,value,low,high,n")
    assert len(rows) == 9
    assert rows[-3].endswith(f",nightly,main,ndcg@10,{result_of(1)['ndcg@10']},0.1,0.9,3")


def test_tags_and_notes(assay, kept):
    _, second = kept
    assert assay("results", "tag", "latest", "a", "b").out == f"{second} is tagged a, b\n"
    assert assay("results", "tag", "--remove", "latest", "a").out == f"{second} is tagged b\n"
    assert assay("results", "tag", "latest", "b", "--remove").out == f"{second} has no tags\n"
    assert assay("results", "note", "latest", "new index").out == f"noted about {second}\n"
    with Store.open() as store:
        assert [note.text for note in store.latest().notes] == ["new index"]


def test_deleting_names_what_it_deletes(assay, kept):
    first, second = kept
    assert assay("results", "delete", "latest").out == f"deleted {second}: small/bm25, large/dense\n"
    refused = assay("results", "delete", "main")
    assert refused.code == 2
    assert refused.err == f"error: {first} is the baseline main; --force deletes it too, and the baseline with it\n"
    assert assay("results", "delete", "--force", "main").out == f"deleted {first}: small/bm25\n"


def test_what_is_damaged_can_be_deleted(assay, kept):
    import sqlite3

    with sqlite3.connect(".assay/assay.db") as connection:
        connection.execute("UPDATE assay_payloads SET data = zeroblob(9)")
    connection.close()
    assert assay("show").code == 6
    assert assay("results", "delete", "latest").code == 0
    assert assay("results").code == 0


def test_export_and_import(assay, kept, folder):
    first, second = kept
    done = assay("results", "export", "all.jsonl.zst")
    assert done.out == "2 evaluations written to all.jsonl.zst; assay results import all.jsonl.zst takes them over\n"
    done = assay("results", "import", "all.jsonl.zst", "--store", "other.db")
    assert done.out == f"2 evaluations taken over into other.db\n  {first}\n  {second}\nmain is a baseline now\n"
    again = assay("results", "import", "all.jsonl.zst", "--store", "other.db")
    assert again.out == "0 evaluations taken over into other.db, 2 evaluations already there\n"
    assert assay("results", "export", "one.zst", "latest").out.startswith("1 evaluation written")
    assert assay("results", "export", "latest", "-o", "also.zst").out.startswith("1 evaluation written to also.zst")
    assert assay("results", "export", "-o", "every.zst").out.startswith("2 evaluations written to every.zst")
    wrong = assay("results", "import", "other.db", "--store", "other.db")
    assert (wrong.code, wrong.err[:17]) == (3, "error: other.db: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["delete"], "write assay results delete REFERENCE …"),
        (["tag", "latest"], "write assay results tag REFERENCE TAG …"),
        (["note", "latest", "two", "words"], "write assay results note REFERENCE TEXT"),
        (["import"], "write assay results import FILE …"),
        (["tag", "latest#bm25", "x"], "evaluations are tagged whole"),
        (["note", "latest#nope", "x"], "evaluations are annotated whole"),
        (["export", "latest", "x.zst"], "the file comes first: assay results export x.zst latest; or name it with -o x.zst"),
        (["tag", "latest", "a", "-o", "x.zst"], "-o is for export alone"),
        (["-o", "x.csv"], "-o is for export alone; lists are printed: assay results -f csv > results.csv"),
        (["export", "x.zst", "latest#nope"], "evaluations are exported whole"),
        (["export", "x.json"], "an export is compressed: call it x.jsonl.zst, not x.json"),
        (["export", "gone/x.zst"], "gone/x.zst: a file in a folder that exists is needed"),
        (["delte", "latest"], "Did you mean delete?"),
        (["latest"], "To look at an evaluation: assay show latest"),
        (["--since", "soon"], "since is an age such as 30d"),
        (["delete", "never"], "no stored evaluation is called 'never'"),
        (["--store", "mysql://me:s3cret@host/db"], "not something that begins with mysql://"),
    ],
)
def test_what_cannot_be_done_is_told(assay, kept, words, said):
    done = assay("results", *words)
    assert done.code == 2
    assert said in done.err
    assert "s3cret" not in done.err


def test_no_store_yet(assay, folder):
    done = assay("results")
    assert done.code == 6
    assert done.err == (
        "error: there is no store at .assay/assay.db yet: assay eval makes one, and --store or ASSAY_STORE names another\n"
    )
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("how", ["table", "json", "csv"])
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--provider", "bm52"], "has provider bm52. Did you mean bm25?"),
        (["--benchmark", "smal", "--tag", "nigthly"], "has benchmark smal and tag nigthly. Did you mean small or nightly?"),
        (["--since", "2026-11-16"], "has since 2026-11-16; assay results --limit 0 lists them all"),
        (["--provider", "bm25", "--benchmark", "large"], "has benchmark large and provider bm25; assay results"),
    ],
)
def test_a_list_of_nothing_says_what_may_have_been_meant(assay, kept, flags, said, how):
    done = assay("results", *flags, "-f", how)
    assert (done.code, done.out) == (5, "")
    assert said in done.err


def test_an_empty_store_is_no_fault(assay, folder):
    Store.open().close()
    assert assay("results").out == ".assay/assay.db is empty; assay eval puts results there\n"
    assert json.loads(assay("results", "--provider", "x", "-f", "json").out) == {"schema": "assay.results/1", "results": []}


@pytest.mark.parametrize("columns", [60, 80, 100, 160])
def test_ids_stay_whole_in_narrow_terminals(terminal, folder, columns):
    with Store.open() as store:
        name = store.save([result_of(1, "rag-template", started=DAY)])
        store.bless("latest", "main")
    shown = terminal("results", columns=columns).out
    rows = [line for line in shown.splitlines() if name in line]
    assert len(rows) == 1
    assert f"{result_of(1)['ndcg@10']:.4f}" in rows[0]
    assert "…" not in rows[0]
    assert all(len(line) <= columns for line in rows)
    assert ("0.100 – 0.900" in shown) == (columns == 160)


def test_what_failed_altogether_has_no_figure(assay, folder):
    with Store.open() as store:
        store.save([result_of(1).with_fields(failures=dict.fromkeys(result_of(1).query_ids, "refused"))])
    row = assay("results").out.splitlines()[1]
    assert re.search(r"ndcg@10 +– +3 +3$", row)


def test_tags_of_others_do_no_harm(assay, kept):
    from sqlalchemy import text

    with Store.open() as store:
        store._database.write(lambda one: one.execute(text("UPDATE assay_tags SET tag = 'a' || char(27) || '[31m'")))
    assert "\x1b" not in assay("results").out


def test_several_files_are_imported_at_once(assay, kept, folder):
    first, second = kept
    assay("results", "export", "one.zst", first)
    assay("results", "export", "both.zst", first, second)
    done = assay("results", "import", "one.zst", "both.zst", "--store", "other.db")
    assert done.out == f"2 evaluations taken over into other.db\n  {first}\n  {second}\nmain is a baseline now\n"


def test_a_baseline_that_is_one_result_can_be_deleted_by_its_name(assay, kept):
    _, second = kept
    assay("bless", "latest#dense", "--as", "best")
    assert assay("results", "delete", "best").code == 2
    assert assay("results", "delete", "best", "--force").out == f"deleted {second}: small/bm25, large/dense\n"
