"""Numbers on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole_number(most: int) -> Callable[[str], int]:
    """A whole number from 0 up to the largest allowed."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or len(text) > 18 or int(text) > most:
            raise argparse.ArgumentTypeError(f"a whole number from 0 to {most:,}, not {text!r}")
        return int(text)

    return parse


digits = whole_number(17)
"""Decimals: what a float has, and no more."""
