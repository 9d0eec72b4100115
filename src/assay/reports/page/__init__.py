"""Page: the sections of an HTML report; every benchmark has the same sections."""
