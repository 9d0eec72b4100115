"""assay eval: from benchmarks and providers to results, and how they are shown."""

import json
import re
from pathlib import Path

import pytest

from assay.evaluation.saved import read_results

from ._evaluations import FLAGS, N, asked, figures


def test_benchmarks_and_providers_become_a_table(place, assay):
    done = assay("eval", *FLAGS)
    assert done.code == 0
    assert done.out.startswith("small")
    assert "ndcg@10" in done.out
    assert "p95 ms" in done.out
    assert "python:mine:search" in done.out
    assert "small/python:mine:search: 24/24 queries, 0 failed, 0 cached, " in done.err
    assert sorted(asked(place)) == sorted(f"q{n}" for n in range(N))


def test_a_result_has_everything(place, assay):
    assert assay("eval", *FLAGS, "-o", "result.json").code == 0
    (plain,) = json.loads((place / "result.json").read_text())["results"]
    assert (plain["benchmark"], plain["name"]) == ("small", "python:mine:search")
    assert list(plain["run"]) == [f"q{n}" for n in range(N)]
    assert all(len(ranking) == 5 for ranking in plain["run"].values())
    provenance = plain["provenance"]
    configuration = provenance["provider"]["configuration"]
    assert (configuration["provider"], configuration["function"]) == ("python", "mine:search")
    assert provenance["counts"] == {"asked": N, "answered": N, "failed": 0, "cached": 0}
    assert provenance["metrics"] == ["mrr", "ndcg@10"]
    assert provenance["k"] == 5
    (back,) = read_results("result.json")
    assert back.summary == plain["summary"]
    assert (back.benchmark, back.run, back.provenance) == ("small", plain["run"], provenance)


def test_a_plan_says_the_same_as_flags(place, assay):
    assert assay("eval", *FLAGS, "-o", "flags.json", "--retries", "0").code == 0
    assert assay("eval", "plan.yaml", "-o", "plan.json").code == 0
    assert figures(place, "flags.json") == figures(place, "plan.json")


def test_flags_win_over_the_plan(place, assay):
    assert assay("eval", "plan.yaml", "--metrics", "map", "--limit", "3", "-o", "result.json").code == 0
    (result,) = read_results("result.json")
    assert "map" in result
    assert "mrr" not in result
    assert result.query_ids == ("q0", "q1", "q2")


def test_several_benchmarks_and_providers_are_multiplied(place, assay):
    both = (*FLAGS[:2], "rag-template", "--providers", "python:mine:search", "python:mine:other", "-m", "mrr")
    assert assay("eval", *both, "-o", "result.json", "-o", "run.trec", "-o", "t.md").code == 0
    names = [(result.benchmark, result.name) for result in read_results("result.json")]
    assert [name for _, name in names] == ["python:mine:search", "python:mine:other"] * 2
    assert [benchmark for benchmark, _ in names[:2]] == ["small", "small"]
    assert len(list(place.glob("run-*.trec"))) == 4
    assert "small" in (place / "t.md").read_text()


# Selection


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        (("--limit", "2"), ("q0", "q1")),
        (("--range", "20:"), ("q20", "q21", "q22", "q23")),
        (("--where", "difficulty=hard", "language=de", "--limit", "3"), ("q1", "q3", "q5")),
        (("--where", "difficulty=hard", "--range", "10:12"), ("q21", "q23")),
    ],
)
def test_some_queries(place, assay, flags, found):
    assert assay("eval", "plan.yaml", *flags, "-o", "result.json").code == 0
    assert read_results("result.json")[0].query_ids == found
    assert sorted(asked(place)) == sorted(found)


def test_a_sample_is_the_same_for_a_seed(place, assay):
    def sample(seed):
        assert assay("eval", "plan.yaml", "--sample", "6", "--seed", seed, "-o", "result.json").code == 0
        (result,) = read_results("result.json")
        assert result.provenance["seed"] == seed
        return result.query_ids

    assert sample(7) == sample(7)
    assert len({sample(seed) for seed in range(5)}) > 1
    assert list(sample(3)) == sorted(sample(3), key=lambda query: int(query[1:]))


def test_nothing_selected_exits_5_with_the_reason(place, assay):
    done = assay("eval", "plan.yaml", "--where", "language=fr")
    assert done.code == 5
    assert "no query has language=fr; language has de" in done.err
    assert asked(place) == []


