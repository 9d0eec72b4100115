"""assay score over files that are wrong, or something else: exit 3, and nothing on standard output."""

import os
from pathlib import Path

import pytest

from assay.cli.commands.score import FORMATS

pytestmark = pytest.mark.usefixtures("files")


@pytest.mark.parametrize(
    ("arguments", "name"), [(("no.qrels", "good.run"), "no.qrels"), (("qrels.txt", "no.run"), "no.run")]
)
def test_a_file_that_is_not_there(assay, arguments, name):
    assert assay("score", *arguments) == (3, "", f"error: {name}: no such file\n")


def test_a_folder_is_not_a_file(assay):
    assert assay("score", "qrels.txt", ".") == (3, "", "error: .: is a folder, not a file\n")


def test_the_second_run_is_looked_for_before_the_first_is_read(assay, files):
    (files / "bad.run").write_text("not a run\n")
    assert assay("score", "qrels.txt", "bad.run", "no.run") == (3, "", "error: no.run: no such file\n")


def test_swapped_files_are_recognised(assay):
    code, out, err = assay("score", "good.run", "qrels.txt")
    assert (code, out) == (3, "")
    assert "good.run: this looks like a run" in err
    assert "judgments come first, then runs" in err


def test_judgments_given_as_a_run_are_recognised(assay):
    code, out, err = assay("score", "qrels.txt", "good.run", "qrels.txt")
    assert (code, out) == (3, "")
    assert "qrels.txt: this looks like judgments" in err


@pytest.mark.parametrize("content", ["", "\n\n", "# a comment\n", "\ufeff"])
@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_run(assay, files, content, name):
    (files / "empty.run").write_text(content)
    assert assay("score", "qrels.txt", "empty.run", "-f", name) == (3, "", "error: empty.run: the file holds no rankings\n")


def test_empty_judgments(assay, files):
    (files / "empty.qrels").write_text("")
    assert assay("score", "empty.qrels", "good.run") == (3, "", "error: empty.qrels: the file holds no judgments\n")


def test_faults_are_listed_by_file_and_line(assay, files):
    (files / "bad.run").write_text(
        "q1 Q0 d1\nq1 Q0 d1 1 nan t\nq1 Q0 d2 2 high t\nq1 Q0 d3 3 1 t\nq1 Q0 d3 4 0.5 t\nq1 Q0 d4 1 1 t\n"
    )
    code, out, err = assay("score", "qrels.txt", "bad.run")
    assert (code, out) == (3, "")
    assert err == (
        "error: bad.run: 4 faults\n"
        "  bad.run:1: expected 6 columns (query Q0 document rank score tag), found 3\n"
        "  bad.run:2: score 'nan' is not a number that can be ranked\n"
        "  bad.run:3: score 'high' is not a number\n"
        "  bad.run:5: document d3 appears twice for query q1 (first at line 4); "
        "--duplicates keep-best uses the better score\n"
    )


def test_faults_in_judgments_are_listed_by_file_and_line(assay, files):
    (files / "bad.qrels").write_text("q1 0 d1 1\nq1 0 d1\nq1 0 d2 high\n")
    code, out, err = assay("score", "bad.qrels", "good.run")
    assert (code, out) == (3, "")
    assert err == (
        "error: bad.qrels: 2 faults\n"
        "  bad.qrels:2: expected 4 columns (query iteration document grade), found 3\n"
        "  bad.qrels:3: grade 'high' is not a number\n"
    )


def test_twenty_faults_are_enough(assay, files):
    (files / "bad.run").write_text("q1 Q0 d1 1 nonsense here\n" * 1000)
    err = assay("score", "qrels.txt", "bad.run").err.splitlines()
    assert err[0] == "error: bad.run: 20 or more faults"
    assert len(err) == 21
    assert err[-1].startswith("  bad.run:20: ")


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_half_written(assay, files, name):
    (files / "bad.run").write_text("q1 Q0 d1 1 x t\n")
    code, out, err = assay("score", "qrels.txt", "good.run", "bad.run", "-f", name)
    assert (code, out) == (3, "")
    assert "bad.run:1:" in err


