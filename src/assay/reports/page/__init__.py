"""Page: the sections of an HTML report, each benchmark with the same ones."""
