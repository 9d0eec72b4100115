"""Plain letters: a terminal that knows ASCII alone still shows tables that can be read."""

import sys

ASCII = {"PYTHONUTF8": "0", "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}


def test_every_sign_has_a_stand_in_and_letters_of_the_user_are_written_out(process, files):
    (files / "qrels.txt").write_text("é 0 d1 1\n", encoding="utf-8")
    (files / "good.run").write_text("é Q0 d1 1 1 t\n", encoding="utf-8")
    words = ("score", "qrels.txt", "good.run", "-m", "map", "--per-query", "--rel", "1")
    done = process(*words, program=(sys.executable, "-m", "assay"), env=ASCII)
    assert (done.code, done.out.isascii(), "grade >= 1" in done.out, "\\xe9" in done.out) == (0, True, True, True)
