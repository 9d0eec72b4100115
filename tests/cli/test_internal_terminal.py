"""What a terminal is told, below the commands: errors broken between words, masked streams, plain letters, signals."""

import io
import signal
import sys
import threading
from itertools import pairwise

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.commands.eval import where_to_look
from assay.cli.exit_codes import (
    COMMAND_PREFIX,
    ERROR_PREFIX,
    OUT_OF_MEMORY_MESSAGE,
    PLAIN,
    RED,
    TERMINATION_SIGNALS,
    TerminationSignal,
    exit_code_of_interrupt,
    raise_on_termination,
    run_and_report_errors,
    write_error,
)
from assay.cli.streams import MaskedStream, masked_output
from assay.cli.terminal import ASCII_REPLACEMENTS, register_ascii_replacements
from assay.masking import add_secret, forget_secrets
from assay.store import parse_location

SECRET = "canary9f8e7d"
URL = "postgresql://me:secret@db.example/assay"


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


class OutOfMemoryException(Exception):
    """An error of somebody else's that only has the name of DuckDB's."""


@pytest.fixture
def shown(monkeypatch):
    """What a terminal of 30 columns shows of an error."""
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def call(message):
        stream = Screen()
        with monkeypatch.context() as patch:
            patch.setattr("sys.stderr", stream)
            write_error(message)
        return stream.getvalue()

    return call


def test_errors_are_broken_between_words_and_commands_left_whole(shown, monkeypatch, capsys):
    assert shown("there is no such thing as an endless line\n  and here the second one goes on and on") == (
        f"{RED}{ERROR_PREFIX}{PLAIN} there is no such thing\nas an endless line\n"
        "  and here the second one goes\n  on and on\n"
    )
    command = f"{COMMAND_PREFIX}score qrels.txt bm25.run dense.run -m ndcg@10"
    assert shown(f"a run is missing\n{command}").splitlines()[-1] == command
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown("no") == "error: no\n"
    monkeypatch.delenv("COLUMNS")
    assert 70 < max(map(len, shown("word " * 40).splitlines())) <= 80
    write_error("x " * 100 + "\x1b[31m")
    assert capsys.readouterr().err == "error: " + "x " * 100 + "\\x1b[31m\n"


def test_what_libraries_say_without_memory_is_no_bug_and_words_alone_are_one(capsys):
    def ending(error):
        def fail():
            raise error

        return run_and_report_errors(fail), capsys.readouterr().err

    memory = f"error: {OUT_OF_MEMORY_MESSAGE}\n"
    array = np._core._exceptions._ArrayMemoryError((1 << 60,), np.dtype(float))
    library = ImportError("libopenblas.so: failed to map segment from shared object")
    database = duckdb.OutOfMemoryException("could not allocate block")
    for error in (MemoryError(), RuntimeError("can't start new thread"), library, array, database):
        assert ending(error) == (3, memory), error
    for error in (OutOfMemoryException("no"), ValueError("can't start new thread"), KeyError("failed to map segment")):
        code, said = ending(error)
        assert (code, "this is a bug" in said) == (70, True), error
    assert ending(BrokenPipeError(32, "Broken pipe", "pipe.json")) == (0, "")
    assert ending(BrokenPipeError(32, "Broken pipe")) == (3, "error: reading or writing failed: Broken pipe\n")


def stream():
    return MaskedStream(io.TextIOWrapper(io.BytesIO(), "utf-8"))


def written(masked):
    masked.flush()
    return masked._stream.buffer.getvalue().decode()


@given(st.lists(st.integers(0, 40)), st.booleans())
def test_a_secret_in_pieces_is_masked(cuts, is_bytes):
    forget_secrets()
    add_secret(SECRET, "the header")
    text, masked = f"before {SECRET} after\n{SECRET}", stream()
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    for start, end in pairwise(places):
        piece = text[start:end]
        assert (masked.buffer.write(piece.encode()) if is_bytes else masked.write(piece)) == len(piece)
    assert written(masked) == "before … after\n…"


def test_lines_are_written_as_they_end_and_the_rest_in_the_end(capsys):
    plain = stream()
    plain.write("some")
    plain.buffer.write(b" more")
    plain._stream.flush()
    assert plain._stream.buffer.getvalue() == b" moresome", "without secrets nothing is held back"
    add_secret(SECRET, "the header")
    masked = stream()
    masked.write("one\ntwo")
    masked._stream.flush()
    assert masked._stream.buffer.getvalue() == b"one\n"
    masked.writelines(["\r50 %", "\n"])
    assert written(masked) == "one\ntwo\r50 %\n"
    with masked_output():
        sys.stdout.write("an answer without an end")
    assert capsys.readouterr().out == "an answer without an end"
    assert not hasattr(MaskedStream(io.StringIO()), "buffer")


def test_a_password_is_not_repeated():
    assert where_to_look(parse_location(URL), URL) == "Look: assay show latest · Report: assay report latest -o report.html"


def test_signs_have_a_stand_in_and_other_letters_are_written_out():
    text = "Δ −0.1 → 2 … é 🦊 \ud800"
    assert text.encode("ascii", register_ascii_replacements()) == rb"d -0.1 -> 2 ... \xe9 \U0001f98a \ud800"
    assert "naïve".encode("latin-1", register_ascii_replacements()) == b"na\xefve", "what can be written is left alone"
    assert all(plain.isascii() and not sign.isascii() for sign, plain in ASCII_REPLACEMENTS.items())
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", register_ascii_replacements())


def test_being_asked_to_end_interrupts_and_only_meanwhile():
    for number in TERMINATION_SIGNALS:
        before = signal.getsignal(number)
        with pytest.raises(TerminationSignal) as raised, raise_on_termination():
            signal.raise_signal(number)
        assert (exit_code_of_interrupt(raised.value), signal.getsignal(number)) == (128 + number, before)
    assert issubclass(TerminationSignal, KeyboardInterrupt)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with raise_on_termination():
            signal.raise_signal(signal.SIGHUP)  # what is ignored stays so
    finally:
        signal.signal(signal.SIGHUP, before)


def test_in_another_thread_no_handler_is_changed():
    found = []

    def look():
        with raise_on_termination():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]
