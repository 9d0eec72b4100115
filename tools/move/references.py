"""References of one file: imports, uses of what they bring, strings and comments follow modules and names to new places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import libcst as cst
from libcst.metadata import Access, Assignment, MetadataWrapper, ParentNodeProvider, Scope, ScopeProvider

from tools.move.imports import Import, absolute, as_statements, dotted_name, is_inside_class_or_function
from tools.move.report import Report
from tools.move.repository import module_name, package_of
from tools.move.tables import Changes
from tools.move.texts import Mentions


@dataclass
class Edits(cst.CSTTransformer):
    """Nodes of a tree → what stands in their place."""

    mentions: Mentions | None
    names: dict[cst.CSTNode, str] = field(default_factory=dict)
    strings: dict[cst.CSTNode, str] = field(default_factory=dict)
    attributes: dict[cst.CSTNode, str] = field(default_factory=dict)
    lines: dict[cst.CSTNode, list[cst.BaseSmallStatement]] = field(default_factory=dict)
    """A line of imports → the imports in its place; none removes the line."""

    def __post_init__(self) -> None:
        super().__init__()

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        """A name that changes."""
        return updated_node.with_changes(value=self.names[original_node]) if original_node in self.names else updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        """A dotted name that changes as a whole."""
        if original_node in self.attributes:
            return cst.parse_expression(self.attributes[original_node])
        return updated_node

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.BaseExpression:
        """A string: one that was asked for, or mentions of modules in it."""
        if original_node in self.strings:
            return updated_node.with_changes(value=self.strings[original_node])
        return updated_node.with_changes(value=self._mentioned(updated_node.value))

    def leave_FormattedStringText(
        self, original_node: cst.FormattedStringText, updated_node: cst.FormattedStringText
    ) -> cst.BaseFormattedStringContent:
        """The fixed text in an f-string."""
        return updated_node.with_changes(value=self._mentioned(original_node.value))

    def leave_Comment(self, original_node: cst.Comment, updated_node: cst.Comment) -> cst.Comment:
        """A comment."""
        return updated_node.with_changes(value=self._mentioned(original_node.value))

    def _mentioned(self, text: str) -> str:
        return self.mentions.rewrite(text) if self.mentions else text

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        """A line of imports; where it becomes several, comments stay at the first and the last."""
        if original_node not in self.lines:
            return updated_node
        statements = self.lines[original_node]
        if not statements:
            return cst.RemoveFromParent()
        lines = [cst.SimpleStatementLine([statement]) for statement in statements]
        lines[0] = lines[0].with_changes(leading_lines=updated_node.leading_lines)
        lines[-1] = lines[-1].with_changes(trailing_whitespace=updated_node.trailing_whitespace)
        return cst.FlattenSentinel(lines)


class Tree:
    """A parsed file with its scopes, and edits that are gathered before any is made."""

    def __init__(self, text: str, path: Path, mentions: Mentions | None = None) -> None:
        self._wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.tree = self._wrapper.module
        self.path = path
        self.edits = Edits(mentions)
        self._claimed: dict[tuple[Scope, str], str] = {}

    @cached_property
    def scopes(self) -> Mapping[cst.CSTNode, Scope | None]:
        """Node → the scope it is in; worked out for files in which a name changes, for it takes long."""
        return self._wrapper.resolve(ScopeProvider)

    @cached_property
    def parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        """Node → the node around it."""
        return self._wrapper.resolve(ParentNodeProvider)

    @property
    def top(self) -> Scope:
        """The scope of the module."""
        scope = self.scopes[self.tree]
        assert scope is not None
        return scope

    def code(self) -> str:
        """The file after all edits."""
        changed = self.tree.visit(self.edits)
        return changed.code

    def imports(self) -> list[Import]:
        """Every import, wherever it stands."""
        found: list[Import] = []

        class Collector(cst.CSTVisitor):
            def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
                found.extend(Import(node, one) for one in node.body if isinstance(one, cst.Import | cst.ImportFrom))
                return False

        self.tree.visit(Collector())
        return found

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """The scope that a statement binds names in."""
        scope = self.scopes[node]
        assert scope is not None
        return scope

    def accesses(self, scope: Scope, name: str) -> list[Access]:
        """Every use of a name that a scope binds."""
        return [access for assignment in scope[name] if assignment.scope is scope for access in assignment.references]

    def bound_elsewhere(self, scope: Scope, name: str, nodes: Sequence[cst.CSTNode]) -> bool:
        """Whether the scope binds the name by other statements too."""
        found = [
            assignment for assignment in scope[name] if isinstance(assignment, Assignment) and assignment.scope is scope
        ]
        return any(assignment.node not in nodes for assignment in found)

    def is_captured(self, access: Access, scope: Scope, name: str) -> bool:
        """Whether a use would mean something else under another name, for a scope in between binds that."""
        between: Scope = access.scope
        while between is not scope:
            if name in between.assignments:
                return True
            if between is between.parent:
                break
            between = between.parent
        return False

    def can_rename(self, scope: Scope, old: str, new: str, target: str = "") -> bool:
        """Whether all uses of a name can have another; the same target may claim it twice."""
        claimed = self._claimed.get((scope, new), target)
        if claimed != target or (new in scope.assignments and (scope, new) not in self._claimed):
            return False
        return not any(self.is_captured(access, scope, new) for access in self.accesses(scope, old))

    def rename_uses(self, scope: Scope, old: str, new: str, target: str = "") -> None:
        """Have all uses of a name, in `__all__` and in `global` statements too, changed."""
        self._claimed[scope, new] = target
        for access in self.accesses(scope, old):
            self._rename_access(access.node, old, new)
        if scope is self.top:
            self._rename_listed(old, new)

    def _rename_access(self, node: cst.CSTNode, old: str, new: str) -> None:
        if isinstance(node, cst.SimpleString):
            before = self.edits.strings.get(node, node.value)
            self.edits.strings[node] = re.sub(rf"\b{re.escape(old)}\b", new, before)
            return
        while isinstance(node, cst.Attribute):
            node = node.value
        if isinstance(node, cst.Name) and node.value == old:
            self.edits.names[node] = new

    def _rename_listed(self, old: str, new: str) -> None:
        edits = self.edits

        class Lister(cst.CSTVisitor):
            def visit_Global(self, node: cst.Global) -> None:
                edits.names.update({item.name: new for item in node.names if item.name.value == old})

            def visit_Assign(self, node: cst.Assign) -> None:
                if any(isinstance(t.target, cst.Name) and t.target.value == "__all__" for t in node.targets):
                    for string in _strings(node.value):
                        if string.evaluated_value == old:
                            edits.strings[string] = f'"{new}"'

        self.tree.visit(Lister())


def _strings(node: cst.CSTNode) -> list[cst.SimpleString]:
    if isinstance(node, cst.SimpleString):
        return [node]
    return [string for child in node.children for string in _strings(child)]


def rewrite(text: str, path: Path, changes: Changes, mentions: Mentions, report: Report) -> str:
    """The file's text with all its references in their new places; definitions that are renamed are, too."""
    tree = Tree(text, path, mentions)
    _rename_definitions(tree, changes, report)
    lines: dict[cst.SimpleStatementLine, list[cst.BaseSmallStatement]] = {}
    for one in tree.imports():
        lines.setdefault(one.line, []).extend(_follow(tree, one, changes))
    tree.edits.lines.update({line: new for line, new in lines.items() if new != list(line.body)})
    if mentions.rewrite(text) != text:
        _follow_dotted(tree, mentions)
    for found in mentions.dynamic(text):
        report.add("Names composed at run time: check them", f"{path}: {found}")
    return tree.code()


