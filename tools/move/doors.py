"""Front doors: across packages one imports from a package itself, whose stub says in which file each name is.

A door is two lines of code and a stub, `__init__.pyi`, which type checkers and `assay.lazy.front_door` both read.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst

from tools.move.definitions import Origin, Source
from tools.move.imports import as_statements
from tools.move.moving import tidy
from tools.move.references import Tree
from tools.move.report import Report
from tools.move.repository import Repository, package_of

SIBLINGS = ""
"""In place of a package: names of a file's own door, which it takes from its siblings."""
CODE = """
from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
"""


@dataclass
class Door:
    """What a package offers: name → the module and the name it has there; and the names meant for everybody."""

    package: str
    names: dict[str, Origin] = field(default_factory=dict)
    public: list[str] | None = None

    def stub(self) -> str:
        """The text of the stub."""
        lines = []
        for name, (module, original) in sorted(self.names.items(), key=lambda item: (item[1][0], item[0])):
            lines.append(f"from {module} import {original} as {name}\n")
        if self.public is not None and set(self.public) != self.names.keys():
            lines.append(f"\n__all__ = {sorted(self.public)!r}\n")
        return "".join(lines)


def open_doors(repository: Repository, report: Report) -> list[str]:
    """Make and mend the doors of all packages, and have every import across packages go through them."""
    sources = {source.module: source for source in _sources(repository)}
    doors = {package: _present(repository, package, sources) for package in _packages(sources)}
    _hand_over(doors)
    asked, wrong = _ask(doors, sources)
    _ask_doors(doors, sources)
    wrong += _hidden(doors, sources)
    if wrong:
        return wrong
    for path, modules in asked.items():
        repository.write(path, _through_doors(repository.read(path), path, modules, doors))
    written = [path for door in doors.values() for path in _write(repository, door, sources[door.package])]
    tidy(repository, [*asked, *written])
    for door in doors.values():
        report.add("Doors", f"{door.package}: {len(door.names)} names")
    return []


def _hand_over(doors: dict[str, Door]) -> None:
    """What went to another package is offered by that one's door; the library's own and those of drop-ins hand it on."""
    for door in list(doors.values()):
        for name, (module, original) in list(door.names.items()):
            package = ".".join(module.split(".")[:2])
            is_elsewhere = package != door.package and module.count(".") > 1 and package in doors
            if is_elsewhere and door.package.count(".") == 1:
                del door.names[name]
                doors[package].names.setdefault(name, (module, original))
                if door.public and name in door.public:
                    door.public.remove(name)


def _ask(doors: dict[str, Door], sources: dict[str, Source]) -> tuple[dict[Path, dict[str, str]], list[str]]:
    """Add to the doors what other packages import; file → inner module → the package to import from, and what is wrong."""
    asked: dict[Path, dict[str, str]] = {}
    wrong = []
    for source in sources.values():
        for node in ast.walk(source.tree):
            if not isinstance(node, ast.ImportFrom):
                continue
            wrong += _files_taken(source, node, sources)
            module = node.module or ""
            if module in doors and source.module.startswith(f"{module}."):
                asked.setdefault(source.path, {})[module] = SIBLINGS
            elif package := _entered(source.module, module, doors):
                asked.setdefault(source.path, {})[module] = package
                doors[package].names.update({alias.name: _home(module, alias.name, sources) for alias in node.names})
    return asked, wrong


def _ask_doors(doors: dict[str, Door], sources: dict[str, Source]) -> None:
    """What a door hands on from another package, it takes from that one's door."""
    for door in doors.values():
        for name, (module, original) in door.names.items():
            if package := _entered(door.package, module, doors):
                doors[package].names.setdefault(original, _home(module, original, sources))
                door.names[name] = package, original


def _sources(repository: Repository) -> list[Source]:
    paths = [path for path in repository.python_files() if path.suffix == ".py" and path.parts[0] == "src"]
    return [Source(path, repository.read(path)) for path in paths]


