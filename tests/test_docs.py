"""What is not documented fails; and what the documentation shows is run.

In a ```python block, a comment behind or below an expression is the value it has, or the error it raises. The blocks of one
page share their names. In a ```console block, what follows `$ assay …` is all that the command prints, and `# exit 2` behind
a command is its exit code. `$ cat file` shows a file, which is made if it is not there. `…` leaves something out.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import importlib.util
import inspect
import io
import itertools
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import assay
import assay.compat.pytrec_eval
import assay.errors
import assay.metrics
from assay.cli import main
from assay.cli.commands.score import FORMATS
from assay.cli.program import build_parser
from assay.files.columns import COLUMN_NAMES
from assay.metrics.registry import GROUPS, all_metrics
from assay.model.policy import CHOICES, Policy
from assay.reports.report import all_renderers

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL_TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
ERRORS = [
    name
    for name, value in vars(assay.errors).items()
    if inspect.isclass(value) and issubclass(value, assay.errors.AssayError)
]


class Block(NamedTuple):
    """Code in a page."""

    page: str
    line: int
    language: str
    text: str


def blocks(page: Path, language: str) -> list[Block]:
    """The fenced blocks of one language."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    each = [Block(page.name, text[: match.start(2)].count("\n"), match[1], match[2]) for match in found]
    return [block for block in each if block.language == language]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with the examples in it, as the pages assume."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


# What must be documented


def mentioned(name: str, text: str = ALL_TEXT) -> bool:
    """Whether the text has the name, and not merely as a part of a longer one."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def page_text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def load_generator() -> Any:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_current(capsys):
    generator = load_generator()
    assert generator.stale_pages() == [], "run make docs"
    assert generator.main(["--check"]) == 0
    assert capsys.readouterr().out == ""


def test_a_stale_page_is_noticed(tmp_path, monkeypatch, capsys):
    generator = load_generator()
    monkeypatch.setattr(generator, "HERE", tmp_path)
    assert generator.main(["--check"]) == 1
    assert "docs/metrics.md is stale" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
    assert generator.main([]) == 0
    assert (tmp_path / "metrics.md").read_bytes() == (ROOT / "docs" / "metrics.md").read_bytes()


@pytest.mark.parametrize("name", all_metrics())
def test_every_metric_has_its_section(name):
    assert f"\n## {name}\n" in page_text("docs/metrics.md")


def every_flag() -> Iterator[tuple[str, str]]:
    """Command, and each long option that its help shows."""
    commands = next(action for action in build_parser()._actions if hasattr(action, "choices") and action.choices)
    for name, command in commands.choices.items():
        yield name, f"assay {name}"
        shown = (action for action in command._actions if action.help != argparse.SUPPRESS)
        for flag in itertools.chain.from_iterable(action.option_strings for action in shown):
            if flag.startswith("--") and flag != "--help":
                yield name, flag


@pytest.mark.parametrize(("command", "flag"), list(every_flag()))
def test_every_command_and_option_is_in_the_tour(command, flag):
    assert mentioned(flag, page_text("docs/tour.md"))


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Policy)])
def test_every_policy_field_has_a_row_with_its_default_and_its_choices(field):
    rows = re.findall(rf"^\| `{field}` \|.*$", page_text("docs/conventions.md"), re.MULTILINE)
    assert len(rows) == 1
    assert mentioned(f"`{getattr(Policy(), field)}`", rows[0])
    for choice in CHOICES.get(field, ()):
        assert mentioned(f"`{choice}`", rows[0])


@pytest.mark.parametrize("name", all_renderers())
def test_every_output_format_is_in_the_tour(name):
    assert re.search(rf"^\| `{name}` \|", page_text("docs/tour.md"), re.MULTILINE)


def test_the_command_offers_every_output_format():
    assert sorted(FORMATS) == list(all_renderers())


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_is_in_the_tour_with_its_exit_code(name):
    code = getattr(assay.errors, name).exit_code
    assert re.search(rf"^\| `{name}` \|.*\b{code}\b", page_text("docs/tour.md"), re.MULTILINE)


@pytest.mark.parametrize("name", [*assay.__all__, *assay.metrics.__all__, *assay.compat.pytrec_eval.__all__, *GROUPS])
def test_every_public_name_is_mentioned(name):
    assert mentioned(name)


def test_everything_about_a_result_is_in_the_tour():
    rows = re.findall(r"^\| `(\w+)(?:\(\w*\))?` \|", page_text("docs/tour.md"), re.MULTILINE)
    fields = {field.name for field in dataclasses.fields(assay.Result)}
    others = {name for name in vars(assay.Result) if not name.startswith("_")}
    assert fields | others <= set(rows)


@pytest.mark.parametrize("name", sorted(set(itertools.chain.from_iterable(COLUMN_NAMES.values()))))
def test_every_column_name_is_in_the_tour(name):
    assert mentioned(f"`{name}`", page_text("docs/tour.md"))


# What is shown must be true


def slug(heading: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)) if "://" not in target]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in links(page):
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", prose(file), re.MULTILINE)
            assert anchor in map(slug, headings), target


def test_every_page_is_reached_from_the_readme():
    """By a link there, or on a page that is reached."""
    reached: set[Path] = set()
    left = [ROOT / "README.md"]
    while left:
        page = left.pop()
        reached.add(page)
        targets = {(page.parent / target.partition("#")[0]).resolve() for target in links(page)}
        left += [target for target in targets if target.suffix == ".md" and target.is_file() and target not in reached]
    assert sorted(set(PAGES) - reached) == []


def test_the_readme_is_short():
    assert len(page_text("README.md").splitlines()) < 150


def run_python(block: Block, names: dict[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Run a block; for each expression with a comment behind or below it: line in the page, what is said, what it is."""
    for statement in ast.parse(block.text).body:
        said = comment(block.text.splitlines(), statement)
        place = f"{block.page}:{block.line}"
        if isinstance(statement, ast.Expr) and said:
            value = shown(compile(ast.Expression(statement.value), place, "eval"), names)
            yield block.line + statement.end_lineno, said, value
        else:
            exec(compile(ast.Module([statement], []), place, "exec"), names)


