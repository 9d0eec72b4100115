"""atomic_write: files appear whole or not at all; links, pipes and devices stay; what killed processes left is removed."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assay import DataError
from assay.atomic_write import atomic_write
from assay.temporary_files import locked_file, locked_folder, remove_abandoned

LEFT = ".assay-0123456789abcdef.tmp"
"""The name of a temporary file that a killed process left."""


def write(path, content=b"new"):
    with atomic_write(path) as file:
        file.write(content)


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_a_file_appears_when_everything_is_in_it(tmp_path):
    path = tmp_path / "new" / "deeper" / "a.txt"
    with atomic_write(path) as file:
        file.write(b"half")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"half"
    assert names(path.parent) == ["a.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(TypeError), atomic_write(path) as file:
        file.writelines([b"half", None])
    with pytest.raises(FileNotFoundError), atomic_write(path):
        (tmp_path / "other" / "gone.txt").read_bytes()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path):
    code = """
import resource, sys
from pathlib import Path
from assay.atomic_write import atomic_write
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    with atomic_write(Path("a.txt")) as file:
        file.write(bytes(5000))
except ValueError as error:
    print(type(error).__name__, error)
"""
    (tmp_path / "a.txt").write_text("old")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "DataError a.txt: cannot be written: File too large\n"
    assert (tmp_path / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_what_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for path in (tmp_path, tmp_path / "file" / "below", tmp_path / ("x" * 300), tmp_path / "circle"):
        with pytest.raises(DataError, match="cannot be written"):
            write(path)
    assert names(tmp_path) == ["circle", "file"]


def test_the_mode_follows_the_umask_or_the_file_that_is_replaced(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "new")
    finally:
        os.umask(before)
    (tmp_path / "old").touch()
    (tmp_path / "old").chmod(0o604)
    write(tmp_path / "old")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("new", "old")]
    assert modes == [0o640, 0o604]


def test_a_link_stays_and_its_target_is_written(tmp_path):
    target, link = tmp_path / "data" / "a.txt", tmp_path / "a.txt"
    target.parent.mkdir()
    (tmp_path / "second").symlink_to("data/a.txt")
    link.symlink_to("second")
    for content in (b"first", b"second"):  # to nothing yet, and to a file
        write(link, content)
        assert link.is_symlink()
        assert target.read_bytes() == content
        assert not target.is_symlink()
        assert names(target.parent) == ["a.txt"]


def test_pipes_and_devices_are_written_to(tmp_path):
    pipe, found = tmp_path / "pipe.json", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join(30)
    assert (found, names(tmp_path)) == ([b"new"], ["pipe.json"])
    write(Path(os.devnull))
    assert (stat.S_ISFIFO(pipe.stat().st_mode), stat.S_ISCHR(Path(os.devnull).stat().st_mode)) == (True, True)
    with pytest.raises(DataError, match="/dev/full: cannot be written: No space left on device"):
        write(Path("/dev/full"))


def test_a_descriptor_is_written_to_where_it_stands(tmp_path):
    """Even where it is a file: what the shell has put there before and puts there afterwards stays."""
    (tmp_path / "link.txt").symlink_to("/dev/stdout")
    code = """
import os, sys
from pathlib import Path
from assay.atomic_write import atomic_write
for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link.txt"):
    with atomic_write(Path(name)) as file:
        file.write(name.encode())
    os.write(1, b" after ")
"""
    (tmp_path / "out.txt").write_text("before ")
    with (tmp_path / "out.txt").open("ab") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, cwd=tmp_path, check=True)
    text = "before /dev/stdout after /dev/fd/1 after /proc/self/fd/1 after link.txt after "
    assert (tmp_path / "out.txt").read_text() == text


def test_a_reader_that_went_away_is_no_fault_of_the_file(tmp_path):
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        with pytest.raises(BrokenPipeError):
            write(Path(f"/dev/fd/{theirs}"))
    finally:
        os.close(theirs)


def test_it_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    """The file, then the name, then the folder, and a folder that is new in the one above."""
    done, paths = [], {}

    def synced(handle):
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        paths.setdefault(done[-1], []).append(str(Path(f"/proc/self/fd/{handle}").readlink()))

    monkeypatch.setattr(os, "fsync", synced)
    replace = Path.replace
    monkeypatch.setattr(Path, "replace", lambda self, target: (done.append("name"), replace(self, target))[1])
    write(tmp_path / "new" / "a.txt")
    assert done == ["file", "name", "folder", "folder"]
    assert paths["folder"] == [str(tmp_path / "new"), str(tmp_path)]


def test_what_the_dead_left_is_removed_and_nothing_else(tmp_path):
    others = [".assay-mine.tmp", "assay-0123456789abcdef.tmp", ".result.json.x1y2", ".assay-0123456789abcdef.tmp2"]
    for name in (LEFT, *others):
        (tmp_path / name).write_text("half")
    (tmp_path / ".assay-fedcba9876543210.tmp").mkdir()
    (tmp_path / ".assay-fedcba9876543210.tmp" / "part").write_text("half")
    (tmp_path / ".assay-aaaaaaaaaaaaaaaa.tmp").symlink_to(tmp_path / others[0])
    write(tmp_path / "a.txt")
    assert names(tmp_path) == sorted([*others, "a.txt", ".assay-aaaaaaaaaaaaaaaa.tmp"])


def test_what_the_living_are_writing_stays(tmp_path):
    with locked_file(tmp_path) as file, locked_folder(tmp_path) as folder:
        code = "import sys; from pathlib import Path; from assay.temporary_files import remove_abandoned\n"
        code += "remove_abandoned(Path(sys.argv[1]))"
        subprocess.run([sys.executable, "-c", code, tmp_path], check=True)
        assert names(tmp_path) == sorted([Path(file.name).name, folder.name])
    remove_abandoned(tmp_path)
    assert names(tmp_path) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from assay.atomic_write import atomic_write
with atomic_write(Path("a.txt")) as file:
    file.write(bytes(100_000))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_writer_leaves_the_old_file_and_what_the_next_removes(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)
    assert done.returncode == -9
    assert (tmp_path / "a.txt").read_text() == "old"
    assert len(names(tmp_path)) == 2
    write(tmp_path / "b.txt")
    assert names(tmp_path) == ["a.txt", "b.txt"]
