"""Renderers: the output formats, one per file."""