def comment(lines: list[str], statement: ast.stmt) -> str:
    """What stands behind a statement, else below it."""
    behind = lines[statement.end_lineno - 1][statement.end_col_offset :].strip()
    below = itertools.takewhile(lambda line: line.startswith("# "), lines[statement.end_lineno :])
    return " ".join(line.removeprefix("# ") for line in ([behind] if behind else below))


def shown(code: Any, names: dict[str, Any]) -> str:
    try:
        return repr(eval(code, names))
    except assay.AssayError as error:
        return f"{type(error).__name__}: {error}"


def with_blocks(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


@pytest.mark.parametrize("page", with_blocks("python"), ids=lambda page: page.name)
def test_python_blocks_run_and_give_what_they_say(page, workplace):
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page, "python"):
        for line, said, value in run_python(block, names):
            assert agrees(value, said), f"{page.name}:{line}: {value}"


def forms(what: str) -> list[str]:
    """The second column of a table of the tour: code."""
    table = re.search(rf"^\| {what} \|.*?\n\n", page_text("docs/tour.md"), re.MULTILINE | re.DOTALL)
    return re.findall(r"^\| [^|]+ \| `(.*)` \|$", table[0], re.MULTILINE)


@pytest.fixture(scope="module")
def tour_names(tmp_path_factory):
    """The names and files that the code of the tour makes."""
    folder = tmp_path_factory.mktemp("tour")
    shutil.copytree(ROOT / "examples", folder / "examples")
    names: dict[str, Any] = {"__name__": "page"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for block in blocks(ROOT / "docs" / "tour.md", "python"):
            list(run_python(block, names))
        yield names


@pytest.mark.parametrize("form", forms("a run"))
def test_every_form_of_a_run_is_read(form, tour_names):
    run = assay.Run(eval(form, tour_names))
    assert list(run) == ["q1"]
    assert run.ranked(0) == ["a", "b"]


@pytest.mark.parametrize("form", forms("judgments"))
def test_every_form_of_judgments_is_read(form, tour_names):
    assert dict(assay.Qrels(eval(form, tour_names))) == {"q1": {"a": 1.0, "b": 0.0}}


@pytest.fixture
def map_names() -> dict[str, Any]:
    """What the examples of the map of the code define."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(ROOT / "docs" / "architecture.md", "python"):
        list(run_python(block, names))
    return names


def test_the_provider_of_the_map_keeps_the_contract(map_names):
    documents = [assay.Document(doc, text) for doc, text in (("a", "cat dog"), ("b", "dog cat"), ("c", "cat"), ("d", ""))]
    retriever = map_names["SHARED_WORDS"].make(weight=2.0)
    with pytest.raises(assay.ProviderError, match="call index"):
        retriever.search([assay.Query("q", "cat")], 3)
    with pytest.raises(assay.ProviderError, match="twice"):
        retriever.index([*documents, documents[0]])
    retriever.index(documents)
    [hits, none] = retriever.search([assay.Query("q", "Cat, dog!"), assay.Query("r", "")], 2)
    assert [(hit.doc_id, hit.score) for hit in hits] == [("b", 4.0), ("a", 4.0)]
    assert none == []


def test_the_format_of_the_map_reads_and_refuses(map_names, tmp_path):
    path = tmp_path / "pets.answers"
    path.write_bytes(map_names["EXAMPLE"].encode() + b"\n\nwho swims?\td7\n")
    assert map_names["detect_answer_lines"](map_names["Probe"](path))
    dataset = map_names["ANSWER_LINES"].read(path)
    assert dataset.qrels == {"1": {"d1": 1.0, "d2": 1.0}, "3": {"d7": 1.0}}
    path.write_bytes(b"caf\xe9\td1\nno tab here\n")
    with pytest.raises(assay.DataError, match="2 faults") as caught:
        map_names["ANSWER_LINES"].read(path)
    assert [fault.rpartition(": ")[2] for fault in caught.value.faults] == [
        "not valid UTF-8",
        "there is no tab between the query and its documents",
    ]


def test_the_number_of_metrics_is_right():
    assert re.findall(r"\b(\d+) metrics\b", page_text("README.md")) == [str(len(all_metrics()))]


class Command(NamedTuple):
    """A line after `$`, and what is shown below it."""

    place: str
    line: str
    output: str


def commands(page: Path) -> Iterator[Command]:
    for block in blocks(page, "console"):
        for match in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
            place = f"{page.name}:{block.line + block.text[: match.start()].count(chr(10)) + 1}"
            yield Command(place, match[1], match[2])


def run_command(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and everything printed."""
    words = shlex.split(line, comments=True)[1:]
    with pytest.MonkeyPatch.context() as patch:
        if "<" in words:
            place = words.index("<")
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(words[place + 1]).read_bytes())))
            del words[place : place + 2]
        code = main(words)
    return code, "".join(capsys.readouterr())


