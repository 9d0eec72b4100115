"""Import statements as syntax trees: what they name, and new ones in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.helpers import get_absolute_module_from_package_for_import, get_full_name_for_node


@dataclass(frozen=True)
class Import:
    """One import, and the line that it stands in."""

    line: cst.SimpleStatementLine
    node: cst.Import | cst.ImportFrom


def dotted_name(node: cst.CSTNode) -> str:
    """`a.b.c` as text; nothing where it is more than names."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute) and (before := dotted_name(node.value)):
        return f"{before}.{node.attr.value}"
    return ""


def absolute(node: cst.ImportFrom, package: str) -> str:
    """The full name of the module that an import takes names from."""
    if not node.relative:
        return get_full_name_for_node(node.module) or "" if node.module else ""
    return get_absolute_module_from_package_for_import(package, node) or ""


def is_inside_class_or_function(node: cst.CSTNode, parents: Mapping[cst.CSTNode, cst.CSTNode]) -> bool:
    """Whether a statement is in a function or class, and not in the module itself."""
    found: cst.CSTNode | None = node
    while found is not None:
        if isinstance(found, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            return True
        found = parents.get(found)
    return False


def make_import(module: str, names: Sequence[tuple[str, str | None]]) -> cst.ImportFrom:
    """`from module import name as alias, …`."""
    aliases = [
        cst.ImportAlias(cst.Name(name), asname=cst.AsName(cst.Name(alias)) if alias else None) for name, alias in names
    ]
    parsed = cst.parse_expression(module)
    assert isinstance(parsed, cst.Name | cst.Attribute)
    return cst.ImportFrom(parsed, aliases)


def as_statements(
    node: cst.ImportFrom, module: str, placed: Sequence[tuple[str, tuple[str, str | None] | None]]
) -> list[cst.BaseSmallStatement]:
    """One import for each module; the old one, with its comments, where only its module's name changes."""
    modules = list(dict.fromkeys(new for new, _ in placed))
    if len(modules) == 1:
        if isinstance(node.names, cst.ImportStar):
            same = True
        else:
            before = [(alias.evaluated_name, alias.evaluated_alias) for alias in node.names]
            same = before == [name for _, name in placed]
        if same and modules[0] == module:
            return [node]
        if same:
            return [node.with_changes(module=cst.parse_expression(modules[0]), relative=())]
    return [make_import(new, [name for at, name in placed if at == new and name]) for new in modules]
