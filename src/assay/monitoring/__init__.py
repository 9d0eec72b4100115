"""Monitoring: rules and the gate, anomalies, history and drift; no I/O."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
