"""Joining: several modules become one file, with one docstring, one block of imports, and no imports of itself."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst
from libcst.metadata import Access, Scope

from tools.move.definitions import Origin, Source
from tools.move.imports import Import, absolute, make_import
from tools.move.references import Tree
from tools.move.report import Report
from tools.move.repository import module_name, package_of

COMMENTS = "Comments at imports that were removed"


@dataclass
class Parts:
    """The top of one file, taken apart."""

    docstring: str = ""
    is_deferred: bool = False
    imports: list[cst.SimpleStatementLine] = field(default_factory=list)
    for_types: list[cst.SimpleStatementLine] = field(default_factory=list)
    public: list[str] = field(default_factory=list)
    has_public: bool = False
    body: list[cst.BaseStatement] = field(default_factory=list)
    footer: list[cst.EmptyLine] = field(default_factory=list)


def joined(texts: Sequence[tuple[Source, str]], main: Source, dropped: set[Origin], report: Report) -> str:
    """One file of several: each source as it was, in the order given, and its text with references in their new places."""
    parts = []
    for source, text in texts:
        twice = {name for module, name in dropped if module == source.module}
        part = take_apart(text, twice)
        parts.append(part)
        if source is not main and part.docstring:
            report.add("Docstrings of joined files: check that nothing is lost", f"{source.path}: {part.docstring}")
        if source is main:
            docstring = part.docstring
    return put_together(parts, docstring)


def take_apart(text: str, dropped: set[str]) -> Parts:
    """The parts of a file; definitions that are dropped are left out."""
    tree = cst.parse_module(text)
    parts = Parts(docstring=ast.get_docstring(ast.parse(text), clean=False) or "", footer=list(tree.footer))
    for statement in tree.body[1 if parts.docstring else 0 :]:
        _sort(statement, parts, dropped)
    return parts


def _sort(statement: cst.BaseStatement | cst.SimpleStatementLine, parts: Parts, dropped: set[str]) -> None:
    if isinstance(statement, cst.SimpleStatementLine):
        first = statement.body[0]
        if isinstance(first, cst.ImportFrom) and first.module and first.module.value == "__future__":
            parts.is_deferred = True
            return
        if isinstance(first, cst.Import | cst.ImportFrom):
            parts.imports.append(statement)
            return
        name = _assigned(first)
        if name == "__all__":
            parts.has_public = True
            parts.public += ast.literal_eval(cst.Module([]).code_for_node(first.value))  # type: ignore[union-attr]
            return
        if name == "TYPE_CHECKING":
            return
        if name in dropped or _is_note_of_dropped(statement, parts):
            parts.body.append(DROPPED)
            return
    elif isinstance(statement, cst.If) and _is_for_types(statement):
        rest = [one for one in statement.body.body if not _is_import(one)]
        parts.for_types += [
            one for one in statement.body.body if isinstance(one, cst.SimpleStatementLine) and _is_import(one)
        ]
        if rest:
            parts.body.append(statement.with_changes(body=cst.IndentedBlock(rest)))
        return
    elif isinstance(statement, cst.FunctionDef | cst.ClassDef) and statement.name.value in dropped:
        parts.body.append(DROPPED)
        return
    parts.body.append(statement)


DROPPED = cst.SimpleStatementLine([cst.Pass()])
"""Stands where a definition was that another file has, too."""


def _is_note_of_dropped(statement: cst.SimpleStatementLine, parts: Parts) -> bool:
    """Whether it is the string under a constant that was dropped."""
    is_string = isinstance(statement.body[0], cst.Expr) and isinstance(statement.body[0].value, cst.SimpleString)
    return bool(is_string and parts.body and parts.body[-1] is DROPPED)


def _assigned(statement: cst.BaseSmallStatement) -> str:
    if isinstance(statement, cst.Assign):
        target: cst.BaseExpression = statement.targets[0].target
    elif isinstance(statement, cst.AnnAssign):
        target = statement.target
    else:
        return ""
    return target.value if isinstance(target, cst.Name) else ""


def _is_for_types(statement: cst.If) -> bool:
    return isinstance(statement.test, cst.Name) and statement.test.value == "TYPE_CHECKING" and statement.orelse is None


def _is_import(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Import | cst.ImportFrom)


def put_together(parts: Sequence[Parts], docstring: str) -> str:
    """The text of the joined file; its imports are sorted later, by ruff."""
    module = cst.Module([])
    seen: set[tuple[str, str, str | None]] = set()
    lines = [f'"""{docstring}"""\n'] if docstring else []
    if any(part.is_deferred for part in parts):
        lines.append("from __future__ import annotations\n")
    lines += [module.code_for_node(line) for part in parts for line in _new_only(part.imports, seen)]
    for_types = [line for part in parts for line in _new_only(part.for_types, seen)]
    if for_types:
        lines.append("from typing import TYPE_CHECKING\n")
        block = cst.If(cst.Name("TYPE_CHECKING"), cst.IndentedBlock(for_types))
        lines.append(module.code_for_node(block))
    if any(part.has_public for part in parts):
        public = sorted({name for part in parts for name in part.public})
        lines.append(f"\n__all__ = {public!r}\n")
    for part in parts:
        body = [one for one in part.body if one is not DROPPED]
        lines.append("\n\n" + "".join(map(module.code_for_node, body)) + "".join(map(module.code_for_node, part.footer)))
    return "".join(lines)


def _new_only(
    lines: Sequence[cst.SimpleStatementLine], seen: set[tuple[str, str, str | None]]
) -> list[cst.SimpleStatementLine]:
    """The lines without names that have been imported; a line of nothing but these is left out."""
    kept = []
    for line in lines:
        statement = line.body[0]
        if isinstance(statement, cst.ImportFrom) and not isinstance(statement.names, cst.ImportStar):
            module = absolute(statement, "")
            keys = [(module, alias.evaluated_name, alias.evaluated_alias) for alias in statement.names]
            fresh = [key for key in keys if key not in seen]
            if fresh and len(fresh) < len(keys):
                line = line.with_changes(body=[make_import(module, [key[1:] for key in fresh])])
        else:
            keys = fresh = [(cst.Module([]).code_for_node(statement), "", None)]
            fresh = [key for key in keys if key not in seen]
        seen.update(keys)
        if fresh:
            kept.append(line)
    return kept


def without_own_imports(text: str, target: Path, at_doors: dict[Origin, str], report: Report) -> str:
    """The text without imports from the file it becomes part of, by itself or by a door; aliases give way to names."""
    own = module_name(target)
    tree = Tree(text, target)
    lines: dict[cst.SimpleStatementLine, list[cst.BaseSmallStatement]] = {}
    for one in tree.imports():
        lines.setdefault(one.line, []).extend(_without_own(tree, one, own, at_doors, report))
    for line, new in lines.items():
        if new == list(line.body):
            continue
        tree.edits.lines[line] = new
        comments = [empty.comment.value for empty in line.leading_lines if empty.comment]
        comments += [line.trailing_whitespace.comment.value] if line.trailing_whitespace.comment else []
        for comment in comments if not new else []:
            report.add(COMMENTS, f"{target}: {comment}")
    return tree.code()


def _without_own(
    tree: Tree, one: Import, own: str, at_doors: dict[Origin, str], report: Report
) -> list[cst.BaseSmallStatement]:
    node = one.node
    if isinstance(node, cst.Import):
        if any(alias.evaluated_name == own for alias in node.names):
            report.add("Files that import themselves: fix them by hand", f"{tree.path}: {own}")
        return [node]
    if isinstance(node.names, cst.ImportStar):
        return [node]
    module = absolute(node, package_of(tree.path))
    left = []
    for alias in node.names:
        name, local = alias.evaluated_name, alias.evaluated_alias or alias.evaluated_name
        defined = name if module == own else at_doors.get((module, name), "")
        if defined:
            gone = local == defined or _use_directly(tree, tree.scope_of(node), local, defined)
        else:
            gone = f"{module}.{name}" == own and _use_members(tree, tree.scope_of(node), local)
        if not gone:
            left.append((name, alias.evaluated_alias))
            if own in (module, f"{module}.{name}"):
                report.add("Files that import themselves: fix them by hand", f"{tree.path}: {own} as {local}")
    if len(left) == len(node.names):
        return [node]
    return [make_import(module, left)] if left else []


def _use_directly(tree: Tree, scope: Scope, local: str, name: str) -> bool:
    """Use a definition under its own name in place of an alias; False where something else has that name."""
    accesses = tree.accesses(scope, local)
    if any(tree.is_captured(access, tree.top, name) for access in accesses):
        return False
    tree.rename_uses(scope, local, name, "own")
    return True


def _use_members(tree: Tree, scope: Scope, local: str) -> bool:
    """Use `name` in place of `module.name`; False where the module is used otherwise."""
    found = [(access, _member(tree, access)) for access in tree.accesses(scope, local)]
    if any(member is None or tree.is_captured(access, tree.top, member.attr.value) for access, member in found):
        return False
    for _, member in found:
        if member is not None:
            tree.edits.attributes[member] = member.attr.value
    return True


def _member(tree: Tree, access: Access) -> cst.Attribute | None:
    node: cst.CSTNode = access.node
    while isinstance(node, cst.Attribute):
        node = node.value
    parent = tree.parents.get(node)
    return parent if isinstance(parent, cst.Attribute) and parent.value is node else None
