"""What users read is plain English: the phrases that docs/style.md forbids occur nowhere."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from assay.cli import main

ROOT = Path(__file__).parents[1]
STYLE = ROOT / "docs" / "style.md"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
ROW = re.compile(r"^\| `(.+)` \| (.+) \|$")


@cache
def forbidden() -> list[tuple[re.Pattern[str], re.Pattern[str], str]]:
    """A quick expression, the phrase, and what to write instead, from the last section of the style page.

    The quick one is for text in small letters. It may find too much, but fifteen times as fast: a search for what starts
    with known letters jumps from one to the next, and one that starts with the edge of a word, in any case, does not.
    """
    section = STYLE.read_text(encoding="utf-8").split("## Phrases we do not use")[1]
    rows = [match.groups() for line in section.splitlines() if (match := ROW.match(line))]
    phrases = [(phrase.replace(r"\|", "|").replace(" ", r"\s+"), advice) for phrase, advice in rows]
    return [(re.compile(p.removeprefix(r"\b")), re.compile(p, re.IGNORECASE), advice) for p, advice in phrases]


def faults(text: str, place: str) -> Iterator[str]:
    """A line for each forbidden phrase in a text."""
    small = text.lower()
    for quick, phrase, advice in forbidden():
        for match in phrase.finditer(text) if quick.search(small) else ():
            line = text.count("\n", 0, match.start()) + 1
            yield f"{place}:{line}: {' '.join(match[0].split())!r}; write: {advice}"


def without_names(text: str) -> str:
    """Code in backticks and link targets are names, not prose."""
    return re.sub(r"`[^`\n]+`|\]\([^)\n]+\)", lambda match: "x" * len(match[0]), text)


@pytest.mark.parametrize("page", [page for page in PAGES if page != STYLE], ids=lambda page: page.name)
def test_pages_are_plain_english(page):
    text = page.read_text(encoding="utf-8")
    assert list(faults(without_names(text), page.relative_to(ROOT).as_posix())) == []


def test_output_in_snapshots_is_plain_english():
    found = []
    for file in sorted((ROOT / "tests" / "snapshots").rglob("*.txt")):
        found += faults(file.read_text(encoding="utf-8"), file.relative_to(ROOT).as_posix())
    assert found == []


def test_help_is_plain_english(capsys):
    assert main(["completion", "bash"]) == 0
    names = re.findall(r"^        (\w+)\)\n            flags=", capsys.readouterr().out, re.MULTILINE)
    assert len(names) > 30
    found = []
    for words in ([], ["help"], *(["help", name] for name in names)):
        assert main(words) == 0
        found += faults(capsys.readouterr().out, " ".join(["assay", *words]))
    assert found == []


JOINT = re.compile(r"""["']\s*[bfr]*["']|\\n|\\t""")
"""What may stand between the words of a text in its source: the ends of two literals, or an escaped line end."""


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every text in a module, its docstrings included, with its line; the values in an f-string are left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def faults_in_module(source: str, place: str) -> list[str]:
    """The faults of its texts. It is parsed only if a phrase is somewhere in it, because parsing takes the longest."""
    if not any(faults(JOINT.sub(" ", source), place)):
        return []
    return [fault for line, text in strings(ast.parse(source)) for fault in faults(text, f"{place}:{line}")]


@pytest.fixture
def no_collection():
    """Millions of nodes come and go: to look for garbage among them takes as long as to parse."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
def test_texts_in_the_source_are_plain_english():
    found = []
    for file in sorted((ROOT / "src").rglob("*.py")):
        found += faults_in_module(file.read_text(encoding="utf-8"), file.relative_to(ROOT).as_posix())
    others = (file for ending in ("*.j2", "*.js", "cases.json") for file in (ROOT / "src").rglob(ending))
    for file in sorted(others):
        found += faults(file.read_text(encoding="utf-8"), file.relative_to(ROOT).as_posix())
    assert found == []


def test_a_forbidden_phrase_is_noticed():
    assert len(forbidden()) > 20
    assert [quick.pattern for quick, *_ in forbidden() if re.search("[A-Z]", quick.pattern)] == []
    text = "The share is empty, for there\nare no per cent of nothing."
    assert [fault.split(";")[0] for fault in faults(text, "page")] == [
        "page:1: 'for there are'",
        "page:2: 'no per cent of'",
    ]
    assert list(faults("There is no rule, and this is not a number.", "page")) == []
    source = '"""Fine."""\nx = ["for there", "are", "no per cent" \'\\n\'\n  "of"]  # for there are\n'
    assert [fault.split(";")[0] for fault in faults_in_module(source, "a.py")] == ["a.py:2:1: 'no per cent of'"]
