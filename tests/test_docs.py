"""What is not documented fails; and what the documentation shows is run.

In a ```python block, a comment behind or below an expression is the value it has, or the error it raises. The blocks of one
page share their names. In a ```console block, what follows `$ assay …` is all that the command prints, and `# exit 2` behind
a command is its exit code. `$ python script.py …` runs a script of the examples. `$ cat file` shows a file, which is made if
it is not there. `…` leaves something out.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import inspect
import io
import itertools
import re
import runpy
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests._pages import renewed, renewed_comment
from tests._snapshots import IS_WRITING

import assay
import assay.compat.pytrec_eval
import assay.metrics
from assay.cli import main
from assay.files import COLUMN_NAMES
from assay.metrics import GROUPS, all_metrics
from assay.reports import all_renderers

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL_TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


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
    return name in text and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def page_text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def load_generator() -> Any:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_current_and_a_stale_one_is_noticed(tmp_path, monkeypatch, capsys):
    generator = load_generator()
    assert generator.main(["--check"]) == 0, "run make docs"
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(generator, "HERE", tmp_path)
    assert generator.main(["--check"]) == 1
    assert "docs/metrics.md is stale" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def completion() -> str:
    """The script that completes commands, which knows all of them with their options and choices."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main(["completion", "bash"]) == 0
    return printed.getvalue()


def flags(completion: str) -> dict[str, list[str]]:
    """Command → its long options."""
    found = re.findall(r"^        (\w+)\)\n            flags='(.*?)'", completion, re.MULTILINE)
    return {name: [flag for flag in words.split() if flag.startswith("--")] for name, words in found}


def choices(completion: str, command: str, flag: str) -> list[str]:
    """What an option of a command takes; nothing where it takes anything."""
    [part] = re.findall(rf"^        {command}\)\n(.*?);;$\n        \w+\)|\Z", completion, re.MULTILINE | re.DOTALL)[:1]
    found = re.search(rf"(?:^ +|\|){flag}(?:\|\S+)?\) takes=\w+ words='(.*?)'", part, re.MULTILINE)
    return found[1].split() if found else []


def test_every_command_and_option_is_in_the_tour(completion):
    tour, known = page_text("docs/tour.md"), flags(completion)
    assert len(known) > 25
    assert [name for name in known if not mentioned(f"assay {name}", tour)] == []
    lacking = {(name, flag) for name, own in known.items() for flag in own if not mentioned(flag, tour)}
    assert {(name, flag) for name, flag in lacking if flag != "--help"} == set()


def test_every_policy_field_has_a_row_with_its_default_and_its_choices(completion):
    n_choices = 0
    for field in (field.name for field in dataclasses.fields(assay.Policy)):
        [row] = re.findall(rf"^\| `{field}` \|.*$", page_text("docs/conventions.md"), re.MULTILINE)
        assert mentioned(f"`{getattr(assay.Policy(), field)}`", row), field
        for choice in choices(completion, "score", f"--{field.replace('_', '-')}"):
            n_choices += 1
            assert mentioned(f"`{choice}`", row), (field, choice)
    assert n_choices > 15


def test_every_output_format_is_offered_and_in_the_tour(completion):
    assert sorted(choices(completion, "score", "--format")) == list(all_renderers())
    tour = page_text("docs/tour.md")
    assert [name for name in all_renderers() if not re.search(rf"^\| `{name}` \|", tour, re.MULTILINE)] == []


def test_every_error_is_in_the_tour_with_its_exit_code():
    tour = page_text("docs/tour.md")
    public = {name: getattr(assay, name) for name in assay.__all__}
    errors = {name: kind for name, kind in public.items() if inspect.isclass(kind) and issubclass(kind, assay.AssayError)}
    assert len(errors) > 8
    for name, kind in errors.items():
        assert re.search(rf"^\| `{name}` \|.*\b{kind.exit_code}\b", tour, re.MULTILINE), name


