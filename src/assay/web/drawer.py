"""The drawing program: it reads a chart's specification per line of input and writes its SVG per line of output.

Nothing is fetched, because a specification contains its data.
It runs in a separate process and ends when its input ends, even if the server was killed.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Draw charts until the input ends."""
    import vl_convert

    for line in sys.stdin:
        try:
            reply = {"svg": vl_convert.vegalite_to_svg(json.loads(line), allowed_base_urls=[])}
        except Exception as error:  # noqa: BLE001 (sent to the server, which raises it)
            reply = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(f"{json.dumps(reply)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
