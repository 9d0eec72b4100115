"""assay score: files beside what is printed, the order of runs, and intervals in every format."""

import csv
import json
import os
import threading
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("files")
RUNS = ("score", "qrels.txt", "poor.run", "good.run", "-m", "map", "mrr")


def rows(text):
    return list(csv.DictReader(text.splitlines()))


def test_each_file_has_what_its_format_prints(assay, files):
    files_asked = [word for name in ("r.json", "r.csv", "r.md", "r.tex", "r.txt") for word in ("-o", name)]
    done = assay(*RUNS, *files_asked, "-f", "csv")
    for name, form in {"r.json": "json", "r.csv": "csv", "r.md": "markdown", "r.tex": "latex", "r.txt": "table"}.items():
        assert (files / name).read_text() == assay(*RUNS, "-f", form).out
    assert done.out == (files / "r.csv").read_text()


def test_through_a_link_its_target_is_written(assay, files):
    (files / "data").mkdir()
    (files / "r.csv").symlink_to("data/real.csv")
    done = assay(*RUNS, "-o", "r.csv", "-f", "csv")
    assert (files / "r.csv").is_symlink()
    assert (files / "data" / "real.csv").read_text() == done.out


def test_a_pipe_is_written_to_and_stays_a_pipe(assay, files):
    pipe, found = files / "r.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    done = assay(*RUNS, "-o", "r.csv", "-f", "csv")
    assert pipe.is_fifo()
    reader.join(30)
    assert found == [done.out]


COMMANDS = {
    "score": RUNS,
    "compare": ("compare", "qrels.txt", "poor.run", "good.run", "-m", "map"),
    "why": ("why", "qrels.txt", "poor.run", "-m", "map", "--expected", "0.5"),
    "power": ("power", "qrels.txt", "poor.run", "good.run", "-m", "map"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_the_flag_tells_the_format_where_no_ending_does(assay, files, words):
    asked = (*words, "-f", "json")
    assert assay(*asked).code == 0
    done = assay(*asked, "-o", "plain", "-o", "same.json")
    assert done.code == 0, done.err
    assert (files / "plain").read_text() == (files / "same.json").read_text() == done.out
    for others in (("-o", "plain"), ("-f", "json", "-o", "plain.xyz")):
        done = assay(*words, *others)
        assert (done.code, done.out) == (2, "")
        assert "a file without an ending has the format of -f" in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_device_takes_the_format_of_the_flag(assay):
    done = assay(*RUNS, "-f", "csv", "-o", "/dev/full")
    assert (done.code, done.out) == (3, "")
    assert "/dev/full: cannot be written" in done.err


def test_a_file_that_cannot_be_is_refused_before_anything_is_read(assay):
    done = assay("score", "nowhere.txt", "poor.run", "-o", "r.docx")
    assert (done.code, done.out) == (2, "")
    assert "-o r.docx: the ending tells the format" in done.err


def test_a_table_has_the_best_run_first_and_programs_get_the_order_that_was_given(assay):
    table = assay(*RUNS).out
    assert table.index("good ") < table.index("poor ")
    assert [row["run"] for row in rows(assay(*RUNS, "-f", "csv").out)] == ["poor", "good"]
    assert [one["name"] for one in json.loads(assay(*RUNS, "-f", "json").out)["results"]] == ["poor", "good"]
    markdown = assay(*RUNS, "-f", "markdown").out
    assert markdown.index("| poor") < markdown.index("| **good" if "**good" in markdown else "| good")


def test_a_metric_that_was_asked_for_by_sort_wins(assay, files):
    """By map the short run leads, 1/4 to 1/8; by what was retrieved the other does, 2 to 1."""
    (files / "short.run").write_text("q1 Q0 d1 1 9 short\n")
    runs = ("score", "qrels.txt", "poor.run", "short.run", "-m", "map", "num_ret")

    def first_rows(*sort):
        return [line.split()[0] for line in assay(*runs, *sort).out.splitlines()[3:5]]

    assert first_rows() == ["short", "poor"]
    assert first_rows("--sort", "num_ret") == ["poor", "short"]
    assert [row["run"] for row in rows(assay(*runs, "--sort", "map", "-f", "csv").out)] == ["short", "poor"]


def test_csv_counts_queries_and_has_the_interval_of_the_first_metric(assay):
    (poor, good) = rows(assay(*RUNS, "-f", "csv").out)
    assert list(good) == ["run", "queries", "map", "mrr", "map_low", "map_high"]
    assert (good["queries"], good["map"], good["map_high"]) == ("2", "1.0", "1.0")
    intervals = json.loads(assay(*RUNS, "-f", "json").out)["results"][0]["intervals"]["map"]
    assert (float(poor["map_low"]), float(poor["map_high"])) == (intervals["low"], intervals["high"])
    assert list(rows(assay(*RUNS, "-f", "csv", "--ci", "none").out)[0]) == ["run", "queries", "map", "mrr"]


@pytest.mark.parametrize("form", ["markdown", "latex", "table"])
def test_what_people_read_has_the_interval_of_the_first_metric_and_the_number_of_queries(assay, form):
    out = assay(*RUNS, "-f", form).out
    assert out.count("% CI") == 1
    assert "2 judged queries" in out


def test_one_query_has_no_interval_and_it_is_said_why(assay, files):
    Path("one.txt").write_text("q1 0 d1 1\nq1 0 d3 1\n")
    Path("half.run").write_text("q1 Q0 x 1 9 half\nq1 Q0 d1 2 8 half\n")
    out = assay("score", "one.txt", "half.run", "-m", "map").out
    assert "% CI" not in out
    assert "no interval of map: one query cannot show how far figures scatter; two or more do.\n" in out
    assert "no interval" not in assay("score", "one.txt", "half.run", "-m", "map", "--ci", "none").out


def test_what_is_unjudged_is_what_the_column_leaves(assay):
    out = assay("score", "qrels.txt", "poor.run", "-m", "map").out
    assert "0.5000\n" in out
    assert "unjudged" not in out  # what it retrieved is judged; the other half is a query that it lacks
    Path("strange.run").write_text("q1 Q0 x 1 9 strange\nq1 Q0 d1 2 8 strange\n")
    out = assay("score", "qrels.txt", "strange.run", "-m", "map").out
    assert "0.2500\n" in out
    assert "unjudged among the first 10: strange 75 %;" in out
