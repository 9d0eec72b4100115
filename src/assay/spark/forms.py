"""Forms: the two ways to count runs, and which one suits a table."""

from __future__ import annotations

from typing import Literal

Form = Literal["auto", "grouped", "counting"]
"""grouped: one shuffle of all rows; counting: no shuffle of rows, but two passes; auto: chosen by size."""
