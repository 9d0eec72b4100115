"""Clashes: names that mean one thing in one file and another in a file that is joined to it."""

from __future__ import annotations

from collections.abc import Iterator

from tools.move.definitions import Origin, Source
from tools.move.report import Report
from tools.move.repository import leaf
from tools.move.tables import Changes

MERGED = {"__all__", "TYPE_CHECKING"}
"""Names that every file may have for itself, and that become one."""
Defined = dict[str, tuple[Source, str]]
"""New name → the source that defines it, and the name it has there."""
HEADING = "Names that clashed: choose better names (module, name, new name)"


def settle(sources: list[Source], changes: Changes, report: Report) -> None:
    """Add to the changes a new name for all but one of the meanings of a name. What is defined alike twice stays once."""
    modules = {source.module for source in sources}
    while clash := next(_clashes(sources, modules, changes), None):
        source, name, why = clash
        new = _other_name(name, source, {*changes.names.values(), *_all_names(sources)})
        changes.names[source.module, name] = new
        report.add(HEADING, f"{source.module}\t{name}\t{new}\t({why})")


def merged(sources: list[Source], changes: Changes) -> set[Origin]:
    """Definitions that a source before them has word for word, and that are dropped."""
    first: dict[tuple[str, str], str] = {}
    twice = set()
    for source in sources:
        for name in source.definitions:
            key = changes.target(source.module, name)[1], source.codes[name]
            if first.setdefault(key, source.module) != source.module:
                twice.add((source.module, name))
    return twice


def _clashes(sources: list[Source], modules: set[str], changes: Changes) -> Iterator[tuple[Source, str, str]]:
    """Source, name and reason of what must be called something else."""
    defined: Defined = {}
    for source in sources:
        for name in (one for one in source.definitions if one not in MERGED):
            new = changes.target(source.module, name)[1]
            if new in defined and not _alike(defined[new], (source, name), changes):
                yield source, name, f"{defined[new][0].module} defines it too"
            defined.setdefault(new, (source, name))
    yield from _imported_clashes(sources, modules, changes, defined)
    for source in sources:
        for name in sorted(source.foreign_names & defined.keys()):
            other, old = defined[name]
            if other is not source:
                yield other, old, f"{source.module} uses the builtin of that name"


def _imported_clashes(
    sources: list[Source], modules: set[str], changes: Changes, defined: Defined
) -> Iterator[tuple[Source, str, str]]:
    """Imports from outside under a name that means something else in another source."""
    imported: dict[str, tuple[Source, Origin]] = {}
    for source in sources:
        for name, (module, original) in source.imports.items():
            module, original = changes.home(module, original)
            if module in modules or f"{module}.{original}" in modules:
                continue
            new = changes.target(source.module, name)[1]
            if new in defined and name not in source.definitions:
                yield source, name, f"imported from {module}; {defined[new][0].module} defines it"
            origin = changes.target(module, original)
            other, known = imported.setdefault(new, (source, origin))
            if known != origin:
                yield source, name, f"imported from {module}; {other.module} imports it from {known[0]}"


def _alike(one: tuple[Source, str], other: tuple[Source, str], changes: Changes) -> bool:
    """Whether two definitions are the same code over the same names."""
    if one[0].codes[one[1]] != other[0].codes[other[1]]:
        return False
    used = one[0].names_in(one[1]) - {one[1]}
    return all(_meaning(one[0], name, changes) == _meaning(other[0], name, changes) for name in used)


def _meaning(source: Source, name: str, changes: Changes) -> object:
    """What a name stands for in a source, so that two can be compared."""
    if name in source.definitions:
        return changes.target(source.module, name)
    if name in source.imports:
        return changes.target(*changes.home(*source.imports[name]))
    return name


def _all_names(sources: list[Source]) -> set[str]:
    return {name for source in sources for name in (*source.definitions, *source.imports)}


def _other_name(name: str, source: Source, taken: set[str]) -> str:
    """The name with that of its module: `_plain_kept_words`, `TOKEN_THRESHOLD`, `ReplyRow`."""
    where = leaf(source.module).strip("_")
    for n in ("", *map(str, range(2, 100))):
        if name.isupper():
            start = "_" if name.startswith("_") else ""
            new = f"{start}{where.upper()}_{name.lstrip('_')}{n}"
        elif name.lstrip("_")[:1].isupper():
            new = f"{name}{''.join(part.title() for part in where.split('_'))}{n}"
        else:
            new = f"{name}_{where}{n}"
        if new not in taken:
            return new
    raise AssertionError(name)