def test_every_public_name_is_mentioned():
    names = [*assay.__all__, *assay.metrics.__all__, *assay.compat.pytrec_eval.__all__, *GROUPS]
    assert [name for name in names if not mentioned(name)] == []
    metrics = page_text("docs/metrics.md")
    assert [name for name in all_metrics() if f"\n## {name}\n" not in metrics] == []
    columns = set(itertools.chain.from_iterable(COLUMN_NAMES.values()))
    assert [name for name in columns if not mentioned(f"`{name}`", page_text("docs/tour.md"))] == []


def test_everything_about_a_result_is_in_the_tour():
    rows = re.findall(r"^\| `(\w+)(?:\(\w*\))?` \|", page_text("docs/tour.md"), re.MULTILINE)
    fields = {field.name for field in dataclasses.fields(assay.Result)}
    others = {name for name in vars(assay.Result) if not name.startswith("_")}
    assert fields | others <= set(rows)


# What is shown must be true
@cache
def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@cache
def anchors(page: Path) -> set[str]:
    """Those of its headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)) if "://" not in target]


def test_links_lead_somewhere():
    for page in (*PAGES, ROOT / "CHANGELOG.md"):
        for target in links(page):
            name, _, anchor = target.partition("#")
            file = (page.parent / name).resolve() if name else page
            assert file.exists(), (page.name, target)
            if file.suffix == ".svg":
                assert anchor in {"", "gh-light-mode-only", "gh-dark-mode-only"}, (page.name, target)
            else:
                assert not anchor or anchor in anchors(file), (page.name, target)


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


def test_the_readme_is_short_and_counts_right():
    assert len(page_text("README.md").splitlines()) < 150
    assert re.findall(r"\b(\d+) metrics\b", page_text("README.md")) == [str(len(all_metrics()))]


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


SLOW_PAGES = {
    "python": {"chunkers.md", "hpo.md", "phentrieve.md", "report.md", "web-api.md"},
    "console": {
        *("chunkers.md", "gallery.md", "hpo.md", "phentrieve.md", "report.md"),
        *("judging.md", "tour.md", "running.md", "ci.md", "store.md", "statistics.md", "charts.md", "conformance.md"),
        *("logs.md", "learning-to-rank.md", "diversity.md", "experiments.md"),
    },
}
"""They need ontologies, grammars or many queries, or have many commands."""


def with_blocks(language: str) -> list[Any]:
    pages = [page for page in PAGES if blocks(page, language)]
    marks = {page: [pytest.mark.slow] * (page.name in SLOW_PAGES[language]) for page in pages}
    return [pytest.param(page, marks=marks[page], id=page.name) for page in pages]


def forms(what: str) -> list[str]:
    """The second column of a table of the tour: code."""
    table = re.search(rf"^\| {what} \|.*?\n\n", page_text("docs/tour.md"), re.MULTILINE | re.DOTALL)
    return re.findall(r"^\| [^|]+ \| `(.*)` \|$", table[0], re.MULTILINE)


@pytest.mark.parametrize("page", with_blocks("python"))
def test_python_blocks_run_and_give_what_they_say(page, workplace):
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page, "python"):
        for line, said, value in run_python(block, names):
            if IS_WRITING and not agrees(value, said):
                write_comment(page, value, said)
            else:
                assert agrees(value, said), f"{page.name}:{line}: {value}"
    for form in forms("a run") if page.name == "tour.md" else ():
        run = assay.Run(eval(form, names))
        assert (list(run), run.ranked(0)) == (["q1"], ["a", "b"]), form
    for form in forms("judgments") if page.name == "tour.md" else ():
        assert dict(assay.Qrels(eval(form, names))) == {"q1": {"a": 1.0, "b": 0.0}}, form


def write_comment(page: Path, value: str, said: str) -> None:
    """Put a value into a page, behind or below its expression, in place of what the page says."""
    words = r"\s+(?:# )?".join(map(re.escape, said.split()))
    text = page.read_text(encoding="utf-8")
    places = {rf"^# {words}\n": renewed_comment(value, said), rf"(?<=\S  )# {words}\n": f"# {value}\n"}
    below, behind = (len(re.findall(place, text, re.MULTILINE)) for place in places)
    assert below + behind == 1, f"{page.name}: write this by hand: {value}"
    for place, new in places.items():
        text = re.sub(place, lambda _, new=new: new, text, flags=re.MULTILINE)
    page.write_text(text, encoding="utf-8")


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


def run_script(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Everything that a script prints: `python examples/first_week.py write week`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", shlex.split(line)[1:])
        runpy.run_path(sys.argv[0], run_name="__main__")
    return "".join(capsys.readouterr())


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


@pytest.mark.parametrize("page", with_blocks("console"))
def test_commands_print_what_is_shown(page, workplace, capsys):
    for command in commands(page):
        word = command.line.split()[0]
        if word == "cat":
            file = Path(command.line.split()[1])
            if not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(command.output, encoding="utf-8")
            assert agrees(file.read_text(encoding="utf-8"), command.output), command.place
        elif word == "python":
            assert agrees(run_script(command.line, capsys), command.output), command.place
        elif word == "assay":
            code, printed = run_command(command.line, capsys)
            wanted = re.search(r"# exit (\d+)$", command.line)
            assert (command.place, code, printed) == (command.place, int(wanted[1]) if wanted else 0, printed)
            if IS_WRITING and not agrees(printed, command.output):
                write_output(page, command, printed)
            else:
                assert agrees(printed, command.output), f"{command.place}\n{printed}"


def write_output(page: Path, command: Command, printed: str) -> None:
    """Put the output of a command into a page, in place of what the page shows."""
    text = page.read_text(encoding="utf-8")
    before = f"$ {command.line}\n{command.output}"
    assert before in text, f"{command.place}: write this by hand:\n{printed}"
    page.write_text(text.replace(before, f"$ {command.line}\n{renewed(printed, command.output)}", 1), encoding="utf-8")


def test_values_are_written_again_behind_and_below_their_expressions(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\na  # 'old text'\nb\n# DataError: a long\n# message\n```\n")
    write_comment(page, "'new text'", "'old text'")
    write_comment(page, "DataError: short", "DataError: a long message")
    assert page.read_text() == "```python\na  # 'new text'\nb\n# DataError: short\n```\n"
    with pytest.raises(AssertionError, match="by hand"):
        write_comment(page, "1", "2")


def test_output_is_written_again_around_what_is_left_out():
    shown = "run 1.0 took …\nfirst line of all\n…\nlast line here\n"
    printed = "run 1.0 took 0:03\nthe first line of all\na\nb\nthe last line is here\nmore\n"
    assert renewed(printed, shown) == "run 1.0 took …\nthe first line of all\n…\nthe last line is here\nmore\n"
    assert renewed("Stored as 2026-11-18-rag-7f3a in x\n", "stored as … in x\n") == "Stored as … in x\n"
    assert renewed("one\n", "one\nvanished sentence\n") == "one\n"


def test_the_checks_themselves_notice_a_difference(workplace):
    block = Block("page", 1, "python", "x = 2\nx + 1  # 4\nassay.Policy(ties='no')\n# BadParameter:\n# no\n")
    found = [(said, value) for _, said, value in run_python(block, {"assay": assay})]
    assert found[0] == ("4", "3")
    assert found[1][0] == "BadParameter: no"
    assert found[1][1].startswith("BadParameter: ties must be one of")
    alike = [("a\nb\nc\n", "a\n…\n"), ("a\nb\nc\n", "a\n…\nc\n"), ("0.6666666", "0.666…")]
    alike += [("{'a': 0.224}\n", "{'a': 0.22399999999999998}\n"), ("0.49999999999999994", "0.5")]
    assert [pair for pair in alike if not agrees(*pair)] == []
    unlike = [("a\nb\nc\n", "a\n…\nd\n"), ("a\nb\n", "a\n"), ("0.7", "0.666…"), ("0.22399999", "0.22399999999999998")]
    unlike += [("{'a': 0.224, 'b': 0.6}\n", "{'a': 0.22399999999999998, 'b': 0.5}\n"), ("0.5", "0.50"), ("0.5", "0.6")]
    assert [pair for pair in unlike if agrees(*pair)] == []
