"""Learning to rank: how much a model depends on each feature of the documents, with intervals over queries."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
