"""Run programs and record what they touch: `python _audit.py LOG FILE.py …`, or `python _audit.py LOG assay COMMANDS`,
where COMMANDS is a JSON list of command lines that one process runs in turn.

Python reports files, programs, sockets and unpickled classes to audit hooks (PEP 578), whoever asks for them.
Each event of interest is one JSON line of LOG.
"""

import json
import os
import runpy
import sys

LOG = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"}
NETWORK = {"socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"}


def record(event, arguments):
    """One line per event of interest."""
    if event in ("open", "sqlite3.connect") and isinstance(arguments[0], str | bytes):
        path = os.fsdecode(arguments[0]).removeprefix("file:").partition("?")[0]  # SQLite is given addresses
        path = os.path.abspath(path)  # noqa: PTH100 (Path asks for more)
        write({"event": "file", "path": path})
    elif event in PROGRAMS:
        write({"event": "program", "what": str(arguments[0])})
    elif event in NETWORK:
        write({"event": "network", "what": str(arguments[1:] if event.startswith("socket.conn") else arguments)})
    elif event == "pickle.find_class":
        write({"event": "pickle", "what": ".".join(map(str, arguments))})


def write(line):
    """Straight to the descriptor: nothing is lost if the process ends at once."""
    os.write(LOG, json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    target, *rest = sys.argv[2:]
    sys.argv = [target, *rest]
    sys.path.pop(0)  # the folder of this script
    sys.addaudithook(record)
    if target == "assay":
        from assay.cli import main

        for command in json.loads(rest[0]):
            write({"event": "code", "command": command, "code": main(command)})
    else:
        runpy.run_path(target, run_name="__main__")
