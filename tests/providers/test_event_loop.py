"""EventLoop: one for all, that neither a slow, a blocking nor a leaving coroutine takes along."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from assay.providers import event_loop
from assay.providers.event_loop import EventLoop


async def running():
    await asyncio.sleep(0)
    return asyncio.get_running_loop()


def test_values_and_coroutines():
    assert EventLoop().result(3) == 3
    assert EventLoop().result(asyncio.sleep(0, "late")) == "late"


def test_all_share_one_loop():
    assert EventLoop().result(running()) is EventLoop().result(running())


def test_what_takes_too_long_is_cancelled(monkeypatch):
    monkeypatch.setattr(event_loop, "SECONDS_UNTIL_STUCK", 60.0)  # it is not stuck, however busy the machine is
    cancelled = threading.Event()

    async def slow():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    before = EventLoop().result(running())
    with pytest.raises(TimeoutError, match=r"no answer within 0.05 s"):
        EventLoop().result(slow(), 0.05)
    assert cancelled.wait(60)
    assert EventLoop().result(running(), 60) is before


def test_without_end_is_no_limit():
    assert EventLoop().result(asyncio.sleep(0.01, "done"), float("inf")) == "done"


def test_a_coroutine_that_blocks_is_left_behind(monkeypatch):
    monkeypatch.setattr(event_loop, "SECONDS_UNTIL_STUCK", 0.05)
    released = threading.Event()

    async def blocking():
        released.wait(60)

    before = EventLoop().result(running())
    with pytest.raises(TimeoutError):
        EventLoop().result(blocking(), 0.05)
    assert EventLoop().result(running(), 60) is not before
    released.set()
    before.call_soon_threadsafe(before.stop)
    while before.is_running():
        time.sleep(0.01)
    before.close()


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, ValueError, TimeoutError])
def test_errors_come_to_whoever_waits_and_the_loop_goes_on(kind):
    async def leaving():
        raise kind("bye")

    before = EventLoop().result(running())
    with pytest.raises(kind, match="bye"):
        EventLoop().result(leaving())
    assert EventLoop().result(running()) is before


def test_a_coroutine_may_wait_for_another_here():
    async def outer():
        return EventLoop().result(asyncio.sleep(0, "inner"))

    assert EventLoop().result(outer(), 60) == "inner"
