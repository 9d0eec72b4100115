"""What a module defines, imports and needs while it is loaded; read with `ast`, nothing is run."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.move.repository import module_name, package_of

Origin = tuple[str, str]
"""Module and name; the name is empty for a module itself."""


@dataclass(frozen=True)
class Source:
    """A module as it is before anything moves."""

    path: Path
    text: str

    @property
    def module(self) -> str:
        """Its full name."""
        return module_name(self.path)

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def definitions(self) -> dict[str, list[ast.stmt]]:
        """Name → the statements at the top that bind it, but for imports."""
        found: dict[str, list[ast.stmt]] = {}
        for statement in _top(self.tree.body):
            for name in _bound(statement):
                found.setdefault(name, []).append(statement)
        return found

    @cached_property
    def imports(self) -> dict[str, Origin]:
        """Name → where it comes from, for imports at the top, those for type checkers too."""
        return dict(self._origins(_top(self.tree.body)))

    def origins_inside(self, node: ast.AST) -> dict[str, Origin]:
        """Name → where it comes from, for imports anywhere in a statement."""
        return dict(self._origins(ast.walk(node)))

    def _origins(self, nodes: Iterable[ast.AST]) -> Iterator[tuple[str, Origin]]:
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.asname or alias.name.partition(".")[0], (alias.name if alias.asname else "", "")
            elif isinstance(node, ast.ImportFrom):
                module = _absolute(node, package_of(self.path))
                for alias in node.names:
                    yield alias.asname or alias.name, (module, alias.name)

    @cached_property
    def foreign_names(self) -> set[str]:
        """Builtins that it uses: a definition of that name beside it would take their place."""
        top = symtable.symtable(self.text, str(self.path), "exec")
        bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
        used: set[str] = set()
        tables = [top]
        while tables:
            table = tables.pop()
            used |= {s.get_name() for s in table.get_symbols() if s.is_global() or (table is top and s.is_referenced())}
            tables += table.get_children()
        return (used - bound) & vars(builtins).keys()

    @cached_property
    def codes(self) -> dict[str, str]:
        """Name → the code of its definition without its layout, to be compared."""
        return {name: "\n".join(map(ast.dump, nodes)) for name, nodes in self.definitions.items()}

    def names_in(self, name: str) -> set[str]:
        """Every name that a definition uses."""
        return {node.id for one in self.definitions[name] for node in ast.walk(one) if isinstance(node, ast.Name)}

    @cached_property
    def defers_annotations(self) -> bool:
        """Whether annotations are not evaluated."""
        return self.imports.get("annotations") == ("__future__", "annotations")

    def used_when_loaded(self) -> set[str]:
        """Names that must be there when the module is loaded: of decorators, defaults, base classes and plain statements."""
        return {name for statement in self.tree.body for name in self._loaded(statement)}

    def _loaded(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from self._loaded_with_function(node)
        elif isinstance(node, ast.ClassDef):
            for part in (*node.bases, *node.keywords, *node.decorator_list):
                yield from _names(part)
            for statement in node.body:
                yield from self._loaded(statement)
        elif isinstance(node, ast.AnnAssign) and self.defers_annotations:
            if node.value:
                yield from _names(node.value)
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            yield from _names(node)

    def _loaded_with_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
        parts: list[ast.AST] = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        if not self.defers_annotations:
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            parts += [arg.annotation for arg in every if arg.annotation] + ([node.returns] if node.returns else [])
        for part in parts:
            yield from _names(part)


def _names(node: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(node) if isinstance(one, ast.Name))


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of the module's own scope, those in `if`, `try` and `with` too."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            yield from _top([*statement.body, *getattr(statement, "orelse", ()), *getattr(statement, "finalbody", ())])
            for handler in getattr(statement, "handlers", ()):
                yield from _top(handler.body)


def _bound(statement: ast.stmt) -> set[str]:
    """Names that one statement of the top binds."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With | ast.Expr):
        skipped = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        inner = {
            node.id
            for part in ast.walk(statement)
            if isinstance(part, skipped)
            for node in ast.walk(part)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        return names - inner
    return set()


def in_order(sources: list[Source]) -> list[Source]:
    """The sources in an order in which they can be loaded as one file: as given, but what is needed first goes first."""
    needs = {source.module: _needed(source, sources) for source in sources}
    rest, done = list(sources), []
    while rest:
        waiting = {source.module for source in rest}
        ready = [source for source in rest if not (needs[source.module] - {source.module}) & waiting]
        done.append(ready[0] if ready else rest[0])
        rest.remove(done[-1])
    return done


def _needed(source: Source, sources: list[Source]) -> set[str]:
    """Modules of the sources whose definitions must be there when one is loaded.

    What is used while loading may be called, so that everything in it counts too: more than is needed, never less.
    """
    by_module = {one.module: one for one in sources}
    todo = [(source, name) for name in source.used_when_loaded()]
    seen: set[Origin] = set()
    while todo:
        at, name = todo.pop()
        if (at.module, name) in seen:
            continue
        seen.add((at.module, name))
        if name in at.definitions:
            todo += [(at, used) for used in at.names_in(name)]
            local = [origin for node in at.definitions[name] for origin in at.origins_inside(node).values()]
        else:
            local = [at.imports[name]] if name in at.imports else []
        for module, original in local:
            if module in by_module:
                todo.append((by_module[module], original))
            elif whole := by_module.get(f"{module}.{original}"):
                todo += [(whole, defined) for defined in whole.definitions]
    return {module for module, name in seen if name in by_module[module].definitions}
