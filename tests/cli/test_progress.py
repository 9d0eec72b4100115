"""Progress: lines where nobody watches, bars in a terminal (which test_eval shows), nothing where it is unwanted."""

import re
import threading

import pytest

from assay.cli import progress
from assay.cli.progress import ProgressTally, progress_watcher
from assay.execution.progress import Progress, Wait
from assay.execution.responses import Response

SOME = [Response("q1"), Response("q2", error="no")]


def watched(quiet=False, n=4):
    with progress_watcher(quiet=quiet) as watch:
        progress = Progress("small/bm25", n, watch=watch)
        watch(progress)
        progress.add(SOME, cached=True)
        progress.add(SOME)


def test_a_line_when_a_part_starts_and_one_when_it_is_done(capsys):
    watched()
    first, last = capsys.readouterr().err.splitlines()
    assert first == "small/bm25: 0/4 queries, getting ready 0:00"
    assert last.startswith("small/bm25: 4/4 queries, 2 failed, 2 cached, ")
    assert re.search(r"/s, took 0:0\d$", last)


def test_a_line_now_and_then_even_while_nothing_is_answered(capsys, monkeypatch):
    told = threading.Event()
    plain_line = progress.plain_line

    def noticed(progress, *rest):
        if progress.n_done:
            told.set()
        return plain_line(progress, *rest)

    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.001)
    monkeypatch.setattr(progress, "plain_line", noticed)
    with progress_watcher(quiet=False) as watch:
        Progress("small/bm25", 9, watch=watch).add(SOME)
        assert told.wait(20)
    assert capsys.readouterr().err.startswith("small/bm25: 2/9 queries, 1 failed, 0 cached, ")


def test_nothing_is_told_after_the_end(capsys, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.001)
    before = threading.active_count()
    watched(n=9)
    assert threading.active_count() == before


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


def test_a_tally_says_how_far_a_run_got():
    seen = []
    tally = ProgressTally(seen.append)
    assert (tally.n_answered, tally.sentence(2)) == (0, "no query was answered yet")
    first, second = (Progress(name, 4, watch=tally) for name in ("small/bm25", "small/dense"))
    first.add(SOME)
    assert tally.sentence(1) == "1 of 4 queries answered"
    assert tally.sentence(2) == "0 of 2 results complete, 1 of 4 queries of small/bm25 answered"
    first.add(SOME)
    second.add(SOME[:1])
    assert tally.sentence(3) == "1 of 3 results complete, 1 of 4 queries of small/dense answered"
    assert tally.n_answered == 3
    assert seen == [first, first, second]


def test_a_long_pause_is_told_of_at_once_and_once(capsys):
    with progress_watcher(quiet=False) as watch:
        progress = Progress("small/bm25", 9, watch=watch)
        watch(progress)
        progress.note_wait(2.0, "HTTP 429")
        for _ in range(3):
            progress.note_wait(120.0, "HTTP 429")
    _, told = capsys.readouterr().err.splitlines()
    assert told == "small/bm25: 0/9 queries, waiting 120 s, as the service asks (HTTP 429)"


def test_a_pause_that_is_over_is_not_told_of(capsys):
    with progress_watcher(quiet=False) as watch:
        progress = Progress("small/bm25", 9, watch=watch)
        watch(progress)
        progress.wait = Wait(120.0, "HTTP 429", 0.0)
        progress.add(SOME)
        progress.add(SOME)
    assert len(capsys.readouterr().err.splitlines()) == 1
