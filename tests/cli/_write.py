"""Files that tests of commands write."""

import json
from pathlib import Path


def json_lines(path, rows):
    """One record a line."""
    Path(path).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
