"""Kept: made once, by one thread; forgotten when there is no room; failures are tried again."""

from __future__ import annotations

import threading

import pytest

from assay.web.state import LruCache


def test_made_once():
    kept, made = LruCache(10), []
    for _ in range(3):
        kept.get("a", lambda: made.append(1) or "value")
    assert len(made) == 1


def test_what_was_used_longest_ago_goes_first():
    kept = LruCache(2)
    for key in ("a", "b"):
        kept.get(key, lambda key=key: key)
    kept.peek("a")
    kept.get("c", lambda: "c")
    assert [kept.peek(key) for key in "abc"] == ["a", None, "c"]


def test_room_is_by_weight_and_what_is_too_heavy_is_not_kept():
    kept = LruCache(10, len)
    kept.get("a", lambda: "x" * 6)
    kept.get("b", lambda: "x" * 6)
    assert (kept.peek("a"), kept.peek("b")) == (None, "x" * 6)
    assert kept.get("c", lambda: "x" * 11) == "x" * 11
    assert len(kept) == 1


def test_a_failure_is_not_kept():
    kept = LruCache(2)
    with pytest.raises(ZeroDivisionError):
        kept.get("a", lambda: 1 / 0)
    assert kept.get("a", lambda: 2) == 2


def test_others_wait_for_the_one_who_makes_it():
    kept, made = LruCache(2), []
    begun, go = threading.Event(), threading.Event()

    def slow():
        begun.set()
        go.wait(10)
        made.append(1)
        return "value"

    found = []
    threads = [threading.Thread(target=lambda: found.append(kept.get("a", slow))) for _ in range(8)]
    threads[0].start()
    begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    go.set()
    for thread in threads:
        thread.join(10)
    assert (found, made) == (["value"] * 8, [1])


def test_what_is_made_twice_weighs_once():
    kept = LruCache(10, len)
    kept._keep("a", "12345")
    kept._keep("a", "12345")
    kept._keep("b", "12345")
    assert (kept.peek("a"), kept.peek("b")) == ("12345", "12345")
