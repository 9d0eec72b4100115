"""assay score: figures, formats, order, names, conventions, and what is wrong with a request or a file."""

import gzip
import json
import os
import sys
import threading
from pathlib import Path

import pytest

RUNS = ("score", "qrels.txt", "poor.run", "good.run", "-m", "map", "mrr")

pytestmark = pytest.mark.usefixtures("files")


def test_what_it_shows(transcript):
    transcript("score/shown")


def test_order_of_runs_and_queries(transcript):
    transcript("score/order")


def test_policies(transcript):
    transcript("score/policies")


def test_conventions_of_other_tools_and_bands(tied, transcript):
    transcript("score/tools")
    transcript("score/conventions")


def test_files_that_are_wrong(assay, files, transcript):
    (files / "prose.md").write_text("# Title\n\n" + "Some words that nobody takes for rows of a run.\nShort.\n" * 10)
    (files / "many.run").write_text("q1 Q0 d1 1 nonsense here\n" * 1000)
    (files / "broken.run").write_text("".join(f"q1 Q0 d{n} 1 9 t\nq1 Q0 e{n} 1 nan t\nq1 {n}\n" for n in range(30)))
    transcript("score/files")
    (files / "bad.run").write_text("q1 Q0 d\x1b[31m1 1 1 t\nq1 Q0 d\x1b[31m1 2 1 t\nq1 Q0 d2 1 \x1b]0;x\x07 t\n")
    for name in ("bad.run", "\x1b[2Jgone.run"):
        done = assay("score", "qrels.txt", name)
        assert (done.code, done.out, {"\x1b", "\x07"} & set(done.err)) == (3, "", set()), name


def test_a_file_that_may_not_be_read_is_no_bug(assay, monkeypatch):
    open_file = Path.open

    def refuse(path, *how, **more):
        if path.name == "qrels.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return open_file(path, *how, **more)

    monkeypatch.setattr(Path, "open", refuse)
    assert assay("score", "qrels.txt", "good.run") == (3, "", "error: qrels.txt: cannot be read: Permission denied\n")


def test_a_pipe_is_read_whole(assay, files):
    """As in: assay score qrels.txt <(zcat run.gz). It cannot be read twice, and half of it gives wrong figures."""
    texts = ("".join(f"q{n} 0 d 1\n" for n in range(2000)), "".join(f"q{n} Q0 d 1 1 t\n" for n in range(2000)))
    for piped in (0, 1):
        sources = [files / "long.qrels", files / "long.run"]
        for source, text in zip(sources, texts, strict=True):
            source.write_text(text)
        ours, theirs = os.pipe()
        os.write(theirs, texts[piped].encode())
        os.close(theirs)
        sources[piped] = f"/dev/fd/{ours}"
        done = assay("score", *sources, "-m", "num_rel_ret", "-f", "trec")
        os.close(ours)
        assert (done.code, done.out.split()) == (0, ["num_rel_ret", "all", "2000"]), piped


def test_names_of_runs(assay, files, transcript):
    for folder in ("a", "b"):
        (files / folder).mkdir()
        (files / folder / "x.run").write_text((files / "good.run").read_text())
    transcript("score/names")
    (files / "good.trec.gz").write_bytes(gzip.compress((files / "good.run").read_bytes()))
    out = assay("score", "qrels.txt", "good.trec.gz", "-m", "map", "-f", "csv", "--ci", "none").out
    assert out == "run,queries,map\ngood,2,1.0\n"


def test_standard_input(files, stdin, transcript):
    stdin((files / "qrels.txt").read_text())
    transcript("score/judgments_from_stdin")
    stdin("")
    transcript("score/empty_stdin")


def test_saved_and_stored_results_are_shown_as_they_were_scored(assay, place, transcript):
    plan = ("eval", "plan.yaml", "--quiet", "--providers", "one=python:mine:search", "two=python:mine:other")
    assert assay(*plan, "-o", "both.json").code == 0
    transcript("score/saved")
    content = json.loads((place / "both.json").read_text())
    content["results"][0]["beside"] = ["judged@10"]
    for scores in (content["results"][0]["summary"], *content["results"][0]["per_query"].values()):
        scores["judged@10"] = 0.25
    (place / "both.json").write_text(json.dumps(content))
    shown = assay("score", "both.json").out
    assert ("Unjudged results in the first 10: one 75 %" in shown, "--residuals" in shown) == (True, False), (
        "that is refused"
    )


def test_requests_that_are_wrong_are_refused_before_files_are_touched(transcript):
    transcript("score/refused")


def test_commands_that_can_be_pasted(files, transcript):
    """For files among metrics, and to compare what was scored."""
    (files / "my good.run").write_text((files / "good.run").read_text())
    transcript("score/pasted")


def test_each_file_has_what_its_format_prints(assay, files):
    (files / "data").mkdir()
    (files / "r.csv").symlink_to("data/real.csv")
    forms = {"r.json": "json", "r.csv": "csv", "r.md": "markdown", "r.tex": "latex", "r.txt": "table", "plain": "csv"}
    pipe, found = files / "pipe.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    done = assay(*RUNS, *(word for name in (*forms, pipe) for word in ("-o", name)), "-f", "csv")
    for name, form in forms.items():
        assert (files / name).read_text() == assay(*RUNS, "-f", form).out, name
    assert (files / "r.csv").is_symlink()
    assert (files / "data" / "real.csv").read_text() == done.out
    reader.join(30)
    assert (pipe.is_fifo(), found) == (True, [done.out])
    if Path("/dev/full").exists():
        assert assay(*RUNS, "-f", "csv", "-o", "/dev/full")[:2] == (3, "")


@pytest.mark.slow
def test_ids_that_cannot_be_written_are_no_bug(files, process):
    (files / "odd.json").write_text(r'{"q\ud800": {"d1": 1}}')
    done = process("score", "odd.json", "odd.json", "-m", "map", "--per-query")
    assert (done.code in (0, 3), "Traceback" in done.err) == (True, False)


@pytest.mark.slow
def test_what_only_pages_charts_and_retrievers_need_is_not_imported_for_a_table(process):
    look = "import sys; from assay.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = process("score", "qrels.txt", "good.run", "-m", "map", program=(sys.executable, "-c", look))
    loaded = done.err.split()
    assert "assay.reports" in loaded
    for name in ("assay.reports.page", "assay.charts", "assay.execution.runner", "assay.store", "jinja2", "sqlalchemy"):
        assert name not in loaded, name
