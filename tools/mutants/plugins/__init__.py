"""Plug-ins of pytest. They are copied into the environment of a scratch copy, so they import nothing of this package."""
