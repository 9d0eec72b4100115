"""Execution: run providers on benchmarks according to a plan, with retries, caches and checkpoints."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
