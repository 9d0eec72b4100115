"""Interrupts: being asked to end is like Ctrl-C."""

import signal
import threading

import pytest

from assay.cli._interrupts import Terminated, until_terminated


def test_being_asked_to_end_interrupts_and_only_meanwhile():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Terminated), until_terminated():
        signal.raise_signal(signal.SIGTERM)
    assert issubclass(Terminated, KeyboardInterrupt)
    assert signal.getsignal(signal.SIGTERM) is before


def test_in_another_thread_nothing_is_changed():
    found = []

    def look():
        with until_terminated():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]
