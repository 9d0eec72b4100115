"""assay score, called in process."""

import csv
import gzip
import io
import json
import re
from pathlib import Path

import pytest

import assay as library
from assay.cli.commands.score import FORMATS
from assay.metrics.parsing import parse_metric

pytestmark = pytest.mark.usefixtures("files")


EXAMPLES = Path(__file__).parents[2] / "examples"

# What it shows


def test_two_runs(assay):
    code, out, err = assay("score", "qrels.txt", "good.run", "poor.run", "-m", "map", "mrr@10", "num_rel_ret")
    assert (code, err) == (0, "")
    assert out == (
        "2 judged queries · level: grade > 0 · ties: docid_desc\n"
        "\n"
        "  run       map         95 % CI   mrr@10   num_rel_ret   judged@10\n"
        "  good   1.0000   0.342 – 1.000   1.0000             3      1.0000\n"
        "  poor   0.1250   0.000 – 1.000   0.2500             1      0.5000\n"
        "\n"
        "poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
        "Is the difference real?  assay compare qrels.txt good.run poor.run -m map\n"
    )


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("per_query", [(), ("--per-query",)])
def test_the_first_command_of_the_readme_in_every_format(assay, name, per_query):
    metrics = ("ndcg@10", "map", "mrr@10", "recall@100")
    code, out, err = assay("score", "qrels.txt", "good.run", "poor.run", "-m", *metrics, *per_query, "--format", name)
    assert code == 0
    note = "note: poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
    assert err == (note if name in ("csv", "trec") else "")
    assert "\x1b" not in out
    assert ("q1" in out) == (bool(per_query) or name in ("html", "json"))
    for metric in metrics:
        spelled = parse_metric(metric).trec_name if name == "trec" else metric
        assert spelled in out


def test_without_metrics_it_is_the_group_rag(assay):
    out = assay("score", "qrels.txt", "good.run", "--format", "csv", "--digits", "2", "--ci", "none").out
    assert out == "run,queries,ndcg@10,recall@10,precision@5,mrr,hit@5,map\ngood,2,1.00,1.00,0.30,1.00,1.00,1.00\n"


@pytest.mark.slow
def test_the_figures_are_those_of_the_library(assay):
    for system in ("bm25", "dense"):
        arguments = (
            EXAMPLES / "qrels.txt",
            EXAMPLES / f"{system}.run",
            "-m",
            "all_trec",
            "--format",
            "json",
            "--ci",
            "none",
        )
        (found,) = json.loads(assay("score", *arguments).out)["results"]
        assert (
            found == library.evaluate(EXAMPLES / "qrels.txt", EXAMPLES / f"{system}.run", "all_trec", name=system).to_dict()
        )


@pytest.mark.parametrize(
    ("metrics", "beside"),
    [(["map"], ["judged@10"]), (["recall@3", "P@5"], ["judged@10"]), (["judged@10", "map"], ["judged@10"])],
)
def test_judged_stands_beside_every_table(assay, metrics, beside):
    head = assay("score", "qrels.txt", "good.run", "-m", *metrics).out.splitlines()[2]
    assert [name for name in head.split() if name.startswith("judged")] == beside
    assert "judged" not in assay("score", "qrels.txt", "good.run", "-m", *metrics, "--judged-only").out.splitlines()[2] or (
        "judged@10" in metrics
    )
    (result,) = json.loads(assay("score", "qrels.txt", "good.run", "-m", "map", "-f", "json").out)["results"]
    assert list(result["summary"]) == ["map"]
    assert {name for scores in result["per_query"].values() for name in scores} == {"map"}


def test_more_than_eight_metrics_go_down_the_page(assay):
    lines = assay("score", "qrels.txt", "good.run", "poor.run", "-m", "official").out.splitlines()
    assert lines[2].split() == ["metric", "good", "poor"]
    assert ["num_q", "2", "2"] in [line.split() for line in lines]


@pytest.mark.parametrize(("digits", "figure"), [("0", "0"), ("2", "0.12"), ("17", "0.12500000000000000")])
@pytest.mark.parametrize("name", ["table", "csv", "markdown", "latex", "trec"])
def test_digits(assay, digits, figure, name):
    out = assay("score", "qrels.txt", "poor.run", "-m", "map", "--digits", digits, "-f", name).out
    assert figure in re.split(r"[\s,]+", out)


def test_digits_in_json(assay):
    out = assay("score", "qrels.txt", "poor.run", "-m", "map", "ndcg", "--digits", "2", "-f", "json").out
    (result,) = json.loads(out)["results"]
    assert result["summary"] == {"map": 0.12, "ndcg": 0.24}


