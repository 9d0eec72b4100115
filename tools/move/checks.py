"""Checks after a move: nothing refers to what is gone, every module can be imported, ruff and mypy agree."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.move.definitions import Source
from tools.move.moving import find_program
from tools.move.repository import Repository
from tools.move.tables import Row, module_changes
from tools.move.texts import Mentions


def dangling(repository: Repository, rows: list[Row]) -> list[str]:
    """Imports of what is not there, and mentions of modules and files that have moved."""
    sources = {path: Source(path, repository.read(path)) for path in repository.python_files()}
    known = {source.module: _names(source, sources) for path, source in sources.items() if path.suffix == ".py"}
    found = [f"{path}: {wrong}" for path, source in sources.items() for wrong in _wrong_imports(source, known, repository)]
    return found + [f"{path}: {wrong}" for path, wrong in _old_mentions(repository, rows, set(known))]


def _names(source: Source, sources: dict[Path, Source]) -> set[str]:
    """What can be imported from a module; a front door has the names of its stub."""
    names = {*source.definitions, *source.imports, "__doc__", "__name__", "__file__", "__path__", "__all__"}
    if stub := sources.get(source.path.with_suffix(".pyi")):
        return names | stub.imports.keys()
    return names | {"*"} if "__getattr__" in names else names


def _wrong_imports(source: Source, known: dict[str, set[str]], repository: Repository) -> Iterator[str]:
    objects: dict[str, str] = {}
    for node in _expected_to_work(source.tree):
        if isinstance(node, ast.Import):
            yield from (f"no module {alias.name}" for alias in node.names if _is_gone(alias.name, known, repository))
        elif isinstance(node, ast.ImportFrom):
            for local, (module, name) in source.origins_inside(node).items():
                if f"{module}.{name}" in known and name not in known.get(module, set()):
                    objects[local] = f"{module}.{name}"
                elif module.partition(".")[0] in repository.packages:
                    yield from _wrong_name(module, name, known)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in objects:
            module = objects[node.value.id]
            if f"{module}.{node.attr}" not in known:
                yield from _wrong_name(module, node.attr, known)


def _wrong_name(module: str, name: str, known: dict[str, set[str]]) -> list[str]:
    if module not in known:
        return [f"no module {module}"]
    return [] if name == "*" or known[module] & {name, "*"} else [f"no {name} in {module}"]


def _expected_to_work(node: ast.AST) -> Iterator[ast.AST]:
    """Every node, but for what a test expects to fail."""
    if isinstance(node, ast.With) and "raises(" in ast.unparse(node.items[0]):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _expected_to_work(child)


def _is_gone(module: str, known: dict[str, set[str]], repository: Repository) -> bool:
    return module.partition(".")[0] in repository.packages and module not in known


def _old_mentions(repository: Repository, rows: list[Row], known: set[str]) -> Iterator[tuple[Path, str]]:
    """Old names of modules that are gone, anywhere in a text."""
    done = [row for row in rows if not (repository.root / row.old).exists()]
    changes = module_changes(done)
    changes.modules = {old: new for old, new in changes.modules.items() if old not in known}
    files = {row.old: row.new for row in done if row.old != row.new}
    mentions = Mentions(changes, repository.packages, files)
    for path in [*repository.python_files(), *repository.text_files()]:
        for number, line in enumerate(repository.read(path).splitlines(), 1):
            if mentions.rewrite(line) != line:
                yield path, f"line {number} mentions a moved name: {line.strip()[:100]}"


def import_all(repository: Repository, python: str = sys.executable) -> str:
    """Import every module under src/ in a fresh interpreter; what went wrong, or nothing."""
    names = [name for name, path in repository.modules().items() if path.parts[0] == "src" and not name.endswith("__main__")]
    code = (
        "import importlib, sys\n"
        "for name in sys.stdin.read().split():\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except Exception as error:\n"
        "        print(f'{name}: {error!r}')\n"
    )
    done = subprocess.run(
        [python, "-c", code],
        input=" ".join(names),
        cwd=repository.root,
        env={"PYTHONPATH": "src", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def lint(repository: Repository) -> str:
    """What ruff and mypy have to say; nothing if all is well."""
    said = []
    for words in (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy", "--no-error-summary"]):
        done = subprocess.run(
            [find_program(words[0], repository), *words[1:]],
            cwd=repository.root,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            said.append(done.stdout + done.stderr)
    return "".join(said)