DECIMAL = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?(?![\d…])")
ANY_NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
MANY_DIGITS = 12
"""From so many digits on, the last ones depend on the processor: sums are made in another order."""


def agrees(printed: str, said: str) -> bool:
    """Whether the output is what is shown: `…` alone in a line stands for any lines, elsewhere for any text in its line.

    Numbers with many digits, as `0.22399999999999998` for 0.224, need only be nearly the same.
    """
    lines = (r"(?:.*\n)*" if line == "…\n" else _pattern(line) for line in said.splitlines(keepends=True))
    found = re.fullmatch("".join(lines), printed)
    return found is not None and all(map(_is_near, DECIMAL.findall(said), found.groups()))


def _pattern(line: str) -> str:
    """A line with any number in the place of each decimal."""
    parts = DECIMAL.split(line)
    return ANY_NUMBER.join(re.escape(part) for part in parts).replace("…", ".*")


def _is_near(said: str, printed: str) -> bool:
    if max(len(said), len(printed)) <= MANY_DIGITS:
        return said == printed
    return float(printed) == pytest.approx(float(said), rel=1e-9)


@pytest.mark.parametrize("page", with_blocks("console"), ids=lambda page: page.name)
def test_commands_print_what_is_shown(page, workplace, capsys):
    for command in commands(page):
        word = command.line.split()[0]
        if word == "cat":
            file = Path(command.line.split()[1])
            if not file.exists():
                file.write_text(command.output, encoding="utf-8")
            assert agrees(file.read_text(encoding="utf-8"), command.output), command.place
        elif word == "assay":
            code, printed = run_command(command.line, capsys)
            wanted = re.search(r"# exit (\d+)$", command.line)
            assert (command.place, code, printed) == (command.place, int(wanted[1]) if wanted else 0, printed)
            assert agrees(printed, command.output), f"{command.place}\n{printed}"


def test_the_checks_themselves_notice_a_difference(workplace):
    block = Block("page", 1, "python", "x = 2\nx + 1  # 4\nassay.Policy(ties='no')\n# BadParameter:\n# no\n")
    found = [(said, value) for _, said, value in run_python(block, {"assay": assay})]
    assert found[0] == ("4", "3")
    assert found[1][0] == "BadParameter: no"
    assert found[1][1].startswith("BadParameter: ties is one of")
    assert agrees("a\nb\nc\n", "a\n…\n")
    assert agrees("a\nb\nc\n", "a\n…\nc\n")
    assert not agrees("a\nb\nc\n", "a\n…\nd\n")
    assert not agrees("a\nb\n", "a\n")
    assert agrees("0.6666666", "0.666…")
    assert not agrees("0.7", "0.666…")
    assert agrees("{'a': 0.224, 'b': 0.5}\n", "{'a': 0.22399999999999998, 'b': 0.5}\n")
    assert agrees("0.22399999999999995", "0.22399999999999998")
    assert agrees("0.49999999999999994", "0.5")
    assert not agrees("0.22399999", "0.22399999999999998")
    assert not agrees("{'a': 0.224, 'b': 0.6}\n", "{'a': 0.22399999999999998, 'b': 0.5}\n")
    assert not agrees("0.5", "0.50")
    assert not agrees("0.5", "0.6")
