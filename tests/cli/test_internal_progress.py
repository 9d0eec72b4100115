"""Progress, below the commands: lines where nobody watches, a bar that fits, how quickly and how long still."""

import re
import threading

from assay.cli import progress
from assay.cli.progress import Pace, bar_line, plain_line, progress_watcher, reading_line
from assay.execution import Progress, Response
from assay.execution.progress import DocumentCount, Wait
from assay.text import display_width

SOME = [Response("q1"), Response("q2", error="no")]
LONG = "a-benchmark-with-a-long-name/hybrid(bm25, http(url='http://127.0.0.1:8000/search'), method=weighted)"


def watched(quiet=False, n=4):
    with progress_watcher(quiet=quiet) as watch:
        part = Progress("small/bm25", n, watch=watch)
        watch(part)
        part.add(SOME, cached=True)
        part.add(SOME)


def part_of(name="small/bm25", n=500, done=0, failed=0, cached=0):
    return Progress(name, n, done, failed, cached, began=100.0)


def seen(part, *times):
    """The pace of a part that was looked at at these times."""
    pace = Pace()
    for now, n_done in times:
        part.n_done = n_done
        pace.record(part, now)
    return pace


def bar(part, pace, now, width):
    return "".join(text for text, _ in bar_line(part, pace, now, width))


def test_a_line_when_a_part_starts_and_one_when_it_is_done(capsys):
    watched()
    first, last = capsys.readouterr().err.splitlines()
    assert first == "small/bm25: 0/4 queries, preparing 0:00"
    assert re.fullmatch(r"small/bm25: 4/4 queries, 2 failed, 2 cached, .*/s, took 0:0\d", last)
    watched(quiet=True)
    assert capsys.readouterr() == ("", "")
    for name in ("\x1b[31m", "a\nb"):
        with progress_watcher(quiet=False) as watch:
            Progress(name, 1, watch=watch).add(SOME)
        err = capsys.readouterr().err
        assert ("\x1b" in err, err.count("\n")) == (False, 1)


def test_a_long_pause_is_told_of_at_once_and_once(capsys):
    with progress_watcher(quiet=False) as watch:
        part = Progress("small/bm25", 9, watch=watch)
        watch(part)
        part.note_wait(2.0, "HTTP 429")
        for _ in range(3):
            part.note_wait(120.0, "HTTP 429")
    _, said = capsys.readouterr().err.splitlines()
    assert said == "small/bm25: 0/9 queries, waiting 120 s, as the service requested (HTTP 429)"


def test_lines():
    known = part_of(done=212, cached=212)
    known.n_known = 212
    waiting = part_of()
    waiting.wait = Wait(300.0, "HTTP 429", 400.0)
    on_the_way, done = part_of(done=250, failed=7, cached=50), part_of(done=500, cached=100)
    everything = part_of(n=48, done=48, cached=48)
    rested = "waiting 300 s, as the service requested (HTTP 429)"
    took = "500/500 queries, 0 failed, 100 cached, 0.1/s, took 1:05:00"
    cases = [
        (part_of(), Pace(), 103.0, "0/500 queries, preparing 0:03"),
        (on_the_way, seen(on_the_way, (110.0, 250)), 110.0, "250/500 queries, 7 failed, 50 cached, 20/s, 0:13 left"),
        (done, seen(done, (100.0, 100), (4000.0, 500)), 9999.0, took),
        (everything, seen(everything, (100.0, 48)), 100.0, "48/48 queries, 0 failed, 48 cached, took 0:00"),
        (known, Pace(), 101.0, "212/500 queries, 212 done before, preparing 0:01"),
        (waiting, seen(waiting, (120.0, 20)), 120.0, f"20/500 queries, 0 failed, 0 cached, 1.0/s, {rested}"),
    ]
    for part, pace, now, said in cases:
        assert plain_line(part, pace, now) == f"small/bm25: {said}"
    assert "waiting" not in plain_line(waiting, Pace(), 400.0)
    part = part_of()
    pace = seen(part, (100.0, 0), (160.0, 10), (164.0, 50))
    assert (pace.rate(part, 164.0), pace.seconds_left(part, 164.0)) == (10.0, 45.0), "preparing does not slow it down"