def test_faults_show_no_control_characters(assay, files):
    (files / "bad.run").write_text("q1 Q0 d\x1b[31m1 1 1 t\nq1 Q0 d\x1b[31m1 2 1 t\nq1 Q0 d2 1 \x1b]0;x\x07 t\n")
    code, out, err = assay("score", "qrels.txt", "bad.run")
    assert (code, out) == (3, "")
    assert not {"\x1b", "\x07"} & set(err)


def test_a_file_name_in_an_error_shows_no_control_characters(assay):
    code, out, err = assay("score", "qrels.txt", "\x1b[2Jgone.run")
    assert (code, out) == (3, "")
    assert "\x1b" not in err


def test_a_file_that_may_not_be_read_is_no_bug(assay, monkeypatch):
    open_file = Path.open

    def refuse(path, *how, **more):
        if path.name == "qrels.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return open_file(path, *how, **more)

    monkeypatch.setattr(Path, "open", refuse)
    code, out, err = assay("score", "qrels.txt", "good.run")
    assert (code, out) == (3, "")
    assert err == "error: qrels.txt: cannot be read: Permission denied\n"


@pytest.mark.parametrize("piped", ["judgments", "run"])
def test_a_pipe_is_read_whole_or_refused(assay, files, piped):
    """As in: assay score qrels.txt <(zcat run.gz). It cannot be read twice, and half of it gives wrong figures."""
    qrels, run = "".join(f"q{n} 0 d 1\n" for n in range(2000)), "".join(f"q{n} Q0 d 1 1 t\n" for n in range(2000))
    (files / "long.qrels").write_text(qrels)
    (files / "long.run").write_text(run)
    ours, theirs = os.pipe()
    os.write(theirs, (qrels if piped == "judgments" else run).encode())
    os.close(theirs)
    sources = (f"/dev/fd/{ours}", "long.run") if piped == "judgments" else ("long.qrels", f"/dev/fd/{ours}")
    code, out, err = assay("score", *sources, "-m", "num_rel_ret", "-f", "trec")
    os.close(ours)
    assert (code, out.split()) == (0, ["num_rel_ret", "all", "2000"]) or (code == 3 and "pipe" in err)


def test_ids_that_cannot_be_written_are_no_bug(files, process):
    (files / "odd.json").write_text(r'{"q\ud800": {"d1": 1}}')
    code, _, err = process("score", "odd.json", "odd.json", "-m", "map", "-q")
    assert code in (0, 3)
    assert "Traceback" not in err


PROSE = "# Title\n\n" + "Some words that nobody would take for rows of a run.\nShort.\n" * 10 + "q1 Q0 d1 1 9 t\n" * 5


def test_prose_is_no_run_and_no_judgments(assay, files):
    (files / "prose.md").write_text(PROSE)
    code, out, err = assay("score", "qrels.txt", "prose.md")
    assert (code, out) == (3, "")
    assert err == (
        "error: prose.md does not look like a run: 20 of its first 20 lines cannot be read\n"
        "  prose.md:3: expected 6 columns (query Q0 document rank score tag), found 11 with 'nobody' for a rank: "
        "does an id have a blank? Put tabs between columns, or write JSON or CSV\n"
        "  prose.md:4: expected 6 columns (query Q0 document rank score tag), found 1\n"
        "  prose.md:5: expected 6 columns (query Q0 document rank score tag), found 11 with 'nobody' for a rank: "
        "does an id have a blank? Put tabs between columns, or write JSON or CSV\n"
        "  …\n"
    )
    assert assay("score", "prose.md", "good.run").err.startswith(
        "error: prose.md does not look like judgments: 20 of its first"
    )


def test_a_run_with_many_faults_is_still_a_run(assay, files):
    (files / "broken.run").write_text("".join(f"q1 Q0 d{n} 1 9 t\nq1 Q0 e{n} 1 nan t\nq1 {n}\n" for n in range(30)))
    err = assay("score", "qrels.txt", "broken.run").err
    assert err.startswith("error: broken.run: 20 or more faults\n")
    assert err.count("\n") == 21
    (files / "unscored.run").write_text("".join(f"q1 Q0 d{n} 1 none t\n" for n in range(30)))
    assert assay("score", "qrels.txt", "unscored.run").err.startswith("error: unscored.run: 20 or more faults\n")
