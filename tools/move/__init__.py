"""Move, join and rename modules by table: `python -m tools.move --help`.

A table says where each module goes. All references follow: imports of every kind, uses of module objects, names in strings,
documents and settings. What a tool cannot decide well is decided visibly and listed in a report.
"""