def indexing(n_done, n_all=500_000, work="indexing", began=110.0):
    """A part that indexes documents."""
    part = part_of(n=48)
    part.documents = DocumentCount(n_done, n_all, work, began)
    return part


def test_documents_are_counted_before_the_first_response(capsys):
    cases = [
        (indexing(12_000), 120.0, "indexing 12,000 of 500,000 documents, 6:47 left"),
        (indexing(12_000, work="reading"), 120.0, "reading 12,000 of 500,000 documents, 6:47 left"),
        (indexing(500_000), 120.0, "500,000 documents read, preparing 0:20"),
        (indexing(12_000), 110.5, "preparing 0:11"),
        (indexing(0), 120.0, "preparing 0:20"),
        (indexing(0, n_all=0), 120.0, "preparing 0:20"),
    ]
    for part, now, said in cases:
        assert plain_line(part, Pace(), now) == f"small/bm25: 0/48 queries, {said}"
    assert bar(indexing(12_000), Pace(), 120.0, 100).endswith(" 0/48 · indexing 12,000/500,000 documents · 6:47 left")
    for width in (40, 60, 80):
        text = bar(indexing(123_456), Pace(), 1000.0, width)
        assert (display_width(text) < width, text.endswith("left")) == (True, True)
    answered = indexing(12_000)
    assert "indexing" not in plain_line(answered, seen(answered, (120.0, 4)), 120.0)
    with progress_watcher(quiet=False) as watch:
        part = Progress("small/bm25", 9, watch=watch)
        watch(part)
        for n in range(1000):
            part.count_documents(n, 1000, "indexing")
    assert capsys.readouterr().err == "small/bm25: 0/9 queries, preparing 0:00\n", "a count alone writes nothing"


def test_reading_benchmarks_is_shown_if_it_takes_time():
    assert [reading_line(seconds) for seconds in (0.2, 4.0, 75.0)] == [
        "",
        "reading the benchmarks 0:04",
        "reading the benchmarks 1:15",
    ]


def test_a_lower_count_or_other_work_begins_another_pass():
    part = part_of()
    began = []
    for count in ((0, 9, "reading"), (5, 9, "reading"), (5, 9, "indexing"), (9, 9, "indexing"), (0, 9, "indexing")):
        part.count_documents(*count)
        began.append(part.documents.began)
    first, second, third, fourth, fifth = began
    assert (first == second, third == fourth, second < third, fourth < fifth) == (True, True, True, True)


def test_a_bar_fits():
    for name in ("small/bm25", LONG, "東京タワー/" * 9, "\x1b[31mred\n"):
        for width in (40, 80, 200):
            for done in (0, 1, 123_456, 1_000_000):
                part = part_of(name, n=1_000_000, cached=done // 2)
                text = bar(part, seen(part, (100.0, 0), (160.0, done)), 1000.0, width)
                assert (f"{done:,}/1,000,000" in text, display_width(text) < width, "\x1b" in text) == (True, True, False)
    part = part_of(done=250, failed=7)
    pace = seen(part, (110.0, 250))
    name, line, rest = bar(part, pace, 110.0, 120).split(" ", 2)
    assert (name, len(line), rest) == ("small/bm25", 40, "250/500 · 7 failed · 0 cached · 25/s · 0:10 left")
    assert dict(bar_line(part, pace, 110.0, 120))["7 failed"] == "red"
    part = part_of(LONG, done=250, failed=7)
    text = bar(part, seen(part, (110.0, 250)), 110.0, 60)
    assert (text[:5], "…" in text, "ted) " in text) == ("a-ben", True, True)
    assert text.endswith(" 250/500 · 7 failed · 25/s · 0:10 left")


def test_a_line_now_and_then_even_while_nothing_is_answered(capsys, monkeypatch):
    is_told = threading.Event()
    make_line = progress.plain_line

    def noticed(part, *rest):
        if part.n_done:
            is_told.set()
        return make_line(part, *rest)

    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.001)
    monkeypatch.setattr(progress, "plain_line", noticed)
    with progress_watcher(quiet=False) as watch:
        Progress("small/bm25", 9, watch=watch).add(SOME)
        assert is_told.wait(20)
    assert capsys.readouterr().err.startswith("small/bm25: 2/9 queries, 1 failed, 0 cached, ")
