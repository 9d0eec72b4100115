"""What a terminal is told, below the commands: masked streams, and what libraries say without memory."""

import io
import sys
from itertools import pairwise

import duckdb
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.exit_codes import OUT_OF_MEMORY_MESSAGE, run_and_report_errors
from assay.cli.streams import MaskedStream, masked_output
from assay.masking import add_secret, forget_secrets

SECRET = "canary9f8e7d"


class OutOfMemoryException(Exception):
    """An error of somebody else's that only has the name of DuckDB's."""


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
