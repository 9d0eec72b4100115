"""The program that draws: a chart's specification on each line of its input, its SVG on each line of its output.

Nothing is fetched: a specification holds its data.
It runs in a process of its own, and ends when its input does, so also when the server was killed.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Answer until nobody asks any more."""
    import vl_convert

    for line in sys.stdin:
        try:
            reply = {"svg": vl_convert.vegalite_to_svg(json.loads(line), allowed_base_urls=[])}
        except Exception as error:  # noqa: BLE001 (told to the server, which raises it)
            reply = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(f"{json.dumps(reply)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
