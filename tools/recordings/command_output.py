"""Part B: what every command prints and writes, and its exit code, for the lines of commands.txt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from tools.recordings.cases import FIXTURE, Group, Line, read_groups
from tools.recordings.masks import mask
from tools.recordings.process import Output, in_parallel, read_text, run_process, with_assay
from tools.recordings.scene import Scene

BINARY = {".png": True, ".pdf": False, ".db": False, ".zst": False, ".parquet": False}
"""Endings of files that are no text: whether their bytes are the same every time."""
UNSEEN = (".assay", "home", "__pycache__")
"""Folders that users do not read."""


def make_fixture(scene: Scene) -> dict[str, str]:
    """Run the lines that make what the others read; what they print is recorded too."""
    groups = [group for group in read_groups() if group.section == FIXTURE]
    return {name: text for group in groups for name, text in run_group(group, scene, scene.fixture).items()}


def record_commands(scene: Scene, is_wanted: Callable[[str], bool]) -> dict[str, str]:
    """Case → exit code, streams and files. The first case of each command imports assay anew."""
    groups = [group for group in read_groups() if group.section != FIXTURE and any(map(is_wanted, group.names()))]
    firsts = {group.lines[0].words[:1]: group for group in reversed(groups)}
    first = [group for group in groups if firsts[group.lines[0].words[:1]] is group]
    others = [group for group in groups if firsts[group.lines[0].words[:1]] is not group]
    return run_groups(first, scene) | with_assay(lambda: run_groups(others, scene))


def run_groups(groups: Iterable[Group], scene: Scene) -> dict[str, str]:
    """Run each in a copy of its own."""
    found: dict[str, str] = {}
    for cases in in_parallel((partial(_run_in_copy, group, scene) for group in groups), scene.jobs):
        found |= cases
    return found


def _run_in_copy(group: Group, scene: Scene) -> dict[str, str]:
    with scene.copy() as folder:
        return run_group(group, scene, folder)


def run_group(group: Group, scene: Scene, folder: Path) -> dict[str, str]:
    """Run lines one after another in a folder."""
    found: dict[str, str] = {}
    begin = 0 if group.section == FIXTURE else 1000
    for number, (name, line) in enumerate(zip(group.names(), group.lines, strict=True)):
        before = _digests(folder)
        output = run_line(line, scene, folder, begin + 10 * number)
        now = _digests(folder)
        files = [folder / path for path, digest in now.items() if before.get(path) != digest]
        found[name] = mask(show(output, files, folder), (folder, scene.place))
    return found


def run_line(line: Line, scene: Scene, folder: Path, minutes: int) -> Output:
    """Run `assay` with the words of a line, so many minutes after the calendar begins."""

    def work() -> int:
        import sys

        sys.argv = ["assay", *line.words]
        sys.path.insert(0, str(folder))
        from assay.cli import main

        return main()

    stdin = folder / line.stdin if line.stdin else None
    return run_process(work, folder, {**scene.environment(folder), **line.variables}, stdin, minutes)


def show(output: Output, files: Iterable[Path], folder: Path) -> str:
    """The output as text: what is shown of a file is its text, or a digest of its bytes."""
    parts = [f"exit code {output.code}\n"]
    if output.stdout:
        parts.append(f"--- standard output\n{output.stdout}")
    if output.stderr:
        parts.append(f"--- standard error\n{output.stderr}")
    parts += [f"--- {file.relative_to(folder)}\n{_content(file)}" for file in files]
    return "\n".join(parts)


def _content(file: Path) -> str:
    is_same = BINARY.get(file.suffix)
    if is_same is None:
        return read_text(file)
    return f"bytes with the digest {_digest(file)}\n" if is_same else f"bytes that begin with {file.read_bytes()[:4]!r}\n"


def _digests(folder: Path) -> dict[str, str]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    relative = ((path, path.relative_to(folder)) for path in paths)
    return {str(name): _digest(path) for path, name in relative if not set(UNSEEN) & set(name.parts)}


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
