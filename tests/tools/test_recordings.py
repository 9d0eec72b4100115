"""Recordings: what may differ is masked, and what may not is found."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from assay.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools.recordings.cases import expand, parse_line, read_groups
from tools.recordings.folder import differences, is_allowed, read_part, write_part
from tools.recordings.masks import mask


def test_what_differs_every_time_is_masked_with_its_length():
    first = "2026-11-15-rag-template-7f3a  2026-11-15 02:56  assay 0.1.0\n2026-11-15-rag-template-01ff"
    second = "2027-01-02-rag-template-a001  2027-01-02 23:01  assay 0.1.0\n2027-01-02-rag-template-7f3a"
    assert mask(first) == mask(second)
    assert mask(first).splitlines()[1] == "0000-00-00-rag-template-0002"
    text = "2026-11-15-a-0abc 2026-11-15-b-0def 2026-11-15-a-0abc"
    assert mask(text) == "0000-00-00-a-0001 0000-00-00-b-0002 0000-00-00-a-0001"
    assert len(mask(first)) == len(first)
    assert mask("/tmp/case-1/r.json", (Path("/tmp/case-1"),)) == "FOLDER/r.json"


def test_figures_and_words_are_not_masked():
    text = "ndcg@10 0.8272 [0.733, 0.919], 24 queries, grade 2, 12.5 ms, 2962 Meter, c0648f6999f711d5"
    assert mask(text) == text


def test_a_change_a_loss_and_something_new_are_found(tmp_path):
    write_part(tmp_path, "B", {"score a": "exit code 0\n\nmap 0.5\n", "score b": "exit code 2\n"})
    before = read_part(tmp_path, "B")
    assert not list(differences("B", before, before))
    now = {"score a": "exit code 0\n\nmap 0.25\n", "score c": ""}
    found = {one.name: one for one in differences("B", before, now)}
    assert {name: one.kind for name, one in found.items()} == {
        "B/score a": "changed",
        "B/score b": "missing",
        "B/score c": "new",
    }
    assert "-map 0.5" in found["B/score a"].lines
    assert "+map 0.25" in found["B/score a"].lines
    assert is_allowed(found["B/score a"], ["B/score *"])
    assert not is_allowed(found["B/score a"], ["C/*"])


def test_a_package_may_get_more_names_but_assay_itself_may_not():
    new = {one.name: is_allowed(one, []) for one in differences("A", {}, {"assay.more": "", "assay.stats.more": ""})}
    assert new == {"A/assay.more": False, "A/assay.stats.more": True}
    (lost,) = differences("A", {"assay.stats.rbo": ""}, {})
    assert not is_allowed(lost, [])


def test_a_line_is_taken_apart_as_a_shell_would():
    line = parse_line("COLUMNS=60 FORCE_COLOR= score q.txt - -m 'rouge(n=l)' < a.run")
    assert line.words == ("score", "q.txt", "-", "-m", "rouge(n=l)")
    assert (line.variables, line.stdin) == ({"COLUMNS": "60"}, "a.run")
    assert list(expand("COLUMNS={60,80} show {a,b}")) == [
        f"COLUMNS={width} show {name}" for width in (60, 80) for name in "ab"
    ]


def test_every_command_has_cases(capsys):
    assert main(["--help"]) == 0
    commands = re.findall(r"^  ([a-z]+)  ", capsys.readouterr().out, re.MULTILINE)
    groups = read_groups()
    used = {line.words[0] for group in groups for line in group.lines if line.words}
    assert len(commands) > 25
    assert set(commands) <= used
    names = [name for group in groups for name in group.names()]
    assert len(set(names)) == len(names) > 400
