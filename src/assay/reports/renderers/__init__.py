"""Renderers: the formats of a report about results, found by their records."""
