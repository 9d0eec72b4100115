"""Plain letters: a terminal that knows ASCII alone still shows tables that can be read."""

import sys

import pytest

from assay.cli.terminal import ASCII_REPLACEMENTS, register_ascii_replacements

ASCII = {"PYTHONUTF8": "0", "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}


def test_signs_have_a_stand_in_and_other_letters_are_written_out():
    text = "Δ −0.1 → 2 … é 🦊 \ud800"
    assert text.encode("ascii", register_ascii_replacements()) == rb"d -0.1 -> 2 ... \xe9 \U0001f98a \ud800"
    assert "naïve".encode("latin-1", register_ascii_replacements()) == b"na\xefve"  # what can be written is left alone
    assert all(plain.isascii() and not sign.isascii() for sign, plain in ASCII_REPLACEMENTS.items())


def test_nothing_is_read_by_that_rule():
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", register_ascii_replacements())


@pytest.mark.parametrize(
    "command",
    [
        ("score", "qrels.txt", "good.run", "poor.run", "-m", "map", "ndcg@10"),
        ("compare", "qrels.txt", "good.run", "poor.run", "-m", "map"),
        ("why", "qrels.txt", "good.run", "-m", "map"),
        ("--help",),
    ],
)
def test_every_sign_of_a_table_has_a_stand_in(process, files, command):
    outcome = process(*command, program=(sys.executable, "-m", "assay"), env=ASCII)
    assert outcome.code == 0
    assert outcome.out.isascii()
    assert "\\x" not in outcome.out
    assert "\\u" not in outcome.out
    if command[0] == "compare":
        assert " d " in outcome.out  # the header over differences


def test_letters_of_the_user_are_written_out_and_no_crash(process, files):
    (files / "qrels.txt").write_text("é 0 d1 1\n", encoding="utf-8")
    (files / "good.run").write_text("é Q0 d1 1 1 t\n", encoding="utf-8")
    program = (sys.executable, "-m", "assay")
    outcome = process("score", "qrels.txt", "good.run", "-m", "map", "-q", program=program, env=ASCII)
    assert outcome.code == 0
    assert "\\xe9" in outcome.out
