"""Fuzzing: mutated input for every reader, parser, saved format and endpoint; `python -m fuzz --list` lists them."""
