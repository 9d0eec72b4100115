"""The web pages over a store: one page per file. Starlette and jinja2 are loaded when an application is made."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
