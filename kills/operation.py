"""Operation: something that a process does on the disk, and how the state of its folder is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

State = Mapping[str, object]
"""What is in a folder. A text is a thing that is there whole, or not at all; of a list there may be some, each whole."""


@dataclass(frozen=True)
class Operation:
    """Everything is done by processes of their own, in the folder that they work on."""

    name: str
    prepare: Callable[[], None]
    """Makes what is there before."""
    run: Callable[[], int]
    """What is killed; gives the exit code."""
    again: Callable[[], int]
    """What a person does then."""
    look: Callable[[], State]
    """Tells the state, without what differs from time to time."""
    codes: Sequence[int] = (0,)
    """Exit codes of `again` that are fine."""
    is_one: bool = True
    """Whether all that it changes is changed at one instant."""
    prints: bool = False
    """Whether it prints the same each time."""
