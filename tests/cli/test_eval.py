"""assay eval: from benchmarks and providers to results, how they are shown, and what is refused before anything is asked."""

import json
import re
import shlex
from pathlib import Path

import pytest

from assay.evaluation import read_results

from ._evaluations import FLAGS, N, asked, figures

CHUNKS = "def search(text, k):\n    return [(f'd{n}#{part}', 10.0 - n) for n in range(3) for part in range(2)][:k]\n"
QUIET = ("--no-store", "--quiet")


def table(out):
    """Head and rows of the first table, split at wide gaps."""
    lines = [line for line in out.splitlines() if line.startswith("  ")]
    return [re.split(r"\s{2,}", line.strip()) for line in lines]


def test_benchmarks_and_providers_become_results(place, assay):
    done = assay("eval", *FLAGS, "-o", "result.json", "-o", "run.trec")
    head, row = table(done.out)
    assert done.out.startswith("small 1.0 (24 queries, 24 documents)\n")
    assert (done.code, head[0], head[-1], row[0]) == (0, "provider", "p95 ms", "python:mine:search")
    assert "small/python:mine:search: 24/24 queries, 0 failed, 0 cached, " in done.err
    assert sorted(asked(place)) == sorted(f"q{n}" for n in range(N))
    (plain,) = json.loads(Path("result.json").read_text())["results"]
    provenance = plain["provenance"]
    assert (plain["benchmark"], plain["name"]) == ("small", "python:mine:search")
    assert {query: len(ranking) for query, ranking in plain["run"].items()} == {f"q{n}": 5 for n in range(N)}
    assert provenance["provider"]["configuration"].items() >= {"provider": "python", "function": "mine:search"}.items()
    assert provenance["counts"] == {"asked": N, "answered": N, "failed": 0, "cached": 0}
    assert (provenance["metrics"], provenance["k"]) == (["mrr", "ndcg@10"], 5)
    (back,) = read_results("result.json")
    assert (back.summary, back.run, back.provenance) == (plain["summary"], plain["run"], provenance)
    assert assay("eval", "plan.yaml", "-o", "plan.json", *QUIET).code == 0
    assert figures(place, "result.json") == figures(place, "plan.json"), "a plan says the same as flags"
    assert assay("eval", "plan.yaml", "--providers", "replay:run.trec", "-o", "again.json", *QUIET).code == 0
    (again,) = read_results("again.json")
    assert (back.scores("ndcg@10"), back.run) == (again.scores("ndcg@10"), again.run), "a recorded run scores as it did"


def test_some_queries(place, assay):
    for flags, expected in {
        "--range 20:": ["q20", "q21", "q22", "q23"],
        "--where difficulty=hard language=de --limit 3": ["q1", "q3", "q5"],
    }.items():
        (place / "asked.txt").unlink(missing_ok=True)
        assert assay("eval", "plan.yaml", *flags.split(), *QUIET, "-m", "map", "-o", "result.json").code == 0
        (result,) = read_results("result.json")
        assert (list(result.query_ids), "map" in result, "mrr" in result) == (expected, True, False), flags
        assert sorted(asked(place)) == sorted(expected), flags
    assert assay("eval", "plan.yaml", "--sample", "6", "--seed", "7", *QUIET, "-o", "result.json").code == 0
    (result,) = read_results("result.json")
    assert (len(result.query_ids), result.provenance["seed"]) == (6, 7)


def test_every_format_and_the_order_of_providers(place, assay):
    providers = ("--providers", "worst=python:mine:other", "best=oracle")
    files = {"json": "r.json", "csv": "r.csv", "markdown": "r.md", "latex": "r.tex", "table": "r.txt", "trec": "r.trec"}
    for form, file in files.items():
        done = assay("eval", "plan.yaml", *providers, *QUIET, "-f", form, "-o", file)
        assert (done.code, done.err, "mrr" in done.out or "recip_rank" in done.out) == (0, "", True), form
        assert form != "table" or [row[0] for row in table(done.out)[1:]] == ["best", "worst"]
    assert [line.split(",")[1] for line in Path("r.csv").read_text().splitlines()[1:]] == ["worst", "best"]


def test_what_a_provider_prints_does_not_get_into_the_output(place, assay, monkeypatch):
    monkeypatch.setenv("TALK", "yes")
    done = assay("eval", "plan.yaml", "-f", "json", "--limit", "9", "--no-store")
    assert (len(json.loads(done.out)["results"]), "asked q7\n" in done.err) == (1, True)


def test_what_is_told_of_a_plan_its_depth_and_the_files_written(place, assay):
    with Path("plan.yaml").open("a") as plan:
        plan.write("outputs: [result.json]\n")
    note = "k = 5 is less than the cutoff of ndcg@10: only 5 documents are retrieved for each query. Increase k to 10"
    both = ("--benchmarks", "small.json", "small.json", "rag-template", "--providers", *["python:mine:search"] * 2)
    done = assay("eval", "plan.yaml", *both, "python:mine:Batched", "-o", "result.json", "-o", "new/t.tex", "-o", "run.trec")
    first, *notes, written = (line for line in done.err.splitlines() if line.startswith(("note: ", "wrote ")))
    assert (first, ["listed 2 times but used once" in one for one in notes]) == (f"note: {note}", [True, True])
    assert written.startswith("wrote result.json, new/t.tex, run-"), "each once"
    assert written.endswith(" (new folder: new)")
    assert len(list(place.glob("run-*.trec"))) == 4
    assert f"\n{note}.\n" in done.out
    assert read_results("result.json")[0].notes == (f"{note}.",)
    assert table(done.out)[0][-1] == "mean ms", "batches have no quantiles"


