"""Errors at a terminal: broken between words, `error:` in red; plain in pipes, and commands are left whole."""

import io

import numpy as np
import pytest

from assay.cli.exit_codes import (
    COMMAND_PREFIX,
    ERROR_PREFIX,
    OUT_OF_MEMORY_MESSAGE,
    PLAIN,
    RED,
    run_and_report_errors,
    write_error,
)


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


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


def test_sentences_are_broken_between_words_and_keep_their_indent(shown):
    assert shown("there is no such thing as an endless line\n  and here the second one goes on and on") == (
        f"{RED}{ERROR_PREFIX}{PLAIN} there is no such thing\nas an endless line\n"
        "  and here the second one goes\n  on and on\n"
    )


def test_a_command_is_left_whole_so_that_it_can_be_pasted(shown):
    command = f"{COMMAND_PREFIX}score qrels.txt bm25.run dense.run -m ndcg@10"
    assert shown(f"a run is missing\n{command}").splitlines()[-1] == command


def test_colour_is_left_out_on_request(shown, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown("no") == "error: no\n"


def test_a_stream_without_a_size_is_taken_as_a_usual_terminal(shown, monkeypatch):
    monkeypatch.delenv("COLUMNS")
    lines = shown("word " * 40).removeprefix(f"{RED}{ERROR_PREFIX}{PLAIN}").splitlines()
    assert 70 < max(map(len, lines)) <= 80


def test_nothing_is_broken_or_coloured_where_nobody_watches(capsys):
    write_error("x " * 100 + "\x1b[31m")
    assert capsys.readouterr().err == "error: " + "x " * 100 + "\\x1b[31m\n"


def test_the_list_of_commands_is_not_broken_within_a_word(terminal):
    shown = terminal("scoer", columns=60, env={"NO_COLOR": "1"}).out
    assert shown.startswith("error: no command is called 'scoer'. Did you mean score")
    assert max(map(len, shown.splitlines())) <= 60
    words = shown.replace("\n", " ").replace(",", " ").replace(";", " ").split()
    assert {"conformance", "judgments", "providers"} <= set(words)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        ImportError("libopenblas.so: failed to map segment from shared object"),
        np._core._exceptions._ArrayMemoryError((1 << 60,), np.dtype(float)),
    ],
)
def test_what_libraries_say_without_memory_is_no_bug(capsys, error):
    def fail():
        raise error

    assert run_and_report_errors(fail) == 3
    assert capsys.readouterr().err == f"error: {OUT_OF_MEMORY_MESSAGE}\n"


def test_a_database_without_memory_is_no_bug(capsys):
    import duckdb

    def fail():
        raise duckdb.OutOfMemoryException("could not allocate block")

    assert run_and_report_errors(fail) == 3
    assert capsys.readouterr().err == f"error: {OUT_OF_MEMORY_MESSAGE}\n"


class OutOfMemoryException(Exception):
    """An error of somebody else's that only has the name of DuckDB's."""


@pytest.mark.parametrize(
    "error", [OutOfMemoryException("no"), ValueError("can't start new thread"), KeyError("failed to map segment")]
)
def test_words_and_names_alone_do_not_make_a_bug_a_lack_of_memory(capsys, error):
    def fail():
        raise error

    assert run_and_report_errors(fail) == 70
    assert "this is a bug" in capsys.readouterr().err


def test_a_service_that_hangs_up_is_an_error_and_a_reader_that_goes_away_is_none(capsys):
    def fail(*names):
        raise BrokenPipeError(32, "Broken pipe", *names)

    assert run_and_report_errors(lambda: fail("pipe.json")) == 0
    assert capsys.readouterr().err == ""
    assert run_and_report_errors(fail) == 3
    assert capsys.readouterr().err == "error: reading or writing failed: Broken pipe\n"