def _rename_definitions(tree: Tree, changes: Changes, report: Report) -> None:
    own = module_name(tree.path)
    for (module, old), new in changes.names.items():
        if module != own or old not in tree.top.assignments:  # the scopes are looked at for this module's names alone
            continue
        nodes = [one.node for one in tree.top[old] if isinstance(one, Assignment) and one.scope is tree.top]
        nodes = [node for node in nodes if not isinstance(node, cst.Import | cst.ImportFrom)]
        if not nodes:
            continue
        if not tree.can_rename(tree.top, old, new, "definition") and (own, new) not in changes.names:
            report.add("Renames to a name that already exists: check them", f"{tree.path}: {old} → {new}")
        for node in nodes:
            tree.edits.names[node.name if isinstance(node, cst.FunctionDef | cst.ClassDef) else node] = new
        tree.rename_uses(tree.top, old, new, "definition")


def _follow(tree: Tree, one: Import, changes: Changes) -> list[cst.BaseSmallStatement]:
    """What stands in the place of one import."""
    if isinstance(one.node, cst.Import):
        return [_follow_import(tree, one.node, changes)]
    module = absolute(one.node, package_of(tree.path))
    if isinstance(one.node.names, cst.ImportStar):
        return as_statements(one.node, module, [(changes.modules.get(module, module), None)])
    own = module_name(tree.path)
    aliased = {alias.evaluated_alias or alias.evaluated_name for alias in one.node.names}
    forced = {name for name in aliased if (own, name) in changes.names}
    if forced and is_inside_class_or_function(one.line, tree.parents):
        forced = set()
    if not forced and not any(_concerns(changes, module, alias.evaluated_name) for alias in one.node.names):
        return [one.node]
    placed = [(_place(tree, one.node, module, alias, changes, forced)) for alias in one.node.names]
    return as_statements(one.node, module, placed)


