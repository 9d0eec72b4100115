"""Temporary files: read and written by their path, and gone with the process, however it ends."""

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from assay import temporary_files
from assay.temporary_files import TemporaryFile

KILLED = """
import os, signal, sys
from assay.files import FileSource
source = FileSource.spool(sys.stdin.buffer, "<stdin>")
print(source.path.read_bytes(), len(list(source.lines())), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_is_written_is_read_again_until_it_is_closed():
    with TemporaryFile() as path:
        path.write_bytes(b"some")
        with path.open("ab") as file:
            file.write(b" more")
        assert path.read_bytes() == path.read_bytes() == b"some more"
    assert not path.exists()


def test_where_files_need_a_name_it_is_one_that_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(temporary_files, "DESCRIPTORS", tmp_path / "gone")
    monkeypatch.setattr(temporary_files.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / ".assay-0123456789abcdef.tmp").touch()
    with TemporaryFile() as path:
        path.write_bytes(b"some")
        assert path.read_bytes() == b"some"
        assert list(tmp_path.iterdir()) == [path]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_a_file_that_cannot_be_removed_is_an_error_except_on_windows(tmp_path, monkeypatch, platform):
    """Windows removes no mapped files; elsewhere a refusal says that something is wrong."""
    monkeypatch.setattr(temporary_files, "DESCRIPTORS", tmp_path / "gone")
    monkeypatch.setattr(temporary_files.tempfile, "gettempdir", lambda: str(tmp_path))
    file = TemporaryFile()

    def refused(path, missing_ok=False):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refused)
        patched.setattr(sys, "platform", platform)
        with nullcontext() if platform == "win32" else pytest.raises(PermissionError):
            file.close()
    assert file.path.exists()
    file.close()
    assert not file.path.exists()


WINDOWS = """
import os, sys
for name in ("fchmod", "fchown", "O_NOFOLLOW", "geteuid", "getuid"):
    delattr(os, name)
sys.modules["fcntl"] = None
from pathlib import Path
from assay import temporary_files
from assay.atomic_write import atomic_write
from assay.execution.responses import _try_lock
from assay.temporary_files import TemporaryFile, is_read_only, locked_folder, remove_abandoned
sys.platform = "win32"
temporary_files.DESCRIPTORS = Path("gone")
plain = {name: getattr(os, name) for name in ("replace", "unlink", "open")}

def links_of_open_files():
    return {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}

def closed(name):
    def call(path, *more, **how):
        if os.path.realpath(path) in links_of_open_files():
            raise PermissionError(13, "another process uses the file", str(path))
        return plain[name](path, *more, **how)
    return call

def of_files(path, *more, **how):
    if os.path.isdir(path) and "dir_fd" not in how:  # shutil.rmtree of Linux
        raise PermissionError(13, "Permission denied", str(path))
    return plain["open"](path, *more, **how)

os.replace, os.unlink, os.open = closed("replace"), closed("unlink"), of_files
folder = Path(sys.argv[1])
left = folder / ".assay-0123456789abcdef.tmp"
left.touch()
for content in (b"old", b"new"):
    with atomic_write(folder / "a.txt") as file:
        file.write(content)
with locked_folder(folder) as one, open(folder / "a.txt") as file:
    print(one.is_dir(), _try_lock(file.fileno(), waits=True))
with TemporaryFile() as path:
    path.write_bytes(b"some")
    print(path.read_bytes(), is_read_only(folder))
print(path.exists())
remove_abandoned(folder)
print(sorted(path.name for path in folder.iterdir()), (folder / "a.txt").read_bytes())
"""


def test_a_system_without_owners_modes_and_locks_can_write_too(tmp_path):
    """And that opens no folders, and neither renames nor removes open files, as Windows."""
    done = subprocess.run([sys.executable, "-c", WINDOWS, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.stdout == "True True\nb'some' False\nFalse\n['.assay-0123456789abcdef.tmp', 'a.txt'] b'new'\n", done.stderr


def test_a_killed_process_leaves_no_copy_of_what_it_read(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", KILLED]
    done = subprocess.run(command, input=b"q 0 d 1\n", env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (-9, b"b'q 0 d 1\\n' 1\n"), done.stderr
    assert list(Path(tmp_path).iterdir()) == []
