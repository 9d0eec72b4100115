"""assay eval: its table, and what stands around it."""

import re

from assay.cli.commands.eval import ends_in_table, where_to_look
from assay.store.location import parse_location


def table(out):
    """Head and rows of the first table, split at wide gaps."""
    lines = [line for line in out.splitlines() if line.startswith("  ")]
    return [re.split(r"\s{2,}", line.strip()) for line in lines]


def test_the_title_has_the_size_of_the_benchmark_and_the_rows_are_providers(assay, place):
    out = assay("eval", "plan.yaml", "--no-store", "--quiet").out
    assert out.startswith("small 1.0 (24 queries, 24 documents)\n")
    head, row = table(out)
    assert head[0] == "provider"
    assert head[-1] == "p95 ms"
    assert re.fullmatch(r"[\d.,]+", row[-1])


def test_providers_asked_in_batches_have_a_mean_time(assay, place):
    providers = ("--providers", "python:mine:Batched", "python:mine:search")
    assert table(assay("eval", "plan.yaml", *providers, "--no-store", "--quiet").out)[0][-1] == "mean ms"


def test_failures_have_a_column_where_there_are_any(assay, place, monkeypatch):
    assert "failed" not in table(assay("eval", "plan.yaml", "--no-store", "--quiet", "--no-cache").out)[0]
    monkeypatch.setenv("FAIL", "q1,q2")
    head, row = table(assay("eval", "plan.yaml", "--no-store", "--quiet", "--no-cache").out)
    assert (head[-1], row[-1]) == ("failed", "2")


def test_the_best_provider_comes_first_in_the_table_and_files_keep_the_order(assay, place):
    providers = ("--providers", "worst=python:mine:other", "best=oracle")
    done = assay("eval", "plan.yaml", *providers, "--no-store", "--quiet", "-o", "r.csv")
    assert [row[0] for row in table(done.out)[1:]] == ["best", "worst"]
    assert [line.split(",")[1] for line in (place / "r.csv").read_text().splitlines()[1:]] == ["worst", "best"]


def test_the_last_line_can_be_followed(assay, place, monkeypatch):
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    err = assay("eval", "plan.yaml", "--store", "my store.db").err
    look = "Look: assay show latest --store 'my store.db' · Report: assay report latest --store 'my store.db' -o report.html"
    assert re.search(rf"^stored as \S+ in \S*my store\.db\.  {re.escape(look)}$", err, re.MULTILINE)
    assert assay("show", "latest", "--store", "my store.db").code == 0


def test_a_password_is_not_repeated():
    url = "postgresql://me:secret@db.example/assay"
    assert where_to_look(parse_location(url), url) == "Look: assay show latest · Report: assay report latest -o report.html"


def test_a_table_at_the_end_is_told_from_sentences():
    assert ends_in_table("title\n\n  head\n  row\n")
    assert not ends_in_table("title\n\n  head\n  row\n\na is better.\n")


def test_empty_lines_set_the_table_apart_on_one_screen(terminal, place):
    env = {"NO_COLOR": "1", "PYTHONPATH": str(place)}
    lines = terminal("eval", "plan.yaml", "-m", "mrr", "--no-store", env=env).out.splitlines()
    title = next(number for number, line in enumerate(lines) if line.startswith("small 1.0"))
    assert not re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", lines[title - 1]).strip()
    stored = terminal("eval", "plan.yaml", "-m", "mrr", env=env).out.splitlines()
    last = next(number for number, line in enumerate(stored) if line.startswith("stored as"))
    assert stored[last - 1] == ""
