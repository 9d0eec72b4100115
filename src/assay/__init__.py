"""assay: how good is this retrieval, and did the last change make it better?"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
