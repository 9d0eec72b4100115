"""Files: bytes, frames and records become runs, judgments and answers, by a strict reader and a quick one."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
