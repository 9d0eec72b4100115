"""What is printed has no secret in it, in how many pieces and by whichever door it comes."""

import io
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.streams import MaskedStream, masked_output
from assay.masking import add_secret, forget_secrets

SECRET = "canary9f8e7d"


def stream():
    return MaskedStream(io.TextIOWrapper(io.BytesIO(), "utf-8"))


def shown(masked):
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
        n = masked.buffer.write(piece.encode()) if is_bytes else masked.write(piece)
        assert n == len(piece)
    assert shown(masked) == "before … after\n…"


def test_without_secrets_nothing_is_held_back():
    masked = stream()
    masked.write("some")
    masked.buffer.write(b" more")
    masked._stream.flush()
    assert masked._stream.buffer.getvalue() == b" moresome"  # as without masking: bytes overtake text that is not flushed


def test_lines_are_written_as_they_end_and_a_flush_writes_the_rest():
    add_secret(SECRET, "the header")
    masked = stream()
    masked.write("one\ntwo")
    masked._stream.flush()
    assert masked._stream.buffer.getvalue() == b"one\n"
    assert shown(masked) == "one\ntwo"
    masked.writelines(["\r50 %", "\n"])
    assert shown(masked) == "one\ntwo\r50 %\n"


def test_what_is_held_back_is_written_in_the_end(capsys):
    add_secret(SECRET, "the header")
    with masked_output():
        sys.stdout.write("an answer without an end")
    assert capsys.readouterr().out == "an answer without an end"


def test_a_stream_without_bytes_has_none():
    masked = MaskedStream(io.StringIO())
    assert not hasattr(masked, "buffer")
    with pytest.raises(AttributeError):
        masked.buffer.write(b"x")
