"""The store: evaluations in SQLite or PostgreSQL. SQLAlchemy is loaded when a name is first asked for."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