def _concerns(changes: Changes, module: str, name: str) -> bool:
    return changes.touches(module, name) or _is_file(changes, module, name)


def _is_file(changes: Changes, module: str, name: str) -> bool:
    """Whether a name is a module that moves, or in which names change."""
    if (module, name) in changes.offered:
        return False
    return f"{module}.{name}" in changes.modules or f"{module}.{name}" in changes.owners()


def _place(
    tree: Tree, node: cst.ImportFrom, module: str, alias: cst.ImportAlias, changes: Changes, forced: set[str]
) -> tuple[str, tuple[str, str | None]]:
    """New module, and the name with its alias, for one name of an import."""
    name, local = alias.evaluated_name, alias.evaluated_alias
    if _is_file(changes, module, name):
        new_module, _, new_name = changes.modules.get(f"{module}.{name}", f"{module}.{name}").rpartition(".")
        _follow_attributes(tree, node, local or name, f"{module}.{name}", changes)
    else:
        new_module, new_name = changes.target(module, name)
    here = local or name
    if here not in forced and (new_name == name or local not in (None, name)):
        return new_module, (new_name, local)
    scope = tree.scope_of(node)
    target = f"{new_module}.{new_name}"
    if here in forced:
        wanted = changes.names[module_name(tree.path), here]
        tree.rename_uses(scope, here, wanted, target)
        return new_module, (new_name, None if wanted == new_name and local is None else wanted)
    if local == name and new_name != name:  # `a as a`, which says that it is handed on
        tree.rename_uses(scope, name, new_name, target)
        return new_module, (new_name, new_name)
    if tree.bound_elsewhere(scope, name, [node]) or not tree.can_rename(scope, name, new_name, target):
        return new_module, (new_name, name)
    tree.rename_uses(scope, name, new_name, target)
    return new_module, (new_name, None)


def _follow_attributes(tree: Tree, node: cst.CSTNode, local: str, module: str, changes: Changes) -> None:
    """Names of a module that is used as an object: `module.name`, and `setattr(module, "name", …)`."""
    for access in tree.accesses(tree.scope_of(node), local):
        name: cst.CSTNode = access.node
        while isinstance(name, cst.Attribute):
            name = name.value
        parent = tree.parents.get(name)
        if isinstance(parent, cst.Attribute) and (new := changes.names.get((module, parent.attr.value))):
            tree.edits.names[parent.attr] = new
        if isinstance(parent, cst.Arg) and isinstance(call := tree.parents[parent], cst.Call):
            following = call.args[call.args.index(parent) + 1 :][:1]
            for string in (arg.value for arg in following if isinstance(arg.value, cst.SimpleString)):
                if new := changes.names.get((module, str(string.evaluated_value))):
                    tree.edits.strings[string] = f'"{new}"'


def _follow_import(tree: Tree, node: cst.Import, changes: Changes) -> cst.Import:
    """`import a.b as c`; uses of `a.b` without an alias are dotted names."""
    names = []
    for alias in node.names:
        new = changes.modules.get(alias.evaluated_name)
        names.append(alias.with_changes(name=cst.parse_expression(new)) if new else alias)
        if alias.evaluated_alias:
            _follow_attributes(tree, node, alias.evaluated_alias, alias.evaluated_name, changes)
    return node if names == list(node.names) else node.with_changes(names=names)


def _follow_dotted(tree: Tree, mentions: Mentions) -> None:
    edits = tree.edits

    class Dotted(cst.CSTVisitor):
        def visit_Import(self, _: cst.Import) -> bool:
            return False

        def visit_ImportFrom(self, _: cst.ImportFrom) -> bool:
            return False

        def visit_Attribute(self, node: cst.Attribute) -> bool:
            dotted = dotted_name(node)
            if dotted.partition(".")[0] not in mentions.packages:
                return True
            new = mentions.rewrite(dotted)
            if new != dotted:
                edits.attributes[node] = new
            return new == dotted

    tree.tree.visit(Dotted())
