"""The git repository of the code: its commit, and whether files differ. No program that it configures is run.

A repository can configure programs (file system monitors, hooks, filters, helpers that fetch); a plain `git status` would
run some of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

GIT_TIMEOUT_SECONDS = 10.0
"""The limit for all calls of git together."""
GIT_SETTINGS = (
    *("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false", "core.pager=cat"),
    *("status.submoduleSummary=false", "protocol.allow=never", "core.sshCommand=false", "credential.helper="),
)
"""Settings that replace those of the repository; the command line takes precedence over every file."""
GIT_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
GIT_STATUS_ARGUMENTS = ("status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty")
"""Without renames, because finding them reads contents. Submodules count by their commit; git does not run in them."""


def describe_repository(folder: Path | None = None) -> dict[str, Any] | None:
    """The commit of the caller's repository, and whether files differ from it; None outside of a repository.

    `dirty` is None if only a filter that the repository configures could tell.
    """
    program = _find_git()
    if program is None:
        return None
    asked = _Git(program, folder or Path.cwd())
    commit = asked.text("rev-parse", "--verify", "HEAD")
    return None if commit is None else {"commit": commit.strip(), "dirty": _is_dirty(asked)}


def _find_git() -> str | None:
    """The path of git, looked up in the absolute folders of PATH only, never in the current folder."""
    return shutil.which("git", path=_full_path())


def _full_path() -> str:
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(part for part in parts if os.path.isabs(part))  # noqa: PTH117 (a string, which may be empty)


class _Git:
    """Runs git several times within one time limit."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program, self._folder = program, folder
        self._end = time.monotonic() + GIT_TIMEOUT_SECONDS

    def bytes(self, *arguments: str, settings: Iterable[str] = (), stdin: bytes = b"") -> bytes | None:
        """What git prints; None if it fails or takes too long."""
        own = [word for setting in (*GIT_SETTINGS, *settings) for word in ("-c", setting)]
        command = [self._program, "-C", str(self._folder), "--no-pager", "--no-optional-locks", *own, *arguments]
        environment = {**os.environ, **GIT_ENVIRONMENT, "PATH": _full_path()}
        left = max(0.1, self._end - time.monotonic())
        try:
            done = subprocess.run(  # noqa: S603
                command, input=stdin, capture_output=True, timeout=left, check=False, env=environment
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            return None
        return done.stdout if done.returncode == 0 else None

    def text(self, *arguments: str) -> str | None:
        """The same as text."""
        printed = self.bytes(*arguments)
        return None if printed is None else printed.decode("utf-8", "replace")


def _is_dirty(git: _Git) -> bool | None:
    """Whether any file differs. None if only filtered files seem to: without the filter they may differ anyway."""
    filters = _filters(git)
    if filters is None:
        return None
    settings = [f"filter.{name}.{part}" for name in filters for part in ("clean=", "smudge=", "process=", "required=false")]
    printed = git.bytes(*GIT_STATUS_ARGUMENTS, settings=settings)
    if printed is None:
        return None
    entries = [entry for entry in printed.split(b"\0") if entry]
    if not entries or not filters:
        return bool(entries)
    return True if any(map(_is_certain, entries)) else _has_unfiltered(git, [entry[3:] for entry in entries], settings)


def _is_certain(entry: bytes) -> bool:
    """Whether the file of an entry is new, deleted or staged, so that its content does not matter."""
    return entry[:2] != b" M"


def _filters(git: _Git) -> set[str] | None:
    """The names of all configured filters; None if one has a name that the command line cannot override."""
    printed = git.bytes("config", "--list", "--name-only", "-z")
    if printed is None:
        return None
    keys = [key.decode("utf-8", "surrogateescape") for key in printed.split(b"\0")]
    names = {key[len("filter.") : key.rindex(".")] for key in keys if key.startswith("filter.") and key.count(".") > 1}
    return None if any("=" in name or "\n" in name for name in names) else names


def _has_unfiltered(git: _Git, paths: list[bytes], settings: list[str]) -> bool | None:
    """True if a changed file has no filter; None if all of them have one."""
    printed = git.bytes(
        "check-attr", "-z", "--stdin", "filter", settings=settings, stdin=b"".join(path + b"\0" for path in paths)
    )
    if printed is None:
        return None
    values = printed.split(b"\0")[2::3]
    return True if any(value in (b"unspecified", b"unset") for value in values) else None
