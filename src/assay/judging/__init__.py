"""Judging: which pairs of query and document to judge, and what a sample of judgments says about systems. No I/O."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
