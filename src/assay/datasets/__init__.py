"""Files, frames and records: how judgments and rankings get in. Importing this teaches Run and Qrels to read them."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