def test_timings_are_told_on_standard_error(assay):
    code, out, err = assay("score", "qrels.txt", "good.run", "-m", "map", "-v", "-f", "csv", "--ci", "none")
    assert (code, out) == (0, "run,queries,map\ngood,2,1.0\n")
    assert re.search(r"^good\.run: trec, scored in \d+\.\d\d s\n", err, re.MULTILINE)


# Sorting


def test_runs_are_sorted_best_first(assay):
    def order(*arguments):
        return [
            line.partition(",")[0]
            for line in assay("score", "qrels.txt", *arguments, "-f", "csv", "--ci", "none").out.splitlines()[1:]
        ]

    assert order("poor.run", "good.run", "-m", "map") == ["poor", "good"]
    assert order("poor.run", "good.run", "-m", "map", "--sort", "AP") == ["good", "poor"]
    assert order("poor.run", "good.run", "-m", "rbp_residual", "--sort", "rbp_residual") == ["good", "poor"]


def test_queries_are_sorted_too(assay, files):
    (files / "q2.run").write_text("q1 Q0 d2 1 9 x\nq1 Q0 d1 2 8 x\nq2 Q0 d4 1 7 x\n")
    out = assay("score", "qrels.txt", "q2.run", "-m", "mrr", "--sort", "mrr", "-q", "-f", "csv", "--ci", "none").out
    assert out == "run,query,mrr\nq2,q2,1.0\nq2,q1,0.5\nq2,all,0.75\n"


def test_a_table_can_be_sorted_by_what_stands_beside_it(assay):
    lines = assay("score", "qrels.txt", "poor.run", "good.run", "-m", "map", "--sort", "judged@10").out.splitlines()
    assert [line.split()[0] for line in lines[3:5]] == ["good", "poor"]


def test_a_metric_to_sort_by_must_be_asked_for(assay):
    code, out, err = assay("score", "nowhere", "nothing", "-m", "map", "--sort", "ndcg@10")
    assert (code, out) == (2, "")
    assert err == "error: --sort ndcg@10: add it to -m to sort by it\n"


@pytest.mark.parametrize("metric", ["nonsense", "recall@5,10", "ndcg@0"])
def test_a_metric_to_sort_by_must_be_one_metric(assay, metric):
    assert assay("score", "nowhere", "nothing", "--sort", metric)[:2] == (2, "")


@pytest.mark.parametrize("metric", ["runid", "relstring"])
def test_text_cannot_be_sorted_by(assay, metric):
    code, out, err = assay("score", "qrels.txt", "good.run", "-m", "map", metric, "--sort", metric)
    assert (code, out) == (2, "")
    assert metric in err


def test_runs_without_scores_are_sorted_last(assay, files):
    """As trec_eval has it: a run of other queries has no figure. By our own conventions it is an error."""
    (files / "none.run").write_text("q9 Q0 d1 1 1 none\n")
    profile = ("--profile", "trec_eval-9")
    for order in (
        ["none.run", "poor.run", "good.run"],
        ["good.run", "none.run", "poor.run"],
        ["poor.run", "good.run", "none.run"],
    ):
        out = assay("score", "qrels.txt", *order, "-m", "map", *profile, "--sort", "map", "-f", "csv", "--ci", "none").out
        assert [line.partition(",")[0] for line in out.splitlines()] == ["run", "good", "poor", "none"]
        assert out.splitlines()[-1] == "none,0,"
    assert assay("score", "qrels.txt", "good.run", "none.run", "-m", "map", "--sort", "map").code == 3


# Names of runs


def test_runs_of_one_stem_go_by_their_paths(assay, files):
    for folder in ("a", "b"):
        (files / folder).mkdir()
        (files / folder / "x.run").write_text((files / "good.run").read_text())
    out = assay("score", "qrels.txt", "a/x.run", "b/x.run", "good.run", "-m", "map", "-f", "csv", "--ci", "none").out
    assert out == "run,queries,map\na/x.run,2,1.0\nb/x.run,2,1.0\ngood.run,2,1.0\n"


def test_the_same_run_twice_is_numbered(assay):
    out = assay("score", "qrels.txt", "good.run", "good.run", "-m", "map", "-f", "csv", "--ci", "none").out
    assert out == "run,queries,map\ngood.run (1),2,1.0\ngood.run (2),2,1.0\n"