def _packages(sources: dict[str, Source]) -> list[str]:
    """Packages that are entered by a door: all whose `__init__` has no functions of its own, but for folders of entries."""
    found = []
    for module, source in sources.items():
        defines = [node for node in source.tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        if source.path.name == "__init__.py" and all(node.name in {"__getattr__", "__dir__"} for node in defines):
            top = module.count(".") <= 1 or "__all__" in source.definitions or "__getattr__" in source.definitions
            if top:
                found.append(module)
    return found


def _present(repository: Repository, package: str, sources: dict[str, Source]) -> Door:
    """The door as it is: out of its stub, or out of an `__init__` that imports what it offers."""
    door, source = Door(package), sources[package]
    stub = source.path.with_suffix(".pyi")
    if (repository.root / stub).exists():
        source = Source(stub, repository.read(stub))
    door.public = _listed(source) or None
    offered = source.origins_inside(source.tree)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*" and node.module in sources:
            offered |= {name: (node.module, name) for name in _listed(sources[node.module]) if name not in offered}
    door.names = {name: offered[name] for name in (door.public or ()) if name in offered}
    if source.path.suffix == ".pyi":
        door.names = offered
    return door


def _listed(source: Source) -> list[str]:
    """The names of a module's `__all__`, where it is written out."""
    statements = source.definitions.get("__all__", [])
    values = [one.value for one in statements if isinstance(one, ast.Assign) and isinstance(one.value, ast.List)]
    return ast.literal_eval(values[0]) if values else []


def _entered(own: str, module: str, doors: dict[str, Door]) -> str:
    """The package whose inside an import of another package reaches into; nothing where all is in order."""
    parts = module.split(".")
    package = ".".join(parts[:2])
    if package not in doors or own == package or own.startswith(f"{package}.") or module == package:
        return ""
    inner = ".".join(parts[:3])
    return inner if inner in doors and inner != module else "" if inner in doors else package


def _files_taken(source: Source, node: ast.ImportFrom, sources: dict[str, Source]) -> list[str]:
    """Files of another package that are imported as objects; a door has names alone."""
    module = node.module or ""
    if module.count(".") < 1 or source.module.split(".")[:2] == module.split(".")[:2]:
        return []
    taken = [alias.name for alias in node.names if f"{module}.{alias.name}" in sources]
    return [f"{source.path}: {module}.{name} is a file, not a name" for name in taken]


def _home(module: str, name: str, sources: dict[str, Source]) -> Origin:
    """Where a name is defined, if the module that it is taken from has it from a sibling."""
    source = sources.get(module)
    while source and name not in source.definitions and name in source.imports:
        module, name = source.imports[name]
        source = sources.get(module)
    return module, name


def _hidden(doors: dict[str, Door], sources: dict[str, Source]) -> list[str]:
    """Names that a file of the package has, too: once it is loaded, the file would be found in place of the name."""
    return [
        f"{door.package}: the name {name} is hidden by the file {sources[f'{door.package}.{name}'].path}"
        for door in doors.values()
        for name, origin in door.names.items()
        if f"{door.package}.{name}" in sources and origin != (door.package, name)
    ]


def _through_doors(text: str, path: Path, modules: dict[str, str], doors: dict[str, Door]) -> str:
    """The file with its imports from inner modules taken from the packages instead, and its own door's from siblings."""
    tree = Tree(text, path)
    for one in tree.imports():
        if isinstance(one.node, cst.ImportFrom) and not isinstance(one.node.names, cst.ImportStar):
            module = cst.Module([]).code_for_node(one.node.module) if one.node.module else ""
            if module in modules:
                names = [(alias.evaluated_name, alias.evaluated_alias) for alias in one.node.names]
                own = doors[module].names if modules[module] == SIBLINGS else {}
                placed = [
                    (own[name][0] if name in own else modules[module] or module, (name, alias)) for name, alias in names
                ]
                new = as_statements(one.node, module, placed)
                tree.edits.lines[one.line] = new
    return tree.code()


def _write(repository: Repository, door: Door, source: Source) -> list[Path]:
    """The stub, and the two lines of code, where they are not there."""
    if not door.names:
        return []
    stub = source.path.with_suffix(".pyi")
    repository.write(stub, door.stub())
    if "front_door" not in source.imports:
        docstring = ast.get_docstring(source.tree, clean=False) or f"{package_of(source.path)}."
        repository.write(source.path, f'"""{docstring}"""\n{CODE}')
    return [stub, source.path]


def private_imports(repository: Repository) -> list[str]:
    """Imports across packages that do not go through a door."""
    sources = {source.module: source for source in _sources(repository)}
    packages = {module: Door(module) for module, source in sources.items() if source.path.name == "__init__.py"}
    return [
        f"{source.path}: {node.module}"
        for source in sources.values()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and _entered(source.module, node.module or "", packages)
    ]
