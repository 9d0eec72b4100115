"""Worker: one thread for everything, left behind with what takes too long."""

import threading
import time

import pytest

from assay.execution.client import CallThread


def test_one_thread_does_everything_and_it_is_another():
    worker = CallThread()
    threads = {worker.run(threading.get_ident) for _ in range(5)}
    worker.close()
    assert len(threads) == 1
    assert threads != {threading.get_ident()}


def test_here_means_the_calling_thread():
    assert CallThread(in_caller=True).run(threading.get_ident) == threading.get_ident()


def test_what_it_raises_is_raised():
    worker = CallThread()
    with pytest.raises(ZeroDivisionError):
        worker.run(lambda: 1 / 0)
    with pytest.raises(SystemExit):
        worker.run(exit, 3)
    assert worker.run(max, 1, 2) == 2
    worker.close()


def test_what_takes_too_long_is_left_behind_and_the_next_thing_done():
    worker, release = CallThread(), threading.Event()
    with pytest.raises(TimeoutError):
        worker.run(release.wait, seconds=0.05)
    assert worker.run(max, 1, 2, seconds=60) == 2
    worker.close()
    release.set()


def test_its_thread_ends_when_it_is_closed():
    worker = CallThread()
    thread = worker.run(threading.current_thread)
    worker.close()
    worker.close()
    thread.join(60)
    assert not thread.is_alive()


def test_any_time_is_short_enough():
    worker = CallThread()
    assert worker.run(time.monotonic, seconds=1e300)
    worker.close()
