"""One line of progress: it fits, and says how far, how quickly and how long still."""

import pytest

from assay.cli.progress import Pace, bar_line, plain_line
from assay.execution.progress import Progress, Wait
from assay.text import display_width

LONG = "a-benchmark-with-a-long-name/hybrid(bm25, http(url='http://127.0.0.1:8000/search'), method=weighted)"


def progress(name="small/bm25", n=500, done=0, failed=0, cached=0):
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


def test_before_the_first_answer():
    assert plain_line(progress(), Pace(), 103.0) == "small/bm25: 0/500 queries, getting ready 0:03"


def test_on_the_way():
    part = progress(done=250, failed=7, cached=50)
    pace = seen(part, (110.0, 250))
    assert plain_line(part, pace, 110.0) == "small/bm25: 250/500 queries, 7 failed, 50 cached, 20/s, 0:13 left"


def test_getting_ready_does_not_slow_the_pace_down():
    part = progress()
    pace = seen(part, (100.0, 0), (160.0, 10), (164.0, 50))
    assert pace.rate(part, 164.0) == 10.0
    assert pace.seconds_left(part, 164.0) == 45.0


def test_done():
    part = progress(done=500, cached=100)
    pace = seen(part, (100.0, 100), (4000.0, 500))
    assert plain_line(part, pace, 9999.0) == "small/bm25: 500/500 queries, 0 failed, 100 cached, 0.1/s, took 1:05:00"


def test_all_known_already():
    part = progress(n=48, done=48, cached=48)
    assert plain_line(part, seen(part, (100.0, 48)), 100.0) == "small/bm25: 48/48 queries, 0 failed, 48 cached, took 0:00"


@pytest.mark.parametrize("name", ["small/bm25", LONG, "東京タワー/" * 9])
@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("done", [0, 1, 123_456, 1_000_000])
def test_it_fits(name, width, done):
    part = progress(name, n=1_000_000, cached=done // 2)
    text = bar(part, seen(part, (100.0, 0), (160.0, done)), 1000.0, width)
    assert f"{done:,}/1,000,000" in text
    assert display_width(text) < width


def test_where_it_is_wide_everything_is_shown():
    part = progress(done=250, failed=7)
    text = bar(part, seen(part, (110.0, 250)), 110.0, 120)
    name, line, rest = text.split(" ", 2)
    assert (name, rest) == ("small/bm25", "250/500 · 7 failed · 0 cached · 25/s · 0:10 left")
    assert len(line) == 40
    styles = dict(bar_line(part, seen(part, (110.0, 250)), 110.0, 120))
    assert styles["7 failed"] == "red"


def test_where_it_is_narrow_what_is_0_goes_and_both_ends_of_the_name_stay():
    part = progress(LONG, done=250, failed=7)
    text = bar(part, seen(part, (110.0, 250)), 110.0, 60)
    assert text.endswith(" 250/500 · 7 failed · 25/s · 0:10 left")
    assert text.startswith("a-ben")
    assert "…" in text
    assert "ted) " in text


def test_names_are_printable():
    part = progress("\x1b[31mred\n", done=1)
    assert "\x1b" not in bar(part, seen(part, (101.0, 1)), 101.0, 80) + plain_line(part, Pace(), 101.0)


@pytest.mark.parametrize("name", [LONG, "a-benchmark/python:module_with_a_name:search"])
@pytest.mark.parametrize("done", [1, 250, 499])
def test_at_80_columns_a_long_name_leaves_room_for_the_bar(name, done):
    part = progress(name, done=done, failed=1)
    text = bar(part, seen(part, (110.0, done)), 110.0, 80)
    assert sum(text.count(mark) for mark in "━─") >= 8
    assert "…" in text
    assert len(text.split(" ")[0]) >= 10


def test_what_an_earlier_start_has_answered_is_known():
    part = progress(done=212, cached=212)
    part.n_known = 212
    assert plain_line(part, Pace(), 101.0) == "small/bm25: 212/500 queries, 212 known already, getting ready 0:01"
    assert bar(part, Pace(), 101.0, 120).endswith(" 212/500 · 212 known · getting ready 0:01")
    part.n_done, part.n_cached = 300, 232
    pace = seen(part, (110.0, 300))
    assert plain_line(part, pace, 110.0).startswith(
        "small/bm25: 300/500 queries, 0 failed, 212 known already, 20 cached, 6.8/s"
    )


@pytest.mark.parametrize(("done", "before"), [(0, "0/500 queries, "), (20, "20/500 queries, 0 failed, 0 cached, 1.0/s, ")])
def test_while_a_service_wants_to_be_left_alone_that_is_said(done, before):
    part = progress(done=done)
    part.wait = Wait(300.0, "HTTP 429", 400.0)
    pace = seen(part, (120.0, done))
    assert plain_line(part, pace, 120.0) == f"small/bm25: {before}waiting 300 s, as the service asks (HTTP 429)"
    assert "waiting" not in plain_line(part, pace, 400.0)
    part.wait = Wait(300.0, "", 400.0)
    assert plain_line(part, pace, 120.0).endswith("waiting 300 s, as the service asks")
