"""Engines other than this process, in which commands can score runs."""