# What is shown


def test_quiet_is_quiet(place, assay):
    assert assay("eval", "plan.yaml", "--quiet").err == ""


def test_a_secret_in_the_command_is_told_of_even_then(place, assay):
    provider = "http(url='http://127.0.0.1:9/?api_key=hush-hush')"
    said = assay("eval", "plan.yaml", "--providers", provider, "--quiet", "--no-store", "--retries", "0").err
    warning = said.splitlines()[0]
    assert warning.startswith("warning: http: url holds a secret")
    assert "${" in warning
    assert "hush" not in said


@pytest.mark.parametrize("form", ["json", "csv", "trec", "markdown", "latex", "table"])
def test_every_format_is_printed(place, assay, form):
    done = assay("eval", "plan.yaml", "-f", form, "--quiet")
    assert done.code == 0
    assert "mrr" in done.out or "recip_rank" in done.out


def test_what_a_provider_prints_does_not_get_into_the_output(place, assay, monkeypatch):
    monkeypatch.setenv("TALK", "yes")
    done = assay("eval", "plan.yaml", "-f", "json")
    (plain,) = json.loads(done.out)["results"]
    assert plain["benchmark"] == "small"
    assert "asked q7\n" in done.err


def test_formats_for_programs_leave_failures_to_standard_error(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3")
    done = assay("eval", "plan.yaml", "-f", "csv")
    assert done.out.splitlines()[0].startswith("benchmark,run,queries,mrr,ndcg@10,")
    assert len(done.out.splitlines()) == 2
    assert "python:mine:search: 1 of 24 queries failed and score 0: " in done.err
    assert "--resume asks them again" in done.err


def test_the_files_that_were_written_are_named(place, assay):
    done = assay("eval", "plan.yaml", "-o", "result.json", "-o", "new/t.tex", "-o", "run.trec")
    assert done.err.splitlines()[-1] == "wrote result.json, new/t.tex, run.trec (new folder: new)"
    both = ("--providers", "python:mine:search", "python:mine:other")
    done = assay("eval", "plan.yaml", *both, "-o", "run.trec")
    *_, names = done.err.splitlines()[-1].split("wrote ")
    assert len(names.split(", ")) == 2
    assert all((place / name).exists() for name in names.split(", "))
    assert "wrote" not in assay("eval", "plan.yaml").err


def test_a_file_that_the_plan_names_too_is_written_once(place, assay):
    with (place / "plan.yaml").open("a") as plan:
        plan.write("outputs: [result.json]\n")
    assert assay("eval", "plan.yaml", "-o", "result.json").err.splitlines()[-1] == "wrote result.json"


def test_notes_on_a_plan_are_told_and_those_on_depth_with_the_result(place, assay):
    told = "k = 5 is less than the cutoff of ndcg@10: only 5 documents are asked for"
    twice = ("--benchmarks", "small.json", "small.json", "--providers", *["python:mine:search"] * 2)
    done = assay("eval", "plan.yaml", *twice, "-o", "result.json")
    assert done.err.splitlines()[:3] == [
        f"note: {told}",
        "note: the benchmark small.json is named 2 times, and used once",
        "note: the provider python:mine:search is named 2 times, and used once",
    ]
    assert f"python:mine:search: {told}.\n" in done.out
    (result,) = read_results("result.json")
    assert result.notes == (f"{told}.",)


def test_times_have_a_unit_and_batches_no_quantiles(place, assay):
    done = assay("eval", "plan.yaml", "--providers", "python:mine:search", "python:mine:Batched", "-m", "mrr", "--quiet")
    table = {line.split()[0]: line for line in done.out.splitlines() if line.startswith("  ")}
    assert table["provider"].endswith("mean ms")
    assert all(re.search(r"\d$", table[f"python:mine:{name}"]) for name in ("search", "Batched"))
    assert "asked in batches" not in done.out
    asked = assay("eval", "plan.yaml", "--providers", "python:mine:Batched", "-m", "mrr", "latency_p50", "--quiet").out
    assert asked.endswith("asked in batches, so that only the mean time of a query is known: python:mine:Batched.\n")


def test_a_latex_file_holds_tables_and_comments_only(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3")
    assert assay("eval", "plan.yaml", "-o", "t.tex", "-f", "latex").code == 0
    lines = (place / "t.tex").read_text().splitlines()
    start = lines.index(next(line for line in lines if line.startswith("\\begin{tabular}")))
    assert lines[0] == "% small 1.0 (24 queries, 24 documents)"
    assert all(line.startswith("% ") for line in lines[:start])
    assert lines[-1] == "\\end{tabular}"


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_in_a_terminal_there_is_a_bar_that_fits(place, terminal, columns):
    done = terminal("eval", "plan.yaml", columns=columns, env={"SLEEP": "0.01", "FAIL": "q3"})
    assert done.code == 0
    frames = re.split(r"[\r\n]", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", done.out))
    assert any("24/24 · 1 failed · " in frame for frame in frames)
    assert all(len(frame) < columns for frame in frames if "/24 · " in frame)
    assert "ndcg@10" in done.out


def test_a_name_that_looks_like_markup_does_no_harm(place, terminal):
    (place / "odd.json").write_text((place / "small.json").read_text().replace('"small"', '"[/red] [bold]"'))
    done = terminal("eval", "plan.yaml", "--benchmarks", "odd.json", columns=120)
    assert done.code == 0
    assert "[/red] [bold]" in done.out


def test_a_recorded_run_scores_as_it_did(place, assay):
    assert assay("eval", "plan.yaml", "-o", "result.json", "-o", "run.trec").code == 0
    assert assay("eval", "plan.yaml", "--providers", "replay:run.trec", "-o", "again.json").code == 0
    first, again = read_results("result.json")[0], read_results("again.json")[0]
    assert first.scores("ndcg@10") == again.scores("ndcg@10")
    assert first.run == again.run


def test_secrets_are_shown_nowhere(place, assay, monkeypatch):
    monkeypatch.setenv("MY_KEY", "s3cr3t-value")
    provider = (
        "http(url='http://127.0.0.1:9/search?api_key=s3cr3t-value', headers='{\"Authorization\": \"Bearer s3cr3t-value\"}')"
    )
    providers = ("--providers", provider, "python:mine:search")
    done = assay("eval", "plan.yaml", *providers, "--limit", "2", "-o", "result.json", "-o", "run.trec", "-o", "t.csv")
    assert done.code == 4
    files = [path for path in place.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert "s3cr3t" not in done.out + done.err
    assert [path.name for path in files if b"s3cr3t" in path.read_bytes()] == []


def test_every_evaluation_is_kept_unless_told_not_to(place, assay, monkeypatch):
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    assert re.search(
        r"\nstored as \S+ in \.assay/assay\.db\.  Look: assay show latest · Report: assay report latest",
        assay("eval", *FLAGS).err,
    )
    assert "stored" not in assay("eval", *FLAGS, "--no-store").err
    assert "stored as " in assay("eval", *FLAGS, "--store", "other.db").err
    assert len(json.loads(assay("results", "-f", "json").out)["results"]) == 1
    assert (place / "other.db").exists()


@pytest.fixture
def read_only_folder(tmp_path, monkeypatch):
    """A folder in which not even root can make a file."""
    for place in (Path("/sys/kernel"), tmp_path / "protected"):
        if place.parent == tmp_path:
            place.mkdir(mode=0o555)
        try:
            (place / "assay-test").touch()
        except OSError:
            monkeypatch.chdir(place)
            return place
        (place / "assay-test").unlink()
    pytest.skip("every folder here can be written to")


def test_without_a_store_it_works_where_nothing_can_be_written(assay, read_only_folder):
    done = assay(
        "eval", "--benchmarks", "rag-template", "--providers", "bm25", "dense", "-m", "mrr", "--no-store", "-f", "csv"
    )
    assert done.code == 0, done.err
    assert [line.split(",")[1] for line in done.out.splitlines()[1:]] == ["bm25", "dense"]
    assert "note: nothing can be written here, so no log is kept to go on from" in done.err


def test_without_a_store_a_file_in_the_way_of_the_log_does_not_matter(assay, place):
    (place / ".assay").write_text("a file of the user's")
    done = assay("eval", *FLAGS, "--no-store")
    assert done.code == 0, done.err
    assert (place / ".assay").read_text() == "a file of the user's"
