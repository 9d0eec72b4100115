"""Files: read runs, judgments and answers from files, data frames and records, with a strict reader and a fast one."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
