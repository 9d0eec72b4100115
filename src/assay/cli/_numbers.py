"""Numbers on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole_number(most: int, least: int = 0) -> Callable[[str], int]:
    """A whole number from the smallest up to the largest allowed."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or len(text) > 18 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"a whole number from {least} to {most:,}, not {text!r}")
        return int(text)

    return parse


def seconds(text: str) -> float:
    """A time in seconds, above 0."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not value > 0:
        raise argparse.ArgumentTypeError(f"a number of seconds above 0, not {text!r}")
    return value


digits = whole_number(17)
"""Decimals: what a float has, and no more."""