@pytest.mark.parametrize("name", ["good.run.gz", "good.trec.gz", "good.txt", "good"])
def test_endings_are_no_part_of_the_name(assay, files, name):
    text = (files / "good.run").read_bytes()
    (files / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert assay("score", "qrels.txt", name, "-m", "map", "-f", "csv", "--ci", "none").out == "run,queries,map\ngood,2,1.0\n"


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("evil", ["\x1b[31mred\x1b[0m.run", "new\nline.run", "a|b & \\x %.run", "[red]x.run", "東京🎉.run"])
def test_hostile_file_names(assay, files, name, evil):
    (files / evil).write_text((files / "poor.run").read_text())
    code, out, err = assay("score", "qrels.txt", evil, "-m", "map", "-f", name, "-q")
    assert code == 0
    assert err.count("\n") == (name in ("csv", "trec"))
    assert "\x1b" not in err
    assert "\x1b" not in out
    tame = assay("score", "qrels.txt", "poor.run", "-m", "map", "-f", name, "-q").out
    if name == "csv":
        assert len(list(csv.reader(io.StringIO(out, newline="")))) == tame.count("\n")
    else:
        assert out.count("\n") == tame.count("\n")


# Standard input


def test_a_run_from_standard_input(assay, files, stdin):
    stdin((files / "good.run").read_text())
    assert assay("score", "qrels.txt", "-", "-m", "map", "-f", "csv", "--ci", "none") == (
        0,
        "run,queries,map\n<stdin>,2,1.0\n",
        "",
    )


def test_judgments_from_standard_input(assay, files, stdin):
    stdin((files / "qrels.txt").read_text())
    assert (
        assay("score", "-", "good.run", "poor.run", "-m", "map", "-f", "csv", "--ci", "none").out
        == "run,queries,map\ngood,2,1.0\npoor,2,0.125\n"
    )


@pytest.mark.parametrize("arguments", [("-", "-"), ("qrels.txt", "-", "-"), ("qrels.txt", "-", "good.run", "-")])
def test_standard_input_can_be_read_once(assay, arguments):
    assert assay("score", *arguments) == (2, "", "error: standard input (-) can be read once only\n")


def test_empty_standard_input_is_an_empty_run(assay, stdin):
    stdin("")
    assert assay("score", "qrels.txt", "-") == (3, "", "error: <stdin>: the file holds no rankings\n")


# What reviewers ran into


def test_metrics_may_be_given_in_several_goes(assay):
    assert assay(
        "score", "qrels.txt", "good.run", "-m", "map", "-m", "mrr", "P@1", "-f", "csv", "--ci", "none"
    ).out.startswith("run,queries,map,mrr,precision@1\n")


def test_text_without_per_query_is_announced(assay):
    assert "add --per-query" in assay("score", "qrels.txt", "good.run", "-m", "relstring", "map").err
    assert assay("score", "qrels.txt", "good.run", "-m", "relstring", "-q").err == ""


# Files that are something else


def test_beirs_hole_is_explained_under_its_profile(assay, files):
    assert (
        assay("score", "qrels.txt", "good.run", "-m", "hole@10", "-f", "csv", "--ci", "none").out
        == "run,queries,unjudged@10\ngood,2,0.0\n"
    )
    code, _, err = assay("score", "qrels.txt", "good.run", "-m", "hole@10", "--profile", "beir")
    assert code == 3
    assert "calls a document a hole if no query at all has it judged" in err


@pytest.mark.parametrize(
    ("flags", "metrics"),
    [((), {"map", "mrr"}), (("--ci", "none"), None), (("--ci", "t"), {"map", "mrr"}), (("--level", "0.8"), {"map", "mrr"})],
)
def test_json_has_the_intervals_of_all_metrics(assay, flags, metrics):
    done = assay("score", "qrels.txt", "good.run", "-m", "map", "mrr", "-f", "json", *flags)
    (found,) = json.loads(done.out)["results"]
    assert found.get("intervals", {}).keys() == (metrics or set())


@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_other_formats_have_the_interval_of_the_first_metric_and_all_when_asked_for(assay, form):
    arguments = ("score", "qrels.txt", "good.run", "poor.run", "-m", "map", "mrr", "-f", form)
    ways = ((), ("--ci", "t"), ("--ci", "none"))
    counts = [len(re.findall("CI|_low", assay(*arguments, *ci).out)) for ci in ways]
    assert counts == [1, 2 if form == "csv" else 3, 0]


# Judgments per subtopic


def test_metrics_of_diversity_read_the_second_column(assay):
    Path("diversity.qrels").write_text("q1 1 a 1\nq1 2 a 1\nq1 1 b 1\nq1 3 c 1\n")
    Path("some.run").write_text("q1 Q0 b 1 3 x\nq1 Q0 c 2 2 x\nq1 Q0 a 3 1 x\n")
    code, out, err = assay(
        "score", "diversity.qrels", "some.run", "-m", "StRecall@1", "P_IA@2", "map", "--format", "csv", "--ci", "none"
    )
    assert (code, err) == (0, "")
    assert out == "run,queries,subtopic_recall@1,precision_ia@2,map\nsome,1,0.3333333333333333,0.3333333333333333,1.0\n"


def test_judgments_without_subtopics_are_refused_where_they_are_needed(assay):
    code, out, err = assay("score", "qrels.txt", "good.run", "-m", "alpha_ndcg@10")
    assert (code, out) == (3, "")
    assert "query subtopic document grade" in err
