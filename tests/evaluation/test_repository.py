"""The repository: commit and changes are told, and nothing that a repository configures is run."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from assay.repository import describe_repository

from ._git import git


def test_commit_and_changes_of_a_repository(tmp_path):
    git(tmp_path, "init", "-q")
    assert describe_repository(tmp_path) is None  # nothing committed yet
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-q", "-m", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert describe_repository(tmp_path) == {"commit": commit, "dirty": False}
    (tmp_path / "a").write_text("2")
    assert describe_repository(tmp_path) == {"commit": commit, "dirty": True}
    (tmp_path / "deep").mkdir()
    assert describe_repository(tmp_path / "deep") == {"commit": commit, "dirty": True}


def test_none_outside_a_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert describe_repository(tmp_path) is None
    monkeypatch.setenv("PATH", "")
    assert describe_repository(tmp_path) is None


HOOKS = ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "pre-auto-gc", "query-watchman")
PROGRAMS = (
    *("core.fsmonitor", "core.pager", "pager.status", "core.editor", "core.sshCommand", "core.alternateRefsCommand"),
    *("diff.external", "diff.canary.textconv", "diff.canary.command", "filter.canary.clean", "filter.canary.smudge"),
    *("filter.canary.process", "filter.a b.clean", "gpg.program"),
)


@pytest.fixture
def canary(tmp_path):
    """A program that says that it ran and gives back what it is given; and all who have run."""
    folder = tmp_path / "ran"
    folder.mkdir()
    program = tmp_path / "canary"
    program.write_text(f'#!/bin/sh\ntouch "{folder}/$1"\n[ "$1" = clean ] || [ "$1" = smudge ] && exec cat\nexit 0\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program, lambda: sorted(path.name for path in folder.iterdir())


def armed(folder, program):
    """Give a repository everything it may configure that runs a program."""
    settings = {name: f"{program} {name.rpartition('.')[2]}" for name in PROGRAMS}
    settings |= {name: f"!{program} {name}" for name in ("credential.helper", "alias.status", "alias.rev-parse")}
    settings |= {"commit.gpgSign": "true", "status.submoduleSummary": "true", "protocol.ext.allow": "always"}
    settings |= {"remote.origin.url": f"ext::{program} fetch", "remote.origin.promisor": "true"}
    settings["extensions.partialClone"] = "origin"
    for name, value in settings.items():
        git(folder, "config", name, value)
    hooks = folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\nexec {program} hook-{name}\n")
        (hooks / name).chmod(0o755)


@pytest.fixture
def repository(tmp_path, canary):
    """A repository with a filtered file, a plain one and a submodule, all of it armed."""
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    for folder in (inner, outer):
        folder.mkdir()
        git(folder, "init", "-q")
        (folder / ".gitattributes").write_text("*.txt filter=canary diff=canary\n*.md filter=a\\ b\n")
        (folder / "filtered.txt").write_text("1")
        (folder / "plain").write_text("1")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "inner")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "part")
    git(outer, "add", "-A")
    git(outer, "commit", "-qm", "outer")
    armed(outer, canary[0])
    return outer


def test_nothing_of_the_repository_is_run(repository, canary):
    _, ran = canary
    commit = git_head(repository)
    assert describe_repository(repository) == {"commit": commit, "dirty": False}
    (repository / "plain").write_text("changed")
    (repository / "filtered.txt").write_text("changed")
    assert describe_repository(repository) == {"commit": commit, "dirty": True}
    os.utime(repository / "plain", (1, 1))
    (repository / "new.md").write_text("new")
    (repository / "part" / "filtered.txt").write_text("changed")
    assert describe_repository(repository) == {"commit": commit, "dirty": True}
    assert ran() == []
    assert not (repository / ".git" / "index.lock").exists()


def git_head(folder):
    """The commit, without asking git, which would run what is armed."""
    head = (folder / ".git" / "HEAD").read_text().split()[-1]
    return (folder / ".git" / head).read_text().strip()


def test_the_canaries_are_alive(repository, canary):
    """What git runs when it is asked as usual: otherwise the test above could not fail."""
    os.utime(repository / "filtered.txt", (1, 1))
    shutil.rmtree(repository / ".git" / "hooks")
    subprocess.run(["git", "-C", repository, "status", "--porcelain"], check=False, capture_output=True)
    assert {"fsmonitor", "process"} <= set(canary[1]())


def test_a_submodule_is_told_by_its_commit_and_not_asked(repository, canary):
    program, ran = canary
    part = repository / "part"
    commit = git_head(repository)
    git(part, "config", "core.fsmonitor", f"{program} inner-fsmonitor")
    git(part, "config", "filter.canary.clean", f"{program} inner-clean")
    (part / "filtered.txt").write_text("changed")
    assert describe_repository(repository) == {"commit": commit, "dirty": False}
    assert ran() == []
    git(part, "config", "--unset", "core.fsmonitor")
    git(part, "config", "--unset", "filter.canary.clean")
    git(part, "commit", "-qam", "another")
    assert describe_repository(repository) == {"commit": commit, "dirty": True}
    assert ran() == []


def test_changes_that_only_a_filter_could_tell_are_unknown(tmp_path):
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "filter.upper.clean", "tr a-z A-Z")
    (tmp_path / ".gitattributes").write_text("*.txt filter=upper\n")
    (tmp_path / "a.txt").write_text("words")
    os.utime(tmp_path / "a.txt", (1, 1))
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    assert describe_repository(tmp_path)["dirty"] is False
    os.utime(tmp_path / "a.txt", (2, 2))
    assert describe_repository(tmp_path)["dirty"] is None
    (tmp_path / "plain").write_text("new")
    assert describe_repository(tmp_path)["dirty"] is True


def test_a_filter_that_cannot_be_overruled_leaves_changes_unknown(tmp_path):
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    with (tmp_path / ".git" / "config").open("a") as file:
        file.write(f'[filter "a=b"]\n\tclean = touch {tmp_path / "ran"}\n')
    (tmp_path / ".gitattributes").write_text("* filter=a=b\n")
    assert describe_repository(tmp_path)["dirty"] is None
    assert not (tmp_path / "ran").exists()


def test_a_git_in_the_current_folder_is_not_run(tmp_path, monkeypatch):
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    for folder in (tmp_path, tmp_path / "here"):
        folder.mkdir(exist_ok=True)
        (folder / "git").write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
        (folder / "git").chmod(0o755)
    real = str(Path(shutil.which("git")).parent)
    monkeypatch.chdir(tmp_path)
    for place in ("", ".", "here"):
        monkeypatch.setenv("PATH", os.pathsep.join([place, real]))
        assert describe_repository()["dirty"] is True, place
        assert not (tmp_path / "ran").exists(), place
