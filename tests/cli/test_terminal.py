"""What commands show in a terminal: lines that fit it, colour that can be declined, errors broken between words."""

import re
import shutil
from pathlib import Path

import pytest

from assay.store import Store
from assay.text import display_width

from ._nights import night, save_nights
from ._stored import result_of

EXAMPLES = Path(__file__).parents[2] / "examples"
STYLE = re.compile(r"\x1b\[[0-9;]*m")
COMMANDS = """
score good.json poor.json -m official --per-query
score qrels.txt good.run poor.run -m ndcg@10 mrr --tie-band --residuals
score qrels.txt good.run poor.run
score --help
compare qrels.txt good.run poor.run -m ndcg@10 map --worst 1
why qrels.txt poor.run -m ndcg@10
why qrels.txt poor.run -m map --expected 0.25
drift good.run poor.run
metrics
metrics ndcg
chunkers recursive
chunk a.py
results
history -m mrr
scoer
"""


@pytest.fixture
def stored(files, monkeypatch):
    """Files, and a store with a long history and a long name."""
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    shutil.copy(EXAMPLES / "my_metrics.py", "a.py")
    with Store.open() as store:
        save_nights(store, [0.8] * 30 + [0.6] * 4)
        store.save([night(40, 0.5, provider="hybrid(bm25, dense, method=rrf)")])
        yield store


def lines_of(shown):
    return STYLE.sub("", shown.out + shown.err).splitlines()


def test_no_line_is_wider_and_colour_can_be_declined(screen, assay, stored, monkeypatch):
    for name in ("good", "poor"):
        assert assay("score", "qrels.txt", f"{name}.run", "-m", "official", "-o", f"{name}.json").code == 0
    colourful = 0
    for command in filter(None, COMMANDS.splitlines()):
        for columns in (60, 120):
            shown = screen(*command.split(), columns=columns)
            wide = [line for line in lines_of(shown) if display_width(line) > columns]
            assert [line for line in wide if "assay " not in line] == [], f"{command}: only commands are left whole"
            colourful += "\x1b[" in shown.out
    assert colourful > 10
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in screen("compare", "qrels.txt", "good.run", "poor.run", "-m", "map").out


def test_what_narrow_tables_keep(screen, stored):
    shown = screen("history", "-m", "mrr", columns=50).out
    assert ("↓ step" in shown, "earlier points not drawn)" in shown) == (True, True)
    name = stored.save([result_of(1, "rag-template", started="2026-11-15T09:30:00+00:00")])
    stored.bless("latest", "main")
    for columns in (60, 160):
        shown = screen("results", "--benchmark", "rag-template", columns=columns).out
        (row,) = [line for line in shown.splitlines() if name in line]
        assert ("…" in row, "0.100 – 0.900" in shown) == (False, columns == 160), columns


def test_a_hostile_text_is_shown_and_a_pipe_gets_every_character(screen, assay, files):
    content = "a\x1b[2Jb\tc é\n"
    (files / "evil.txt").write_text(content, encoding="utf-8")
    assert "\x1b[2J" not in screen("chunk", "evil.txt", "-f", "text").out
    assert content in assay("chunk", "evil.txt", "-f", "text").out


def test_errors_are_red_and_broken_between_words_and_commands_left_whole(screen, files, monkeypatch):
    assert screen("score", "qrels.txt", "no.run") == (3, "", "\x1b[1;31merror:\x1b[0m no.run: no such file\n")
    monkeypatch.setenv("NO_COLOR", "1")
    *said, command = screen("score", "-m", "ndcg@10", "map", "mrr", "qrels.txt", "good.run", columns=40).err.splitlines()
    assert (len(said) > 1, max(map(len, said)) <= 40) == (True, True)
    assert command.strip() == "assay score qrels.txt good.run -m ndcg@10 map mrr"


def test_in_a_real_terminal(terminal, files):
    code, out, _ = terminal("score", "qrels.txt", "good.run", "poor.run")
    lines = STYLE.sub("", out).splitlines()
    assert (code, "\x1b[1;32m" in out, max(map(display_width, lines)) <= 80) == (0, True, True)
    expected = "good poor ndcg@10 recall@10 precision@5 mrr hit@5 map judged@10 1.0000 0.1250"
    assert set(expected.split()) <= set(" ".join(lines).split())


@pytest.mark.slow
def test_a_terminal_that_does_not_know_its_width(terminal, files):
    for command in ("score qrels.txt good.run -m map", "metrics"):
        assert "map" in terminal(*command.split(), columns=0).out, command
