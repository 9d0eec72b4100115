"""Places: where in the sources a mutant goes, the text with it, and the lines that it changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from tools.mutants.table import Mutant, MutantError

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Place:
    """A mutant in a file."""

    file: Path
    """Relative to the folder of the sources, `src`."""
    original: str
    mutated: str
    lines: frozenset[int]
    """Lines of the original that belong to changed statements."""
    names: frozenset[str]
    """What the changed statement defines, where it runs when the module is imported; else nothing."""


def find_place(mutant: Mutant, sources: Path) -> Place:
    """The place of a mutant below `src`. Where its file is gone, the one file that has its function and text is taken."""
    package = package_folder(sources)
    file = package / mutant.file
    if file.is_file():
        return _place(mutant, file, sources)
    found = []
    for other in sorted(package.rglob("*.py")):
        text = other.read_text(encoding="utf-8")
        if mutant.before in text and mutant.function and _starts(mutant, text):
            found.append(other)
    if len(found) != 1:
        where = ", ".join(str(other.relative_to(package)) for other in found) or "no other file"
        raise MutantError(
            f"{mutant.name}: {mutant.file} does not exist any more, and {where} has {mutant.function} with that text"
        )
    return _place(mutant, found[0], sources)


def package_folder(sources: Path) -> Path:
    """The one package below `src`."""
    packages = [marker.parent for marker in sorted(sources.glob("*/__init__.py"))]
    if len(packages) != 1:
        raise MutantError(f"{sources} has {len(packages)} packages; expected one")
    return packages[0]


def _place(mutant: Mutant, file: Path, sources: Path) -> Place:
    original = file.read_text(encoding="utf-8")
    starts = _starts(mutant, original)
    where = f"{mutant.name}: {mutant.file}, {mutant.function or 'the module'}"
    if not starts:
        raise MutantError(f"{where}: the text was not found: {mutant.before!r}")
    if len(starts) > 1:
        raise MutantError(f"{where}: the text occurs {len(starts)} times: {mutant.before!r}")
    mutated = original[: starts[0]] + mutant.after + original[starts[0] + len(mutant.before) :]
    tree = ast.parse(original)
    try:
        is_same = ast.dump(ast.parse(mutated)) == ast.dump(tree)
    except SyntaxError as error:
        raise MutantError(f"{where}: the mutant is not valid Python: {error}") from None
    if is_same:
        raise MutantError(f"{where}: the mutant is the same as the original")
    chains = [_statements_at(tree, line) for line in _changed_lines(original, mutated)]
    lines = frozenset(line for chain in chains for line in _own_lines(chain[-1]))
    names = frozenset(name for chain in chains if _runs_at_import(chain) for name in _defined_names(chain))
    return Place(file.relative_to(sources), original, mutated, lines, names)


def _starts(mutant: Mutant, text: str) -> list[int]:
    """Where the text begins within the function, or functions of that name; a text within two nested ones counts once."""
    ends = [0]
    for line in text.splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    spans = [(0, len(text))]
    if mutant.function:
        spans = [
            (ends[_first_line(node) - 1], ends[node.end_lineno or node.lineno])
            for name, node in _definitions(ast.parse(text))
            if name == mutant.function or name.endswith(f".{mutant.function}")
        ]
    found = set()
    for start, end in spans:
        at = text.find(mutant.before, start, end)
        while at >= 0 and mutant.before:
            found.add(at)
            at = text.find(mutant.before, at + 1, end)
    return sorted(found)


def _definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Full name and node of every function and class; those within functions too."""
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, Definition):
            name = f"{prefix}.{child.name}".lstrip(".")
            yield name, child
        yield from _definitions(child, name)


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, Definition) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _changed_lines(original: str, mutated: str) -> list[int]:
    """Lines of the original that are changed or gone; where lines are only added, those around them."""
    before, after = original.splitlines(), mutated.splitlines()
    changed: set[int] = set()
    for kind, start, end, _, _ in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "insert":
            changed |= {max(start, 1), min(start + 1, len(before))}
        elif kind != "equal":
            changed |= set(range(start + 1, end + 1))
    return sorted(line for line in changed if before[line - 1].strip())


def _statements_at(tree: ast.Module, line: int) -> list[ast.stmt]:
    """The statements that a line is in, from the outermost to the innermost."""
    chain: list[ast.stmt] = []
    node: ast.AST | None = tree
    while node is not None:
        node = next(
            (child for child in _inner_statements(node) if _first_line(child) <= line <= (child.end_lineno or child.lineno)),
            None,
        )
        if node is not None:
            chain.append(node)
    if not chain:
        raise MutantError(f"line {line} is not in a statement")
    return chain


def _inner_statements(node: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.excepthandler | ast.match_case):
            yield from _inner_statements(child)


def _own_lines(statement: ast.stmt) -> range:
    """The lines of a statement; of one with a body, those of its head."""
    inner = [_first_line(child) for child in _inner_statements(statement)]
    end = min(inner) if inner else (statement.end_lineno or statement.lineno) + 1
    return range(_first_line(statement), max(end, statement.lineno + 1))


def _runs_at_import(chain: list[ast.stmt]) -> bool:
    """Whether no function is around the innermost statement."""
    return not any(isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) for statement in chain[:-1])


def _defined_names(chain: list[ast.stmt]) -> Iterator[str]:
    """Names that the statements define."""
    for statement in chain:
        if isinstance(statement, Definition):
            yield statement.name
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        for target in targets:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name)) if target else ()
