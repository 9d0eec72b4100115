"""Reading large runs: a line on the terminal shows the progress, and Ctrl-C ends the command at once and leaves nothing."""

import gzip
import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest

SLOW = """
import sys, time
from assay.cli import main, reading_progress
from assay.files import block_scan

reading_progress.LEAST_BYTES = 0
add = block_scan.Scan.add

def add_slowly(scan, block):
    time.sleep(0.3)
    add(scan, block)

block_scan.Scan.add = add_slowly
sys.exit(main(sys.argv[1:]))
"""
"""The command, which waits after each block, as if the blocks were many."""
FORMS = {
    "trec": ("run.txt", "q{} Q0 d{} 1 {} t\n", str.encode),
    "csv, copied to a temporary file": ("run.csv.gz", "q{},d{},{}\n", lambda text: gzip.compress(text.encode(), 0)),
}
LINE = re.compile(r"[0-9.]+ M rows/s · [0-9,]+ rows · run")


def read_until(terminal, pattern, seconds=60):
    """What a terminal shows, until a pattern appears."""
    shown, end = "", time.monotonic() + seconds
    while not pattern.search(shown):
        assert time.monotonic() < end, shown
        shown += os.read(terminal, 4096).decode()
    return shown


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("form", FORMS)
def test_progress_is_shown_and_an_interrupt_leaves_nothing(tmp_path, form):
    name, row, packed = FORMS[form]
    copies = tmp_path / "copies"
    copies.mkdir()
    header = "query_id,doc_id,score\n" if "csv" in name else ""
    rows = "".join(row.format(query, f"-{document:090}", 200 - document) for query in range(1000) for document in range(180))
    (tmp_path / name).write_bytes(packed(header + rows))
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    terminal, own_end = pty.openpty()
    command = [sys.executable, "-c", SLOW, "score", "qrels.txt", name, "-m", "map"]
    environment = os.environ | {"TMPDIR": str(copies), "TERM": "xterm", "COLUMNS": "200"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=own_end) as program:
        os.close(own_end)
        shown = read_until(terminal, LINE)
        assert ("s left" in shown) == (form == "trec"), "how much a compressed file holds is unknown"
        program.send_signal(signal.SIGINT)
        shown = read_until(terminal, re.compile("interrupted"))
    os.close(terminal)
    assert (program.returncode, "Traceback" in shown, list(copies.iterdir())) == (130, False, [])
