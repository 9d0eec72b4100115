"""Progress: lines where nobody watches, bars in a terminal (which test_eval shows), nothing where it is unwanted."""

import pytest

from assay.cli import _progress
from assay.cli._progress import progress_watcher
from assay.evaluation.answers import Answer
from assay.evaluation.runner import Progress

SOME = [Answer("q1"), Answer("q2", error="no")]


def watched(quiet=False, n=4):
    with progress_watcher(quiet=quiet) as watch:
        progress = Progress("small/bm25", n, watch=watch)
        progress.add(SOME, cached=True)
        progress.add(SOME)


def test_a_line_when_a_part_is_done(capsys):
    watched()
    err = capsys.readouterr().err
    assert err.startswith("small/bm25: 4/4, 2 failed, 2 known already, ")
    assert err.count("\n") == 1


def test_a_line_now_and_then_before_that(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "EVERY", 0.0)
    watched(n=9)
    assert [line.split(",")[0] for line in capsys.readouterr().err.splitlines()] == ["small/bm25: 2/9", "small/bm25: 4/9"]


def test_quiet_says_nothing(capsys):
    watched(quiet=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["\x1b[31m", "a\nb"])
def test_names_are_printable(capsys, name):
    with progress_watcher(quiet=False) as watch:
        Progress(name, 1, watch=watch).add(SOME)
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert err.count("\n") == 1
