"""Moments to save results at."""

DAY = "2026-11-15T09:30:00+00:00"
