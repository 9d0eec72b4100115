"""Execution: ask providers for rankings, by a plan; with retries, caches and checkpoints. Scoring is evaluation's."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
