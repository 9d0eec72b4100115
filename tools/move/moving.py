"""Moving: the rows of a table are carried out, and every reference follows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tools.move.clashes import merged, settle
from tools.move.definitions import Origin, Source, in_order
from tools.move.joining import joined, without_own_imports
from tools.move.references import rewrite
from tools.move.report import Report
from tools.move.repository import Repository, leaf, module_name
from tools.move.tables import Changes, Row, TableError, groups, module_changes
from tools.move.texts import Mentions

TOOL = Path(__file__).parents[2]
PLACE = re.compile(r"\b(__file__|__package__|PackageLoader|__name__)\b")


def move(
    repository: Repository, rows: list[Row], renames: dict[tuple[str, str], str], report: Report, *, dry: bool = False
) -> None:
    """Move, join and rename: files first in memory, then on disk; nothing is written if a row cannot be followed.

    A dry run settles clashes, which go to the report, and ends there.
    """
    rows = [row for row in rows if (repository.root / row.old).exists()]
    _check(repository, rows)
    changes = module_changes(rows)
    changes.names.update(renames)
    changes.handed_on = handed_on(repository)
    changes.offered = offered(repository)
    texts = {row.old: repository.read(row.old) for row in rows}
    by_target: dict[Path, list[Source]] = {}
    for target, sources in groups(rows).items():
        if target.suffix == ".py":
            by_target[target] = [Source(row.old, texts[row.old]) for row in sources]
            settle(by_target[target], changes, report)
    if dry:
        return
    rename_at_doors(changes)
    files = {row.old: row.new for row in rows if row.old != row.new}
    rewritten = _rewritten(repository, changes, Mentions(changes, repository.packages, files), report)
    rewritten |= {target: _text_of(target, sources, rewritten, changes, report) for target, sources in by_target.items()}
    for old, new in files.items():
        if old.suffix != ".py":
            rewritten[new] = rewritten.get(old, texts[old])
    gone = files.keys() - set(files.values()) - by_target.keys()
    for path in gone:
        rewritten.pop(path, None)
        (repository.root / path).unlink()
    for path, text in rewritten.items():
        repository.write(path, text)
    tidy(repository, [*rewritten, *_mark_folders(repository, rows)])
    repository.git("add", "--all", "--", *(str(path) for path in (*gone, *files.values())))


def _check(repository: Repository, rows: list[Row]) -> None:
    """A target that is there already and is no source would be lost."""
    old = {row.old for row in rows}
    lost = [str(row.new) for row in rows if row.new not in old and (repository.root / row.new).exists()]
    if lost:
        raise TableError(f"these files already exist and have no row: {', '.join(sorted(set(lost)))}")
    for target, sources in groups(rows).items():
        if len(sources) > 1 and sum(row.is_main for row in sources) > 1:
            raise TableError(f"{target} has two main parts")


def handed_on(repository: Repository) -> dict[Origin, Origin]:
    """(module, name) → (module, name) of every import at the top of a module or stub under src/."""
    sources = [Source(path, repository.read(path)) for path in repository.python_files() if path.parts[0] == "src"]
    found = {
        (one.module, name): origin for one in sources for name, origin in one.imports.items() if name not in one.definitions
    }
    return {key: origin for key, origin in found.items() if key != origin and origin[1]}


def offered(repository: Repository) -> set[Origin]:
    """Package and name of all that front doors offer."""
    doors = [Source(path, repository.read(path)) for path in repository.python_files() if path.stem == "__init__"]
    pairs = {(one.module, name): origin for one in doors for name, origin in one.imports.items()}
    return {key for key, origin in pairs.items() if origin != key}


def rename_at_doors(changes: Changes) -> None:
    """A name that a front door hands on has its new name there, too."""
    for package, name in changes.offered:
        home = changes.home(package, name)
        if home in changes.names and home[1] == name:
            changes.names.setdefault((package, name), changes.names[home])


def _rewritten(repository: Repository, changes: Changes, mentions: Mentions, report: Report) -> dict[Path, str]:
    """File → its text with all references followed, for the files that change; sources of moves are all there."""
    words = {leaf(module) for module in changes.modules} | {name for _, name in changes.names}
    words |= {old.name for old in mentions.files}
    words |= {name for package, name in changes.offered if changes.new_door(package, name)}
    pattern = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in sorted(words)) or "(?!)")
    found = {}
    owners = changes.owners()
    for path in repository.python_files():
        text = repository.read(path)
        is_source = path in mentions.files or module_name(path) in owners
        if not is_source and not (pattern.search(text) and _is_concerned(Source(path, text), changes, mentions)):
            continue
        new = rewrite(text, path, changes, mentions, report)
        if new != text or is_source:
            found[path] = new
        if path in mentions.files:
            for line in filter(PLACE.search, text.splitlines()):
                report.add("Lines that depend on the place of their file: check them", f"{path}: {line.strip()}")
    for path in repository.text_files():
        text = repository.read(path)
        if pattern.search(text) and (new := mentions.rewrite(text)) != text:
            found[path] = new
    return found


def _is_concerned(source: Source, changes: Changes, mentions: Mentions) -> bool:
    """Whether a file refers to anything that changes; found out with `ast`, for LibCST takes much longer."""
    if mentions.rewrite(source.text) != source.text:
        return True
    origins = source.origins_inside(source.tree).values()
    return any(changes.touches(module, name) or f"{module}.{name}" in changes.owners() for module, name in origins)


def _text_of(target: Path, sources: list[Source], rewritten: dict[Path, str], changes: Changes, report: Report) -> str:
    texts = [(source, rewritten.get(source.path, source.text)) for source in sources]
    if len(texts) == 1:
        return without_own_imports(texts[0][1], target, _own_names(target, changes), report)
    deferred = {source.defers_annotations for source in sources}
    if len(deferred) > 1:
        plain = [str(source.path) for source in sources if not source.defers_annotations]
        report.add("Annotations that are not evaluated any more", f"{target}: {', '.join(plain)}")
    ordered = in_order(sources)
    if ordered != sources:
        names = ", ".join(leaf(source.module) for source in ordered)
        report.add(
            "Files whose main part does not come first, because it needs another part when it is loaded",
            f"{target}: {names}",
        )
    by_path = dict(texts)
    texts = [(one, without_own_imports(by_path[one], target, _own_names(target, changes), report)) for one in ordered]
    return joined(texts, sources[0], merged(ordered, changes), report)


def _own_names(target: Path, changes: Changes) -> dict[Origin, str]:
    """Door and name → the name that it has in the file itself, which need not go through a door for it."""
    found = {}
    for package, name in changes.offered:
        home, original = changes.home(package, name)
        if changes.modules.get(home, home) == module_name(target):
            found[changes.target(package, name)] = changes.names.get((home, original), original)
    return found


def _mark_folders(repository: Repository, rows: list[Row]) -> list[Path]:
    """A folder of modules needs a file that says so."""
    made = []
    for folder in sorted({row.new.parent for row in rows if row.new.suffix == ".py" and row.new.parts[0] == "src"}):
        marker = folder / "__init__.py"
        if not (repository.root / marker).exists():
            repository.write(marker, f'"""{folder.name.capitalize()}: one family per file."""\n')
            made.append(marker)
    return made


def find_program(name: str, repository: Repository) -> str:
    """A program of the environment that this runs in, of the repository, or of the tool's own."""
    environments = [Path(sys.executable).parent, *(root / ".venv" / "bin" for root in (repository.root, TOOL))]
    return next((str(folder / name) for folder in environments if (folder / name).exists()), name)


def tidy(repository: Repository, paths: list[Path]) -> None:
    """Sort imports and lists of names, drop what nothing uses any more, and lay the files out, with ruff."""
    names = [str(path) for path in paths if path.suffix in {".py", ".pyi"} and (repository.root / path).exists()]
    program = find_program("ruff", repository)
    for words in (["check", "--quiet", "--fix", "--select", "I,F401,RUF022,TC005"], ["format", "--quiet"]):
        if names:
            subprocess.run([program, *words, *names], cwd=repository.root, check=False)