def test_secrets_are_shown_nowhere_and_a_literal_one_is_warned_of(place, assay, monkeypatch):
    monkeypatch.setenv("MY_KEY", "s3cr3t-value")
    headers = '{"Authorization": "Bearer s3cr3t-value"}'
    provider = f"http(url='http://127.0.0.1:9/search?api_key=s3cr3t-value', headers='{headers}')"
    words = ("--providers", provider, "python:mine:search", "--limit", "2", "--quiet", "-o", "result.json", "-o", "t.csv")
    done = assay("eval", "plan.yaml", *words)
    assert (done.code, done.err.startswith("warning: http: ")) == (4, True)
    assert "s3cr3t" not in done.out + done.err
    files = [path for path in place.rglob("*") if path.is_file()]
    assert [path.name for path in files if b"s3cr3t" in path.read_bytes()] == []


def test_every_evaluation_is_kept_unless_told_not_to(place, assay, monkeypatch):
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    err = assay("eval", "plan.yaml", "--store", "my store.db", "--limit", "2").err
    look = "Show: assay show latest --store 'my store.db' · Report: assay report latest --store 'my store.db' -o report.html"
    assert re.search(rf"^saved as \S+ in \S*my store\.db\.  {re.escape(look)}$", err, re.MULTILINE)
    assert assay("show", "latest", "--store", "my store.db").code == 0
    assert "stored" not in assay("eval", *FLAGS, "--no-store", "--limit", "2").err
    assert not Path(".assay/assay.db").exists()
    Path("plain").mkdir()
    monkeypatch.chdir("plain")
    Path(".assay").write_text("a file of the user's")
    assert assay("eval", "--benchmarks", "rag-template", "--providers", "bm25", "-m", "mrr", *QUIET).code == 0
    assert Path(".assay").read_text() == "a file of the user's"


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="a folder in which not even root can make a file")
def test_without_a_store_it_works_where_nothing_can_be_written(assay, monkeypatch):
    monkeypatch.chdir("/sys/kernel")
    words = ("--benchmarks", "rag-template", "--providers", "bm25", "dense", "-m", "mrr", "--no-store", "-f", "csv")
    done = assay("eval", *words)
    assert [line.split(",")[1] for line in done.out.splitlines()[1:]] == ["bm25", "dense"], done.err
    assert "note: this folder is read-only, so there is no log and the evaluation cannot be resumed" in done.err


def test_chunks_are_rolled_up_to_documents_by_flags_or_by_a_plan(place, assay, transcript):
    Path("chunks.py").write_text(CHUNKS)
    Path("ids.tsv").write_text("".join(f"d{n}#{part}\td{n}\n" for n in range(3) for part in range(2)))
    plan = "benchmarks: small.json\nproviders: python:chunks:search\nmetrics: mrr\n"

    def mrr(*words):
        done = assay("eval", "p.yaml", *words, *QUIET, "-f", "json")
        assert (done.code, done.err) == (0, "")
        return json.loads(done.out)["results"][0]["summary"]["mrr"]

    Path("p.yaml").write_text(plan)
    rolled = mrr("--unit", "document")
    assert (mrr(), rolled > 0, mrr("--id-map", "ids.tsv")) == (0, True, rolled)
    Path("p.yaml").write_text(f"{plan}relevance: {{unit: document}}\n")
    assert (mrr(), mrr("--unit", "as_retrieved")) == (rolled, 0)
    wrong = ("{units: document}", "{unit: document}\nunit: chunk", "[token]", "{unit: page}")
    for number, block in enumerate(wrong):
        Path(f"wrong{number}.yaml").write_text(f"{plan}relevance: {block}\n")
    transcript("eval/units")


def test_what_is_wrong_is_told_before_anything_is_asked(place, assay, transcript):
    assert assay("eval", *FLAGS, "--store", "old.db", "--quiet").code == 0
    Path("broken.db").write_text("this is no store")
    n_asked = len(asked(place))
    transcript("eval/refused")
    assert len(asked(place)) == n_asked
    assert assay("eval", "--quiet", "--limit", "2", "plan.yaml").code == 0, "a plan may follow flags"
    example = assay("eval").err.rpartition("for example: assay ")[2]
    assert assay(*shlex.split(example), "--limit", "2", "--quiet").code == 0


@pytest.mark.slow
def test_in_a_terminal_there_is_a_bar_that_fits(place, terminal):
    shown = terminal("eval", "plan.yaml", "-m", "mrr", columns=70, env={"FAIL": "q3"})
    frames = re.split(r"[\r\n]", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.out))
    assert (shown.code, any("24/24 · 1 failed · " in frame for frame in frames)) == (0, True)
    assert all(len(frame) < 70 for frame in frames if "/24 · " in frame)
