"""Monitoring: rules and the gate, anomalies, history and drift, without I/O."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
